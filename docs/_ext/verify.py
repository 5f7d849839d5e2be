"""Run a snippet, compare its outputs and the prose values bound to it, and make its evidence. Knows no Sphinx."""

from collections import defaultdict

import pages as pages_
import running
import values
from evidence import Entry
from problem import Problem
from running import Outcome
from snippet import Snippet


def bound_values(pages: list[pages_.Page]) -> dict[str, list[pages_.Value]]:
    """The values in prose, per snippet that they are bound to."""
    bound = defaultdict(list)
    for value in (value for page in pages for value in page.values):
        bound[value.snippet].append(value)
    return bound


def verify(snippet: Snippet, bound: list[pages_.Value]) -> tuple[Entry, list[Problem], Outcome]:
    """Run the snippet. Gives the evidence, all that doesn't hold (values in prose included), and what the run left."""
    outcome = running.run(snippet)
    problems = list(outcome.problems)
    found = {}
    for value in bound:
        try:
            result = eval(value.expression, outcome.names)
            holds = values.holds(value.shown, result, value.format)
            found[value.key] = value.shown if holds else values.shown_as(result, value.format)
        except Exception as error:
            problems.append(broken(value, error))
            continue
        if not holds:
            problems.append(_differs(value, found[value.key]))
    outputs = [printed + error for printed, error in outcome.outputs]
    return Entry(snippet.digest, not problems, outputs, found), problems, outcome


def _differs(value: pages_.Value, found: str) -> Problem:
    return Problem(
        value.page,
        value.line,
        f"The page says {value.shown}, but {value.expression} in {value.snippet} is {found}.",
        f"If the run is right: make fix ONLY={value.snippet}",
    )


def broken(value: pages_.Value, error: Exception) -> Problem:
    return Problem(
        value.page,
        value.line,
        f"{value.expression!r} can't be read from {value.snippet}: {type(error).__name__}: {error}.",
        "Use a name that the snippet leaves behind, or correct the expression or its format.",
    )
