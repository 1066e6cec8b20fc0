"""What a verdict grid needs beside its signs: what they mean, and what they cannot say."""

from __future__ import annotations

from msgspec.structs import replace

from registry.reports import matrices
from registry.verdicts import Cell, Matrix, Verdict

SHORT = 60
"""Characters up to which a contradicting value is shown beside the remark on it."""


def notes(matrix: Matrix) -> list[str]:
    """Who says what instead, and who could not be asked and why, one line each."""
    whole = len(matrix.values)
    fields: dict[tuple[str, str], list[str]] = {}
    for cell in matrix.cells:
        text = _told(cell)
        if text:
            fields.setdefault((cell.source, text), []).append(cell.field)
    return [
        f"{text.format(source)}" if len(names) == whole else f"... {', '.join(names)}"
        for (source, text), names in fields.items()
    ]


def legend() -> str:
    """The signs and their verdicts."""
    return "  ".join(f"{sign} {verdict}" for verdict, sign in matrices.SYMBOLS.items())


def heads(matrix: Matrix, room: int) -> tuple[str, ...]:
    """Heads for the columns of the sources: their ids, or numbers where ids need too much room."""
    names = matrix.sources
    if sum(len(name) + 2 for name in names) <= room:
        return names
    return tuple(str(number) for number, _ in enumerate(names, 1))


def sign(cell: Cell | None) -> str:
    """The sign of a verdict; without a cell, that nobody was asked."""
    return matrices.SYMBOLS[cell.verdict if cell else "not-asked"]
