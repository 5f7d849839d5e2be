"""Formulas as MathML, converted at build time: the reader needs no script and no network for them."""

import re

from docutils import nodes
from math_core import LatexError, LatexToMathML

from pages import Page
from problem import Problem

CONVERTER = LatexToMathML(fancy_error=False)


def convert(latex: str, block: bool) -> str:
    """MathML of one formula. Raises LatexError for what can't be converted."""
    return CONVERTER.convert_with_local_state(latex, displaystyle=block)


def check(pages: list[Page]) -> list[Problem]:
    """The formulas that can't be converted."""
    problems = []
    for page in pages:
        for line, latex, block in page.formulas:
            try:
                convert(latex, block)
            except LatexError as error:
                why = re.sub(r"\x1b\[[\d;]*m", "", str(error)).splitlines()[0].partition(": ")[2].rstrip(".")
                what = f"This formula can't be converted: {why}."
                problems.append(Problem(page.path, line, what, "Write it in simpler LaTeX."))
    return problems


def visit_inline(translator, node: nodes.math) -> None:
    translator.body.append(convert(node.astext(), block=False))
    raise nodes.SkipNode


def visit_block(translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{convert(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True}
