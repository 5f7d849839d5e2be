"""The engine's own promises: what it compares, what it refuses, what counts as a change, and what a value in prose may say."""

import re

import pytest
import torch
from book import evidence
from book.problem import Problem
from book.reading import names, pages, snippets
from book.running import runs, start, values
from book.site import blocks
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from sharing import written

T_WARNING = (
    "UserWarning: The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw"
    " an error in a future release. Consider `x.mT` to transpose batches of matrices or"
    " `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.\n"
)


def differing(folder, text: str) -> list[int]:
    """The lines of the examples whose output isn't what the text says."""
    problems = runs.run(snippets.read(written(folder, text))).problems
    assert {problem.what for problem in problems} <= {"The output differs from what was run."}
    return [problem.line for problem in problems]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(">>> print(2)\n2\n", id="a figure"),
        pytest.param(">>> print('∂')\n∂\n", id="a letter that isn't ASCII"),
        pytest.param(
            ">>> raise ValueError('one')\nTraceback (most recent call last):\n    ...\nValueError: one\n", id="an error"
        ),
        pytest.param(
            ">>> raise ValueError('one\\n  two')\nTraceback (most recent call last):\n    ...\nValueError: one\n  two\n",
            id="an error of two lines",
        ),
        pytest.param(
            ">>> for x in [1, 0]:\n...     print(1 // x)\n...\n1\nTraceback (most recent call last):\n    ...\n"
            "ZeroDivisionError: integer division or modulo by zero\n",
            id="output before an error",
        ),
        pytest.param(">>> print('a\\n\\nb')\na\n<BLANKLINE>\nb\n", id="a blank line in an output"),
        pytest.param(">>> x = 1\n\n>>> print(x)\n1\n\n\n", id="blank lines between examples"),
        pytest.param(">>> print(object())  # doctest: +ELLIPSIS\n<object object at ...>\n", id="... over an address"),
        pytest.param(">>> print('in /usr/lib/x.py')  # doctest: +ELLIPSIS\nin ...\n", id="... over a path"),
        pytest.param(">>> print('[1, ..., 9]')\n[1, ..., 9]\n", id="three dots that were printed"),
    ],
)
def test_holds(tmp_path, text):
    assert not differing(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(">>> print(2)\n3\n", id="another figure"),
        pytest.param(">>> print(2)\n2 \n", id="a space at the end"),
        pytest.param(">>> print('a  b')\na b\n", id="one space for two"),
        pytest.param(">>> print(True)\n1\n", id="1 for True"),
        pytest.param(">>> print(1)\nTrue\n", id="True for 1"),
        pytest.param(">>> print('∂')\n\\u2202\n", id="an escape for the letter"),
        pytest.param(
            ">>> import torch; print(torch.tensor([2., 4., 6.]))\ntensor([3., 5., 7.])\n",
            id="digits before a bare point",
        ),
        pytest.param(">>> print('a\\n\\nb')\na\nb\n", id="a blank line left out"),
        pytest.param(">>> print(1); print(2)\n1\n", id="a line left out"),
        pytest.param(">>> print(1)\n1\n2\n", id="a line too many"),
        pytest.param(">>> print('[1, 2, 9]')\n[1, ..., 9]\n", id="... without the option"),
        pytest.param(">>> print('[1, 2, 9]')  # doctest: +ELLIPSIS\n[1, ..., 9]\n", id="... over a figure"),
        pytest.param(">>> print('x is 2.5')  # doctest: +ELLIPSIS\nx is ...\n", id="... over the last figure"),
        pytest.param(">>> print('x is')  # doctest: +ELLIPSIS\nx is...\n", id="... over nothing"),
        pytest.param(
            ">>> raise ValueError('one')\nTraceback (most recent call last):\n    ...\nValueError: two\n",
            id="another error text",
        ),
        pytest.param(
            ">>> raise ValueError('one')\nTraceback (most recent call last):\n    ...\nKeyError: one\n",
            id="another kind of error",
        ),
        pytest.param(
            ">>> raise ValueError('one\\ntwo')\nTraceback (most recent call last):\n    ...\nValueError: one\n",
            id="the second line of an error left out",
        ),
        pytest.param(
            ">>> print(1)\nTraceback (most recent call last):\n    ...\nValueError: one\n",
            id="an error that wasn't raised",
        ),
        pytest.param(">>> raise ValueError('one')\none\n", id="an error that wasn't expected"),
        pytest.param(
            ">>> for x in [1, 0]:\n...     print(1 // x)\n...\nTraceback (most recent call last):\n    ...\n"
            "ZeroDivisionError: integer division or modulo by zero\n",
            id="output before an error left out",
        ),
        pytest.param(
            ">>> for x in [1, 0]:\n...     print(1 // x)\n...\n2\nTraceback (most recent call last):\n    ...\n"
            "ZeroDivisionError: integer division or modulo by zero\n",
            id="another output before an error",
        ),
        pytest.param(
            ">>> for x in [1, 0]:\n...     __import__('warnings').warn('w') if x else 1 // x\n...\n"
            "Traceback (most recent call last):\n    ...\nZeroDivisionError: integer division or modulo by zero\n",
            id="a warning before an error left out",
        ),
        pytest.param(">>> import warnings\n>>> warnings.warn('w'); print(1)\n1\n", id="a warning left out"),
    ],
)
def test_differs(tmp_path, text):
    last_prompt = max(number for number, line in enumerate(text.split("\n"), 1) if line.startswith(">>> "))
    assert differing(tmp_path, text) == [last_prompt]


