"""The claims of a paper on the paper's own page: the first ones, and what the others are."""

from __future__ import annotations

from collections import Counter

from registry.records.claims import Claim, Claims
from registry.views.claim_lines import conditions_words, derivation_text, number_text, origin_text
from registry.views.page import Bullets, Paragraph, Section, Words, joined, quiet, strong, words
from registry.views.shelf import Shelf
from registry.views.values import brief

FIRST = 6
"""Claims that are shown; editors enter the ones that a paper is known for first."""


def headlines(record: Claims, shelf: Shelf) -> Section:
    """The first claims in two or three lines each; the others counted; the tables named."""
    shown, rest = record.claims[:FIRST], record.claims[FIRST:]
    blocks: list[Bullets | Paragraph] = [
        Bullets(tuple(_headline(claim, record, shelf) for claim in shown))
    ]
    if rest:
        groups = Counter(f"{_whose(claim)}, {claim.version}" for claim in rest)
        counts = ", ".join(f"{count} ({group})" for group, count in groups.items())
        text = f"{len(rest)} more, see claims/{record.id}: {counts}."
        blocks.append(Paragraph(words(text)))
    if record.tables:
        tables = joined(
            words(strong(table.id), f" {brief(table.shows, 40).rstrip('.')}")
            for table in record.tables
        )
        blocks.append(Paragraph(words("Tables, cell by cell in the same record: ", tables)))
    blocks.append(Paragraph(words(quiet("A condition that is not named is unknown."))))
    return Section(f"Claims [claims/{record.id}]", tuple(blocks))


def _headline(claim: Claim, record: Claims, shelf: Shelf) -> tuple[Words, ...]:
    number = number_text(claim)
    conditions = conditions_words(claim.conditions, claim.unit, shelf)
    what = words(strong(number), f" {claim.metric}") if number else words(claim.statement)
    derived = derivation_text(claim.derivation, record) if claim.derivation else ""
    remark = brief(claim.remark, 60) if claim.remark else ""
    return (joined((what, conditions)), joined((origin_text(claim), derived, remark)))


def _whose(claim: Claim) -> str:
    return "authors" if claim.origin == "authors" else "third party"
