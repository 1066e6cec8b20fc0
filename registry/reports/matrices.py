"""What the formats for people share in showing a verdict matrix."""

from __future__ import annotations

from dataclasses import dataclass

from registry.reports.wording import shortened, visible
from registry.verdicts import Cell, Matrix, Verdict

SYMBOLS: dict[Verdict, str] = {
    "confirmed": "✓",
    "contradicted": "✗",
    "silent": "–",
    "not-asked": "·",
    "could-not-ask": "?",
}
"""One sign for each verdict; the word always stands beside it."""

MEANINGS: dict[Verdict, str] = {
    "confirmed": "the source says the same",
    "contradicted": "the source says something else",
    "silent": "the source was asked and does not say",
    "not-asked": "the source was not asked",
    "could-not-ask": "the source was throttled, offline or broken",
}
"""The legend."""

MARKED = ("contested", "settled")
"""Statuses that a reader has to know of before trusting the value."""

VALUE_LIMIT = 200
"""Characters of a value that are shown; a long author line would drown the verdicts."""


@dataclass(frozen=True, slots=True)
class Row:
    """One field of a matrix."""

    field: str
    value: str
    """The record's own value, and its status where it is one of ``MARKED``."""
    marked: bool
    """Whether the status is one of ``MARKED``."""
    cells: dict[str, Cell]
    """Source to cell."""

    def by_verdict(self) -> dict[Verdict, list[str]]:
        """The sources of each verdict that occurs, in the order of the legend."""
        found: dict[Verdict, list[str]] = {verdict: [] for verdict in SYMBOLS}
        for source, cell in self.cells.items():
            found[cell.verdict].append(visible(source))
        return {verdict: sources for verdict, sources in found.items() if sources}


def rows(matrix: Matrix) -> list[Row]:
    """The fields of a matrix in the order of its cells."""
    fields: dict[str, dict[str, Cell]] = {field: {} for field in matrix.values}
    for cell in matrix.cells:
        fields.setdefault(cell.field, {})[cell.source] = cell
    return [
        Row(
            field=visible(field),
            value=_value(matrix, field),
            marked=matrix.statuses.get(field) in MARKED,
            cells={source: cells[source] for source in matrix.sources if source in cells},
        )
        for field, cells in fields.items()
    ]


def _value(matrix: Matrix, field: str) -> str:
    value = visible(shortened(matrix.values.get(field) or "(no value)", VALUE_LIMIT))
    status = matrix.statuses.get(field)
    return f"{value} ({status})" if status in MARKED else value


def notes(matrix: Matrix) -> list[str]:
    """What has to be said beside the signs, one line each; fields with the same note share it."""
    fields: dict[tuple[str, str], list[str]] = {}
    for cell in matrix.cells:
        said = cell.value if cell.verdict == "contradicted" else ""
        if said or cell.note:
            text: str = cell.verdict
            text += f" by “{shortened(said, VALUE_LIMIT)}”" if said else ""
            text += f": {cell.note}" if cell.note else ""
            text += f" [evidence/{cell.evidence}]" if cell.evidence else ""
            fields.setdefault((cell.source, text), []).append(cell.field)
    return [
        visible(f"{source} on {', '.join(names)}: {text}")
        for (source, text), names in fields.items()
    ]


def unconfirmed(matrix: Matrix) -> list[str]:
    """The evidence that is kept and supports nothing."""
    return [visible(f"evidence/{evidence}") for evidence in matrix.unconfirmed]
