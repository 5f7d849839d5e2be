"""The book's derivatives, found a second time without autograd, so that `make fix` can't bless a wrong gradient.

A row is a snippet, an expression in the names that its run leaves behind, and what it has to be: a SymPy expression whose
symbols are such names too, or a function of them (as NumPy arrays). In an expression, printed[n] are the numbers of the
n-th line that the run printed.
"""

import inspect
import re

import numpy as np
import pytest
from book.reading import variants
from book.running import runs
from sharing import BOOK
from sympy import diff, lambdify, symbols, sympify

# The lessons without rows: their figures are no derivatives.
WITHOUT_DERIVATIVES: set[str] = set()
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e[+-]?\d+)?")

a, b, bias, data, first, middle, other, p = symbols("a b bias data first middle other p")
plain, q, r, row, scaled, second, w, weight, x = symbols("plain q r row scaled second w weight x")
cubic = x**3 + 2 * x
circuit = a**2 * (b - 2) + a**2  # of lesson one-pass: s = r + p, with r = p * q, p = a ** 2, q = b - 2


def slopes(function, at, step=1e-4):
    """The derivative of a function of one array by each of its elements, from central differences."""
    steps = step * np.eye(np.size(at)).reshape(-1, *np.shape(at))
    return np.reshape([(function(at + one) - function(at - one)) / (2 * step) for one in steps], np.shape(at))


def relu(x):
    return np.maximum(x, 0)


def silu(x):
    return x / (1 + np.exp(-x))


def cholesky_slopes(symmetric):
    """Of the entries of the Cholesky factor, by each element of the matrix, which may be made symmetric first."""

    def entry(A, place):
        return np.linalg.cholesky((A + A.T) / 2 if symmetric else A).flat[place]

    return lambda A: np.array([slopes(lambda A: entry(A, place), A).ravel() for place in range(4)]).T


def three_slopes(function):
    """Of a function at 0, from neighbours at -1 and 1: the left, the right and the central one."""
    return function(0) - function(-1), function(1) - function(0), (function(1) - function(-1)) / 2


def rectangle_slopes(sides):
    """Rows: area and perimeter; columns: by each side."""
    return np.array([slopes(np.prod, sides), slopes(lambda sides: 2 * sides.sum(), sides)])


def errors(dtype):
    """Of the central difference of the cubic at 1.5, for steps from 1e-1 down to 1e-10, in NumPy."""
    x, steps = dtype(1.5), [10.0**-k for k in range(1, 11)]

    def cubic(x):
        return x * x * x + dtype(2) * x

    return [abs(float((cubic(x + dtype(h)) - cubic(x - dtype(h))) / dtype(2 * h)) - 8.75) for h in steps]


