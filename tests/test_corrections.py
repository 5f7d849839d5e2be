"""Ten corrections as a stranger makes them: right ones go through, helped by `make fix`; wrong ones are stopped."""

import re
import subprocess
from dataclasses import dataclass, replace

import pytest
from book.problem import ROOT, indented, shown
from book.reading import names, pages, snippets
from book.running import verify
from sharing import BOOK, written
from small_book import FILES, again, copy, messages, run, small_book, write
from test_falsifiable import other_code

pytestmark = pytest.mark.slow

PAGE = next(page for page in BOOK.pages if page.path.stem == "who-owns-grad")
FILE = shown(PAGE.path)
HTML = f"_build/html/{PAGE.path.stem}.html"


def committed(book):
    """The same book, as a git repository with one commit."""
    author = ["-c", "user.name=a stranger", "-c", "user.email=stranger@example.org"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "The book as it was"]):
        assert run(book, "git", *command) == (0, "")
    return book


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """What a clone of this tree would be, had all of it been committed."""
    command = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
    folder = tmp_path_factory.mktemp("clone")
    copy(folder, [name for name in names if (ROOT / name).is_file()])
    return committed(folder)


@pytest.fixture
def mine(clone, tmp_path):
    return again(clone, tmp_path / "mine")


@dataclass
class Figure:
    """A number in a snippet's code: its line before and after a change, and a value in prose that depends on it."""

    snippet: snippets.Snippet
    before: str
    after: str
    value: pages.Value
    new_value: str


@pytest.fixture(scope="module")
def figure(tmp_path_factory):
    """The lesson's first number on which both an output and a one-number value in prose depend, and nothing raises."""
    folder = tmp_path_factory.mktemp("figure")
    for value in (value for value in PAGE.values if value.shown.isdigit()):
        snippet = snippets.read(names.path_of(value.snippet))
        for line, _, text in other_code(snippet):
            entry, problems, _ = verify.verify(snippets.read(written(folder, text)), [value])
            raises = any("raises" in problem.remedy for problem in problems)
            if len({problem.path for problem in problems}) == 2 and not raises:
                before, after = (lines.split("\n")[line - 1] for lines in (snippet.text, text))
                return Figure(snippet, before, after, value, entry.values[value.key])
    pytest.fail(f"No number in the code of {FILE}'s snippets changes both an output and a value in prose.")


def replaced(book, file: str, old: str, new: str) -> None:
    """Change the first place of a text in a file."""
    text = (book / file).read_text("utf-8")
    assert old in text, f"{old!r} isn't in {file}"
    write(book, {file: text.replace(old, new, 1)})


NEW = """\
>>> import torch
>>> weight = torch.tensor([1., 2.], requires_grad=True)
>>> (weight ** 3).sum().backward()
>>> print(weight.grad)
"""
EXERCISE = """\
>>> import torch
>>> weight = torch.tensor(5., requires_grad=True)
>>> (weight * weight.detach()).backward()
>>> print(weight.grad)
"""
SENTENCE = "Two tensors, one graph, and a single None: that is the whole case.\n\n"
NEW_ON_PAGE = "\n```{snippet} cube\n```\n\nThe second gradient is {verified}`7 <cube: weight.grad[1]>`.\n"
EXERCISE_ON_PAGE = """
**Half a square.** One of the two factors is detached. Is the gradient still twice `weight`?

::::{dropdown} Answer
```{snippet} half-a-square
```
No, it is {verified}`10 <half-a-square: weight.grad>`: only one of the two uses was recorded.
::::
"""


@pytest.fixture(scope="module")
def corrected(clone, tmp_path_factory):
    """A clone with four right corrections, and what make fix said to the two that bring a snippet, by its name."""
    book = again(clone, tmp_path_factory.mktemp("corrected") / "book")
    replaced(book, FILE, " the ", " that very ")
    replaced(book, FILE, "\n## ", f"\n{SENTENCE}## ")
    said = {}
    for name, code, on_page in [("cube", NEW, NEW_ON_PAGE), ("half-a-square", EXERCISE, EXERCISE_ON_PAGE)]:
        write(book, {f"snippets/{PAGE.path.stem}/{name}.pycon": code})
        write(book, {FILE: (book / FILE).read_text("utf-8") + on_page})
        said[name] = run(book, "make", "fix", f"ONLY={PAGE.path.stem}/{name}")
    return book, said


