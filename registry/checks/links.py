"""Links: does every reference lead to a record of the kind that the field wants?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from registry.checks.interface import Settings, Spot, at
from registry.findings import Finding, Rule, path_text
from registry.records import FOLDERS, KINDS, Record
from registry.records.paper import Paper
from registry.store.document import Document
from registry.store.entry import SUCCESSOR, Entry, Link
from registry.store.index import Index
from registry.store.nearest import did_you_mean

DANGLING = Rule(
    "LNK001",
    "error",
    "reference to a record that does not exist",
    "A field names a record that is not in the registry, so nothing can be said about it.",
    "Correct the id (the hint names near ones), or add the record.",
)
WRONG_KIND = Rule(
    "LNK002",
    "error",
    "reference to a record of another kind",
    "The id exists, but as a record of another kind than the field wants; or a withdrawn record "
    "names one of another kind as its successor.",
    "Name a record of the right kind.",
)
ORPHAN = Rule(
    "LNK003",
    "info",
    "nothing refers to this record",
    "No other record points at this one. It may be new, or left over.",
    "Nothing need be done. Withdraw the record if it was entered in error.",
)
UNEXPLAINED = Rule(
    "LNK004",
    "error",
    "inferred link without its ground",
    "A link that the source does not state must say which property was inferred, and from what.",
    "List each inferred property with `inferred_from`, or set the basis to stated if it is stated.",
)
WITHDRAWN = Rule(
    "LNK005",
    "warning",
    "reference to a withdrawn record",
    "The record that is referred to was withdrawn and no longer counts.",
    "Refer to its successor, or withdraw this reference's value as well.",
)
TRACK = Rule(
    "LNK006",
    "error",
    "track that the venue does not have",
    "The preferred track is not among the tracks of the preferred venue.",
    "Correct the track, or add it to the venue's record.",
)

SUCCESSION = Rule(
    "LNK007",
    "error",
    "successors that lead back",
    "A withdrawn record names the record to use instead, which names another, and so on until the "
    "first one comes again: whoever follows them finds nothing that counts.",
    "Name a record that counts, or take out the successor that is wrong.",
)

_LEAVES = {"accelerator", "dataset", "machine", "method", "model", "organization"}
"""Kinds that exist to be referred to. Sources are asked, and venues tell names apart, anyway."""


class Links:
    """Follows references."""

    rules = (DANGLING, WRONG_KIND, ORPHAN, UNEXPLAINED, WITHDRAWN, TRACK, SUCCESSION)

    def each(self, record: Record, document: Document) -> Iterator[Finding]:
        """Inferred hardware links that do not say from what."""
        if not isinstance(record, Paper):
            return
        for number, link in enumerate(record.hardware or ()):
            if link.basis != "inferred":
                continue
            path = ("hardware", number)
            key = f"paper/{record.id}"
            if not link.inferred:
                message = f"the link to `{link.accelerator}` is inferred, but says not what of it"
                yield at(UNEXPLAINED, key, document, (*path, "basis"), message, "add `inferred`")
            for position, inferred in enumerate(link.inferred or ()):
                if inferred.inferred_from is None:
                    message = f"{inferred.property} `{inferred.value}` is inferred, but from what?"
                    place = (*path, "inferred", position)
                    yield at(UNEXPLAINED, key, document, place, message, "add `inferred_from`")

    def across(self, index: Index, settings: Settings, among: Sequence[Entry]) -> Iterator[Spot]:
        """References that lead nowhere, and records that nothing leads to."""
        for entry in among:
            for link in entry.links:
                target = index.entries.get(link.key)
                if link.key in index.broken:
                    continue
                if target is None:
                    yield _dangling(entry, link, index)
                elif target.withdrawn and not entry.withdrawn and link.path != ("about",):
                    # What was said about a record stays so; anything else has a successor.
                    message = f"`{link.id}` was withdrawn"
                    yield Spot(WITHDRAWN, entry, link.path, message, _instead(target))
            yield from _succession(entry, index)
            successor = index.entries.get(entry.successor)
            if successor is not None and successor.kind != entry.kind:
                message = f"{successor.key} is no {entry.kind}, and cannot succeed one"
                yield Spot(WRONG_KIND, entry, SUCCESSOR, message, SUCCESSION.mend)
            yield from _track(entry, index)
            # While a file is broken, nobody knows what it refers to.
            alone = not index.broken and not index.referrers(entry.key)
            if entry.kind in _LEAVES and not entry.withdrawn and alone:
                yield Spot(ORPHAN, entry, (), f"no record refers to {entry.key}")


def _instead(withdrawn: Entry) -> str:
    if withdrawn.successor:
        return f"use its successor, {withdrawn.successor}"
    return "it has no successor; refer to another record, or withdraw this value as well"


def _succession(entry: Entry, index: Index) -> Iterator[Spot]:
    """A record that is reached again from its own successor."""
    followed = [entry.key]
    key = entry.successor
    while key and key not in followed:
        followed.append(key)
        known = index.entries.get(key)
        key = known.successor if known is not None else ""
    if key == entry.key:
        message = f"the successors lead back: {' -> '.join([*followed, key])}"
        yield Spot(SUCCESSION, entry, SUCCESSOR, message, SUCCESSION.mend)


def _dangling(entry: Entry, link: Link, index: Index) -> Spot:
    name = path_text(link.path)
    if link.kind == "*":
        kind, _, record_id = link.id.partition("/")
        known = [other for other in KINDS if other == kind]
        if not known:
            message = f"`{name}` names a kind that does not exist: `{kind}`"
            return Spot(DANGLING, entry, link.path, message, f"kinds: {', '.join(KINDS)}")
    else:
        kind, record_id = link.kind, link.id
    others = index.by_id.get(record_id, [])
    if others:
        there = ", ".join(sorted(other.kind for other in others))
        message = (
            f"`{name}` wants {kind}/{record_id}, which does not exist; there is `{record_id}` "
            f"of kind {there}"
        )
        return Spot(WRONG_KIND, entry, link.path, message, _near(record_id, kind, index))
    folder = next((folder for name, folder in FOLDERS.items() if name == kind), kind)
    message = f"`{name}` refers to {kind} `{record_id}`, which does not exist"
    hint = _near(record_id, kind, index) or f"add data/{folder}/{record_id}.yaml"
    return Spot(DANGLING, entry, link.path, message, hint)


def _near(record_id: str, kind: str, index: Index) -> str:
    return did_you_mean(record_id, index.by_kind.get(kind, {}))


def _track(entry: Entry, index: Index) -> Iterator[Spot]:
    track, venue = entry.fact("venue_track"), entry.fact("venue")
    if track is None or venue is None or track.preferred is None or venue.preferred is None:
        return
    place = index.get("venue", venue.preferred.value)
    if place is None:
        return
    known = [known["id"] for known in place.extra.get("tracks", ())]
    if track.preferred.value not in known:
        position = track.held.index(track.preferred)
        path = (*track.path, "assertions", position, "value")
        message = f"{place.label} has no track `{track.preferred.value}`"
        hint = f"its tracks: {', '.join(known)}" if known else "its record lists no tracks"
        yield Spot(TRACK, entry, path, message, hint)