ROWS = [
    ("index/symptom", "seen[0]", diff(middle**2, middle)),
    ("index/symptom", "weight.grad", diff((2 * weight) ** 2, weight)),
    ("one-pass/chain", "carried[0]", 1),
    ("one-pass/chain", "carried[1]", diff(3 * b, b)),
    ("one-pass/chain", "carried[2]", diff(3 * a**2, a)),
    ("one-pass/chain-at-five", "b.grad", diff(3 * b, b)),
    ("one-pass/chain-at-five", "a.grad", diff(3 * a**2, a)),
    ("one-pass/kept-or-passed-on", "a.grad", diff(3 * a**2, a)),
    ("one-pass/retain-before-the-pass", "b.grad", diff(3 * b, b)),
    ("one-pass/retain-before-the-pass", "printed[0][0]", diff(3 * a**2, a)),
    ("one-pass/retain-before-the-pass", "a.grad", diff(3 * a**2, a)),
    ("one-pass/leaf-with-and-without", "weight.grad", diff(weight**2 * data, weight)),
    ("one-pass/backward-then-step", "a.grad", diff(3 * a**2, a).subs(a, 2)),
    ("one-pass/backward-then-step", "a", 2 - diff(3 * a**2, a).subs(a, 2) / 10),
    ("one-pass/circuit", "dict(visits)['r']", diff(r + p, r)),
    ("one-pass/circuit", "dict(visits)['q']", diff(p * q + p, q)),
    ("one-pass/circuit", "dict(visits)['p']", diff(p * q + p, p)),
    ("one-pass/circuit", "b.grad", diff(circuit, b)),
    ("one-pass/circuit", "a.grad", diff(circuit, a)),
    ("one-pass/path-by-path", "sum(at_a)", diff(circuit, a).subs({a: 3, b: 7})),
    ("one-pass/walk-that-waits", "buffer['a']", diff(circuit, a).subs({a: 3, b: 7})),
    ("one-pass/walk-that-waits", "buffer['b']", diff(circuit, b).subs({a: 3, b: 7})),
    ("one-pass/step-inside", "a.detach()", 2 - diff(3 * a**2, a).subs(a, 2) / 10),
    ("one-pass/rules-to-keep", "printed[3]", lambda: 5 * slopes(np.prod, np.array([2.0, 3.0]))),
    ("one-pass/written-in-another-order", "b.grad", diff(circuit, b)),
    ("one-pass/written-in-another-order", "a.grad", diff(circuit, a)),
    ("one-pass/diamond-ladder", "x.grad", diff(2**30 * x, x)),
    ("one-pass/own-weights", "J[0]", diff(w**2, w)),
    ("one-pass/own-weights", "J[1]", diff(3 * w, w)),
    ("one-pass/own-weights", "returned", lambda w, v: slopes(lambda w: v[0] * w**2 + v[1] * 3 * w, w)),
    ("one-pass/own-weights", "w.grad", lambda w, v: slopes(lambda w: v[0] * w**2 + v[1] * 3 * w, w)),
    ("one-pass/one-row-per-pass", "together", lambda J, x: slopes(lambda x: (J @ x).sum(), x)),
    ("one-pass/one-row-per-pass", "rows[1]", lambda J, x: slopes(lambda x: (J @ x)[1], x)),
    ("one-pass/shape-of-v", "x.grad", lambda J, x: slopes(lambda x: (J @ x).sum(), x)),
    ("one-pass/three-objectives", "total[1]", diff(w**2 + 3 * w, w).subs(w, 2)),
    ("one-pass/three-objectives", "average[1]", diff((w**2 + 3 * w) / 2, w).subs(w, 2)),
    ("one-pass/three-objectives", "second[1]", diff(3 * w, w).subs(w, 2)),
    ("one-pass/vector-refused", "printed[3:]", diff(w**2, w)),
    ("who-owns-grad/intermediate-none", "weight.grad", diff((2 * weight) ** 2, weight)),
    ("who-owns-grad/gradient-passes-through", "printed[0]", diff(scaled**2, scaled)),
    ("who-owns-grad/gradient-passes-through", "weight.grad", diff((2 * weight) ** 2, weight)),
    ("who-owns-grad/cast-parameter", "weight.grad", diff(weight**2, weight)),
    ("who-owns-grad/retain-grad", "scaled.grad", diff(scaled**2, scaled)),
    ("who-owns-grad/retain-grad", "weight.grad", lambda weight, scaled: 2 * scaled * scaled / weight),
    ("who-owns-grad/retain-grad", "weight.grad / scaled.grad", lambda weight, scaled: scaled / weight),
    ("who-owns-grad/retain-price", "first", diff(scaled**2, scaled)),
    ("who-owns-grad/retain-price", "scaled.grad", 2 * diff(scaled**2, scaled)),
    ("who-owns-grad/used-twice", "delivered[0][0]", diff(2 * weight + 3 * weight, weight)),
    ("who-owns-grad/second-pass", "printed[0]", diff(weight**2, weight)),
    ("who-owns-grad/second-pass", "printed[1]", 2 * diff(weight**2, weight)),
    ("who-owns-grad/second-pass", "weight.grad", diff(weight**2, weight)),
    ("who-owns-grad/sum-or-accumulate", "printed[0]", diff(2 * weight + 3 * weight, weight)),
    ("who-owns-grad/sum-or-accumulate", "printed[1]", diff(2 * weight, weight) + diff(3 * weight, weight)),
    ("who-owns-grad/sum-or-accumulate", "weight.grad", diff(3 * weight, weight)),
    ("who-owns-grad/gradient-log", "copies[0]", diff(2 * weight, weight)),
    ("who-owns-grad/gradient-log", "copies[1]", 2 * diff(2 * weight, weight)),
    ("who-owns-grad/gradient-log", "log[0]", 2 * diff(2 * weight, weight)),
    ("who-owns-grad/abandoned-name", "kept", 2 * diff(2 * weight, weight)),
    ("who-owns-grad/abandoned-name", "weight.grad", diff(2 * weight, weight)),
    ("who-owns-grad/none-or-zeros", "printed[1][:-1]", diff(2 * weight, weight)),
    ("who-owns-grad/grad-returns", "scaled.grad", diff(scaled**2, scaled)),
    ("who-owns-grad/grad-returns", "printed[1]", diff((2 * weight) ** 2, weight)),
    ("who-owns-grad/grad-returns", "printed[3]", diff(weight**3, weight)),
    ("who-owns-grad/grad-returns", "weight.grad", diff(5 * weight, weight)),
    ("who-owns-grad/borrowed-memory", "other.grad", 3 * diff(other, other)),
    ("who-owns-grad/hooked-list", "copies[0]", diff(2 * row, row)),
    ("who-owns-grad/hooked-list", "weight.grad", 2 * diff(2 * weight, weight)),
    ("who-owns-grad/cast-parameter", "first.grad", diff(first**2, first)),
    ("who-owns-grad/shared-by-leaves", "printed[1][:3]", 2 * diff((a + b) ** 2, a).subs({a: 1, b: 1})),
    ("who-owns-grad/weight-norm", "list(layer.parameters())[0].grad", lambda: slopes(lambda g: 4 * g / 2, 2)),
    (
        "who-owns-grad/weight-norm",
        "list(layer.parameters())[1].grad",
        lambda: slopes(lambda v: 4 * 2 * v[0] / np.linalg.norm(v), np.ones(4)),
    ),
    ("who-owns-grad/hook-on-a-node", "delivered[0][0]", diff(2 * weight, weight)),
    ("who-owns-grad/delivered-twice", "printed[1]", diff(2 * weight + 3 * weight, weight)),
    ("who-owns-grad/delivered-twice", "printed[3]", diff(3 * weight, weight)),
    ("who-owns-grad/delivered-twice", "printed[4]", diff(2 * weight, weight)),
    ("who-owns-grad/by-hand", "printed[0]", diff(2 * first, first) + diff(5 * second, second)),
    ("who-owns-grad/what-travels", "weight.grad", lambda: slopes(lambda slope: slope * -2, 0.25)),
    ("who-owns-grad/what-travels", "plain.grad", diff(5 * plain, plain)),
    ("who-owns-grad/unused-input", "weight.grad", diff(5 * weight, weight)),
    ("who-owns-grad/only-these-inputs", "bias.grad", diff((2 * weight + bias) ** 2, bias)),
    ("who-owns-grad/only-these-inputs", "scaled.grad", diff((scaled + bias) ** 2, scaled)),
    ("who-owns-grad/batch-in-two", "printed[0]", lambda data: slopes(lambda w: (w * data).sum(), 0)),
    ("who-owns-grad/batch-in-two", "printed[2]", lambda data: slopes(lambda w: (w * data).mean(), 0)),
    (
        "who-owns-grad/batch-in-two",
        "printed[3]",
        lambda data: slopes(lambda w: (w * data[:2]).mean() + (w * data[2:]).mean(), 0),
    ),
    (
        "who-owns-grad/borrowed-gradient",
        "printed[0]",
        lambda weight: np.linalg.norm(slopes(lambda w: (w**2).sum(), weight)),
    ),
    ("who-owns-grad/borrowed-gradient", "found", diff(weight**2, weight)),
    ("who-owns-grad/borrowed-gradient", "printed[1]", diff(7 * weight, weight)),
    ("who-owns-grad/borrowed-gradient", "weight.grad", diff(7 * weight + weight**2, weight)),
    ("who-owns-grad/fresh-buffer", "kept", diff(weight**2, weight)),
    ("who-owns-grad/fresh-buffer", "printed[2]", 2 * diff(weight**2, weight)),
    ("checking/falls-then-rises", "losses['built-in'][-1]", lambda: round(min(silu(np.linspace(-5, 5, 1001))), 2)),
    ("checking/ask-the-function", "right - left", lambda x: slopes(silu, x, step=0.5)),
    ("checking/agree", "analytical", diff(cubic, x)),
    ("checking/agree", "numerical", diff(cubic, x)),
    ("checking/step-size", "onesided[:4]", lambda: [4.5 * h + h**2 for h in (1e-1, 1e-2, 1e-3, 1e-4)]),
    ("checking/step-size", "errors64", lambda: errors(np.float64)),
    ("checking/step-size", "errors32", lambda: errors(np.float32)),
    ("checking/read-the-message", "printed[1]", lambda sides: rectangle_slopes(sides)[:, 0]),
    ("checking/read-the-message", "printed[2]", lambda sides: rectangle_slopes(sides)[:, 1]),
    (
        "checking/silu-checked",
        "torch.autograd.grad(SiLU.apply(x).sum(), x)[0]",
        lambda x: slopes(lambda x: silu(x).sum(), x),
    ),
    (
        "checking/relu-spellings",
        "[row[::2] for row in found.values()]",
        lambda x: slopes(lambda x: relu(x).sum(), x)[::2],
    ),
    ("checking/relu-spellings", "steep[::2]", lambda x: slopes(lambda x: abs(x).sum(), x)[::2]),
    ("checking/kink", "printed[0][:3]", lambda: three_slopes(relu)),
    ("checking/kink", "printed[1][:3]", lambda: three_slopes(abs)),
    ("checking/checker-stores", "printed[0]", lambda x: x.item()),  # d(w * x)/dw
    ("checking/checker-stores", "weight.grad", lambda x: 2 * x),  # two passes were stored
    ("checking/exercise-odd-relu", "printed[1][2]", lambda: slopes(lambda x: relu(x) - relu(-x), 0.5)),
    ("checking/exercise-precondition", "printed[3:7]", lambda A: cholesky_slopes(symmetric=False)(A)),
    ("checking/exercise-precondition", "printed[7:11]", lambda A: cholesky_slopes(symmetric=True)(A)),
    (
        "checking/exercise-dot-test",
        "printed[0]",
        lambda: (np.cumsum([1, 2, 3]) @ [4, 0, 1], [1, 2, 3] @ np.cumsum([4, 0, 1])),
    ),
    ("checking/exercise-dot-test", "printed[1]", lambda: np.cumsum([1, 2, 3]) @ [4, 0, 1]),
    ("checking/exercise-save-the-input", "first", diff(cubic**2, x)),
    ("checking/exercise-save-the-input", "second", diff(cubic**2, x, 2)),
    ("checking/saved-intermediate", "first", diff(cubic**2, x)),
    ("checking/saved-intermediate", "second", 2 * diff(cubic, x) ** 2),  # wrong on purpose: x * x as a constant
    ("saved-tensors/overwrites", "printed[0]", lambda: slopes(np.square, 1.0)),
    ("saved-tensors/overwrites", "printed[1]", lambda: np.round(slopes(np.exp, 1.0), 2)),
    ("saved-tensors/overwrites", "printed[2]", lambda: slopes(relu, 1.0)),
    ("saved-tensors/overwrites", "printed[3]", lambda: np.round(slopes(lambda x: 1 / (1 + np.exp(-x)), 1.0), 2)),
    ("saved-tensors/no-check-under-the-meter", "printed[1]", lambda: 3 * slopes(np.exp, 0.0)),  # wrong on purpose
    ("saved-tensors/off-the-meter", "printed[1]", lambda x: slopes(lambda x: (x * x).sum(), x[:2])),
]


