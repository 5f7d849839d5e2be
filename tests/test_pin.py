"""To render the book with another PyTorch: what was verified with the old one stays on record, under its name."""

import json

import pytest
from book import evidence
from small_book import again, run, small_book, write

OLD, NEW = evidence.pinned_version(), "2.14.1"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    book = small_book(tmp_path_factory.mktemp("built"))
    write(book, {f"snippets/_evidence/{NEW}.json": json.dumps({"torch": NEW, "engine": "", "snippets": {}})})
    status, output = run(book, "make", "html")
    assert status == 0, output
    return book


def test_moving_the_pin(built, tmp_path):
    book = again(built, tmp_path / "book")
    status, output = run(book, "make", "pin", f"TORCH={NEW}")
    assert status == 0 and output.startswith(f"The book is rendered with PyTorch {NEW} now. Next:\n    make fix")
    assert f"torch=={NEW}\n" in (book / ".ci/constraints.txt").read_text("utf-8")
    assert not (book / f"snippets/_evidence/{NEW}.json").exists()
    kept = json.loads((book / f"snippets/_evidence/{OLD}.json").read_text("utf-8"))
    assert kept["torch"] == OLD and kept["snippets"].keys() == {"small/pair", "small/square"}


@pytest.mark.parametrize("version", ["", OLD, "2.14", "latest"])
def test_a_version_to_move_to_has_to_be_named(built, tmp_path, version):
    book = again(built, tmp_path / "book")
    message = f"Name the version to move to, another than {OLD}: make pin TORCH=2.14.1"
    assert message in run(book, "make", "pin", f"TORCH={version}")[1]
    assert f"torch=={OLD}\n" in (book / ".ci/constraints.txt").read_text("utf-8")


def test_what_the_old_version_prints_is_recorded_first(built, tmp_path):
    book = again(built, tmp_path / "book")
    write(book, {"_build/evidence.json": None})
    assert f"First record what PyTorch {OLD} prints: make doctest" in run(book, "make", "pin", f"TORCH={NEW}")[1]
    assert f"torch=={OLD}\n" in (book / ".ci/constraints.txt").read_text("utf-8")
