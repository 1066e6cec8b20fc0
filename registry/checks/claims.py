"""Claims: does each number agree with the cells behind it, and is each table well-formed?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

from pydantic import BaseModel

from registry.checks.interface import Settings, Spot, at
from registry.findings import FieldPath, Finding, Rule
from registry.records import Record
from registry.records.claims import Claim, Claims, Column, Conditions, Derivation, Row, Table
from registry.store.cells import ReadCell, cells_of, select
from registry.store.document import Document
from registry.store.entry import Entry
from registry.store.index import Index

DISAGREES = Rule(
    "CLM001",
    "error",
    "claim and cells do not agree",
    "A claim is derived from cells of the record's tables, but the cells give another number, even "
    "when rounded to the decimals of the claim.",
    "Correct the number, the cells, or the selection of cells.",
)
NO_CELLS = Rule(
    "CLM002",
    "error",
    "a derivation that finds no cells",
    "A claim is derived from a table, a metric or conditions that no cell of the record has.",
    "Correct the table's id, the metric's name or the conditions.",
)
NUMBER = Rule(
    "CLM003",
    "error",
    "ill-formed number",
    "A claim has a value or a range but not both, with a unit; the low end is not above the high "
    "end; a claim of the metric `property` has no number.",
    "Correct the key that the message names.",
)
CONDITION = Rule(
    "CLM004",
    "error",
    "impossible condition",
    "A temperature is not negative, a batch and a count are at least one, the row and the column "
    "of a cell do not contradict each other or their table, nor does a claim its own cells.",
    "Correct the condition.",
)
TABLE = Rule(
    "CLM005",
    "error",
    "ill-formed table",
    "Every row has one cell for each column, every cell one number for each metric of its column, "
    "every metric is declared, no name is used twice, and a part was read where its table was.",
    "Correct the table.",
)
MIXED = Rule(
    "CLM006",
    "error",
    "methods that are not interchangeable in one table",
    "A table compares methods that are declared not interchangeable: their numbers measure "
    "different things and must not stand in one column.",
    "Enter the methods in separate tables.",
)
UNIT = Rule(
    "CLM007",
    "error",
    "unit or metric that does not fit",
    "A claim and the cells it is derived from do not count the same thing in the same unit.",
    "Correct the unit.",
)


class ClaimCheck:
    """Recomputes claims from their cells."""

    rules = (DISAGREES, NO_CELLS, NUMBER, CONDITION, TABLE, MIXED, UNIT)

    def each(self, record: Record, document: Document) -> Iterator[Finding]:
        """Everything but mixed tables."""
        if isinstance(record, Claims):
            key = f"claims/{record.id}"
            for rule, path, message in _judge(record):
                yield at(rule, key, document, path, message, rule.mend)

    def across(self, index: Index, settings: Settings, among: Sequence[Entry]) -> Iterator[Spot]:
        """Tables that mix methods which are declared not interchangeable."""
        apart: dict[frozenset[str], str] = {}
        for method in index.by_kind.get("method", {}).values():
            for other, because in method.extra.get("apart", ()):
                apart.setdefault(frozenset((method.id, other)), because)
        for entry in among:
            for table, places in entry.extra.get("mixed", ()):
                for number, (method, _) in enumerate(places):
                    for other, path in places[number + 1 :]:
                        because = apart.get(frozenset((method, other)))
                        if because is not None:
                            message = f"{table} compares {method} with {other}: {because}"
                            yield Spot(MIXED, entry, tuple(path), message, MIXED.mend)


Judgement = tuple[Rule, FieldPath, str]


def _judge(record: Claims) -> Iterator[Judgement]:
    tables = record.tables or ()
    yield from _doubles([claim.id for claim in record.claims], ("claims",))
    yield from _doubles([table.id for table in tables], ("tables",))
    sound = True
    yield from _printed_apart(tables)
    for number, table in enumerate(tables):
        for judgement in _table(table, ("tables", number)):
            sound = False
            yield judgement
    for number, claim in enumerate(record.claims):
        path: FieldPath = ("claims", number)
        yield from _number(claim, path)
        yield from _conditions(claim.conditions, (*path, "conditions"))
        # Cells of an ill-formed table could be read wrongly; say what is wrong with it first.
        if claim.derivation is not None and sound:
            yield from _derivation(claim, claim.derivation, tables, (*path, "derivation"))


def _doubles(names: list[str], path: FieldPath) -> Iterator[Judgement]:
    for name, count in Counter(names).items():
        if count > 1:
            second = names.index(name, names.index(name) + 1)
            yield TABLE, (*path, second, "id"), f"the name `{name}` is used {count} times"


def _printed_apart(tables: Sequence[Table]) -> Iterator[Judgement]:
    """Parts of tables that are not there, or were read in another version or as somebody else's."""
    whole = {table.id: table for table in tables if table.part_of is None}
    for number, part in enumerate(tables):
        if part.part_of is None:
            continue
        path, table = ("tables", number, "part_of"), whole.get(part.part_of)
        if table is None:
            yield TABLE, path, f"`{part.part_of}` is no table that `{part.id}` can be part of"
        elif (table.version, table.origin) != (part.version, part.origin):
            yield TABLE, path, f"`{part.id}` has another version or origin than `{table.id}`"


