"""Cells of a table, each with the conditions of table, column and row."""

from __future__ import annotations

from registry.records.claims import Table
from registry.store.cells import cells_of

TABLE = {
    "id": "table-1",
    "locator": "Table 1",
    "version": "v1",
    "origin": "authors",
    "shows": "Speed of otters.",
    "metrics": [{"name": "speedup", "unit": "x"}],
    "conditions": {"batch": 1, "other": ["in spring"]},
    "columns": [
        {"id": "pond", "metrics": ["speedup"], "conditions": {"other": ["in ponds alone"]}},
        {"id": "all", "metrics": ["speedup"]},
    ],
    "rows": [
        {"id": "young", "conditions": {"other": ["young otters", "in spring"]}, "cells": [2, 3]},
        {"id": "old", "cells": [4, 5]},
    ],
    "evidence": ["otters-page"],
}


def test_further_conditions_of_table_column_and_row_add_up() -> None:
    found = {
        (cell.row, cell.column): cell.conditions
        for cell in cells_of(Table.model_validate(TABLE, strict=False))
    }
    assert found["young", "pond"]["other"] == ("in spring", "in ponds alone", "young otters")
    assert found["young", "all"]["other"] == ("in spring", "young otters")
    assert found["old", "pond"]["other"] == ("in spring", "in ponds alone")
    assert found["old", "all"] == {"batch": 1, "other": ("in spring",)}
