"""The one form in which the book says that something is wrong: file, line, what, and what to do."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class Problem(Exception):
    """Something wrong at a line of a file of the book.

    path: the file; line: its line, counted from 1; what: the fault, in plain words; remedy: what the reader of the
    message should do now; detail: further lines, such as expected and printed text; differs: whether text and run
    disagree and nothing else is wrong, which on another PyTorch than the pinned one is a finding and no fault.
    """

    def __init__(self, path: Path, line: int, what: str, remedy: str, detail: str = "", differs: bool = False):
        self.path, self.line, self.what, self.remedy, self.detail = Path(path), line, what, remedy, detail
        self.differs = differs
        super().__init__(str(self))

    def __str__(self) -> str:
        return f"{self.without_remedy}    {self.remedy}"

    @property
    def without_remedy(self) -> str:
        return f"{shown(self.path)}:{self.line}: {self.what}\n{indented(self.detail)}"


def told(problems: Iterable[Problem]) -> str:
    """All problems as text, by file and line; the same remedy of neighbours is given once, below the last of them."""
    told, in_order = [], sorted(problems, key=lambda problem: (problem.path, problem.line))
    for _, of_file in groupby(in_order, key=lambda problem: problem.path):
        for remedy, alike in groupby(of_file, key=lambda problem: problem.remedy):
            told.append("".join(problem.without_remedy for problem in alike) + f"    {remedy}")
    return "\n".join(told)


def shown(path: Path) -> str:
    """The path as messages name it: from the root of the book, wherever the command was started."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())
