"""An accelerator: every number with what it is a number of, and what each source says instead."""

from __future__ import annotations

from collections.abc import Iterator

from registry.records.accelerator import Accelerator, PeakRate
from registry.reports.matrices import SYMBOLS
from registry.store.wording import as_text
from registry.verdicts import Cell
from registry.views import generic
from registry.views.collect import Subject, TrackedField
from registry.views.disputes import settled
from registry.views.facts import other_values, unconfirmed
from registry.views.page import (
    Bullets,
    Grid,
    Page,
    Pairs,
    Paragraph,
    Section,
    joined,
    quiet,
    strong,
    words,
)
from registry.views.values import status_word
from registry.views.verdicts import legend, notes


def page(subject: Subject, record: Accelerator) -> Page:
    """The page of an accelerator."""
    return Page(
        title=record.name,
        key=subject.key,
        opening=(*generic.opening(subject), _product(subject, record)),
        sections=(
            _numbers(subject, record),
            *settled(subject),
            *other_values(subject),
            *unconfirmed(subject),
            *generic.references(subject),
        ),
    )


def _product(subject: Subject, record: Accelerator) -> Pairs:
    rows = [("vendor", words(subject.shelf.label("organization", record.vendor)))]
    if record.architecture:
        rows.append(("architecture", words(record.architecture)))
    if record.aliases:
        rows.append(("also called", joined(record.aliases, ", ")))
    return Pairs(tuple(rows))


def _numbers(subject: Subject, record: Accelerator) -> Section:
    matrix = subject.matrix
    cells = matrix.cells if matrix else ()
    rows = tuple(
        (
            words(_name(field, record)),
            words(strong(_value(field))),
            words(status_word(field.fact.status)),
            joined(_said([cell for cell in cells if cell.field == field.name]), "  "),
        )
        for field in subject.tracked
    )
    head = ("number", "record", "status", "each source")
    said = tuple((words(note),) for note in (notes(matrix) if matrix else ()))
    return Section(
        "Numbers, and what each source says",
        (
            Grid(head, rows),
            Paragraph(words(quiet(legend()))),
            *((Bullets(said),) if said else ()),
        ),
    )


def _name(field: TrackedField, record: Accelerator) -> str:
    """The field; a peak rate with everything that it is a rate of."""
    if field.fact.path[0] != "peaks":
        return field.name.replace("_", " ")
    position = field.fact.path[1]
    assert isinstance(position, int)
    return f"peak {_peak(record.peaks[position])}" if record.peaks else field.name


def _peak(peak: PeakRate) -> str:
    sparsity = "dense" if peak.sparsity == "dense" else f"{peak.sparsity} sparse"
    accumulate = f", accumulated in {peak.accumulate}" if peak.accumulate else ""
    return f"{peak.precision}, {sparsity}, {peak.path} units{accumulate}, per {peak.scope or 'package'}"


def _value(field: TrackedField) -> str:
    held = field.preferred
    if held is None:
        return "(no value is preferred)"
    value = held["value"]
    hedge = value.get("qualifier", "") if isinstance(value, dict) else ""
    shown = f"{hedge.replace('-', ' ')} {as_text(value)}" if hedge else as_text(value)
    return f"{shown} (inferred)" if held["basis"] == "inferred" else shown


def _said(cells: list[Cell]) -> Iterator[str]:
    """What each source that was asked says; those that were not asked are left out."""
    for cell in cells:
        if cell.verdict != "not-asked":
            yield f"{SYMBOLS[cell.verdict]} {cell.source} {cell.value}".rstrip()
