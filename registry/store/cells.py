"""The cells of a table, each with all of its conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from registry.records.claims import CellSelector, Conditions, Table
from registry.records.quantities import Unit


@dataclass(frozen=True, slots=True)
class ReadCell:
    """One number of a table."""

    table: str
    row: str
    column: str
    metric: str
    unit: Unit
    decimals: int | None
    value: float
    conditions: dict[str, Any]
    """Conditions of table, row and column together; a missing key is unknown."""


def _stated(conditions: Conditions | None) -> dict[str, Any]:
    return conditions.model_dump(exclude_none=True) if conditions is not None else {}


def _together(*parts: Conditions | None) -> dict[str, Any]:
    """The conditions of all parts. Further ones add up: no part takes back what another states."""
    together: dict[str, Any] = {}
    other: dict[str, None] = {}
    for part in parts:
        stated = _stated(part)
        other |= dict.fromkeys(stated.pop("other", ()))
        together |= stated
    return together | {"other": tuple(other)} if other else together


def cells_of(table: Table) -> Iterator[ReadCell]:
    """Every number of a well-formed table; cells that were not read are left out."""
    metrics = {metric.name: metric for metric in table.metrics}
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            conditions = _together(table.conditions, column.conditions, row.conditions)
            numbers = cell if isinstance(cell, tuple) else (cell,)
            for name, number in zip(column.metrics, numbers, strict=True):
                if isinstance(number, str):
                    continue
                metric = metrics[name]
                yield ReadCell(
                    table=table.id,
                    row=row.id,
                    column=column.id,
                    metric=name,
                    unit=metric.unit,
                    decimals=metric.decimals,
                    value=number,
                    conditions=conditions,
                )


def select(cells: Iterable[ReadCell], selector: CellSelector) -> Iterator[ReadCell]:
    """The cells that have the table, the metric and every condition of ``selector``.

    A cell whose condition is unknown is not selected by that condition.
    """
    wanted = _stated(selector.where)
    for cell in cells:
        if cell.table == selector.table and cell.metric == selector.metric:
            have = cell.conditions
            if all(key in have and have[key] == value for key, value in wanted.items()):
                yield cell
