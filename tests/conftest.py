"""Let the tests import the book's own modules, and let `make check` leave out what passed before and hasn't changed."""

import hashlib
import json
import sys
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs" / "_ext"))

from book import evidence
from book.drawing import pictures
from book.problem import ROOT
from book.reading.names import picture_of

PASSED = ROOT / "_build" / "passed.json"  # per test of one snippet, all that its verdict depends on


def pytest_addoption(parser):
    parser.addoption(
        "--changed", action="store_true", help="leave out tests of a snippet that passed on what is there now"
    )


def pytest_collection_modifyitems(config, items):
    passed = _passed()
    for item in items:
        item.ground = _ground(item)
    if config.getoption("changed"):
        fresh = [item for item in items if item.ground and passed.get(item.nodeid) == item.ground]
        config.hook.pytest_deselected(items=fresh)
        items[:] = [item for item in items if item not in fresh]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when == "call" and report.passed and item.ground:
        item.session.stash.setdefault(NEW, {})[item.nodeid] = item.ground


def pytest_sessionfinish(session):
    if new := session.stash.get(NEW, {}):
        PASSED.write_text(json.dumps(_passed() | new))


NEW = pytest.StashKey[dict[str, str]]()


def _passed() -> dict[str, str]:
    try:
        return json.loads(PASSED.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _ground(item: pytest.Item) -> str:
    """Hash of all that a test of one snippet depends on: snippet, bound values, picture, machinery, tests; else ""."""
    from sharing import BOOK

    name = getattr(item, "callspec", None) and item.callspec.params.get("name")
    if name not in BOOK.snippets:
        return ""
    picture = picture_of(name).read_bytes() if picture_of(name).is_file() else b""
    bound = [value.key for value in BOOK.bound[name]]
    ground = _machinery(), BOOK.snippets[name].digest, bound, picture
    return hashlib.sha256(repr(ground).encode()).hexdigest()[:16]


@cache
def _machinery() -> str:
    files = [*sorted(Path(__file__).parent.glob("*.py")), *pictures.MODULES]
    return evidence.engine() + hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
