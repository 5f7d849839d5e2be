"""A snippet's file as HTML: code without its prompts, which the style sheet shows, and each output in a <samp>."""

import html

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from book.reading.snippets import BLANK, MESSAGE, OPTION, Snippet, message_lines

LEXER, FORMATTER = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)


def code_as_html(code: str) -> str:
    return highlight(code, LEXER, FORMATTER)


def as_html(snippet: Snippet) -> str:
    """The file line by line, less what is there for the comparison alone."""
    lines, result, number = snippet.text.split("\n"), [], 1
    for example in snippet.examples:
        result += [_outside(line) for line in lines[number - 1 : example.line - 1]]
        code = [line[4:] for line in lines[example.line - 1 : example.output_line - 1]]
        code = [OPTION.sub("", line) if example.ellipsis else line for line in code]
        marked = code_as_html("\n".join(code) + "\n").split("\n")
        for row, line in enumerate(marked[: len(code)]):
            result.append(f'<span class="{"ps2" if row else "ps1"}">{line}</span>\n')
        if example.output:
            result.append(f"<samp>{_output(lines, example)}</samp>")
        number = example.end
    result += [_outside(line) for line in lines[number - 1 :] if line]
    return "".join(result)


def _output(lines: list[str], example) -> str:
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


def _outside(line: str) -> str:
    """A line between examples: blank, or a comment behind a prompt."""
    if not line.strip():
        return "\n"
    return f'<span class="ps1"><span class="c1">{html.escape(line[4:], quote=False)}</span></span>\n'
