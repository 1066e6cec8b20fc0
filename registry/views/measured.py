"""What this project measured itself. It stands beside the claims and supports none of them."""

from __future__ import annotations

from collections.abc import Iterator

from registry.records.benchmark import Benchmark
from registry.views.claim_lines import amount, conditions_words
from registry.views.collect import Belongings
from registry.views.page import Bullets, Section, Words, joined, strong, words
from registry.views.shelf import Shelf


def measured(found: Belongings, shelf: Shelf) -> tuple[Section, ...]:
    """The results of every benchmark record that is about the paper; nothing where none is."""
    rows = [row for record in found.benchmarks for row in _results(record, shelf)]
    title = "Measured here, under these conditions and no others"
    return (Section(title, (Bullets(tuple(rows)),)),) if rows else ()


def _results(record: Benchmark, shelf: Shelf) -> Iterator[tuple[Words, ...]]:
    machine = record.machine
    device = (
        shelf.label("accelerator", machine.accelerator)
        if machine.accelerator
        else f"{machine.processor}, {machine.threads} of {machine.cores} cores"
    )
    for result in record.results:
        unit, decimals = result.metric.unit, result.metric.decimals
        low, high = amount(result.low, None, decimals), amount(result.high, unit, decimals)
        median = amount(result.median, unit, decimals)
        head = words(
            strong(median),
            f" {result.metric.name}, median of {result.count} ({low} to {high})",
            f" [benchmark/{record.id}]",
        )
        conditions = conditions_words(result.conditions, None, shelf)
        yield (head, joined((conditions, f"measured {record.measured} on {device}")))
