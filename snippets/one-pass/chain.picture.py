"""The chain, one step a frame: values go down, derivatives come back up."""

from book.drawing import passes
from book.drawing.marks import figure


def draw(names, backward):
    walk = backward.passes[0]
    layout = passes.column(walk, fields=walk.nodes[-1:])
    values = " \N{RIGHTWARDS ARROW} ".join(figure(node.value) for node in reversed(walk.nodes))
    first = f"The forward pass goes down: {values}. The dotted lines are still empty: nothing has come back."
    return passes.steps(walk, layout, "A chain, forward and back", [first, *passes.told(walk)])
