"""Read one snippet, an interactive session in the standard doctest form. Knows neither torch nor Sphinx."""

import ast
import contextlib
import doctest
import hashlib
import io
import re
import tokenize
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from book.problem import Problem
from book.reading import figures, names, texts

WIDTH = 72
TRACEBACK = "Traceback (most recent call last):\n"
BLANK = "<BLANKLINE>"
# torch's own sentences are longer than a page is wide; the page's style wraps these lines.
MESSAGE = re.compile(r"(?:\w+\.)*\w*(Error|Warning|Exception): ")
OPTION = re.compile(r" *# doctest: .*")
NEEDS = re.compile(r"# Needs PyTorch (\d+\.\d+)\.")
# What "..." may stand for in an output: an address or a path of two folders or more, never a figure.
VARYING = r"(?:0x[0-9a-f]{4,}|(?<![\w.)])(?:/[\w.+-]*[A-Za-z][\w.+-]*){2,})"
LONG_ADVICE = (
    'Write the figure as a word, or print it. Only versions ("PyTorch 2.13.0") and dates are free in a comment.'
)


@dataclass(frozen=True)
class Example:
    """One prompt: its code, and what must come of it.

    line: line of the prompt in the file, from 1; output_line: line after the code; end: line after the output;
    source: the code, ending in a newline; printed: what it prints, "" for nothing; error: the last line of the
    traceback, such as "RuntimeError: text", "" for none; ellipsis: whether "..." in printed stands for an address or a path.
    """

    line: int
    output_line: int
    end: int
    source: str
    printed: str
    error: str
    ellipsis: bool

    @property
    def output(self) -> str:
        return self.printed + self.error


@dataclass(frozen=True)
class Snippet:
    """One file. name: lesson/name, as pages and commands call it; text: the file, whole."""

    path: Path
    text: str
    examples: tuple[Example, ...]

    @property
    def name(self) -> str:
        return names.name_of(self.path)

    @property
    def uses_meters(self) -> bool:
        """Whether it imports the instruments that snippets share."""
        return any("from meters import" in example.source for example in self.examples)

    @property
    def needs(self) -> str:
        """The first PyTorch that it can run on, "2.10", as its first line says: `>>> # Needs PyTorch 2.10.`; else ""."""
        found = NEEDS.fullmatch(self.text.partition("\n")[0].removeprefix(">>> "))
        return found[1] if found else ""

    @cached_property
    def digest(self) -> str:
        """Hash of code and outputs, and of the shared meters where used; comments and blank lines don't count."""
        digest = hashlib.sha256()
        for example in self.examples:
            digest.update(repr((_bare(example.source), example.output, example.ellipsis)).encode())
        if self.uses_meters:
            meters = self.path.parents[1] / "meters.py"
            code = meters.read_text("utf-8", "replace") if meters.is_file() else ""
            digest.update(repr(_bare(code)).encode())
        return digest.hexdigest()[:16]


def read(path: Path, incomplete: bool = False) -> Snippet:
    """The snippet in a file. incomplete: let one without outputs pass, for `make fix` to fill in.

    Raises Problem for a file that is empty, malformed, too wide, not plain text as texts.read has it, has a figure in a
    comment, or (unless incomplete) is without an output.
    """
    return parse(path, texts.read(path), incomplete)


def parse(path: Path, text: str, incomplete: bool = False) -> Snippet:
    """The same for a text that needn't be in the file yet."""
    snippet = Snippet(path, text, tuple(_examples(path, text)))
    _check_lines(snippet)
    _check_comments(snippet)
    if not incomplete and not any(example.output for example in snippet.examples):
        raise Problem(
            path,
            snippet.examples[0].line,
            "This snippet has no output, so nothing in it could turn out wrong.",
            f"Let it print a figure, then fill in the outputs: make fix ONLY={snippet.name}",
        )
    return snippet


def matches(expected: str, printed: str, ellipsis: bool = False) -> bool:
    """Exact comparison; with ellipsis, each "..." in expected may stand for an address or a path."""
    if not ellipsis:
        return printed == expected
    pattern = VARYING.join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, printed) is not None


def _examples(path: Path, text: str) -> list[Example]:
    try:
        parsed = doctest.DocTestParser().get_examples(text)
    except ValueError as error:
        raise Problem(
            path,
            int(re.search(r"line (\d+)", str(error))[1]),
            "This line isn't in the form of an interactive session.",
            'Begin code with ">>> " or "... " (the space included), at the left margin; see CONTRIBUTING.md.',
        ) from None
    if not parsed:
        raise Problem(path, 1, "This snippet is empty.", 'Write its code after ">>> " prompts, or delete the file.')
    lines = text.split("\n")
    return [_example(path, lines, example) for example in parsed]


