"""What a registry holds, as a page for a person and as JSON for a program."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from io import StringIO

from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from registry.reports.terminal import WIDTH
from registry.reports.wording import counted
from registry.statistics import STATUSES, FieldCount, Statistics

_GAP = 2


def as_json(found: Statistics) -> str:
    """An object whose keys are the names of :class:`Statistics` and its parts."""
    return json.dumps(asdict(found), indent=2) + "\n"


def as_text(found: Statistics) -> str:
    """The page without colours, at most :data:`WIDTH` columns wide."""
    text = StringIO()
    print_to(found, Console(file=text, width=WIDTH, color_system=None, force_terminal=False))
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def print_to(found: Statistics, console: Console) -> None:
    """The page on a console."""
    kinds = ", ".join(f"{number} {kind}" for kind, number in found.records.items())
    console.print(Text(f"{counted(sum(found.records.values()), 'record')}: {kinds}"))
    besides = [
        counted(number, noun)
        for number, noun in (
            (found.withdrawn, "withdrawn record"),
            (found.unusable, "file without a usable record"),
        )
        if number
    ]
    if besides:
        console.print(Text(f"Not counted: {', '.join(besides)}"))
    for kind in found.kinds:
        _heading(console, f"{kind.kind}: facts of {counted(kind.records, 'record')}")
        head = ("field", *STATUSES, "unknown", "values", "evidence", "oldest")
        _print_table(console, head, [*_rows(kind.fields)])
    _heading(console, "Evidence")
    _print_table(
        console,
        ("obtained", "records", "oldest", "newest"),
        [(one.obtained, one.records, one.oldest, one.newest) for one in found.evidence],
    )
    _heading(console, "Claims and tables")
    _print_table(
        console,
        ("whose", "claims", "tables", "cells", "numbers", "unread"),
        [
            (one.origin, one.claims, one.tables, one.cells, one.numbers, one.unread)
            for one in found.claims
        ],
    )


def _rows(fields: Sequence[FieldCount]) -> Iterator[tuple[str | int, ...]]:
    for one in fields:
        counts = (*(one.statuses[status] for status in STATUSES), one.unknown, one.assertions)
        yield (one.field, *counts, one.evidence, one.oldest)
    total = [sum(one.statuses[status] for one in fields) for status in STATUSES]
    sums = (sum(one.unknown for one in fields), sum(one.assertions for one in fields))
    # One evidence record supports many fields, so that theirs cannot be added up.
    yield ("all", *total, *sums, "", min((one.oldest for one in fields if one.oldest), default=""))


def _heading(console: Console, text: str) -> None:
    line = Text("── ").append(text, "bold").append(" ")
    console.print(line.append("─" * max(console.width - line.cell_len, 0)))


def _print_table(
    console: Console, head: Sequence[str], rows: Sequence[Sequence[str | int]]
) -> None:
    """The table, in parts one below the other where it is too wide; each has the first column."""
    lines = [head, *([str(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for columns in _parts(widths, console.width):
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
        for place in columns:
            justify: JustifyMethod = "right" if place else "left"
            table.add_column(head[place], justify=justify, min_width=widths[place], no_wrap=True)
        for row in lines[1:]:
            table.add_row(*(Text(row[place]) for place in columns))
        console.print(table)


def _parts(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """Places of the columns that fit beside the first one, and then of those that fit next."""
    part = [0]
    for place in range(1, len(widths)):
        if len(part) > 1 and sum(widths[one] + _GAP for one in (*part, place)) - _GAP > width:
            yield part
            part = [0]
        part.append(place)
    yield part