def _number(claim: Claim, path: FieldPath) -> Iterator[Judgement]:
    has_number = claim.value is not None or claim.range is not None
    if claim.value is not None and claim.range is not None:
        yield NUMBER, (*path, "range"), f"`{claim.id}` has a value and a range"
    if claim.metric == "property" and has_number:
        yield NUMBER, (*path, "metric"), f"`{claim.id}` is a property, yet has a number"
    if claim.metric != "property" and not has_number:
        yield NUMBER, path, f"`{claim.id}` has neither a value nor a range"
    if has_number and claim.unit is None:
        yield NUMBER, path, f"`{claim.id}` has a number without a unit"
    if claim.range is not None and claim.range.low > claim.range.high:
        yield NUMBER, (*path, "range"), f"`{claim.id}`: the low end is above the high end"


def _conditions(conditions: Conditions | None, path: FieldPath) -> Iterator[Judgement]:
    if conditions is None:
        return
    if conditions.temperature is not None and conditions.temperature < 0:
        yield CONDITION, (*path, "temperature"), "a temperature cannot be negative"
    if conditions.batch is not None and conditions.batch < 1:
        yield CONDITION, (*path, "batch"), "a batch holds at least one sequence"
    hardware = conditions.hardware
    if hardware is not None and hardware.count is not None and hardware.count < 1:
        yield CONDITION, (*path, "hardware", "count"), "a count is at least one"


def _table(table: Table, path: FieldPath) -> Iterator[Judgement]:
    declared = {metric.name for metric in table.metrics}
    yield from _doubles([metric.name for metric in table.metrics], (*path, "metrics"))
    for group, parts in _parts(table):
        yield from _doubles([part.id for part in parts], (*path, group))
        for number, part in enumerate(parts):
            yield from _conditions(part.conditions, (*path, group, number, "conditions"))
    yield from _conditions(table.conditions, (*path, "conditions"))
    for number, column in enumerate(table.columns):
        for position, metric in enumerate(column.metrics):
            if metric not in declared:
                place = (*path, "columns", number, "metrics", position)
                yield TABLE, place, f"`{metric}` is not among the metrics of `{table.id}`"
    for number, row in enumerate(table.rows):
        place = (*path, "rows", number, "cells")
        if len(row.cells) != len(table.columns):
            count = f"{len(row.cells)} cells for {len(table.columns)} columns"
            yield TABLE, place, f"row `{row.id}` has {count}"
            continue
        for position, (cell, column) in enumerate(zip(row.cells, table.columns, strict=True)):
            size = len(cell) if isinstance(cell, tuple) else 1
            if size != len(column.metrics):
                count = f"{size} numbers for {len(column.metrics)} metrics"
                yield TABLE, (*place, position), f"cell `{row.id}`/`{column.id}` has {count}"
    yield from _clashes(table, path)


def _parts(table: Table) -> tuple[tuple[str, tuple[Column | Row, ...]], ...]:
    return (("columns", table.columns), ("rows", table.rows))


