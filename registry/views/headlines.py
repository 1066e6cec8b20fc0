"""The claims of a paper on the paper's own page: the first ones, and what the others are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from registry.records.claims import Claim, Claims
from registry.reports.wording import counted
from registry.views.claim_lines import conditions_words, derivation_text, number_text, origin_text
from registry.views.page import Bullets, Paragraph, Section, Words, joined, strong, words
from registry.views.shelf import Shelf
from registry.views.values import brief

FIRST = 4
"""Claims of the authors that are shown; editors enter first what a paper is known for."""

SHOWS = 60
"""Characters of what a table shows that are shown."""

REMARK = 60
"""Characters of the remark on a claim that are shown."""

_WHOSE = {"authors": "the authors", "third-party": "third parties"}


def headlines(record: Claims, own: Collection[str], shelf: Shelf) -> Section:
    """The first claims in two lines each, and what else there is.

    Args:
        record: The claims.
        own: The methods of the paper; where it has only one, that one is not named again.
        shelf: The records that the claims refer to.
    """
    first = [claim for claim in record.claims if claim.origin == "authors"][:FIRST]
    rest = [claim for claim in record.claims if claim not in first]
    known = own if len(own) == 1 else ()
    items = tuple(_headline(claim, record, known, shelf) for claim in first)
    more = joined((_others(rest), _tables(first, record)), ". ")
    gone = "WITHDRAWN; " if record.withdrawn else ""
    title = f"Claims [claims/{record.id}]; {gone}a condition that is not named is unknown"
    return Section(title, (Bullets(items), *((Paragraph(more),) if more else ())))


def _headline(
    claim: Claim, record: Claims, known: Collection[str], shelf: Shelf
) -> tuple[Words, ...]:
    number = number_text(claim)
    what = words(strong(number), f" {claim.metric}") if number else words(strong(claim.statement))
    conditions = conditions_words(claim.conditions, claim.unit, shelf, known)
    if claim.derivation:
        rests_on = derivation_text(claim.derivation, record)
    else:
        rests_on = brief(claim.remark, REMARK) if claim.remark else ""
    return (joined((what, conditions), ", "), joined((origin_text(claim), rests_on)))


def _others(rest: Sequence[Claim]) -> Words:
    """How many claims are not shown, and whose they are."""
    counts = Counter(claim.origin for claim in rest)
    whose = ", ".join(f"{count} by {_WHOSE[origin]}" for origin, count in counts.items())
    return words(f"{counted(len(rest), 'more claim')}: {whose}" if rest else "")


def _tables(shown: Sequence[Claim], record: Claims) -> Words:
    """What the tables behind the claims show, and how many others there are."""
    behind = {
        selector.table for claim in shown if claim.derivation for selector in claim.derivation.cells
    }
    tables = record.tables or ()
    told = [
        words(strong(table.id), f" ({brief(table.shows, SHOWS).rstrip('.')})")
        for table in tables
        if table.id in behind
    ]
    others = len(tables) - len(told)
    rest = (counted(others, "other") if told else counted(others, "table")) if others else ""
    return words("Tables: " if told else "", joined((*told, rest), ", "))
