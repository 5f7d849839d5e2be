"""What retain_grad adds to a pass: one field, filled as the gradient goes by."""

from book.drawing import passes


def draw(names, backward):
    walk = backward.passes[0]
    layout = passes.column(walk, fields=[node for node in walk.nodes if node.stored is not None])
    return passes.draw(walk, layout, "What retain_grad adds")
