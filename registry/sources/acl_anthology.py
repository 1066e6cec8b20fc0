"""ACL Anthology: the publisher of the ACL's conferences and journals, asked by a paper's id.

Each paper has an export in MODS, an XML format with the names taken apart and no TeX, which holds
title, authors, host, year, pages and DOI at once. The BibTeX export holds the same in TeX. Neither
has the affiliations or tells of a retraction; those stand in the data behind the site only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from registry.sources.acl_anthology_xml import DOI_PREFIX, anthology_id, read_mods
from registry.sources.answers import NoReply, Reply
from registry.sources.identity import belonging
from registry.sources.interface import Answer, Outcome, Query, Speech
from registry.sources.shapes import UnexpectedShapeError
from registry.sources.transport import Client, HostPolicy, Request

_HOST = "aclanthology.org"
_WELL_KNOWN = "2020.acl-main.1"
_PAGE = re.compile(
    r"https?://(?:www\.)?(?:aclanthology\.org|aclweb\.org/anthology)/", re.IGNORECASE
)


def paper_of(query: Query) -> str:
    """The Anthology's id of a paper: from its DOI, or the only one that its evidence points to."""
    if own := anthology_id(query.doi):
        return own
    pages = (address for address in query.addresses if _PAGE.match(address))
    found = set(filter(None, map(anthology_id, pages)))
    return found.pop() if len(found) == 1 else ""


class AclAnthology:
    """Asks for one paper at a time."""

    name = "acl-anthology"
    # Static pages without a stated limit.
    policies = (HostPolicy(_HOST, interval=0.5, concurrency=1, largest=1 << 20),)
    speaks = (
        Speech(
            ("title", "authors", "venue", "venue_track", "year", "pages", "doi"),
            "authoritative",
            "The publisher. The track is the name of the volume, such as emnlp-main.",
        ),
        Speech(
            ("affiliations",),
            "weak",
            "Taken from the authors' OpenReview profiles and not from the printed author block; "
            "authors without an entry have none.",
        ),
    )
    key_variables: tuple[str, ...] = ()

    def can_ask(self, query: Query) -> bool:
        """Whether the Anthology's id is known."""
        return bool(paper_of(query))

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query, in one request each."""
        for query in queries:
            paper = paper_of(query)
            yield _ask_one(query, paper, client) if paper else _unasked(query, "no id is known")

    def ping(self, client: Client) -> str:
        """Ask for a paper that has been there for long."""
        reply = _get(_WELL_KNOWN, client)
        if isinstance(reply, NoReply):
            return str(reply)
        return "" if reply.status == 200 or _is_own_404(reply) else f"refused: HTTP {reply.status}"


def _ask_one(query: Query, paper: str, client: Client) -> Answer:
    reply = _get(paper, client)
    if isinstance(reply, NoReply):
        return _unasked(query, str(reply))
    if reply.status == 404:
        if not _is_own_404(reply):
            return _unasked(query, "broken answer: HTTP 404 that is not the Anthology's own page")
        return _answer(query, paper, reply, "no-such-record")
    try:
        reading = read_mods(reply.data)
    except UnexpectedShapeError as error:
        return _unasked(query, f"broken answer: {error}")
    if reading.id != paper:
        return _unasked(query, f"broken answer: it describes {reading.id} in place of {paper}")
    answer = _answer(query, paper, reply, "answered")
    return replace(
        answer,
        observation=reading.observation,
        silent_on=reading.silent_on,
        status=reading.status,
        # The DOI stands for the id, which is no field of a record.
        notes=(*reading.notes, *belonging(query, reading.observation, doi=f"{DOI_PREFIX}{paper}")),
    )


def _answer(query: Query, paper: str, reply: Reply, outcome: Outcome) -> Answer:
    return Answer(
        query.record,
        AclAnthology.name,
        outcome,
        locator=f"MODS export of {paper}",
        url=reply.url,
        sha256=reply.sha256,
    )


def _unasked(query: Query, reason: str) -> Answer:
    return Answer(query.record, AclAnthology.name, "could-not-ask", reason)


def _get(paper: str, client: Client) -> Reply | NoReply:
    request = Request(f"https://{_HOST}/{paper}.xml", "xml", accept=frozenset({200, 404}))
    return client.get(request, (_HOST,))


def _is_own_404(reply: Reply) -> bool:
    """Whether the site itself says so, and not something between here and there."""
    page = reply.text.lower()
    return reply.status == 404 and "<html" in page and "acl anthology" in page


SOURCE = AclAnthology()