@pytest.mark.parametrize(
    "name, code, printed, value",
    [
        ("cube", NEW, "tensor([ 3., 12.])\n", "`12 <cube"),
        ("half-a-square", EXERCISE, "tensor(5.)\n", "`5 <half-a-square"),
    ],
)
def test_a_new_snippet_is_filled_in(corrected, name, code, printed, value):
    book, said = corrected
    file = f"snippets/{PAGE.path.stem}/{name}.pycon"
    status, output = said[name]
    assert status == 0, output
    assert {f"rewritten: {FILE}", f"rewritten: {file}", *(f"+{line}" for line in printed.splitlines())} <= set(
        output.splitlines()
    )
    assert (book / file).read_text("utf-8") == code + printed
    assert value in (book / FILE).read_text("utf-8")


def test_a_word_a_sentence_a_snippet_and_an_exercise_pass_make_check(corrected):
    book, _ = corrected
    status, output = run(book, "make", "check")
    assert status == 0, output
    built = re.sub("<[^>]*>", "", (book / HTML).read_text("utf-8"))
    for text in (" that very ", SENTENCE.strip(), "The second gradient is 12.", "No, it is 5: only one"):
        assert text in built, text


def test_a_changed_figure_is_repaired_and_the_difference_shown(mine, figure):
    file, value = shown(figure.snippet.path), figure.value
    replaced(mine, file, figure.before, figure.after)
    status, output = run(mine, "make", "fix", f"ONLY={figure.snippet.name}")
    assert status == 0, output
    lines = output.splitlines()
    assert {f"rewritten: {FILE}", f"rewritten: {file}"} <= set(lines)
    changed = set(figure.snippet.text.splitlines()) - set((mine / file).read_text("utf-8").splitlines())
    assert len(changed) > 1 and {f"-{line}" for line in changed - {figure.before}} <= set(lines)
    before, after = ((book / FILE).read_text("utf-8").splitlines()[value.line - 1] for book in (ROOT, mine))
    assert after == before.replace(f"`{value.shown} <", f"`{figure.new_value} <")
    assert {f"-{before}", f"+{after}"} <= set(lines)

    status, output = run(mine, "make", "html")
    assert status == 0, output
    assert f">{figure.new_value}</a>" in (mine / HTML).read_text("utf-8")


def stopped(book) -> list[str]:
    """The messages with which make html stops."""
    status, output = run(book, "make", "html")
    assert status == 2
    assert not (book / "_build" / "html").exists()
    return messages(output)


def test_a_figure_changed_only_in_prose(mine, figure):
    value, name = figure.value, figure.snippet.name
    assert (mine / FILE).read_text("utf-8").splitlines()[value.line - 1].count(f"`{value.shown} <") == 1
    lines = (mine / FILE).read_text("utf-8").splitlines(keepends=True)
    lines[value.line - 1] = lines[value.line - 1].replace(f"`{value.shown} <", "`77 <")
    write(mine, {FILE: "".join(lines)})
    assert stopped(mine) == [
        f"{FILE}:{value.line}: The page says 77, but {value.expression} in {name} is {value.shown}.\n"
        f"    If the run is right: make fix ONLY={name}"
    ]


def test_a_figure_changed_only_in_an_output(mine, figure):
    file, name = shown(figure.snippet.path), figure.snippet.name
    example = next(example for example in figure.snippet.examples if re.search(r"\d", example.printed))
    changed = replace(example, printed=re.sub(r"\d", "7", example.printed))
    lines = figure.snippet.text.splitlines(keepends=True)
    write(mine, {file: "".join([*lines[: example.output_line - 1], changed.printed, *lines[example.end - 1 :]])})
    assert stopped(mine) == [
        f"{file}:{example.line}: The output differs from what was run.\n"
        f"    expected:\n{indented(indented(changed.printed))}    printed:\n{indented(indented(example.printed))}"
        f"    If what it printed is right: make fix ONLY={name}"
    ]


