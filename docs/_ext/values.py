"""Decide whether a value shown in prose is equal to what a run left behind. Knows torch, but no pages and no Sphinx."""

import ast

import numpy as np
import torch


def shown_as(value, form: str) -> str:
    """How prose shows a value: with a format as an f-string would, else as the shortest text that reads back as it.

    A tensor whose elements are all equal is shown as one number, any other as a tuple.
    """
    if isinstance(value, torch.Tensor):
        value = _plain(value.detach())
    if form:
        return format(value.item() if isinstance(value, np.generic) else value, form)
    if isinstance(value, tuple | list):
        return "(" + ", ".join(shown_as(element, "") for element in value) + ")"
    if isinstance(value, float | np.floating) and np.isfinite(value):
        plain = value == 0 or 1e-4 <= abs(value) < 1e16
        return np.format_float_positional(value, trim="-") if plain else repr(float(value))
    return str(value)


def holds(shown: str, value, form: str) -> bool:
    """Whether the text in the prose says what the value is, every element compared in the value's own dtype."""
    text = shown.replace("−", "-")
    if form:
        return text == shown_as(value, form)
    if isinstance(value, torch.Tensor):
        return value.numel() > 0 and _tensor_holds(text, value.detach())
    if isinstance(value, bool | str) or not isinstance(value, int | float | tuple | list):
        return text == str(value)
    try:
        return _tuples(ast.literal_eval(text)) == _tuples(value)
    except (ValueError, SyntaxError):
        return False


def _tensor_holds(text: str, value: torch.Tensor) -> bool:
    try:
        expected = torch.tensor(ast.literal_eval(text), dtype=value.dtype if value.is_floating_point() else None)
    except (ValueError, SyntaxError, TypeError, RuntimeError):
        return False
    if (expected.dtype == torch.bool) != (value.dtype == torch.bool):
        return False
    return expected.shape in (torch.Size([]), value.shape) and bool((value == expected).all())


def _tuples(value):
    """The value with lists as tuples: prose shows both in round brackets."""
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value


def _plain(value: torch.Tensor):
    """The one number that all elements are, as a NumPy scalar of the same dtype, else nested tuples of them."""
    first = value.flatten()[0]
    if bool((value == first).all()):
        return first.numpy()[()] if first.dtype != torch.bfloat16 else first.item()
    return tuple(_plain(row) if row.ndim else row.numpy()[()] for row in value)
