"""The marks that every picture of the book is made of, so that all are one family. Knows neither torch nor Sphinx.

Time runs down: values go down a wire on its left side, gradients come back up on its right side, in a pill. Colours and
fonts are the page's: _static/book.css gives them to the classes used here. A picture is at most 360 units wide and
shown so that a unit is about a pixel: text of 12 units can be read on a phone. `make marks` shows an example of each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from xml.sax.saxutils import escape

WIDTH = 360  # of a picture, at most
NODE = 150, 44  # width and height
NAMES, LINE = 96, 264  # of a time line: the width of the names on its left, and its length
MARGIN = 4
KEY = "@key@"  # stands for the picture's key in the ids of a mark


@dataclass(frozen=True, order=True)
class Point:
    """A place, in units from the left and from the top."""

    x: float
    y: float


@dataclass(frozen=True)
class Mark:
    """A piece of SVG and the box that it fills."""

    svg: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def centre(self) -> Point:
        return Point((self.left + self.right) / 2, (self.top + self.bottom) / 2)


@dataclass(frozen=True)
class Drawing:
    """A picture without a caption. title, description: what it shows, in words, for those who can't see it."""

    title: str
    description: str
    marks: list[Mark]

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The left, top, right and bottom side of what the marks fill."""
        lefts, tops, rights, bottoms = zip(*((mark.left, mark.top, mark.right, mark.bottom) for mark in self.marks))
        return min(lefts), min(tops), max(rights), max(bottoms)


@dataclass(frozen=True)
class Frame:
    """One step of a story: a drawing and its caption, in which `code` is marked as in a page."""

    drawing: Drawing
    caption: str


def at(x: float, y: float) -> Point:
    """A place. The only figures that a picture file may hold of its own stand in these brackets."""
    return Point(x, y)


def figure(value) -> str:
    """How a picture shows a value of the run: a number without idle decimals, a tensor or a list as its elements."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(figure, value))}]"
    if isinstance(value, float):
        value = int(value) if value.is_integer() else f"{value:.6g}"
    return str(value).replace("-", "\N{MINUS SIGN}")


def node(
    place: Point,
    name: str,
    kind: str,
    *,
    until: Point | None = None,
    recorded: str = "",
    visit: str = "",
    current: bool = False,
) -> Mark:
    """A node of the graph: what it is called, and its kind below. until: it reaches from the one place to the other;
    recorded, visit: its numbers in the order of recording and of the visits; current: whether it is running now."""
    left, right, y = place.x - NODE[0] / 2, (until or place).x + NODE[0] / 2, place.y
    top, bottom = y - NODE[1] / 2, y + NODE[1] / 2
    parts = [_box(left, top, right, bottom, "node current" if current else "node", 8)]
    parts += [_text((left + right) / 2, y - 3, name, "name"), _text((left + right) / 2, y + 14, kind, "quiet")]
    if recorded:
        parts += [
            _box(left + 6, y - 17, left + 22, y - 1, "recorded", 2),
            _text(left + 14, y - 5, recorded, "forward small"),
        ]
    if visit:
        parts.append(f'<circle class="visit" cx="{_n(right - 14)}" cy="{_n(y - 9)}" r="8"/>')
        parts.append(_text(right - 14, y - 5, visit, "visit small"))
    return Mark("".join(parts), left, top, right, bottom)


def buffer(owner: Mark, arrived: list[str], total: str) -> Mark:
    """The buffer below a node, where what comes back to it is summed. total: "" as long as something is missing."""
    top, bottom = owner.bottom, owner.bottom + 28
    content = " + ".join(arrived) + (f" = {total}" if total else " + \N{HORIZONTAL ELLIPSIS}") if arrived else ""
    svg = _box(owner.left + 8, top, owner.right - 8, bottom, "buffer" if total else "buffer open", 0)
    return Mark(svg + _text(owner.centre.x, top + 19, content, "gradient"), owner.left, top, owner.right, bottom)


def wire(upper: Mark, lower: Mark, value: str, gradient: str = "", current: bool = False) -> Mark:
    """What runs between two nodes: a value down on the left and, once it was sent, a gradient up on the right."""
    start, end = _ports(upper, lower)
    along = _direction(start, end)
    across = Point(along.y, -along.x)  # towards the gradient's side
    middle = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
    parts = [_line(_moved(start, across, -3), _moved(end, across, -3), "forward", True)]
    parts.append(
        _line(_moved(end, across, 3), _moved(start, across, 3), "gradient" if gradient else "unused", bool(gradient))
    )
    aside = _moved(middle, across, -12)
    parts.append(_text(aside.x, aside.y + 5, value, "forward", "end"))
    right = middle.x
    if gradient:
        back = pill(_moved(middle, across, 12), gradient, current)
        parts.append(back.svg)
        right = back.right
    return Mark("".join(parts), aside.x - extent(value), start.y, right, end.y)