def test_a_code_fence(mine):
    line = len((mine / FILE).read_text("utf-8").splitlines()) + 2
    write(mine, {FILE: (mine / FILE).read_text("utf-8") + "\n```python\nprint(weight.grad)\n```\n"})
    assert stopped(mine) == [
        f"{FILE}:{line}: A page holds no code of its own: nobody would run it.\n"
        f"    Move it to snippets/{PAGE.path.stem}/<name>.pycon and show it with {{snippet}} <name>."
        " The book's other directives are answer, dropdown, evidence, math, meters, note, picture, tip, toctree, warning."
    ]


def test_a_snippet_that_nobody_shows(mine):
    write(mine, {f"snippets/{PAGE.path.stem}/cube.pycon": f"{NEW}tensor([ 3., 12.])\n"})
    assert stopped(mine) == [
        f"snippets/{PAGE.path.stem}/cube.pycon:1: No page shows this snippet.\n"
        f"    Show it in {FILE} with a {{snippet}} block, or delete it."
    ]


def test_a_misspelt_name(mine, figure):
    name = figure.snippet.path.stem
    [ask] = [ask for ask in PAGE.asks if ask.snippet == figure.snippet.name]
    replaced(mine, FILE, f"```{{snippet}} {name}\n", f"```{{snippet}} {name}s\n")
    assert stopped(mine) == [
        f"{FILE}:{ask.line}: There is no snippet {figure.snippet.name}s.\n    Did you mean {figure.snippet.name}?"
    ]


