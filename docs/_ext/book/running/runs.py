"""Run one snippet from the known start and compare what it prints. Knows no Sphinx and no pages."""

import contextlib
import functools
import io
import re
import sys
import traceback
import warnings
from dataclasses import dataclass, field

from book.problem import Problem, indented
from book.reading import names
from book.reading.snippets import TRACEBACK, Example, Snippet, matches
from book.running import start

sys.path.insert(0, str(names.SNIPPETS))  # snippets import the shared meters

TORCH_TAIL = re.compile(r" \(Triggered internally at .*\)\Z", re.DOTALL)


@dataclass
class Outcome:
    """What a run left: per example its printed text and its error (as Example has them), the names, the problems."""

    outputs: list[tuple[str, str]] = field(default_factory=list)
    names: dict = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def run(snippet: Snippet) -> Outcome:
    """Run the snippet's examples in order, in a namespace of their own, and compare each output exactly.

    Raises Problem for code that isn't Python, or that runs too long.
    """
    outcome = Outcome(names={"__name__": "__main__"})
    with start.same_start(snippet, outcome.problems), _without_the_engine():
        warnings.showwarning = _print_warning
        for example in snippet.examples:
            printed, error = _execute(snippet, example, outcome)
            outcome.outputs.append((printed, error))
            if not held(example, printed, error):
                outcome.problems.append(_difference(snippet, example, printed, error))
                if error and not example.error:
                    break  # what follows would fail for want of what this example should have made
    return outcome


def held(example: Example, printed: str, error: str) -> bool:
    """Whether an example printed and raised what its file says."""
    return error == example.error and matches(example.printed, printed, example.ellipsis)


def _execute(snippet: Snippet, example: Example, outcome: Outcome) -> tuple[str, str]:
    def refuse_display(value):
        if value is not None:
            print(repr(value))
            outcome.problems.append(
                Problem(
                    snippet.path,
                    example.line,
                    "This line shows a value without print(), so a script or a notebook would show something else.",
                    "Print the value, or give it a name.",
                )
            )

    output, error = io.StringIO(), ""
    kept_hook, sys.displayhook = sys.displayhook, refuse_display
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):  # compiling can warn, too
            exec(_compiled(snippet, example), outcome.names)
    except Problem:
        raise
    except start.TooLong:
        raise Problem(
            snippet.path,
            example.line,
            f"This code was stopped: the snippet has run for {start.LIMIT} seconds.",
            "Look for a loop that doesn't end, or make its work smaller.",
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        error = "".join(traceback.format_exception_only(raised))
    finally:
        sys.displayhook = kept_hook
    return output.getvalue(), error


def _compiled(snippet: Snippet, example: Example):
    try:
        return compile(example.source, str(snippet.path), "single", dont_inherit=True)
    except SyntaxError as error:
        line = example.line + (error.lineno or 1) - 1
        raise Problem(snippet.path, line, f"This isn't Python: {error.msg}.", "Correct the code.") from None


def _difference(snippet: Snippet, example: Example, printed: str, error: str) -> Problem:
    expected = example.printed + (TRACEBACK + example.error if example.error else "")
    got = printed + (TRACEBACK + error if error else "")
    if expected.split() == got.split():  # the eye couldn't tell them apart
        expected, got = _visible(expected), _visible(got)
    raises = error and not example.error
    return Problem(
        snippet.path,
        example.line,
        "The output differs from what was run.",
        "This code raises. Correct it, or show the error as its output."
        if raises
        else f"If what it printed is right: make fix ONLY={snippet.name}",
        f"expected:\n{indented(expected or '(nothing)')}printed:\n{indented(got or '(nothing)')}",
        differs=True,
    )


def _visible(text: str) -> str:
    """The text with the blanks at the ends of its lines, its tabs and its empty lines shown."""
    lines = text.replace("\t", "→").split("\n")[:-1]
    return "".join(re.sub(" +\\Z", lambda blanks: "·" * len(blanks[0]), line) + "⏎\n" for line in lines)


@contextlib.contextmanager
def _without_the_engine():
    """No snippet can import the book's own machinery, by accident or otherwise."""
    hidden = {name: sys.modules.pop(name) for name in _engine()}
    sys.modules["book"] = None
    try:
        yield
    finally:
        sys.modules.update(hidden)


@functools.cache
def _engine() -> list[str]:
    return [name for name in sys.modules if name.partition(".")[0] == "book"]


def _print_warning(message, category, *_):
    print(f"{category.__name__}: {TORCH_TAIL.sub('', str(message)).rstrip()}")
