"""Stop a build before it writes anything, if a page, a snippet or the evidence isn't as it must be."""

import sys

from book import checks, evidence
from book.contents import Book
from book.problem import told


def gate(app) -> None:
    """Read the book once for the whole build; leave with the problems, if there are any."""
    book = app.config.book = Book()
    if problems := checks.of_text(book) or checks.of_runs(book):
        sys.exit(told(problems))
    app.config.versions = evidence.all_versions()
