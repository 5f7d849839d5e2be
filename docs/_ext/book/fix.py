"""Rewrite what a run contradicts: outputs in snippets, by the parser's own line numbers, and values bound to them in prose.

    python -m book.fix [lesson | lesson/name]

Never touches code, and never writes what its author could not have meant: an error in place of a value, a misspelling's
error, nothing in place of something, a figure that depends on chance. Whether the new text is right, the diff shows.
"""

import difflib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from book.contents import Book
from book.problem import Problem, shown, told
from book.reading import names, pages, snippets, texts
from book.reading.pages import Value
from book.reading.snippets import BLANK, TRACEBACK, Example, Snippet, matches
from book.running import runs, values, verify

LONGEST = 24  # characters of a value that fix writes into prose by itself
OTHER_SEED = {"PYTHONHASHSEED": "1"}


def main(only: str = "") -> int:
    book, problems = Book(), []
    new: dict[Path, str] = {}  # what is to be written
    left: dict[str, list] = {}  # what the run of each snippet left, for comparison with a second one
    try:
        paths = names.named(only)
    except Problem as problem:
        paths = problems.append(problem) or []
    for path in paths:
        try:
            snippet = snippets.read(path, incomplete=True)
            if not verify.can_run(snippet):
                continue
            outcome = runs.run(snippet)
            for problem in outcome.problems:
                if not problem.differs:
                    raise problem
            bound = list(dict.fromkeys(value for value in book.bound[snippet.name] if not value.release))
            fixed = {path: _outputs(snippet, outcome)} if any(not held for held in _held(snippet, outcome)) else {}
            for value in bound:
                fixed |= _value(value, outcome, new | fixed)
            if path not in fixed:
                snippets.read(path)
            if fixed:
                left[snippet.name] = _left(snippet, bound)
            new |= fixed
        except Problem as problem:
            problems.append(problem)
    for name in _chancy(left):
        what = "This snippet gives another result when it is run alone, in a process of its own. Nothing was rewritten."
        remedy = "Look for a set, a time, a random number, an address, or for another snippet that changes what this one sees."
        problems.append(Problem(names.path_of(name), 1, what, remedy))
        new = {}
    for path, text in sorted(new.items()):
        _show(path, path.read_text("utf-8"), text)
        path.write_text(text, "utf-8")
    for path in [path for path in new if path.suffix == ".pycon"]:
        try:
            snippets.read(path)
        except Problem as problem:
            problems.append(problem)
    if problems:
        print(told(problems), file=sys.stderr)
    elif not new:
        print("Nothing to fix: every output and every bound value already holds.")
    return 1 if problems else 0


def _held(snippet: Snippet, outcome: runs.Outcome) -> list[bool]:
    return [runs.held(example, *output) for example, output in zip(snippet.examples, outcome.outputs)]


def _left(snippet: Snippet, bound: list[Value]) -> list:
    """What a run of the snippet prints, and what its bound values are, as plain data."""
    outcome = runs.run(snippet)
    return [list(map(list, outcome.outputs)), [values.compared(value, outcome.names)[1] for value in bound]]


def _chancy(left: dict[str, list]) -> list[str]:
    """The snippets that leave something else when each is run in a process of its own, whose sets have another order."""
    if not left:
        return []
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        command = [sys.executable, "-m", "book.fix", "--again", file.name, *left]
        subprocess.run(command, env=os.environ | OTHER_SEED, check=True)
        again = json.load(file)
    return [name for name in left if again[name] != left[name]]


def again(path: str, *only: str) -> None:
    """Write what these snippets leave, each in a process forked from one that has run none: the other side of _chancy."""
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        Path(path).write_text(json.dumps(dict(zip(only, pool.map(_again, only, chunksize=1), strict=True))))


def _again(name: str) -> list:
    bound = list(dict.fromkeys(value for value in Book().bound[name] if not value.release))
    return _left(snippets.read(names.path_of(name), incomplete=True), bound)


