"""A snippet's file as HTML: code without its prompts, which the style sheet shows, and each output in a <samp>."""

import html
import re
from collections.abc import Sequence

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from book.reading.snippets import BLANK, MESSAGE, OPTION, Example, Snippet, message_lines
from book.reading.variants import Choice

LEXER, FORMATTER = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)


def code_as_html(code: str) -> str:
    return highlight(code, LEXER, FORMATTER)


def as_html(snippet: Snippet, choices: Sequence[Choice] = ()) -> str:
    """The file line by line, less what is there for the comparison alone.

    choices: the numbers that may be changed; then each output bears its example's number, and the missing ones stand empty.
    """
    lines, result, number = snippet.text.split("\n"), [], 1
    for index, example in enumerate(snippet.examples):
        result += [_outside(line) for line in lines[number - 1 : example.line - 1]]
        code = [line[4:] for line in lines[example.line - 1 : example.output_line - 1]]
        code = [OPTION.sub("", line) if example.ellipsis else line for line in code]
        marked = code_as_html("\n".join(code) + "\n").split("\n")
        for row, line in enumerate(marked[: len(code)]):
            for at, choice in enumerate(choices):
                if choice.line == example.line + row:
                    line = _enclosed(
                        line, choice.start - 4, choice.end - 4, f'<span class="try" data-try="{at}">', "</span>"
                    )
            result.append(f'<span class="{"ps2" if row else "ps1"}">{line}</span>\n')
        if example.output or choices:
            numbered = f' data-example="{index}"' if choices else ""
            hidden = "" if example.output else " hidden"
            result.append(f"<samp{numbered}{hidden}>{_output(lines, example)}</samp>")
        number = example.end
    result += [_outside(line) for line in lines[number - 1 :] if line]
    return "".join(result)


def output_as_html(text: str) -> str:
    """An output as a variant printed it."""
    lines = text.removesuffix("\n").split("\n") if text else []
    return _output(lines, Example(0, 1, len(lines) + 1, "", "", "", False))


def _output(lines: list[str], example: Example) -> str:
    """An example's output; torch's messages are told apart, since only they may be wrapped."""
    told, kind, messages = [], "", message_lines(lines, example)
    for number in range(example.output_line, example.end):
        line = lines[number - 1]
        text = "" if line == BLANK else html.escape(line, quote=False)
        if number in messages:
            kind = found[1].lower() if (found := MESSAGE.match(line)) else kind
            text = f'<span class="message {kind}">{text}</span>'
        told.append(f"{text}\n")
    return "".join(told)


def _enclosed(marked: str, start: int, end: int, opening: str, closing: str) -> str:
    """The HTML of a line with the text from start to end enclosed, the tags right around it included."""
    parts = re.findall(r"<[^>]*>|&[^;]*;|.", marked)
    texts = [at for at, part in enumerate(parts) if not part.startswith("<")]
    first, last = texts[start], texts[end - 1]
    while parts[first - 1].startswith("<span") and first:
        first -= 1
    while parts[last + 1 : last + 2] == ["</span>"]:
        last += 1
    return "".join([*parts[:first], opening, *parts[first : last + 1], closing, *parts[last + 1 :]])


def _outside(line: str) -> str:
    """A line between examples: blank, or a comment behind a prompt."""
    if not line.strip():
        return "\n"
    return f'<span class="ps1"><span class="c1">{html.escape(line[4:], quote=False)}</span></span>\n'
