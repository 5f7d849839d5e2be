"""Show what pictures are made of: writes a page, no part of the book, with an example of each mark in light and dark.

Each example is code, and the page draws what the code gives: the two can't disagree.
"""

import inspect
import re
from collections.abc import Callable
from html import escape
from importlib.util import find_spec
from pathlib import Path

from book.drawing import marks
from book.drawing.marks import Drawing, Mark
from book.problem import ROOT

PAGE = ROOT / "_build" / "marks.html"
CSS = ROOT / "docs" / "_static" / "book.css"

# An expression for each mark, giving one Mark or a list of them.
EXAMPLES = {
    "node": """
[
    node(at(75, 0), "a = w * 3", "MulBackward0"),
    node(at(255, 0), "b = w * 5", "MulBackward0", current=True),
    node(
        at(75, 64),
        "y = a + b",
        "AddBackward0",
        until=at(255, 64),
        recorded="2",
        visit="1",
    ),
]
""",
    "buffer": """
[
    full := node(at(75, 0), "w", "AccumulateGrad"),
    half := node(at(255, 0), "b", "AccumulateGrad"),
    buffer(full, ["5", "3"], "8"),
    buffer(half, ["5"], ""),
]
""",
    "wire": """
[
    upper := node(at(75, 0), "w", "AccumulateGrad"),
    lower := node(at(75, 100), "y = w * 3", "MulBackward0"),
    wire(upper, lower, "2", "3", current=True),
    upper := node(at(255, 0), "b", "AccumulateGrad"),
    lower := node(at(255, 100), "z = b * 5", "MulBackward0"),
    wire(upper, lower, "4"),
]
""",
    "pill": """
[
    pill(at(0, 0), "6"),
    pill(at(50, 0), "[1, \N{MINUS SIGN}0.5]", current=True),
]
""",
    "store": """
[
    store(at(60, 0), "w.grad", "8", kept=True),
    store(
        at(220, 0),
        "y.grad",
        "None",
        kept=False,
        note="8 came through",
    ),
]
""",
    "tag": """
tag(at(0, 0), "w.grad")
""",
    "tensor": """
[
    label := tag(at(0, 0), "w.grad"),
    held := tensor(at(200, 0), "[6, 3]"),
    arrow(at(label.right + 6, 0), at(held.left - 4, 0)),
]
""",
    "listing": """
[
    listing(at(0, 0), "receives nothing", ["w.detach()", "w.data"]),
    listing(at(170, 0), ".grad is filled", ["w", "b"], kept=True),
]
""",
    "bar": """
[
    bar(at(0, 0), 1, "4096 bytes"),
    bar(at(0, 30), 0.25, "1024 bytes"),
]
""",
    "bin": """
[
    bin(at(60, 0), 1, "hidden", "4096"),
    bin(at(180, 0), 0.1, "out", "410"),
]
""",
    "dot": """
dot(at(0, 0))
""",
    "ellipsis": """
[
    dot(at(0, 0)),
    ellipsis(at(0, 28)),
    dot(at(0, 56)),
]
""",
    "arrow": """
[
    arrow(at(0, 0), at(120, 0)),
    upper := dot(at(180, 0)),
    lower := dot(at(260, 40)),
    arrow(lower, upper, "gradient"),
]
""",
    "trace": """
[
    trace([at(0, 0), at(80, 0), at(160, -80)], "function"),
    trace([at(0, 0), at(160, -80)], "chord"),
    trace([at(50, 20), at(110, -20)], "tangent"),
]
""",
    "text": """
[
    text(at(0, 0), "quiet words", "quiet", "start"),
    text(at(0, 24), "plain words", "plain", "start"),
    text(at(0, 48), "w.grad", "name", "start"),
    text(at(180, 0), "forward 3", "forward", "start"),
    text(at(180, 24), "gradient 8", "gradient", "start"),
]
""",
    "table": """
table(
    at(0, 0),
    [
        ["w", "True", ("None", "quiet"), ("8", "kept")],
        ["y", "False", "AddBackward0", ("8", "gradient")],
        ["y.data", "True", ("None", "quiet"), ("None", "quiet")],
    ],
    heading=["tensor", "leaf", "grad_fn", "gradient"],
)
""",
    "timeline": """
[
    ticks(
        at(0, 0),
        [(0, "forward"), (0.5, "backward"), (1, "step")],
        until=at(0, 120),
    ),
    timeline(at(0, 32), "hidden", [(0.1, 0.8, "saved", "forward")]),
    timeline(
        at(0, 66),
        "logits",
        [
            (0.3, 0.6, "saved", "forward"),
            (0.6, 0.64, "freed", "gradient"),
        ],
    ),
    timeline(
        at(0, 100),
        "w.grad",
        [(0, 0.72, "None", "quiet"), (0.72, 1, "kept", "kept")],
    ),
]
""",
    "ticks": """
ticks(
    at(0, 0),
    [(0, "start"), (0.4, "y is made"), (1, "end")],
    until=at(0, 40),
)
""",
    "bracket": """
[
    bar(at(0, 0), 0.5, "w"),
    bracket(at(0, 14), at(120, 14), "2048 bytes"),
    *[dot(at(230, y)) for y in (-30, 0, 30)],
    bracket(
        at(244, -34),
        at(244, 34),
        "three nodes",
        side="right",
        style="gradient",
    ),
]
""",
}