@pytest.mark.parametrize(
    "text, line, what",
    [
        pytest.param(
            ">>> print(1)\n1\n>>> # a comment\n2\n", 4, "belongs to no example", id="an output under a comment"
        ),
        pytest.param(">>> print(1)\n1\n\nPrints one.\n", 4, "belongs to no example", id="text between examples"),
        pytest.param("Prints one.\n>>> print(1)\n1\n", 1, "belongs to no example", id="text before the first example"),
        pytest.param(
            ">>> print(1)  # doctest: +NORMALIZE_WHITESPACE\n1\n", 1, "would loosen", id="spaces that don't count"
        ),
        pytest.param(">>> print(1)  # doctest: +SKIP\n2\n", 1, "would loosen", id="an example that isn't run"),
        pytest.param(
            ">>> 1/0  # doctest: +IGNORE_EXCEPTION_DETAIL\nTraceback (most recent call last):\n    ...\nZeroDivisionError: x\n",
            1,
            "would loosen",
            id="an error text that doesn't count",
        ),
        pytest.param("  >>> print(1)\n  1\n", 1, "indented", id="an indented prompt"),
        pytest.param(">>>print(1)\n1\n", 1, "isn't in the form", id="a prompt without its space"),
        pytest.param(">>> x = 1\n", 1, "no output", id="no output at all"),
    ],
)
def test_refused(tmp_path, text, line, what):
    with pytest.raises(Problem) as refusal:
        snippets.read(written(tmp_path, text))
    assert refusal.value.line == line
    assert what in refusal.value.what


def test_warnings_fire_every_time_and_without_the_tail_of_this_build(tmp_path):
    """torch itself shows this one once per process, and says where in its own source it was triggered."""
    text = f">>> import torch\n>>> for _ in range(2):\n...     x = torch.ones(1, 1, 1).T\n...\n{2 * T_WARNING}"
    assert not differing(tmp_path, text)
    assert not differing(tmp_path, text)


def test_a_value_shown_without_print_is_refused(tmp_path):
    [problem] = runs.run(snippets.read(written(tmp_path, ">>> 2\n2\n"))).problems
    assert "without print" in problem.what


DIGESTED = ">>> from meters import SavedBytes\n>>> x = '''a\n... b'''\n>>> print(3, '# 4')\n3 # 4\n"


@pytest.mark.parametrize(
    "old, new, voids",
    [
        pytest.param("'# 4')", "'# 4')  # a comment", False, id="a comment"),
        pytest.param(">>> x", ">>> # a comment\n>>> x", False, id="a comment behind a prompt"),
        pytest.param(">>> x", "\n>>> x", False, id="a blank line"),
        pytest.param("print(3", "print(4", True, id="a digit in the code"),
        pytest.param("\n3", "\n4", True, id="a digit in an output"),
        pytest.param("'# 4'", "'# 5'", True, id="a string that looks like a comment"),
        pytest.param("'# 4')", "'# 4')  # doctest: +ELLIPSIS", True, id="another comparison"),
        pytest.param("'''a\n", "'''a\n...\n", True, id="a blank line in a string"),
        pytest.param("'''a\n", "'''a \n", True, id="a space in a string"),
    ],
)
def test_what_voids_a_run(tmp_path, old, new, voids):
    (tmp_path / "meters.py").write_text("SavedBytes = 1\n")
    before = snippets.read(written(tmp_path, DIGESTED)).digest
    after = snippets.read(written(tmp_path, DIGESTED.replace(old, new, 1))).digest
    assert (before != after) == voids


