"""What a verdict grid needs beside its signs: what they mean, and what they cannot say."""

from __future__ import annotations

from registry.reports import matrices
from registry.verdicts import Cell, Matrix
from registry.views.values import brief

SHORT = 60
"""Characters up to which a contradicting value is shown beside the remark on it."""


def notes(matrix: Matrix) -> list[str]:
    """Who says what instead, and who could not be asked and why, one line each."""
    fields: dict[tuple[str, str], list[str]] = {}
    for cell in matrix.cells:
        if cell.verdict in ("contradicted", "could-not-ask"):
            text = f"{_said(cell)} [evidence/{cell.evidence}]"
            fields.setdefault((f"{sign(cell)} {cell.source}", text), []).append(cell.field)
    return [f"{source}, {_on(names, matrix)}: {text}" for (source, text), names in fields.items()]


def _said(cell: Cell) -> str:
    note = brief(cell.note, SHORT)
    if cell.verdict == "could-not-ask" or (note and len(cell.value) > SHORT):
        return note or "no reason is given"
    return f"“{cell.value}”" + (f", {note}" if note else "")


def _on(names: list[str], matrix: Matrix) -> str:
    return "every field" if len(names) == len(matrix.values) else ", ".join(names)


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
