"""Measure what checking costs: the doctest run over a bare Python process that executes the same code.

    make bench

The floor imports torch and executes every example, but parses nothing, prints nothing and compares nothing. Both sides
run on one thread. Prints ratios only, from runs that alternate; fails if a ratio is over its bound.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from book.contents import Book
from book.reading import snippets, variants

ROUNDS = 5
BOUNDS = {1: 1.2, 10: 1.55}  # copies of the book: the most that checking may cost, over the floor
MEMORY_BOUND = 1.2
TYPO_COPIES, TYPO_BOUND = 5, 1.3
MAKE = ["make", "-o", ".venv/made", "html"]  # the environment is the book's own, whatever its age
ENVIRONMENT = os.environ | {
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONPATH": "docs/_ext",
}
FLOOR = """
import json, sys, warnings
import torch
sys.path.insert(0, "snippets")
torch.set_num_threads(1)
warnings.simplefilter("ignore")
for sources in json.load(open(sys.argv[1])):
    names = {"__name__": "__main__", "print": lambda *a, **k: None}
    for source in sources:
        try:
            exec(compile(source, "floor", "single"), names)
        except Exception:
            pass
"""


def multiplied(copies: int, folder: Path) -> Path:
    """A copy of the book in which each snippet stands `copies` times, each one shown."""
    for part in ("docs", "snippets", ".ci"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "conf.py", "Makefile"):
        shutil.copy(ROOT / part, folder)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    for path in sorted((folder / "snippets").glob("*/*.pycon")):
        for number in range(2, copies + 1):
            shutil.copy(path, path.with_stem(f"{path.stem}-{number}"))
            with open(folder / "docs" / f"{path.parent.name}.md", "a") as page:
                page.write(f"\n```{{snippet}} {path.stem}-{number}\n```\n")
    return folder


def measured(command: list[str], folder: Path) -> tuple[float, int]:
    """Seconds and peak memory of one command."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"bench: {' '.join(command)} failed in {folder}")
    return seconds, usage.ru_maxrss


def tried() -> list[snippets.Snippet]:
    """The snippets with the other numbers that readers may put into them: runs of the same code, too."""
    book = Book()
    choices = [(name, choice) for name, found in book.choices.items() for choice in found]
    return [variants.variant(book.snippets[name], choice, value) for name, choice in choices for value in choice.values]


def ratios(copies: int, scratch: Path) -> tuple[float, float]:
    """The doctest run over the floor: time, peak memory."""
    book = multiplied(copies, scratch / str(copies))
    paths = sorted((book / "snippets").glob("*/*.pycon"))
    sources = [[example.source for example in snippets.read(path).examples] for path in paths]
    sources += [[example.source for example in other.examples] for other in tried()]
    (book / "sources.json").write_text(json.dumps(sources))
    floor, doctest = [sys.executable, "-c", FLOOR, "sources.json"], [sys.executable, "-m", "pytest", "-qq", "snippets"]
    runs = [(measured(doctest, book), measured(floor, book)) for _ in range(ROUNDS)]
    time_ratio = min(run[0][0] for run in runs) / min(run[1][0] for run in runs)
    return time_ratio, runs[0][0][1] / runs[0][1][1]


def rebuild_ratios(scratch: Path) -> tuple[float, float]:
    """`make html` after a typo in a page over Sphinx alone, and with nothing changed over the first build."""
    book = multiplied(TYPO_COPIES, scratch / "build")
    first = measured(MAKE, book)[0]
    sphinx = "-m sphinx -q -N -E -n -c . -d _build/alone-doctrees docs _build/alone".split()
    typo, alone, nothing = [], [], []
    for _ in range(3):
        page = book / "docs" / "index.md"
        page.write_text(page.read_text() + "\nOne more sentence.\n")
        typo.append(measured(MAKE, book)[0])
        alone.append(measured([sys.executable, *sphinx], book)[0])
        nothing.append(measured(MAKE, book)[0])
    return min(typo) / min(alone), min(nothing) / first


def main() -> int:
    import tempfile

    over = []
    with tempfile.TemporaryDirectory() as scratch:
        for copies, bound in BOUNDS.items():
            time_ratio, memory_ratio = ratios(copies, Path(scratch))
            print(
                f"book x {copies}: {time_ratio:.2f} times the floor's time (at most {bound}), {memory_ratio:.2f} its memory"
            )
            over += [time_ratio > bound, memory_ratio > MEMORY_BOUND]
        typo, nothing = rebuild_ratios(Path(scratch))
        print(f"book x {TYPO_COPIES}, a typo in a page: {typo:.2f} times Sphinx alone (at most {TYPO_BOUND})")
        print(f"rebuild with nothing changed: {nothing:.2f} of the first build's time (under 0.25)")
    return int(any([*over, typo > TYPO_BOUND, nothing >= 0.25]))


if __name__ == "__main__":
    sys.exit(main())
