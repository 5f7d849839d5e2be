"""Two corners: the function, the chord that the central difference draws across it, and autograd's answer."""

from book.drawing.marks import Drawing, at, figure, text, trace


def draw(names):
    drawn, told = [], []
    for origin, name in zip((at(82, 0), at(278, 0)), names["heights"], strict=True):
        low, here, high = (at(0, -64 * height).y for height in names["heights"][name])
        slope, answer, passed = names["verdicts"][name]
        left, corner, right = at(origin.x - 64, low), at(origin.x, here), at(origin.x + 64, high)
        flat = at(corner.x - 28, here + 28 * answer), at(corner.x + 28, here - 28 * answer)
        drawn += [trace([left, corner, right], "function"), trace([left, right], "chord"), trace(flat, "tangent")]
        lines = [
            (at(origin.x, -92), name, "name"),
            (at(origin.x, 26), f"chord: {figure(slope)}", "gradient"),
            (at(origin.x, 48), f"autograd: {figure(answer)}", "plain"),
            (at(origin.x, 70), f"gradcheck: {passed}", "quiet"),
        ]
        drawn += [text(place, words, style) for place, words, style in lines]
        told.append(
            f"{name}: the chord's slope is {figure(slope)}, autograd says {figure(answer)}; gradcheck: {passed}."
        )
    return Drawing("Two corners and their chords", " ".join(told), drawn)
