"""Which names hold which gradient, after each line that changes it."""

from book.drawing.marks import Drawing, Frame, arrow, at, figure, tag, tensor, text


def draw(names, backward):
    everywhere = [item for moment in backward.moments for item in moment.names.items()]
    gradients = {held.identity for name, held in everywhere if held and name.endswith(".grad")}
    moments = [moment for moment in backward.moments if gradients & _identities(moment)]
    labels = [name for name, held in moments[-1].names.items() if held and held.identity in gradients]
    tags = {name: tag(place, name) for name, place in zip(labels, (at(0, 55), at(0, 120)), strict=True)}
    places = dict(zip(sorted(gradients), (at(225, 55), at(225, 120)), strict=True))
    return [_frame(before, moment, tags, places) for before, moment in zip([None, *moments], moments)]


def _frame(before, moment, tags, places):
    line = moment.code.splitlines()[-1].strip()
    held = {name: moment.names[name] for name in tags if name in moment.names}
    boxes = {one.identity: tensor(places[one.identity], figure(one.value)) for one in held.values() if one}
    marks = [text(at(172, 0), line, "name"), *boxes.values(), *(tags[name] for name in held)]
    for name, one in held.items():
        start = at(tags[name].right + 6, tags[name].centre.y)
        if one:
            marks.append(arrow(start, at(boxes[one.identity].left - 4, boxes[one.identity].centre.y)))
        else:
            marks.append(text(at(start.x + 10, start.y), "None", "quiet", "start"))
    told = " ".join(f"`{name}` {_told(name, one, before)}." for name, one in held.items())
    return Frame(Drawing("What the names hold", told.replace("`", ""), marks), f"After `{line}`: {told}")


def _told(name, held, before):
    if held is None:
        return "is None"
    was = before and before.names.get(name)
    if was and was.identity == held.identity:
        return f"is the same tensor as before, {'still' if was == held else 'now'} {figure(held.value)}"
    if before and held.identity in _identities(before):
        return "is a second name for that tensor"
    return f"is another tensor, {figure(held.value)}"


def _identities(moment):
    return {held.identity for held in moment.names.values() if held}