INDEX_ERROR = "Traceback (most recent call last):\n    ...\nIndexError: list index out of range\n"
# What make fix does to a snippet snippets/fix/<name>.pycon: before, and after.
FIXED = {
    "without-outputs": (
        ">>> x = 2\n>>> print(x)\n>>> print(x + 1)\n",
        ">>> x = 2\n>>> print(x)\n2\n>>> print(x + 1)\n3\n",
    ),
    "without-final-newline": (">>> print(2)\n2\n>>> print(3)", ">>> print(2)\n2\n>>> print(3)\n3\n"),
    "output-without-final-newline": (">>> print(2)\n4", ">>> print(2)\n2\n"),
    "fewer-lines": (">>> print(2)\n2\n3\n>>> print(4)\n5\n", ">>> print(2)\n2\n>>> print(4)\n4\n"),
    "more-lines": (
        ">>> print('a', 'b', sep='\\n')\nb\n\n>>> print(4)\n5\n",
        ">>> print('a', 'b', sep='\\n')\na\nb\n\n>>> print(4)\n4\n",
    ),
    "blank-line": (">>> print('a\\n\\nb')\n", ">>> print('a\\n\\nb')\na\n<BLANKLINE>\nb\n"),
    "comments": (
        ">>> # one\n>>> print(1)  # two\n2\n\n\n>>> # three\n",
        ">>> # one\n>>> print(1)  # two\n1\n\n\n>>> # three\n",
    ),
    "compound": (
        ">>> for x in [1]:\n...     print(x)\n...\n2\n>>> print('''a\n... b''')\n",
        ">>> for x in [1]:\n...     print(x)\n...\n1\n>>> print('''a\n... b''')\na\nb\n",
    ),
    "same-text-twice": (
        ">>> print(1)\n1\n>>> print(2)\n1\n>>> print(1)\n1\n",
        ">>> print(1)\n1\n>>> print(2)\n2\n>>> print(1)\n1\n",
    ),
    "ellipsis": (
        ">>> print('at /usr/lib\\n5')  # doctest: +ELLIPSIS\nat ...\n4\n",
        ">>> print('at /usr/lib\\n5')  # doctest: +ELLIPSIS\nat ...\n5\n",
    ),
    "ellipsis-that-fits-no-more": (
        ">>> print('at /usr/lib 5')  # doctest: +ELLIPSIS\nat ... 4\n",
        ">>> print('at /usr/lib 5')  # doctest: +ELLIPSIS\nat /usr/lib 5\n",
    ),
    "new-error": (
        ">>> print(1)\n>>> [][0]\n",
        f">>> print(1)\n1\n>>> [][0]\n{INDEX_ERROR}",
    ),
    "another-error": (
        ">>> [][0]\nTraceback (most recent call last):\n    ...\nKeyError: 0\n",
        f">>> [][0]\n{INDEX_ERROR}",
    ),
    "blank-line-in-an-error": (
        ">>> print(1)\n2\n>>> raise ValueError('a\\n\\nb')\n",
        ">>> print(1)\n1\n>>> raise ValueError('a\\n\\nb')\n"
        "Traceback (most recent call last):\n    ...\nValueError: a\n<BLANKLINE>\nb\n",
    ),
    "an-attribute-error-that-is-meant": (
        ">>> [].size\nTraceback (most recent call last):\n    ...\nAttributeError: old\n",
        ">>> [].size\nTraceback (most recent call last):\n    ...\nAttributeError: 'list' object has no attribute 'size'\n",
    ),
    "no-error": (
        f">>> print([1][0])\n{INDEX_ERROR}",
        ">>> print([1][0])\n1\n",
    ),
    "float32": (
        ">>> import torch\n>>> x, five, seven = torch.tensor([0.8, 0.62]), 5, 7\n>>> print(x, five)\n",
        ">>> import torch\n>>> x, five, seven = torch.tensor([0.8, 0.62]), 5, 7\n>>> print(x, five)\ntensor([0.8000, 0.6200]) 5\n",
    ),
}
# What it does to a value in prose.
PROSE = {
    "a line": ("It is {verified}`3 <float32: five>`, not three.", "It is {verified}`5 <float32: five>`, not three."),
    "two on a line": (
        "Both {verified}`3 <float32: five>` and {verified}`3 <float32: seven>`.",
        "Both {verified}`5 <float32: five>` and {verified}`7 <float32: seven>`.",
    ),
    "the same twice on a line": (
        "Both {verified}`3 <float32: five>` and {verified}`3 <float32: five>`.",
        "Both {verified}`5 <float32: five>` and {verified}`5 <float32: five>`.",
    ),
    "one of two that still holds": (
        "Both {verified}`5 <float32: five>` and {verified}`5 <float32: seven>`.",
        "Both {verified}`5 <float32: five>` and {verified}`7 <float32: seven>`.",
    ),
    "a format": (
        "It is {verified}`3 <float32: five / 2 | .1f>` GB.",
        "It is {verified}`2.5 <float32: five / 2 | .1f>` GB.",
    ),
    "a table cell": (
        "| a | b |\n| - | - |\n| one | {verified}`3 <float32: five \\| .1f>` |",
        "| a | b |\n| - | - |\n| one | {verified}`5.0 <float32: five \\| .1f>` |",
    ),
    "a list and a quote": (
        "- one\n  - {verified}`3 <float32: five>`\n\n> and\n> {verified}`3 <float32: seven>`",
        "- one\n  - {verified}`5 <float32: five>`\n\n> and\n> {verified}`7 <float32: seven>`",
    ),
    "a dropdown": (
        "::::{dropdown} Answer\n:open:\n\nIt is\n{verified}`3 <float32: five>`.\n::::",
        "::::{dropdown} Answer\n:open:\n\nIt is\n{verified}`5 <float32: five>`.\n::::",
    ),
    "a prediction": (
        "```{snippet} float32\n:predict: More than {verified}`3 <float32: five>`?\n```\n\n:::{answer}\nNo.\n:::",
        "```{snippet} float32\n:predict: More than {verified}`5 <float32: five>`?\n```\n\n:::{answer}\nNo.\n:::",
    ),
    "a line below broken code": (
        "The call `print(5,\n7)` prints\n{verified}`3 <float32: seven>`.",
        "The call `print(5,\n7)` prints\n{verified}`7 <float32: seven>`.",
    ),
    "float32 as written": ("It is {verified}`0.80 <float32: x[0]>`.", "It is {verified}`0.80 <float32: x[0]>`."),
    "float32 all": ("It is {verified}`1 <float32: 1 * x>`.", "It is {verified}`(0.8, 0.62) <float32: 1 * x>`."),
    "float32 one": ("It is {verified}`1 <float32: 2 * x[0]>`.", "It is {verified}`1.6 <float32: 2 * x[0]>`."),
}
# What it refuses in a snippet snippets/refused/<name>.pycon, and its message behind that path.
NO_ERROR = (
    "\n    Correct the code: make fix doesn't write an error that nobody expects. If it is meant, write {}: yourself."
)
NO_FORM = "; the format of a session can't show it.\n    Print it in another form."
REFUSED = {
    "value-to-error": (
        ">>> print(1)\n2\n>>> print([][0])\n1\n",
        f":3: This code raises IndexError: list index out of range{NO_ERROR.format('IndexError')}",
    ),
    "new-code-after-an-error": (
        ">>> print([][0])\n>>> print(1)\n",
        f":1: This code raises IndexError: list index out of range{NO_ERROR.format('IndexError')}",
    ),
    "name-error": (
        ">>> print(1)\n2\n>>> print(wieght)\n",
        f":3: This code raises NameError: name 'wieght' is not defined{NO_ERROR.format('NameError')}",
    ),
    "not-python": (
        ">>> print(1)\n2\n>>> print(1\n",
        ":3: This isn't Python: '(' was never closed.\n    Correct the code.",
    ),
    "tab": (
        ">>> print(1)\n2\n>>> print('a\\tb')\n",
        f":3: This output has a tab{NO_FORM}",
    ),
    "prompt": (
        ">>> print(1)\n2\n>>> print('>>> 1')\n",
        f":3: This output has a line that looks like a prompt{NO_FORM}",
    ),
    "no-newline": (
        ">>> print(1)\n2\n>>> print(1, end='')\n",
        f":3: This output ends without a newline{NO_FORM}",
    ),
    "another-kind-of-error": (
        ">>> import math\n>>> print(math.sqroot(1))\nTraceback (most recent call last):\n    ...\nValueError: old\n",
        ":2: This code raises AttributeError: module 'math' has no attribute 'sqroot'"
        f"{NO_ERROR.format('AttributeError')}",
    ),
    "nothing-any-more": (
        ">>> print(1)\n2\n>>> x = 3\n3\n",
        ":3: This code prints nothing any more.\n    Correct the code; if nothing is right, delete its output.",
    ),
    "unseen": (
        ">>> print(1)\n2\n>>> print(chr(8206))\n",
        f":3: This output holds U+200E LEFT-TO-RIGHT MARK{NO_FORM}",
    ),
    "windows-lines": (
        ">>> print(1)\r\n2\r\n",
        ":1: This line ends as lines do on Windows (CR LF).\n    Save the file with LF line ends.",
    ),
    "nothing-printed": (
        ">>> x = 1\n",
        ":1: This snippet has no output, so nothing in it could turn out wrong.\n"
        "    Let it print a figure, then fill in the outputs: make fix ONLY=refused/nothing-printed",
    ),
}


