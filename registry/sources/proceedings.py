"""Asks the sites that NeurIPS and MLSys print their proceedings on; one template serves both.

A paper whose address is known costs its own page. The others are looked up in the list of their
year, which is asked for once; the list has neither DOI nor day, so the page is read all the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from registry.records.evidence import FieldName
from registry.sources.answers import NoReply, Reply
from registry.sources.interface import Answer, Query, Speech
from registry.sources.printed import Doubt, Printed, answered, not_found, unasked
from registry.sources.proceedings_pages import (
    PaperAddress,
    YearList,
    parse_address,
    read_list,
    read_paper_page,
)
from registry.sources.transport import Client, HostPolicy, Request

_MOST_PARTS = 4
"""Further lists of one year that are read."""


@dataclass(frozen=True, slots=True)
class Proceedings:
    """Asks one of the sites."""

    name: str
    host: str
    title: str
    """Title of the proceedings without the number of the volume."""
    speaks: tuple[Speech, ...]
    mirrors: tuple[str, ...] = ()
    """Other hosts under which the same addresses are found."""
    key_variables: tuple[str, ...] = field(default=(), init=False)

    @property
    def policies(self) -> tuple[HostPolicy, ...]:
        """The host. No rate limit is documented; lists have some megabytes."""
        return (HostPolicy(self.host, interval=0.5, largest=32 << 20, patience=60.0),)

    def can_ask(self, query: Query) -> bool:
        """Whether the paper's address is known, or the year, the title and the authors."""
        found_in_list = query.venue == self.name and query.year and query.title and query.authors
        return self._address(query) is not None or bool(found_in_list)

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query: first those whose address is known, then year by year."""
        years: dict[int, list[Query]] = defaultdict(list)
        for query in queries:
            address = self._address(query)
            answer = self._by_address(query, address, client) if address else None
            year = address.year if address else query.year
            if answer is not None:
                yield answer
            elif year and self.can_ask(query):
                years[year].append(query)
            else:
                why = "neither its address is known, nor its year, title and authors"
                yield unasked(query, self.name, why)
        for year, wanted in years.items():
            yield from self._by_list(year, wanted, client)

    def ping(self, client: Client) -> str:
        """Ask for the home page, which links to the list of each year."""
        reply = client.get(Request(f"https://{self.host}/", "html"), (self.host,))
        if isinstance(reply, NoReply):
            return str(reply)
        return "" if "/paper" in reply.text else "broken answer: it links to no list"

    @property
    def _looked_for(self) -> list[FieldName]:
        """What a paper's page has a place for; the page numbers mostly stand in another file."""
        spoken = (name for speech in self.speaks for name in speech.fields)
        return [name for name in spoken if name != "pages"]

    def _address(self, query: Query) -> PaperAddress | None:
        """The paper's address among those of the query, that of the recorded year first."""
        hosts = (self.host, *self.mirrors)
        found = [known for text in query.addresses if (known := parse_address(text, hosts))]
        return min(found, key=lambda known: known.year != query.year, default=None)

    def _by_address(self, query: Query, address: PaperAddress, client: Client) -> Answer | None:
        """The answer of the paper's page; None if there is no such page."""
        reply = self._get(client, address.path, frozenset({200, 404}))
        if isinstance(reply, NoReply):
            return unasked(query, self.name, reply)
        if reply.status == 404:
            return None
        printed = read_paper_page(reply.text, address, self._looked_for)
        if isinstance(printed, NoReply):
            return unasked(query, self.name, printed)
        locator = f"{address.year}, page of {address.hash}, citation tags"
        return answered(query, self.name, printed, locator, reply)

    def _by_list(self, year: int, wanted: list[Query], client: Client) -> Iterator[Answer]:
        doubts: dict[str, Doubt] = {}
        whole = True
        for found in self._lists(year, client):
            if isinstance(found, NoReply):
                yield from (unasked(query, self.name, found) for query in wanted)
                return
            reply, listing = found
            whole = whole and listing.whole
            still: list[Query] = []
            for query in wanted:
                address = self._address(query)
                row = listing.shelf.find(query, address.hash if address else "")
                if isinstance(row, Printed):
                    yield self._from_row(query, row, listing, reply, client)
                    continue
                still.append(query)
                if row is not None:
                    doubts[query.record] = row
            wanted = still
            if not wanted:
                return
        for query in wanted:
            yield not_found(query, self.name, doubts.get(query.record), reply, whole=whole)

    def _lists(self, year: int, client: Client) -> Iterator[tuple[Reply, YearList] | NoReply]:
        """The lists of a year, each asked for when it is needed."""
        first = self._list(year, f"/paper_files/paper/{year}", client)
        yield first
        parts = () if isinstance(first, NoReply) else first[1].parts
        for part in parts[:_MOST_PARTS]:
            yield self._list(year, part, client)
        if len(parts) > _MOST_PARTS:
            yield NoReply("too large", f"the year has {len(parts)} volumes")

    def _list(self, year: int, path: str, client: Client) -> tuple[Reply, YearList] | NoReply:
        reply = self._get(client, path, frozenset({200}))
        if isinstance(reply, NoReply):
            return reply
        listing = read_list(reply.text, year, self.title)
        return listing if isinstance(listing, NoReply) else (reply, listing)

    def _from_row(
        self, query: Query, row: Printed, listing: YearList, reply: Reply, client: Client
    ) -> Answer:
        """The paper's own page says more than the row that led to it."""
        said = self._by_address(query, listing.addresses[row.id], client)
        if said is not None and said.outcome == "answered":
            return said
        locator = f"list of {row.observation['year']}, row of {row.id}"
        why = said.reason if said is not None else "there is none"
        note = f"without the paper's own page: {why}"
        return answered(query, self.name, row, locator, reply, note)

    def _get(self, client: Client, path: str, accept: frozenset[int]) -> Reply | NoReply:
        request = Request(f"https://{self.host}{path}", "html", accept=accept)
        return client.get(request, (self.host, *self.mirrors))
