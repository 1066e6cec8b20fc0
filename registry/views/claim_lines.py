"""A claim in few words: its number, and everything that it must not be read without."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from registry.records.claims import (
    CellSelector,
    Claim,
    Claims,
    Conditions,
    Derivation,
    Hardware,
    Table,
)
from registry.reports.wording import counted
from registry.store.cells import cells_of, select
from registry.views.page import Words, alarm, joined
from registry.views.shelf import Shelf

_HEDGES = {"up-to": "up to ", "at-least": "at least ", "about": "about "}
_CLOSE = {"x": "x", "percent": "%"}
"""Units that stand beside their number without a space."""
_OF_A_MACHINE = ("x", "tokens/s", "ms", "s")
"""Units of numbers that say little without the machine they were measured on."""


def amount(value: int | float, unit: str | None, decimals: int | None = None) -> str:
    """A number with its unit, with as many decimals as were printed where that is known."""
    if decimals is not None:
        number = f"{value:.{decimals}f}"
    else:
        number = f"{value:,}" if isinstance(value, int) else repr(value)
    if unit in (None, "fraction"):
        return number
    return f"{number}{_CLOSE[unit]}" if unit in _CLOSE else f"{number} {unit}"


def number_text(claim: Claim) -> str:
    """The number of a claim; empty for a claim that is none."""
    hedge = _HEDGES.get(claim.bound or "", "")
    if claim.range is not None:
        # A unit that is part of the number stands at both ends: 2x-3x, but 2-3 tokens.
        first = claim.unit if claim.unit in _CLOSE else None
        return f"{hedge}{amount(claim.range.low, first)}-{amount(claim.range.high, claim.unit)}"
    return hedge + amount(claim.value, claim.unit) if claim.value is not None else ""


def conditions_words(
    conditions: Conditions | None, unit: str | None, shelf: Shelf, known: Collection[str] = ()
) -> Words:
    """The conditions that are known, and the hardware also where it is unknown and matters.

    Args:
        conditions: The conditions.
        unit: Unit of the number that was measured under them.
        shelf: The records that they refer to.
        known: Methods that a reader takes for granted.
    """
    named = tuple(_named(conditions, shelf, known)) if conditions is not None else ()
    measured = conditions is not None and conditions.hardware is not None
    if measured or unit not in _OF_A_MACHINE:
        return joined(named, ", ")
    return joined((*named, alarm("hardware UNKNOWN")), ", ")


def _named(given: Conditions, shelf: Shelf, known: Collection[str]) -> Iterator[str]:
    if given.method is not None and given.method not in known:
        yield shelf.label("method", given.method)
    if given.model is not None:
        yield shelf.label("model", given.model)
    if given.dataset is not None:
        yield shelf.label("dataset", given.dataset)
    if given.temperature is not None:
        yield f"temperature {given.temperature:g}"
    if given.batch is not None:
        yield f"batch {given.batch}"
    if given.precision is not None:
        yield given.precision
    if given.drafting is not None:
        yield f"draft {given.drafting}"
    if given.baseline is not None:
        yield f"vs {given.baseline}"
    if given.engine is not None:
        yield f"in {shelf.label('engine', given.engine)}"
    if given.hardware is not None:
        yield f"on {hardware_text(given.hardware)}"
    yield from given.other or ()


def hardware_text(hardware: Hardware) -> str:
    """Hardware in the source's words, with the record it was linked to where it was."""
    counted_in_words = hardware.count is None or f"{hardware.count}" in hardware.text.split()
    count = "" if counted_in_words else f" (count {hardware.count})"
    record = f" [accelerator/{hardware.accelerator}]" if hardware.accelerator else ""
    return f"“{hardware.text}”{count}{record}"


def derivation_text(derivation: Derivation, record: Claims) -> str:
    """How a claim follows from cells, and from how many."""
    tables = {table.id: table for table in record.tables or ()}
    found = dict.fromkeys((selector.table for selector in derivation.cells), 0)
    for selector in derivation.cells:
        table = tables.get(selector.table)
        found[selector.table] += _count(table, selector) if table else 0
    if derivation.rule == "value":
        return f"one cell of {', '.join(found)}"
    cells = counted(sum(found.values()), "cell")
    return f"{derivation.rule} of {cells} of {', '.join(found)} over {derivation.over}"


def _count(table: Table, selector: CellSelector) -> int:
    try:
        return len(list(select(cells_of(table), selector)))
    except (KeyError, ValueError):
        return 0  # An ill-formed table, which a check reports; nothing can be derived from it.


def origin_text(claim: Claim) -> str:
    """Who claims it, where, and in which version."""
    who = "authors" if claim.origin == "authors" else "third party"
    return f"{who}, {claim.version}: {claim.locator}"


def claim_lines(claim: Claim, record: Claims, shelf: Shelf) -> tuple[Words, ...]:
    """The conditions and the derivation of a claim."""
    conditions = conditions_words(claim.conditions, claim.unit, shelf)
    derived = derivation_text(claim.derivation, record) if claim.derivation else ""
    return (conditions, joined((origin_text(claim), derived)))
