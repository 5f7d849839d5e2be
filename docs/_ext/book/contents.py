"""The book as it is now: its pages, its snippets, and what they ask of each other, each read once."""

from collections import defaultdict
from functools import cached_property
from pathlib import Path

from book.problem import Problem
from book.reading import names, pages, snippets, variants
from book.reading.pages import Page, Value
from book.reading.snippets import Snippet
from book.reading.variants import Choice


class Book:
    """Reads lazily, and keeps what it has read: make a new one after a change."""

    @cached_property
    def pages(self) -> list[Page]:
        return [pages.read(path) for path in names.page_paths()]

    @cached_property
    def snippets(self) -> dict[str, Snippet]:
        """By name, those that can be read; `unreadable` tells of the others."""
        return {name: found for name, found in self._read.items() if isinstance(found, Snippet)}

    @cached_property
    def unreadable(self) -> list[Problem]:
        return [found for found in self._read.values() if isinstance(found, Problem)]

    @cached_property
    def _read(self) -> dict[str, Snippet | Problem]:
        found = {}
        for path in names.snippet_paths():
            try:
                found[names.name_of(path)] = snippets.read(path)
            except Problem as problem:
                found[names.name_of(path)] = problem
        return found

    @cached_property
    def bound(self) -> dict[str, list[Value]]:
        """The values in prose, per snippet that they are bound to."""
        bound = defaultdict(list)
        for value in (value for page in self.pages for value in page.values):
            bound[value.snippet].append(value)
        return bound

    @cached_property
    def homes(self) -> dict[str, Path]:
        """Per snippet the page where its block has its first place: its own lesson's, else the first that shows it."""
        found: dict[str, Path] = {}
        for page in self.pages:
            for ask in page.asks:
                if ask.kind == "snippet" and (ask.snippet not in found or page.path.stem == ask.snippet.split("/")[0]):
                    found[ask.snippet] = page.path
        return found

    @cached_property
    def choices(self) -> dict[str, list[Choice]]:
        """Per snippet the numbers that readers may change; `untried` tells of those that can't be found."""
        return {name: found for name, found in self._tries.items() if not isinstance(found, Problem)}

    def variants(self, name: str) -> set[str]:
        """The keys of a snippet's variants."""
        return {variants.key(choice, value) for choice in self.choices.get(name, []) for value in choice.values}

    @cached_property
    def untried(self) -> list[Problem]:
        return [found for found in self._tries.values() if isinstance(found, Problem)]

    @cached_property
    def _tries(self) -> dict[str, list[Choice] | Problem]:
        found = {}
        for ask in (ask for page in self.pages for ask in page.asks if ask.tries and ask.snippet in self.snippets):
            line, wanted = ask.tries
            try:
                if ask.snippet in found or self.homes[ask.snippet] != ask.page:
                    raise ValueError("write it once, where the snippet has its home")
                found[ask.snippet] = variants.choices(self.snippets[ask.snippet], wanted)
            except ValueError as fault:
                remedy = "Its form is :try: name = 2.0 | 1.0 3.0 5.0, with the number as the snippet has it."
                found[ask.snippet] = Problem(ask.page, line, f"This number can't be changed: {fault}.", remedy)
        return found

    @cached_property
    def pictured(self) -> list[str]:
        """The snippets whose picture a page shows."""
        return sorted({ask.snippet for page in self.pages for ask in page.asks if ask.kind == "picture"})


def anchor(name: str) -> str:
    """The id of a snippet's first place on its page; no heading's id can look like it."""
    return f"snippet-{name.split('/')[1]}"
