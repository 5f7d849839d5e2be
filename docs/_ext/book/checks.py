"""All that may be wrong with the book, as one list. Runs nothing: what is wrong with a run, the evidence tells."""

import ast
import re
from collections import Counter

from packaging.version import Version

from book import evidence
from book.contents import Book, anchor
from book.drawing import pictures
from book.evidence import COMMITTED, PINNED, load, load_or_none, pinned_version
from book.problem import Problem
from book.reading import figures, names, snippets, texts
from book.reading.names import no_such, path_of, picture_of

REMEDY = "Run: make doctest"
INDEX = names.PAGES / "index.md"
DOCUMENTED = ast.Module | ast.FunctionDef | ast.ClassDef


def of_text(book: Book) -> list[Problem]:
    """What is wrong with pages and snippets by themselves, and with what they ask of each other; in order of weight."""
    found = names.strays() + [problem for page in book.pages for problem in page.problems] + book.unreadable
    found += book.untried
    return found + [problem for check in TEXT for problem in check(book)]


def of_runs(book: Book) -> list[Problem]:
    """Where the evidence or the pictures are missing, tell of a failure, or don't fit the text."""
    try:
        return [problem for check in RUNS for problem in check(book)]
    except Problem as problem:  # evidence that can't be read
        return [problem]


def stale(book: Book) -> list[str]:
    """The snippets that have to be run again before the book can be built."""
    run = load_or_none(PINNED)
    fresh = run and {
        name
        for name, snippet in book.snippets.items()
        if (entry := run.entry(snippet, book.bound[name])) and entry.held and _tried(book, name, entry)
    }
    if not fresh or run.torch != pinned_version():
        return sorted(book.snippets)
    undrawn = {
        name
        for name in book.pictured
        if name in book.snippets and not pictures.fits(book.snippets[name], book.variants(name))
    }
    return sorted(book.snippets.keys() - fresh | undrawn)


def _tried(book: Book, name: str, entry: evidence.Entry) -> bool:
    """Whether each variant that a page offers was run, and nothing of what it left was changed since."""
    bound = {value.key for value in book.bound[name]}
    known = all(run["values"].keys() <= bound for run in entry.variants.values())
    return entry.variants.keys() == book.variants(name) and known and entry.seal == entry.sealed()


def asked_exists(book: Book) -> list[Problem]:
    asked = [item for page in book.pages for item in [*page.asks, *page.values]]
    missing = [item for item in asked if not path_of(item.snippet).is_file()]
    return [no_such(item.page, item.line, item.snippet) for item in missing]


def pictures_exist(book: Book) -> list[Problem]:
    return [
        Problem(
            ask.page,
            ask.line,
            f"There is no picture of {ask.snippet}.",
            f"Write snippets/{ask.snippet}.picture.py, or correct the name.",
        )
        for page in book.pages
        for ask in page.asks
        if ask.kind == "picture" and not picture_of(ask.snippet).is_file()
    ]


def all_is_shown(book: Book) -> list[Problem]:
    asked = {item.snippet for page in book.pages for item in [*page.asks, *page.values]}
    misspelt = {names.nearest(name) for name in asked if not path_of(name).is_file()}
    problems = [
        Problem(
            path,
            1,
            "No page shows this snippet.",
            f"Show it in docs/{path.parent.name}.md with a {{snippet}} block, or delete it.",
        )
        for path in names.snippet_paths()
        if names.name_of(path) not in misspelt | book.homes.keys()
    ]
    return problems + [
        Problem(path, 1, "No page shows this picture.", "Show it with a {picture} directive, or delete it.")
        for path in names.picture_paths()
        if path not in map(picture_of, book.pictured)
    ]


