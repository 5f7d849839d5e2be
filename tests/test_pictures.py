"""The pictures show what was run, all of it and nothing else; recording a run doesn't change it."""

import ast
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import pytest
from book.drawing import pictures
from book.drawing.marks import figure
from book.problem import ROOT, Problem
from book.reading import names, snippets
from book.running import recording, runs
from book.site import pictures as site_pictures
from sharing import BOOK, each_snippet

DRAWN = [
    path.relative_to(names.SNIPPETS).as_posix().removesuffix(".picture.py")
    for path in sorted(names.SNIPPETS.glob("*/*.picture.py"))
]


def drawn(snippet):
    return pictures.draw(snippet, runs.run(snippet), partial(recording.record, snippet))


def words(picture):
    """All text of a picture: labels, captions, descriptions."""
    labels = [
        "".join(element.itertext())
        for frame in picture.frames
        for element in ElementTree.fromstring(frame.svg).iter()
        if element.text
    ]
    return labels + [frame.caption for frame in picture.frames]


def changed(snippet):
    """The snippet with each number and each flag in its code changed, one at a time."""
    for index, example in enumerate(snippet.examples):
        for number in ast.walk(ast.parse(example.source)):
            if isinstance(number, ast.Constant) and isinstance(number.value, int | float):
                other = not number.value if isinstance(number.value, bool) else number.value + 1
                lines = example.source.split("\n")
                line = lines[number.lineno - 1]
                lines[number.lineno - 1] = line[: number.col_offset] + repr(other) + line[number.end_col_offset :]
                examples = list(snippet.examples)
                examples[index] = replace(example, source="\n".join(lines))
                yield replace(snippet, examples=tuple(examples))


@pytest.mark.parametrize("name", DRAWN)
def test_follows_the_run(name):
    """A number or a flag changed in the code changes the picture, or else what is printed."""
    snippet = snippets.read(names.path_of(name))
    outputs, shown = runs.run(snippet).outputs, words(drawn(snippet))
    followed = 0
    for other in changed(snippet):
        outcome = runs.run(other)
        if any(error for _, error in outcome.outputs):
            continue  # what doesn't run has no picture
        try:
            follows = words(pictures.draw(other, outcome, partial(recording.record, other))) != shown
        except Problem:
            follows = True  # the picture says itself that it no longer fits
        followed += follows
        assert follows or outcome.outputs != outputs, "".join(example.source for example in other.examples)
    assert followed or follows_names(snippet, shown)


def follows_names(snippet, shown):
    """Whether the picture changes with the lists of numbers that the snippet leaves."""
    outcome = runs.run(snippet)
    for name, value in outcome.names.items():
        if isinstance(value, list) and all(isinstance(number, int | float) for number in value):
            outcome.names[name] = [number + 1 for number in value]
    return words(pictures.draw(snippet, outcome, None)) != shown


