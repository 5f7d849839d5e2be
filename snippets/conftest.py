"""Let pytest run each snippet as one test, and leave the evidence of the run. The engine itself is in docs/_ext/book."""

import gc
import os
import sys
from functools import cached_property
from importlib import metadata
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs" / "_ext"))

from book import checks, evidence
from book.contents import Book
from book.drawing import pictures
from book.problem import ROOT, Problem, shown, told
from book.reading import names, variants

RUNNING = ROOT / "_build" / "running"  # names the snippet that runs, for make to tell, should Python itself end
TORCH = evidence.base(metadata.version("torch"))
IS_PINNED = evidence.pinned_version() == TORCH


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
        from book.running import verify

        run, book = self.config.stash[RUN], self.config.stash[RUN].book
        name = names.name_of(self.path)
        if name not in book.snippets:
            return  # the item of the text says why
        snippet, bound = book.snippets[name], book.bound[name]
        if not verify.can_run(snippet):
            return
        run.tell(f"{shown(self.path)}:1")
        run.made[name], problems, outcome = verify.verify(snippet, bound)
        run.outputs += sum(bool(example.output) for example in snippet.examples)
        run.values += len(bound)
        findings = [] if IS_PINNED else [problem for problem in problems if problem.differs]
        run.findings += findings
        if len(problems) > len(findings):
            raise Failed(told(problem for problem in problems if problem not in findings))
        if not IS_PINNED or problems:
            return
        picture = name in book.pictured and draw(snippet, outcome)
        for choice, value in [(choice, value) for choice in book.choices.get(name, []) for value in choice.values]:
            left, other, outcome = verify.tried(snippet, choice, value, bound)
            run.made[name].variants[variants.key(choice, value)] = left
            if picture:
                picture.variants[variants.key(choice, value)] = draw(other, outcome).frames
        run.made[name].seal = run.made[name].sealed()
        if picture:
            pictures.save(name, picture)


def draw(snippet, outcome):
    """The snippet's picture, in the time that a snippet has."""
    from book.running import recording, start

    try:
        with start.limited():
            return pictures.draw(snippet, outcome, lambda: recording.record(snippet))
    except start.TooLong:
        what = f"This picture was stopped: it has been drawn for {start.LIMIT} seconds."
        raise Problem(names.picture_of(snippet.name), 1, what, "Look for a loop that doesn't end.") from None


class TextItem(Item):
    """All that can be wrong without a run: pages, snippets, and what they ask of each other."""

    def runtest(self):
        if problems := checks.of_text(self.config.stash[RUN].book):
            raise Failed(told(problems))


class SnippetFile(pytest.File):
    def collect(self):
        yield SnippetItem.from_parent(self, name=self.path.stem)


class Run:
    """What the items share: the book, what the runs have made so far, and what differed on another PyTorch."""

    def __init__(self):
        self.book = Book()
        self.made, self.findings = {}, []
        self.outputs = self.values = 0

    @cached_property
    def running(self):
        RUNNING.parent.mkdir(exist_ok=True)
        return RUNNING.open("w")

    def tell(self, place: str) -> None:
        """Leave word of what runs now, should Python itself end."""
        self.running.seek(0)
        self.running.truncate()
        self.running.write(place)
        self.running.flush()


RUN = pytest.StashKey[Run]()


def pytest_addoption(parser):
    parser.addoption("--only", default="", help="run one snippet, lesson/name, or those of one lesson")
    parser.addoption("--stale", action="store_true", help="run the snippets whose evidence doesn't fit any more")


def pytest_configure(config):
    if os.environ.get("PYTHONHASHSEED") != "0":
        raise pytest.UsageError("The order of sets is to be the same in each run. Run: make doctest")
    config.stash[RUN] = Run()


def pytest_collect_file(file_path, parent):
    if file_path in parent.config.stash[RUN].paths:
        return SnippetFile.from_parent(parent, path=file_path)


def pytest_sessionstart(session):
    """Find out what is to be run, before anything is collected."""
    run, only = session.config.stash[RUN], session.config.getoption("only")
    try:
        run.paths = {*names.named(only)} if names.snippet_paths() else set()
    except Problem as problem:
        raise pytest.UsageError(str(problem)) from None
    if session.config.getoption("stale"):
        run.paths = {names.path_of(name) for name in checks.stale(run.book)}
    if run.paths:
        gc.disable()  # what the book and torch's import take needn't be looked through, now or at any later collection
        import book.running.recording  # noqa: F401

        [snippet.digest for snippet in run.book.snippets.values()]
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(session, config, items):
    items.append(TextItem.from_parent(session, name="text"))


def pytest_runtest_protocol(item):
    """One phase for each item: there is no fixture to set up or tear down, and at hundreds of snippets that tells."""
    if not isinstance(item, Item):
        return None
    call = pytest.CallInfo.from_call(item.runtest, "call", reraise=KeyboardInterrupt)
    item.ihook.pytest_runtest_logreport(report=pytest.TestReport.from_item_and_call(item, call))
    return True


def pytest_sessionfinish(session, exitstatus):
    RUNNING.unlink(missing_ok=True)
    run, path = session.config.stash[RUN], evidence.path_for(TORCH)
    made = evidence.Evidence(TORCH, evidence.engine(), run.made)
    before = evidence.load_or_none(path)
    if before and session.config.getoption("only"):  # the other entries are still those of the engine that made them
        made = evidence.Evidence(TORCH, before.engine, before.snippets | run.made)
    elif before and before.engine == made.engine and session.config.getoption("stale"):
        made.snippets = {name: entry for name, entry in before.snippets.items() if name in run.book.snippets} | run.made
    if run.made or not before:
        evidence.save(path, made)


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    run = config.stash[RUN]
    if exitstatus == pytest.ExitCode.OK and run.made:
        held = sum(entry.held for entry in run.made.values())
        counts = f"{len(run.made)} snippets, {run.outputs} outputs, {run.values} values in prose"
        verdict = "all hold" if held == len(run.made) else f"{held} hold, the others differ as told below,"
        terminalreporter.line(f"{counts}: {verdict} on PyTorch {TORCH}")
        for problem in run.findings:
            terminalreporter.line(problem.without_remedy.rstrip())
        if config.getoption("only"):
            for line in (line for name, entry in run.made.items() for line in variants.told(name, entry.variants)):
                terminalreporter.line(line)
