"""Say on which PyTorch versions a snippet held, and what others printed in its place, from the evidence alone."""

import html
import os

from packaging.version import Version

from book.evidence import Evidence
from book.reading.pages import Value
from book.reading.snippets import MESSAGE, WIDTH, Example, Snippet, matches


def stamp(versions: list[Evidence], snippet: Snippet, bound: list[Value]) -> str:
    """The PyTorch versions on which the block held, and what the others printed or left."""
    runs = [(version.torch, entry) for version in versions if (entry := version.entry(snippet, bound))]
    needs = f" It needs PyTorch {snippet.needs}." if snippet.needs else ""
    held = listed([version for version, entry in runs if entry.held])
    lines = [f'<p class="stamp">Ran as shown on PyTorch {held}.{needs}</p>\n']
    for number, example in enumerate(snippet.examples):
        printed = {}
        for version, entry in runs:
            if (output := entry.outputs.get(str(number))) is not None:
                printed.setdefault(output, []).append(version)
        for output, differing in printed.items():
            if not matches(example.output, output, example.ellipsis):
                lines.append(difference(example, output, differing))
    for value in {value.key: value for value in bound if not value.release}.values():
        found = {}
        for version, entry in runs:
            if entry.values[value.key] != value.shown:
                found.setdefault(entry.values[value.key], []).append(version)
        for result, differing in found.items():
            code, samp = html.escape(value.expression, quote=False), html.escape(result, quote=False)
            on = f"On PyTorch {listed(differing)} <code>{code}</code> is <samp>{samp}</samp>"
            lines.append(f'<p class="differs">{on}, not {html.escape(value.shown, quote=False)}.</p>\n')
    return "".join(lines)


def verdict(version: Evidence, snippet: Snippet, bound: list[Value]) -> str:
    """What the evidence says of a snippet: held, differs, or not run in its present form."""
    if snippet.needs and Version(version.torch) < Version(snippet.needs):
        return f"needs {snippet.needs}"
    entry = version.entry(snippet, bound)
    if entry is None:
        return "–"
    return "held" if entry.held else "<strong>differs</strong>"


def difference(example: Example, output: str, versions: list[str]) -> str:
    """One sentence on what some versions print for an example: its differing lines, long ones from where they part."""
    expected = example.output.splitlines()
    lines = [cut(line, expected) for line in output.splitlines() if line not in expected] or ["nothing"]
    verb = "print" if len(versions) > 1 else "prints"
    code = html.escape(example.source.rstrip().splitlines()[-1].strip(), quote=False)
    samp = html.escape("\n".join(lines), quote=False)
    return f'<p class="differs">PyTorch {listed(versions)} {verb} <samp>{samp}</samp> for <code>{code}</code>.</p>\n'


def cut(line: str, expected: list[str]) -> str:
    """A message that is too long for the page, without the words at its start that it shares with the expected text."""
    words = line.split(" ")
    for other in expected:
        if (
            MESSAGE.match(line)
            and len(line) > WIDTH
            and (shared := len(os.path.commonprefix([words, other.split(" ")]))) > 3
        ):
            return "… " + " ".join(words[shared - 3 :])
    return line


def listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
