"""The two losses of the same descent, step by step."""

from book.drawing import plots
from book.drawing.marks import figure
from matplotlib.ticker import MaxNLocator


def draw(names):
    axes = plots.axes("step", "loss")
    axes.yaxis.set_major_locator(MaxNLocator())
    told = []
    for (name, losses), colour in zip(names["losses"].items(), (plots.FORWARD, plots.GRADIENT)):
        steps = list(range(len(losses)))
        plots.curve(axes, steps, losses, colour)
        plots.label_end(axes, steps[-3], losses[-2], name, colour)
        told.append(f"{name}: the loss falls to {figure(min(losses))} and ends at {figure(losses[-1])}.")
    return plots.drawing(axes, "The same descent with two derivatives", " ".join(told))
