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
SUM = re.compile(r"((torch\.)?(tensor|Size)|[\s\d.,()\[\]'+−e*/-])*")
WORDS = re.compile(r"\\(?:text|mathrm|textbf|textit|mbox|operatorname)\{([^{}]*)\}")
UNIT = re.compile(r"(\d)\s*(?:\\[,;:!]|~)\s*[A-Za-z]+")
EQUALS = re.compile(r"\\(?:approx|equiv|simeq)(?![a-zA-Z])|[=≈]")


def in_text(text: str) -> list[str]:
    """The words of a text that hold a figure."""
    words = EXEMPT.sub("", text).split()
    return [word.strip(".,;:()") for word in words if any(character.isnumeric() for character in word)]


def in_code(code: str) -> list[str]:
    """The figures that inline code claims: as a value, as what a tensor holds, as what something is (x == 4, x = 4), or
    in words that are no Python."""
    if BARE.fullmatch(code):
        return in_text(code)
    try:
        tree = ast.parse(code.strip())
    except SyntaxError:
        found = re.findall(r"(?<![\w.])-?\d[\w.]*", code)
        return [figure for figure in found if not re.fullmatch(r"\d+\.\d+\.\d+", figure)]
    claimed = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(isinstance(kind, ast.Eq | ast.Is) for kind in node.ops):
            claimed += [node.left, *node.comparators]
        elif isinstance(node, ast.Assign):
            claimed += node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        elif isinstance(node, ast.AnnAssign):
            claimed.append(node.annotation)
        elif isinstance(node, ast.Dict):
            claimed += node.values
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Constant):
            claimed.append(node.value)
    return [figure for part in map(ast.unparse, claimed) if SUM.fullmatch(part) for figure in in_text(part)]


def in_formula(latex: str) -> list[str]:
    """The figures that a formula claims: in words, as a side of an equality, or in a formula without a letter."""
    found = [figure for words in WORDS.findall(latex) for figure in in_text(words)]
    for side in EQUALS.split(re.sub(r"\\(?:begin|end)\{\w+\*?\}", "", WORDS.sub("", latex))):
        side = UNIT.sub(r"\1", side)
        if not re.search("[A-Za-z]", re.sub(r"\\[A-Za-z]+", "", side)):
            found += in_text(re.sub(r"\\[A-Za-z]+|[{}&]", " ", side))
    return found
