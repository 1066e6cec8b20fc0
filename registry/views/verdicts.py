"""What a verdict grid needs beside its signs: what they mean, and what they cannot say."""

from __future__ import annotations

from collections.abc import Iterator

from registry.reports import matrices
from registry.reports.wording import shortened
from registry.verdicts import Cell, Matrix
from registry.views.page import Bullets, Verdicts, Words, joined, words
from registry.views.values import brief, status_word

FEW = 3
"""Fields that a note names one by one."""

NOTE = 120
"""Characters of a note that are shown."""

VALUE = 90
"""Characters of a value up to which it stands beside a note on where it differs."""


def sign(cell: Cell | None) -> str:
    """The sign of a verdict; without a cell, that nobody was asked."""
    return matrices.SYMBOLS[cell.verdict if cell else "not-asked"]


def legend(matrix: Matrix) -> str:
    """The signs and their verdicts."""
    if not matrix.sources:
        return "No source has been asked."
    return "  ".join(f"{mark} {verdict}" for verdict, mark in matrices.SYMBOLS.items())


def heads(matrix: Matrix, room: int) -> tuple[str, ...]:
    """Heads for the columns of the sources: their ids, or numbers where ids need too much room."""
    names = matrix.sources
    if sum(len(name) + 1 for name in names) <= room:
        return names
    return tuple(str(number) for number, _ in enumerate(names, 1))


def notes(matrix: Matrix) -> list[str]:
    """Who says what instead, and who could not be asked and why, one line each."""
    fields: dict[tuple[str, str], list[str]] = {}
    for cell in matrix.cells:
        if cell.verdict in ("contradicted", "could-not-ask"):
            source = f"{sign(cell)} {cell.source}"
            fields.setdefault((source, _said(cell)), []).append(cell.field)
    return [f"{source}, {_on(names, matrix)}: {said}" for (source, said), names in fields.items()]


def _said(cell: Cell) -> str:
    if cell.verdict == "could-not-ask":
        return brief(cell.note, NOTE) or "no reason is given"
    note = shortened(cell.note, NOTE)
    # A long list of names or places says less than the note on where it differs.
    said = f"“{cell.value}”" if len(cell.value) <= VALUE or not note else ""
    return f"{', '.join(filter(None, (said, note)))} [evidence/{cell.evidence}]"


def _on(names: list[str], matrix: Matrix) -> str:
    if len(names) == len(matrix.values):
        return "every field"
    # The signs tell which ones; a long list of them would hide what is said about them.
    return ", ".join(names) if len(names) <= FEW else f"{len(names)} fields"


def as_list(block: Verdicts) -> Bullets:
    """The grid without columns: each field with the sources of each verdict below it."""
    items = []
    for row, field in zip(matrices.rows(block.matrix), block.matrix.values, strict=True):
        status = status_word(block.matrix.statuses[field])
        head = joined((words(f"{field}: ", block.values.get(field, ())), status))
        items.append((head, *_by_verdict(row)))
    return Bullets(tuple(items))


def _by_verdict(row: matrices.Row) -> Iterator[Words]:
    for verdict, sources in row.by_verdict().items():
        if verdict != "not-asked":
            yield words(f"{matrices.SYMBOLS[verdict]} {', '.join(sources)}")
