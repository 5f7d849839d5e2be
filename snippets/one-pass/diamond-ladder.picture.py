"""The ladder, cut in the middle: at each joint the paths that lead back to it, and the visits made by then."""

from book.drawing.marks import Drawing, arrow, at, dot, ellipsis, figure, pill, text


def draw(names, backward):
    walk = backward.passes[0]
    start, leaf = walk.nodes[0], walk.nodes[-1]
    joints = [node for node in walk.nodes if node.kind in (start.kind, leaf.kind)]
    below = dict(zip(joints, (at(80, 300), at(80, 225), at(80, 150))))
    above = dict(zip(reversed(joints), (at(80, 0), at(80, 75))))
    marks = [*_rungs(below), *_rungs(above), ellipsis(at(80, 112))]
    for node, place in (below | above).items():
        marks.append(pill(at(place.x + 60, place.y), figure(node.received)))
        marks.append(text(at(320, place.y), figure(walk.visit(node)), "plain", "end"))
    marks += [text(at(140, -32), "paths", "quiet", "start"), text(at(320, -32), "visits so far", "quiet", "end")]
    marks += [
        text(at(30, place.y), node.label, "name") for node, place in (below | above).items() if node in (start, leaf)
    ]
    told = [f"{figure(node.received)} paths, {figure(walk.visit(node))} visits" for node in (below | above)]
    return Drawing(
        "Paths multiply, visits add up",
        f"A ladder of rungs, each a fork and a sum, from {leaf.label} above to {start.label} below. "
        f"Its middle is left out. From {start.label} upwards, at the joints that are drawn: {'; '.join(told)}.",
        marks,
    )


def _rungs(joints):
    """The joints as dots, between each two of them two more, and the four ways that the pass takes."""
    dots = [dot(place) for place in sorted(joints.values(), reverse=True)]
    ways = []
    for lower, upper in zip(dots, dots[1:]):
        middle = [
            at(upper.centre.x + aside.x, (upper.centre.y + lower.centre.y) / 2) for aside in (at(-32, 0), at(32, 0))
        ]
        for side in map(dot, middle):
            ways += [side, arrow(lower, side, "gradient"), arrow(side, upper, "gradient")]
    return dots + ways
