"""The verdict matrix: what every source says on every field of a record."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, cached_property
from typing import Any

import msgspec

from registry.equality.fields import EMPTY_AT_TIMES, Context, compare
from registry.equality.interface import Comparison
from registry.equality.names import author_in_common, parse_name, recorded_name
from registry.equality.venues import VenueNames
from registry.store.entry import IDENTIFIERS, Entry, Fact, Heard, Held
from registry.store.index import Index
from registry.store.wording import as_text
from registry.verdicts import Cell, Matrix, Verdict


class Reading(msgspec.Struct, frozen=True):
    """The verdict of one source on one field, and the evidence it rests on."""

    source: str
    evidence: str
    verdict: Verdict
    text: str = ""
    note: str = ""


_OUTCOME: dict[str, Verdict] = {
    "same": "confirmed",
    "different": "contradicted",
    "cannot-tell": "silent",
}


class Comparer:
    """Everything of an index that comparing needs, looked up once."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._strangers: dict[tuple[str, str], bool] = {}

    @cached_property
    def venues(self) -> VenueNames:
        """The names of all venues."""
        known = self.index.by_kind.get("venue", {})
        return VenueNames([venue.extra for venue in known.values()])

    def place(self, evidence: str) -> str:
        """Where a person finds an answer: its record, or that it was given just now."""
        entry = self.index.get("evidence", evidence)
        return f"evidence/{evidence}" if entry is not None and entry.file else "answered just now"

    def label(self, source: str) -> str:
        """A source's name."""
        entry = self.index.get("source", source)
        return entry.label if entry else source

    @cache  # noqa: B019 - a comparer lives for one run
    def parents(self, source: str) -> frozenset[str]:
        """All sources that ``source`` draws on, directly or not."""
        found: set[str] = set()
        waiting = [source]
        while waiting:
            entry = self.index.get("source", waiting.pop())
            drawn = entry.extra.get("draws_on", ()) if entry else ()
            waiting += [parent for parent in drawn if parent not in found]
            found.update(drawn)
        return frozenset(found)

    def independent(self, sources: set[str]) -> list[str]:
        """Sources that neither draw on each other nor on a common one, in alphabetical order.

        Of those that share an origin one counts, which is the one that draws on fewest.
        """
        found: list[str] = []
        origins: set[str] = set()
        for one in sorted(sources, key=lambda source: (len(self.parents(source)), source)):
            if not origins & {one, *self.parents(one)}:
                found.append(one)
                origins |= {one, *self.parents(one)}
        return sorted(found)

    def compare(self, entry: Entry, fact: Fact, value: Any, heard: Entry) -> Comparison:
        """One value of a field against what one evidence record observed."""
        assert heard.heard is not None
        observed = heard.heard.observed
        if observed.get(fact.name) == value and fact.name not in EMPTY_AT_TIMES:
            return _SAME
        context = self._context(entry, heard.heard.source)
        if fact.name == "title":
            same = self._is_identified(entry, heard.heard, context)
            context = msgspec.structs.replace(context, same_work=same)
        if fact.name == "venue" and "year" in observed:
            # The year has a field of its own; it must not be held against the venue as well.
            context = msgspec.structs.replace(context, recorded_year=None)
        return compare(fact.name, value, observed, context)

    def _context(self, entry: Entry, source: str) -> Context:
        known = self.index.get("source", source)
        extra = known.extra if known else {}
        values = {
            name: fact.preferred.value
            for name in ("venue", "year", "venue_track")
            if (fact := entry.fact(name)) is not None and fact.preferred is not None
        }
        return Context(
            venues=self.venues,
            recorded_venue=values.get("venue", ""),
            recorded_year=values.get("year"),
            recorded_track=values.get("venue_track", ""),
            source_type=extra.get("type", ""),
            significant_digits=extra.get("significant_digits"),
        )

    def _is_identified(self, entry: Entry, heard: Heard, context: Context) -> bool:
        """Whether an identifier that the record holds stands in an answer or in its address."""
        address = {"arxiv_id": heard.url, "doi": heard.url, "openreview_id": heard.url}
        observed = address | heard.observed
        facts = filter(None, map(entry.fact, IDENTIFIERS))
        return any(
            compare(fact.name, held.value, observed, context).outcome == "same"
            for fact in facts
            for held in fact.held
        )

    def holds(self, entry: Entry, fact: Fact, held: Held, reading: Reading) -> bool:
        """Whether an assertion holds what a reading says."""
        heard = self.index.get("evidence", reading.evidence)
        return heard is not None and (
            self.compare(entry, fact, held.value, heard).outcome == "same"
        )

    def stranger(self, entry: Entry, item: Entry) -> bool:
        """Whether an answer describes another paper than the one that was asked about.

        A title may have changed, and an author may have joined; but where no title that the record
        holds is the same and no author is in common, an identifier leads elsewhere.
        """
        if item.heard is None or entry.kind != "paper":
            return False
        observed = item.heard.observed
        title, authors = entry.fact("title"), entry.fact("authors")
        if not observed.get("title") or not observed.get("authors"):
            return False
        if title is None or authors is None or not title.preferred or not authors.preferred:
            return False
        key = entry.key, item.id
        if key not in self._strangers:
            held = [one for one in title.held if one.rank != "deprecated"]
            same = any(self.compare(entry, title, t.value, item).outcome == "same" for t in held)
            self._strangers[key] = not same and not author_in_common(
                map(recorded_name, authors.preferred.value), map(parse_name, observed["authors"])
            )
        return self._strangers[key]

    def spoken_of(self, source: str, field: str) -> frozenset[str]:
        """The fields that a source can speak about; ``field`` alone if its record lists none."""
        known = self.index.get("source", source)
        speeches = known.extra.get("speaks_about", ()) if known else ()
        listed = frozenset(name for speech in speeches for name in speech["fields"])
        return listed or frozenset({field})

    def _speaks(self, entry: Entry, fact: Fact, item: Entry) -> bool:
        """Whether an answer says something about a field.

        A track often stands in the name of the venue only (``Findings of ...``); a name that holds
        none says nothing about it.
        """
        assert item.heard is not None
        observed = item.heard.observed
        if fact.name != "venue_track" or fact.name in observed or fact.preferred is None:
            return fact.name in observed
        result = self.compare(entry, fact, fact.preferred.value, item)
        return "venue" in observed and result.outcome != "cannot-tell"

    def readings(self, entry: Entry, fact: Fact) -> list[Reading]:
        """The latest word of each source on a field; sources that were never asked are left out."""
        latest: dict[str, Reading] = {}
        preferred = fact.preferred
        for item in self.index.evidence_about.get(entry.key, ()):
            heard = item.heard
            if heard is None or not heard.confirmed or item.withdrawn:
                continue
            if self.stranger(entry, item):
                note = "its answer is about another paper"
                latest.setdefault(heard.source, Reading(heard.source, item.id, "silent", note=note))
            elif heard.outcome == "could-not-ask":
                if fact.name not in self.spoken_of(heard.source, fact.name):
                    continue
                reading = Reading(heard.source, item.id, "could-not-ask", note=heard.reason)
                # Not having been able to ask takes nothing back of what was heard before.
                latest.setdefault(heard.source, reading)
            elif preferred is not None and self._speaks(entry, fact, item):
                result = self.compare(entry, fact, preferred.value, item)
                text = as_text(heard.observed.get(fact.name, heard.observed.get("venue")))
                verdict = _OUTCOME[result.outcome]
                kind = result.kind if result.kind.replace(" ", "_") != fact.name else ""
                note = ": ".join(filter(None, (kind, result.note)))
                latest[heard.source] = Reading(heard.source, item.id, verdict, text, note)
            elif fact.name in heard.silent_on or heard.outcome == "no-such-record":
                unknown = heard.outcome == "no-such-record"
                note = heard.reason or "no such record" if unknown else ""
                reading = Reading(heard.source, item.id, "silent", note=note)
                latest.setdefault(heard.source, reading)
        return list(latest.values())


