"""The one form in which the book says that something is wrong: file, line, what, and what to do."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Problem(Exception):
    """Something wrong at a line of a file of the book.

    path: the file; line: its line, counted from 1; what: the fault, in plain words; remedy: what the
    reader of the message should do now; detail: further lines, such as expected and printed text.
    """

    def __init__(self, path: Path, line: int, what: str, remedy: str, detail: str = ""):
        self.path, self.line, self.what, self.remedy, self.detail = Path(path), line, what, remedy, detail
        super().__init__(str(self))

    def __str__(self) -> str:
        return f"{shown(self.path)}:{self.line}: {self.what}\n{indented(self.detail)}    {self.remedy}"


def shown(path: Path) -> str:
    """The path as messages name it: from the root of the book, wherever the command was started."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())