def pill(place: Point, gradient: str, current: bool = False) -> Mark:
    """A gradient. place: the middle of its left side; current: whether it was sent just now."""
    left, right, top = place.x, place.x + max(extent(gradient) + 16, 26), place.y - 10
    style = "gradient full" if current else "gradient"
    svg = _box(left, top, right, top + 20, style, 10) + _text((left + right) / 2, place.y + 5, gradient, style)
    return Mark(svg, left, top, right, top + 20)


def store(place: Point, name: str, content: str, kept: bool, note: str = "") -> Mark:
    """A field that outlives the pass, such as w.grad, its name above, a note below. kept: whether it holds a tensor."""
    left, right, y = place.x - 60, place.x + 60, place.y
    parts = [
        _text(place.x, y - 20, name, "name small"),
        _box(left, y - 14, right, y + 14, "kept" if kept else "empty", 3),
    ]
    parts += [_text(place.x, y + 5, content, "gradient" if kept else "quiet"), _text(place.x, y + 31, note, "quiet")]
    return Mark("".join(parts), left, y - 30, right, y + (36 if note else 14))


def tag(place: Point, name: str) -> Mark:
    """A Python name, as a label to be tied to what it holds. place: the middle of its left side."""
    left, y = place.x, place.y
    svg = f'<path class="tag" d="M{_n(left)} {_n(y - 14)}h100l12 14l-12 14h-100z"/>' + _text(
        left + 52, y + 5, name, "name"
    )
    return Mark(svg, left, y - 14, left + 112, y + 14)


def tensor(place: Point, content: str) -> Mark:
    """A tensor that names can hold. place: the middle of its left side."""
    left, right, y = place.x, place.x + 120, place.y
    svg = _box(left, y - 14, right, y + 14, "kept", 3) + _text((left + right) / 2, y + 5, content, "gradient")
    return Mark(svg, left, y - 14, right, y + 14)


def listing(place: Point, heading: str, names: list[str], kept: bool = False) -> Mark:
    """A box of names below a heading. place: the middle of its left side; kept: whether they keep a gradient."""
    left, right, height = place.x, place.x + NODE[0], 32 + 18 * len(names)
    top, middle = place.y - height / 2, place.x + NODE[0] / 2
    parts = [_box(left, top, right, top + height, "node kept" if kept else "node", 8)]
    parts.append(_text(middle, top + 19, heading, "quiet"))
    parts += [_text(middle, top + 39 + 18 * line, name, "name small") for line, name in enumerate(names)]
    return Mark("".join(parts), left, top, right, top + height)


def bar(place: Point, share: float, amount: str) -> Mark:
    """An amount as a bar. place: the middle of its left side; share: of the longest bar of the picture, at most 1."""
    right = place.x + max(240 * share, 1)
    svg = _box(place.x, place.y - 9, right, place.y + 9, "bar", 2) + _text(
        right + 8, place.y + 5, amount, "plain", "start"
    )
    return Mark(svg, place.x, place.y - 9, right + 8 + extent(amount), place.y + 9)


def bin(place: Point, share: float, name: str, amount: str) -> Mark:
    """A stored tensor, its area to scale, its name and amount below. share: of the picture's largest, at most 1."""
    half, y = 40 * share**0.5, place.y
    svg = _box(place.x - half, y - half, place.x + half, y + half, "bar", 2)
    svg += _text(place.x, y + half + 15, name, "name small") + _text(place.x, y + half + 29, amount, "quiet")
    wide = max(half, extent(name, "name") / 2)
    return Mark(svg, place.x - wide, y - half, place.x + wide, y + half + 33)


def dot(place: Point) -> Mark:
    """A node too small to be named."""
    svg = f'<circle class="node" cx="{_n(place.x)}" cy="{_n(place.y)}" r="6"/>'
    return Mark(svg, place.x - 6, place.y - 6, place.x + 6, place.y + 6)


def ellipsis(place: Point) -> Mark:
    """Three dots below each other: here the picture leaves something out."""
    svg = "".join(f'<circle class="quiet" cx="{_n(place.x)}" cy="{_n(place.y + down)}" r="2"/>' for down in (-8, 0, 8))
    return Mark(svg, place.x - 2, place.y - 10, place.x + 2, place.y + 10)


def arrow(start: Point | Mark, end: Point | Mark, style: str = "plain") -> Mark:
    """From place to place, or from dot to dot. style: "plain", or "gradient" where a gradient goes."""
    places = [place if isinstance(place, Point) else place.centre for place in (start, end)]
    along = _direction(*places)
    tail, tip = (_moved(at, along, 0 if at is mark else gap) for at, mark, gap in zip(places, (start, end), (9, -9)))
    xs, ys = sorted((tail.x, tip.x)), sorted((tail.y, tip.y))
    return Mark(_line(tail, tip, style, True), xs[0], ys[0], xs[1], ys[1])


