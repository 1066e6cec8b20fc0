"""Reads the BibTeX that publishers generate for their own papers.

Each entry begins on a line of its own and its values stand in braces or quotes. An abstract is
pasted in as it is, at the end: braces in it need not match, and cost nothing that stands before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_START = re.compile(r"^[ \t]*@(?P<type>[A-Za-z]+)\s*\{\s*(?P<key>[^\s,{}]+)\s*,", re.MULTILINE)
_NAME = re.compile(r"[\s,]*(?P<name>[A-Za-z][A-Za-z0-9_-]*)\s*=\s*")
_BARE = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """One entry."""

    type: str
    """Type in lower case."""
    key: str
    fields: Mapping[str, str]
    """Name in lower case to value on one line, TeX as it is."""


def bibtex_entries(text: str) -> Iterator[BibtexEntry]:
    """The entries of a text, with as many of their fields as can be read."""
    starts = list(_START.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=False):
        fields = dict(_fields(text[start.end() : end]))
        yield BibtexEntry(start["type"].lower(), start["key"], fields)


def _fields(body: str) -> Iterator[tuple[str, str]]:
    position = 0
    while name := _NAME.match(body, position):
        value, position = _value(body, name.end())
        if value is None:
            return
        yield name["name"].lower(), " ".join(value.split())


def _value(body: str, start: int) -> tuple[str | None, int]:
    """The value that begins at ``start`` and where it ends; None if it does not end."""
    opening = body[start : start + 1]
    if opening not in ("{", '"'):
        bare = _BARE.match(body, start)
        return (bare[0], bare.end()) if bare else (None, start)
    depth = 0
    for mark in re.finditer(r'\\.|[{}"]', body[start:], re.DOTALL):
        depth += (mark[0] == "{") - (mark[0] == "}")
        closed = mark[0] == "}" if opening == "{" else mark[0] == '"' and mark.start() > 0
        if closed and depth == 0:
            end = start + mark.end()
            return body[start + 1 : end - 1], end
    return None, start
