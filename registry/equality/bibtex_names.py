r"""Names in BibTeX's grammar, which keeps a source's order of given and family name.

Three forms are known: ``Given von Family``, ``von Family, Given`` and ``von Family, Jr., Given``.
Words that begin with a lower-case letter are the particle. Braces around a whole name make it one
literal that is never split; braces around a part only stop re-casing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from registry.equality.markup import display_text

_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "2nd", "3rd"})
_HOMONYM_NUMBER = re.compile(r"\s+[0-9]{4}$")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_MARKER = re.compile(
    r"(?:(?:and\s+)?(?:[0-9]+\s+)?(?:more\s+)?others|et[.\s]+al\.?|\.{3}|…)\W*", re.I
)
_MARKER_AT_END = re.compile(r"[\s,]+(?:and\s+)?(?:et[.\s]+al\.?|others)\W*$")
_TIE = re.compile(r"(?<!\\)~")
_ACCENT_AND_SPACE = re.compile(r"\\([cHkruvdbt])\s+([A-Za-z])")
_LETTER_AND_SPACE = re.compile(r"\\(oe|OE|ae|AE|aa|AA|ss|dh|DH|th|TH|dj|DJ|ng|NG|[oOlLij])\s+")


class Name(msgspec.Struct, frozen=True):
    """One author. A group has only ``literal``; a mononym has only ``family``."""

    given: str = ""
    particle: str = ""
    family: str = ""
    suffix: str = ""
    literal: str = ""

    def __str__(self) -> str:
        """The name in reading order."""
        if self.literal:
            return self.literal
        return " ".join(filter(None, (self.given, self.particle, self.family, self.suffix)))


class AuthorLine(msgspec.Struct, frozen=True):
    """The authors of a work in order."""

    names: tuple[Name, ...]
    """The names that are written out."""
    truncated: bool = False
    """Whether ``et al.`` or ``and others`` says that there are more."""


def parse_authors(authors: str | Iterable[str]) -> AuthorLine:
    """Read an author field, or a list with one name in each entry.

    Args:
        authors: Text joined by ``and``, or names one by one. ``others`` and ``et al.`` are markers
            of a truncated list and never people.
    """
    written = split_authors(authors) if isinstance(authors, str) else list(authors)
    truncated = False
    if written and _MARKER.fullmatch(written[-1].strip(" {}")):
        written.pop()
        truncated = True
    elif written and (marker := _MARKER_AT_END.search(written[-1])):
        written[-1] = written[-1][: marker.start()]
        truncated = True
    names = (parse_name(name) for name in written if name.strip(" {}~"))
    return AuthorLine(tuple(names), truncated)


def split_authors(field: str) -> list[str]:
    """Split an author field at each ``and`` that stands outside braces."""
    depths = _depths(field)
    names, start = [], 0
    for match in _AND.finditer(field):
        if depths[match.start()] == 0:
            names.append(field[start : match.start()])
            start = match.end()
    names.append(field[start:])
    return [name.strip() for name in names if name.strip()]


@lru_cache(maxsize=1 << 16)
def parse_name(text: str) -> Name:
    """Read one name. A number that DBLP puts behind homonyms is dropped."""
    text = " ".join(_TIE.sub(" ", text).split())
    if "\\" in text:
        text = _LETTER_AND_SPACE.sub(r"{\\\1}", _ACCENT_AND_SPACE.sub(r"\\\1{\2}", text))
    if _is_literal(text):
        return Name(literal=display_text(text))
    parts = [_HOMONYM_NUMBER.sub("", part) for part in _split(text, ",")]
    if len(parts) > 3:
        return Name(literal=display_text(text))
    if not parts:
        return Name()
    if len(parts) == 1:
        return _from_reading_order(_split(parts[0], " "))
    suffix = ""
    if len(parts) == 3:
        # Some write the suffix last.
        last_is_suffix = _is_suffix(parts[2]) and not _is_suffix(parts[1])
        suffix = parts.pop(2 if last_is_suffix else 1)
    particle, family = _particle_and_family(_split(parts[0], " "))
    return Name(display_text(parts[1]), particle, family, display_text(suffix))


def _from_reading_order(tokens: list[str]) -> Name:
    suffix = ""
    if len(tokens) > 2 and _is_suffix(tokens[-1]):
        suffix = display_text(tokens.pop())
    first_small = next((i for i, token in enumerate(tokens[:-1]) if _is_small(token)), None)
    start = len(tokens) - 1 if first_small is None else first_small
    particle, family = _particle_and_family(tokens[start:])
    return Name(display_text(" ".join(tokens[:start])), particle, family, suffix)


def _particle_and_family(tokens: list[str]) -> tuple[str, str]:
    """The particle ends with the last small word; the last word always belongs to the family."""
    end = max((i + 1 for i, token in enumerate(tokens[:-1]) if _is_small(token)), default=0)
    if end and not _is_small(tokens[0]):
        end = 0
    return display_text(" ".join(tokens[:end])), display_text(" ".join(tokens[end:]))


def _is_small(token: str) -> bool:
    """Whether a word begins with a lower-case letter; a braced word has no case."""
    if token.startswith("{") and not token.startswith("{\\"):
        return False
    letter = next((char for char in display_text(token) if char.isalpha()), "")
    return letter.islower()


def _is_suffix(token: str) -> bool:
    return token.strip(" .").lower() in _SUFFIXES


def _is_literal(text: str) -> bool:
    if not (text.startswith("{") and text.endswith("}")):
        return False
    return 0 not in _depths(text)[1:-1]


def _split(text: str, separator: str) -> list[str]:
    """Split at a separator that stands outside braces."""
    if "{" not in text:
        return [part.strip() for part in text.split(separator) if part.strip()]
    depths = _depths(text)
    cuts = [i for i, char in enumerate(text) if char == separator and depths[i] == 0]
    ends = zip([-1, *cuts], [*cuts, len(text)], strict=True)
    parts = (text[start + 1 : end].strip() for start, end in ends)
    return [part for part in parts if part]


def _depths(text: str) -> list[int]:
    """The depth of braces behind each character."""
    depths, depth, escaped = [], 0, False
    for char in text:
        if not escaped:
            depth += (char == "{") - (char == "}" and depth > 0)
        escaped = char == "\\" and not escaped
        depths.append(depth)
    return depths
