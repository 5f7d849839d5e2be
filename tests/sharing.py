"""What several tests share: the book, one test per snippet, and a snippet from a text."""

from pathlib import Path

import pytest
from book.contents import Book

BOOK = Book()
each_snippet = pytest.mark.parametrize("name", BOOK.snippets)


def written(folder: Path, text: str) -> Path:
    """A snippet's file in a folder of the test's own."""
    path = folder / "lesson" / "name.pycon"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path
