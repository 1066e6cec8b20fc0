"""One number a line, for spreadsheets: first those that stand side by side, then the others.

A cell that a spreadsheet would take for a formula has an apostrophe in front of it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from registry.comparing.blocks import blocks
from registry.comparing.comparison import Comparison
from registry.comparing.number import KEYS, Number
from registry.comparing.wording import difference_text
from registry.reports.wording import visible
from registry.views.page import one_line

_ACTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""What begins a formula, in a spreadsheet of any country."""

HEAD = (
    "row",
    "method",
    "metric",
    "value",
    "low",
    "high",
    "lower_quartile",
    "upper_quartile",
    "unit",
    "bound",
    "repeats",
    "rule",
    "over",
    "own",
    "drafting",
    *KEYS,
    "unknown",
    "record",
    "part",
    "cell",
    "version",
    "locator",
    "apart_from_nearest_by",
    "not_interchangeable_with",
    "remark",
)
"""Columns. ``row`` counts the rows of the tables as a terminal has them, so that it is the same for
numbers that stand side by side; it is empty for all others."""


def render(comparison: Comparison) -> str:
    """The comparison, with line ends as RFC 4180 has them."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(HEAD)
    writer.writerows(_lines(comparison))
    return text.getvalue()


def _lines(comparison: Comparison) -> Iterator[list[str]]:
    apart: dict[str, list[str]] = {method: [] for method in comparison.question.methods}
    for pair in comparison.apart:
        apart[pair.one].append(pair.other)
        apart[pair.other].append(pair.one)
    shown = blocks(comparison.rows, comparison.question.methods)
    rows = (row for block in shown for row in block.rows)
    for position, row in enumerate(rows, start=1):
        for number in row.numbers:
            yield _line(number, f"{position}", "", apart)
    for one in comparison.left_out:
        why = "; ".join(map(difference_text, one.differences))
        yield _line(one.number, "", why, apart)


def _line(number: Number, row: str, why: str, apart: dict[str, list[str]]) -> list[str]:
    source = number.source
    found = (number.value, number.low, number.high, *(number.middle or (None, None)))
    amounts = (_digits(one, number.decimals) for one in found)
    texts = (
        number.drafting,
        *(one.text for one in number.conditions),
        " ".join(one.key for one in number.conditions if one.state == "unknown"),
        source.record,
        source.part,
        source.cell,
        source.version,
        source.locator,
        why,
        " ".join(apart[number.method]),
        number.remark,
    )
    return [
        row,
        number.method,
        number.metric,
        *amounts,
        number.unit,
        number.bound,
        f"{number.repeats or ''}",
        number.rule,
        harmless(number.over),
        "yes" if number.own else "no",
        *map(harmless, texts),
    ]


def _digits(value: int | float | None, decimals: int | None) -> str:
    """A number that a spreadsheet reads as one, with the decimals it was printed with."""
    return "" if value is None else f"{value}" if decimals is None else f"{value:.{decimals}f}"


def harmless(text: str) -> str:
    """A text that no spreadsheet calculates with."""
    plain = visible(one_line(text))
    return f"'{plain}" if plain.lstrip().startswith(_ACTS) else plain
