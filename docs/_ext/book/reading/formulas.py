"""Formulas as MathML, converted at build time: the reader needs no script and no network for them."""

import re

from math_core import LatexError, LatexToMathML

CONVERTER = LatexToMathML(fancy_error=False)


def convert(latex: str, block: bool) -> str:
    """MathML of one formula. Raises ValueError that says why for what can't be converted."""
    try:
        return CONVERTER.convert_with_local_state(latex, displaystyle=block)
    except LatexError as error:
        why = re.sub(r"\x1b\[[\d;]*m", "", str(error)).splitlines()[0].partition(": ")[2].rstrip(".")
        raise ValueError(why) from None
