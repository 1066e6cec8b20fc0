"""The rule that compares each tracked field with what a source observed.

A rule gets the whole observation, because values of one manifestation belong together: a year
that stands beside a preprint server is the preprint's year.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from registry.equality.affiliations import compare_affiliations
from registry.equality.identifiers import (
    compare_arxiv_ids,
    compare_dblp_keys,
    compare_dois,
    compare_openreview_ids,
    compare_repositories,
    is_preprint_doi,
    parse_doi,
)
from registry.equality.interface import NOT_GIVEN, SAME, Comparison
from registry.equality.names import compare_author_lists
from registry.equality.pages import compare_pages
from registry.equality.product_words import compare_product_words
from registry.equality.quantities import compare_quantities
from registry.equality.titles import compare_titles
from registry.equality.tracks import compare_tracks, read_track
from registry.equality.venue_text import volume_number
from registry.equality.venues import VenueNames, compare_venue

Observed = Mapping[str, Any]


class Context(msgspec.Struct, frozen=True):
    """What a rule may need to know besides the two values."""

    venues: VenueNames
    """The venues on record."""
    recorded_venue: str = ""
    """Id of the recorded venue."""
    recorded_year: int | None = None
    """The recorded year."""
    recorded_track: str = ""
    """Id of the recorded track."""
    source_type: str = ""
    """Type of the source, such as ``preprint-server``."""
    significant_digits: int | None = None
    """Digits that the source rounds its numbers to."""
    same_work: bool = True
    """Whether an identifier says that the source describes this very work."""


def compare(field: str, recorded: Any, observed: Observed, context: Context) -> Comparison:
    """Compare a recorded value with what a source observed.

    Args:
        field: Name of the tracked field; a peak rate is ``peaks.`` and what it is a rate of.
        recorded: The recorded value as plain data; None if the record has none.
        observed: The whole observation as plain data, dates as text.
        context: What else the rule needs.

    Raises:
        KeyError: no rule is known for the field.
    """
    value = observed.get(field)
    if value and value == recorded and field not in EMPTY_AT_TIMES:
        return SAME
    rule = _RULES["peaks" if field.startswith("peaks.") else field]
    return rule(recorded, value, observed, context)


EMPTY_AT_TIMES = ("title", "authors", "volume", "pages")
"""Fields of which a value may normalise to nothing, and then equals nothing, not even itself."""


def describes_preprint(observed: Observed, context: Context) -> bool:
    """Whether a source describes the preprint of what the record holds as published."""
    if context.venues.type_of(context.recorded_venue) == "preprint-server":
        return False
    venue = observed.get("venue") or observed.get("series")
    if not venue:
        return context.source_type == "preprint-server"
    return context.venues.resolve(str(venue)).kind == "preprint-server"


Rule = Callable[[Any, Any, Observed, Context], Comparison]


def _of_values(compare_two: Callable[[Any, Any], Comparison]) -> Rule:
    """A rule that needs the two values and nothing else."""

    def rule(recorded: Any, value: Any, observed: Observed, context: Context) -> Comparison:
        # A list that a record holds is an answer, also where nothing stands in it.
        given = recorded is not None and _given(value)
        return compare_two(recorded, value) if given else NOT_GIVEN

    return rule


def _given(*values: Any) -> bool:
    return not any(value is None or value == "" or value == [] or value == () for value in values)


def _title(recorded: Any, value: Any, observed: Observed, context: Context) -> Comparison:
    if not _given(recorded, value):
        return NOT_GIVEN
    return compare_titles(str(recorded), str(value), same_work=context.same_work)


def _venue(recorded: Any, value: Any, observed: Observed, context: Context) -> Comparison:
    if not _given(recorded):
        return NOT_GIVEN
    return compare_venue(
        str(recorded),
        context.recorded_year,
        _text(value),
        series=_text(observed.get("series")),
        volume=_text(observed.get("volume")),
        names=context.venues,
        workshop=read_track(context.recorded_track).track == "workshop",
        year=_whole(observed.get("year")),
    )


def _venue_track(recorded: Any, value: Any, observed: Observed, context: Context) -> Comparison:
    if not _given(recorded):
        return NOT_GIVEN
    venue = _text(observed.get("venue"))
    meant = context.venues.resolve(venue) if venue else None
    titled = meant is not None and (meant.workshop or read_track(venue).track == "findings")
    tracks = context.venues.tracks_of(context.recorded_venue or (meant and meant.venue) or "")
    return compare_tracks(
        str(recorded), _text(value), volume_title=venue if titled else "", tracks=tracks
    )


def _year(recorded: Any, value: Any, observed: Observed, context: Context) -> Comparison:
    if not _given(recorded, value):
        return NOT_GIVEN
    own, other = _whole(recorded), _whole(value)
    if own is None or other is None:
        unread = recorded if own is None else value
        return Comparison("cannot-tell", "unreadable", f"“{unread}” is no year")
    if own == other:
        return SAME
    if describes_preprint(observed, context):
        return Comparison("cannot-tell", "preprint's year", f"{other} is the preprint's year")
    doi = observed.get("doi")
    if other < own and doi and is_preprint_doi(parse_doi(str(doi))):
        note = f"the source gives the preprint's DOI, so {other} may be the preprint's year"
        return Comparison("cannot-tell", "preprint's year", note)
    return Comparison("different", "year")


def _of_publication(what: str, compare_two: Callable[[str, str], Comparison]) -> Rule:
    """A rule for what a preprint has of its own, so that the preprint's value denies nothing."""

    def rule(recorded: Any, value: Any, observed: Observed, context: Context) -> Comparison:
        if not _given(recorded, value):
            return NOT_GIVEN
        result = compare_two(str(recorded), str(value))
        if result.outcome == "different" and describes_preprint(observed, context):
            return Comparison("cannot-tell", f"preprint's {what}", f"it is the preprint's {what}")
        return result

    return rule