def trace(places: Sequence[Point], style: str) -> Mark:
    """A line through places. style: "function", "chord" (dashed) or "tangent"."""
    xs, ys = [place.x for place in places], [place.y for place in places]
    path = "L".join(f"{_n(place.x)} {_n(place.y)}" for place in places)
    return Mark(f'<path class="{style}" d="M{path}"/>', min(xs), min(ys), max(xs), max(ys))


def text(place: Point, words: str, style: str = "quiet", anchor: str = "middle") -> Mark:
    """Words. style: "quiet", "name" (code), "forward", "gradient" or "plain"; anchor: what of them is at the place,
    their "start", "middle" or "end"."""
    width = extent(words, style)
    left = place.x - {"start": 0, "middle": width / 2, "end": width}[anchor]
    return Mark(_text(place.x, place.y + 5, words, style, anchor), left, place.y - 10, left + width, place.y + 10)


def table(place: Point, rows: Sequence[Sequence[str | tuple[str, str]]], heading: Sequence[str] = ()) -> Mark:
    """Rows of cells. place: the upper left corner; heading: of the columns; a cell: its words, or its words and style:
    "name" (the first column's own), "plain" (the others' own), "quiet", "gradient", or "kept", a gradient in a box."""
    cells = [[(words, "quiet") for words in heading]] if heading else []
    for row in rows:
        own = ["name", *["plain"] * len(row)]
        cells.append([cell if isinstance(cell, tuple) else (cell, style) for cell, style in zip(row, own)])
    widths = [max(extent(*cell) for cell in column) for column in zip(*cells, strict=True)]
    gap = min(max((WIDTH - sum(widths)) / len(widths), 16), 32)
    edges = list(accumulate((width + gap for width in widths), initial=place.x))
    bottom = place.y + 28 * len(cells)
    parts = [_box(place.x, place.y, edges[-1], bottom, "node", 8)]
    for line, row in enumerate(cells):
        y = place.y + 28 * line + 14
        parts += [_line(Point(place.x, y - 14), Point(edges[-1], y - 14), "rule", False)] if line else []
        for (words, style), left, right in zip(row, edges, edges[1:]):
            x, anchor = (left + gap / 2, "start") if left == place.x else ((left + right) / 2, "middle")
            parts += [_box(left + 6, y - 10, right - 6, y + 10, "kept", 3)] if style == "kept" else []
            parts.append(_text(x, y + 5, words, "gradient" if style == "kept" else style, anchor))
    return Mark("".join(parts), place.x, place.y, edges[-1], bottom)


def timeline(place: Point, name: str, spans: Sequence[tuple[float, float, str, str]]) -> Mark:
    """A lane of a time line: a name, and beside it what lasts from when to when. place: the middle of its left side;
    spans: each its start and its end, as shares of the line (0 to 1), its label, which stands beside a span too short
    for it, and its style: "forward", "gradient", "kept" or "quiet"."""
    first, last, y = place.x + NAMES, place.x + NAMES + LINE, place.y
    parts = [_text(place.x, y + 5, name, "name small", "start"), _box(first, y - 12, last, y + 12, "lane", 3)]
    labels = []  # above all spans
    for start, end, label, style in spans:
        left, right = first + LINE * start, first + LINE * max(end, start + 0.01)
        wide = extent(label) * 12 / 14 + 8  # it is small
        aside = right + wide / 2 if right + wide <= last else left - wide / 2
        parts.append(_box(left, y - 12, right, y + 12, f"span {style}", 3))
        style = "gradient small" if style == "kept" else f"{style} small"
        labels.append(_text((left + right) / 2 if wide <= right - left else aside, y + 5, label, style))
    return Mark("".join(parts + labels), place.x, y - 12, last, y + 12)


def ticks(place: Point, moments: Sequence[tuple[float, str]], until: Point) -> Mark:
    """Moments of a time line, above its lanes; they come first in the picture. place: as of a lane; moments: each its
    share of the line (0 to 1) and its words; until: how far down its line reaches."""
    first, last, parts = place.x + NAMES, place.x + NAMES + LINE, []
    for share, words in moments:
        x = first + LINE * share
        anchor = "end" if x + extent(words) / 2 > last else "middle"
        parts.append(_line(Point(x, place.y + 8), Point(x, until.y), "rule", False))
        parts.append(_text(last if anchor == "end" else x, place.y + 3, words, "quiet", anchor))
    return Mark("".join(parts), place.x, place.y - 10, last, until.y)


