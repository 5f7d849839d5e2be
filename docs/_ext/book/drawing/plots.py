"""Plots in the family of the book's other pictures, drawn by matplotlib. Knows neither torch nor Sphinx.

Colours are the page's: matplotlib draws in stand-ins, and the page's variables take their place in the SVG. So are the
fonts. Ids begin with a stand-in too, which the finished picture replaces by its own key.
"""

import io
from collections.abc import Sequence
from xml.etree import ElementTree

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from book.drawing.marks import KEY, WIDTH, Drawing, Mark, figure

HEIGHT = 240
FORWARD, GRADIENT, TEXT, QUIET, LINE = "#0000f1", "#0000f2", "#0000f3", "#0000f4", "#0000f5"
_PAGE = {
    FORWARD: "var(--pst-color-primary)",
    GRADIENT: "var(--pst-color-accent)",
    TEXT: "var(--pst-color-text-base)",
    QUIET: "var(--pst-color-text-muted)",
    LINE: "var(--pst-color-border)",
}
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "where gradients go",
    "font.size": 12,
    "text.color": TEXT,
    "axes.labelcolor": QUIET,
    "axes.edgecolor": LINE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "lines.linewidth": 2,
    "lines.markersize": 5,
}


def axes(across: str, up: str, log: bool = False) -> Axes:
    """Empty axes with these labels. Colours to draw in: FORWARD, GRADIENT, TEXT, QUIET, LINE."""
    with rc_context(_STYLE):
        made = Figure((WIDTH / 72, HEIGHT / 72), layout="constrained").add_subplot()
        made.set_xlabel(across)
        made.set_title(up, loc="left", fontsize=12, color=QUIET, pad=16)
        if log:
            made.set(xscale="log", yscale="log")
            for axis in (made.xaxis, made.yaxis):
                axis.set_major_formatter(lambda value, _: f"{value:.0e}")
                axis.set_minor_locator(NullLocator())
        else:
            for axis in (made.xaxis, made.yaxis):
                axis.set_major_formatter(lambda value, _: figure(float(value)))
                axis.set_major_locator(MaxNLocator(6, integer=True))
        return made


def curve(axes: Axes, xs: Sequence[float], ys: Sequence[float], colour: str) -> None:
    """A curve with a mark at each point."""
    with rc_context(_STYLE):
        axes.plot(xs, ys, "o-", color=colour)


def label_end(axes: Axes, x: float, y: float, words: str, colour: str) -> None:
    """Words above the last point of a curve that ends on the left."""
    with rc_context(_STYLE):
        axes.annotate(words, (x, y), (0, 8), textcoords="offset points", color=colour, weight="bold")


def note(axes: Axes, x: float, y: float, words: str, side: str) -> None:
    """Words beside a point: on its "left" or on its "right"."""
    places = {"left": {"xytext": (-7, 2), "ha": "right"}, "right": {"xytext": (6, 5), "ha": "left"}}
    with rc_context(_STYLE):
        axes.annotate(words, (x, y), **places[side], textcoords="offset points", color=QUIET)


def label_stretch(axes: Axes, xs: Sequence[float], words: str, colour: str) -> None:
    """Words above a stretch of the lower axis, over all curves."""
    over = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    with rc_context(_STYLE):
        axes.annotate(words, ((xs[0] + xs[-1]) / 2, 1), (0, 3), **over, ha="center", color=colour, weight="bold")


def mark(axes: Axes, x: float, words: str) -> None:
    """A dashed line at a place on the lower axis, with words at its upper end."""
    over = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    with rc_context(_STYLE):
        axes.axvline(x, color=QUIET, linestyle="dashed", linewidth=1.2)
        axes.annotate(words, (x, 1), (6, 0), **over, va="top", color=QUIET)


def drawing(axes: Axes, title: str, description: str) -> Drawing:
    """The finished plot. The same axes give the same bytes."""
    file = io.StringIO()
    with rc_context(_STYLE):
        axes.figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Drawing(title, description, [Mark(_inner(file.getvalue()), 0, 0, WIDTH, HEIGHT)])


def _inner(svg: str) -> str:
    """What matplotlib drew, without its frame, fonts, idle ids, and style sheet, which would act on the whole page."""
    for standin, colour in _PAGE.items():
        svg = svg.replace(standin, colour)
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.text, element.tail = element.text if element.tag == "text" else None, None
        attributes = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        element.attrib.clear()
        for name, value in attributes.items():
            if name == "style":
                value = ";".join(part.strip() for part in value.split(";") if "font-family" not in part)
            if name == "id":
                value = f"{KEY}-{value}" if f"#{value}" in svg else ""
            if name in ("href", "clip-path"):
                value = value.replace("#", f"#{KEY}-")
            if value and not value.startswith("rotate(-0 "):
                element.set(name, value)
    for parent in root.iter():
        for child in [child for child in parent if child.tag in ("style", "metadata")]:
            parent.remove(child)
    return "".join(ElementTree.tostring(child, "unicode") for child in root)
