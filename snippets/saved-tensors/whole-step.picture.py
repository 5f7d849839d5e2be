"""What is held during a training step, operation by operation, in its three phases."""

from itertools import count

from book.drawing import plots
from book.drawing.marks import at, figure


def draw(names):
    rows, phases = next(iter(names["curves"].items()))
    axes = plots.axes("operation", "thousands of bytes held")
    operations = count()
    for (name, samples), colour in zip(phases.items(), (plots.FORWARD, plots.GRADIENT, plots.TEXT), strict=True):
        places = [next(operations) for _ in samples]
        plots.curve(axes, places, samples, colour)
        plots.label_stretch(axes, places, name, colour)
    plots.note(axes, places[samples.index(max(samples))], max(samples), figure(max(samples)), "left")
    axes.set_ymargin(at(0, 0.3).y)
    axes.set_ylim(bottom=at(0, 0).y)
    described = " ".join(f"{name}: {', '.join(map(figure, samples))}." for name, samples in phases.items())
    return plots.drawing(axes, f"Bytes held during a training step, {figure(rows)} rows", described)
