"""What each node of the network keeps, to scale. A tensor that two nodes keep is drawn once."""

from book.drawing.marks import Drawing, arrow, at, bin, figure, node, text


def draw(names):
    tape, weights = names["tape"], dict(names["net"].named_parameters())
    layers = [f"layer {index}" for index, _ in enumerate(tape)]
    boxes = [node(at(75, 100 * row), name, kind) for row, (name, (kind, _)) in enumerate(zip(layers, tape))]
    sizes = {name: size for _, kept in tape for name, size in kept.items()}
    places = {}
    for name in sizes:
        keepers = [box.centre.y for box, (_, kept) in zip(boxes, tape) if name in kept]
        column = at(318, 0) if name in weights else at(218, 0)
        places[name] = at(column.x, sum(keepers) / len(keepers))
    bins = {name: bin(places[name], size / max(sizes.values()), name, figure(size)) for name, size in sizes.items()}
    lines = [
        arrow(at(box.right, box.centre.y), at(bins[name].left - 4, places[name].y))
        for box, (_, kept) in zip(boxes, tape)
        for name in kept
    ]
    heads = [text(at(75, -50), "nodes"), text(at(218, -50), "results, bytes"), text(at(318, -50), "weights")]
    described = " ".join(
        f"{name}, {kind}, keeps {' and '.join(f'{saved} of {figure(size)} bytes' for saved, size in kept.items())}."
        for name, (kind, kept) in zip(layers, tape)
    )
    return Drawing("What each node keeps", described, [*lines, *boxes, *bins.values(), *heads])