def lesson(slug: str, cases: dict[str, tuple[str, str]], prose: str = "") -> dict[str, str]:
    """The files of a lesson that shows each case's first text."""
    shown = "\n".join(f"```{{snippet}} {name}\n```\n" for name in cases)
    files = {f"snippets/{slug}/{name}.pycon": text for name, (text, _) in cases.items()}
    return files | {f"docs/{slug}.md": f"# A lesson\n\n{shown}\n{prose}\n"}


@pytest.fixture(scope="module")
def fixed(tmp_path_factory):
    """A book in which make fix had much to do, and what it said."""
    book = small_book(tmp_path_factory.mktemp("fixed"))
    write(book, lesson("fix", FIXED, "\n\n".join(before for before, _ in PROSE.values())))
    write(book, {"docs/index.md": FILES["docs/index.md"].replace("small\n```", "small\nfix\n```") + "\n[It](fix.md)\n"})
    return book, run(committed(book), "make", "fix")


@pytest.mark.parametrize("name", FIXED)
def test_fix_rewrites_a_snippet(fixed, name):
    book, _ = fixed
    assert (book / f"snippets/fix/{name}.pycon").read_text("utf-8") == FIXED[name][1]


@pytest.mark.parametrize("name", PROSE)
def test_fix_rewrites_a_value_in_prose(fixed, name):
    book, _ = fixed
    assert f"\n\n{PROSE[name][1]}\n" in (book / "docs/fix.md").read_text("utf-8")


