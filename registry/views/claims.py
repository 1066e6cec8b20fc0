"""Claims: each with all that it must not be read without, and the tables cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from registry.records.claims import Cell, Claim, Claims, Column, Metric, Origin, Row, Table
from registry.views import generic
from registry.views.claim_lines import amount, claim_lines, conditions_words, number_text
from registry.views.collect import Subject
from registry.views.page import (
    Block,
    Bullets,
    Grid,
    Page,
    Pairs,
    Paragraph,
    Section,
    Words,
    joined,
    quiet,
    strong,
    words,
)
from registry.views.shelf import Shelf

_WHOSE: dict[str, Origin] = {"Claims": "authors", "Measured by third parties": "third-party"}
"""Titles of the sections; what others measured never stands among what the authors claim."""


def page(subject: Subject, record: Claims) -> Page:
    """The page of a claims record."""
    shelf = subject.shelf
    unknown = Paragraph(words(quiet("A condition that is not named is unknown.")))
    return Page(
        title=f"Claims of {shelf.label('paper', record.paper)}",
        key=subject.key,
        opening=generic.opening(subject),
        sections=(
            *(
                Section(title, (Bullets(claims), unknown))
                for title, origin in _WHOSE.items()
                if (claims := tuple(_claims(record, origin, shelf)))
            ),
            *(_table(table, shelf) for table in record.tables or ()),
            *generic.references(subject),
        ),
    )


def _claims(record: Claims, origin: Origin, shelf: Shelf) -> Iterator[tuple[Words, ...]]:
    return (_claim(claim, record, shelf) for claim in record.claims if claim.origin == origin)


def _claim(claim: Claim, record: Claims, shelf: Shelf) -> tuple[Words, ...]:
    number = number_text(claim)
    head = joined((strong(number), strong(claim.metric) if number else "", claim.statement))
    return (
        words(head, f" [{claim.id}]"),
        *claim_lines(claim, record, shelf),
        words(f"evidence: {', '.join(claim.evidence)}"),
        words(claim.remark or ""),
    )


def _table(table: Table, shelf: Shelf) -> Section:
    whose = "the authors'" if table.origin == "authors" else "a third party's"
    told = (table.shows.rstrip(), table.locator, f"{whose} numbers, {table.version}")
    metrics = {metric.name: metric for metric in table.metrics}
    alike = len({column.metrics for column in table.columns}) == 1
    each = _metrics(table.columns[0], metrics) if alike else "see its column below"
    every = conditions_words(table.conditions, None, shelf)
    rows = tuple(
        (words(strong(row.id)), *_cells(row, table.columns, metrics)) for row in table.rows
    )
    blocks: list[Block] = [
        Paragraph(joined(told)),
        Paragraph(joined((f"each cell: {each}", words("conditions: ", every) if every else ()))),
        Grid(("", *(column.id for column in table.columns)), rows),
    ]
    own = [
        *((one.id, _column(one, metrics, alike, shelf)) for one in table.columns),
        *((one.id, _conditions(one, shelf)) for one in table.rows),
    ]
    if any(text for _, text in own):
        blocks.append(Pairs(tuple((name, text) for name, text in own if text)))
    return Section(table.id, tuple(blocks))


def _column(column: Column, metrics: dict[str, Metric], alike: bool, shelf: Shelf) -> Words:
    counted = "" if alike else _metrics(column, metrics)
    return joined((counted, _conditions(column, shelf)))


def _conditions(part: Column | Row, shelf: Shelf) -> Words:
    """What a row or column adds to the conditions, unless it is called exactly that."""
    stated = part.conditions.model_dump(exclude_none=True) if part.conditions else {}
    if len(stated) == 1 and part.id in stated.values():
        return ()
    return conditions_words(part.conditions, None, shelf)


def _metrics(column: Column, metrics: dict[str, Metric]) -> str:
    """The metrics of a column with their units, in the order of its cells."""
    named = (metrics[name] for name in column.metrics if name in metrics)
    return " / ".join(f"{metric.name} ({metric.unit})" for metric in named)


def _cells(row: Row, columns: Sequence[Column], metrics: dict[str, Metric]) -> list[Words]:
    # A row that does not fit its columns is a finding elsewhere; here nothing of it is hidden.
    return [
        words("(no cell)" if cell is None else _cell(cell, column, metrics))
        for column, cell in zip_longest(columns, row.cells)
    ]


def _cell(cell: Cell, column: Column | None, metrics: dict[str, Metric]) -> str:
    numbers = cell if isinstance(cell, tuple) else (cell,)
    names = column.metrics if column else ()
    return " / ".join(
        _number(number, metrics.get(name or "")) for name, number in zip_longest(names, numbers)
    )


def _number(number: int | float | str | None, metric: Metric | None) -> str:
    if number is None:
        return "(no number)"
    if isinstance(number, str):
        return number
    return amount(number, None, metric.decimals if metric else None)