# Each row holds for the file, and for every number that readers may put into its code.
CASES = [(*row, None) for row in ROWS]
CASES += [(*row, (choice, value)) for row in ROWS for choice in BOOK.choices.get(row[0], []) for value in choice.values]


def called(case) -> str:
    name, expression, _, turned = case
    return f"{name}: {expression}" + (f" with {variants.key(*turned)}" if turned else "")


@pytest.mark.parametrize("name, expression, value, turned", CASES, ids=map(called, CASES))
def test_the_derivative_is_the_same_without_autograd(name, expression, value, turned):
    if name not in BOOK.snippets:
        pytest.fail(f"{__file__} has a row for {name}, which doesn't exist. Correct or delete the row.", pytrace=False)
    snippet = variants.variant(BOOK.snippets[name], *turned) if turned else BOOK.snippets[name]
    outcome = runs.run(snippet)
    lines = "".join(printed for printed, _ in outcome.outputs).splitlines()
    printed = [np.array(NUMBER.findall(line), float) for line in lines]
    found = as_array(eval(expression, outcome.names | {"printed": printed}))
    function = value if callable(value) else lambdify(sorted(sympify(value).free_symbols, key=str), value, "numpy")
    expected = function(*(as_array(outcome.names[parameter]) for parameter in inspect.signature(function).parameters))
    message = f"\n{name}: {expression} isn't what it is without autograd. If the snippet is right now, so must be its row here"
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=1e-6, err_msg=message)
    assert found.size


@pytest.mark.parametrize("lesson", sorted({name.split("/")[0] for name in BOOK.snippets} - WITHOUT_DERIVATIVES))
def test_every_lesson_with_derivatives_has_rows(lesson):
    rows = any(name.startswith(f"{lesson}/") for name, _, _ in ROWS)
    assert rows, (
        f"{lesson} has no row in {__file__}; if its figures are no derivatives, name it in WITHOUT_DERIVATIVES there"
    )


def as_array(value) -> np.ndarray:
    """A tensor, a number or a list of numbers, out of torch's hands."""
    return np.asarray(value.tolist() if hasattr(value, "tolist") else value, float)