def test_fix_leaves_nothing_to_fix(fixed):
    book, (status, output) = fixed
    assert status == 0, output
    status, output = run(book, "make", "html")
    assert status == 0, output
    assert run(book, "git", "status", "--short", "snippets/small", "docs/small.md") == (0, "")


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """A book in which make fix refused something in each snippet of one lesson, and what it said."""
    book = small_book(tmp_path_factory.mktemp("refused"))
    broken = "It is\n{verified}`4\n</small/pair: weight>`, or {verified}`3 </small/pair: wieght>`."
    write(book, lesson("refused", REFUSED, broken))
    status, output = run(book, "make", "fix")
    assert status == 2
    return book, messages(output)


@pytest.mark.parametrize("name", REFUSED)
def test_fix_refuses(refused, name):
    book, said = refused
    file = f"snippets/refused/{name}.pycon"
    assert [message for message in said if message.startswith(f"{file}:")] == [file + REFUSED[name][1]]
    assert (book / file).read_bytes().decode() == REFUSED[name][0]


BY_HAND = "\n    The sentence needs more than another figure: rewrite it by hand."


@pytest.mark.parametrize("expression, left", [("weight.grad", "None"), ("list(range(40))", "(0, 1, 2, 3, 4")])
def test_fix_writes_neither_none_nor_a_long_row_into_prose(tmp_path, expression, left):
    book = small_book(tmp_path)
    value = f"{{verified}}`3 <pair: [weight, {expression}][1]>`"
    replaced(book, "docs/small.md", "{verified}`3 <pair: weight>`", value)
    before = (book / "docs/small.md").read_text("utf-8")
    status, output = run(book, "make", "fix")
    assert (
        status == 2
        and f"docs/small.md:11: The page says 3, but [weight, {expression}][1] in small/pair is {left}" in output
    )
    assert BY_HAND in output and (book / "docs/small.md").read_text("utf-8") == before


def test_fix_writes_nothing_that_depends_on_chance(tmp_path):
    book = small_book(tmp_path)
    code = FILES["snippets/small/pair.pycon"] + ">>> print({'one', 'two', 'three', 'four'})\n"
    write(book, {"snippets/small/pair.pycon": code})
    status, output = run(book, "make", "fix", "ONLY=small/pair")
    assert status == 2
    assert "\n".join(messages(output)) == (
        "snippets/small/pair.pycon:1: This snippet gives another result when it is run alone, in a process of its own."
        " Nothing was rewritten.\n    Look for a set, a time, a random number, an address,"
        " or for another snippet that changes what this one sees."
    )
    assert (book / "snippets/small/pair.pycon").read_text("utf-8") == code


def test_fix_refuses_a_role_on_two_lines(refused):
    book, said = refused
    line = (book / "docs/refused.md").read_text("utf-8").splitlines().index("{verified}`4") + 1
    assert f"docs/refused.md:{line}: The value 4 can't be rewritten.\n    Put its role on one line." in said


def test_fix_of_a_book_that_holds(tmp_path):
    """In a folder that no git knows, too."""
    expected = "Nothing to fix: every output and every bound value already holds.\n"
    assert run(small_book(tmp_path), "make", "fix") == (0, expected)
