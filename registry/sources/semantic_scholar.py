"""Semantic Scholar: an index of papers, asked by identifier in batches, else by title.

Each paper is asked for by every identifier that is known of it, because an entry may lack one: many
preprints are known by their DOI only. The answer to a batch stands in the order of what was asked,
yet entries are merged and led elsewhere, so an entry counts only if its own identifiers agree, and
a gap counts as "unknown" only where all entries stand where they should.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from registry.equality.markup import display_text
from registry.equality.names import parse_name
from registry.equality.works import Work, same_work
from registry.sources.answers import NoReply, Reply
from registry.sources.identity import belonging, silent
from registry.sources.interface import Answer, Query, Speech
from registry.sources.semantic_scholar_entry import (
    FIELDS,
    Ids,
    Reading,
    error_of,
    ids_from,
    read_entry,
)
from registry.sources.shapes import UnexpectedShapeError
from registry.sources.transport import Client, HostPolicy, Request

_HOST = "api.semanticscholar.org"
_GRAPH = f"https://{_HOST}/graph/v1"
_BATCH = 500
_KEY = "S2_API_KEY"
_WELL_KNOWN = "ARXIV:1706.03762"
_NOTHING_KNOWN = "No valid paper ids given"
"""How a batch is refused of which nothing is known."""


class SemanticScholar:
    """Asks the academic graph."""

    name = "semantic-scholar"
    policies = (HostPolicy(_HOST, interval=1.0, concurrency=1),)
    speaks = (
        Speech(("title", "year", "arxiv_id"), "reliable"),
        Speech(("authors",), "weak", "Given names are sometimes cut down to initials."),
        Speech(
            ("venue", "volume", "pages"),
            "weak",
            "The venue is the bare name of the conference, so that main, Findings and workshop "
            "papers look alike; volume and pages may belong to another manifestation than the "
            "rest of the entry.",
        ),
        Speech(
            ("doi",), "weak", "Often the DOI of the preprint, beside the venue of the proceedings."
        ),
    )
    key_variables = (_KEY,)

    def can_ask(self, query: Query) -> bool:
        """Whether an arXiv id or a DOI is known, or a title with authors to confirm it."""
        return bool(_names(query)) or bool(query.title and query.authors)

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query: one request for all identifiers, one for each bare title."""
        named = [query for query in queries if _names(query)]
        if len(named) == 1:
            yield _alone(named[0], client)
        else:
            for batch in _batches(named):
                yield from _together(batch, client)
        yield from (_by_title(query, client) for query in queries if not _names(query))

    def ping(self, client: Client) -> str:
        """Ask for the title of one paper that surely exists."""
        reply = _get(f"/paper/{_WELL_KNOWN}", {"fields": "title"}, client)
        if isinstance(reply, NoReply):
            return str(reply)
        return "" if reply.status == 200 else _refusal(reply)


SOURCE = SemanticScholar()


def _known(query: Query) -> Ids:
    return ids_from(query.arxiv_id, query.doi)


def _names(query: Query) -> list[str]:
    """What the paper may be called in the graph."""
    ids = _known(query)
    names = [f"ARXIV:{ids.arxiv}", f"DOI:10.48550/arXiv.{ids.arxiv}"] if ids.arxiv else []
    return [*names, f"DOI:{ids.doi}"] if ids.doi else names


def _batches(queries: Sequence[Query]) -> Iterator[list[Query]]:
    batch: list[Query] = []
    size = 0
    for query in queries:
        names = len(_names(query))
        if size + names > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(query)
        size += names
    if batch:
        yield batch


_Said = Reading | str | None
"""What is said under one name: an entry, why it cannot be used, or None for a name not known."""


def _alone(query: Query, client: Client) -> Answer:
    """Ask for one paper, by one name after the other until one is known."""
    reply: Reply | NoReply = NoReply("refused", "it has no identifier")
    said: dict[str, _Said] = {}
    for name in _names(query):
        reply = _get(f"/paper/{quote(name, safe='/:')}", {"fields": _ALL_FIELDS}, client)
        if isinstance(reply, NoReply):
            break
        if not _is_miss(reply):
            said[name] = read_under(name, reply.data) if reply.status == 200 else _refusal(reply)
            break
        said[name] = None
    return _answer(query, said, reply)


def _together(queries: Sequence[Query], client: Client) -> Iterator[Answer]:
    """Ask for several papers by all their names in one request."""
    names = list(dict.fromkeys(name for query in queries for name in _names(query)))
    reply = _get("/paper/batch", {"fields": _ALL_FIELDS}, client, {"ids": names})
    said: dict[str, _Said] = {}
    if isinstance(reply, Reply) and reply.status == 200:
        said = read_batch(names, reply.data)
    elif isinstance(reply, Reply):
        if error_of(_plain(reply)) == _NOTHING_KNOWN:
            yield from (_alone(query, client) for query in queries)
            return
        said = dict.fromkeys(names, _refusal(reply))
    for query in queries:
        yield _answer(query, {name: said.get(name) for name in _names(query)}, reply)


def read_under(name: str, entry: object) -> Reading | str:
    """The entry under a name, or why it cannot be used."""
    try:
        reading = read_entry(entry)
    except UnexpectedShapeError as error:
        return f"broken answer: {error}"
    if _meant(name).agreement(reading.ids) == "different":
        return f"broken answer: the entry of {_called(reading.ids)} came where {name} was asked for"
    return reading


def read_batch(names: Sequence[str], data: object) -> dict[str, _Said]:
    """What a batch says under each name.

    Args:
        names: What was asked for, in order.
        data: The answer as plain data.
    """
    if not isinstance(data, list):
        return dict.fromkeys(names, "broken answer: it is no list of entries")
    if len(data) == len(names):
        said = {
            name: None if entry is None else read_under(name, entry)
            for name, entry in zip(names, data, strict=True)
        }
        elsewhere = {name for name, found in said.items() if isinstance(found, str)}
        if not elsewhere:
            return said
    found = list(_readable(data))
    return {name: _find(name, found) for name in names}


def _by_title(query: Query, client: Client) -> Answer:
