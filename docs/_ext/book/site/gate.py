"""Stop a build before it writes anything, if a page, a snippet or the evidence isn't as it must be."""

import sys

from book import checks, evidence
from book.contents import Book
from book.problem import told

STALE = 3  # the status with which a build ends if all that is wrong with the book is that it has to be run again


def gate(app) -> None:
    """Read the book once for the whole build; leave with the problems, if there are any."""
    book = app.config.book = Book()
    if problems := checks.of_text(book) or checks.of_runs(book):
        print(told(problems), file=sys.stderr)
        sys.exit(STALE if all(problem.remedy == checks.REMEDY for problem in problems) else 1)
    app.config.versions = evidence.all_versions()
