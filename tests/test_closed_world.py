"""The built pages show the snippets and nothing else, lead nowhere that isn't there, and a copied block gives the page's figures."""

import codeop
import contextlib
import io
import multiprocessing
import os
import re
import runpy
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from unittest import mock
from urllib.parse import unquote, urlsplit

import pytest
from book import evidence
from book.problem import ROOT
from book.reading import names, snippets
from bs4 import BeautifulSoup
from sharing import BOOK

BUILT = ROOT / "_build" / "html"
BLANK = snippets.BLANK
ROLE = re.compile(r"\{[a-z]+([:-][a-z]+)*\}")
CSS_REFERENCE = re.compile(r"""url\(\s*(["']?)(.*?)\1\s*\)|@import\s+(["'])(.*?)\3""")
WARNING = re.compile(r"^\w+Warning: .*\n", re.MULTILINE)


@pytest.fixture(scope="module")
def book() -> dict[Path, BeautifulSoup]:
    """Every page as it was built."""
    if not (BUILT / "index.html").is_file():
        pytest.fail(f"There is no built book in {BUILT}. Run: make html", pytrace=False)
    paths = sorted(BUILT.rglob("*.html"))
    return {path: BeautifulSoup(path.read_text("utf-8"), "html.parser") for path in paths}


def blocks(book):
    """Page, block, and the name of the snippet that the block says it shows."""
    for path, page in book.items():
        for block in page.select("div.snippet:not(.meters)"):
            yield path.name, block, re.fullmatch(r"snippets/(.+)\.pycon", block.select_one(".snippet-file").text)[1]


def as_file(block) -> str:
    """The file that a block shows: its prompts, which the style sheet draws, put back, and what stands for a blank line."""
    text = ""
    for part in block.pre.children:
        if part.name == "samp" and not part.text:  # where a number that readers may change could print something
            continue
        kinds = part.get("class", []) if part.name == "span" else []
        prompt = ">>> " if "ps1" in kinds else "... " if "ps2" in kinds else ""
        shown = re.sub("^$", BLANK, part.text[:-1], flags=re.MULTILINE) + "\n" if part.name == "samp" else part.text
        text += prompt + shown if shown else prompt.rstrip()
    return text


def copied(block) -> str:
    """What the copy button takes from a block: its text without the outputs."""
    return "".join(part.text for part in block.pre.children if part.name != "samp")


def references(path: Path, page: BeautifulSoup):
    """What a page refers to, as tag and address; a style sheet's own references are followed too."""
    for tag in page.find_all(True):
        for attribute in ("href", "src", "srcset", "poster", "data", "action", "xlink:href", "style"):
            for address in _addresses(attribute, tag.get(attribute, "")):
                yield tag.name, address
    for style in page.find_all("style"):
        yield from (("style", address) for address in _addresses("style", style.text))


def _addresses(attribute: str, value: str) -> list[str]:
    if attribute == "style":
        return [match[2] or match[4] or "" for match in CSS_REFERENCE.finditer(value)]
    if attribute == "srcset":
        return [candidate.split()[0] for candidate in value.split(",") if candidate.strip()]
    return [value] if value else []


def all_references(book):
    """File, tag and address of every reference in the pages and in their style sheets."""
    for path, page in book.items():
        yield from ((path, tag, address) for tag, address in references(path, page))
    for path in sorted(BUILT.rglob("*.css")):
        yield from ((path, "css", address) for address in _addresses("style", path.read_text("utf-8")))


def test_each_block_is_a_snippet_file(book):
    for page, block, name in blocks(book):
        file = re.sub(" *# doctest: .*", "", names.path_of(name).read_text("utf-8"))  # meant for the comparison alone
        assert as_file(block).rstrip("\n") == file.rstrip("\n"), f"{page}: {name}"


def test_each_snippet_file_is_shown(book):
    assert {name for _, _, name in blocks(book)} == {*map(names.name_of, names.snippet_paths())}


def test_the_meters_are_shown_whole(book):
    shown = [block.pre.text for page in book.values() for block in page.select("div.meters")]
    assert shown == [(names.SNIPPETS / "meters.py").read_text("utf-8")]
    assert (BUILT / "meters.py").read_bytes() == (names.SNIPPETS / "meters.py").read_bytes()


def test_nothing_else_is_a_block_of_code(book):
    for path, page in book.items():
        others = [tag for tag in page.select("pre, .highlight, textarea, xmp") if not tag.find_parent(class_="snippet")]
        assert not others, f"{path.name}: {others}"
        broken = [tag for tag in page.find_all("code") if "\n" in tag.text]
        assert not broken, f"{path.name}: code of several lines outside a snippet: {broken}"
    for page, block, name in blocks(book):
        assert len(block.find_all("pre")) == 1, f"{page}: {name} has more than its own code"


