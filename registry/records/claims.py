"""Claims: numbers that a paper states, with the conditions and the cells behind them.

A condition that a source does not state is left out; left out means unknown, and unknown equals
nothing, not even another unknown.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from registry.records.base import (
    AcceleratorId,
    DatasetId,
    Decimals,
    EngineId,
    EvidenceId,
    Items,
    Maybe,
    MethodId,
    ModelId,
    Number,
    PaperId,
    Part,
    Record,
    Slug,
    Text,
    Whole,
)
from registry.records.quantities import Unit

Origin = Literal["authors", "third-party"]


class Hardware(Part):
    """The hardware of a measurement, as stated; the link is left out where none is certain."""

    text: Text
    """The source's wording."""
    accelerator: Maybe[AcceleratorId] = None
    """The accelerator record."""
    count: Maybe[Whole] = None
    """How many."""


class Conditions(Part):
    """Under what conditions a number was measured. A missing key is unknown."""

    model: Maybe[ModelId] = None
    """Target model."""
    method: Maybe[MethodId] = None
    """Method that was measured."""
    hardware: Maybe[Hardware] = None
    """Hardware."""
    precision: Maybe[Text] = None
    """Number format of the weights, such as ``fp16`` or ``int4``."""
    dataset: Maybe[DatasetId] = None
    """Prompts."""
    temperature: Maybe[float] = None
    """Sampling temperature; 0 is greedy."""
    batch: Maybe[Whole] = None
    """Batch size."""
    baseline: Maybe[Text] = None
    """What a ratio is a ratio to."""
    engine: Maybe[EngineId] = None
    """Engine that ran it."""
    drafting: Maybe[Text] = None
    """Shape of the draft, such as ``chain`` or ``tree``."""
    other: Maybe[Items[Text]] = None
    """Conditions that no key above can hold."""


class Metric(Part):
    """What a column of numbers counts."""

    name: Slug
    """Name, such as ``speedup`` or ``tau``."""
    unit: Unit
    """Unit."""
    decimals: Maybe[Decimals] = None
    """Decimals as printed, so that 4.00 is not shown as 4."""


class Column(Part):
    """A column of a table: the metrics in each of its cells and the conditions they share."""

    id: Slug
    """Name of the column, unique in the table."""
    metrics: Items[Slug]
    """Metrics of each cell, in order."""
    conditions: Maybe[Conditions] = None
    """Conditions of the column."""


Cell = Annotated[
    Number | Literal["unread"] | Items[Number | Literal["unread"]],
    Field(union_mode="left_to_right"),
]
"""A number, a number for each metric of the column, or ``unread`` where none could be read."""


class Row(Part):
    """A row of a table."""

    id: Slug
    """Name of the row, unique in the table."""
    conditions: Maybe[Conditions] = None
    """Conditions of the row."""
    cells: Items[Cell]
    """One cell for each column, in the order of the columns."""


class Table(Part):
    """A table of the source, cell by cell. Conditions of row and column add to the table's own."""

    id: Slug
    """Name of the table, unique in the record."""
    part_of: Maybe[Slug] = None
    """The table that the source prints this one in, where it is entered apart from the rest."""
    locator: Text
    """Where it stands."""
    version: Text
    """The version of the paper it was read in."""
    origin: Origin
    """Whose numbers they are."""
    shows: Text
    """What the table shows, in a few words of our own."""
    metrics: Items[Metric]
    """Every metric in the table."""
    conditions: Maybe[Conditions] = None
    """Conditions that hold for all cells."""
    columns: Items[Column]
    """Columns."""
    rows: Items[Row]
    """Rows."""
    evidence: Items[EvidenceId]
    """The evidence."""


class CellSelector(Part):
    """Cells of a table, by metric and by the conditions they must have."""

    table: Slug
    """Id of the table."""
    metric: Slug
    """Name of the metric."""
    where: Maybe[Conditions] = None
    """Conditions that a cell must have to be selected."""


class Derivation(Part):
    """How a claim follows from cells."""

    rule: Literal["range", "minimum", "maximum", "mean", "value"]
    """``range`` spans the smallest and largest cell; ``value`` repeats a single one."""
    over: Text
    """What the cells run over, such as ``dataset x temperature``."""
    cells: Items[CellSelector]
    """The cells."""


class Range(Part):
    """A closed interval."""

    low: Number
    """Smaller end."""
    high: Number
    """Larger end."""


class Claim(Part):
    """One statement of the source."""

    id: Slug
    """Name of the claim, unique in the record."""
    statement: Text
    """What is claimed, in our own words."""
    metric: Slug
    """What is counted, or ``property`` for a claim that is not a number."""
    value: Maybe[Number] = None
    """The number."""
    range: Maybe[Range] = None
    """The range, where the source gives one."""
    unit: Maybe[Unit] = None
    """Unit of the number or range."""
    bound: Maybe[Literal["up-to", "at-least", "about"]] = None
    """How the source hedges the number."""
    version: Text
    """The version of the paper that states it."""
    locator: Text
    """Where it is stated."""
    origin: Origin
    """Who states it."""
    conditions: Maybe[Conditions] = None
    """Conditions; a missing key is unknown."""
    derivation: Maybe[Derivation] = None
    """How it follows from cells of the tables below."""
    evidence: Items[EvidenceId]
    """The evidence."""
    remark: Maybe[Text] = None
    """What a reader should know before using the number."""


class Claims(Record):
    """The claims of one paper and the tables behind them."""

    kind: Literal["claims"]
    """Always ``claims``."""
    paper: PaperId
    """The paper."""
    claims: Items[Claim]
    """The claims."""
    tables: Maybe[Items[Table]] = None
    """The tables."""
