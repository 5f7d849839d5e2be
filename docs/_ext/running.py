"""Run one snippet from a known start and compare what it prints. Knows no Sphinx and no pages."""

import contextlib
import io
import random
import re
import sys
import traceback
import warnings
from dataclasses import dataclass, field

import torch

from problem import Problem, indented
from snippet import FOLDER, TRACEBACK, Example, Snippet, matches

sys.path.insert(0, str(FOLDER))  # snippets import the shared meters

TORCH_TAIL = re.compile(r" \(Triggered internally at .*\)\Z", re.DOTALL)


@dataclass
class Outcome:
    """What a run left: per example its printed text and its error (as Example has them), the names, the problems."""

    outputs: list[tuple[str, str]] = field(default_factory=list)
    names: dict = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def run(snippet: Snippet) -> Outcome:
    """Run the snippet's examples in order, in a namespace of their own, and compare each output exactly."""
    outcome = Outcome(names={"__name__": "__main__"})
    with _same_start(snippet, outcome.problems):
        for example in snippet.examples:
            printed, error = _execute(snippet, example, outcome)
            outcome.outputs.append((printed, error))
            if error != example.error or not matches(example.printed, printed, example.ellipsis):
                outcome.problems.append(_difference(snippet, example, printed, error))
                if error and not example.error:
                    break  # what follows would fail for want of what this example should have made
    return outcome


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
    except (Exception, SystemExit) as raised:
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
    if error and not example.error:
        remedy = "This code raises. Correct it, or show the error as its output."
    else:
        remedy = f"If what it printed is right: make fix ONLY={snippet.name}"
    return Problem(
        snippet.path,
        example.line,
        "The output differs from what was run.",
        remedy,
        f"expected:\n{indented(expected or '(nothing)')}printed:\n{indented(got or '(nothing)')}",
    )


def _pop_all_hooks():
    while torch._C._autograd._top_saved_tensors_default_hooks(True):
        torch._C._autograd._pop_saved_tensors_default_hooks()


# State that a snippet could leave behind: what it is called, how it is read, how it is put back.
_STATE = [
    ("the default dtype", torch.get_default_dtype, torch.set_default_dtype),
    ("the default device", torch.get_default_device, torch.set_default_device),
    ("the number of threads", torch.get_num_threads, torch.set_num_threads),
    ("grad mode", torch.is_grad_enabled, torch.set_grad_enabled),
    ("anomaly mode", torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    ("deterministic algorithms", torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    ("the flag set_warn_always", torch.is_warn_always_enabled, torch.set_warn_always),
    (
        "print options",
        lambda: dict(vars(torch._tensor_str.PRINT_OPTS)),
        lambda options: vars(torch._tensor_str.PRINT_OPTS).update(options),
    ),
    (
        "saved-tensor hooks",
        lambda: torch._C._autograd._top_saved_tensors_default_hooks(True),
        lambda _: _pop_all_hooks(),
    ),
]


@contextlib.contextmanager
def _same_start(snippet: Snippet, problems: list[Problem]):
    """Every snippet starts from the same seed, threads and filters, and must leave the state it found."""
    torch.default_generator.manual_seed(0)
    random.seed(0)
    torch.set_num_threads(1)
    torch.set_warn_always(True)
    before = [read() for _, read, _ in _STATE]
    left = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = _print_warning
            filters = list(warnings.filters)
            yield
            # An import may add a filter for its package's own warnings, as that of the first optimizer does.
            now = [entry for entry in warnings.filters if entry in filters or entry[2].__module__ == "builtins"]
            left += [] if now == filters else ["warning filters"]
    finally:
        for (name, read, restore), value in zip(_STATE, before, strict=True):
            if read() != value:
                left.append(name)
                restore(value)
    if left:
        last = snippet.examples[-1].line
        problems.append(
            Problem(snippet.path, last, f"This snippet leaves changed: {', '.join(left)}.", "Restore it at the end.")
        )


def _print_warning(message, category, *_):
    print(f"{category.__name__}: {TORCH_TAIL.sub('', str(message)).rstrip()}")
