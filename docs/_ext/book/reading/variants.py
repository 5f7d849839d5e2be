"""The numbers in a snippet's code that readers may change on the page, and the snippet with another in place of one."""

import ast
import re
from dataclasses import dataclass, replace

from book.reading.snippets import Snippet

FEWEST, MOST = 3, 6  # numbers to choose from, the file's own included; a truth value has two


@dataclass(frozen=True)
class Choice:
    """A literal that may be changed.

    name: of what it is assigned to, or of the keyword argument; line: in the file, from 1; start, end: its columns there,
    from 0, the prompt included; shown: as the file has it; values: the others that it may be, as Python text.
    """

    name: str
    line: int
    start: int
    end: int
    shown: str
    values: tuple[str, ...]


def choices(snippet: Snippet, wanted: str) -> list[Choice]:
    """What `:try:` asks for, "name = literal | value value; name = literal | value value". Raises ValueError with a fault."""
    parts = wanted.split(";")
    if len(parts) > 2:
        raise ValueError("at most two numbers can be changed, each by itself")
    return [_choice(snippet, part.strip()) for part in parts]


def variant(snippet: Snippet, choice: Choice, value: str) -> Snippet:
    """The snippet with the value in place of the literal; its expected outputs are still those of the file."""
    lines = snippet.text.split("\n")
    line = lines[choice.line - 1]
    lines[choice.line - 1] = line[: choice.start] + value + line[choice.end :]
    examples = []
    for example in snippet.examples:
        if example.line <= choice.line < example.output_line:
            code = lines[example.line - 1 : example.output_line - 1]
            example = replace(example, source="".join(f"{line[4:]}\n" for line in code))
        examples.append(example)
    return replace(snippet, text="\n".join(lines), examples=tuple(examples))


def key(choice: Choice, value: str) -> str:
    """Tells a variant from the others of its snippet."""
    return f"{choice.name} = {choice.shown} -> {value}"


def told(name: str, left: dict[str, dict]) -> list[str]:
    """What each variant prints in place of the file's outputs, as lines: it stands in no file, so somebody should read it."""
    lines = []
    for variant, found in left.items():
        lines.append(f"{name} with {variant}:")
        for output in found["outputs"].values() or ["(as in the file)"]:
            lines += [f"    {line}" for line in output.splitlines() or ["(nothing)"]]
        lines += [f"    in prose {shown} becomes {value}" for shown, value in found["values"].items()]
    return lines


def _choice(snippet: Snippet, wanted: str) -> Choice:
    match = re.fullmatch(r"(\w+) = (\S+) \| (\S+(?: \S+)*)", wanted)
    if not match:
        raise ValueError(f"{wanted!r} isn't of the form: name = 2.0 | 1.0 3.0 5.0")
    name, shown, values = match[1], match[2], tuple(match[3].split())
    fewest = 2 if isinstance(_literal(shown), bool) else FEWEST
    if not fewest <= len({shown, *values}) <= MOST or len({shown, *values}) != len(values) + 1:
        raise ValueError(f"{name} needs {fewest} to {MOST} different values, the file's own included")
    for value in (shown, *values):
        if not isinstance(_literal(value), bool | int | float):
            raise ValueError(f"{value!r} is no number and no truth value")
    found = [place for example in snippet.examples for place in _places(example, name, _literal(shown))]
    if len(found) != 1:
        times = "nowhere" if not found else f"{len(found)} times"
        raise ValueError(f"{name} = {shown} stands {times} in {snippet.name}, as an assignment or an argument")
    line, start, end = found[0]
    if snippet.text.split("\n")[line - 1][start:end] != shown:
        raise ValueError(f"{snippet.name} writes {snippet.text.split(chr(10))[line - 1][start:end]}, not {shown}")
    return Choice(name, line, start, end, shown, values)


def _literal(text: str):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def _places(example, name: str, value) -> list[tuple[int, int, int]]:
    """Line and columns in the file of each such literal that is assigned to the name, or passed under it."""
    owners = []
    for node in ast.walk(ast.parse(example.source)):
        if isinstance(node, ast.Assign):
            to, value_of = node.targets[0], node.value
            several = isinstance(to, ast.Tuple) and isinstance(value_of, ast.Tuple)
            pairs = zip(to.elts, value_of.elts, strict=False) if several else [(to, value_of)]
            owners += [made for target, made in pairs if isinstance(target, ast.Name) and target.id == name]
        elif isinstance(node, ast.keyword) and node.arg == name:
            owners.append(node.value)
    places = set()
    for owner in owners:
        for part in ast.walk(owner):
            if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub) and _literal(ast.unparse(part)) == value:
                places.add((example.line + part.lineno - 1, part.col_offset + 4, part.end_col_offset + 4))
            elif isinstance(part, ast.Constant) and type(part.value) is type(value) and part.value == value:
                places.add((example.line + part.lineno - 1, part.col_offset + 4, part.end_col_offset + 4))
    return sorted(places)
