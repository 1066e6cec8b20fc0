"""Values, reasons and statuses in the words of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from registry.store.wording import as_text
from registry.views.page import Run, Words, alarm, joined, words
from registry.views.shelf import Shelf

ENOUGH = 120
"""Characters of a reason that are shown where the reason is not the point."""

_CLAUSE = re.compile(r"(?<=[.!?;:])\s+")


def status_word(status: str) -> Run:
    """A status; the one that must not be overlooked stands out without any colour."""
    return alarm("CONTESTED") if status == "contested" else Run(status)


def value_text(field: str, value: Any, shelf: Shelf) -> str:
    """A value of a tracked field; a venue with its name."""
    text = as_text(value)
    if field != "venue":
        return text
    venue = shelf.index.get("venue", text)
    return f"{text} ({venue.extra['short_name'] if venue else 'no such venue'})"


def flat(text: str) -> str:
    """A text of several lines on one."""
    return re.sub(r"[ \t\n]+", " ", text).strip()


def brief(text: str, enough: int = ENOUGH) -> str:
    """A reason, or as many of its clauses as are enough, at least one."""
    whole = flat(text)
    shown, *rest = _CLAUSE.split(whole)
    for clause in rest:
        if len(shown) + len(clause) >= enough:
            return f"{shown.rstrip(':;')} …"
        shown = f"{shown} {clause}"
    return shown


def basis_words(held: Mapping[str, Any]) -> str:
    """How an assertion or a link came about."""
    if held["basis"] == "stated":
        return "stated"
    reason = held.get("inferred_from")
    return f"inferred from: {brief(reason)}" if reason else "inferred, from what is not said"


def sources_of(evidence: Iterable[str], shelf: Shelf) -> str:
    """The sources behind evidence records, each once; evidence that is none says so."""
    found: dict[str, None] = {}
    for one in evidence:
        entry = shelf.index.get("evidence", one)
        heard = entry.heard if entry else None
        if heard is None:
            found[f"evidence/{one} (no such record)"] = None
        else:
            found[heard.source if heard.confirmed else f"{heard.source} (unconfirmed)"] = None
    return ", ".join(found)


def assertion_words(field: str, held: Mapping[str, Any], shelf: Shelf) -> Words:
    """One assertion in brief: value, since when, by whom, on what basis, and why."""
    evidence = sources_of(held.get("evidence", ()), shelf)
    return joined(
        (
            words(Run(value_text(field, held["value"], shelf), "strong")),
            f"since {held['recorded']} by {held['by']}",
            basis_words(held),
            f"evidence: {evidence}" if evidence else "no evidence",
            brief(held["because"]) if held.get("because") else "",
        )
    )
