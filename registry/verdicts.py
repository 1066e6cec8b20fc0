"""What a source says on a field, and the matrix of all of them.

The five verdicts are never turned into one another: a source that was throttled has not denied
anything, and a source that is silent has not confirmed anything.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Verdict = Literal["confirmed", "contradicted", "silent", "not-asked", "could-not-ask"]
VERDICTS: tuple[Verdict, ...] = (
    "confirmed",
    "contradicted",
    "silent",
    "not-asked",
    "could-not-ask",
)


class Cell(msgspec.Struct, frozen=True):
    """One source's verdict on one field."""

    field: str
    """Field, such as ``pages``."""
    source: str
    """Id of the source."""
    verdict: Verdict
    value: str = ""
    """What the source says, as text; empty where it says nothing."""
    note: str = ""
    """Why the verdict is not simply the comparison of two texts."""
    evidence: str = ""
    """Id of the evidence record that the verdict rests on."""


class Matrix(msgspec.Struct, frozen=True):
    """All verdicts on one record."""

    record: str
    """``kind/id``."""
    values: dict[str, str]
    """Field name to the record's own preferred value, as text."""
    statuses: dict[str, str]
    """Field name to the status that the record declares."""
    sources: tuple[str, ...]
    """Sources in the order of the columns."""
    cells: tuple[Cell, ...]
    """One cell for each field and source, field by field."""
    unconfirmed: tuple[str, ...] = ()
    """Evidence about the record that could not be confirmed and supports nothing."""
