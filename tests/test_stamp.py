"""A block says by itself on which PyTorch it held, and what others printed, from the evidence alone."""

from types import SimpleNamespace

import pytest

import snippet as snippets
import sphinx_snippets
from book import written
from evidence import Entry, Evidence

LONG = "RuntimeError: " + "one two three four five " * 4
TEXT = f'>>> print(4)\n4\n>>> print("{LONG[:20]}" "and more")\n{LONG}old\n'


@pytest.fixture
def stamp(tmp_path):
    """The stamp of one snippet, given what each version printed for its two examples; None for a run of another text."""
    snippet = snippets.read(written(tmp_path, TEXT))
    expected = ("4\n", f"{LONG}old\n")

    def stamp(**printed):
        versions = []
        for version, outputs in printed.items():
            digest = snippet.digest if outputs else "another"
            entry = Entry(digest, outputs == expected, list(outputs or expected), {})
            versions.append(Evidence(version.strip("v").replace("_", "."), "engine", {snippet.name: entry}))
        return sphinx_snippets.stamp(SimpleNamespace(versions=versions), snippet)

    return lambda **printed: stamp(
        **{name: expected if outputs == "held" else outputs for name, outputs in printed.items()}
    )


def test_versions_that_held_are_named(stamp):
    assert stamp(v1="held") == '<p class="stamp">Ran as shown on PyTorch 1.</p>\n'
    assert "PyTorch 1, 2 and 3_1.".replace("_", ".") in stamp(v1="held", v2="held", v3_1="held")


def test_a_run_of_another_text_is_not_named(stamp):
    assert stamp(v1=None, v2="held") == '<p class="stamp">Ran as shown on PyTorch 2.</p>\n'


def test_versions_that_differ_alike_share_a_sentence(stamp):
    shown = stamp(v1=("5\n", f"{LONG}old\n"), v2="held", v3=("5\n", f"{LONG}old\n"))
    assert "Ran as shown on PyTorch 2." in shown
    assert "PyTorch 1 and 3 print <samp>5</samp> for <code>print(4)</code>." in shown
    assert shown.count('class="differs"') == 1


def test_of_a_long_message_only_the_part_that_differs_is_shown(stamp):
    shown = stamp(v1=("4\n", f"{LONG}new\n"), v2="held")
    assert "PyTorch 1 prints <samp>… three four five new</samp>" in shown


def test_of_figures_nothing_is_left_out():
    assert sphinx_snippets.cut("1 " * 40 + "2", ["1 " * 30 + "2"]) == "1 " * 40 + "2"


def test_nothing_printed_is_said(stamp):
    assert "PyTorch 1 prints <samp>nothing</samp> for <code>print(4)</code>" in stamp(v1=("", f"{LONG}old\n"))