def pages_are_listed(book: Book) -> list[Problem]:
    """The landing page lists each page, once, in its toctree and in its map; no other page lists any."""
    problems = []
    for page in book.pages:
        linked = {address.partition("#")[0] for _, address in page.links}
        if page.path != INDEX and page.listed:
            what = "Only docs/index.md has a toctree."
            problems.append(Problem(page.path, page.listed[0][0], what, "List the page there."))
        elif page.path == INDEX:
            listed = [name for _, name in page.listed]
            for line, name in page.listed:
                if not (names.PAGES / f"{name}.md").is_file() or name == "index":
                    problems.append(Problem(INDEX, line, f"There is no page docs/{name}.md.", "Correct the name."))
                elif listed.count(name) > 1:
                    problems.append(Problem(INDEX, line, f"{name} is listed twice.", "Delete one of the two."))
            for path in (other.path for other in book.pages if other.path != INDEX):
                if path.stem not in listed:
                    problems.append(Problem(path, 1, "No toctree lists this page.", "List it in docs/index.md."))
                elif path.name not in linked:
                    what = "The landing page's map doesn't tell of this page."
                    problems.append(Problem(path, 1, what, f"Add a line with a link to {path.name} to docs/index.md."))
    return problems


def links_lead_somewhere(book: Book) -> list[Problem]:
    """A link is to another site by https, to a page, or to a heading or a block of a page: page.md#its-words."""
    anchors = {page.path.name: {*page.anchors} for page in book.pages}
    for name, home in book.homes.items():
        anchors[home.name].add(anchor(name))
    for page in book.pages:
        if any(count > 1 for count in Counter(page.anchors).values()):
            again = next(name for name, count in Counter(page.anchors).items() if count > 1)
            yield Problem(page.path, 1, f"Two headings of this page are called {again!r}.", "Give each its own words.")
        for line, address in page.links:
            target, _, part = address.partition("#")
            if re.match(r"https://[\w.-]+/?", address):
                continue
            if (target or page.path.name) not in anchors:
                remedy = "Write page.md, page.md#heading-in-small-letters, or an address that begins with https://."
                yield Problem(page.path, line, f"The link to {address!r} leads nowhere.", remedy)
            elif part and part not in anchors[target or page.path.name]:
                near = ", ".join(sorted(anchors[target or page.path.name]))
                yield Problem(page.path, line, f"{address!r}: that page has no such heading.", f"It has: {near}.")


def releases_are_vouched_for(book: Book) -> list[Problem]:
    """A release that prose names has evidence, and its sentence a value that is bound to it."""
    known = {pinned_version(), *(path.stem for path in COMMITTED.glob("*.json"))}
    for page in book.pages:
        for line, release, values in page.releases:
            if not any(value.release == release or value.release.startswith(f"{release}.") for value in values):
                full = next((name for name in sorted(known) if f"{name}.".startswith(f"{release}.")), pinned_version())
                what = f"Nothing in this paragraph is bound to PyTorch {release}."
                remedy = (
                    f"Bind what it says to that release's run, {{verified}}`4 <snippet: expression @ {full}>` "
                    f"(there are runs on {', '.join(sorted(known))}), or mark the words: {{not-run}}`since PyTorch 2.0`."
                )
                yield Problem(page.path, line, what, remedy)