def _clashes(table: Table, path: FieldPath) -> Iterator[Judgement]:
    """Conditions that a row or column states differently from what surrounds it."""
    whole = _stated(table.conditions)
    for group, parts in _parts(table):
        for number, part in enumerate(parts):
            for key, value in _stated(part.conditions).items():
                if key in whole and whole[key] != value:
                    place = (*path, group, number, "conditions", key)
                    yield CONDITION, place, f"{key} contradicts the conditions of the table"
    for number, row in enumerate(table.rows):
        for column in table.columns:
            above = _stated(column.conditions)
            for key, value in _stated(row.conditions).items():
                if key in above and above[key] != value:
                    place = (*path, "rows", number, "conditions", key)
                    yield CONDITION, place, f"{key} contradicts column `{column.id}`"


def _stated(conditions: Conditions | None) -> dict[str, object]:
    if conditions is None:
        return {}
    return {key: getattr(conditions, key) for key in conditions.model_fields_set - {"other"}}


def _derivation(
    claim: Claim, derivation: Derivation, tables: tuple[Table, ...], path: FieldPath
) -> Iterator[Judgement]:
    found: list[ReadCell] = []
    every = [cell for table in tables for cell in cells_of(table)]
    for number, selector in enumerate(derivation.cells):
        if selector.metric != claim.metric:
            message = f"the claim counts {claim.metric}, the cells count {selector.metric}"
            yield UNIT, (*path, "cells", number, "metric"), message
        chosen = list(select(every, selector))
        if not chosen:
            message = f"no cell of `{selector.table}` has metric {selector.metric} so conditioned"
            yield NO_CELLS, (*path, "cells", number), message
        for cell in chosen:
            yield from _at_odds(claim, cell, (*path, "cells", number))
            if claim.unit is not None and cell.unit != claim.unit:
                message = f"the claim is in {claim.unit}, the cells are in {cell.unit}"
                yield UNIT, (*path, "cells", number), message
                break
        found += chosen
    if not found:
        return
    numbers = [Decimal(str(cell.value)) for cell in found]
    wanted = _wanted(claim, derivation, numbers)
    for key, claimed, cell_value in wanted:
        if not agrees(claimed, cell_value):
            message = (
                f"`{claim.id}` claims {claimed:g}, but the cells behind it give {cell_value:g}"
            )
            yield DISAGREES, (*path[:-1], *key), message


def _at_odds(claim: Claim, cell: ReadCell, path: FieldPath) -> Iterator[Judgement]:
    """A condition of the claim that a cell behind it contradicts."""
    for key, value in _stated(claim.conditions).items():
        plain = value.model_dump(exclude_none=True) if isinstance(value, BaseModel) else value
        found = cell.conditions.get(key, plain)
        if isinstance(plain, dict):
            # Two wordings of one machine do not contradict each other, two machines do.
            plain, found = plain.get("accelerator"), found.get("accelerator")
        if plain is not None and found is not None and found != plain:
            message = f"`{claim.id}` has {key} {plain}, but a cell behind it has {found}"
            yield CONDITION, path, message
            return


def _wanted(
    claim: Claim, derivation: Derivation, numbers: list[Decimal]
) -> list[tuple[FieldPath, float, Decimal]]:
    """What the cells say the claim must be: place, claimed number, number from the cells."""
    low, high = min(numbers), max(numbers)
    if claim.range is not None:
        return [
            (("range", "low"), claim.range.low, low),
            (("range", "high"), claim.range.high, high),
        ]
    if claim.value is None:
        return []
    place: FieldPath = ("value",)
    if derivation.rule == "minimum":
        return [(place, claim.value, low)]
    if derivation.rule == "maximum":
        return [(place, claim.value, high)]
    if derivation.rule == "mean":
        return [(place, claim.value, sum(numbers, Decimal(0)) / len(numbers))]
    return [(place, claim.value, low), (place, claim.value, high)]


def agrees(claimed: float, cell: Decimal) -> bool:
    """Whether ``cell``, rounded to the decimals of ``claimed``, can be ``claimed``.

    A number that lies exactly half-way may have been rounded up or down.
    """
    written = Decimal(str(claimed))
    exponent = written.as_tuple().exponent
    step = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(0)
    return abs(written - cell) <= step / 2
