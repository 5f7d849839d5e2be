"""What the runs left, per PyTorch version, and whether it fits the files. Knows neither torch nor Sphinx."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import pages as pages_
import pictures
import snippet as snippets
from problem import ROOT, Problem
from snippet import Snippet

PINNED = ROOT / "_build" / "evidence.json"
COMMITTED = snippets.FOLDER / "_evidence"
ENGINE = ("snippet.py", "running.py", "values.py", "verify.py")
REMEDY = "Run: make doctest"


@dataclass
class Entry:
    """What one snippet's run left.

    digest: of the snippet as it was run; held: whether every output and bound value was as the files say; outputs: what
    each example printed, its error included; values: per bound value (Value.key) the value as prose would show it.
    """

    digest: str
    held: bool
    outputs: list[str]
    values: dict[str, str]


@dataclass
class Evidence:
    """The runs on one PyTorch version. engine: hash of the code that ran them."""

    torch: str
    engine: str
    snippets: dict[str, Entry] = field(default_factory=dict)

    def entry(self, snippet: Snippet) -> Entry | None:
        """The snippet's entry, if it was made from the snippet as it is now."""
        entry = self.snippets.get(snippet.name)
        return entry if entry and entry.digest == snippet.digest else None


def pinned_version() -> str:
    """The PyTorch that the book is rendered with."""
    lines = (ROOT / ".ci" / "constraints.txt").read_text("utf-8").splitlines()
    return next(line.removeprefix("torch==") for line in lines if line.startswith("torch=="))


def is_pinned(version: str) -> bool:
    """Whether it is the pinned version; a local tail such as "+cpu" doesn't count."""
    return version.split("+")[0] == pinned_version()


def path_for(version: str) -> Path:
    """Where a PyTorch version's evidence lies."""
    return PINNED if is_pinned(version) else COMMITTED / f"{version.split('+')[0]}.json"


def engine() -> str:
    """Hash of the code that runs and compares: evidence made by another engine doesn't fit."""
    folder = Path(__file__).parent
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in ENGINE)).hexdigest()[:16]


def load(path: Path) -> Evidence | None:
    """The evidence in a file, None if there is none."""
    if not path.is_file():
        return None
    try:
        data = json.loads(path.read_text("utf-8"))
        entries = {name: Entry(**entry) for name, entry in data["snippets"].items()}
        return Evidence(data["torch"], data["engine"], entries)
    except (ValueError, KeyError, TypeError):
        remedy = "Delete it, then run: make doctest" + ("" if path == PINNED else f" TORCH={path.stem}")
        raise Problem(path, 1, "This evidence can't be read.", remedy) from None


def save(path: Path, evidence: Evidence) -> None:
    """Write the evidence so that it diffs well: sorted, one fact a line, no seconds, no platform."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(evidence, default=vars, indent=1, sort_keys=True, ensure_ascii=False)
    path.write_text(text + "\n", "utf-8")


def all_versions() -> list[Evidence]:
    """The pinned version's evidence and all that is committed, oldest PyTorch first."""
    paths = [PINNED, *COMMITTED.glob("*.json")]
    return sorted(filter(None, map(load, paths)), key=lambda found: [int(part) for part in found.torch.split(".")])


def check(pages: list[pages_.Page]) -> list[Problem]:
    """Where the pinned version's evidence is missing, fails, or doesn't fit the snippets and the bound values."""
    evidence = load(PINNED)
    if evidence is None:
        return [Problem(PINNED, 1, "No snippet has been run yet.", REMEDY)]
    if evidence.torch != pinned_version():
        what = f"The snippets were run on PyTorch {evidence.torch}, but .ci/constraints.txt names {pinned_version()}."
        return [Problem(PINNED, 1, what, REMEDY)]
    if evidence.engine != engine():
        return [Problem(PINNED, 1, "The engine has changed since the snippets were run.", REMEDY)]
    problems = []
    for path in snippets.all_paths():
        entry = evidence.entry(snippets.read(path))
        if entry is None:
            problems.append(Problem(path, 1, "This snippet has changed since it was last run.", REMEDY))
        elif not entry.held:
            problems.append(Problem(path, 1, "This snippet didn't hold when it was last run.", REMEDY))
    for value in (value for page in pages for value in page.values):
        entry = evidence.snippets.get(value.snippet)
        if entry and value.key not in entry.values:
            problems.append(
                Problem(value.page, value.line, f"The value {value.shown} hasn't been compared with a run yet.", REMEDY)
            )
    return problems + pictures.unfitting([ask for page in pages for ask in page.asks])
