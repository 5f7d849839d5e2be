"""Rewrite what a run contradicts: outputs in snippets, by the parser's line numbers, and values bound to them in prose.

    python docs/_ext/fix.py [lesson | lesson/name]

Never turns an expected value into an error, and never touches code. Whether the new text is right, the diff shows.
"""

import sys
from pathlib import Path

import pages as pages_
import running
import snippet as snippets
import values
import verify
from problem import Problem, shown
from snippet import BLANK, TRACEBACK, Snippet, matches

# Errors that nobody means to show.
TYPOS = ("NameError", "AttributeError", "ImportError", "ModuleNotFoundError", "KeyError")


def main(only: str = "") -> int:
    changed, problems = set(), []
    bound = verify.bound_values(pages_.read_all())
    paths = snippets.named(only)
    if not paths:
        problems.append(snippets.no_such(snippets.path_of(only), 1, only))
    for path in paths:
        try:
            snippet = snippets.read(path, incomplete=True)
            outcome = running.run(snippet)
            changed |= _fix_outputs(snippet, outcome)
            for value in dict.fromkeys(bound.get(snippet.name, [])):  # a line may hold the same twice
                changed |= _fix_value(value, outcome)
            snippets.read(path)
        except Problem as problem:
            problems.append(problem)
    for path in sorted(changed):
        print(f"rewritten: {shown(path)}")
    for problem in problems:
        print(problem, file=sys.stderr)
    if not changed and not problems:
        print("Nothing to fix: every output and every bound value already holds.")
    return 1 if problems else 0


def _fix_outputs(snippet: Snippet, outcome: running.Outcome) -> set[Path]:
    """Put each example's own output in place of the expected one. Raises Problem for what must not be rewritten."""
    lines = snippet.text.split("\n")
    for example, (printed, error) in reversed(list(zip(snippet.examples, outcome.outputs, strict=False))):
        new_error = error and not example.error
        if new_error and (example.printed or example is not snippet.examples[-1] or error.startswith(TYPOS)):
            raise Problem(
                snippet.path,
                example.line,
                f"This code raises {error.strip()}",
                "Correct the code: make fix doesn't turn an output into an error.",
            )
        if error != example.error or not matches(example.printed, printed, example.ellipsis):
            lines[example.output_line - 1 : example.end - 1] = _as_written(snippet, example, printed, error)
    text = "\n".join(lines)
    if text == snippet.text:
        return set()
    snippet.path.write_text(text if text.endswith("\n") else text + "\n", "utf-8")
    return {snippet.path}


def _as_written(snippet: Snippet, example: snippets.Example, printed: str, error: str) -> list[str]:
    lines = [line or BLANK for line in printed.removesuffix("\n").split("\n")] if printed else []
    old = example.printed.removesuffix("\n").split("\n")
    if example.ellipsis and len(old) == len(lines):  # keep each "..." that still stands for what it stood for
        lines = [was if matches(was, line, True) else line for was, line in zip(old, lines, strict=True)]
    if printed and not printed.endswith("\n"):
        why = "ends without a newline"
    elif any(line.startswith((">>> ", "... ")) for line in lines):
        why = "has a line that looks like a prompt"
    elif "\t" in printed:
        why = "has a tab"
    elif "\n\n" in error:
        why = "has a blank line in its error"
    else:
        return lines + ([TRACEBACK.strip(), "    ...", *error.splitlines()] if error else [])
    raise Problem(
        snippet.path,
        example.line,
        f"This output {why}; the format of a session can't show it.",
        "Print it in another form.",
    )


def _fix_value(value: pages_.Value, outcome: running.Outcome) -> set[Path]:
    try:
        result = eval(value.expression, outcome.names)
        if values.holds(value.shown, result, value.format):
            return set()
        new = values.shown_as(result, value.format)
    except Exception as error:
        raise verify.broken(value, error) from None
    lines = value.page.read_text("utf-8").split("\n")
    parts = lines[value.line - 1].split("{verified}`")
    for index, part in enumerate(parts[1:], 1):
        role, tick, after = part.partition("`")
        if tick and role.startswith(f"{value.shown} <") and pages_.parse_value(value.page, value.line, role) == value:
            parts[index] = new + role.removeprefix(value.shown) + tick + after
    line = "{verified}`".join(parts)
    if line == lines[value.line - 1]:
        raise Problem(
            value.page, value.line, f"The value {value.shown} can't be rewritten.", "Put its role on one line."
        )
    lines[value.line - 1] = line
    value.page.write_text("\n".join(lines), "utf-8")
    return {value.page}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