def meters_can_be_shown(book: Book) -> list[Problem]:
    """The instruments that snippets share are plain Python, and claim no figure in a comment or docstring."""
    path = names.SNIPPETS / "meters.py"
    try:
        tree = ast.parse(text := texts.read(path))
    except Problem as problem:
        return [problem]
    except SyntaxError as error:
        return [Problem(path, error.lineno or 1, f"This isn't Python: {error.msg}.", "Correct the code.")]
    told = [(node.body[0].lineno, ast.get_docstring(node)) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
    told += [(line, code.partition("#")[2]) for line, code in enumerate(text.split("\n"), 1) if "#" in code]
    claims = [(line, figures.in_text(words or "")) for line, words in told]
    return [
        Problem(path, line, f"The figure {found[0]!r} in this comment isn't checked by any run.", snippets.LONG_ADVICE)
        for line, found in claims
        if found
    ]


def needs_are_met(book: Book) -> list[Problem]:
    pinned = pinned_version()
    for snippet in book.snippets.values():
        if snippet.needs and Version(pinned) < Version(snippet.needs):
            what = f"This snippet needs PyTorch {snippet.needs}, but the book is rendered with {pinned}."
            yield Problem(snippet.path, 1, what, "Move the pin first (make pin), or write it for this PyTorch.")


def committed_is_of_others(book: Book) -> list[Problem]:
    path = COMMITTED / f"{pinned_version()}.json"
    if path.is_file():
        what = "This is evidence of the PyTorch that the book is rendered with, whose runs are made anew each time."
        yield Problem(path, 1, what, "Delete it, or move the pin with: make pin TORCH=…")


def evidence_fits(book: Book) -> list[Problem]:
    run = load_or_none(PINNED)
    if run is None:
        return [Problem(PINNED, 1, "No snippet has been run yet, or what was left is damaged.", REMEDY)]
    if run.torch != pinned_version():
        what = f"The snippets were run on PyTorch {run.torch}, but .ci/constraints.txt names {pinned_version()}."
        return [Problem(PINNED, 1, what, REMEDY)]
    if run.engine != evidence.engine():
        return [Problem(PINNED, 1, "The engine has changed since the snippets were run.", REMEDY)]
    problems = []
    for name, snippet in book.snippets.items():
        entry = run.snippets.get(name)
        if entry is None or entry.digest != snippet.digest:
            problems.append(Problem(snippet.path, 1, "This snippet has changed since it was last run.", REMEDY))
            continue
        if not entry.held:
            problems.append(Problem(snippet.path, 1, "This snippet didn't hold when it was last run.", REMEDY))
        if not _tried(book, name, entry):
            what = "What this snippet gives with other numbers hasn't been run, or isn't what the run left."
            problems.append(Problem(snippet.path, 1, what, REMEDY))
        for value in book.bound[name]:
            if value.release in ("", run.torch) and entry.values.get(value.key) != value.shown:
                what = f"The value {value.shown} hasn't been compared with a run yet."
                problems.append(Problem(value.page, value.line, what, REMEDY))
    return problems


def releases_agree(book: Book) -> list[Problem]:
    """A value that is bound to another release is what that release's committed run left."""
    runs = {path.stem: load(path) for path in sorted(COMMITTED.glob("*.json"))}
    for value in (value for page in book.pages for value in page.values if value.release):
        snippet, run = book.snippets.get(value.snippet), runs.get(value.release)
        if value.release == pinned_version() or snippet is None:
            continue
        entry = run.snippets.get(value.snippet) if run else None
        if entry is None or entry.digest != snippet.digest or value.key not in entry.values:
            what = f"The value {value.shown} hasn't been compared with a run on PyTorch {value.release}."
            remedy = f"Run: make doctest TORCH={value.release}, and commit its evidence; or take the sentence out."
            yield Problem(value.page, value.line, what, remedy)
        elif entry.values[value.key] != value.shown:
            what = f"The page says {value.shown}, but on PyTorch {value.release} it is {entry.values[value.key]}."
            yield Problem(value.page, value.line, what, "Correct the sentence.")


def pictures_fit(book: Book) -> list[Problem]:
    what = "This picture hasn't been drawn since it last changed."
    names = [
        name
        for name in book.pictured
        if name in book.snippets and not pictures.fits(book.snippets[name], book.variants(name))
    ]
    return [Problem(picture_of(name), 1, what, REMEDY) for name in names]


TEXT = [
    asked_exists,
    pictures_exist,
    all_is_shown,
    pages_are_listed,
    links_lead_somewhere,
    releases_are_vouched_for,
    meters_can_be_shown,
    needs_are_met,
    committed_is_of_others,
]
RUNS = [evidence_fits, releases_agree, pictures_fit]
