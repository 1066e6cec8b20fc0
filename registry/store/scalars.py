"""What an unquoted word of a YAML file means.

Readers of YAML 1.1 and of YAML 1.2 agree on most words and not on all. Where they agree, and for
``yes``, ``no``, ``on`` and ``off``, the meaning of YAML 1.1 is taken. A word whose meaning depends
on the reader (``010`` is eight or ten) becomes a :class:`Doubtful`, which no field accepts.

Sources: the YAML 1.1 type repository (bool, int, float, timestamp, merge, value) and the core
schema of YAML 1.2.2 (section 10.3.2); for decimal exponents also what PyYAML makes of them, which
reads fewer forms than YAML 1.1 allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A word that is not the same thing to every reader. It is not text and not a number."""

    text: str
    """The word as it stands in the file."""
    why: str
    """What it is read as; it ends the sentence ``YAML reads `010` as ...``."""

    def __str__(self) -> str:
        """The word, as whoever reads the file sees it."""
        return self.text


Scalar: TypeAlias = str | int | float | bool | date | Doubtful | None

_TRUE = ("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON")
_FALSE = ("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF")
_NULL = ("", "~", "null", "Null", "NULL")
_WORDS: dict[str, bool | Doubtful | None] = {
    **dict.fromkeys(_TRUE, True),
    **dict.fromkeys(_FALSE, False),
    **dict.fromkeys(_NULL, None),
    "<<": Doubtful("<<", "a merge key (YAML 1.1) or text (YAML 1.2)"),
    "=": Doubtful("=", "a default value (YAML 1.1) or text (YAML 1.2)"),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_MOST_DIGITS = 18
"""Digits that surely fit into 64 bits, which is what other programs have for a whole number."""

# The first form that matches is the one that counts; the frequent ones stand first.
_forms = re.compile(
    r"""
      (?P<whole>     [-+]?(?:0|[1-9][0-9]*) )
    | (?P<day>       [0-9]{4}-[0-9]{2}-[0-9]{2} )
    | (?P<decimal>   [-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)? | \.[0-9]+(?:[eE][-+][0-9]+)? )
    | (?P<endless>   [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN) )
    | (?P<zero>      [-+]?0[0-9]+ )
    | (?P<based>     [-+]?0(?: [xX][0-9a-fA-F_]+ | [oO][0-7_]+ | [bB][01_]+ ) )
    | (?P<power>     [-+]?(?: [0-9]+(?:\.[0-9]*)? | \.[0-9]+ )(?:[eE][-+]?[0-9]+)? )
    | (?P<grouped>   [-+]?[0-9][0-9_]*(?:\.[0-9_]*(?:[eE][-+]?[0-9]+)?)? | \.[0-9][0-9_]* )
    | (?P<sixties>   [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)? )
    | (?P<moment>    [0-9]{4}-[0-9]{1,2}-[0-9]{1,2} (?:[Tt]|[ \t]+)
                     [0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
                     (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))? )
    """,
    re.VERBOSE,
).fullmatch


def plain(text: str) -> Scalar:
    """The meaning of a word that stands without quotes.

    Returns:
        ``text`` itself, the same object, if it is text; None if it says that there is no value; a
        float that is not finite if that is what is written, or if the number is too large for one.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    form = _forms(text)
    return text if form is None else _MEANINGS[str(form.lastgroup)](text)


def _whole(text: str) -> Scalar:
    if len(text) > _MOST_DIGITS and len(text.lstrip("+-")) > _MOST_DIGITS:
        return Doubtful(text, "a number with more digits than every reader keeps")
    return int(text)


def _day(text: str) -> Scalar:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return Doubtful(text, "a day that no calendar has")


def _endless(text: str) -> Scalar:
    return float(text.replace(".", ""))


def _zero(text: str) -> Scalar:
    if len(text) > _MOST_DIGITS:
        return Doubtful(text, "an octal number (YAML 1.1) or a decimal number (YAML 1.2)")
    octal = "text" if {"8", "9"} & set(text) else f"octal {int(text, 8)}"
    return Doubtful(text, f"{octal} (YAML 1.1) or {int(text)} (YAML 1.2)")


def _based(text: str) -> Scalar:
    names = {"x": "a hexadecimal", "o": "an octal", "b": "a binary"}
    base = text.lstrip("+-")[1].lower()
    return Doubtful(text, f"{names[base]} number or text, depending on the reader")


def _power(text: str) -> Scalar:
    mantissa, _, power = text.lower().partition("e")
    sign = mantissa[0] if mantissa[0] in "+-" else ""
    before, _, after = mantissa.removeprefix(sign).partition(".")
    exponent = f"e{power if power[0] in '+-' else '+' + power}" if power else ""
    clear = f"{sign}{before or '0'}.{after or '0'}{exponent}"
    return Doubtful(text, f"text or a number, depending on the reader ({clear} is a number to all)")


def _grouped(text: str) -> Scalar:
    return Doubtful(text, f"{text.replace('_', '')} (YAML 1.1) or text (YAML 1.2)")


def _sixties(text: str) -> Scalar:
    return Doubtful(text, "a number in base 60 (YAML 1.1) or text (YAML 1.2)")


def _moment(text: str) -> Scalar:
    return Doubtful(text, "a moment in time (YAML 1.1) or text (YAML 1.2)")


_MEANINGS: dict[str, Callable[[str], Scalar]] = {
    "whole": _whole,
    "day": _day,
    "decimal": float,
    "endless": _endless,
    "zero": _zero,
    "based": _based,
    "power": _power,
    "grouped": _grouped,
    "sixties": _sixties,
    "moment": _moment,
}
