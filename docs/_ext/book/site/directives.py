"""The directives and roles of the pages: snippets, answers, bound values, the shared meters, the evidence."""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective, SphinxRole

from book.contents import anchor
from book.reading import names, pages
from book.reading.snippets import Snippet
from book.site import tries
from book.site.blocks import as_html, code_as_html
from book.site.stamps import stamp, verdict

METERS, METERS_ID = "meters.py", "shared-meters"


class Block(nodes.General, nodes.FixedTextElement):
    """A snippet on a page. Its text is the file's, so that the search finds the messages in it."""


class SnippetDirective(SphinxDirective):
    """```{snippet} name``` with an optional `:predict:`, the question to answer before the outputs are unfolded."""

    required_arguments = 1
    option_spec = {"predict": directives.unchanged_required, "try": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        book, page = self.config.book, self.env.doc2path(self.env.docname)
        name = names.resolve(page, self.arguments[0])
        snippet = book.snippets[name]
        block = Block(snippet.text, snippet.text, snippet=name)
        if book.homes[name] == page and name not in self.env.temp_data.setdefault("snippets shown", set()):
            self.env.temp_data["snippets shown"].add(name)
            block["ids"].append(anchor(name))
        block["tries"] = "try" in self.options
        if block["tries"]:
            self.env.metadata[self.env.docname]["try"] = True
        if question := self.options.get("predict"):
            children, _ = self.parse_inline(question)
            block += nodes.inline(question, "", *children)
        return [block]


class MetersDirective(SphinxDirective):
    """```{meters}```: the instruments that snippets share, whole."""

    def run(self) -> list[nodes.Node]:
        text = (names.SNIPPETS / METERS).read_text("utf-8")
        code = f'<div class="highlight"><pre>{code_as_html(text)}</pre></div>'
        head = f'<p class="snippet-file">snippets/{METERS}, <a href="{METERS}" download>download</a></p>'
        block = f'<div class="snippet meters" id="{METERS_ID}">{head}\n{code}</div>\n'
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
        head = "".join(f"<th scope=col>{version.torch}</th>" for version in self.config.versions)
        rows = "".join(map(self.row, self.config.book.snippets.values()))
        head = f"<thead><tr><th scope=col>snippet</th>{head}</tr></thead>"
        table = f"<table class=evidence>{head}<tbody>{rows}</tbody></table>"
        return [nodes.raw("", f"<div class=evidence-scroll tabindex=0>{table}</div>", format="html")]

    def row(self, snippet: Snippet) -> str:
        book, versions = self.config.book, self.config.versions
        cells = "".join(f"<td>{verdict(version, snippet, book.bound[snippet.name])}</td>" for version in versions)
        link = f"{book.homes[snippet.name].stem}.html#{anchor(snippet.name)}"
        return f'<tr><th scope=row><a href="{link}">{snippet.name}</a></th>{cells}</tr>'


class AnswerDirective(SphinxDirective):
    """:::{answer}: what answers the prediction of the block above; folded with its outputs."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        return [nodes.container("", *self.parse_content_to_nodes(), classes=["answer"])]


def let_link(app, doctree: nodes.document) -> None:
    """Let other pages link to a block as they link to a heading: page.md#snippet-name."""
    for block in doctree.findall(Block):
        for name in block["ids"]:
            app.env.metadata[app.env.docname].setdefault("myst_slugs", {})[name] = None, name, block["snippet"]


def visit_block(translator, node: Block) -> None:
    config = translator.config
    snippet = config.book.snippets[node["snippet"]]
    ids = f' id="{node["ids"][0]}"' if node["ids"] else ""
    translator.body.append(f'<div class="snippet"{ids}>\n<p class="snippet-file">snippets/{snippet.name}.pycon</p>\n')
    if snippet.uses_meters:
        where = f'<a href="saved-tensors.html#{METERS_ID}">shown in full here</a>'
        translator.body.append(f'<p class="needs">Needs <a href="{METERS}" download>{METERS}</a>, {where}.</p>\n')
    if len(node.children) > 1:  # the question of a prediction
        translator.body.append('<details class="predict"><summary>')
        for child in node.children[1:]:
            child.walkabout(translator)
        translator.body.append(' <span class="open">Show the answer.</span></summary></details>\n')
    stamped = stamp(config.versions, snippet, config.book.bound[snippet.name])
    choices = config.book.choices[snippet.name] if node["tries"] else []
    code = f'<div class="highlight"><pre>{as_html(snippet, choices)}</pre></div>'
    translator.body.append(f"{code}\n{stamped}{tries.as_json(config, snippet, choices) if choices else ''}</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.connect("doctree-read", let_link)
    app.add_node(Block, html=(visit_block, None))
    app.add_directive("snippet", SnippetDirective)
    app.add_directive("answer", AnswerDirective)
    app.add_directive("meters", MetersDirective)
    app.add_directive("evidence", EvidenceDirective)
    app.add_role("verified", VerifiedRole())
    app.add_role("not-run", NotRunRole())
