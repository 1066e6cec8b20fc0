"""DBLP: a bibliography curated by hand, asked by key, or by title where no key is known.

A title only proposes: what the search finds must share an author and lie within a year. DBLP keeps
a preprint and the publication apart, and of the two the publication is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from registry.equality.identifiers import parse_dblp_key
from registry.equality.titles import words
from registry.sources.answers import NoReply, Reply
from registry.sources.dblp_records import choose, read_hits, read_record
from registry.sources.identity import belonging, silent
from registry.sources.interface import Answer, Query, Speech
from registry.sources.shapes import UnexpectedShapeError
from registry.sources.transport import Client, HostPolicy, Request

_HOST = "dblp.org"
_HITS = 100
_WELL_KNOWN = "conf/nips/VaswaniSPUJGKP17"


class Dblp:
    """Asks for one record at a time."""

    name = "dblp"
    # About one request a second is what it asks for.
    policies = (HostPolicy(_HOST, interval=1.0, concurrency=1, largest=4 << 20),)
    speaks = (
        Speech(("dblp_key",), "authoritative", "DBLP assigns it, and may assign it anew."),
        Speech(
            ("title", "authors", "venue", "year"),
            "reliable",
            "Curated by hand. Homonyms carry a number behind the name.",
        ),
        Speech(
            ("doi", "arxiv_id", "openreview_id"),
            "reliable",
            "Read from the address of the electronic edition, or the volume of a CoRR entry.",
        ),
        Speech(
            ("volume", "pages"),
            "weak",
            "ICML 2024 was entered from OpenReview, without either.",
        ),
    )
    key_variables = ()

    def can_ask(self, query: Query) -> bool:
        """Whether the key is known, or a title and an author to search by."""
        return bool(parse_dblp_key(query.dblp_key) or _search_words(query))

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query, in one request each."""
        for query in queries:
            if key := parse_dblp_key(query.dblp_key):
                yield _by_key(query, key, client)
            elif sought := _search_words(query):
                yield _by_title(query, sought, client)
            else:
                yield _unasked(query, "neither a key nor a title with its authors is known")

    def ping(self, client: Client) -> str:
        """Ask for one well-known record."""
        reply = _get_record(_WELL_KNOWN, client)
        if isinstance(reply, NoReply):
            return str(reply)
        try:
            return "" if reply.status == 200 and read_record(reply.data) else "broken answer"
        except UnexpectedShapeError as error:
            return f"broken answer: {error}"


def _search_words(query: Query) -> str:
    """The words of the title, without the signs that the search reads as commands."""
    return " ".join(re.findall(r"[^\W_]+", words(query.title))) if query.authors else ""


def _get_record(key: str, client: Client) -> Reply | NoReply:
    url = f"https://{_HOST}/rec/{key}.xml"
    return client.get(Request(url, "xml", frozenset({200, 404})), (_HOST,))


def _by_key(query: Query, key: str, client: Client) -> Answer:
    reply = _get_record(key, client)
    if isinstance(reply, NoReply):
        return _unasked(query, str(reply))
    if reply.status == 404:
        page = reply.text.lower()
        if "dblp" not in page or "not found" not in page:
            return _unasked(query, "broken answer: HTTP 404 in an unknown form")
        return _unknown(query, f"record {key}", reply)
    try:
        observation = read_record(reply.data)
    except UnexpectedShapeError as error:
        return _unasked(query, f"broken answer: {error}")
    notes = []
    if observation["dblp_key"] != key:
        notes.append(f"asked for {key}, DBLP answers with {observation['dblp_key']}")
    # The key of a preprint tells two works apart only through the id that it stands for.
    arxiv = observation.get("arxiv_id", "")
    notes += belonging(query, observation, dblp_key=key, arxiv_id=arxiv)
    return _answer(query, observation, f"record {key}", reply, notes)


def _by_title(query: Query, sought: str, client: Client) -> Answer:
    url = f"https://{_HOST}/search/publ/api?q={quote(sought)}&h={_HITS}&format=json"
    reply = client.get(Request(url, "json"), (_HOST,))
    if isinstance(reply, NoReply):
        return _unasked(query, str(reply))
    try:
        hits = read_hits(reply.data)
    except UnexpectedShapeError as error:
        return _unasked(query, f"broken answer: {error}")
    found = choose(query, hits.observations)
    if found.observation is not None:
        where = f"publication search, {found.observation['dblp_key']}"
        return _answer(query, found.observation, where, reply, found.notes)
    if found.undecided:
        return _unasked(query, f"no record is surely the paper: {found.undecided}")
    if hits.total > len(hits.observations):
        seen = f"{len(hits.observations)} of {hits.total} were sent"
        return _unasked(query, f"more records than it sends answer to the title: {seen}")
    return _unknown(query, "publication search by title", reply)


def _answer(
    query: Query, observation: dict[str, Any], where: str, reply: Reply, notes: Sequence[str]
) -> Answer:
    return Answer(
        query.record,
        Dblp.name,
        "answered",
        observation=observation,
        silent_on=silent(Dblp.speaks, observation),
        locator=where,
        url=reply.url,
        sha256=reply.sha256,
        notes=tuple(notes),
    )


def _unknown(query: Query, where: str, reply: Reply) -> Answer:
    return Answer(
        query.record,
        Dblp.name,
        "no-such-record",
        locator=where,
        url=reply.url,
        sha256=reply.sha256,
    )


def _unasked(query: Query, reason: str) -> Answer:
    return Answer(query.record, Dblp.name, "could-not-ask", reason)


SOURCE = Dblp()
