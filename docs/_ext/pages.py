"""Read what the pages ask for, and where their prose breaks a rule. Knows neither Sphinx nor torch."""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

import pictures
import snippet as snippets
from problem import ROOT, Problem

FOLDER = ROOT / "docs"
# The directives of the book: those whose body is Markdown again, and those whose body isn't prose.
NESTING = {"dropdown", "note", "tip", "warning"}
ROLES = {"verified", "not-run", "doc", "ref"}
OTHERS = {"snippet", "picture", "meters", "evidence", "math", "toctree"}
# Numbers that no run could confirm: versions, dates, the name of a machine.
EXEMPT = re.compile(
    r"\b(PyTorch|Python|NumPy) \d+(\.\d+)*\b|\b\d+\.\d+\.\d+\b|\bx86-64\b"
    r"|\b20\d\d-\d\d(-\d\d)?\b|\b(in|since|until|before|after) 20\d\d\b"
)
# Code and formulas that say no more than a number: 4, (4, 3), tensor([4., 3.]).
BARE_NUMBER = re.compile(r"(tensor|[\s\d.,()\[\]+−e-])*")
# What is wrong, and what to do.
HTML = "A page holds no HTML: what it shows would escape every check.", "Write it in Markdown."
IMAGE = "A page holds no image of its own: no run drew it.", "Draw it from a snippet's run: {picture} <name>."
OPEN = (
    "This directive is never closed.",
    "Close it with as many colons or backticks as it begins with, on a line of their own.",
)
BODY = "A block takes one line, the question.", "Write it as :predict: Which of the two is printed?"
UNCLOSED = (
    "This role isn't closed, so it would be shown as raw text.",
    r"Close it with a backtick on its own line; inside a table write \| for |.",
)
VALUE_REMEDY = "Its form is {verified}`4 <snippet: expression>` or {verified}`4 <snippet: expression | format>`."
NUMBER_REMEDY = (
    "Write it as a word, or bind it to a run: {verified}`4 <snippet: expression>`. Free are versions, dates, link texts, "
    "and formulas or code that say more than the number; mark a figure that can't be run here: {not-run}`28 GB`."
)


@dataclass(frozen=True)
class Value:
    """A value in prose, bound to a run: shown as the page has it, to be equal to an expression in the snippet's names.

    binding: the role's text, "shown <name: expression | format>"; format may be "".
    """

    page: Path
    line: int
    snippet: str
    shown: str
    expression: str
    format: str

    @property
    def key(self) -> str:
        """Tells the value from others of its snippet, wherever the snippet is named from."""
        return f"{self.shown} <{self.expression}{' | ' + self.format if self.format else ''}>"


@dataclass(frozen=True)
class Ask:
    """A place that asks for a snippet's block (kind "snippet") or its picture (kind "picture")."""

    page: Path
    line: int
    kind: str
    snippet: str