def test_each_bound_value_is_shown_and_leads_to_its_snippet(book):
    asked, shown = Counter(), Counter()
    for page in BOOK.pages:
        for value in page.values:
            asked[page.path.stem, value.shown, f"{value.expression} in {value.snippet}.pycon", value.snippet] += 1
    for path, page in book.items():
        for link in page.select("a.verified"):
            target, _, anchor = link["href"].partition("#")
            block = book[path.parent / target if target else path].find(id=anchor)
            assert block is not None, f"{path.name}: {link} leads nowhere"
            name = block.select_one(".snippet-file").text.removeprefix("snippets/").removesuffix(".pycon")
            shown[path.stem, link.text, link["title"], name] += 1
    assert shown == asked


def test_ids_are_unique(book):
    for path, page in book.items():
        twice = [name for name, count in Counter(tag["id"] for tag in page.find_all(id=True)).items() if count > 1]
        assert not twice, f"{path.name}: {twice}"


def test_no_role_is_left_as_text(book):
    for path, page in book.items():
        left = [
            text
            for text in page.find_all(string=ROLE)
            if not text.find_parent(["code", "pre", "samp", "script", "style"])
        ]
        assert not left, f"{path.name}: {left}"


def test_each_block_is_stamped_with_the_pinned_version(book):
    for page, block, name in blocks(book):
        stamp = block.select_one("p.stamp")
        assert stamp and evidence.pinned_version() in re.findall(r"\d+\.\d+\.\d+", stamp.text), f"{page}: {name}"


def test_nothing_is_loaded_from_another_host(book):
    loaded = [
        f"{path.name}: <{tag}> {address}"
        for path, tag, address in all_references(book)
        if tag != "a" and re.match(r"(?!data:)([a-z]+:|//)", address, re.IGNORECASE)
    ]
    assert not loaded, "\n".join(loaded)


def test_the_book_works_from_the_file_system(book):
    broken = []
    for path, tag, address in all_references(book):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not (target.is_relative_to(BUILT) and target.is_file()):
            broken.append(f"{path.name}: <{tag}> {address}: no such file")
        elif parts.fragment and tag == "a" and not book[target].find(id=unquote(parts.fragment)):
            broken.append(f"{path.name}: <{tag}> {address}: no such id")
    assert not broken, "\n".join(broken)


def test_a_copied_block_can_be_typed_line_by_line(book):
    for page, block, name in blocks(book):
        entered = []
        for line in copied(block).split("\n"):
            entered.append(line)
            if codeop.compile_command("\n".join(entered), f"{name}, copied from {page}"):
                entered = []
        assert not any(entered), f"{page}: {name} ends before its last statement does"


@pytest.mark.slow
def test_a_copied_block_run_alone_as_a_script_gives_the_figures(book):
    """Hence no snippet leans on another, on the order of the runs, on the engine's start, or on the hash seed."""
    scripts = {name: copied(block) for _, block, name in blocks(book)}
    for name, got in zip(scripts, in_fresh_processes(run_as_script, list(scripts.values())), strict=True):
        examples = BOOK.snippets[name].examples
        shown = "".join(example.printed for example in examples), examples[-1].error
        ellipsis = any(example.ellipsis for example in examples)
        expected, printed = (WARNING.sub("", text) for text in (shown[0], got[0]))
        assert snippets.matches(expected, printed, ellipsis) and shown[1] == got[1], f"{name}:\n{got[0]}{got[1]}"


def in_fresh_processes(function, arguments: list) -> list:
    """The function's results, each from a process that has imported torch and run nothing, and has another hash seed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "torch._dynamo"])  # the latter is what a first optimizer imports
    with mock.patch.dict(os.environ, PYTHONHASHSEED="1"), context.Pool(2, maxtasksperchild=1) as pool:
        return pool.map_async(function, arguments, chunksize=1).get(timeout=300)


def run_as_script(text: str) -> tuple[str, str]:
    """What a script prints, and the error that it ends with, if any."""
    sys.path[:] = [folder for folder in sys.path if "_ext" not in folder]  # the book's own machinery is out of reach
    sys.path.insert(0, str(names.SNIPPETS))  # the shared meters, which a reader downloads
    output, error = io.StringIO(), ""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(output):
        with contextlib.redirect_stderr(io.StringIO()):
            script = Path(folder, "script.py")
            script.write_text(text, "utf-8")
            try:
                runpy.run_path(str(script), run_name="__main__")
            except (Exception, SystemExit) as raised:
                error = "".join(traceback.format_exception_only(raised))
    return output.getvalue(), error


def test_each_prediction_folds_its_answer_and_nothing_else(book):
    for path, page in book.items():
        for block in page.select("div.snippet:has(details.predict)"):
            name = block.select_one(".snippet-file").text
            follows = block.find_next_sibling()
            assert follows is not None and "answer" in follows.get("class", []), f"{path.name}: {name} has no answer"
        for answer in page.select("div.answer"):
            assert answer.find_previous_sibling().select("details.predict"), f"{path.name}: {answer.text[:60]}"
            assert not answer.select("div.snippet, h2") and "Carry away" not in answer.text, f"{path.name}"
