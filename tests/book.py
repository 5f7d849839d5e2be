"""What several tests share: one test per snippet, a snippet from a text, and processes without a past."""

import multiprocessing
from functools import cache
from pathlib import Path

import pytest

import pages
import snippet as snippets
import verify

each_snippet = pytest.mark.parametrize(
    "path", [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in snippets.all_paths()]
)


@cache
def bound_values() -> dict[str, list[pages.Value]]:
    """The values in prose, per snippet that they are bound to."""
    return verify.bound_values(pages.read_all())


def written(folder: Path, text: str) -> Path:
    """A snippet's file in a folder of the test's own."""
    path = folder / "lesson" / "name.pycon"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def in_fresh_processes(function, arguments: list) -> list:
    """The function's results, each from a process of its own that has imported torch and run nothing."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "torch._dynamo"])  # the latter is what a first optimizer imports
    with context.Pool(2, maxtasksperchild=1) as pool:
        return pool.map_async(function, arguments, chunksize=1).get(timeout=300)
