"""Render the book with another PyTorch from now on. Knows no torch: it only moves files and says what comes next.

python -m book.pin 2.14.1
"""

import re
import sys

from book import evidence
from book.contents import Book
from book.problem import shown

NEXT = """\
The book is rendered with PyTorch {new} now. Next:
    make fix        what it prints; read the difference, and the sentences around it
    make check
and commit {files}."""


def main(new: str) -> int:
    old = evidence.pinned_version()
    if not re.fullmatch(r"\d+\.\d+\.\d+", new) or new == old:
        print(f"Name the version to move to, another than {old}: make pin TORCH=2.14.1", file=sys.stderr)
        return 2
    book, run = Book(), evidence.load_or_none(evidence.PINNED)
    fits = run and all(run.entry(snippet, book.bound[name]) for name, snippet in book.snippets.items())
    if not fits or run.torch != old:
        print(f"First record what PyTorch {old} prints: make doctest", file=sys.stderr)
        return 1
    record, incoming = evidence.COMMITTED / f"{old}.json", evidence.COMMITTED / f"{new}.json"
    evidence.save(record, run)
    incoming.unlink(missing_ok=True)
    constraints = evidence.CONSTRAINTS.read_text("utf-8")
    evidence.CONSTRAINTS.write_text(constraints.replace(f"torch=={old}\n", f"torch=={new}\n"), "utf-8")
    print(NEXT.format(new=new, files=f"{shown(evidence.CONSTRAINTS)} and {shown(evidence.COMMITTED)}"))
    return 0


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or [""])))
