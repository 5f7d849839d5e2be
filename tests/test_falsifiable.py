"""Every snippet can fail: a change in an output, in a bound value or in a number of its code must be noticed."""

import ast
import io
import re
import tokenize
from dataclasses import replace

import pytest
from book.problem import Problem
from book.reading import snippets
from book.running import runs, verify
from sharing import BOOK, each_snippet, written

NUMBER = re.compile(r"-?\d[\d.]*(?:e[+-]?\d+)?")


def other_texts(text: str):
    """The text with each digit, sign and word changed, one at a time; each with what was changed."""
    for match in re.finditer(r"\d", text):
        yield f"the digit {match[0]} in column {match.start() + 1}", _put(match, str((int(match[0]) + 1) % 10))
    for match in NUMBER.finditer(text):
        if re.search("[1-9]", match[0]):  # a zero has no sign
            yield (
                f"the sign of {match[0]}",
                _put(match, match[0].removeprefix("-") if match[0][0] == "-" else "-" + match[0]),
            )
    for match in re.finditer(r"[^\W\d_]+", text):
        opposite = {"True": "False", "False": "True", "None": "True"}
        yield (
            f"the word {match[0]!r}",
            _put(match, opposite.get(match[0], match[0][:-1] + ("x" if match[0][-1] != "x" else "y"))),
        )


def other_code(snippet: snippets.Snippet):
    """Line, what was changed, and the file with each number, True and False of the code changed, one at a time."""
    for example in snippet.examples:
        for token in tokenize.generate_tokens(io.StringIO(example.source).readline):
            if token.type == tokenize.NUMBER or token.string in ("True", "False"):
                new, line = _other_literal(token.string), example.line + token.start[0] - 1
                lines = snippet.text.split("\n")
                start, end = (column + len(">>> ") for column in (token.start[1], token.end[1]))
                lines[line - 1] = lines[line - 1][:start] + new + lines[line - 1][end:]
                yield line, f"{token.string} changed to {new}", "\n".join(lines)


def _put(match: re.Match, new: str) -> str:
    return match.string[: match.start()] + new + match.string[match.end() :]


def _other_literal(literal: str) -> str:
    value = ast.literal_eval(literal)
    if isinstance(value, bool):
        return str(not value)
    return repr(value + 1 if isinstance(value, int) else 2 * value or 1.0)


@pytest.fixture
def problems_of(tmp_path, monkeypatch):
    """What is wrong with a snippet if its text, or the values bound to it, are changed."""
    monkeypatch.setattr(snippets, "WIDTH", 1000)  # a changed line that no longer fits the page would prove nothing

    def problems_of(snippet, text, bound):
        try:
            changed = snippets.read(written(tmp_path, text))
            return verify.verify(replace(changed, path=snippet.path), bound)[1]
        except Problem as problem:
            return [problem]

    return problems_of


@pytest.fixture
def run_once(monkeypatch):
    """From here on, running a snippet gives the outputs and names of one run, and only the comparison is made anew."""

    def run_once(snippet):
        first = runs.run(snippet)

        def replay(_snippet, _example, outcome):
            outcome.names.update(first.names)
            return first.outputs[len(outcome.outputs)]

        monkeypatch.setattr(runs, "_execute", replay)

    return run_once


@each_snippet
def test_a_changed_output_is_noticed(name, run_once, problems_of):
    snippet = BOOK.snippets[name]
    run_once(snippet)
    assert not problems_of(snippet, snippet.text, [])
    lines, unnoticed = snippet.text.split("\n"), []
    for number in (number for example in snippet.examples for number in range(example.output_line, example.end)):
        for what, line in other_texts(lines[number - 1]):
            text = "\n".join([*lines[: number - 1], line, *lines[number:]])
            if not problems_of(snippet, text, []):
                unnoticed.append(f"{snippet.path}:{number}: {what} was changed, and nothing noticed")
    assert not unnoticed, "\n".join(unnoticed)


@each_snippet
def test_a_changed_value_in_prose_is_noticed(name, run_once, problems_of):
    snippet = BOOK.snippets[name]
    bound, unnoticed = BOOK.bound[snippet.name], []
    run_once(snippet)
    assert not problems_of(snippet, snippet.text, bound)
    for value in (value for value in bound if not value.release):  # the others: test_bad_input
        for what, shown in other_texts(value.shown):
            if not problems_of(snippet, snippet.text, [replace(value, shown=shown)]):
                unnoticed.append(f"{value.page}:{value.line}: {what} of {value.key} was changed, and nothing noticed")
    assert not unnoticed, "\n".join(unnoticed)


@each_snippet
def test_a_changed_number_in_the_code_is_noticed(name, problems_of):
    snippet = BOOK.snippets[name]
    bound = BOOK.bound[snippet.name]
    assert not problems_of(snippet, snippet.text, bound)
    unnoticed = [
        f"{snippet.path}:{line}: {what}, and no output and no bound value noticed: it shows nothing"
        for line, what, text in other_code(snippet)
        if not problems_of(snippet, text, bound)
    ]
    assert not unnoticed, "\n".join(unnoticed)
