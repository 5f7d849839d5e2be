"""The one state that every snippet starts from, and has to leave as it found it."""

import builtins
import contextlib
import copy
import faulthandler
import functools
import gc
import itertools
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import types
import warnings
from pathlib import Path

import numpy as np
import torch
import torch._dynamo  # what a first optimizer imports; it changes attributes and the environment
import torch.nn.modules.module as module
import torch.utils._python_dispatch as dispatch
import torch.utils.checkpoint

from book.problem import Problem
from book.reading.snippets import Snippet

LIMIT = 60  # seconds that a snippet may run
SHARED = [builtins, copy, functools, gc, itertools, math, random, warnings, np]
SHARED += [getattr(torch, name) for name in "autograd func linalg nn optim random special".split()] + [torch]
SHARED += [torch.autograd.function, torch.autograd.functional, torch.autograd.graph, torch.nn.functional]
SHARED += [torch.nn.init, torch.nn.utils, torch.utils.checkpoint]
_MISSING, _NOWHERE = object(), os.open(os.devnull, os.O_WRONLY)
_guards = []  # keep modes that can't be left alive, so that the ones below them act


class TooLong(BaseException):
    """Raised within a snippet that has run for LIMIT seconds."""


def _pop_all_hooks(_) -> None:
    while torch._C._autograd._top_saved_tensors_default_hooks(True):
        torch._C._autograd._pop_saved_tensors_default_hooks()


def _replace_environment(before: dict[bytes, bytes]) -> None:
    os.environb.clear()
    os.environb.update(before)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory()


def _empty_folder(_) -> None:
    os.chdir(_folder().name)
    for path in Path(_folder().name).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _global_hooks() -> list[dict]:
    return [value for name, value in vars(module).items() if name.startswith("_global_") and isinstance(value, dict)]


# State that a snippet could leave behind: what it is called, how it is read, how it is put back.
_STATE = [
    ("the default dtype", torch.get_default_dtype, torch.set_default_dtype),
    ("the default device", torch.get_default_device, torch.set_default_device),
    ("the number of threads", torch.get_num_threads, torch.set_num_threads),
    ("grad mode", torch.is_grad_enabled, torch.set_grad_enabled),
    (
        "inference mode",
        torch.is_inference_mode_enabled,
        lambda mode: _guards.append(torch._C._InferenceMode(mode)),
    ),
    ("anomaly mode", torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    ("autocast", lambda: torch.is_autocast_enabled("cpu"), lambda mode: torch.set_autocast_enabled("cpu", mode)),
    ("deterministic algorithms", torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    ("the flag set_warn_always", torch.is_warn_always_enabled, torch.set_warn_always),
    (
        "print options",
        lambda: dict(vars(torch._tensor_str.PRINT_OPTS)),
        lambda options: vars(torch._tensor_str.PRINT_OPTS).update(options),
    ),
    ("saved-tensor hooks", lambda: torch._C._autograd._top_saved_tensors_default_hooks(True), _pop_all_hooks),
    (
        "a dispatch mode",
        lambda: len(dispatch._get_current_dispatch_mode_stack()),
        lambda depth: [dispatch._pop_mode() for _ in dispatch._get_current_dispatch_mode_stack()[depth:]],
    ),
    (
        "hooks on all modules",
        lambda: sum(map(len, _global_hooks())),
        lambda _: [hooks.clear() for hooks in _global_hooks()],
    ),
    ("the environment", lambda: dict(os.environ._data), _replace_environment),
    ("the working folder", lambda: (os.getcwd(), os.listdir()), _empty_folder),
    ("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
    ("sys.path", lambda: list(sys.path), lambda before: sys.path.__setitem__(slice(None), before)),
    ("the garbage collector", gc.isenabled, lambda on: gc.enable() if on else gc.disable()),
    ("a running thread", lambda: set(threading.enumerate()), lambda _: None),
]


@contextlib.contextmanager
def same_start(snippet: Snippet, problems: list[Problem]):
    """Every snippet starts from the same seeds, threads and filters, in an empty folder, and must leave what it found."""
    torch.default_generator.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    torch.set_num_threads(1)
    torch.set_warn_always(True)
    _attributes()
    left = []
    with contextlib.chdir(_folder().name):
        before = [read() for _, read, _ in _STATE]
        try:
            with warnings.catch_warnings(), limited():
                warnings.simplefilter("always")
                filters = list(warnings.filters)
                yield
                # An import may add a filter for its package's own warnings, as that of the first optimizer does.
                now = [entry for entry in warnings.filters if entry in filters or entry[2].__module__ == "builtins"]
                left += [] if now == filters else ["warning filters"]
        finally:
            for (name, read, restore), value in zip(_STATE, before, strict=True):
                if read() != value:
                    left.append(name)
                    restore(value)
            left += _restored()
            sys.modules.pop("meters", None)  # the next snippet imports them afresh
    if left:
        last = snippet.examples[-1].line
        problems.append(
            Problem(snippet.path, last, f"This snippet leaves changed: {', '.join(left)}.", "Restore it at the end.")
        )


@functools.cache
def _attributes() -> list[tuple[object, dict, tuple]]:
    """What others see of torch and of the shared modules: each of them and of their classes, with its attributes."""
    classes = {kind for space in SHARED for kind in vars(space).values() if isinstance(kind, type)}
    ours = [kind for kind in classes if kind.__module__.partition(".")[0] == "torch"]
    return [(space, dict(vars(space)), tuple(vars(space).values())) for space in [*SHARED, *ours]]


def _restored() -> list[str]:
    """The attributes that were set, replaced or deleted, by name; each is put back."""
    changed = []
    for space, before, values in _attributes():
        now = vars(space)
        with contextlib.suppress(Exception):  # what can't be compared has changed
            if tuple(now.values()) == values:  # as nearly always: the same objects, which nobody compares further
                continue
        for name in [name for name in {**before, **now} if before.get(name, _MISSING) is not now.get(name, _MISSING)]:
            old, new = before.get(name, _MISSING), now.get(name, _MISSING)
            private = name.startswith("_") and not (name.endswith("__") and (callable(old) or callable(new)))
            if not private and not _is_own(name, old, new):
                changed.append(f"{space.__name__}.{name}")
                delattr(space, name) if old is _MISSING else setattr(space, name, old)
    return changed


def _is_own(name: str, old, new) -> bool:
    """Whether torch itself changes this attribute: a counter, a module that was imported, an optimizer's first `step`."""
    imported = old is _MISSING and isinstance(new, types.ModuleType)
    return imported or isinstance(old, int | list | dict) or name == "step" and hasattr(new, "hooked")


@contextlib.contextmanager
def limited():
    """Interrupts what runs too long, again each second, should the code have caught the first, and in the end Python itself."""

    def interrupt(*_):
        faulthandler.dump_traceback_later(10, exit=True, file=_NOWHERE)
        raise TooLong

    kept = signal.signal(signal.SIGALRM, interrupt)
    outer = signal.setitimer(signal.ITIMER_REAL, LIMIT, 1)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, *outer)
        signal.signal(signal.SIGALRM, kept)