def _show(path: Path, before: str, after: str) -> None:
    """Print what changes in a file, and its name."""
    print(f"rewritten: {shown(path)}")
    lines = [text.splitlines(keepends=True) for text in (before, after)]
    sys.stdout.writelines(
        line if line.endswith("\n") else f"{line}\n" for line in list(difflib.unified_diff(*lines))[2:]
    )


def _outputs(snippet: Snippet, outcome: runs.Outcome) -> str:
    """The file with each example's own output in place of the expected one. Raises Problem for what must not be."""
    lines = snippet.text.split("\n")
    for example, (printed, error) in reversed(list(zip(snippet.examples, outcome.outputs, strict=False))):
        if not runs.held(example, printed, error):
            _refuse(snippet, example, printed, error)
            lines[example.output_line - 1 : example.end - 1] = _as_written(snippet, example, printed, error)
    text = "\n".join(lines).rstrip("\n") + "\n" if not snippet.text.endswith("\n") else "\n".join(lines)
    for example, output in zip(
        snippets.parse(snippet.path, text, incomplete=True).examples, outcome.outputs, strict=False
    ):
        if not runs.held(example, *output):
            raise _unwritable(snippet, example, "can't be told from the format's own marks")
    return text


def _refuse(snippet: Snippet, example: Example, printed: str, error: str) -> None:
    kind, expected = error.partition(":")[0].strip(), example.error.partition(":")[0].strip()
    new_error = error and not example.error and (example.printed or example is not snippet.examples[-1])
    if new_error or kind != expected and kind.rpartition(".")[2] in verify.TYPOS:
        raise Problem(
            snippet.path,
            example.line,
            f"This code raises {error.strip()}",
            f"Correct the code: make fix doesn't write an error that nobody expects. If it is meant, write {kind}: yourself.",
        )
    if example.output and not printed + error:
        raise Problem(
            snippet.path,
            example.line,
            "This code prints nothing any more.",
            "Correct the code; if nothing is right, delete its output.",
        )


def _as_written(snippet: Snippet, example: Example, printed: str, error: str) -> list[str]:
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
    elif found := texts.hidden(printed + error):
        why = f"holds {found}"
    else:
        raised = [line or BLANK for line in error.removesuffix("\n").split("\n")] if error else []
        return lines + ([TRACEBACK.strip(), "    ...", *raised] if error else [])
    raise _unwritable(snippet, example, why)


def _unwritable(snippet: Snippet, example: Example, why: str) -> Problem:
    what = f"This output {why}; the format of a session can't show it."
    return Problem(snippet.path, example.line, what, "Print it in another form.")


def _value(value: Value, outcome: runs.Outcome, written: dict[Path, str]) -> dict[Path, str]:
    """The page with the value as the run left it; nothing if it holds. written: what is to be written already."""
    holds, new = values.compared(value, outcome.names)
    if holds:
        return {}
    if len(new) > LONGEST or new == "None" != value.shown:
        what = f"The page says {value.shown}, but {value.expression} in {value.snippet} is {new[:60]} now."
        raise Problem(value.page, value.line, what, "The sentence needs more than another figure: rewrite it by hand.")
    lines = written.get(value.page, value.page.read_text("utf-8")).split("\n")
    parts = lines[value.line - 1].split("{verified}`")
    for index, part in enumerate(parts[1:], 1):
        role, tick, after = part.partition("`")
        if tick and role.startswith(f"{value.shown} <") and pages.parse_value(value.page, value.line, role) == value:
            parts[index] = new + role.removeprefix(value.shown) + tick + after
    line = "{verified}`".join(parts)
    if line == lines[value.line - 1]:
        raise Problem(
            value.page, value.line, f"The value {value.shown} can't be rewritten.", "Put its role on one line."
        )
    lines[value.line - 1] = line
    return {value.page: "\n".join(lines)}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--again"]:
        again(*sys.argv[2:])
    else:
        sys.exit(main(*sys.argv[1:]))
