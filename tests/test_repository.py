"""The buttons lead to the repository that the book comes from, and there are none where nobody could open it."""

import pytest
from book.site import repository
from bs4 import BeautifulSoup
from small_book import run, small_book

CI = ("GITHUB_REPOSITORY", "GITHUB_SERVER_URL", "CI_PROJECT_URL", "CI_DEFAULT_BRANCH")


@pytest.mark.parametrize(
    "remote, address",
    [
        ("git@github.com:me/book.git", "https://github.com/me/book"),
        ("ssh://git@gitlab.example.org:22/group/sub/book.git", "https://gitlab.example.org/group/sub/book"),
        ("https://user:word@github.com/me/book", "https://github.com/me/book"),
        ("https://github.com/me/book.git/", "https://github.com/me/book"),
        ("/srv/git/book.git", ""),
        ("../book", ""),
        ("file:///srv/git/book.git", ""),
        ("", ""),
    ],
)
def test_a_remote_as_an_address(remote, address):
    assert repository.from_remote(remote) == address


def test_ci_knows_better_than_the_remote(monkeypatch, tmp_path):
    for name in CI:
        monkeypatch.delenv(name, raising=False)
    assert repository.web_address(tmp_path) == ("", "main")
    monkeypatch.setenv("CI_PROJECT_URL", "https://gitlab.com/me/book")
    monkeypatch.setenv("CI_DEFAULT_BRANCH", "trunk")
    assert repository.web_address(tmp_path) == ("https://gitlab.com/me/book", "trunk")
    monkeypatch.setenv("GITHUB_REPOSITORY", "me/book")
    assert repository.web_address(tmp_path) == ("https://github.com/me/book", "trunk")


@pytest.mark.slow
@pytest.mark.parametrize(
    "remote, found",
    [("git@github.com:me/book.git", True), ("/srv/git/book.git", False), ("https://codeberg.org/me/book", False)],
)
def test_the_buttons(tmp_path, remote, found):
    book = small_book(tmp_path)
    for command in (["init", "-q", "-b", "trunk"], ["remote", "add", "origin", remote]):
        assert run(book, "git", *command) == (0, "")
    unset = [word for name in CI for word in ("-u", name)]
    status, output = run(book, "env", *unset, "make", "html")
    assert status == 0, output
    page = BeautifulSoup((book / "_build" / "html" / "small.html").read_text("utf-8"), "html.parser")
    links = [link["href"] for link in page.select("a[href^='https://github.com/me/book']")]
    wanted = ["/edit/trunk/docs/small.md", "/issues/new", "https://github.com/me/book"]
    assert [any(part in link for link in links) for part in wanted] == [found] * 3
    assert found or not page.select("a[href*='me/book']")