def _example(path: Path, lines: list[str], example: doctest.Example) -> Example:
    line = example.lineno + 1
    if example.indent:
        raise Problem(path, line, "This prompt is indented.", "Move the prompt to the left margin.")
    if set(example.options) - {doctest.ELLIPSIS}:
        raise Problem(
            path, line, "This doctest option would loosen the comparison.", "Remove it; only +ELLIPSIS is allowed."
        )
    output_line = line + 1  # counted from the file: the parser drops the bare "..." at the end of a compound statement
    while output_line <= len(lines) and re.match(r"\.\.\.( |\Z)", lines[output_line - 1]):
        output_line += 1
    printed, header, error = example.want.partition(TRACEBACK)
    if header:  # the stack below the header is indented, the message isn't
        error = re.sub(r"\A(?:[ \t].*\n)*", "", error)
    return Example(
        line=line,
        output_line=output_line,
        end=output_line + example.want.count("\n"),
        source=example.source,
        printed=re.sub(f"^{BLANK}$", "", printed, flags=re.MULTILINE),
        error=re.sub(f"^{BLANK}$", "", error, flags=re.MULTILINE),
        ellipsis=example.options.get(doctest.ELLIPSIS, False),
    )


def _check_lines(snippet: Snippet) -> None:
    lines = snippet.text.split("\n")
    code, output, messages = set(), set(), set()
    for example in snippet.examples:
        code.update(range(example.line, example.output_line))
        output.update(range(example.output_line, example.end))
        messages.update(message_lines(lines, example))
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            raise Problem(snippet.path, number, "This line has a tab, which doctest changes.", "Use spaces.")
        if len(line) > WIDTH and number not in messages:
            raise Problem(
                snippet.path,
                number,
                f"This line has {len(line)} characters; {WIDTH} fit the page.",
                "Break the line (only a message, which begins with SomeError: or SomeWarning:, may be longer).",
            )
        comment = line.startswith(">>> #")
        if number not in code | output and line.strip() and not comment:
            raise Problem(
                snippet.path,
                number,
                "This line belongs to no example: doctest would pass it over.",
                "Put it right below the code that prints it, or delete it.",
            )


def message_lines(lines: list[str], example: Example) -> list[int]:
    """The lines of an example's output, from 1 in the file, that a message takes: from "SomeError: " to the next prompt,
    or to the next message or blank line."""
    found, within = [], False
    for number in range(example.output_line, example.end):
        line = lines[number - 1]
        within = bool(MESSAGE.match(line)) or within and "Warning: " not in lines[number - 2] and line != BLANK
        found += [number] if within else []
    return found


def _check_comments(snippet: Snippet) -> None:
    """A comment is prose: it may hold no figure that no run could contradict."""
    for line, text in comments(snippet):
        if found := figures.in_text(OPTION.sub("", text)):
            what = f"The figure {' and '.join(map(repr, found))} in this comment isn't checked by any run."
            raise Problem(snippet.path, line, what, LONG_ADVICE)


def comments(snippet: Snippet) -> list[tuple[int, str]]:
    """Line and text of each comment and docstring, those between the examples too."""
    lines = enumerate(snippet.text.split("\n"), 1)
    found = [(number, line.removeprefix(">>> ")) for number, line in lines if line.startswith(">>> #")]
    for example in snippet.examples:
        found += [(example.line + token.start[0] - 1, token.string) for token in _comment_tokens(example.source)]
        if re.search(r"\b(def|class) ", example.source):
            with contextlib.suppress(SyntaxError):  # to be told when it is compiled
                for node in ast.walk(ast.parse(example.source)):
                    if isinstance(node, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node)):
                        found.append((example.line + node.body[0].lineno - 1, text))
    return found


def _comment_tokens(source: str) -> list[tokenize.TokenInfo]:
    """The comments of the source; none if it isn't Python, which is told when it is compiled."""
    if "#" not in source:  # as in most examples: taking code apart is slow
        return []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    return [token for token in tokens if token.type == tokenize.COMMENT]


def _bare(source: str) -> str:
    """The source without comments and blank lines."""
    if '"""' in source or "'''" in source:  # a blank line may be part of a string
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        with contextlib.suppress(tokenize.TokenError, SyntaxError):
            return repr([token.string for token in tokens if token.type not in (tokenize.COMMENT, tokenize.NL)])
    lines = source.split("\n")
    for token in _comment_tokens(source):
        row, column = token.start
        lines[row - 1] = lines[row - 1][:column].rstrip()
    return "\n".join(line.rstrip() for line in lines if line.strip())
