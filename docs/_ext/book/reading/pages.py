"""Read what the pages ask for, and where their prose breaks a rule. Knows neither Sphinx nor torch.

What a page may hold is listed here, and nothing else passes: tokens of Markdown, directives with their options, roles.
"""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.rules_block import make_fence_rule
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from book.problem import Problem
from book.reading import figures, formulas, names, texts

# The directives of the book, each with its options: those whose body is Markdown again, and the others.
NESTING = {"answer": set(), "dropdown": {"open"}, "note": set(), "tip": set(), "warning": set()}
OTHERS = {
    "snippet": {"predict", "try"},
    "picture": set(),
    "meters": set(),
    "evidence": set(),
    "math": set(),
    "toctree": {"hidden", "caption"},
}
ROLES = {"verified", "not-run"}
PLAIN = {"paragraph", "heading", "bullet_list", "ordered_list", "list_item", "blockquote", "strong", "em", "link"}
PLAIN |= {"table", "thead", "tbody", "tr", "th", "td", "hr", "softbreak", "hardbreak", "myst_target"}
# What is wrong, and what to do.
REFUSED = {
    "html": ("A page holds no HTML: what it shows would escape every check.", "Write it in Markdown."),
    "image": (
        "A page holds no image of its own: no run drew it.",
        "Draw it from a snippet's run: {picture} <name>.",
    ),
    "footnote": ("A page holds no footnotes.", "Say it in the text, or leave it out."),
    "front_matter": ("A page holds no front matter.", "Delete it; a page begins with its title."),
    "myst_line_comment": ("A page holds no comment: nobody reads it, and no check.", "Say it in the commit's message."),
}
OPEN = (
    "This directive is never closed.",
    "Close it with as many colons or backticks as it begins with, on a line of their own.",
)
BODY = "A block takes one line, the question.", "Write it as :predict: Which of the two is printed?"
NO_ROLE = (
    "What stands in braces here is no role, and would be shown as raw text.",
    r"A role is {name}`text`, closed on its own line, no blank behind }; in a table write \| for |; else use a code span.",
)
NO_LINK = (
    "This link would be shown as raw text.",
    "Write [words](page.md) or [words](https://…), without a blank in the address.",
)
NO_ANSWER = (
    "This prediction has no answer.",
    "Put what answers the question into :::{answer} … ::: right below the block. It is folded with the outputs.",
)
NO_QUESTION = (
    "This answer stands below no prediction.",
    "Move it right below a {snippet} block with :predict:, or take its text out of :::{answer}.",
)
VALUE_REMEDY = "Its form is {verified}`4 <snippet: expression>` or {verified}`4 <snippet: expression | format>`."
NUMBER_REMEDY = (
    "Write it as a word, or bind it to a run: {verified}`4 <snippet: expression>`. Free are versions, dates, and "
    "formulas or code that make no equality with a number; mark a figure that can't be run here: {not-run}`28 GB`."
)


@dataclass(frozen=True)
class Value:
    """A value in prose, bound to a run: shown as the page has it, to be equal to an expression in the snippet's names.

    The role's text is "shown <name: expression | format @ release>"; format may be "", and release too: it names the
    one PyTorch on which the value is to hold, "" for that with which the book is rendered.
    """

    page: Path
    line: int
    snippet: str
    shown: str
    expression: str
    format: str
    release: str = ""

    @property
    def key(self) -> str:
        """Tells the value from others of its snippet, wherever the snippet is named from."""
        form = f" | {self.format}" if self.format else ""
        return f"{self.shown} <{self.expression}{form}{f' @ {self.release}' if self.release else ''}>"


@dataclass(frozen=True)
class Ask:
    """A place that asks for a snippet's block (kind "snippet") or its picture (kind "picture").

    tries: line and text of the numbers of the snippet that readers may change there, if any.
    """

    page: Path
    line: int
    kind: str
    snippet: str
    tries: tuple[int, str] | None = None


