"""The four budgets of a training step, as bars to scale."""

from book.drawing.marks import Drawing, at, bar, figure, text


def draw(names):
    parameters, gradients, optimizer = names["fixed"]
    budgets = {
        "parameters": parameters,
        "gradients": gradients,
        "state of the optimizer": optimizer,
        f"activations, a batch of {figure(len(names['batch']))}": names["activations"].total,
    }
    marks = [text(at(0, -30), "bytes", "quiet", "start")]
    for (name, amount), place in zip(budgets.items(), (at(0, 0), at(0, 56), at(0, 112), at(0, 168)), strict=True):
        marks += [
            text(place, name, "plain", "start"),
            bar(at(place.x, place.y + 22), amount / max(budgets.values()), figure(amount)),
        ]
    described = "; ".join(f"{name}: {figure(amount)} bytes" for name, amount in budgets.items())
    return Drawing("The four budgets of a training step", f"{described}.", marks)
