"""The two losses of the same descent, step by step."""

from book.drawing import plots
from book.drawing.marks import figure


def draw(names):
    axes = plots.axes("step", "loss")
    told = []
    for name, colour in (("built-in", plots.FORWARD), ("own", plots.GRADIENT)):
        losses = names["losses"][name]
        steps = list(range(len(losses)))
        plots.curve(axes, steps, losses, colour)
        plots.label_end(axes, steps[-4], losses[-1], name, colour)
        told.append(f"{name}: the loss falls to {figure(min(losses))} and ends at {figure(losses[-1])}.")
    return plots.drawing(axes, "The same descent with two derivatives", " ".join(told))
