"""The claims of a paper on the paper's own page: the first ones, and what the others are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from registry.records.claims import Claim, Claims
from registry.views.claim_lines import conditions_words, derivation_text, number_text, origin_text
from registry.views.page import Bullets, Paragraph, Section, Words, joined, quiet, strong, words
from registry.views.shelf import Shelf
from registry.views.values import brief

FIRST = 5
"""Claims that are shown; editors enter first what a paper is known for."""

REMARK = 60
"""Characters of the remark on a claim that are shown."""


def headlines(record: Claims, shelf: Shelf) -> Section:
    """The first claims in two or three lines each, and what else there is."""
    shown, rest = record.claims[:FIRST], record.claims[FIRST:]
    blocks: list[Bullets | Paragraph] = [
        Bullets(tuple(_headline(claim, record, shelf) for claim in shown)),
        *_others(rest, record),
        *_tables(shown, record),
        Paragraph(words(quiet("A condition that is not named is unknown."))),
    ]
    return Section(f"Claims [claims/{record.id}]", tuple(blocks))


def _headline(claim: Claim, record: Claims, shelf: Shelf) -> tuple[Words, ...]:
    number = number_text(claim)
    what = words(strong(number), f" {claim.metric}") if number else words(strong(claim.statement))
    derived = derivation_text(claim.derivation, record) if claim.derivation else ""
    remark = brief(claim.remark, REMARK) if claim.remark else ""
    return (
        joined((what, conditions_words(claim.conditions, claim.unit, shelf))),
        joined((origin_text(claim), derived, remark)),
    )


def _others(rest: Sequence[Claim], record: Claims) -> Iterator[Paragraph]:
    """How many claims are not shown, by who states them in what."""
    groups: dict[str, Counter[str]] = {}
    for claim in rest:
        groups.setdefault(claim.origin, Counter())[claim.version] += 1
    counts = "; ".join(
        f"{origin}: {', '.join(f'{count} in {version}' for version, count in versions.items())}"
        for origin, versions in groups.items()
    )
    if rest:
        yield Paragraph(words(f"{len(rest)} more in claims/{record.id}: {counts}"))


def _tables(shown: Sequence[Claim], record: Claims) -> Iterator[Paragraph]:
    """What the tables behind the claims show, and the names of all others."""
    behind = {
        selector.table for claim in shown if claim.derivation for selector in claim.derivation.cells
    }
    tables = record.tables or ()
    told = [
        words(strong(table.id), f" {brief(table.shows, REMARK)}")
        for table in tables
        if table.id in behind
    ]
    others = [table.id for table in tables if table.id not in behind]
    if told:
        yield Paragraph(words("Behind them: ", joined(told)))
    if others:
        yield Paragraph(words(f"Other tables: {', '.join(others)}"))