@dataclass
class Page:
    """What one page asks for, and what is wrong with it by itself.

    links: (line, address) of each link; anchors: what a link may name behind #; listed: (line, page) of its toctree;
    releases: (line, release, values of the same paragraph) of each PyTorch that prose names.
    """

    path: Path
    asks: list[Ask] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    listed: list[tuple[int, str]] = field(default_factory=list)
    releases: list[tuple[int, str, list[Value]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read(path: Path) -> Page:
    """One page, with the problems that it has by itself."""
    page = Page(path)
    try:
        text = texts.read(path, texts.BLANKS)
    except Problem as problem:
        page.problems.append(problem)
    else:
        reader = _Reader(page)
        reader.read(text)
        reader.say_figures()
    return page


def parser() -> MarkdownIt:
    """The parser of a page, made as MyST makes its own: what it doesn't see, the book doesn't show."""
    made = (
        MarkdownIt("commonmark").enable("table").use(front_matter_plugin).use(myst_block_plugin).use(myst_role_plugin)
    )
    made.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True).use(dollarmath_plugin)
    colons = make_fence_rule(markers=(":",), token_type="colon_fence")
    made.block.ruler.before(
        "fence", "colon_fence", colons, {"alt": ["paragraph", "reference", "blockquote", "list", "footnote_def"]}
    )
    return made


class _Reader:
    """Walks one page's tokens, and again the bodies of its directives, keeping the line of each."""

    def __init__(self, page: Page):
        self.page = page
        self.parser = parser()
        self.figures: dict[int, list[str]] = {}
        self.level = 0  # of the last heading

    def read(self, text: str, first_line: int = 1) -> None:
        line, lines, predicted, heading = first_line, text.split("\n"), None, None
        for token in self.parser.parse(text):
            line = first_line + token.map[0] if token.map else line
            kind = token.type.removesuffix("_open").removesuffix("_close")
            if predicted and not (kind == "colon_fence" and token.info.strip() == "{answer}"):
                self.refuse(predicted, *NO_ANSWER)
            elif not predicted and "fence" in kind and token.info.strip() == "{answer}":
                self.refuse(line, *NO_QUESTION)
            predicted = None
            if "fence" in kind and not _closed(token, lines):
                self.refuse(line, *OPEN)
            elif "fence" in kind:
                predicted = self.directive(token, line)
            elif kind == "code_block":
                self.refuse_code(line)
            elif kind in ("math_block", "math_block_label"):
                self.formula(token.content, line, block=True)
            elif kind == "inline":
                self.prose(token, line)
            else:
                self.plain(token, line)
            if kind == "heading" and token.nesting < 0:
                self.page.anchors.append(_slug(heading))
                self.heading(int(token.tag[1:]), line)
            heading = token if kind == "inline" else None
        if predicted:
            self.refuse(predicted, *NO_ANSWER)

    def heading(self, level: int, line: int) -> None:
        if level == 1 and self.level or level > self.level + 1:
            what = f"A heading of level {level} can't stand below one of level {self.level}."
            self.refuse(line, what, "A page has one title, #; below it ##, and ### below that.")
        self.level = level

    def plain(self, token: Token, line: int) -> None:
        """A token that needs no look into it: one of those that a page may hold, or a problem."""
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if kind == "myst_target":
            self.page.anchors.append(token.content)
        elif kind == "ordered_list" and token.attrGet("start"):
            self.figures.setdefault(line, []).append(str(token.attrGet("start")))
        elif kind not in PLAIN:
            unknown = f"A page holds no {kind.replace('_', ' ')}.", "Write it in the Markdown of the other pages."
            self.refuse(line, *next((REFUSED[known] for known in REFUSED if kind.startswith(known)), unknown))

    def directive(self, token: Token, line: int) -> int | None:
        """Look into a directive. Gives its line if it is a block with a prediction, which an answer has to follow."""
        info = token.info.strip()
        name, _, argument = info[1:].partition("}")
        argument, options, body, body_line = argument.strip(), *_split(token.content, line + 1)
        if not info.startswith("{") or name not in NESTING | OTHERS:
            return self.refuse_code(line)
        allowed = (NESTING | OTHERS)[name]
        for option, (_, option_line) in options.items():
            if option not in allowed:
                self.refuse(option_line, f"{{{name}}} has no option {option} here.", "Delete it.")
        if argument and name in ("math", "answer", "meters", "evidence", "toctree"):
            self.refuse(line, f"{{{name}}} takes nothing on its first line.", "Write it below, or delete it.")
        if name in ("snippet", "picture"):
            wanted = options.pop("try", None)
            self.ask(name, argument, line, wanted and wanted[::-1])
            if body.strip():
                self.refuse(body_line, *BODY)
        elif name == "math":
            self.formula(body, body_line, block=True)
        elif name == "toctree":
            self.toctree(body, body_line)
        elif name in NESTING:
            self.inline(argument, line)
            self.read(body, body_line)
        for text, option_line in options.values():
            self.inline(text, option_line)
        return line if name == "snippet" and "predict" in options else None

    def inline(self, text: str, line: int) -> None:
        for token in self.parser.parse(text):
            if token.type == "inline":
                self.prose(token, line)

    def ask(self, kind: str, argument: str, line: int, tries: tuple[int, str] | None) -> None:
        name = names.resolve(self.page.path, argument)
        if names.NAME.fullmatch(name):
            self.page.asks.append(Ask(self.page.path, line, kind, name, tries))
        else:
            remedy = f"Write {{{kind}}} name, or {{{kind}}} /lesson/name, in a-z, 0-9 and hyphens."
            self.refuse(line, f"{argument!r} can't be the name of a snippet.", remedy)

    def toctree(self, body: str, line: int) -> None:
        for number, entry in enumerate(body.splitlines(), line):
            if "<" in entry:
                self.refuse(number, "A page is listed under its own title.", "Write the page's name alone.")
            elif entry.strip():
                self.page.listed.append((number, entry.strip().removesuffix(".md")))

    def refuse(self, line: int, what: str, remedy: str) -> None:
        if (line, what) not in [(problem.line, problem.what) for problem in self.page.problems]:
            self.page.problems.append(Problem(self.page.path, line, what, remedy))

    def refuse_code(self, line: int) -> None:
        self.refuse(
            line,
            "A page holds no code of its own: nobody would run it.",
            f"Move it to snippets/{self.page.path.stem}/<name>.pycon and show it with {{snippet}} <name>. "
            f"The book's other directives are {', '.join(sorted((NESTING | OTHERS).keys() - {'snippet'}))}.",
        )

    def formula(self, latex: str, line: int, block: bool) -> None:
        try:
            formulas.convert(latex, block)
        except ValueError as why:
            self.refuse(line, f"This formula can't be converted: {why}.", "Write it in simpler LaTeX.")
        self.figures.setdefault(line, []).extend(figures.in_formula(latex))

    def prose(self, token: Token, line: int) -> None:
        at, releases, before = 0, [], len(self.page.values)
        for child in token.children or []:
            found = self.figures.setdefault(line, [])
            if child.type in ("softbreak", "hardbreak"):
                line += 1
            elif child.type == "link_open":
                self.page.links.append((line, child.attrGet("href")))
                found += figures.in_text(child.attrGet("title") or "")
            elif child.type == "myst_role":
                self.role(child, line)
            elif child.type in ("math_inline", "math_inline_double"):
                self.formula(child.content, line, block=False)
            elif child.type == "code_inline":
                found += figures.in_code(child.content)
            elif child.type == "text":
                found += figures.in_text(child.content)
                releases += [(line, named[1]) for named in figures.RELEASE.finditer(child.content)]
                if re.search("[{}]", child.content):
                    self.refuse(line, *NO_ROLE)
                if re.search(r"\]\(|\]\[", child.content):
                    self.refuse(line, *NO_LINK)
            else:
                self.plain(child, line)
            if child.type in ("code_inline", "myst_role", "math_inline"):  # these may hold line breaks of their own
                words = re.compile(r"\s+".join(map(re.escape, child.content.split())))
                if held := words.search(token.content, at):
                    line, at = line + held[0].count("\n"), held.end()
        self.page.releases += [(line, release, self.page.values[before:]) for line, release in releases]

    def role(self, token: Token, line: int) -> None:
        name = token.meta["name"]
        if name not in ROLES:
            roles = ", ".join(sorted(ROLES))
            self.refuse(
                line, f"The book has no role {{{name}}}.", f"Write it in Markdown. The book's roles are {roles}."
            )
        elif name == "verified":
            try:
                self.page.values.append(parse_value(self.page.path, line, token.content))
            except ValueError as error:
                self.refuse(line, f"This value can't be read: {error}.", VALUE_REMEDY)

    def say_figures(self) -> None:
        """One problem for all the figures of a line."""
        for line, found in sorted(self.figures.items()):
            if found:
                listed = " and ".join(map(repr, dict.fromkeys(found)))
                what = f"The number {listed} isn't" if len(set(found)) == 1 else f"The numbers {listed} aren't"
                self.refuse(line, f"{what} bound to a run.", NUMBER_REMEDY)


def parse_value(page: Path, line: int, text: str) -> Value:
    """The role's text "4 <name: expression | format @ release>". Raises ValueError with what is wrong."""
    shown, opening, rest = text.replace(r"\|", "|").partition(" <")
    name, colon, expression = rest.removesuffix(">").partition(":")
    if not (shown and opening and colon and rest.endswith(">")):
        raise ValueError(f"{text!r} has no <snippet: expression> behind the value")
    snippet = names.resolve(page, name.strip())
    if not names.NAME.fullmatch(snippet):
        raise ValueError(f"{name.strip()!r} can't be the name of a snippet")
    release = re.search(r" @ (\d+\.\d+\.\d+)\Z", expression)
    expression, _, form = expression[: release.start() if release else None].partition(" | ")
    try:
        ast.parse(expression.strip(), mode="eval")
    except SyntaxError as error:
        raise ValueError(f"{expression.strip()!r} isn't an expression ({error.msg})") from None
    return Value(page, line, snippet, shown, expression.strip(), form.strip(), release[1] if release else "")


def _closed(token: Token, lines: list[str]) -> bool:
    """Whether a fence ends with a line of its own marks, and not with the text that it stands in."""
    last = lines[token.map[1] - 1].strip(" >")
    return token.map[1] - token.map[0] > 1 and last.startswith(token.markup) and not last.strip(token.markup[0])


def _slug(heading: Token) -> str:
    """The anchor of a heading, as MyST makes it."""
    text = "".join(child.content for child in heading.children if child.type in ("text", "code_inline"))
    return re.sub(r"[^\w\- ]", "", text.lower().replace(" ", "-"))


def _split(content: str, line: int) -> tuple[dict[str, tuple[str, int]], str, int]:
    """A directive's options, each with its line, its body, and the line on which the body starts."""
    options, lines = {}, content.splitlines(keepends=True)
    while lines and (option := re.match(r"\s*:([\w-]+):\s*(.*)", lines[0])):
        options[option[1]] = option[2], line
        lines.pop(0)
        line += 1
    return options, "".join(lines), line
