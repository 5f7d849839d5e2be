"""Decide whether a value shown in prose is equal to what a run left behind. Knows torch, but no Sphinx."""

import ast
from types import ModuleType

import numpy as np
import torch

from book.problem import Problem
from book.reading.pages import Value
from book.running import start

READABLE = "Use a name that the snippet leaves behind, or correct the expression or its format."


def compared(value: Value, names: dict) -> tuple[bool, str]:
    """Whether the value holds in the names that a run left, and how prose would show what is there.

    Raises Problem for an expression that can't be evaluated, or that needs no run: it has to use a name of the snippet's.
    """
    try:
        with start.limited():
            result = eval(value.expression, dict(names))
            shown = shown_as(result, value.format)
    except (Exception, SystemExit, start.TooLong) as error:
        what = f"{value.expression!r} can't be read from {value.snippet}: {type(error).__name__}: {error}."
        raise Problem(value.page, value.line, what, READABLE) from None
    used = {node.id for node in ast.walk(ast.parse(value.expression, mode="eval")) if isinstance(node, ast.Name)}
    if all(isinstance(names[name], ModuleType) for name in used & names.keys() - {"__name__", "__builtins__"}):
        what = f"{value.expression!r} uses no name that {value.snippet} leaves behind, so no run stands behind it."
        raise Problem(value.page, value.line, what, READABLE)
    return holds(value.shown, result, value.format), shown


def shown_as(value, form: str) -> str:
    """How prose shows a value: with a format as an f-string would, else as the shortest text that reads back as it.

    A tensor whose elements are all equal is shown as one number, any other as a tuple.
    """
    if isinstance(value, torch.Tensor):
        value = _plain(value.detach())
    if form:
        return format(value.item() if isinstance(value, np.generic) else value, form)
    if isinstance(value, tuple | list):
        return f"({', '.join(shown_as(element, '') for element in value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, float | np.floating) and np.isfinite(value):
        plain = value == 0 or 1e-4 <= abs(value) < 1e16
        return np.format_float_positional(value, trim="-") if plain else repr(float(value))
    return str(value)


def holds(shown: str, value, form: str) -> bool:
    """Whether the text in the prose says what the value is; a tensor's elements are compared in its own dtype."""
    if isinstance(value, torch.Tensor) and not value.numel():
        return False
    text = shown.replace("−", "-")
    if form or shown == shown_as(value, ""):
        return shown_as(value, form) in (shown, text)
    try:
        literal = ast.literal_eval(text)
        if not isinstance(value, torch.Tensor):
            return _same(literal, value)
        if isinstance(literal, tuple | list):
            return _same(literal, value.tolist(), value.dtype)
        return all(_same(literal, element, value.dtype) for element in value.flatten().tolist())
    except (ValueError, SyntaxError):
        return False


def _same(shown, found, dtype: torch.dtype | None = None) -> bool:
    if isinstance(found, tuple | list):
        of_one_length = isinstance(shown, tuple | list) and len(shown) == len(found)
        return of_one_length and all(_same(*pair, dtype) for pair in zip(shown, found, strict=True))
    if isinstance(found, int | float) and isinstance(shown, int | float) and not isinstance(found, bool):
        rounded = torch.tensor(shown, dtype=dtype).item() if dtype and dtype.is_floating_point else shown
        return rounded == found and not isinstance(shown, bool)
    return type(shown) is type(found) and shown == found


def _plain(value: torch.Tensor):
    """The one number that all elements are, as a NumPy scalar of the same precision, else nested tuples of them."""
    value = value.float() if value.dtype == torch.bfloat16 else value
    if value.numel() and (value.ndim == 0 or bool((value == value.flatten()[0]).all())):
        return value.flatten()[0].numpy()[()]
    return tuple(_plain(row) if row.ndim else row.numpy()[()] for row in value)
