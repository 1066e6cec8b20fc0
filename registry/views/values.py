"""Values, reasons and statuses in the words of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from registry.store.wording import as_text
from registry.views.page import Run, Words, alarm, joined, one_line, words
from registry.views.shelf import Shelf

ENOUGH = 120
"""Characters of a reason that are shown where the reason is not the point."""

_CLAUSE = re.compile(r"(?<=[.!?;:])\s+")
_PHRASE = re.compile(r"(?<=[.!?;:,])\s+")


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


def brief(text: str, enough: int = ENOUGH) -> str:
    """As many sentences of a text as are enough, at least one; a long one up to a comma."""
    whole = one_line(text).strip()
    shown, *rest = _CLAUSE.split(whole)
    if len(shown) > enough:
        shown, *rest = _PHRASE.split(whole)
    for more in rest:
        if len(shown) + len(more) >= enough:
            return f"{shown.rstrip(',:;')} …"
        shown = f"{shown} {more}"
    return shown


def sources_of(evidence: Iterable[str], shelf: Shelf) -> str:
    """The sources behind evidence records, each once; evidence that supports nothing says so."""
    found: dict[str, None] = {}
    for one in evidence:
        entry = shelf.index.get("evidence", one)
        heard = entry.heard if entry else None
        if heard is None:
            found[f"evidence/{one} (no usable record)"] = None
        else:
            found[heard.source if heard.confirmed else f"{heard.source} (unconfirmed)"] = None
    return ", ".join(found)


def assertion_words(held: Mapping[str, Any], value: str, shelf: Shelf) -> Words:
    """One assertion in brief: value, since when, by whom, on what basis, and the main reason."""
    sources = sources_of(held.get("evidence", ()), shelf)
    concluded = held["basis"] == "inferred"
    basis = f"{held['basis']}, evidence: {sources or 'none'}"
    # Why a value was concluded supports it; why it was entered or given up explains it.
    concluding = held.get("inferred_from") if concluded and held["rank"] == "preferred" else None
    reason = concluding or held.get("because") or held.get("inferred_from") or ""
    entered = f"{held['recorded']} by {held['by']}"
    return joined((Run(value, "strong"), entered, basis, brief(reason)))


def difference_text(value: Any, preferred: Any) -> str:
    """What a list has and has not beside the preferred one; any other value as it is."""
    if not isinstance(value, list) or not isinstance(preferred, list):
        return as_text(value)
    mine, other = [list(dict.fromkeys(map(as_text, one))) for one in (value, preferred)]
    lacks = [f"without “{item}”" for item in other if item not in mine]
    adds = [f"with “{item}”" for item in mine if item not in other]
    return ", ".join(lacks + adds) or "the same in another order"
