"""The circuit, one node a frame: a node runs when everything that flows back into it has arrived."""

from book.drawing import passes
from book.drawing.marks import at, figure
from book.drawing.passes import Layout


def draw(names, backward):
    walk = backward.passes[0]
    a, b, p, q, r, s = (walk[name] for name in "abpqrs")
    left = {a: at(75, 0), p: at(75, 108), s: at(75, 332)}
    right = {b: at(285, 0), q: at(285, 108), r: at(285, 224)}
    fields = {a: at(75, -62), b: at(285, -62)}
    layout = Layout({node: (left | right)[node] for node in (a, b, p, q, r, s)}, fields, numbered=True)
    values = ", ".join(f"`{name}` is {figure(walk[name].value)}" for name in "abpqrs")
    first = (
        f"The forward pass: {values}. The squares count in the order of recording (`AccumulateGrad` isn't recorded: "
        "\N{EN DASH}), the circles will count the visits."
    )
    return passes.steps(walk, layout, "A circuit, node by node", [first, *passes.told(walk)])
