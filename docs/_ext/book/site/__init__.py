"""Put the book on its pages, as a Sphinx extension. Knows no torch, and runs nothing: all it knows of runs is evidence."""

from book.site import directives, gate, mathml, pictures


def setup(app):
    app.connect("builder-inited", gate.gate)
    app.add_html_math_renderer(
        "mathml", inline_renderers=(mathml.visit_inline, None), block_renderers=(mathml.visit_block, None)
    )
    directives.setup(app)
    pictures.setup(app)
    return {"parallel_read_safe": True}