@pytest.mark.parametrize("text, voids", [(DIGESTED, True), (">>> print(1)\n1\n", False)], ids=["used", "not used"])
def test_changed_meters_void_the_runs_that_used_them(tmp_path, text, voids):
    path, digests = written(tmp_path, text), set()
    for meters in ("SavedBytes = 1\n", "SavedBytes = 1  # a comment\n", "SavedBytes = 2\n"):
        (tmp_path / "meters.py").write_text(meters)
        digests.add(snippets.read(path).digest)
    assert len(digests) == 1 + voids


@pytest.mark.parametrize(
    "shown, value, form",
    [
        ("0.8", torch.tensor(0.8), ""),
        ("0.62", torch.tensor(0.62), ""),
        ("1.6", torch.tensor([1.6, 1.6]), ""),
        ("4", torch.tensor([4.0, 4.0, 4.0]), ""),
        ("4", torch.tensor(4), ""),
        ("4", 4.0, ""),
        ("4", 4, ""),
        ("(4, 3)", torch.tensor([4.0, 3.0]), ""),
        ("(4, 3)", (4, 3), ""),
        ("(4, 3)", [4.0, 3.0], ""),
        ("(4, (3, 2))", (4.0, [3.0, 2.0]), ""),
        ("((1, 2), (3, 4))", torch.tensor([[1, 2], [3, 4]]), ""),
        ("True", True, ""),
        ("True", torch.tensor(True), ""),
        ("(True, False)", [True, False], ""),
        ("None", None, ""),
        ("MulBackward0", "MulBackward0", ""),
        ("−3", -3, ""),
        ("-3", torch.tensor(-3.0), ""),
        ("(−7.5, 2)", (-7.5, 2), ""),
        ("37", 36.8, ".0f"),
        ("−0.8", torch.tensor(-0.8), ".1f"),
        ("1e-05", 0.00001, ""),
        ("1e-05", torch.tensor(0.00001), ""),
        ("nan", float("nan"), ""),
        ("a − b", "a − b", ""),
    ],
)
def test_a_value_that_holds(shown, value, form):
    assert values.holds(shown, value, form)


@pytest.mark.parametrize(
    "shown, value, form",
    [
        ("0.8", torch.tensor(0.8000001), ""),
        ("0.8", 0.1 * 8 + 1e-12, ""),
        ("0.8", torch.tensor(0.8).item(), ""),
        ("4", torch.tensor([4.0, 4.0, 5.0]), ""),
        ("4", torch.tensor([]), ""),
        ("()", torch.tensor([]), ""),
        ("4", None, ""),
        ("4", (4,), ""),
        ("(4,)", torch.tensor(4.0), ""),
        ("4.5", torch.tensor(4), ""),
        ("4.5", 4, ""),
        ("3", -3, ""),
        ("−3", 3, ""),
        ("3", torch.tensor(-3.0), ""),
        ("(3, 4)", torch.tensor([4.0, 3.0]), ""),
        ("(4, 3)", torch.tensor([4.0, 3.0, 3.0]), ""),
        ("(4, 3)", torch.tensor([[4.0, 3.0], [4.0, 3.0]]), ""),
        ("(4, 3)", (4, 3, 3), ""),
        ("False", True, ""),
        ("1", True, ""),
        ("True", 1, ""),
        ("True", 1.0, ""),
        ("1", torch.tensor(True), ""),
        ("True", torch.tensor(1), ""),
        ("True", torch.tensor(1.0), ""),
        ("(1, 0)", (True, False), ""),
        ("(True, 3)", torch.tensor([1.0, 3.0]), ""),
        ("0", None, ""),
        ("None", 0, ""),
        ("None", torch.tensor(0.0), ""),
        ("MulBackward0", "AddBackward0", ""),
        ("MulBackward0", torch.tensor(0.0), ""),
        ("36.8", 36.8, ".0f"),
        ("37", 36.4, ".0f"),
        ("0.8", torch.tensor(-0.8), ".1f"),
    ],
)
def test_a_value_that_does_not_hold(shown, value, form):
    assert not values.holds(shown, value, form)


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor(0.8),
        torch.tensor([1.6, 2.0]),
        torch.tensor([3.5]),
        torch.tensor([[1, 2], [3, 4]]),
        torch.tensor([True, False]),
        torch.tensor(float("nan")),
        torch.Size([3]),
        0.00001,
        -3,
        (4, [3.5]),
        [True],
        [None],
        ("ReLU", 65536),
        torch.float32,
    ],
    ids=str,
)
def test_what_fix_writes_holds(value):
    assert values.holds(values.shown_as(value, ""), value, "")


