"""From the bytes of a file to text that a YAML parser may see.

Everything here is decided before any YAML is parsed: encoding, characters that no record holds,
and the marks that version control leaves. A clean file costs a few passes in C.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from unicodedata import name as unicode_name

from registry.findings import Position
from registry.store.root import LIMIT
from registry.store.rules import (
    BYTE_ORDER_MARK,
    CHARACTER,
    CONFLICT,
    EMPTY,
    NOT_UTF8,
    TOO_LARGE,
    Fault,
)

_BOM = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = (
    # UTF-32 first: its little-endian mark begins with the one of UTF-16.
    ("UTF-32", re.compile(rb"\xff\xfe\0\0|\0\0\xfe\xff|[^\0]\0\0\0|\0\0\0[^\0]")),
    ("UTF-16", re.compile(rb"\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0]")),
)

_ALLOWED_ASCII = bytes([9, 10, 13, *range(0x20, 0x7F), *range(0x80, 0x100)])
CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff"
"""Characters that YAML itself forbids, as the inside of a regular expression's class."""
INVISIBLE = "\x85\u2028\u2029\ufeff\u202a-\u202e\u2066-\u2069"
"""Characters that YAML allows and that readers treat differently, or that make a text look like
another one, in the same form."""
_control = re.compile(f"[{CONTROL}]")
_invisible = re.compile(f"[{INVISIBLE}]")
_marker = re.compile(r"(?<![^\r\n])[ \t]*(<{7}(?!<)|>{7}(?!>))")
_line_break = re.compile(r"\r\n|\r|\n")

_NAMES = {"\x00": "NUL", "\x07": "BEL", "\x08": "backspace", "\x1b": "ESC", "\x85": "NEL"}


class Lines:
    """Where the lines of a text begin, as editors and version control count them.

    YAML 1.1 counts U+0085, U+2028 and U+2029 as ends of lines too; nothing else does.
    """

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in _line_break.finditer(text))]

    def position(self, index: int) -> Position:
        """Line and column of the character before which ``index`` others stand."""
        line = bisect_right(self._starts, index)
        return Position(line, index - self._starts[line - 1] + 1)


def character_name(character: str) -> str:
    """A character that cannot be shown, named: ``U+0007 (BEL)``."""
    name = _NAMES.get(character) or unicode_name(character, "").lower()
    return f"U+{ord(character):04X}" + (f" ({name})" if name else "")


def decode(raw: bytes) -> tuple[str, Fault | None]:
    """The text of a file, or as much of it as comes before what makes it unreadable."""
    if len(raw) > LIMIT:
        # Whoever read the bytes may have stopped as soon as the file was seen to be too large.
        message = f"the file has at least {len(raw):,} bytes; a record may have {LIMIT:,}"
        return "", Fault(TOO_LARGE, 0, message, "move what is not a fact out of the record")
    for encoding, signature in _OTHER_ENCODINGS:
        if signature.match(raw):
            message = f"the file is not UTF-8 (it looks like {encoding})"
            return "", Fault(NOT_UTF8, 0, message, "save it as UTF-8 without BOM")
    if raw.startswith(_BOM):
        message = "the file begins with a byte order mark"
        return "", Fault(BYTE_ORDER_MARK, 0, message, "save it as UTF-8 without BOM")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode()
        return before, Fault(NOT_UTF8, len(before), *_bad_byte(raw[error.start]))
    return text, _unreadable(raw, text)


def _bad_byte(byte: int) -> tuple[str, str]:
    message = f"the byte 0x{byte:02X} is not UTF-8"
    if chr(byte).isprintable():
        message += f" (in Latin-1 it is `{chr(byte)}`)"
    return message, "save the file as UTF-8"


def _unreadable(raw: bytes, text: str) -> Fault | None:
    if raw.translate(None, _ALLOWED_ASCII) or not raw.isascii():
        found = _control.search(text)
        if found:
            message = f"the control character {character_name(found[0])}"
            return Fault(CHARACTER, found.start(), message, "delete it")
    if b"<<<<<<<" in raw or b">>>>>>>" in raw:
        marks = list(_marker.finditer(text))
        if marks:
            message = f"merge conflict marker `{marks[0][1]}`"
            if len(marks) > 1:
                last = Lines(text).position(marks[-1].start(1)).line
                message += f" ({len(marks)} of them, down to line {last})"
            hint = "keep the right side of the conflict and delete the marker lines"
            return Fault(CONFLICT, marks[0].start(1), message, hint)
    if not text.strip():
        return Fault(EMPTY, 0, "the file is empty", "write the record or delete the file")
    return None


def invisible(raw: bytes, text: str) -> Iterator[Fault]:
    """Invisible characters in a text that can be parsed all the same."""
    if raw.isascii():
        return
    for found in _invisible.finditer(text):
        if found[0] == "\ufeff":
            message = "an invisible byte order mark, U+FEFF, inside the file"
            yield Fault(BYTE_ORDER_MARK, found.start(), message, "delete it")
        else:
            message = f"the invisible character {character_name(found[0])}"
            mend = "replace it with a space" if found[0] in "\x85\u2028\u2029" else "delete it"
            yield Fault(CHARACTER, found.start(), message, mend)
