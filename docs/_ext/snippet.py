"""Read one snippet, an interactive session in the standard doctest form. Knows neither torch nor Sphinx."""

import difflib
import doctest
import hashlib
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

from problem import ROOT, Problem

FOLDER = ROOT / "snippets"
WIDTH = 72
TRACEBACK = "Traceback (most recent call last):\n"
BLANK = "<BLANKLINE>"
# torch's own sentences are longer than a page is wide; the page's style wraps these lines.
MESSAGE = re.compile(r"\w+(Error|Warning): ")
# What "..." may stand for in an output: an address or a path, never a figure.
VARYING = r"(?:0x[0-9a-f]+|(?:/[^\s/]*[a-z][^\s/]*)+)"


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
        return name_of(self.path)

    @property
    def uses_meters(self) -> bool:
        """Whether it imports the instruments that snippets share."""
        return any("from meters import" in example.source for example in self.examples)

    @property
    def digest(self) -> str:
        """Hash of code and outputs, and of the shared meters where used; comments and blank lines don't count."""
        digest = hashlib.sha256()
        for example in self.examples:
            digest.update(repr((_bare(example.source), example.output, example.ellipsis)).encode())
        if self.uses_meters:
            meters = self.path.parents[1] / "meters.py"
            digest.update(repr(_bare(meters.read_text("utf-8"))).encode())
        return digest.hexdigest()[:16]


def name_of(path: Path) -> str:
    """The name by which pages and commands call the snippet in a file: lesson/name."""
    return f"{path.parent.name}/{path.stem}"


def path_of(name: str) -> Path:
    """The file of a snippet's name, "lesson/name"; it need not exist."""
    return FOLDER / f"{name}.pycon"


def named(only: str) -> list[Path]:
    """The files of one snippet, "lesson/name", of a lesson's, or of all for ""."""
    return [path for path in all_paths() if f"{name_of(path)}/".startswith(f"{only}/" if only else "")]


def nearest(name: str) -> str:
    """The existing snippet whose own name is most like this one's, "" if none is near."""
    names = {path.stem: name_of(path) for path in all_paths()}
    near = difflib.get_close_matches(name.split("/")[-1], names, 1)
    return names[near[0]] if near else ""


def no_such(path: Path, line: int, name: str) -> Problem:
    """The problem of a snippet that is asked for, at a line of a file, but doesn't exist."""
    near = nearest(name)
    remedy = f"Did you mean {near}?" if near else f"Write snippets/{name}.pycon, or correct the name."
    return Problem(path, line, f"There is no snippet {name}.", remedy)


def all_paths() -> list[Path]:
    return sorted(FOLDER.glob("*/*.pycon"))


def read(path: Path, incomplete: bool = False) -> Snippet:
    """The snippet in a file. incomplete: let one without outputs pass, for `make fix` to fill in.

    Raises Problem for a file that is empty, malformed, not UTF-8, too wide, or (unless incomplete) without an output.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Problem(path, line, "This snippet isn't UTF-8.", "Save the file as UTF-8.") from None
    snippet = Snippet(path, text, tuple(_examples(path, text)))
    _check_lines(snippet)
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
        line = int(re.search(r"line (\d+)", str(error))[1])
        raise Problem(
            path,
            line,
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
        error=error,
        ellipsis=example.options.get(doctest.ELLIPSIS, False),
    )


def _check_lines(snippet: Snippet) -> None:
    lines = snippet.text.split("\n")
    code, output = set(), set()
    for example in snippet.examples:
        code.update(range(example.line, example.output_line))
        output.update(range(example.output_line, example.end))
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            raise Problem(snippet.path, number, "This line has a tab, which doctest changes.", "Use spaces.")
        if len(line) > WIDTH and not (number in output and MESSAGE.match(line)):
            raise Problem(
                snippet.path,
                number,
                f"This line has {len(line)} characters; {WIDTH} fit the page.",
                "Break the line (only a line that begins with SomeError: or SomeWarning: may be longer).",
            )
        comment = line.startswith(">>> #")
        if number not in code | output and line.strip() and not comment:
            raise Problem(
                snippet.path,
                number,
                "This line belongs to no example: doctest would pass it over.",
                "Put it right below the code that prints it, or delete it.",
            )


def _bare(source: str) -> list[str]:
    """The tokens of the source, without comments and blank lines."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type not in (tokenize.COMMENT, tokenize.NL)]
