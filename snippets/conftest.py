"""Let pytest run each snippet as one test, and leave the evidence of the run. The engine itself is in docs/_ext."""

import gc
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs" / "_ext"))

import torch

import evidence
import pages
import pictures
import recording
import snippet
import verify
from problem import Problem


class Failed(Exception):
    """Carries the problems of one item to the report."""


class Item(pytest.Item):
    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, Failed | Problem):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, self.name


class SnippetItem(Item):
    """One snippet: its outputs, and the values in prose that are bound to it."""

    def runtest(self):
        book = self.config.stash[BOOK]
        example = snippet.read(self.path)
        entry, problems, outcome = verify.verify(example, book.bound.get(example.name, []))
        book.made[example.name] = entry
        book.outputs += sum(bool(shown.output) for shown in example.examples)
        book.values += len(book.bound.get(example.name, []))
        if problems:
            raise Failed("\n".join(map(str, problems)))
        if pictures.path_of(example.name).is_file() and evidence.is_pinned(torch.__version__):
            picture = pictures.draw(example, outcome, partial(recording.record, example))
            pictures.save(example.name, picture)


class PagesItem(Item):
    """All pages: what they ask for exists, and their prose keeps the rules."""

    def runtest(self):
        if problems := pages.check(self.config.stash[BOOK].pages):
            raise Failed("\n".join(map(str, problems)))


class SnippetFile(pytest.File):
    def collect(self):
        yield SnippetItem.from_parent(self, name=self.path.stem)


class Book:
    """What the items share: what the pages ask for, and what the runs have made so far."""

    def __init__(self):
        self.pages = pages.read_all()
        self.bound = verify.bound_values(self.pages)
        self.made = {}
        self.outputs = self.values = 0


BOOK = pytest.StashKey[Book]()


def pytest_configure(config):
    gc.freeze()  # what torch's import left needn't be looked through at every collection
    config.stash[BOOK] = Book()


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".pycon":
        return SnippetFile.from_parent(parent, path=file_path)


def pytest_addoption(parser):
    parser.addoption("--only", default="", help="run one snippet, lesson/name, or those of one lesson")


def pytest_collection_modifyitems(session, config, items):
    if only := config.getoption("only"):
        named = snippet.named(only)
        if not named:
            raise pytest.UsageError(str(snippet.no_such(snippet.path_of(only), 1, only)))
        items[:] = [item for item in items if item.path in named]
    else:
        items.append(PagesItem.from_parent(session, name="pages"))


def pytest_runtest_protocol(item):
    """One phase for each item: there is no fixture to set up or tear down, and at hundreds of snippets that tells."""
    if not isinstance(item, Item):
        return None
    call = pytest.CallInfo.from_call(item.runtest, "call", reraise=KeyboardInterrupt)
    item.ihook.pytest_runtest_logreport(report=pytest.TestReport.from_item_and_call(item, call))
    return True


def pytest_sessionfinish(session, exitstatus):
    book = session.config.stash[BOOK]
    path = evidence.path_for(torch.__version__)
    made = evidence.Evidence(torch.__version__.split("+")[0], evidence.engine(), book.made)
    if session.config.getoption("only") and (before := evidence.load(path)):
        made = replace(before, snippets=before.snippets | made.snippets)  # the other entries are still the old engine's
    evidence.save(path, made)
    if is_finding(exitstatus):
        session.exitstatus = pytest.ExitCode.OK


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    book = config.stash[BOOK]
    if exitstatus == pytest.ExitCode.OK or is_finding(exitstatus):
        held = sum(entry.held for entry in book.made.values())
        counts = f"{len(book.made)} snippets, {book.outputs} outputs, {book.values} values in prose"
        verdict = "all hold" if held == len(book.made) else f"{held} snippets hold, the others differ as shown,"
        terminalreporter.line(f"{counts}: {verdict} on PyTorch {torch.__version__.split('+')[0]}")


def is_finding(exitstatus) -> bool:
    """What differs on another PyTorch than the pinned one is a finding, not a failure."""
    return exitstatus == pytest.ExitCode.TESTS_FAILED and not evidence.is_pinned(torch.__version__)
