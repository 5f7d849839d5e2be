"""Each mark has an example, keeps its text in its box, and is made of classes that the page's style sheet knows."""

import ast
import re
from xml.etree import ElementTree

import pytest
from book.drawing.marks import NAMES, WIDTH, Mark, Point, bracket, extent, timeline
from marks import CSS, EXAMPLES, colours, drawn, made, page, public

each_example = pytest.mark.parametrize("name", EXAMPLES)
SHEET = re.sub(r"/\*.*?\*/", "", CSS.read_text("utf-8"), flags=re.DOTALL)
# All that is selected within a picture, such as "rect.kept" and ":where(text[class])".
SELECTED = set(re.split(r"[\s,{]+", " ".join(re.findall(r"\.picture[^{}]*\{", SHEET))))


def parsed(mark: Mark) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(f"<svg>{mark.svg}</svg>"))


def lines(mark: Mark) -> list[tuple[str, float, float, float]]:
    """Each line of text of a mark: its words, its left and its right side, and the line it stands on."""
    found = []
    for element in parsed(mark):
        if element.tag == "text":
            style, x = element.get("class").split(), float(element.get("x"))
            wide = extent(element.text, " ".join(style))
            if "name" not in style and {"quiet", "small", "visit"} & set(style):
                wide *= 12 / 14
            left = x if "start" in style else x - wide if "end" in style else x - wide / 2
            found.append((element.text, left, left + wide, float(element.get("y"))))
    return found


def test_each_mark_has_an_example():
    assert list(EXAMPLES) == list(public())


@each_example
def test_the_example_calls_its_mark(name):
    assert name in {node.id for node in ast.walk(ast.parse(EXAMPLES[name].strip())) if isinstance(node, ast.Name)}


@each_example
def test_the_box_holds_the_text(name):
    for mark in made(EXAMPLES[name]):
        assert isinstance(mark, Mark)
        assert (
            mark.left <= mark.right and mark.top <= mark.bottom and (mark.left, mark.top) != (mark.right, mark.bottom)
        )
        for words, left, right, line in lines(mark):
            assert mark.left <= left and right <= mark.right, words
            assert mark.top <= line - 9 and line + 3 <= mark.bottom, words


@each_example
def test_fits_a_phone(name):
    root = ElementTree.fromstring(drawn(name, "light"))
    assert 0 < float(root.get("viewBox").split()[2]) <= WIDTH + 8


@each_example
def test_each_class_has_a_rule(name):
    used = {
        (element.tag, style)
        for mark in made(EXAMPLES[name])
        for element in parsed(mark)
        for style in element.get("class").split()
    }
    assert used
    for tag, style in used:
        ruled = re.compile(rf"(?:{tag})?(?:\.[\w-]+)*\.{style}(?:\.[\w-]+)*")
        assert any(ruled.fullmatch(part) for part in SELECTED), f"{tag}.{style}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_shows_each_example(theme):
    shown = page()
    assert all(shown.count(f'<title id="{name}-{theme}-title">') == 1 for name in EXAMPLES)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_has_the_colours(theme):
    rules = " ".join(re.findall(r"\.picture[^{}]*\{[^{}]*\}", SHEET))
    assert set(re.findall(r"--pst-color-[\w-]+", rules)) <= set(re.findall(r"--pst-color-[\w-]+(?=:)", colours(theme)))


@pytest.mark.parametrize(
    "side, distance", {"below": (0, 1), "above": (0, -1), "left": (-1, 0), "right": (1, 0)}.items()
)
def test_a_bracket_stands_on_its_side(side, distance):
    start, end = Point(0, 0), Point(40 * abs(distance[1]), 40 * abs(distance[0]))
    mark = bracket(start, end, "word", side)
    [(_, left, right, line)] = lines(mark)
    away = (left + right - start.x - end.x) / 2, line - (start.y + end.y) / 2
    assert away[0] * distance[0] + away[1] * distance[1] > 12


@pytest.mark.parametrize("span", [(0, 1), (0, 0), (0.5, 0.52), (0.98, 1)])
def test_a_label_stays_on_its_lane(span):
    lane = timeline(Point(0, 0), "w", [(*span, "freed", "quiet")])
    _, (_, left, right, _) = lines(lane)
    assert lane.left + NAMES <= left and right <= lane.right
