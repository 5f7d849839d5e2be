"""Two tensors, one memory: what the seed and the gradient show after each pass, without and with a clone."""

from book.drawing.marks import Drawing, Frame, arrow, at, figure, tag, tensor, text


def draw(names, backward):
    frames = []
    for moment in backward.moments:
        weight, seed = ("other", "ones") if "ones" in moment.names else ("weight", "v")
        if seed in moment.names:
            shared = names[weight].grad.data_ptr() == names[seed].data_ptr()
            frames.append((seed, f"{weight}.grad", moment.names[seed], moment.names[f"{weight}.grad"], shared))
    return [_frame(*frame) for index, frame in enumerate(frames) if frame not in frames[:index]]


def _frame(seed, field, given, stored, shared):
    [values] = given.value
    tags = [tag(at(0, 55), seed), tag(at(0, 120), field)]
    first = tensor(at(225, 55), figure(values))
    marks, ends = [*tags, first], [first]
    told = f"`{seed}` shows {figure(values)}, `{field}` is None."
    if stored and shared:
        ends.append(first)
        told = f"Both show {figure(stored.value)}: `{field}` and `{seed}` are two tensors on one memory."
    elif stored:
        ends.append(tensor(at(225, 120), figure(stored.value)))
        marks.append(ends[-1])
        told = f"`{seed}` still shows {figure(values)}, and `{field}` {figure(stored.value)}: a memory each."
    else:
        marks.append(text(at(tags[-1].right + 16, tags[-1].centre.y), "None", "quiet", "start"))
    for name, end in zip(tags, ends):
        marks.append(arrow(at(name.right + 6, name.centre.y), at(end.left - 4, end.centre.y)))
    marks.append(text(at(first.centre.x, first.top - 16), "memory"))
    return Frame(Drawing("Whose memory", told.replace("`", ""), marks), told)