def test_saved_evidence_is_the_same_whatever_the_order_of_the_run(tmp_path):
    first = evidence.Entry("d1", True, {"0": "4\n"}, {"4 <x>": "4", "∂ <y>": "∂"})
    second = evidence.Entry("d2", False, {}, {})
    made = evidence.Evidence("2.13.0", "engine", {"b/two": second, "a/one": first})
    again = evidence.Evidence(
        "2.13.0",
        "engine",
        {"a/one": evidence.Entry("d1", True, {"0": "4\n"}, {"∂ <y>": "∂", "4 <x>": "4"}), "b/two": second},
    )
    evidence.save(tmp_path / "new" / "one.json", made)
    evidence.save(tmp_path / "2.13.0.json", again)
    text = (tmp_path / "new" / "one.json").read_text("utf-8")
    assert text == (tmp_path / "2.13.0.json").read_text("utf-8")
    assert "∂" in text and re.search(r'"held": true,\n', text), "one fact a line, and readable"
    assert evidence.load(tmp_path / "2.13.0.json") == made


def test_a_block_shows_what_was_printed_and_not_how_it_is_compared(tmp_path):
    text = ">>> print('in /usr/lib\\n\\n1')  # doctest: +ELLIPSIS\nin ...\n<BLANKLINE>\n1\n"
    shown = blocks.as_html(snippets.read(written(tmp_path, text)))
    assert "<samp>in ...\n\n1\n</samp>" in shown and "BLANKLINE" not in shown and "doctest" not in shown


LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
HALVES = f">>> x = '{LONG[:40]}'\n>>> x += '{LONG[40:]}'\n"


@pytest.mark.parametrize(
    "name, kind",
    [("RuntimeError", "error"), ("torch.autograd.gradcheck.GradcheckError", "error"), ("UserWarning", "warning")],
)
def test_a_message_may_be_wide_and_is_marked(tmp_path, name, kind):
    with pytest.raises(Problem, match=f"{len(LONG)} characters; 72 fit the page"):
        snippets.read(written(tmp_path, f"{HALVES}>>> print(x)\n{LONG}\n"))
    text = f"{HALVES}>>> print('{name}: ' + x)\n{name}: {LONG}\n"
    assert f'<span class="message {kind}">' in blocks.as_html(snippets.read(written(tmp_path, text)))


def test_an_error_of_several_lines_may_be_wide(tmp_path):
    raised = f"Traceback (most recent call last):\n    ...\nValueError: first\n{LONG}\n"
    snippet = snippets.read(written(tmp_path, f"{HALVES}>>> raise ValueError('first\\n' + x)\n{raised}"))
    assert not runs.run(snippet).problems
    assert blocks.as_html(snippet).count('<span class="message error">') == 2


def test_a_near_name_is_looked_for_in_the_same_lesson_first(tmp_path, monkeypatch):
    monkeypatch.setattr(names, "SNIPPETS", tmp_path)
    for name in ("a/chain", "b/chain-of", "c/chain"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.pycon").touch()
    assert [names.nearest(f"{lesson}/chian") for lesson in "abcd"] == ["a/chain", "b/chain-of", "c/chain", "c/chain"]


@pytest.mark.parametrize("path", [*names.page_paths(), None], ids=lambda path: path.stem if path else "all kinds")
def test_a_page_is_read_as_myst_reads_it(path):
    """What our parser doesn't see, no check sees, and MyST might show."""
    config = MdParserConfig(enable_extensions={"colon_fence", "dollarmath"})
    text = path.read_text("utf-8") if path else KINDS
    assert _kinds(pages.parser().parse(text)) == _kinds(create_md_parser(config, RendererHTML).parse(text))


KINDS = """---
a: b
---
(target)=
# Title {role}`x` $x$ `x` [x](y "z") ![x](y) <b>x</b> <https://x.y> &#55; **x** _x_ [^x]

+++

% comment

- x
  24. x

> x

| x |
| - |
| x |

$$
x
$$ (label)

[^x]: x

    code

~~~{note}
x
~~~

:::{note} x
x
:::

Setext
------

* * *
"""


def _kinds(tokens) -> list[str]:
    shown = [token for token in tokens if token.type != "wordcount"]
    return [f"{token.type} {token.content} {_kinds(token.children or [])}" for token in shown]


def test_a_limit_within_a_limit_leaves_the_outer_one_in_force(monkeypatch):
    monkeypatch.setattr(start, "LIMIT", 1)
    with pytest.raises(start.TooLong), start.limited():
        with start.limited():
            pass
        while True:
            pass
