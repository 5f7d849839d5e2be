"""Run a snippet, compare its outputs and the prose values bound to it, and make its evidence. Knows no Sphinx."""

import torch
from packaging.version import Version

from book.evidence import Entry, base
from book.problem import Problem
from book.reading.pages import Value
from book.reading.snippets import Snippet
from book.running import runs, values
from book.running.runs import Outcome


def can_run(snippet: Snippet) -> bool:
    """Whether this PyTorch is the one that the snippet needs, or a later one."""
    return not snippet.needs or Version(base(torch.__version__)) >= Version(snippet.needs)


def verify(snippet: Snippet, bound: list[Value]) -> tuple[Entry, list[Problem], Outcome]:
    """Run the snippet. Gives the evidence, all that doesn't hold (values in prose included), and what the run left."""
    outcome = runs.run(snippet)
    problems, found = list(outcome.problems), {}
    for value in bound:
        if value.release not in ("", base(torch.__version__)):
            continue
        if len(outcome.outputs) < len(snippet.examples):
            found[value.key] = "nothing"  # the run ended before
            continue
        try:
            holds, result = values.compared(value, outcome.names)
        except Problem as problem:
            problems.append(problem)
            continue
        found[value.key] = value.shown if holds else result
        if not holds:
            problems.append(
                Problem(
                    value.page,
                    value.line,
                    f"The page says {value.shown}, but {value.expression} in {value.snippet} is {result}.",
                    f"If the run is right: make fix ONLY={value.snippet}",
                    differs=True,
                )
            )
    pairs = enumerate(zip(snippet.examples, outcome.outputs))
    outputs = {str(number): "".join(output) for number, (example, output) in pairs if not runs.held(example, *output)}
    return Entry(snippet.digest, not problems, outputs, found), problems, outcome
