"""Show snippets, bound values and the evidence on the pages. Runs nothing: all it knows of a run is the evidence."""

import html
import os
import sys

from docutils import nodes
from docutils.parsers.rst import directives
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.util.docutils import SphinxDirective, SphinxRole

import evidence
import pages
import snippet as snippets
import sphinx_mathml
from evidence import Evidence
from problem import Problem
from snippet import MESSAGE, WIDTH, Example, Snippet, matches

METERS = "meters.py"
LEXER, FORMATTER = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)


class Block(nodes.General, nodes.FixedTextElement):
    """A snippet on a page. Its text is the file's, so that the search finds the messages in it."""


class SnippetDirective(SphinxDirective):
    """```{snippet} name``` with an optional `:predict:`, the question to answer before the outputs are unfolded."""

    required_arguments = 1
    option_spec = {"predict": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        book, page = self.config.book, self.env.doc2path(self.env.docname)
        name = pages.resolve(page, self.arguments[0])
        snippet = snippets.read(snippets.path_of(name))
        block = Block(snippet.text, snippet.text, snippet=name)
        if book.homes[name] == page and name not in self.env.temp_data.setdefault("snippets shown", set()):
            self.env.temp_data["snippets shown"].add(name)
            block["ids"].append(anchor(name))
        if question := self.options.get("predict"):
            children, _ = self.parse_inline(question)
            block += nodes.inline(question, "", *children)
        return [block]


class MetersDirective(SphinxDirective):
    """```{meters}```: the instruments that snippets share, whole."""

    def run(self) -> list[nodes.Node]:
        text = (snippets.FOLDER / METERS).read_text("utf-8")
        code = f'<div class="highlight"><pre>{highlight(text, LEXER, FORMATTER)}</pre></div>'
        head = f'<p class="snippet-file">snippets/{METERS}, <a href="{METERS}" download>download</a></p>'
        block = f'<div class="snippet meters" id="meters">{head}\n{code}</div>\n'
        return [nodes.raw("", block, format="html", kind="meters")]


class VerifiedRole(SphinxRole):
    """{verified}`4 <name: expression | format>`: shows 4, linked to the snippet whose run it was compared with."""

    def run(self):
        page = self.env.doc2path(self.env.docname)
        value = pages.parse_value(page, self.lineno, self.text)
        home = self.config.book.homes[value.snippet]
        link = nodes.reference(
            self.rawtext,
            value.shown,
            refuri=f"{'' if home == page else home.stem + '.html'}#{anchor(value.snippet)}",
            classes=["verified"],
            reftitle=f"{value.expression} in {value.snippet}.pycon",
        )
        return [link], []


class NotRunRole(SphinxRole):
    """{not-run}`28 GB`: a figure that can't be run here, marked as such."""

    def run(self):
        return [nodes.abbreviation(self.rawtext, self.text, explanation="not run here", classes=["not-run"])], []


class EvidenceDirective(SphinxDirective):
    """```{evidence}```: a table of all snippets by PyTorch version, from the evidence."""

    def run(self) -> list[nodes.Node]:
        book = self.config.book
        head = "".join(f"<th scope=col>{version.torch}</th>" for version in book.versions)
        rows = "".join(self.row(book, snippets.read(path)) for path in snippets.all_paths())
        head = f"<thead><tr><th scope=col>snippet</th>{head}</tr></thead>"
        table = f"<table class=evidence>{head}<tbody>{rows}</tbody></table>"
        return [nodes.raw("", f"<div class=evidence-scroll tabindex=0>{table}</div>", format="html")]

    def row(self, book: "Book", snippet: Snippet) -> str:
        cells = "".join(f"<td>{verdict(version, snippet)}</td>" for version in book.versions)
        link = f"{book.homes[snippet.name].stem}.html#{anchor(snippet.name)}"
        return f'<tr><th scope=row><a href="{link}">{snippet.name}</a></th>{cells}</tr>'


def fold_answers(app, doctree: nodes.document) -> None:
    """Put what follows a prediction into a container of its own, which the style folds away with the outputs.

    It reaches to the next block, less the paragraph that leads in to that, or to the end of the section, less what the
    reader shall carry away.
    """
    for block in list(doctree.findall(lambda node: isinstance(node, Block) and len(node) > 1)):
        siblings = block.parent.children
        start = end = siblings.index(block) + 1
        while end < len(siblings) and not _ends_answer(siblings[end]):
            end += 1
        leads_in = end < len(siblings) and _is_block(siblings[end]) and isinstance(siblings[end - 1], nodes.paragraph)
        if leads_in and end - start > 1:
            end -= 1
        if start < end:
            answer = nodes.container("", *siblings[start:end], classes=["answer"])
            block.parent[start:end] = [answer]


def _is_block(node: nodes.Node) -> bool:
    return isinstance(node, Block) or node.get("kind") == "meters"


def _ends_answer(node: nodes.Node) -> bool:
    carried = isinstance(node, nodes.paragraph) and node.astext().startswith("Carry away")
    return isinstance(node, nodes.section) or _is_block(node) or carried


def verdict(version: Evidence, snippet: Snippet) -> str:
    """What the evidence says of a snippet: held, differs, or not run in its present form."""
    entry = version.entry(snippet)
    if entry is None:
        return "–"
    return "held" if entry.held else "<strong>differs</strong>"


def anchor(name: str) -> str:
    """The id of a snippet's first place on its page."""
    return name.split("/")[1]


def visit_block(translator, node: Block) -> None:
    book = translator.config.book
    snippet = snippets.read(snippets.path_of(node["snippet"]))
    ids = f' id="{node["ids"][0]}"' if node["ids"] else ""
    translator.body.append(f'<div class="snippet"{ids}>\n<p class="snippet-file">snippets/{snippet.name}.pycon</p>\n')
    if snippet.uses_meters:
        where = '<a href="saved-tensors.html#meters">shown in full here</a>'
        translator.body.append(f'<p class="needs">Needs <a href="{METERS}" download>{METERS}</a>, {where}.</p>\n')
    if len(node.children) > 1:  # the question of a prediction
        translator.body.append('<details class="predict"><summary>')
        for child in node.children[1:]:
            child.walkabout(translator)
        translator.body.append(' <span class="open">Show the answer.</span></summary></details>\n')
    code = as_html(snippet)
    translator.body.append(f'<div class="highlight"><pre>{code}</pre></div>\n{stamp(book, snippet)}</div>\n')
    raise nodes.SkipNode


def as_html(snippet: Snippet) -> str:
    """The file line by line: code without its prompts (the style sheet shows them), each output in a <samp>."""
    lines, result, number = snippet.text.split("\n"), [], 1
    for example in snippet.examples:
        result += [_outside(line) for line in lines[number - 1 : example.line - 1]]
        code = [line[4:] for line in lines[example.line - 1 : example.output_line - 1]]
        marked = highlight("\n".join(code) + "\n", LEXER, FORMATTER).split("\n")
        for row, line in enumerate(marked[: len(code)]):
            result.append(f'<span class="{"ps2" if row else "ps1"}">{line}</span>\n')
        if output := lines[example.output_line - 1 : example.end - 1]:
            result.append(f"<samp>{''.join(map(_output, output))}</samp>")
        number = example.end
    result += [_outside(line) for line in lines[number - 1 :] if line]
    return "".join(result)


def _output(line: str) -> str:
    """A line of output; torch's messages are told apart, since only they may be wrapped."""
    text = html.escape(line, quote=False)
    kind = MESSAGE.match(line)
    return f'<span class="message {kind[1].lower()}">{text}</span>\n' if kind else f"{text}\n"


def _outside(line: str) -> str:
    """A line between examples: blank, or a comment behind a prompt."""
    if not line.strip():
        return "\n"
    return f'<span class="ps1"><span class="c1">{html.escape(line[4:], quote=False)}</span></span>\n'


def stamp(book: "Book", snippet: Snippet) -> str:
    """The PyTorch versions on which the block held, and what others printed in its place."""
    runs = [(version.torch, entry) for version in book.versions if (entry := version.entry(snippet))]
    held = [version for version, entry in runs if entry.held]
    lines = [f'<p class="stamp">Ran as shown on PyTorch {listed(held)}.</p>\n']
    for number, example in enumerate(snippet.examples):
        printed = {}
        for version, entry in runs:
            if not entry.held and number < len(entry.outputs):
                printed.setdefault(entry.outputs[number], []).append(version)
        for output, versions in printed.items():
            if not matches(example.output, output, example.ellipsis):
                lines.append(difference(example, output, versions))
    return "".join(lines)


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


class Book:
    """What the pages and the runs are now, read once per build."""

    def __init__(self):
        self.pages = pages.read_all()
        self.homes = pages.homes(self.pages)
        self.versions = evidence.all_versions()

    def problems(self):
        return pages.check(self.pages) or evidence.check(self.pages) + sphinx_mathml.check(self.pages)


def gate(app) -> None:
    """Stop before anything is written if a page, a formula or the evidence isn't as it must be."""
    try:
        app.config.book = Book()
        problems = app.config.book.problems()
    except Problem as problem:  # a file that can't even be read
        problems = [problem]
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)


def setup(app):
    app.connect("builder-inited", gate)
    app.connect("doctree-read", fold_answers)
    app.add_node(Block, html=(visit_block, None))
    app.add_directive("snippet", SnippetDirective)
    app.add_directive("meters", MetersDirective)
    app.add_directive("evidence", EvidenceDirective)
    app.add_role("verified", VerifiedRole())
    app.add_role("not-run", NotRunRole())
    return {"parallel_read_safe": True}
