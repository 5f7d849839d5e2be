"""The activations that are held, operation by operation: a climb, and the same stairs down."""

from book.drawing import plots
from book.drawing.marks import figure


def draw(names):
    curve, turn = names["curve"], names["turn"]
    places = list(range(len(curve)))
    axes = plots.axes("operation", "activations held")
    for stretch, name, colour in (
        (slice(turn), "forward", plots.FORWARD),
        (slice(turn, None), "backward", plots.GRADIENT),
    ):
        plots.curve(axes, places[stretch], curve[stretch], colour)
        plots.label_stretch(axes, places[stretch], name, colour)
    described = f"Forward: {', '.join(map(figure, curve[:turn]))}. Backward: {', '.join(map(figure, curve[turn:]))}."
    return plots.drawing(axes, "Activations held during a step", described)