def test_same_bytes_in_another_process():
    code = (
        "import sys; sys.path[:0] = sys.argv[1:3]\n"
        "from test_pictures import DRAWN, drawn, names, snippets\n"
        "for name in DRAWN: print(*drawn(snippets.read(names.path_of(name))).frames, sep='')"
    )
    paths = [str(ROOT / "docs" / "_ext"), str(ROOT / "tests")]
    other = subprocess.run(
        [sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert other == ["".join(map(str, drawn(snippets.read(names.path_of(name))).frames)) for name in DRAWN]


@pytest.mark.parametrize("name", DRAWN)
def test_colours_and_fonts_are_the_pages(name):
    for frame in drawn(snippets.read(names.path_of(name))).frames:
        assert not re.search(r"#[0-9a-f]{3,8}\b|rgb\(|font-family|<style|@key@", frame.svg)


@each_snippet
def test_recording_changes_no_output(name):
    snippet = BOOK.snippets[name]
    assert recording.record(snippet).outputs == runs.run(snippet).outputs


SESSION = """\
>>> import torch
>>> seen = []
>>> w = torch.tensor(2.0, requires_grad=True)
>>> y = w * 3 + w * 5
>>> hook = y.register_hook(lambda v: seen.append(("y", v.item())))
>>> other = w.register_hook(lambda v: seen.append(("w", v.item())))
>>> y.backward(retain_graph=True)
>>> kept = w.grad
>>> y.backward()
>>> returned = torch.autograd.grad(w * w, w)
>>> print(w.grad)
tensor(16.)
"""


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """An empty book with one snippet; gives a function that writes the snippet's picture, and the snippet."""
    monkeypatch.setattr(names, "SNIPPETS", tmp_path)
    monkeypatch.setattr(pictures, "FOLDER", tmp_path / "made")
    path = tmp_path / "lesson" / "name.pycon"
    path.parent.mkdir()
    path.write_text(SESSION)

    def write(picture: str):
        names.picture_of("lesson/name").write_text(picture)
        return snippets.read(path)

    return write


def test_record_is_what_the_snippet_saw(lesson):
    snippet = lesson("")
    made, seen = recording.record(snippet), runs.run(snippet).names["seen"]
    first, second, third = made.passes
    assert [(node.label, node.received) for walk in made.passes[:2] for node in walk.nodes if node.names] == seen[:4]
    assert [node.label for node in first.nodes] == ["y", "w * 5", "w * 3", "w"]
    assert [node.sequence for node in first.nodes] == [2, 1, 0, None]
    assert [arrival.value for arrival in first["w"].incoming] == [5.0, 3.0] and first["w"].received == 8.0
    assert (first["w"].before, first["w"].stored) == (None, 8.0) and (second["w"].before, second["w"].stored) == (
        8.0,
        16.0,
    )
    assert third.returned == [4.0] and [node.label for node in third.nodes] == ["w * w"]


def test_record_tells_names_of_one_tensor(lesson):
    last = recording.record(lesson("")).moments[-1].names
    assert last["kept"] == last["w.grad"] and last["kept"].value == 16.0
    assert last["kept"].identity != last["w"].identity


@pytest.mark.parametrize(
    "line",
    [
        'text(at(1, 2), "5")',
        "figure(3)",
        'f"{names} 4"',
        'f"{6}"',
        "count = 7",
        'square = "w²"',
        "text(at(1, 2), str(8))",
        "[9][0]",
    ],
)
def test_a_figure_typed_by_hand_is_refused(lesson, line):
    snippet = lesson(f'"""Lesson 1."""\n\n\ndef draw(names):\n    {line}\n')
    with pytest.raises(Problem, match=r"name\.picture\.py:5: The figure .* is typed by hand"):
        drawn(snippet)


def test_places_indices_and_formats_are_free(lesson):
    snippet = lesson(
        "from book.drawing.marks import Drawing, at, text\n\n\ndef draw(names):\n"
        "    return Drawing('w', 'w', [text(at(3, 4 * 5), f\"{names['seen'][0][1]:.1f}\")])\n"
    )
    assert "1.0" in words(drawn(snippet))


HEAD = "from book.drawing.marks import Drawing, at, dot\n\ndef draw(names):\n    return "


@pytest.mark.parametrize(
    "case, broken",
    {
        "not Python": ("def draw(names)\n", r"picture\.py:1: This isn't Python"),
        "no draw": ("\n\ndef paint(names):\n    pass\n", r"picture\.py:1: This file has no function draw"),
        "raises": (
            "def draw(names):\n    names\n    return names['v']\n",
            r"picture\.py:3: This picture raises KeyError: 'v'",
        ),
        "import": (
            "from absent import x\n\ndef draw(names):\n    pass\n",
            r"picture\.py:1: This picture raises ModuleNotFoundError",
        ),
        "dict": (
            "x = None\n\ndef draw(names):\n    return names\n",
            r"picture\.py:3: draw returns dict, which is no picture",
        ),
        "no marks": (HEAD + "Drawing('t', 'd', [])\n", r"picture\.py:3: draw returns Drawing, which is no picture"),
        "empty": ("def draw(names):\n    return []\n", r"picture\.py:1: draw returns list, which is no picture"),
        "untitled": (HEAD + "Drawing('', 'd', [dot(at(0, 0))])\n", r"picture\.py:3: .* has no title"),
        "wide": (HEAD + "Drawing('t', 'd', [dot(at(0, 0)), dot(at(400, 0))])\n", r"picture\.py:3: .* 412 units wide"),
        "large": (
            HEAD + "Drawing('t', 'd', [dot(at(0, 0)) for _ in names['w'].expand(at(1900, 0).x)])\n",
            r"picture\.py:3: .* takes \d+ bytes",
        ),
    }.items(),
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_a_broken_picture_is_a_problem_with_its_line(lesson, case, broken):
    picture, message = broken
    snippet = lesson(picture)
    with pytest.raises(Problem, match=message):
        drawn(snippet)


def test_no_picture_is_a_problem(lesson):
    snippet = lesson("")
    names.picture_of(snippet.name).unlink()
    with pytest.raises(Problem, match="This file can't be read: No such file"):
        drawn(snippet)


def test_digest_follows_picture_and_snippet(lesson):
    good = HEAD + "Drawing('t', 'd', [dot(at(0, 0))])\n"
    snippet = lesson(good)
    pictures.save(snippet.name, drawn(snippet))
    assert pictures.load(snippet.name).digest == pictures.digest(snippet)
    assert pictures.load(snippet.name).digest != pictures.digest(replace(snippet, examples=snippet.examples[:-1]))
    assert pictures.load(snippet.name).digest != pictures.digest(lesson(good + "\n"))


def test_a_picture_fits_until_its_file_changes(lesson):
    good = HEAD + "Drawing('t', 'd', [dot(at(0, 0))])\n"
    snippet = lesson(good)
    assert not pictures.fits(snippet, set())
    pictures.save(snippet.name, drawn(snippet))
    assert pictures.fits(snippet, set())
    assert not pictures.fits(lesson(good + "\n"), set())


def test_a_damaged_picture_is_drawn_anew(lesson):
    snippet = lesson(HEAD + "Drawing('t', 'd', [dot(at(0, 0))])\n")
    pictures.save(snippet.name, drawn(snippet))
    path = pictures.made_path(snippet.name)
    path.write_bytes(path.read_bytes()[:40])
    assert not pictures.fits(snippet, set())


def test_values_are_shown_as_they_are():
    import torch

    assert [figure(value) for value in (torch.tensor([2.0, -0.5]), 12.0, 2.0**30, None, 7)] == [
        "[2, −0.5]",
        "12",
        "1073741824",
        "None",
        "7",
    ]


def test_a_picture_shown_twice_keeps_its_ids_apart():
    frame = pictures.Shown(
        '<svg aria-labelledby="picture-a-1-title"><title id="picture-a-1-title">t</title></svg>', "`w` is < 3"
    )
    picture = pictures.Picture("digest", "picture-a", "t", [frame, frame])
    once, twice = site_pictures.html(picture), site_pictures.html(picture, 1)
    assert (
        '<figcaption><code class="docutils literal">w</code> is &lt; 3</figcaption>' in once
        and once.count("<figure") == 2
    )
    assert set(re.findall(r'id="(.+?)"', once)).isdisjoint(re.findall(r'id="(.+?)"', twice))
