"""Two questions sort every tensor: has it a node, and does it require a gradient?"""

from book.drawing.marks import Drawing, arrow, at, listing, node, text


def draw(names):
    tensors = {made: eval(made, names) for made in names["ways"]}
    inner = [made for made, tensor in tensors.items() if tensor.grad_fn]
    plain = [made for made, tensor in tensors.items() if not tensor.requires_grad]
    filled = [made for made in tensors if made not in inner + plain]
    first, second = node(at(75, 0), "grad_fn", "Is it None?"), node(at(75, 110), "requires_grad", "Is it True?")
    passes = listing(at(200, 0), "not a leaf: passes it on", inner)
    ignored = listing(at(200, 110), "a leaf, receives nothing", plain)
    written = listing(at(0, 230), "a leaf that can be filled", filled, kept=True)
    marks = [first, second, passes, ignored, written]
    for question, answer in ((first, passes), (second, ignored)):
        marks.append(arrow(at(question.right, question.centre.y), at(answer.left, question.centre.y)))
        marks.append(text(at(question.right + 25, question.centre.y - 12), "no"))
    for question, answer in ((first, second), (second, written)):
        marks.append(arrow(at(question.centre.x, question.bottom), at(question.centre.x, answer.top)))
        marks.append(text(at(question.centre.x + 20, (question.bottom + answer.top) / 2), "yes"))
    described = (
        f"If grad_fn isn't None, the tensor is not a leaf and passes its gradient on: {', '.join(inner)}. "
        f"If it is None and requires_grad is False, it is a leaf, and no gradient comes: {', '.join(plain)}. "
        f"If requires_grad is True, it is a leaf, and a pass that reaches it fills its .grad: {', '.join(filled)}."
    )
    return Drawing("Which tensors are leaves, and whose .grad can be filled", described, marks)
