"""A number that readers may change: found in the code, run for each value, and shown from that run alone."""

import json

import pytest
from book.reading import snippets, variants
from book.reading.pages import Value
from book.running import verify
from sharing import BOOK, written
from small_book import FILES, again, run, small_book, write
from test_bad_input import SPHINX, changed

CODE = ">>> def f(x, lr=0.1, on=True):\n...     return x * lr if on else x\n...\n>>> a, b = -2.0, [3.0, 5.0]\n"
CODE += ">>> c = f(a, lr=0.5)\n>>> d = 3.0\n>>> d = 3.0\n>>> print(c, b, d)\n-1.0 [3.0, 5.0] 3.0\n"


@pytest.fixture
def snippet(tmp_path):
    return snippets.read(written(tmp_path, CODE))


@pytest.mark.parametrize(
    "wanted, value, line",
    [
        ("a = -2.0 | 1.0 4.0", "4.0", ">>> a, b = 4.0, [3.0, 5.0]"),
        ("b = 5.0 | 1.0 -4.0", "-4.0", ">>> a, b = -2.0, [3.0, -4.0]"),
        ("lr = 0.5 | 1.0 4.0", "1.0", ">>> c = f(a, lr=1.0)"),
    ],
)
def test_the_number_is_found_and_replaced(snippet, wanted, value, line):
    [choice] = variants.choices(snippet, wanted)
    other = variants.variant(snippet, choice, value)
    assert set(other.text.split("\n")) - set(snippet.text.split("\n")) == {line}
    assert line[4:] in "".join(example.source for example in other.examples)


@pytest.mark.parametrize(
    "wanted, fault",
    [
        ("a", "'a' isn't of the form: name = 2.0 | 1.0 3.0 5.0"),
        ("a = -2.0", "'a = -2.0' isn't of the form: name = 2.0 | 1.0 3.0 5.0"),
        ("a = -2.0 | 1.0", "a needs 3 to 6 different values, the file's own included"),
        ("a = -2.0 | 1.0 -2.0", "a needs 3 to 6 different values, the file's own included"),
        ("a = -2.0 | 1 2 3 4 5 6", "a needs 3 to 6 different values, the file's own included"),
        ("a = -2.0 | 1.0 exit()", "'exit()' is no number and no truth value"),
        ("a = -3.0 | 1.0 2.0", "a = -3.0 stands nowhere in lesson/name, as an assignment or an argument"),
        ("e = 3.0 | 1.0 2.0", "e = 3.0 stands nowhere in lesson/name, as an assignment or an argument"),
        ("d = 3.0 | 1.0 2.0", "d = 3.0 stands 2 times in lesson/name, as an assignment or an argument"),
        ("lr = .5 | 1.0 2.0", "lesson/name writes 0.5, not .5"),
        (
            "a = -2.0 | 1.0 4.0; b = 5.0 | 1.0 2.0; d = 3.0 | 1.0 2.0",
            "at most two numbers can be changed, each by itself",
        ),
    ],
)
def test_what_cannot_be_changed(snippet, wanted, fault):
    with pytest.raises(ValueError) as refusal:
        variants.choices(snippet, wanted)
    assert str(refusal.value) == fault


TRY = "```{snippet} pair\n:try: weight = 3. | 1. 5.\n"
FORM = "    Its form is :try: name = 2.0 | 1.0 3.0 5.0, with the number as the snippet has it."


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """A small book in which a number can be changed, built."""
    book = small_book(tmp_path_factory.mktemp("tried"))
    write(book, changed("docs/small.md", "```{snippet} pair\n", TRY))
    status, output = run(book, "make", "html")
    assert status == 0, output
    return book


@pytest.mark.slow
def test_the_page_holds_what_the_run_of_each_value_left(tried):
    page = (tried / "_build/html/small.html").read_text("utf-8")
    data = json.loads(page.partition('<script type="application/json" class="tried">')[2].partition("</script>")[0])
    assert data["choices"] == [
        {"name": "weight", "shown": "3.", "values": ["1.", "5."], "keys": ["weight = 3. -> 1.", "weight = 3. -> 5."]}
    ]
    assert data["variants"]["weight = 3. -> 5."] == {
        "outputs": {"2": "tensor([5., 5.])\n"},
        "values": [{"title": "weight in small/pair.pycon", "shown": "3", "found": "5"}],
        "frames": {},
    }


@pytest.mark.slow
def test_doctest_of_one_snippet_tells_what_its_variants_print(tried, tmp_path):
    status, output = run(again(tried, tmp_path / "book"), "make", "doctest", "ONLY=small/pair")
    told = "small/pair with weight = 3. -> 1.:\n    tensor([1., 1.])\n    in prose 3 <weight> becomes 1\n"
    assert status == 0 and told in output


STOPS = {
    "a value that wasn't run": ("docs/small.md", "| 1. 5.", "| 1. 7.", 3),
    "another literal": ("docs/small.md", "weight = 3. |", "weight = 2. |", 1),
    "a figure changed by hand": ("_build/evidence.json", "tensor([5., 5.])", "tensor([7., 7.])", 3),
    "a value changed by hand": ("_build/evidence.json", '"3 <weight>": "5"', '"3 <weight>": "7"', 3),
}
NOT_RUN = (
    "snippets/small/pair.pycon:1: What this snippet gives with other numbers hasn't been run, or isn't what the run left.\n"
    "    Run: make doctest\n"
)
NOT_THERE = (
    "docs/small.md:14: This number can't be changed: weight = 2. stands nowhere in small/pair, as an assignment or an"
    f" argument.\n{FORM}\n"
)


@pytest.mark.slow
@pytest.mark.parametrize("file, old, new, status", STOPS.values(), ids=STOPS)
def test_the_build_stops_by_file_and_line(tried, tmp_path, file, old, new, status):
    book = again(tried, tmp_path / "book")
    text = (book / file).read_text("utf-8")
    assert text.count(old) == 1
    write(book, {file: text.replace(old, new)})
    assert run(book, *SPHINX) == (status, NOT_RUN if status == 3 else NOT_THERE)


@pytest.mark.slow
def test_a_value_that_raises_a_misspelling_or_leaves_something_is_refused(tried, tmp_path):
    book = again(tried, tmp_path / "book")
    code = FILES["snippets/small/pair.pycon"].replace(
        ">>> print", ">>> x = weight if weight[0] < 5 else wieght\n>>> print"
    )
    write(book, {"snippets/small/pair.pycon": code})
    status, output = run(book, "make", "doctest", "ONLY=small/pair")
    assert (
        status == 2
        and (
            "snippets/small/pair.pycon:2: With weight = 5. this snippet raises NameError: name 'wieght' is not defined\n"
            "    Take that value out of :try:, or correct the code."
        )
        in output
    )


def test_each_lesson_has_two_blocks_to_try():
    homes = [name.split("/")[0] for name in BOOK.choices]
    few = {
        page.path.stem for page in BOOK.pages if homes.count(page.path.stem) < (1 if page.path.stem == "index" else 2)
    }
    assert few <= {"verification"}


def test_a_value_of_another_release_is_not_compared_with_a_variant(snippet):
    [choice] = variants.choices(snippet, "a = -2.0 | 1.0 4.0")
    here, elsewhere = (Value(snippet.path, 1, snippet.name, "-2", "a", "", release) for release in ("", "1.0.0"))
    left, _, _ = verify.tried(snippet, choice, "4.0", [here, elsewhere])
    assert left["values"] == {here.key: "4"}
