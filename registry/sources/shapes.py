"""Takes values out of an answer whose shape a source promises and does not always keep.

An absent, null or blank value is empty: the source says nothing there. A value of another type is
a broken answer, because nobody knows what it was meant to say.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any


class UnexpectedShapeError(Exception):
    """An answer is not of the shape that it should have; its text says where, on one line."""


def one_line(text: str) -> str:
    """The text with each run of white space as one space, and without what no file can hold."""
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(char) in ("Cc", "Cs") else char for char in text)
    return " ".join(text.split())


def text_of(record: Mapping[str, Any], key: str) -> str:
    """The text under a key, on one line; empty if there is none.

    Raises:
        UnexpectedShapeError: it is no text.
    """
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnexpectedShapeError(f"{key} is no text")
    return one_line(value)


def whole_of(record: Mapping[str, Any], key: str) -> int | None:
    """The integer under a key.

    Raises:
        UnexpectedShapeError: it is no integer.
    """
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnexpectedShapeError(f"{key} is no integer")
    return value


def part_of(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The mapping under a key; empty if there is none.

    Raises:
        UnexpectedShapeError: it is no mapping.
    """
    value = record.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UnexpectedShapeError(f"{key} is no mapping")
    return value


def parts_of(record: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The mappings in the list under a key; empty if there is none.

    Raises:
        UnexpectedShapeError: it is no list of mappings.
    """
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise UnexpectedShapeError(f"{key} is no list of mappings")
    return value


def texts_of(record: Mapping[str, Any], key: str) -> list[str]:
    """The texts in the list under a key, or the one text there, without empty ones.

    Raises:
        UnexpectedShapeError: it is neither, or the list holds something else.
    """
    value = record.get(key)
    items = value if isinstance(value, list) else [value]
    if not all(item is None or isinstance(item, str) for item in items):
        raise UnexpectedShapeError(f"{key} is no list of texts")
    return [text for text in map(one_line, filter(None, items)) if text]
