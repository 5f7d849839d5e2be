"""One leaf, used twice: what comes back meets in the leaf's buffer, and is delivered once."""

from book.drawing import passes
from book.drawing.marks import at, figure
from book.drawing.passes import Layout


def draw(names, backward):
    walk = backward.passes[0]
    total, added, later, earlier, leaf = walk.nodes
    places = {
        leaf: (at(80, 0), at(265, 0)),
        earlier: at(80, 124),
        later: at(265, 124),
        added: (at(80, 220), at(265, 220)),
        total: at(172, 316),
    }
    came, last = (figure(arrival.value) for arrival in leaf.incoming)
    captions = [
        f"The forward pass: `{leaf.label}` goes into `{earlier.label}` and into `{later.label}`. "
        f"The two are added, and summed up in `{total.label}`.",
        "",
        f"The pass has come back to both products, with {figure(later.received)} each. "
        f"Nothing has reached `{leaf.label}` yet.",
        f"`{later.label}`, recorded later, runs first: {came} arrives in the buffer of `{leaf.label}`. "
        f"Its `{leaf.kind}` has to wait, because something is still on its way.",
        f"`{earlier.label}` runs: {last} arrives, and the buffer holds the sum, {figure(leaf.received)}.",
        f"Now `{leaf.kind}` runs, a single time. It adds {figure(leaf.received)} into `{leaf.label}.grad`.",
    ]
    return passes.steps(walk, Layout(places, {leaf: at(172, -62)}), "One leaf, used twice", captions)