_SAME = Comparison("same")


def matrix_of(entry: Entry, comparer: Comparer) -> Matrix:
    """The matrix of one record."""
    heard = comparer.index.evidence_about.get(entry.key, [])
    asked = {item.heard.source for item in heard if item.heard and item.heard.confirmed}
    sources = tuple(sorted(asked))
    cells: list[Cell] = []
    values: dict[str, str] = {}
    statuses: dict[str, str] = {}
    failed = {
        item.heard.source: item.heard.reason
        for item in heard
        if item.heard and not item.file and item.heard.outcome == "could-not-ask"
    }
    for fact in entry.facts:
        said: dict[str, Reading] = defaultdict(lambda: _NOT_ASKED)
        said.update({reading.source: reading for reading in comparer.readings(entry, fact)})
        values[fact.name] = as_text(fact.preferred.value) if fact.preferred else ""
        statuses[fact.name] = fact.status
        for source in sources:
            word = said[source]
            note = word.note
            if source in failed and word.verdict not in ("could-not-ask", "not-asked"):
                # What was recorded still stands, but must not look as if it had been asked today.
                note = "; ".join(filter(None, (note, f"as recorded, not now: {failed[source]}")))
            cells.append(Cell(fact.name, source, word.verdict, word.text, note, word.evidence))
    lost = tuple(item.id for item in heard if item.heard and not item.heard.confirmed)
    return Matrix(entry.key, values, statuses, sources, tuple(cells), lost)


_NOT_ASKED = Reading("", "", "not-asked")
