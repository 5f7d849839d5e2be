"""One direction, no step back: the folders of the book's machinery are its rules of what may import what."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from book.problem import ROOT

PACKAGE = ROOT / "docs" / "_ext" / "book"
SPHINX = {"sphinx", "docutils", "myst_parser"}
# What the modules of a folder, or a module of none, may import of the book and must not import of others.
RULES = {
    "reading": ({"problem", "reading"}, SPHINX | {"torch"}),
    "drawing": ({"problem", "reading", "drawing"}, SPHINX | {"torch"}),
    "running": ({"problem", "reading", "drawing", "running", "evidence"}, SPHINX),
    "site": ({"problem", "reading", "drawing", "site", "evidence", "contents", "checks"}, {"torch"}),
    "problem": (set(), SPHINX | {"torch"}),
    "contents": ({"problem", "reading"}, SPHINX | {"torch"}),
    "evidence": ({"problem", "reading"}, SPHINX | {"torch"}),
    "checks": ({"problem", "reading", "drawing", "evidence", "contents"}, SPHINX | {"torch"}),
    "fix": ({"problem", "reading", "running", "contents"}, SPHINX),
    "pin": ({"problem", "reading", "evidence", "contents"}, SPHINX | {"torch"}),
    "alone": ({"problem"}, SPHINX | {"torch"}),
}
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def imported(path: Path) -> set[str]:
    """What a file imports, anywhere in it: "torch", or of the book "book.reading"."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {".".join(name.split(".")[: 2 if name.startswith("book.") else 1]) for name in found}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_imports_what_its_folder_may(path):
    ours, forbidden = RULES[path.relative_to(PACKAGE).parts[0].removesuffix(".py")]
    names = imported(path)
    assert not names & forbidden
    assert {name.removeprefix("book.") for name in names if name.startswith("book.")} <= ours


@pytest.mark.parametrize("part, forbidden", [("site", "torch"), ("running.verify, book.fix", "sphinx")])
def test_the_import_brings_nothing_along(part, forbidden):
    """The same in a process, where what other packages import counts too."""
    code = f"import sys, book.{part}; print({forbidden!r} in sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert process.stdout == "False\n", process.stderr