def bracket(start: Point, end: Point, words: str, side: str = "below", style: str = "quiet") -> Mark:
    """A brace from place to place, words at its middle. side: where it stands, seen from the places: "below", "above",
    "left" or "right"; style: of the words, as in `text`."""
    out = {"below": Point(0, 1), "above": Point(0, -1), "left": Point(-1, 0), "right": Point(1, 0)}[side]
    along, middle = _direction(start, end), Point((start.x + end.x) / 2, (start.y + end.y) / 2)
    half = ((end.x - start.x) ** 2 + (end.y - start.y) ** 2) ** 0.5 / 2
    bend = min(6, half / 2)

    def spot(ahead: float, aside: float) -> str:
        place = _moved(_moved(middle, along, ahead), out, aside)
        return f"{_n(place.x)} {_n(place.y)}"

    path = f"M{spot(-half, 0)}Q{spot(-half, 6)} {spot(bend - half, 6)}L{spot(-bend, 6)}Q{spot(0, 6)} {spot(0, 12)}"
    path += f"Q{spot(0, 6)} {spot(bend, 6)}L{spot(half - bend, 6)}Q{spot(half, 6)} {spot(half, 0)}"
    word = text(_moved(middle, out, 17 + 5 * abs(out.y)), words, style, {-1: "end", 0: "middle", 1: "start"}[out.x])
    xs, ys = [start.x, end.x, word.left, word.right], [start.y, end.y, word.top, word.bottom]
    return Mark(f'<path class="brace" d="{path}"/>{word.svg}', min(xs), min(ys), max(xs), max(ys))


def extent(words: str, style: str = "") -> float:
    """How wide a line of text is, in the widest of the usual fonts."""
    return sum(7.9 if "name" in style else 5.5 if character in " ,.[]()" else 9 for character in words)


def svg(drawing: Drawing, key: str, box: tuple[float, float, float, float]) -> str:
    """The drawing as SVG to stand in a page. key: begins its ids; box: the part that is shown, the same for all frames."""
    left, top = box[0] - MARGIN, box[1] - MARGIN
    width, height = box[2] + MARGIN - left, box[3] + MARGIN - top
    marks = "".join(mark.svg for mark in drawing.marks).replace(KEY, key)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{key}-title {key}-desc"'
        f' viewBox="{_n(left)} {_n(top)} {_n(width)} {_n(height)}" style="max-width:{_n(width / 14)}rem">'
        f'<title id="{key}-title">{escape(drawing.title)}</title>'
        f'<desc id="{key}-desc">{escape(drawing.description)}</desc>{marks}</svg>'
    )


def _ports(upper: Mark, lower: Mark) -> tuple[Point, Point]:
    """Where a wire leaves and enters: straight down if one box stands above the other, else near the facing corners."""
    left, right = max(upper.left, lower.left), min(upper.right, lower.right)
    if left < right:
        return Point((left + right) / 2, upper.bottom), Point((left + right) / 2, lower.top)
    aside = 0.35 * NODE[0] * (1 if upper.centre.x < lower.centre.x else -1)
    return Point(upper.centre.x + aside, upper.bottom + 3), Point(lower.centre.x - aside, lower.top - 3)


def _direction(start: Point, end: Point) -> Point:
    length = ((end.x - start.x) ** 2 + (end.y - start.y) ** 2) ** 0.5
    return Point((end.x - start.x) / length, (end.y - start.y) / length)


def _moved(point: Point, direction: Point, distance: float) -> Point:
    return Point(point.x + direction.x * distance, point.y + direction.y * distance)


def _line(start: Point, end: Point, style: str, head: bool) -> str:
    """A line, with an arrow's head at its end."""
    path = f"M{_n(start.x)} {_n(start.y)}L{_n(end.x)} {_n(end.y)}"
    if head:
        along = _direction(start, end)
        neck, across = _moved(end, along, -7), Point(along.y, -along.x)
        path += (
            "M"
            + "L".join(f"{_n(at.x)} {_n(at.y)}" for at in (_moved(neck, across, 3), end, _moved(neck, across, -3)))
            + "z"
        )
    return f'<path class="{style}" d="{path}"/>'


def _box(left: float, top: float, right: float, bottom: float, style: str, radius: float) -> str:
    size = f'width="{_n(right - left)}" height="{_n(bottom - top)}"'
    return f'<rect class="{style}" x="{_n(left)}" y="{_n(top)}" {size} rx="{radius}"/>'


def _text(x: float, y: float, words: str, style: str, anchor: str = "middle") -> str:
    style = style if anchor == "middle" else f"{style} {anchor}"
    return f'<text class="{style}" x="{_n(x)}" y="{_n(y)}">{escape(words)}</text>' if words else ""


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
