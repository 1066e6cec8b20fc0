"""Claims, tables and measurements: a number and the conditions it holds under stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from registry.findings import FieldPath
from registry.history.breaches import Breach, shown, was_and_is
from registry.history.sameness import lost, name_of, same

_OWN_WORDS = frozenset(("statement", "remark", "derivation", "shows"))
"""Keys in which the registry speaks itself. They may be written anew, and not be left out."""
_UNREAD = "unread"

CellName = tuple[str, str, str]
"""Row, column and metric."""


def judge(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Breach]:
    """What a record of claims held and does not hold any more."""
    if not same(old.get("paper"), new.get("paper")):
        message = f"paper {was_and_is(old.get('paper'), new.get('paper'))}"
        yield Breach("in-place", ("paper",), message)
    for group, one in (("claims", "claim"), ("tables", "table")):
        now = {name_of(item): (at, item) for at, item in enumerate(_items(new, group))}
        for item in _items(old, group):
            name = name_of(item)
            if name not in now:
                yield Breach("assertion", (group,), f"the {one} {name} is gone")
                continue
            at, after = now[name]
            yield from _item(f"{one} {name}", (group, at), item, after)


def measurement(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Breach]:
    """What a sealed measurement is not any more; nothing may be added to it either."""
    for key in dict.fromkeys((*old, *new)):
        if same(old.get(key), new.get(key)):
            continue
        gone = list(lost(old.get(key), new.get(key), (key,)))
        for place, was, now in gone or [((key,), old.get(key), new.get(key))]:
            yield changed("the measurement", place if key in new else (), was, now)


def _item(name: str, path: FieldPath, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Breach]:
    for key in old:
        if key in _OWN_WORDS and new.get(key):
            continue
        if key in ("rows", "columns", "metrics"):
            continue
        for place, was, now in lost(old[key], new.get(key), (*path, key)):
            yield changed(name, place, was, now)
    if "rows" in old:
        yield from _table(name, path, old, new)


def changed(name: str, place: FieldPath, was: Any, now: Any) -> Breach:
    """A value that is gone, or another one."""
    steps = [str(step) for step in place if isinstance(step, str)]
    key = ".".join(steps[1:] or steps)
    return Breach("in-place", place, f"{name}: {key} {_fate(was, now)}")


def _fate(was: Any, now: Any) -> str:
    return f"was {shown(was)} and is gone" if now is None else was_and_is(was, now)


def _table(
    name: str, path: FieldPath, old: dict[str, Any], new: dict[str, Any]
) -> Iterator[Breach]:
    for group in ("metrics", "columns", "rows"):
        for place, was, now in lost(
            [_without_cells(item) for item in _items(old, group)],
            [_without_cells(item) for item in _items(new, group)],
            (*path, group),
        ):
            yield changed(name, place, was, now)
    cells = {cell: (place, value) for cell, place, value in _cells(new, path)}
    for cell, _, value in _cells(old, path):
        where = f"{cell[2]} in row {cell[0]}, column {cell[1]}"
        place, now = cells.get(cell, ((*path, "rows"), None))
        if value != _UNREAD and not same(value, now):
            yield Breach("in-place", place, f"{name}: {where} {_fate(value, now)}")


def _without_cells(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in ("cells", "metrics")}


def _cells(table: dict[str, Any], path: FieldPath) -> Iterator[tuple[CellName, FieldPath, Any]]:
    columns = _items(table, "columns")
    for number, row in enumerate(_items(table, "rows")):
        for at, (column, cell) in enumerate(zip(columns, _listed(row.get("cells")), strict=False)):
            metrics = _listed(column.get("metrics")) or [""]
            values = cell if isinstance(cell, list) else [cell]
            for metric, value in zip(metrics, values, strict=False):
                place = (*path, "rows", number, "cells", at)
                yield (name_of(row), name_of(column), str(metric)), place, value


def _items(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return [one for one in _listed(data.get(key)) if isinstance(one, dict)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
