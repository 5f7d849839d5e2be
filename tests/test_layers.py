"""One direction, no step back: what runs snippets never imports Sphinx, what builds the book never imports torch."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from problem import ROOT

EXTENSIONS = ROOT / "docs" / "_ext"
BUILDING = [ROOT / "conf.py", *sorted(EXTENSIONS.glob("sphinx_*.py"))]
RUNNING = [path for path in sorted(EXTENSIONS.glob("*.py")) if path not in BUILDING] + [
    ROOT / "snippets" / "conftest.py"
]


def imported(path: Path, seen: set[str]) -> set[str]:
    """Top-level names of all modules that a file imports, anywhere in it, and that the book's own modules import in turn."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in {name.split(".")[0] for name in names} - seen:
            seen.add(name)
            if (EXTENSIONS / f"{name}.py").is_file():
                imported(EXTENSIONS / f"{name}.py", seen)
    return seen


@pytest.mark.parametrize("path", BUILDING, ids=lambda path: path.name)
def test_what_builds_the_book_imports_no_torch(path):
    assert "torch" not in imported(path, set())


@pytest.mark.parametrize("path", RUNNING, ids=lambda path: path.name)
def test_what_runs_snippets_imports_no_sphinx(path):
    assert not {name for name in imported(path, set()) if name.startswith(("sphinx", "docutils", "myst_parser"))}


@pytest.mark.parametrize("paths, forbidden", [(BUILDING, "torch"), (RUNNING, "sphinx")], ids=["building", "running"])
def test_the_import_brings_nothing_along(paths, forbidden):
    """The same in a process, where what other packages import counts too."""
    folders, modules = sorted({str(path.parent) for path in paths}), ", ".join(path.stem for path in paths)
    code = f"import sys; sys.path[:0] = {folders}; import {modules}; print({forbidden!r} in sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout == "False\n", process.stderr
