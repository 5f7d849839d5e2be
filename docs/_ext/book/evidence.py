"""What the runs left, per PyTorch version, and whether it fits the files. Knows neither torch nor Sphinx."""

import ast
import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from packaging.version import Version

from book.problem import ROOT, Problem
from book.reading.pages import Value
from book.reading.snippets import Snippet

PINNED = ROOT / "_build" / "evidence.json"
COMMITTED = ROOT / "snippets" / "_evidence"
CONSTRAINTS = ROOT / ".ci" / "constraints.txt"
ENGINE = sorted([*Path(__file__).parent.glob("running/*.py"), Path(__file__).parent / "reading" / "snippets.py"])


@dataclass
class Entry:
    """What one snippet's run left.

    digest: of the snippet as it was run; held: whether every output and bound value was as the files say; outputs: what
    an example printed, its error included, by its number, where that isn't what the file says; values: per bound value
    (Value.key) the value as prose would show it; variants: the same two, by variant (variants.key), with another number
    in the code; seal: hash of the variants, which stand in no file that could be compared with them.
    """

    digest: str
    held: bool
    outputs: dict[str, str]
    values: dict[str, str]
    variants: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    seal: str = ""

    def sealed(self) -> str:
        return hashlib.sha256(json.dumps([self.digest, self.variants], sort_keys=True).encode()).hexdigest()[:16]


@dataclass
class Evidence:
    """The runs on one PyTorch version. engine: hash of the code that ran them."""

    torch: str
    engine: str
    snippets: dict[str, Entry] = field(default_factory=dict)

    def entry(self, snippet: Snippet, bound: list[Value]) -> Entry | None:
        """The snippet's entry, if it comes from the engine, the snippet and the bound values as they are now."""
        entry = self.snippets.get(snippet.name)
        wanted = {value.key for value in bound if value.release in ("", self.torch)}
        fits = entry and self.engine == engine() and entry.digest == snippet.digest and wanted <= entry.values.keys()
        return entry if fits else None


def base(version: str) -> str:
    """A PyTorch version without its local tail, such as "+cpu"."""
    return version.split("+")[0]


@cache
def pinned_version() -> str:
    """The PyTorch that the book is rendered with."""
    lines = CONSTRAINTS.read_text("utf-8").splitlines()
    return next(line.removeprefix("torch==") for line in lines if line.startswith("torch=="))


def path_for(version: str) -> Path:
    """Where a PyTorch version's evidence lies."""
    return PINNED if base(version) == pinned_version() else COMMITTED / f"{base(version)}.json"


@cache
def engine() -> str:
    """Hash of the code that runs and compares: evidence made by another engine doesn't fit.

    Comments, docstrings and the wording of problems don't count.
    """
    return hashlib.sha256("".join(map(_essence, ENGINE)).encode()).hexdigest()[:16]


def _essence(path: Path) -> str:
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Problem":
            node.args = [argument for argument in node.args if not isinstance(argument, ast.Constant | ast.JoinedStr)]
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def load(path: Path) -> Evidence | None:
    """The evidence in a file, None if there is none. Raises Problem for a file that is damaged, or misnamed."""
    if not path.is_file():
        return None
    try:
        data = json.loads(path.read_text("utf-8"))
        found = Evidence(
            data["torch"], data["engine"], {name: Entry(**entry) for name, entry in data["snippets"].items()}
        )
        Version(found.torch)
    except (ValueError, KeyError, TypeError, AttributeError):
        remedy = "Delete it, then run: make doctest" + ("" if path == PINNED else f" TORCH={path.stem}")
        raise Problem(path, 1, "This evidence can't be read.", remedy) from None
    if path != PINNED and path.stem != found.torch:
        remedy = f"Delete it, then run: make doctest TORCH={path.stem}"
        raise Problem(path, 1, f"This evidence is of PyTorch {found.torch}, and its file named for another.", remedy)
    return found


def load_or_none(path: Path) -> Evidence | None:
    """The same, and None for a file that is damaged: a full disk leaves such, and the next run makes it anew."""
    try:
        return load(path)
    except Problem:
        return None


def save(path: Path, evidence: Evidence) -> None:
    """Write the evidence so that it diffs well: sorted, one fact a line, no seconds, no platform."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(evidence, default=vars, indent=1, sort_keys=True, ensure_ascii=False)
    half = path.with_suffix(".half")
    half.write_text(text + "\n", "utf-8")
    half.replace(path)


def all_versions() -> list[Evidence]:
    """The pinned version's evidence and all that is committed, oldest PyTorch first."""
    found = [load_or_none(PINNED), *map(load, sorted(COMMITTED.glob("*.json")))]
    return sorted(filter(None, found), key=lambda evidence: Version(evidence.torch))
