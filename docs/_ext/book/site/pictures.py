"""The directive {picture}: puts the drawn picture of a snippet into a page. Never draws, and never imports torch."""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from book.drawing import pictures
from book.drawing.pictures import Picture
from book.reading import names


class PictureDirective(SphinxDirective):
    """`{picture} name` shows the picture of the snippet of that name; `/lesson/name` is one of another lesson."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = names.resolve(Path(self.env.doc2path(self.env.docname)), self.arguments[0])
        picture = pictures.load(name)  # the gate has seen that it is there
        if len(picture.frames) > 1:
            self.env.metadata[self.env.docname]["stepper"] = True
        return [nodes.raw("", html(picture, self.env.new_serialno(picture.key)), format="html")]


def html(picture: Picture, serial: int = 0) -> str:
    """The figure, or the figures that the script makes a stepper of. serial: counts the same picture on one page."""
    figures = "".join(_figure(picture.key, frame.svg, frame.caption) for frame in picture.frames)
    if len(picture.frames) > 1:
        figures = f'<div class="stepper" role="group" aria-label="{escape(picture.title)}">{figures}</div>'
    return figures.replace(picture.key, f"{picture.key}-again{serial}") if serial else figures


def caption_as_html(caption: str) -> str:
    return re.sub(r"`(.+?)`", r'<code class="docutils literal">\1</code>', escape(caption, quote=False))


def _figure(key: str, svg: str, caption: str) -> str:
    told = caption_as_html(caption)
    return f'<figure class="picture" data-picture="{key}">{svg}{f"<figcaption>{told}</figcaption>" if told else ""}</figure>'


def _add_script(app, page, template, context, doctree):
    """The scripts, each on the pages that have something for it."""
    for script in {"stepper", "try"} & app.env.metadata.get(page, {}).keys():
        app.add_js_file(f"{script}.js", loading_method="defer")


def setup(app):
    app.add_directive("picture", PictureDirective)
    app.connect("html-page-context", _add_script)
