"""When two printed names can be one person's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal

import msgspec

from registry.equality.bibtex_names import Name
from registry.equality.titles import words

_NOT_DECOMPOSED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h"}
)
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_APOSTROPHES = re.compile("['’‘ʼ`´]")
_BETWEEN = re.compile(r"[\s.,\-‐‑‒–]+")

Tokens = tuple[str, ...]


class Match(msgspec.Struct, frozen=True):
    """How two names agree."""

    grade: Literal["same", "compatible", "inverted", "different"]
    """``compatible`` names differ in form only: initials, a middle name, accents."""
    note: str = ""
    """In which form."""

    @property
    def agrees(self) -> bool:
        """Whether the names can be one person's."""
        return self.grade in ("same", "compatible")


_SAME = Match("same")
_DIFFERENT = Match("different")


@lru_cache(maxsize=1 << 16)
def match_names(one: Name, other: Name) -> Match:
    """Compare two names.

    Initials agree with what they abbreviate, a middle name may be missing, and hyphens, accents
    and the place of a particle do not count. Garbled letters are not guessed at.
    """
    if not (_says_something(one) and _says_something(other)):
        return _DIFFERENT  # two names of which nothing is left are not one name
    if one == other:
        return _SAME
    if one.literal or other.literal:
        return _SAME if words(str(one)) == words(str(other)) else _DIFFERENT
    if one.suffix and other.suffix and _tokens(one.suffix) != _tokens(other.suffix):
        return _DIFFERENT
    suffix_note = "" if bool(one.suffix) == bool(other.suffix) else "suffix missing"
    found = _match_persons(one, other)
    if found.grade == "different" and not (_is_ascii(one) and _is_ascii(other)):
        for respell in (_without_accents, _spelled_out):
            again = _match_persons(_respelled(one, respell), _respelled(other, respell))
            if again.agrees:
                found = Match("compatible", _joined("accents", again.note))
                break
            if again.grade == "inverted":
                found = again
    if suffix_note and found.agrees:
        return Match("compatible", _joined(found.note, suffix_note))
    return found


def _says_something(name: Name) -> bool:
    return any(char.isalnum() for char in str(name))


def family_initial(name: Name) -> str:
    """The letter that the last word of a family name begins with, which all its forms share."""
    last = _tokens(_without_accents(name.family or name.literal))[-1:]
    return last[0][0] if last else ""


def _match_persons(one: Name, other: Name) -> Match:
    whole, other_whole = _whole(one), _whole(other)
    if whole == other_whole:
        return _SAME
    best = _DIFFERENT
    for family in (*_families(one), *_families(other)):
        given, other_given = _given(one, family), _given(other, family)
        if given is None or other_given is None:
            continue
        note = _given_names(given, other_given)
        if note == "":
            return _SAME
        if note is not None and not best.agrees:
            best = Match("compatible", note)
    if best.agrees:
        return best
    for turned in (_turned(one), _turned(other)):
        if turned and turned in (whole, other_whole):
            return Match("inverted")
    return _DIFFERENT


def _given(name: Name, family: Tokens) -> Tokens | None:
    """The given names, if the name ends with that family name; its particle is left aside."""
    whole = _whole(name)
    if whole[-len(family) :] != family:
        return None
    rest = whole[: -len(family)]
    particle = _tokens(name.particle)
    if particle and family == _tokens(name.family):
        rest = rest[: -len(particle)]
    return rest


def _families(name: Name) -> Iterator[Tokens]:
    particle, family = _tokens(name.particle), _tokens(name.family)
    if family:
        yield family
        if particle:
            yield particle + family


def _given_names(one: Tokens, other: Tokens) -> str | None:
    """None if they disagree, else a note on their form, which is empty if they are equal."""
    if one == other:
        return ""
    if not one or not other:
        return "given name missing"
    if "".join(one) == "".join(other):
        return "joined given names"
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if not _abbreviates(longer[0], shorter[0]):
        return None
    initials = longer[0] != shorter[0]
    waiting = iter(longer[1:])
    for token in shorter[1:]:
        match = next((candidate for candidate in waiting if _abbreviates(candidate, token)), None)
        if match is None:
            return None
        initials = initials or match != token
    missing = "middle name missing" if len(longer) > len(shorter) else ""
    return _joined("initials" if initials else "", missing)


def _abbreviates(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _turned(name: Name) -> Tokens:
    """Family name first, as a source that mixed up the two writes it."""
    given = _tokens(name.given)
    return _tokens(name.particle) + _tokens(name.family) + given if given else ()


@lru_cache(maxsize=1 << 16)
def _whole(name: Name) -> Tokens:
    return _tokens(name.given) + _tokens(name.particle) + _tokens(name.family)


@lru_cache(maxsize=1 << 16)
def _tokens(text: str) -> Tokens:
    if not text:
        return ()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(filter(None, _BETWEEN.split(_APOSTROPHES.sub("", folded))))


def _is_ascii(name: Name) -> bool:
    return str(name).isascii()


def _respelled(name: Name, respell: Callable[[str], str]) -> Name:
    return Name(respell(name.given), respell(name.particle), respell(name.family), name.suffix)


def _without_accents(text: str) -> str:
    spread = unicodedata.normalize("NFD", text.casefold().translate(_NOT_DECOMPOSED))
    return "".join(char for char in spread if not unicodedata.combining(char))


def _spelled_out(text: str) -> str:
    """German and Scandinavian letters as they are written where only ASCII is to be had."""
    composed = unicodedata.normalize("NFC", text).casefold()
    return _without_accents(composed.translate(_SPELLED_OUT))


def _joined(*notes: str) -> str:
    return ", ".join(filter(None, notes))
