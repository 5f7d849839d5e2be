"""Put formulas into the pages as MathML."""

from docutils import nodes

from book.reading.formulas import convert


def visit_inline(translator, node: nodes.math) -> None:
    translator.body.append(convert(node.astext(), block=False))
    raise nodes.SkipNode


def visit_block(translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{convert(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode
