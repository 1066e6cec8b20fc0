"""The text of a change, in the form that ``patch`` and ``git apply`` read."""

from __future__ import annotations

from difflib import unified_diff

_CUT_OFF = "\\ No newline at end of file\n"


def unified(file: str, before: bytes, after: bytes) -> str:
    """The unified diff of a file, with its path from the registry's root."""
    # Only a line feed ends a line of a diff: a carriage return is part of the line before it.
    old, new = (text.decode().split("\n") for text in (before, after))
    lines = unified_diff(_ended(old), _ended(new), f"a/{file}", f"b/{file}")
    return "".join(line if line.endswith("\n") else f"{line}\n{_CUT_OFF}" for line in lines)


def _ended(lines: list[str]) -> list[str]:
    *whole, last = lines
    return [f"{line}\n" for line in whole] + ([last] if last else [])
