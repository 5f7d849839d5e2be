"""The error of the central difference against its step, in both precisions."""

import inspect

from book.drawing import plots


def draw(names):
    torch, steps = names["torch"], names["steps"]
    eps = inspect.signature(torch.autograd.gradcheck).parameters["eps"].default
    axes = plots.axes("step", "error of the slope", log=True)
    plots.mark(axes, eps, "gradcheck's eps")
    plots.curve(axes, steps, names["onesided"], plots.QUIET)
    plots.note(axes, steps[1], names["onesided"][1], "one-sided", "left")
    told = [f"One-sided the smallest error is {min(names['onesided']):.0e}."]
    for errors, dtype, colour in (
        (names["errors64"], torch.float64, plots.FORWARD),
        (names["errors32"], torch.float32, plots.GRADIENT),
    ):
        plots.curve(axes, steps, errors, colour)
        plots.label_end(axes, steps[-1], errors[-1], str(dtype).removeprefix("torch."), colour)
        best = min(zip(errors, steps))
        told.append(f"In {dtype} the smallest error is {best[0]:.0e}, at a step of {best[1]:.0e}.")
    plots.note(axes, steps[8], names["errors64"][8], "rounding", "right")
    plots.note(axes, steps[2], names["errors64"][2], "truncation", "left")
    return plots.drawing(axes, "Error against step", " ".join(told))
