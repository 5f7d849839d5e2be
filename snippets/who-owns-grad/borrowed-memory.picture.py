"""Two tensors, one memory: what the seed and the gradient show after each pass, without and with a clone."""

from book.drawing.marks import Drawing, Frame, arrow, at, figure, tag, tensor, text


def draw(names, backward):
    reused = [moment for moment in backward.moments if "v" in moment.names and "ones" not in moment.names]
    frames = [_frame("v", "weight", moment, names) for moment in reused]
    return [*frames, _frame("ones", "other", backward.moments[-1], names)]


def _frame(seed, leaf, moment, names):
    field, shared = f"{leaf}.grad", names[leaf].grad.data_ptr() == names[seed].data_ptr()
    stored, [values] = moment.names[field], moment.names[seed].value
    tags = [tag(at(0, 55), seed), tag(at(0, 120), field)]
    first = tensor(at(225, 55), figure(values))
    marks, ends = [*tags, first], [first]
    told = f"Before the passes: `{seed}` shows {figure(values)}, `{field}` is None."
    if stored and shared:
        ends.append(first)
        told = f"After a pass: `{seed}` and `{field}`, two tensors on one memory, show {figure(stored.value)}."
    elif stored:
        ends.append(tensor(at(225, 120), figure(stored.value)))
        marks.append(ends[-1])
        told = f"With clones, after the last pass: `{seed}` shows {figure(values)}, `{field}` {figure(stored.value)}."
    else:
        marks.append(text(at(tags[-1].right + 16, tags[-1].centre.y), "None", "quiet", "start"))
    for name, end in zip(tags, ends):
        marks.append(arrow(at(name.right + 6, name.centre.y), at(end.left - 4, end.centre.y)))
    marks.append(text(at(first.centre.x, first.top - 16), "memory"))
    return Frame(Drawing("Whose memory", told.replace("`", ""), marks), told)
