"""Read a text file of the book, and refuse what a reader's eye couldn't see in it."""

import unicodedata
from pathlib import Path

from book.problem import Problem

BLANKS = " \u00a0\u202f"  # that a page may hold


def read(path: Path, blanks: str = " ") -> str:
    """The file's text. blanks: the kinds of space that it may hold.

    Raises Problem for a file that can't be opened, isn't UTF-8, begins with a byte-order mark, has line ends of Windows,
    or holds a character that can't be seen.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise Problem(path, 1, f"This file can't be read: {error.strerror}.", "Delete the link, or mend it.") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Problem(path, line, "This file isn't UTF-8.", "Save it as UTF-8.") from None
    if text.startswith("\ufeff"):
        raise Problem(path, 1, "This file begins with a byte-order mark.", 'Save it as UTF-8 "without BOM".')
    if "\r" in text:
        line = text[: text.index("\r")].count("\n") + 1
        raise Problem(path, line, "This line ends as lines do on Windows (CR LF).", "Save the file with LF line ends.")
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")):
            raise Problem(path, number, "This line is left over from a merge.", "Choose one side and delete the marks.")
        if found := hidden(line, blanks):
            raise Problem(path, number, f"This line holds {found}, which can't be seen.", "Delete that character.")
    return text


def hidden(text: str, blanks: str = " ") -> str:
    """The first character of the text that can't be seen, by its code and name; "" if all can. Tabs count as seen."""
    for character in () if text.isprintable() else text:
        if not character.isprintable() and character not in "\n\t" + blanks:
            return f"U+{ord(character):04X} {unicodedata.name(character, '(a control character)')}"
    return ""
