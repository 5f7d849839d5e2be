"""What snippets, pages and pictures are called, and where they lie."""

import difflib
import re
from pathlib import Path

from book.problem import ROOT, Problem

SNIPPETS, PAGES = ROOT / "snippets", ROOT / "docs"
PART = r"[a-z0-9]+(?:-[a-z0-9]+)*"
NAME = re.compile(f"{PART}/{PART}")
SOURCES = (".pycon", ".md", ".rst", ".ipynb", ".picture.py")


def name_of(path: Path) -> str:
    """The name by which pages and commands call the snippet in a file: lesson/name."""
    return f"{path.parent.name}/{path.stem}"


def path_of(name: str) -> Path:
    """The file of a snippet's name, "lesson/name"; it need not exist."""
    return SNIPPETS / f"{name}.pycon"


def picture_of(name: str) -> Path:
    """The file that draws the picture of a snippet, "lesson/name"; it need not exist."""
    return SNIPPETS / f"{name}.picture.py"


def snippet_paths() -> list[Path]:
    return [path for path in sorted(SNIPPETS.glob("*/*.pycon")) if NAME.fullmatch(name_of(path))]


def picture_paths() -> list[Path]:
    return sorted(SNIPPETS.glob("*/*.picture.py"))


def page_paths() -> list[Path]:
    return sorted(path for path in PAGES.glob("*.md") if re.fullmatch(PART, path.stem))


def named(only: str) -> list[Path]:
    """The files of one snippet, "lesson/name", of a lesson's, or of all for "". Raises Problem if there is none."""
    found = [path for path in snippet_paths() if f"{name_of(path)}/".startswith(f"{only}/" if only else "")]
    if not found:
        raise no_such(path_of(only), 1, only)
    return found


def resolve(page: Path, name: str) -> str:
    """A snippet's full name, lesson/name: "name" is of the page's own lesson, "/lesson/name" of another."""
    return name[1:] if name.startswith("/") else f"{page.stem}/{name}"


def nearest(name: str) -> str:
    """The existing snippet whose own name is most like this one's, of the same lesson if there is one; else ""."""
    lesson, _, own = name.rpartition("/")
    names = [name_of(path) for path in snippet_paths()]
    for among in ([name for name in names if name.startswith(f"{lesson}/")], names):
        by_own = {name.split("/")[1]: name for name in among}
        if near := difflib.get_close_matches(own, by_own, 1):
            return by_own[near[0]]
    return ""


def no_such(path: Path, line: int, name: str) -> Problem:
    """The problem of a snippet that is asked for, at a line of a file, but doesn't exist."""
    near = nearest(name)
    remedy = f"Did you mean {near}?" if near else f"Write snippets/{name}.pycon, or correct the name."
    return Problem(path, line, f"There is no snippet {name}.", remedy)


def strays() -> list[Problem]:
    """The files that look like a snippet, a picture or a page, but lie or are called where nothing would read them."""
    known = {*snippet_paths(), *page_paths()} | {path for path in picture_paths() if path_of(_stem(path)).is_file()}
    problems = []
    for folder in (SNIPPETS, PAGES):
        for path in sorted(folder.rglob("*")):
            if path.name.lower().endswith(SOURCES) and path not in known:
                remedy = "Pages are docs/<lesson>.md, snippets snippets/<lesson>/<name>.pycon, in a-z, 0-9 and hyphens."
                if path.name.endswith(".picture.py"):
                    remedy = "A picture is called as its snippet is: snippets/<lesson>/<name>.picture.py."
                problems.append(Problem(path, 1, "Nothing reads a file of this name in this place.", remedy))
    return problems


def _stem(picture: Path) -> str:
    return f"{picture.parent.name}/{picture.name.removesuffix('.picture.py')}"
