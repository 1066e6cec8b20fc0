"""PMLR: the publisher of ICML, AISTATS and others, one static site for each volume.

A paper that is asked for alone and whose name is known costs its own page; several papers of a
volume cost the index of the volume, once. Nothing can be found without the volume.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from registry.equality.venue_text import volume_number
from registry.sources.answers import NoReply, Reply
from registry.sources.interface import Answer, Query, Speech
from registry.sources.pmlr_pages import VolumeIndex, read_index, read_paper_page
from registry.sources.printed import Printed, absent, answered, not_found, unasked
from registry.sources.transport import Client, HostPolicy, Request

_HOST = "proceedings.mlr.press"
_SERIES = "pmlr"
"""Id of the series' record."""

_NUMBER = re.compile(r"r?[0-9]{1,4}")
_OWN_ADDRESS = re.compile(
    rf"https?://(?:www\.)?{re.escape(_HOST)}/(?P<kind>[vr])(?P<number>[0-9]{{1,4}})"
    r"(?:/(?P<rest>[^?#]*))?(?:[?#].*)?",
    re.IGNORECASE,
)
_REPOSITORY = re.compile(
    r"https?://(?:raw\.githubusercontent\.com|github\.com)/mlresearch/"
    r"(?P<kind>[vr])(?P<number>[0-9]{1,4})(?:/(?P<rest>[^?#]*))?",
    re.IGNORECASE,
)
_NAME_IN_REST = re.compile(
    r"(?P<page>[^/]+)\.(?:html|pdf)"
    r"|(?:.*/)?(?:assets/)?(?P<pdf>[^/]+)/(?P=pdf)[^/]*\.pdf"
    r"|.*_posts/[0-9]{4}-[0-9]{2}-[0-9]{2}-(?P<post>[^/]+)\.(?:md|markdown)"
)
_NOT_FOUND = re.compile(r"page not found", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a paper stands in PMLR."""

    volume: str
    """Number of the volume, such as ``235``, or ``r5`` for a reissue."""
    name: str = ""
    """The paper's name in the volume, such as ``li24bt``; empty if it is not known."""

    @property
    def index(self) -> str:
        """Address of the index of the volume."""
        folder = self.volume if self.volume.startswith("r") else f"v{self.volume}"
        return f"https://{_HOST}/{folder}/"

    @property
    def page(self) -> str:
        """Address of the paper's page."""
        return f"{self.index}{self.name}.html"


def place_in(address: str) -> Place | None:
    """The place that an address of PMLR or of one of its repositories names.

    The PDF of a paper has had several addresses over time; each holds the paper's name.
    """
    found = _OWN_ADDRESS.fullmatch(address.strip()) or _REPOSITORY.match(address.strip())
    if found is None:
        return None
    volume = ("r" if found["kind"].lower() == "r" else "") + found["number"]
    named = _NAME_IN_REST.fullmatch(found["rest"] or "")
    name = next(filter(None, named.groups()), "") if named else ""
    return Place(volume, "" if name == "index" else name)


def place_of(query: Query) -> Place | None:
    """Where a query's paper stands, as far as it is known; None without a volume.

    An address that names the paper in the recorded volume counts first, then any that names it.
    """
    number = volume_number(query.volume) if query.series == _SERIES and query.volume else ""
    recorded = Place(number) if _NUMBER.fullmatch(number) else None
    places = [place for place in map(place_in, query.addresses) if place is not None]
    named = [place for place in places if place.name]
    if recorded is not None:
        named.sort(key=lambda place: place.volume != recorded.volume)
    return next(iter([*named, *([recorded] if recorded else []), *places]), None)


class Pmlr:
    """Asks PMLR."""

    name = "pmlr"
    # No rate limit is documented. The index of a large volume has some ten megabytes.
    policies = (HostPolicy(_HOST, interval=0.5, largest=32 << 20, patience=60.0),)
    speaks = (
        Speech(
            ("title", "authors", "venue", "year", "volume", "pages", "published"),
            "authoritative",
            "The publisher. Errors in names do occur: one author of ICML 2024 has given and family "
            "name swapped.",
        ),
        Speech(
            ("openreview_id", "doi", "arxiv_id", "code"),
            "reliable",
            "Carried over from the conference's submission system or given by the authors; most "
            "volumes give only some of them.",
        ),
        Speech(
            ("affiliations", "venue_track"),
            "weak",
            "There is room for affiliations, mostly left empty; a track is not shown.",
        ),
    )
    key_variables = ()

    def can_ask(self, query: Query) -> bool:
        """Whether the volume is known, and the paper's name in it or its title and authors."""
        place = place_of(query)
        return place is not None and bool(place.name or (query.title and query.authors))

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query, volume by volume."""
        volumes: dict[str, list[tuple[Query, Place]]] = defaultdict(list)
        for query in queries:
            place = place_of(query)
            if place is None or not self.can_ask(query):
                yield unasked(query, self.name, "the volume, or the paper in it, is not known")
            else:
                volumes[place.volume].append((query, place))
        for wanted in volumes.values():
            if len(wanted) == 1 and wanted[0][1].name:
                yield self._by_page(*wanted[0], client)
            else:
                yield from self._by_index(wanted, client)

    def ping(self, client: Client) -> str:
        """Ask for the list of all volumes."""
        reply = client.get(Request(f"https://{_HOST}/volume_list", "text"), (_HOST,))
        if isinstance(reply, NoReply):
            return str(reply)
        return "" if re.search(r"\bv[0-9]+", reply.text) else "broken answer: it lists no volume"

    def _by_page(self, query: Query, place: Place, client: Client) -> Answer:
        reply = _get(client, place.page)
        if isinstance(reply, NoReply):
            return unasked(query, self.name, reply)
        if reply.status == 404:
            # The address may be an old one; what the volume holds stands in its index.
            return next(self._by_index([(query, place)], client))
        printed = read_paper_page(reply.text, unquote(place.name))
        if isinstance(printed, NoReply):
            return unasked(query, self.name, printed)
        locator = f"volume {place.volume}, page of {printed.id}, citation tags and BibTeX entry"
        return answered(query, self.name, printed, locator, reply)

    def _by_index(self, wanted: Sequence[tuple[Query, Place]], client: Client) -> Iterator[Answer]:
        place = wanted[0][1]
        reply = _get(client, place.index)
        if isinstance(reply, NoReply):
            yield from (unasked(query, self.name, reply) for query, _ in wanted)
        elif reply.status == 404:
            note = f"there is no volume {place.volume}"
            yield from (absent(query, self.name, reply, note) for query, _ in wanted)
        else:
            index = read_index(reply.text, place.volume)
            yield from (self._in_index(query, own, index, reply) for query, own in wanted)

    def _in_index(
        self, query: Query, place: Place, index: VolumeIndex | NoReply, reply: Reply
    ) -> Answer:
        if isinstance(index, NoReply):
            return unasked(query, self.name, index)
        found = index.shelf.find(query, unquote(place.name))
        if isinstance(found, Printed):
            locator = f"index of volume {place.volume}, entry {found.id}"
            return answered(query, self.name, found, locator, reply)
        return not_found(query, self.name, found, reply, whole=index.whole)


def _get(client: Client, address: str) -> Reply | NoReply:
    """A page; a 404 only where it is the host's own page that says so."""
    reply = client.get(Request(address, "html", accept=frozenset({200, 404})), (_HOST,))
    if isinstance(reply, Reply) and reply.status == 404 and not _NOT_FOUND.search(reply.text):
        return NoReply("broken answer", "HTTP 404 without the page that goes with it")
    return reply


SOURCE = Pmlr()
