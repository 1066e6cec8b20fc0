"""Claims: each with all that it must not be read without, and the tables cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from registry.records.claims import Cell, Claim, Claims, Column, Conditions, Metric, Row, Table
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


def page(subject: Subject, record: Claims) -> Page:
    """The page of a claims record."""
    shelf = subject.shelf
    claims = Bullets(tuple(_claim(claim, record, shelf) for claim in record.claims))
    unknown = Paragraph(words(quiet("A condition that is not named is unknown.")))
    return Page(
        title=f"Claims of {shelf.label('paper', record.paper)}",
        key=subject.key,
        opening=generic.opening(subject),
        sections=(
            Section("Claims", (claims, unknown)),
            *(_table(table, shelf) for table in record.tables or ()),
            *generic.references(subject),
        ),
    )


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
    every = conditions_words(table.conditions, None, shelf)
    shown = joined((table.shows, table.locator, f"{whose} numbers", table.version))
    metrics = {metric.name: metric for metric in table.metrics}
    same = len({column.metrics for column in table.columns}) == 1
    head = tuple(column.id if same else _head(column, metrics) for column in table.columns)
    rows = tuple(
        (words(strong(row.id)), *_cells(row, table.columns, metrics)) for row in table.rows
    )
    blocks: list[Block] = [Paragraph(shown)]
    if same:
        blocks.append(Paragraph(words(f"each cell: {_metrics(table.columns[0], metrics)}")))
    blocks.append(Paragraph(words("every cell: ", every or "no condition is stated")))
    blocks.append(Grid(("", *head), rows))
    parts: tuple[Column | Row, ...] = (*table.columns, *table.rows)
    own = [
        (part.id, conditions_words(part.conditions, None, shelf))
        for part in parts
        if part.conditions is not None and not _says_its_id(part.id, part.conditions)
    ]
    if own:
        blocks.append(Pairs(tuple(own)))
    return Section(table.id, tuple(blocks))


def _says_its_id(name: str, conditions: Conditions) -> bool:
    """Whether the conditions are no more than what the part is called."""
    stated = conditions.model_dump(exclude_none=True)
    return len(stated) == 1 and name in stated.values()


def _metrics(column: Column, metrics: dict[str, Metric]) -> str:
    """The metrics of a column with their units, in the order of its cells."""
    named = (metrics[name] for name in column.metrics if name in metrics)
    return " / ".join(f"{metric.name} ({metric.unit})" for metric in named)


def _head(column: Column, metrics: dict[str, Metric]) -> str:
    return f"{column.id}: {_metrics(column, metrics)}"


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
