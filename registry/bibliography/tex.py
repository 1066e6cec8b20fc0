r"""Unicode to TeX, for one line of text such as a title or a name.

Everything that classic BibTeX and an 8-bit LaTeX can take is written in ASCII: accents as
``{\"o}``, so that BibTeX sorts and re-cases the letter, other characters by pylatexenc's table. A
character that would not be read back as itself, such as a Chinese one, stays what it is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

from registry.equality.tex import to_unicode

_ASCII = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    # BibTeX counts braces whether or not a backslash stands before them.
    "{": r"{\textbraceleft}",
    "}": r"{\textbraceright}",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
    "\\": r"{\textbackslash}",
    "<": r"{\textless}",
    ">": r"{\textgreater}",
    "|": r"{\textbar}",
    "`": r"{\textasciigrave}",
}

_LIGATURES = "-',"
"""Characters of which TeX makes another one where two stand side by side."""

_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u0309": "h",
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u030f": "G",
    "\u0311": "f",
    "\u0323": "d",
    "\u0326": "textcommabelow",
    "\u0327": "c",
    "\u0328": "k",
    "\u0331": "b",
}
"""Combining characters and the macros that put the same accent on a letter."""

_BELOW = frozenset("\u0323\u0326\u0327\u0328\u0331")
"""Accents that leave the dot of an i or a j where it is."""

_HORNED = {"o": r"{\ohorn}", "O": r"{\OHORN}", "u": r"{\uhorn}", "U": r"{\UHORN}"}
_HORN = "\u031b"

_LETTER = re.compile(r".[\u0300-\u036f]*", re.DOTALL)


def encode(text: str) -> str:
    """The text in TeX. What reads it gets the text back, with accents composed."""
    parts: list[str] = []
    before = ""
    for letter in _LETTER.findall(unicodedata.normalize("NFC", text)):
        if letter == before and letter in _LIGATURES:
            parts.append("{}")
        parts.append(_ASCII.get(letter, letter) if letter.isascii() else _encoded(letter))
        before = letter
    return "".join(parts)


@cache
def _encoded(letter: str) -> str:
    found = _accented(letter) or "".join(map(_from_table, letter))
    return found if to_unicode(found) == letter else letter


def _accented(letter: str) -> str:
    """A letter with accents as nested macros; empty if TeX has no macro for one of them."""
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if not marks or not base.isalpha():
        return ""
    found = base if base.isascii() else _from_table(base)
    if marks[0] == _HORN:
        found = _HORNED.get(base, "")
        del marks[0]
    elif base in "ij" and marks[0] not in _BELOW:
        found = f"\\{base}"
    for mark in marks:
        if not found or mark not in _ACCENTS:
            return ""
        found = _with_macro(_ACCENTS[mark], found)
    return found


def _with_macro(macro: str, letter: str) -> str:
    argument = f"{{{letter}}}" if macro.isalpha() and not letter.startswith("{") else letter
    return f"{{\\{macro}{argument}}}"


def _from_table(char: str) -> str:
    return str(_encoder().unicode_to_latex(char))


@cache
def _encoder() -> Any:
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    return UnicodeToLatexEncoder(
        replacement_latex_protection="braces-all",
        unknown_char_policy="keep",
        unknown_char_warning=False,
    )
