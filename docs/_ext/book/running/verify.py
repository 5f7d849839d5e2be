"""Run a snippet, compare its outputs and the prose values bound to it, and make its evidence. Knows no Sphinx."""

import torch
from packaging.version import Version

from book.evidence import Entry, base
from book.problem import Problem
from book.reading import variants
from book.reading.pages import Value
from book.reading.snippets import Snippet, matches
from book.reading.variants import Choice
from book.running import runs, values
from book.running.runs import Outcome

# Errors that nobody means to show, unless the file says so already.
TYPOS = ("NameError", "AttributeError", "ImportError", "ModuleNotFoundError", "KeyError", "TypeError", "SyntaxError")


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


def tried(snippet: Snippet, choice: Choice, value: str, bound: list[Value]) -> tuple[dict, Snippet, Outcome]:
    """Run the snippet with another number. Gives what it leaves as Entry.variants has it, the variant, and the outcome.

    Raises Problem for a variant that leaves something changed, or that raises what nobody means to show.
    """
    other = variants.variant(snippet, choice, value)
    outcome = runs.run(other)
    error = outcome.outputs[-1][1]
    if error.partition(":")[0].strip() in TYPOS:
        what = f"With {choice.name} = {value} this snippet raises {error.strip()}"
        raise Problem(snippet.path, choice.line, what, "Take that value out of :try:, or correct the code.")
    for problem in outcome.problems:
        if not problem.differs:
            problem.what += f" (with {choice.name} = {value})"
            raise problem
    printed = ["".join(output) for output in outcome.outputs] + [""] * (len(snippet.examples) - len(outcome.outputs))
    pairs = enumerate(zip(snippet.examples, printed, strict=True))
    outputs = {
        str(number): text for number, (example, text) in pairs if not matches(example.output, text, example.ellipsis)
    }
    found = {}
    for one in (value for value in bound if value.release in ("", base(torch.__version__))):
        if len(outcome.outputs) < len(snippet.examples):
            found[one.key] = "–"
        elif not (compared := values.compared(one, outcome.names))[0]:
            found[one.key] = compared[1]
    return {"outputs": outputs, "values": found}, other, outcome
