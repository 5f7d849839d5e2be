"""A small book with the real machinery, in a folder of its own, where a test can plant something and run make."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from book.problem import ROOT

MACHINERY = ["Makefile", "conf.py", "pyproject.toml", ".ci/constraints.txt", "snippets/conftest.py"]
MACHINERY += ["snippets/meters.py", "docs/_ext", "docs/_static"]
FILES = {
    "docs/index.md": "# A small book\n\n[Small](small.md) is small.\n\n```{toctree}\nsmall\n```\n",
    "docs/small.md": """\
# Small

The gradient is {verified}`(2, 4) <square: weight.grad>`.

```{snippet} square
```

```{picture} square
```

Both weights are {verified}`3 <pair: weight>`.

```{snippet} pair
```
""",
    "snippets/small/square.pycon": """\
>>> import torch
>>> weight = torch.tensor([1., 2.], requires_grad=True)
>>> loss = (weight ** 2).sum()
>>> loss.backward()
>>> print(weight.grad)
tensor([2., 4.])
""",
    "snippets/small/square.picture.py": """\
from book.drawing import passes


def draw(names, backward):
    walk = backward.passes[0]
    return passes.draw(walk, passes.column(walk, fields=walk.nodes), "What the pass computed")
""",
    "snippets/small/pair.pycon": """\
>>> import torch
>>> weight = torch.full((2,), 3.)
>>> print(weight)
tensor([3., 3.])
""",
}
# What pytest and make print around the book's own messages.
FRAME = re.compile(
    r"[.F]+ +\[ *\d+%\]|=+ FAILURES =+|_+ [\w-]+ _+|make(\[1\])?: \*\*\* .*|\d+ snippets, .*: all hold on .*"
)
# No word of the make or the pytest that runs this test, nor of its user's git, reaches the processes below.
FOREIGN = re.compile("MAKE|MFLAGS|PYTEST_|COLUMNS|GIT_DIR")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
ENVIRONMENT |= {"LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def small_book(folder: Path) -> Path:
    """The book above, with the real machinery."""
    write(folder, FILES)
    copy(folder, [path for path in MACHINERY if (ROOT / path).exists()])
    return folder


def copy(folder: Path, paths: list[str]) -> None:
    """Copy files and folders of the real tree, and link to its environment, so that make installs nothing."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / path).is_dir():
            shutil.copytree(ROOT / path, folder / path, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / path, folder / path)
    (folder / ".venv").mkdir()
    for part in Path(sys.prefix).iterdir():
        if part.name != "made":
            (folder / ".venv" / part.name).symlink_to(part)
    (folder / ".venv" / "made").touch()


def again(book: Path, folder: Path) -> Path:
    """A copy of a book as it stands, built or not."""
    return shutil.copytree(book, folder, symlinks=True)


def as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def write(book: Path, files: dict[str, str | bytes | Path | None]) -> None:
    """Write files by their names from the root of the book; None deletes one, a path makes a link to it."""
    for name, text in files.items():
        path = book / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        elif isinstance(text, Path):
            path.symlink_to(text)
        else:
            path.write_bytes(as_bytes(text))


def run(book: Path, *command: str) -> tuple[int, str]:
    """Exit status of a command in the book's root, and all that it printed."""
    process = subprocess.run(
        command, cwd=book, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    return process.returncode, process.stdout


def messages(output: str) -> list[str]:
    """What a command printed, less the frame: a message is a line and the indented ones below it."""
    lines = [line for line in output.splitlines() if line and not FRAME.fullmatch(line)]
    return re.split(r"\n(?! {4})", "\n".join(lines))
