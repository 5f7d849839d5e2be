"""Draw a recorded backward pass after any of its steps, and tell the steps in words. Knows no Sphinx.

A step is one node that runs. Before the first, only the values of the forward pass are there.
"""

from dataclasses import dataclass

from book.drawing import marks
from book.drawing.marks import NODE, Drawing, Frame, Mark, Point, figure
from book.drawing.recorded import ACCUMULATE, Departure, Node, Pass

STEM = 44  # length of the wire below the node that the pass starts from
ROW = 100  # from node to node in a column


@dataclass(frozen=True)
class Layout:
    """Where things stand.

    places: each node's, two for a node that reaches from the one to the other; fields: where the `.grad` of some nodes'
    tensors stand; numbered: whether nodes show their numbers, in the order of recording and of the visits.
    """

    places: dict[Node, Point | tuple[Point, Point]]
    fields: dict[Node, Point]
    numbered: bool = False


def column(walk: Pass, fields: list[Node]) -> Layout:
    """The nodes of a chain below each other, the leaf on top; beside them the `.grad` of these nodes' tensors."""
    places = {node: Point(105, ROW * row) for row, node in enumerate(reversed(walk.nodes))}
    return Layout(places, {node: Point(280, places[node].y) for node in fields})


def draw(walk: Pass, layout: Layout, title: str, step: int | None = None) -> Drawing:
    """The pass after a number of steps, the last of them brought out; without a number, the whole pass."""
    ran = walk.nodes[:step]
    current = ran[-1] if ran and step is not None else None
    boxes = {node: _node(walk, node, layout, node in ran, node is current) for node in layout.places}
    buffers = {node: _buffer(node, boxes[node], ran) for node in boxes if len(node.incoming) > 1}
    drawn = []
    for node, box in boxes.items():
        for departure in node.sent:
            upper = buffers.get(departure.receiver, boxes[departure.receiver])
            back = figure(departure.value) if node in ran else ""
            drawn.append(marks.wire(upper, box, figure(departure.receiver.value), back, node is current))
        for seed in (arrival for arrival in node.incoming if arrival.sender is None):
            below = Mark("", box.left, box.bottom + STEM, box.right, box.bottom + STEM)
            drawn.append(marks.wire(box, below, figure(node.value), figure(seed.value) if ran else "", node is current))
        if len(node.sent) == 1 and node in ran and node not in layout.fields and not layout.numbered:
            drawn.append(
                marks.text(Point(box.right + 8, box.centre.y), _slope(node, node.sent[0]), "gradient", "start")
            )
    for node, place in layout.fields.items():
        drawn += _field(node, boxes[node], place, node in ran)
    return Drawing(title, _described(layout, ran), [*drawn, *buffers.values(), *boxes.values()])


def steps(walk: Pass, layout: Layout, title: str, captions: list[str]) -> list[Frame]:
    """A frame before the first step and one after each, with these captions. An empty caption leaves its frame out."""
    return [Frame(draw(walk, layout, title, step), caption) for step, caption in enumerate(captions) if caption]


def told(walk: Pass) -> list[str]:
    """What happens in each step, in words."""
    return [_told(node, walk.nodes[:step]) for step, node in enumerate(walk.nodes, 1)]


def _told(node: Node, ran: list[Node]) -> str:
    got = " + ".join(figure(arrival.value) for arrival in node.incoming)
    got += f" = {figure(node.received)}" if len(node.incoming) > 1 else ""
    if node.kind == ACCUMULATE:
        return f"The `{ACCUMULATE}` of `{node.label}` receives {got} and adds it into `{node.label}.grad`."
    sent = " and ".join(f"{_product(node, departure)} to `{departure.receiver.label}`" for departure in node.sent)
    waiting = [departure.receiver.label for departure in node.sent if _missing(departure.receiver, ran)]
    waits = "".join(f" `{label}` has to wait: not everything that flows back into it has arrived." for label in waiting)
    return f"`{node.label}` receives {got} and sends {sent}.{waits}"


def _product(node: Node, departure: Departure) -> str:
    """What the node sent; where it is a number, as the product that it is."""
    slope = _slope(node, departure)
    return f"{figure(node.received)} {slope} = {figure(departure.value)}" if slope else figure(departure.value)


def _slope(node: Node, departure: Departure) -> str:
    """By what a number was multiplied on its way through the node; "" for tensors."""
    if isinstance(node.received, float) and isinstance(departure.value, float) and node.received:
        return f"\N{MULTIPLICATION SIGN} {figure(departure.value / node.received)}"
    return ""


def _missing(node: Node, ran: list[Node]) -> bool:
    return any(arrival.sender is not None and arrival.sender not in ran for arrival in node.incoming)


def _node(walk: Pass, node: Node, layout: Layout, ran: bool, current: bool) -> Mark:
    place = layout.places[node]
    start, end = (place, place) if isinstance(place, Point) else place
    room = end.x - start.x + NODE[0] - (60 if layout.numbered else 16)
    whole = f"{node.label} = {node.expression}"
    name = whole if node.names and node.expression and marks.extent(whole, "name") <= room else node.label
    recorded = "\N{EN DASH}" if node.sequence is None else figure(node.sequence)
    return marks.node(
        start,
        name,
        node.kind,
        until=end,
        recorded=recorded if layout.numbered else "",
        visit=figure(walk.visit(node)) if layout.numbered and ran else "",
        current=current,
    )


def _buffer(node: Node, box: Mark, ran: list[Node]) -> Mark:
    arrived = [figure(arrival.value) for arrival in node.incoming if arrival.sender in ran]
    return marks.buffer(box, arrived, "" if _missing(node, ran) else figure(node.received))


def _field(node: Node, box: Mark, place: Point, ran: bool) -> list[Mark]:
    """The `.grad` of the node's tensor, tied to the node by an arrow once it was filled."""
    holds = node.stored if ran else node.before
    note = ""
    if ran and node.kind != ACCUMULATE:
        note = "a copy, by a hook" if holds is not None else f"{figure(node.received)} came through"
    field = marks.store(place, f"{node.label}.grad", figure(holds), holds is not None, note)
    if not ran or holds is None:
        return [field]
    if field.left > box.right:
        return [field, marks.arrow(Point(box.right, place.y), Point(field.left, place.y), "gradient")]
    return [field, marks.arrow(Point(place.x, box.top), Point(place.x, field.bottom), "gradient")]


def _described(layout: Layout, ran: list[Node]) -> str:
    sentences = []
    for node in layout.places:
        received = f", and received {figure(node.received)}" if node in ran else ""
        sentences.append(f"{node.label}, {node.kind}, has the value {figure(node.value)}{received}.")
        for departure in node.sent if node in ran else []:
            sentences.append(f"It sent {figure(departure.value)} to {departure.receiver.label}.")
    for node in layout.fields:
        sentences.append(f"{node.label}.grad is {figure(node.stored if node in ran else node.before)}.")
    return " ".join(sentences)