@dataclass
class Page:
    """What one page asks for. formulas: (line, LaTeX, whether it is a block)."""

    path: Path
    asks: list[Ask] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    formulas: list[tuple[int, str, bool]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def all_paths() -> list[Path]:
    return sorted(FOLDER.glob("*.md"))


def read_all() -> list[Page]:
    return [read(path) for path in all_paths()]


def resolve(page: Path, name: str) -> str:
    """A snippet's full name, lesson/name: "name" is of the page's own lesson, "/lesson/name" of another."""
    return name[1:] if name.startswith("/") else f"{page.stem}/{name}"


def homes(pages: list[Page]) -> dict[str, Path]:
    """Per snippet the page where its block has its first place: its own lesson's, else the first that shows it."""
    found: dict[str, Path] = {}
    for page in pages:
        for ask in page.asks:
            if ask.kind == "snippet" and (ask.snippet not in found or page.path.stem == ask.snippet.split("/")[0]):
                found[ask.snippet] = page.path
    return found


def check(pages: list[Page]) -> list[Problem]:
    """All that is wrong with the pages by themselves and with what they ask for, before anything is run."""
    problems = [problem for page in pages for problem in page.problems]
    asked = [item for page in pages for item in [*page.asks, *page.values]]
    missing = [item for item in asked if not snippets.path_of(item.snippet).is_file()]
    problems += [snippets.no_such(item.page, item.line, item.snippet) for item in missing]
    misspelt = {snippets.nearest(item.snippet) for item in missing}
    problems += pictures.missing([ask for page in pages for ask in page.asks])
    shown = homes(pages)
    for path in snippets.all_paths():
        if snippets.name_of(path) not in misspelt | set(shown):
            problems.append(
                Problem(
                    path,
                    1,
                    "No page shows this snippet.",
                    f"Show it in docs/{path.parent.name}.md with a {{snippet}} block, or delete it.",
                )
            )
    return problems


def read(path: Path) -> Page:
    """One page, with the problems that it has by itself."""
    page = Page(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        page.problems.append(Problem(path, line, "This page isn't UTF-8.", "Save the file as UTF-8."))
    else:
        _Reader(page).read(text)
    return page


class _Reader:
    """Walks one page's tokens, and again the bodies of its directives, keeping the line of each."""

    def __init__(self, page: Page):
        self.page = page
        self.parser = MarkdownIt("commonmark").enable("table")
        for plugin in (colon_fence_plugin, dollarmath_plugin, myst_block_plugin, myst_role_plugin):
            self.parser.use(plugin)

    def read(self, text: str, first_line: int = 1) -> None:
        line, lines = first_line, text.split("\n")
        for token in self.parser.parse(text):
            line = first_line + token.map[0] if token.map else line
            if token.type in ("fence", "colon_fence") and not _closed(token, lines):
                self.refuse(line, *OPEN)
            elif token.type in ("fence", "colon_fence"):
                self.directive(token, line)
            elif token.type == "code_block":
                self.refuse_code(line)
            elif token.type == "html_block":
                self.refuse(line, *HTML)
            elif token.type in ("math_block", "math_block_label"):
                self.formula(token.content, line, block=True)
            elif token.type == "inline":
                self.prose(token, line)

    def directive(self, token: Token, line: int) -> None:
        info = token.info.strip()
        name, _, argument = info[1:].partition("}")
        argument = argument.strip()
        if not info.startswith("{") or name not in NESTING | OTHERS:
            return self.refuse_code(line)
        options, body, body_line = _split(token.content, line + 1)
        if name in ("snippet", "picture"):
            self.page.asks.append(Ask(self.page.path, line, name, resolve(self.page.path, argument)))
            argument, line = options.get("predict", ("", line))
            if body.strip():
                self.refuse(body_line, *BODY)
        elif name == "math":
            self.formula(body, body_line, block=True)
        if name in NESTING:
            self.read(body, body_line)
        if name in NESTING or argument and name == "snippet":
            for inline in self.parser.parse(argument):
                if inline.type == "inline":
                    self.prose(inline, line)

    def refuse(self, line: int, what: str, remedy: str) -> None:
        if (line, what) not in [(problem.line, problem.what) for problem in self.page.problems]:
            self.page.problems.append(Problem(self.page.path, line, what, remedy))

    def refuse_code(self, line: int) -> None:
        self.refuse(
            line,
            "A page holds no code of its own: nobody would run it.",
            f"Move it to snippets/{self.page.path.stem}/<name>.pycon and show it with {{snippet}} <name>. "
            f"The book's other directives are {', '.join(sorted(NESTING | OTHERS - {'snippet'}))}.",
        )

    def formula(self, latex: str, line: int, block: bool) -> None:
        self.page.formulas.append((line, latex, block))
        letters = re.search("[A-Za-z]", re.sub(r"\\[A-Za-z]+", "", latex))
        self.refuse_numbers("" if letters else latex, line)

    def prose(self, token: Token, line: int) -> None:
        in_link, at = False, 0
        for child in token.children or []:
            if child.type in ("softbreak", "hardbreak"):
                line += 1
            elif child.type in ("link_open", "link_close"):
                in_link = child.type == "link_open"
            elif child.type == "myst_role":
                self.role(child, line)
            elif child.type in ("math_inline", "math_inline_double"):
                self.formula(child.content, line, block=False)
            elif child.type == "code_inline":
                self.refuse_numbers(child.content if BARE_NUMBER.fullmatch(child.content) else "", line)
            elif child.type == "image":
                self.refuse(line, *IMAGE)
            elif child.type == "html_inline":
                self.refuse(line, *HTML)
            elif child.type == "text" and re.search(r"\{[\w-]+\}`", child.content):
                self.refuse(line, *UNCLOSED)
            elif child.type == "text" and not in_link:
                self.refuse_numbers(EXEMPT.sub("", child.content), line)
            if child.type in ("code_inline", "myst_role", "math_inline"):  # these may hold line breaks of their own
                words = re.compile(r"\s+".join(map(re.escape, child.content.split())))
                if found := words.search(token.content, at):
                    line, at = line + found[0].count("\n"), found.end()

    def refuse_numbers(self, text: str, line: int) -> None:
        if any(character.isnumeric() for character in text):
            number = next(word for word in text.split() if any(character.isnumeric() for character in word))
            self.refuse(line, f"The number {number.strip('.,;:()')!r} isn't bound to a run.", NUMBER_REMEDY)

    def role(self, token: Token, line: int) -> None:
        name = token.meta["name"]
        if name not in ROLES:
            roles = ", ".join(sorted(ROLES))
            self.refuse(
                line, f"The book has no role {{{name}}}.", f"Write it in Markdown. The book's roles are {roles}."
            )
        if name == "verified":
            try:
                self.page.values.append(parse_value(self.page.path, line, token.content))
            except ValueError as error:
                self.refuse(line, f"This value can't be read: {error}.", VALUE_REMEDY)


def parse_value(page: Path, line: int, text: str) -> Value:
    """The role's text "4 <name: expression | format>". Raises ValueError with what is wrong."""
    shown, opening, rest = text.replace(r"\|", "|").partition(" <")
    name, colon, expression = rest.removesuffix(">").partition(":")
    if not (shown and opening and colon and rest.endswith(">")):
        raise ValueError(f"{text!r} has no <snippet: expression> behind the value")
    expression, _, form = expression.partition(" | ")
    try:
        ast.parse(expression.strip(), mode="eval")
    except SyntaxError as error:
        raise ValueError(f"{expression.strip()!r} isn't an expression ({error.msg})") from None
    return Value(page, line, resolve(page, name.strip()), shown, expression.strip(), form.strip())


def _closed(token: Token, lines: list[str]) -> bool:
    """Whether a fence ends with a line of its own marks, and not with the text that it stands in."""
    last = lines[token.map[1] - 1].strip(" >")
    return token.map[1] - token.map[0] > 1 and last.startswith(token.markup) and not last.strip(token.markup[0])


def _split(content: str, line: int) -> tuple[dict[str, tuple[str, int]], str, int]:
    """A directive's options, each with its line, its body, and the line on which the body starts."""
    options, lines = {}, content.splitlines(keepends=True)
    while lines and (option := re.match(r"\s*:([\w-]+):\s*(.*)", lines[0])):
        options[option[1]] = option[2], line
        lines.pop(0)
        line += 1
    return options, "".join(lines), line
