"""Evidence, replayed offline: what each source said, held against what the record says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from registry.checks.interface import Settings, Spot, at
from registry.checks.matrix import Comparer, Reading
from registry.findings import Finding, Rule
from registry.records import Record
from registry.records.evidence import Evidence
from registry.store.document import Document
from registry.store.entry import IDENTIFIERS, Entry, Fact, Held
from registry.store.index import Index
from registry.store.wording import as_text

CONTRADICTED = Rule(
    "EVD001",
    "error",
    "a source contradicts the record",
    "The recorded observation of a source says something else than the preferred value, and the "
    "field is neither contested nor settled.",
    "Correct the value; or, if the source is wrong, keep its value as an assertion and mark the "
    "field contested, or settle it with a decision.",
)
DISPUTE = Rule(
    "EVD002",
    "info",
    "a disagreement that the record holds and explains",
    "The field is contested or settled: the record keeps every value, and says why.",
    "Nothing need be done. `registry show` tells the whole story.",
)
UNSUPPORTED = Rule(
    "EVD003",
    "error",
    "corroborated, but not by two independent sources",
    "Two sources that draw neither on each other nor on a common one must confirm a corroborated "
    "value.",
    "Record the missing observation as evidence, or set the status to asserted.",
)
UNDERSTATED = Rule(
    "EVD004",
    "info",
    "asserted, although independent sources agree",
    "Two or more independent sources confirm the value.",
    "Set the status to corroborated.",
)
ELSEWHERE = Rule(
    "EVD005",
    "error",
    "evidence about another record",
    "An assertion cites evidence that is about another record.",
    "Cite evidence about this record, or add one.",
)
MISQUOTED = Rule(
    "EVD006",
    "error",
    "evidence that says something else",
    "An assertion cites evidence whose recorded observation has another value for this field.",
    "Correct the value, or cite the evidence under the value that it supports.",
)
UNSAID = Rule(
    "EVD007",
    "warning",
    "evidence that does not speak about this field",
    "An assertion cites evidence whose observation has no value for this field.",
    "Take the value into the observation, or say in `because` what the evidence shows.",
)
UNCONFIRMED = Rule(
    "EVD008",
    "warning",
    "evidence that could not be confirmed",
    "Evidence that nobody could find again is kept, but supports nothing.",
    "Cite evidence that can be confirmed.",
)
CHANGED = Rule(
    "EVD009",
    "error",
    "a settled source has changed its value",
    "A decision overruled what a source said; since then the source says something else, which the "
    "decision did not judge.",
    "Look at the new value, and record a new decision or a correction.",
)
UNHELD = Rule(
    "EVD010",
    "error",
    "a contested value that the record does not hold",
    "The field is contested, but a source gives a value that no assertion holds. A contest keeps "
    "every value.",
    "Add the source's value as an assertion.",
)
ILL_FORMED = Rule(
    "EVD011",
    "error",
    "evidence that does not say enough",
    "Reported evidence names who reported it; a source that could not be asked has a reason; "
    "unconfirmed evidence says what was looked for; an answer has an observation, a silence or at "
    "least a quote.",
    "Add the key that the message names.",
)

STRANGER = Rule(
    "EVD013",
    "error",
    "an identifier of another paper",
    "A source answered an identifier of this record with another title and no author in common. "
    "Either the identifier or the rest of the record is wrong, which only a person can tell; "
    "nothing else in the answer is held against the record.",
    "Find out what the identifier belongs to, and correct what is wrong. Mark recorded evidence "
    "about the other paper as unconfirmed, with the reason.",
)
FALLEN = Rule(
    "EVD012",
    "error",
    "withdrawn or retracted upstream",
    "A source says that the paper was withdrawn or retracted, but its record stands as if nothing "
    "had happened.",
    "Look at the notice, and withdraw the record with the reason `retracted`.",
)


class EvidenceReplay:
    """Compares tracked fields with recorded observations."""

    rules = (
        CONTRADICTED,
        DISPUTE,
        UNSUPPORTED,
        UNDERSTATED,
        ELSEWHERE,
        MISQUOTED,
        UNSAID,
        UNCONFIRMED,
        CHANGED,
        UNHELD,
        ILL_FORMED,
        FALLEN,
        STRANGER,
    )

    def each(self, record: Record, document: Document) -> Iterator[Finding]:
        """Whether an evidence record says what its kind of evidence must say."""
        if isinstance(record, Evidence):
            for path, message in _gaps(record):
                yield at(ILL_FORMED, f"evidence/{record.id}", document, (path,), message)

    def across(self, index: Index, settings: Settings, among: Sequence[Entry]) -> Iterator[Spot]:
        """Every tracked field against everything that was heard about its record."""
        comparer = Comparer(index)
        for entry in among:
            if entry.facts and not entry.withdrawn:
                yield from _standing(entry, comparer)
                yield from _strangers(entry, comparer)
                for fact in entry.facts:
                    readings = comparer.readings(entry, fact)
                    yield from _field(entry, fact, readings, comparer)
                    against = {one.evidence for one in readings if one.verdict == "contradicted"}
                    # A contradiction that was reported at the value is not told a second time.
                    told = set() if fact.status in ("contested", "settled") else against
                    yield from _citations(entry, fact, comparer, told)


def _gaps(record: Evidence) -> Iterator[tuple[str, str]]:
    if record.how == "reported" and record.reported_by is None:
        yield "how", "reported evidence needs `reported_by`"
    if record.outcome == "could-not-ask" and record.reason is None:
        yield "outcome", "a source that could not be asked needs a `reason`"
    if not record.confirmed and record.unconfirmed_because is None:
        yield "confirmed", "unconfirmed evidence needs `unconfirmed_because`"
    # What is said about a table or an engine fits no field of an observation; it is quoted.
    both = set(record.silent_on or ()) & (
        record.observation.model_fields_set if record.observation else set()
    )
    if both:
        yield "silent_on", f"silent on {', '.join(sorted(both))}, yet observed to say it"
    said = (record.observation, record.silent_on, record.quote)
    if record.outcome == "answered" and said == (None, None, None):
        yield "outcome", "an answer needs an `observation`, `silent_on` or a `quote`"
    if record.outcome != "answered" and record.observation is not None:
        yield "observation", f"the outcome is {record.outcome}, so nothing can have been observed"


def _standing(entry: Entry, comparer: Comparer) -> Iterator[Spot]:
    for item in comparer.index.evidence_about.get(entry.key, ()):
        heard = item.heard
        if heard is not None and heard.confirmed and heard.standing in ("withdrawn", "retracted"):
            who = comparer.label(heard.source)
            message = f"{who} says that it was {heard.standing} (read {heard.retrieved})"
            yield Spot(FALLEN, entry, (), message, f"{comparer.place(item.id)}; {FALLEN.mend}")


def _strangers(entry: Entry, comparer: Comparer) -> Iterator[Spot]:
    for item in comparer.index.evidence_about.get(entry.key, ()):
        heard = item.heard
        if heard is None or not heard.confirmed or not comparer.stranger(entry, item):
            continue
        observed = heard.observed
        led = [name for name in IDENTIFIERS if name in observed and entry.fact(name) is not None]
        fact = entry.fact(led[0] if led else "title")
        assert fact is not None
        by = as_text(observed["authors"][:1])
        what = f"{led[0]} `{as_text(observed[led[0]])}`" if led else "this paper"
        who = comparer.label(heard.source)
        message = f"{who} has {what} as `{as_text(observed['title'])}` by {by}"
        yield Spot(STRANGER, entry, (*fact.path, "assertions"), message, STRANGER.mend)


def _field(entry: Entry, fact: Fact, readings: list[Reading], comparer: Comparer) -> Iterator[Spot]:
    preferred = fact.preferred
    if preferred is None:
        return
    place = (*fact.path, "assertions", fact.held.index(preferred), "value")
    disputed = fact.status in ("contested", "settled")
    against = [reading for reading in readings if reading.verdict == "contradicted"]
    for reading in against:
        said = f"{comparer.label(reading.source)} says `{reading.text}`"
        if not disputed:
            detail = f" ({reading.note})" if reading.note else ""
            message = f"{fact.name} is `{as_text(preferred.value)}`, but {said}{detail}"
            where = comparer.place(reading.evidence)
            hint = f"{where}; correct the value or mark the field contested"
            yield Spot(CONTRADICTED, entry, place, message, hint)
        elif fact.status == "settled":
            yield from _ruling(entry, fact, reading, said)
        elif not any(comparer.holds(entry, fact, held, reading) for held in fact.held):
            message = f"{said}, and no assertion of {fact.name} holds that"
            hint = (
                f"`registry contest {entry.key} {fact.name} --value ... "
                f"--evidence {reading.evidence}` enters it"
            )
            yield Spot(UNHELD, entry, fact.path, message, hint)
    confirming = {reading.source for reading in readings if reading.verdict == "confirmed"}
    backing = comparer.independent(confirming)
    cited = {f"evidence/{one}" for held in fact.held for one in held.evidence}
    blamed = against or cited & comparer.index.broken
    if fact.status == "corroborated" and len(backing) < 2 and not blamed:
        if len(confirming) > 1:
            but = f"the {len(confirming)} sources that confirm it are not independent"
        else:
            but = f"{f'only {comparer.label(backing[0])}' if backing else 'no source'} confirms it"
        message = f"{fact.name} is called corroborated, but {but}"
        yield Spot(UNSUPPORTED, entry, (*fact.path, "status"), message, UNSUPPORTED.mend)
    if fact.status == "asserted" and len(backing) > 1 and not against:
        names = ", ".join(comparer.label(source) for source in backing)
        message = f"{fact.name} is confirmed by {names}"
        yield Spot(UNDERSTATED, entry, (*fact.path, "status"), message, UNDERSTATED.mend)
    if disputed:
        yield Spot(DISPUTE, entry, (*fact.path, "status"), _story(fact, preferred))


def _story(fact: Fact, preferred: Held) -> str:
    others = [
        f"`{as_text(held.value)}` ({held.rank})" for held in fact.held if held is not preferred
    ]
    beside = f", beside {', '.join(others)}" if others else ""
    return f"{fact.name} is {fact.status}: `{as_text(preferred.value)}`{beside}"


def _ruling(entry: Entry, fact: Fact, reading: Reading, said: str) -> Iterator[Spot]:
    ruled = [value for source, value in fact.overruled if source == reading.source]
    if reading.text not in ruled:
        before = (
            f"the decision overruled `{ruled[0]}`" if ruled else "the decision overruled no such"
        )
        message = f"{said}, but {before}" + ("" if ruled else " source")
        yield Spot(CHANGED, entry, (*fact.path, "decision"), message, CHANGED.mend)


def _citations(entry: Entry, fact: Fact, comparer: Comparer, told: set[str]) -> Iterator[Spot]:
    for position, held in enumerate(fact.held):
        for number, evidence_id in enumerate(held.evidence):
            cited = comparer.index.get("evidence", evidence_id)
            if cited is None or cited.heard is None:
                continue
            heard = cited.heard
            path = (*fact.path, "assertions", position, "evidence", number)
            if heard.about != entry.key:
                message = f"evidence `{evidence_id}` is about {heard.about}, not {entry.key}"
                yield Spot(ELSEWHERE, entry, path, message, ELSEWHERE.mend)
            elif not heard.confirmed:
                message = f"evidence `{evidence_id}` could not be confirmed and supports nothing"
                yield Spot(UNCONFIRMED, entry, path, message, UNCONFIRMED.mend)
            elif held.basis == "stated" and not held.explained and fact.name not in heard.observed:
                message = f"evidence `{evidence_id}` says nothing about {fact.name}"
                yield Spot(UNSAID, entry, path, message, UNSAID.mend)
            elif comparer.stranger(entry, cited):
                continue
            elif fact.name in heard.observed and evidence_id not in told:
                yield from _misquoted(entry, fact, held, path, cited, comparer)


def _misquoted(
    entry: Entry, fact: Fact, held: Held, path: tuple[Any, ...], cited: Entry, comparer: Comparer
) -> Iterator[Spot]:
    result = comparer.compare(entry, fact, held.value, cited)
    # Of a deprecated value nothing may be changed; it says itself why it does not count.
    if result.outcome == "different" and held.basis == "stated" and held.rank != "deprecated":
        assert cited.heard is not None
        said = as_text(cited.heard.observed[fact.name])
        message = f"evidence `{cited.id}` says `{said}`, not `{as_text(held.value)}`"
        yield Spot(MISQUOTED, entry, path, message, result.note or MISQUOTED.mend)
