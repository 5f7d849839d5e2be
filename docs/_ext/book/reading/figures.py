"""Tell the figures in a text that no run could confirm. The one rule for prose, and for comments in code."""

import ast
import re

# Numbers that aren't figures: versions, dates, the name of a machine.
RELEASE = re.compile(r"\bPyTorch (\d+\.\d+(?:\.\d+)*)")
EXEMPT = re.compile(
    rf"{RELEASE.pattern}\b|\b(Python|NumPy) \d+\.\d+(\.\d+)*\b|\bx86-64\b"
    r"|\b20\d\d-\d\d(-\d\d)?\b|\b(in|since|until|before|after) 20[12]\d\b"
)
# Code and formulas that say no more than a number: 4, (4, 3), tensor([4., 3.]).
BARE = re.compile(r"(tensor|[\s\d.,()\[\]+−e-])*")
SUM = re.compile(r"(tensor|[\s\d.,()\[\]+−e*/-])*")
WORDS = re.compile(r"\\(?:text|mathrm|textbf|textit|mbox|operatorname)\{([^{}]*)\}")
EQUALS = re.compile(r"\\(?:approx|equiv|simeq)(?![a-zA-Z])|[=≈]")


def in_text(text: str) -> list[str]:
    """The words of a text that hold a figure."""
    words = EXEMPT.sub("", text).split()
    return [word.strip(".,;:()") for word in words if any(character.isnumeric() for character in word)]


def in_code(code: str) -> list[str]:
    """The figures that inline code claims: code that is a number, or says that something is one, as x == 4 does."""
    try:
        tree = ast.parse(code.strip())
    except SyntaxError:
        parts = re.split("->|→|≈", code)
        return [figure for part in parts if BARE.fullmatch(part) for figure in in_text(part)]
    claimed = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.Is):
            claimed += map(ast.unparse, [node.left, *node.comparators])
        elif isinstance(node, ast.Assign):
            claimed.append(ast.unparse(node.value))
        elif isinstance(node, ast.AnnAssign):
            claimed.append(ast.unparse(node.annotation))
    claimed = [code] if BARE.fullmatch(code) else [part for part in claimed if SUM.fullmatch(part)]
    return [figure for part in claimed for figure in in_text(part)]


def in_formula(latex: str) -> list[str]:
    """The figures that a formula claims: in words, as a side of an equality, or in a formula without a letter."""
    found = [figure for words in WORDS.findall(latex) for figure in in_text(words)]
    for side in EQUALS.split(re.sub(r"\\(?:begin|end)\{\w+\*?\}", "", WORDS.sub("", latex))):
        if not re.search("[A-Za-z]", re.sub(r"\\[A-Za-z]+", "", side)):
            found += in_text(re.sub(r"\\[A-Za-z]+|[{}&]", " ", side))
    return found
