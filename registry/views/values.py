"""Values, reasons and statuses in the words of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from registry.store.wording import as_text
from registry.views.page import Run, Words, alarm, one_line, words
from registry.views.shelf import Shelf

ENOUGH = 100
"""Characters of a reason that are shown where the reason is not the point."""

_CLAUSE = re.compile(r"(?<=[.!?;])\s+")


def status_word(status: str) -> Run:
    """A status; the one that must not be overlooked stands out without any colour."""
    return alarm("CONTESTED") if status == "contested" else Run(status)


def value_text(field: str, value: Any, shelf: Shelf) -> str:
    """A value of a tracked field; a venue with its name."""
    if value is None:
        return "(no value is preferred)"
    text = as_text(value)
    if field != "venue":
        return text
    venue = shelf.index.get("venue", text)
    return f"{text} ({venue.extra['short_name'] if venue else 'no such venue'})"


def listed(texts: Iterable[str]) -> str:
    """Texts one after the other; a comma separates them only where it can mean nothing else."""
    found = list(texts)
    return ("; " if any("," in text for text in found) else ", ").join(found)


def brief(text: str, enough: int = ENOUGH) -> str:
    """As many clauses of a text as are enough, at least one.

    A clause is never cut: half of one may say the opposite of the whole.
    """
    shown, *rest = _CLAUSE.split(one_line(text).strip())
    for more in rest:
        if len(shown) + len(more) >= enough:
            return f"{shown.rstrip(';')} …"
        shown = f"{shown} {more}"
    return shown


def assertion_words(held: Mapping[str, Any]) -> Words:
    """One assertion in brief, without its value: since when, by whom, and the main reason."""
    reason = brief(_reason(held))
    entered = f"{held['recorded']} by {held['by']}, {held['basis']}"
    return words(f"{entered}: {reason}" if reason else entered)


def _reason(held: Mapping[str, Any]) -> str:
    """What supports a value that was concluded; of any other, why it has the rank it has."""
    if held["basis"] == "inferred" and held["rank"] == "preferred" and "inferred_from" in held:
        return f"{held['inferred_from']}"
    return f"{held.get('because') or held.get('inferred_from') or ''}"
