"""Semantic Scholar: an index of papers, asked by identifier in batches, else by title.

Each paper is asked for by every identifier that is known of it, because an entry may lack one: some
preprints are known by their DOI only. A batch comes back in the order in which it was asked for,
yet entries are merged and led elsewhere, so what an entry says of its own identifiers decides.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
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
    Said,
    error_of,
    ids_from,
    ids_of,
    read_batch,
    read_match,
    read_under,
)
from registry.sources.transport import Client, HostPolicy, Request

_HOST = "api.semanticscholar.org"
_BATCH = 500
_KEY = "S2_API_KEY"
_WELL_KNOWN = "ARXIV:1706.03762"
_NOTHING_KNOWN = "No valid paper ids given"
"""How a batch is refused of which nothing is known."""
_ONLY_TITLE = "found by its title, an author and the year, not by an identifier"


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
        for query in queries:
            if self.can_ask(query) and not _names(query):
                yield _by_title(query, client)
            elif not self.can_ask(query):
                yield _unasked(query, "no identifier is known, nor a title with authors")

    def ping(self, client: Client) -> str:
        """Ask for the title of one paper that surely exists."""
        reply = _get(f"/paper/{_WELL_KNOWN}", {"fields": "title"}, client)
        if isinstance(reply, NoReply):
            return _trouble(reply)
        return "" if reply.status == 200 else _refusal(reply)


SOURCE = SemanticScholar()

_FIELDS = ",".join(FIELDS)


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


def _alone(query: Query, client: Client) -> Answer:
    """Ask for one paper, by one name after the other until one is known."""
    reply: Reply | NoReply = NoReply("refused", "it has no identifier")
    said: dict[str, Said] = {}
    for name in _names(query):
        reply = _get(f"/paper/{quote(name, safe='/:')}", {"fields": _FIELDS}, client)
        if isinstance(reply, NoReply):
            break
        if not _is_miss(reply):
            found = read_under(name, _known(query), reply.data)
            said[name] = found if reply.status == 200 else _refusal(reply)
            break
        said[name] = None
    return _answer(query, said, reply)


def _together(queries: Sequence[Query], client: Client) -> Iterator[Answer]:
    """Ask for several papers by all their names in one request."""
    asked = {name: _known(query) for query in queries for name in _names(query)}
    reply = _get("/paper/batch", {"fields": _FIELDS}, client, {"ids": list(asked)})
    said: dict[str, Said] = {}
    if isinstance(reply, Reply) and reply.status == 200:
        said = read_batch(asked, reply.data)
    elif isinstance(reply, Reply):
        if error_of(_plain(reply)) == _NOTHING_KNOWN:
            # One name that it cannot read has the same effect as a hundred that it does not know.
            yield from (_alone(query, client) for query in queries)
            return
        said = dict.fromkeys(asked, _refusal(reply))
    for query in queries:
        yield _answer(query, {name: said.get(name) for name in _names(query)}, reply)


def _by_title(query: Query, client: Client) -> Answer:
    """Ask for the entry with the most similar title, which an author and the year must confirm."""
    parameters = {"query": display_text(query.title), "fields": _FIELDS}
    reply = _get("/paper/search/match", parameters, client)
    if isinstance(reply, NoReply):
        return _unasked(query, _trouble(reply))
    if _is_miss(reply):
        return _unknown(query, reply, "this title")
    if reply.status != 200:
        return _unasked(query, _refusal(reply))
    found = read_match(reply.data)
    if isinstance(found, str):
        return _unasked(query, found)
    verdict = same_work(_work(query.title, query.authors, query.year), _seen(found.observation))
    if verdict.outcome == "same":
        return _answered(query, found, reply, "the title", (_ONLY_TITLE,))
    if verdict.outcome == "different":
        note = f"the entry with the most similar title is another work: {verdict.note}"
        return _unknown(query, reply, "this title", (note,))
    return _unasked(query, f"what the title finds is not confirmed: {verdict.note}")


def _seen(found: Mapping[str, Any]) -> Work:
    return _work(found.get("title", ""), found.get("authors", ()), found.get("year"))


def _work(title: str, authors: Sequence[str], year: int | None) -> Work:
    return Work(title, tuple(map(parse_name, authors)), year)


def _key() -> str:
    return os.environ.get(_KEY, "").strip()


def _get(
    path: str,
    parameters: Mapping[str, str],
    client: Client,
    body: Mapping[str, object] | None = None,
) -> Reply | NoReply:
    key = _key()
    request = Request(
        f"https://{_HOST}/graph/v1{path}?{urlencode(parameters, safe=',')}",
        "json",
        accept=frozenset({200, 400, 404}),
        secret_headers={"x-api-key": key} if key else {},
        body=body,
    )
    return client.get(request, ())


def _plain(reply: Reply) -> Any:
    """The data of a refusal, if it has any."""
    try:
        return json.loads(reply.text)
    except (ValueError, RecursionError):
        return None


def _is_miss(reply: Reply) -> bool:
    return reply.status == 404 and "not found" in error_of(_plain(reply)).lower()


def _refusal(reply: Reply) -> str:
    if reply.status == 404:
        return "broken answer: HTTP 404 in another form than usual"
    told = error_of(_plain(reply))
    return str(NoReply("refused", "; ".join(filter(None, (f"HTTP {reply.status}", told)))))


def _trouble(reply: NoReply) -> str:
    """Why there is no reply, with what would help."""
    if "HTTP 403" in reply.detail and _key():
        return f"{reply}; the key in {_KEY} may not be valid"
    if reply.why == "throttled" and not _key():
        return f"{reply}; a key in {_KEY} would have an allowance of its own"
    return str(reply)


def _answer(query: Query, said: Mapping[str, Said], reply: Reply | NoReply) -> Answer:
    """The first entry that is said, or else why there is none."""
    if isinstance(reply, NoReply):
        return _unasked(query, _trouble(reply))
    for name, found in said.items():
        if isinstance(found, Reading):
            ids = ids_of(name)
            asked_by = {"arxiv_id": ids.arxiv} if ids.arxiv else {"doi": ids.doi}
            notes = belonging(query, found.observation, **asked_by)
            return _answered(query, found, reply, name, notes)
    reasons = [found for found in said.values() if isinstance(found, str)]
    if reasons:
        return _unasked(query, reasons[0])
    return _unknown(query, reply, " or ".join(said))


def _answered(
    query: Query, found: Reading, reply: Reply, name: str, notes: tuple[str, ...]
) -> Answer:
    return Answer(
        query.record,
        SemanticScholar.name,
        "answered",
        observation=found.observation,
        silent_on=silent(SemanticScholar.speaks, found.observation),
        locator=f"Academic Graph API, entry {found.paper_id}, asked for by {name}",
        url=reply.url,
        sha256=reply.sha256,
        status=found.status,
        notes=(*found.notes, *notes),
    )


def _unknown(query: Query, reply: Reply, name: str, notes: tuple[str, ...] = ()) -> Answer:
    return Answer(
        query.record,
        SemanticScholar.name,
        "no-such-record",
        locator=f"Academic Graph API, no entry for {name}",
        url=reply.url,
        sha256=reply.sha256,
        notes=notes,
    )


def _unasked(query: Query, reason: str) -> Answer:
    return Answer(query.record, SemanticScholar.name, "could-not-ask", reason)
