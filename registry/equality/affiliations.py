"""When two author blocks print the same affiliations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from registry.equality.interface import NOT_GIVEN, SAME, Comparison
from registry.equality.markup import display_text


def compare_affiliations(
    recorded: Sequence[Mapping[str, Any]], observed: Sequence[Mapping[str, Any]]
) -> Comparison:
    """Compare affiliations position by position, as sets of printed texts.

    An affiliation from an author's profile says where somebody works and not what the paper
    prints, so it is compared with recorded profiles alone.

    Args:
        recorded: Affiliations of the record, with ``author`` (counted from 1), ``printed``, and
            perhaps ``origin``.
        observed: Affiliations that a source gives.
    """
    if not observed:
        return NOT_GIVEN
    if not recorded:
        return Comparison("different", "no affiliations", "the list of the record is empty")
    own, other = _by_position(recorded, "printed"), _by_position(observed, "printed")
    if not other:
        own, other = _by_position(recorded, "profile"), _by_position(observed, "profile")
        if not own:
            note = "the source gives the authors' profiles, not what the paper prints"
            return Comparison("cannot-tell", "profile affiliation", note)
    both = sorted(own.keys() & other.keys())
    if not both:
        return Comparison("cannot-tell", "other authors", "no author has one on both sides")
    notes = [_difference(place, own[place], other[place]) for place in both]
    if any(notes):
        return Comparison("different", "affiliation", "; ".join(filter(None, notes)))
    if alone := sorted(own.keys() ^ other.keys()):
        places = ", ".join(map(str, alone))
        return Comparison("same", "affiliation missing", f"one side lacks those of author {places}")
    return SAME


def _by_position(
    affiliations: Iterable[Mapping[str, Any]], origin: str
) -> dict[int, dict[str, str]]:
    """Position of each author to the texts of one origin, keyed by the form that is compared."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for affiliation in affiliations:
        if (affiliation.get("origin") or "printed") == origin and affiliation.get("printed"):
            text = display_text(affiliation["printed"])
            found[int(affiliation["author"])][text.casefold().rstrip(" .,;")] = text
    return found


def _difference(place: int, own: dict[str, str], other: dict[str, str]) -> str:
    if own.keys() == other.keys():
        return ""
    missing = [text for key, text in own.items() if key not in other]
    added = [text for key, text in other.items() if key not in own]
    parts = [
        f"the record has {_quoted(missing)}" if missing else "",
        f"the source has {_quoted(added)}" if added else "",
    ]
    return f"author {place}: {' and '.join(filter(None, parts))}"


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts)
