"""An accelerator: every number with what it is a number of, and what each source says instead."""

from __future__ import annotations

from collections.abc import Iterator

from registry.records.accelerator import Accelerator, PeakRate
from registry.store.wording import as_text
from registry.verdicts import VERDICTS, Cell
from registry.views import generic
from registry.views.collect import Subject, TrackedField
from registry.views.disputes import settled
from registry.views.facts import other_values, unconfirmed
from registry.views.page import (
    Block,
    Bullets,
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
from registry.views.verdicts import legend, notes, sign


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
            words(
                f"{_name(field, record)}: ",
                strong(_value(field)),
                " · ",
                status_word(field.fact.status),
            ),
            joined(_said([cell for cell in cells if cell.field == field.name]), "; "),
        )
        for field in subject.tracked
    )
    blocks: list[Block] = [Bullets(rows)]
    if matrix is not None:
        blocks.append(Paragraph(words(quiet(legend(matrix)))))
        blocks.append(Bullets(tuple((words(note),) for note in notes(matrix))))
    return Section("Numbers, and what each source says", tuple(blocks))


def _name(field: TrackedField, record: Accelerator) -> str:
    """The field; a peak rate with everything that it is a rate of."""
    if field.fact.path[0] != "peaks":
        return field.name.replace("_", " ")
    position = field.fact.path[1]
    assert isinstance(position, int)
    return f"peak {_peak(record.peaks[position])}" if record.peaks else field.name


def _peak(peak: PeakRate) -> str:
    parts = [peak.precision, "dense" if peak.sparsity == "dense" else f"{peak.sparsity} sparse"]
    parts += [peak.path, f"into {peak.accumulate}"] if peak.accumulate else [peak.path]
    return f"{' '.join(parts)} per {peak.scope or 'package'}"


def _value(field: TrackedField) -> str:
    held = field.preferred
    if held is None:
        return "(no value is preferred)"
    value = held["value"]
    hedge = value.get("qualifier", "") if isinstance(value, dict) else ""
    shown = f"{hedge.replace('-', ' ')} {as_text(value)}" if hedge else as_text(value)
    return f"{shown} (inferred)" if held["basis"] == "inferred" else shown


def _said(cells: list[Cell]) -> Iterator[str]:
    """Each value with the sources that give it; sources that were not asked are left out."""
    sources: dict[tuple[str, str], list[str]] = {}
    for cell in sorted(cells, key=lambda cell: VERDICTS.index(cell.verdict)):
        if cell.verdict != "not-asked":
            said = cell.value or cell.verdict
            sources.setdefault((sign(cell), said), []).append(cell.source)
    for (mark, said), names in sources.items():
        yield f"{mark} {said}: {', '.join(names)}"
