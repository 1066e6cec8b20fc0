"""What a check says: findings, the rules behind their codes, and where in a file they point."""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "info"]

FieldPath = tuple[str | int, ...]
"""Keys and list positions from the top of a record down to a value."""


class Position(msgspec.Struct, frozen=True, array_like=True):
    """A place in a text file, both numbers counted from 1."""

    line: int
    column: int


START = Position(1, 1)
"""Where a finding points that is about a file as a whole."""


class Finding(msgspec.Struct, frozen=True, array_like=True):
    """One thing a check has to say about one place."""

    code: str
    """Stable code; ``registry explain CODE`` tells more."""
    severity: Severity
    """``error`` fails a run, ``warning`` does so under ``--strict``, ``info`` never."""
    record: str
    """``kind/id``, or an empty string where the file is not a readable record."""
    field: str
    """Path of the field, such as ``venue.assertions[1].value``; empty for the whole file."""
    file: str
    """File, from the registry's root, with forward slashes."""
    line: int
    """Line, from 1."""
    column: int
    """Column, from 1."""
    message: str
    """What is wrong, on one line."""
    hint: str = ""
    """How to mend it, on one line."""


class Rule(msgspec.Struct, frozen=True):
    """The meaning of a code."""

    code: str
    severity: Severity
    title: str
    """A few words."""
    meaning: str
    """What the finding says, and why it matters."""
    mend: str
    """What to do about it."""


def path_text(path: FieldPath) -> str:
    """Write a field path the way messages show it: ``claims[0].range.low``."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)
