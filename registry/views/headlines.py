"""The claims of a paper on the paper's own page: the first ones, and what the others are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from registry.records.claims import Claim, Claims
from registry.reports.wording import counted
from registry.views.claim_lines import conditions_words, derivation_text, number_text
from registry.views.page import Bullets, Paragraph, Section, Words, joined, strong, words
from registry.views.shelf import Shelf
from registry.views.values import brief

FIRST = 3
"""Claims of the authors that are shown; editors enter first what a paper is known for."""

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
    more = _others(rest, record)
    gone = "WITHDRAWN; " if record.withdrawn else ""
    unknown = "a condition that is not named is unknown"
    title = f"Claims of the authors [claims/{record.id}]; {gone}{unknown}"
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
    return (
        joined((what, conditions), ", "),
        joined((f"{claim.version} {claim.locator}", rests_on)),
    )


def _others(rest: Sequence[Claim], record: Claims) -> Words:
    """How much is not shown, whose claims they are, and where to look."""
    counts = Counter(claim.origin for claim in rest)
    whose = ", ".join(f"{count} by {_WHOSE[origin]}" for origin, count in counts.items())
    claims = f"{counted(len(rest), 'more claim')}, {whose}" if rest else ""
    tables = counted(len(record.tables), "table") if record.tables else ""
    told = "; ".join(filter(None, (claims, tables)))
    return words(f"{told}: registry show claims/{record.id}" if told else "")
