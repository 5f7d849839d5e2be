"""Draw a snippet's picture from what its run left, and tell whether it still fits. Knows neither torch nor Sphinx."""

import ast
import hashlib
import inspect
import json
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from book.drawing import marks
from book.drawing.marks import Drawing, Frame, Mark
from book.problem import ROOT, Problem
from book.reading import texts
from book.reading.names import picture_of
from book.reading.snippets import Snippet

FOLDER = ROOT / "_build" / "pictures"
PACKAGE = Path(__file__).parents[1]
MODULES = sorted([*PACKAGE.glob("drawing/*.py"), PACKAGE / "running" / "recording.py"])
LARGEST = 40_000  # bytes of one picture, all frames together


@dataclass(frozen=True)
class Shown:
    """One frame as it stands in a page. svg: its ids begin with the picture's key; caption: "" for none."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Picture:
    """What was drawn for a snippet. digest: of all that it was drawn from; key: begins each id; frames: one or more; variants: the
    frames with another number in the code, by variant (variants.key)."""

    digest: str
    key: str
    title: str
    frames: list[Shown]
    variants: dict[str, list[Shown]] = field(default_factory=dict)


def made_path(name: str) -> Path:
    """Where the drawn picture lies."""
    return FOLDER / f"{name}.json"


def digest(snippet: Snippet) -> str:
    """Hash of what a picture is drawn from: its own file, the modules that draw, and the snippet."""
    content = picture_of(snippet.name).read_bytes() + snippet.digest.encode() + _modules()
    return hashlib.sha256(content).hexdigest()[:16]


@cache
def _modules() -> bytes:
    return b"".join(path.read_bytes() for path in MODULES)


def load(name: str) -> Picture | None:
    """The picture drawn for a snippet, None if there is none, or none that is whole."""
    try:
        data = json.loads(made_path(name).read_text("utf-8"))
        others = {key: [Shown(**frame) for frame in frames] for key, frames in data["variants"].items()}
        return Picture(data["digest"], data["key"], data["title"], [Shown(**frame) for frame in data["frames"]], others)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def fits(snippet: Snippet, keys: set[str]) -> bool:
    """Whether the snippet's picture, and that of each variant, was drawn from the files as they are now."""
    picture = load(snippet.name)
    return (
        picture is not None
        and picture.variants.keys() == keys
        and picture_of(snippet.name).is_file()
        and picture.digest == digest(snippet)
    )


def save(name: str, picture: Picture) -> None:
    path = made_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(picture), indent=1, ensure_ascii=False) + "\n", "utf-8")


def draw(snippet: Snippet, outcome, record: Callable) -> Picture:
    """Draw the snippet's picture.

    outcome: of the snippet's run (its names, its outputs); record: called without arguments, runs the snippet again and
    gives its Recording; only called for a picture that asks for `backward`.
    Raises Problem for a picture file that is broken, holds a figure typed by hand, raises, or returns anything but a
    Drawing or a list of Frames, and for a snippet that prints something else while it is recorded.
    """
    path = picture_of(snippet.name)
    tree, function = _parsed(path)
    arguments = [outcome.names]
    namespace = {"__name__": "picture"}
    try:
        exec(compile(tree, str(path), "exec", dont_inherit=True), namespace)
        if "backward" in inspect.signature(namespace["draw"]).parameters:
            recording = record()
            if recording.outputs != outcome.outputs:
                raise Problem(
                    path,
                    function.lineno,
                    f"{snippet.name} prints something else while its backward passes are recorded.",
                    "Draw this picture from the names alone: draw(names).",
                )
            arguments.append(recording)
        drawn = namespace["draw"](*arguments)
    except Problem:
        raise
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        raise Problem(
            path,
            (lines or [1])[-1],
            f"This picture raises {type(error).__name__}: {error}",
            "Correct the picture, or the snippet.",
        ) from None
    frames = [Frame(drawn, "")] if isinstance(drawn, Drawing) else drawn
    if not isinstance(frames, list) or not frames or not all(map(_is_whole, frames)):
        raise Problem(
            path,
            function.lineno,
            f"draw returns {type(drawn).__name__}, which is no picture.",
            "Return a Drawing of some marks, or a list of Frames.",
        )
    return _finished(snippet, frames, function.lineno)


def _is_whole(frame) -> bool:
    drawing = frame.drawing if isinstance(frame, Frame) else None
    return (
        isinstance(drawing, Drawing) and bool(drawing.marks) and all(isinstance(mark, Mark) for mark in drawing.marks)
    )


def _parsed(path: Path) -> tuple[ast.Module, ast.FunctionDef]:
    """A picture file's code and its function `draw`."""
    try:
        tree = ast.parse(texts.read(path))
    except SyntaxError as error:
        raise Problem(path, error.lineno or 1, f"This isn't Python: {error.msg}.", "Correct the code.") from None
    if typed := _typed(tree):
        line, text = typed[0]
        raise Problem(
            path,
            line,
            f"The figure {text} is typed by hand, so no run could contradict it.",
            "Take it from the names or the recorded passes. Only places, at(40, 100), and indices may be typed.",
        )
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name == "draw":
            return tree, function
    raise Problem(path, 1, "This file has no function draw.", "Define draw(names), or draw(names, backward).")


def _typed(node: ast.AST) -> list[tuple[int, str]]:
    """Line and text of each figure in the code, but for arguments of `at`, indices, formats and docstrings."""
    if isinstance(node, ast.Constant):
        number = isinstance(node.value, int | float | complex) and not isinstance(node.value, bool)
        digits = isinstance(node.value, str) and any(character.isnumeric() for character in node.value)
        return [(node.lineno, repr(node.value))] if number or digits else []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "at":
        return []
    children = [node.value] if isinstance(node, ast.Subscript | ast.FormattedValue) else ast.iter_child_nodes(node)
    return [found for child in children for found in _typed(child)]


def _finished(snippet: Snippet, frames: list[Frame], line: int) -> Picture:
    key = "picture-" + snippet.name.replace("/", "-")
    lefts, tops, rights, bottoms = zip(*(frame.drawing.box for frame in frames))
    box = min(lefts), min(tops), max(rights), max(bottoms)
    numbered = enumerate(frames, 1)
    shown = [Shown(marks.svg(frame.drawing, f"{key}-{number}", box), frame.caption) for number, frame in numbered]
    width, size = box[2] - box[0], sum(len(frame.svg.encode()) for frame in shown)
    faults = []
    if width > marks.WIDTH:
        faults.append(f"is {width:.0f} units wide; {marks.WIDTH} fit a phone")
    if size > LARGEST:
        faults.append(f"takes {size} bytes; {LARGEST} are allowed")
    if not all(frame.drawing.title and frame.drawing.description for frame in frames):
        faults.append("has no title or no description")
    if len(frames) > 1 and not all(frame.caption for frame in frames):
        faults.append("has a frame without a caption")
    if faults:
        what = f"This picture {' and '.join(faults)}."
        raise Problem(
            picture_of(snippet.name),
            line,
            what,
            "A label grew with its figure, or something stands too far out: mend what draw returns.",
        )
    return Picture(digest(snippet), key, frames[0].drawing.title, shown)