def public() -> dict[str, Callable]:
    """The functions that make a mark, in the order of their module."""
    return {
        name: function
        for name, function in vars(marks).items()
        if inspect.isfunction(function)
        and not name.startswith("_")
        and inspect.signature(function).return_annotation is Mark
    }


def made(source: str) -> list[Mark]:
    """The marks that an example gives."""
    value = eval(source.strip(), dict(vars(marks)))
    return [value] if isinstance(value, Mark) else value


def drawn(name: str, theme: str) -> str:
    """An example's picture. theme: the same picture stands twice on the page, each with its own ids."""
    drawing = Drawing(name, f"An example of {name}.", made(EXAMPLES[name]))
    return marks.svg(drawing, f"{name}-{theme}", drawing.box)


def colours(theme: str) -> str:
    """What the book's theme calls its colours, as declarations for a part of the page. theme: "light" or "dark"."""
    used = set(re.findall(r"var\((--pst-color-[\w-]+)\)", CSS.read_text("utf-8")))
    found = {}
    for package in ("pydata_sphinx_theme", "sphinx_book_theme"):  # the second builds on the first
        for sheet in sorted(Path(find_spec(package).origin).parent.glob(f"theme/{package}/static/styles/*-theme.css")):
            for rule in re.findall(rf"html\[data-theme=.?{theme}.?\]\s*{{([^{{}}]*)}}", sheet.read_text("utf-8")):
                found |= re.findall(r"(--pst-color-[\w-]+)\s*:\s*([^;]+)", rule)
    return "; ".join(f"{name}: {found[name]}" for name in sorted(used & found.keys()))


def section(name: str, function: Callable) -> str:
    pictures = "".join(f'<div class="{theme} picture">{drawn(name, theme)}</div>' for theme in ("light", "dark"))
    told = re.sub(r"\s+", " ", escape(inspect.getdoc(function), quote=False))
    code = escape(EXAMPLES[name].strip(), quote=False)
    return f'<section id="{name}"><h2>{name}</h2><p>{told}</p><pre>{code}</pre>{pictures}</section>'


def page() -> str:
    sections = "\n".join(section(name, function) for name, function in public().items())
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Marks</title>
<style>
{CSS.read_text("utf-8")}
html, .light {{ {colours("light")}; color-scheme: light }}
.dark {{ {colours("dark")}; color-scheme: dark }}
body {{ margin: 2rem auto; padding: 0 1rem; max-width: 92rem; font: 1rem/1.5 var(--pst-font-family-base) }}
section {{ display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem 1rem; margin-bottom: 3rem }}
h2, section p {{ grid-column: 1 / -1; margin: 0 }}
h2, pre {{ font-family: var(--pst-font-family-monospace) }}
section p {{ max-width: 44rem }}
pre {{ grid-column: 1 / -1; margin: 0; font-size: .8rem; line-height: 1.5; overflow-x: auto }}
section .picture {{ margin: 0; padding: 1rem; border: 1px solid var(--pst-color-border); border-radius: 8px;
  background: var(--pst-color-background); display: grid; align-items: center }}
@media (min-width: 86rem) {{
  section {{ grid-template-columns: minmax(0, 1fr) 25rem 25rem; align-items: start }}
  pre {{ grid-column: 1 }}
}}
@media (max-width: 48rem) {{ section {{ grid-template-columns: minmax(0, 1fr) }} }}
</style>
<h1>Marks</h1>
<p>What the pictures of the book are made of, a unit to the pixel.</p>
{sections}
</html>
"""


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), "utf-8")
    print(PAGE)