def _compare_volumes(recorded: str, observed: str) -> Comparison:
    own, other = volume_number(recorded), volume_number(observed)
    if not own and not other:
        return Comparison("cannot-tell", "unreadable", "neither side names a volume")
    return SAME if own == other else Comparison("different", "volume")


def _compare_days(recorded: str, observed: str) -> Comparison:
    return SAME if str(recorded) == str(observed) else Comparison("different", "day")


def _doi(recorded: Any, value: Any, observed: Observed, context: Context) -> Comparison:
    # A preprint's DOI is told apart even where the record has no DOI at all.
    return compare_dois(_text(recorded), _text(value)) if _given(value) else NOT_GIVEN


def _quantity(recorded: Any, value: Any, observed: Observed, context: Context) -> Comparison:
    if not _given(recorded, value):
        return NOT_GIVEN
    return compare_quantities(recorded, value, context.significant_digits)


def _whole(value: Any) -> int | None:
    text = str(value).strip()
    return int(text) if text.isascii() and text.isdigit() else None


def _text(value: Any) -> str:
    return str(value) if _given(value) else ""


_RULES: dict[str, Rule] = {
    "title": _title,
    "authors": _of_values(compare_author_lists),
    "affiliations": _of_values(compare_affiliations),
    "venue": _venue,
    "venue_track": _venue_track,
    "year": _year,
    "volume": _of_publication("volume", _compare_volumes),
    "pages": _of_publication("pages", compare_pages),
    "published": _of_publication("day", _compare_days),
    "doi": _doi,
    "arxiv_id": _of_values(compare_arxiv_ids),
    "openreview_id": _of_values(compare_openreview_ids),
    "dblp_key": _of_values(compare_dblp_keys),
    "code": _of_values(compare_repositories),
    "memory_size": _quantity,
    "memory_type": _of_values(compare_product_words),
    "memory_bandwidth": _quantity,
    "power": _quantity,
    "form_factor": _of_values(compare_product_words),
    "interconnect": _of_values(compare_product_words),
    "released": _of_values(_compare_days),
    "peaks": _quantity,
}
"""The rule of each tracked field. A new field is one line here."""
