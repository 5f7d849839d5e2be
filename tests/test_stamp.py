"""A block says by itself on which PyTorch it held, and what others printed or left, from the evidence alone."""

from pathlib import Path

import pytest
from book import evidence
from book.evidence import Entry, Evidence
from book.reading import snippets
from book.reading.pages import Value
from book.site import stamps
from sharing import written

LONG = "RuntimeError: " + "one two three four five " * 4
TEXT = f'>>> print(4)\n4\n>>> print("{LONG[:20]}" "and more")\n{LONG}old\n'
VALUE = Value(Path("docs/lesson.md"), 3, "lesson/name", "4", "w.grad", "")


@pytest.fixture
def snippet(tmp_path):
    return snippets.read(written(tmp_path, TEXT))


@pytest.fixture
def stamp(snippet):
    """The stamp of the snippet, given by version what its examples printed where that differs, and the bound value."""

    def stamp(bound=(), **runs):
        return stamps.stamp([version(snippet, name, *run) for name, run in runs.items()], snippet, bound)

    return stamp


def version(snippet, name, outputs=None, values=None, engine=None, digest=None):
    outputs, values = outputs or {}, {VALUE.key: "4"} if values is None else values
    entry = Entry(digest or snippet.digest, not outputs and {"4"} >= set(values.values()), outputs, values)
    return Evidence(name.strip("v").replace("_", "."), engine or evidence.engine(), {snippet.name: entry})


def test_versions_that_held_are_named(stamp):
    assert stamp(v1=()) == '<p class="stamp">Ran as shown on PyTorch 1.</p>\n'
    assert "PyTorch 1, 2 and 3.1." in stamp(v1=(), v2=(), v3_1=())


@pytest.mark.parametrize(
    "run",
    [(None, None, "another engine"), (None, None, None, "another text"), (None, {})],
    ids=["another engine", "another text", "a value that wasn't bound then"],
)
def test_a_run_of_something_else_is_not_named(stamp, snippet, run):
    assert stamp([VALUE], v1=run, v2=()) == '<p class="stamp">Ran as shown on PyTorch 2.</p>\n'
    assert stamps.verdict(version(snippet, "v1", *run), snippet, [VALUE]) == "–"


def test_versions_that_differ_alike_share_a_sentence(stamp):
    shown = stamp(v1=({"0": "5\n"},), v2=(), v3=({"0": "5\n"},))
    assert "Ran as shown on PyTorch 2." in shown
    assert "PyTorch 1 and 3 print <samp>5</samp> for <code>print(4)</code>." in shown
    assert shown.count('class="differs"') == 1


def test_a_version_that_differs_in_a_bound_value_alone_says_so(stamp, snippet):
    shown = stamp([VALUE], v1=(None, {VALUE.key: "0"}), v2=())
    assert "Ran as shown on PyTorch 2." in shown
    assert "On PyTorch 1 <code>w.grad</code> is <samp>0</samp>, not 4." in shown
    assert "differs" in stamps.verdict(version(snippet, "v1", None, {VALUE.key: "0"}), snippet, [VALUE])


def test_a_snippet_that_needs_a_later_version_says_so(tmp_path):
    snippet = snippets.read(written(tmp_path, f">>> # Needs PyTorch 2.10.\n{TEXT}"))
    old, new = version(snippet, "2.8.0"), version(snippet, "2.13.0")
    old.snippets = {}
    assert stamps.stamp([old, new], snippet, []) == (
        '<p class="stamp">Ran as shown on PyTorch 2.13.0. It needs PyTorch 2.10.</p>\n'
    )
    assert [stamps.verdict(one, snippet, []) for one in (old, new)] == ["needs 2.10", "held"]


def test_of_a_long_message_only_the_part_that_differs_is_shown(stamp):
    shown = stamp(v1=({"1": f"{LONG}new\n"},), v2=())
    assert "PyTorch 1 prints <samp>… three four five new</samp>" in shown


def test_of_figures_nothing_is_left_out():
    assert stamps.cut("1 " * 40 + "2", ["1 " * 30 + "2"]) == "1 " * 40 + "2"


def test_nothing_printed_is_said(stamp):
    assert "PyTorch 1 prints <samp>nothing</samp> for <code>print(4)</code>" in stamp(v1=({"0": ""},))


def test_versions_stand_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "COMMITTED", tmp_path)
    monkeypatch.setattr(evidence, "PINNED", tmp_path / "pinned" / "evidence.json")
    evidence.save(evidence.PINNED, Evidence("2.13.0", "engine"))
    for other in ("2.16.0rc1", "2.8.0", "2.14.1"):
        evidence.save(tmp_path / f"{other}.json", Evidence(other, "engine"))
    assert [found.torch for found in evidence.all_versions()] == ["2.8.0", "2.13.0", "2.14.1", "2.16.0rc1"]
