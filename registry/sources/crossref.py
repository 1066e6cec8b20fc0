"""Crossref: what publishers deposited under their DOIs, asked one DOI at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from registry.equality.identifiers import parse_doi
from registry.sources.answers import NoReply, Reply
from registry.sources.crossref_works import read_work
from registry.sources.identity import belonging, silent
from registry.sources.interface import Answer, Query, Speech
from registry.sources.shapes import UnexpectedShapeError
from registry.sources.transport import Client, HostPolicy, Request

_HOST = "api.crossref.org"
_UNKNOWN = "resource not found."
_ARXIV = "10.48550/"
"""arXiv registers its DOIs elsewhere."""

_WELL_KNOWN = "10.5555/12345678"
"""Crossref's own example."""


class Crossref:
    """Asks for one DOI at a time."""

    name = "crossref"
    # The public pool allows 5 requests a second, one at a time.
    policies = (HostPolicy(_HOST, interval=0.25, concurrency=1),)
    speaks = (
        Speech(("doi",), "authoritative", "The registry in which publishers deposit DOIs."),
        Speech(
            ("title", "venue", "year", "volume", "pages", "published"),
            "reliable",
            "As deposited by the publisher.",
        ),
        Speech(
            ("authors",),
            "weak",
            "Some deposits, among them those of NeurIPS under 10.52202, list the authors from A to "
            "Z.",
        ),
        Speech(("affiliations",), "weak", "Rarely deposited."),
    )
    key_variables = ()

    def can_ask(self, query: Query) -> bool:
        """Whether a DOI is known that is not the one of a preprint on arXiv."""
        return bool(doi_of(query))

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query, in one request each."""
        for query in queries:
            doi = doi_of(query)
            yield _ask_one(query, doi, client) if doi else _unasked(query, "no DOI is known")

    def ping(self, client: Client) -> str:
        """Ask for a well-known DOI."""
        reply = _get(_WELL_KNOWN, client)
        if isinstance(reply, NoReply):
            return str(reply)
        try:
            return "" if reply.status == 200 and read_work(reply.data) else "broken answer"
        except UnexpectedShapeError as error:
            return f"broken answer: {error}"


def doi_of(query: Query) -> str:
    """The DOI to ask for; empty if there is none that Crossref can know."""
    doi = parse_doi(query.doi)
    return "" if doi.startswith(_ARXIV) else doi


def _get(doi: str, client: Client) -> Reply | NoReply:
    # A DOI may hold or end in anything, so that its slashes are escaped as well.
    url = f"https://{_HOST}/works/{quote(doi, safe='')}"
    return client.get(Request(url, "json", frozenset({200, 404})), (_HOST,))


def _ask_one(query: Query, doi: str, client: Client) -> Answer:
    reply = _get(doi, client)
    if isinstance(reply, NoReply):
        return _unasked(query, str(reply))
    if reply.status == 404:
        if reply.text.strip().lower() != _UNKNOWN:
            return _unasked(query, "broken answer: HTTP 404 in an unknown form")
        return Answer(
            query.record,
            Crossref.name,
            "no-such-record",
            locator=f"works/{doi}",
            url=reply.url,
            sha256=reply.sha256,
        )
    try:
        work = read_work(reply.data)
    except UnexpectedShapeError as error:
        return _unasked(query, f"broken answer: {error}")
    if parse_doi(work.observation["doi"]) != doi:
        return _unasked(query, f"broken answer: it describes {work.observation['doi']}")
    return Answer(
        query.record,
        Crossref.name,
        "answered",
        observation=work.observation,
        silent_on=silent(Crossref.speaks, work.observation),
        locator=f"works/{doi}",
        url=reply.url,
        sha256=reply.sha256,
        status=work.status,
        notes=(*belonging(query, work.observation, doi=doi), *work.notes),
    )


def _unasked(query: Query, reason: str) -> Answer:
    return Answer(query.record, Crossref.name, "could-not-ask", reason)


SOURCE = Crossref()
