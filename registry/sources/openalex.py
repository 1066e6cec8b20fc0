"""OpenAlex: an open index of works, asked by DOI in lists, or by its own id.

A paper that it does not know by the publisher's DOI is looked for once more by the DOI of its
preprint.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from registry.equality.identifiers import parse_arxiv_id, parse_doi
from registry.sources.answers import NoReply, Reply
from registry.sources.identity import belonging, silent
from registry.sources.interface import Answer, Query, Speech
from registry.sources.openalex_works import read_list, read_work, work_id
from registry.sources.shapes import UnexpectedShapeError
from registry.sources.transport import Client, HostPolicy, Request

_HOST = "api.openalex.org"
_KEY = "OPENALEX_API_KEY"
_BATCH = 50
"""Values that one filter may hold."""

_SELECT = (
    "id,doi,title,display_name,publication_year,type,is_retracted,biblio,primary_location,"
    "authorships"
)
_LISTABLE = re.compile(r"[a-z0-9._()/;-]+")
"""What a filter reads as it stands. A comma, a bar or a plus would cut it in two, also when it is
escaped, so that a DOI with one is looked up alone."""

_ADDRESS = re.compile(r"https?://(?:api\.)?openalex\.org/(?:works/)?(W[0-9]+)", re.IGNORECASE)
_LIMIT = re.compile(r"\b(?:limit|exceeded|slow down|budget|credits)\b", re.IGNORECASE)
_ABOUT_KEY = re.compile(r"throttled|refused: HTTP 40[13]\b")
_WELL_KNOWN = "W2741809807"

_Asked = tuple[Query, list[str]]
"""A question and the DOIs that are still to be tried."""


class OpenAlex:
    """Looks up 50 DOIs with one request."""

    name = "openalex"
    # 100 requests a second are allowed; a list of 50 works can be large and slow.
    policies = (HostPolicy(_HOST, interval=0.1, largest=32 << 20, patience=60.0),)
    speaks = (
        Speech(("title", "authors", "year", "doi"), "reliable"),
        Speech(
            ("affiliations",),
            "weak",
            "Texts from the publisher's deposit or the PDF, often missing and sometimes run "
            "together.",
        ),
        Speech(
            ("venue", "volume", "pages"),
            "weak",
            "A paper that is in both places is often filed under its preprint.",
        ),
    )
    key_variables = (_KEY,)

    def can_ask(self, query: Query) -> bool:
        """Whether a DOI, an arXiv id or an address at OpenAlex is known."""
        return bool(dois_of(query) or _work_of(query))

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query; works that have no DOI are looked up one by one."""
        left: list[_Asked] = []
        for query in queries:
            if dois := dois_of(query):
                left.append((query, dois))
            elif work := _work_of(query):
                yield _look_up(query, work, client)
            else:
                yield _unasked(query, "no DOI, arXiv id or address at OpenAlex is known")
        while left:
            unknown: list[_Asked] = []
            for part in _parts(left):
                for (query, dois), answer in zip(part, _ask_part(part, client), strict=True):
                    if answer.outcome == "no-such-record" and len(dois) > 1:
                        unknown.append((query, dois[1:]))
                    else:
                        yield _with_detour(query, dois[0], answer)
            left = unknown

    def ping(self, client: Client) -> str:
        """Ask for one well-known work."""
        reply = client.get(_request(f"works/{_WELL_KNOWN}?select=id"), (_HOST,))
        if reason := _trouble(reply):
            return reason
        known = isinstance(reply, Reply) and work_id(reply.data)
        return "" if known else "broken answer: it is no work"


def dois_of(query: Query) -> list[str]:
    """The DOIs to try: the publisher's, then the preprint's."""
    arxiv = parse_arxiv_id(query.arxiv_id).id
    preprint = f"10.48550/arxiv.{arxiv.lower()}" if arxiv else ""
    return list(dict.fromkeys(filter(None, (parse_doi(query.doi), preprint))))


def _work_of(query: Query) -> str:
    """The id of the only work that the paper's evidence points to."""
    found = {match[1].upper() for match in map(_ADDRESS.match, query.addresses) if match}
    return found.pop() if len(found) == 1 else ""


def _parts(left: Sequence[_Asked]) -> Iterator[list[_Asked]]:
    """Questions that can share a request."""
    listable = [one for one in left if _LISTABLE.fullmatch(one[1][0])]
    for start in range(0, len(listable), _BATCH):
        yield listable[start : start + _BATCH]
    yield from ([one] for one in left if not _LISTABLE.fullmatch(one[1][0]))


def _ask_part(part: list[_Asked], client: Client) -> Iterator[Answer]:
    """One answer for each question, by the first of its DOIs."""
    wanted = list(dict.fromkeys(dois[0] for _, dois in part))
    if not _LISTABLE.fullmatch(wanted[0]):
        yield _look_up(part[0][0], f"doi:{wanted[0]}", client)
        return
    path = f"works?filter=doi:{quote('|'.join(wanted), safe='/();')}&per-page=100&select={_SELECT}"
    reply = client.get(_request(path), (_HOST,))
    if isinstance(reply, NoReply) or reply.status != 200:
        reason = _trouble(reply)
        yield from (_unasked(query, reason) for query, _ in part)
        return
    found = read_list(reply.data, wanted)
    for query, (doi, *_) in part:
        if doi in found.works:
            yield _answer(query, found.works[doi], reply, doi, in_list=True)
        elif found.fault:
            yield _unasked(query, f"broken answer: {found.fault}")
        else:
            yield _unknown(query, f"doi:{doi}", reply)


def _look_up(query: Query, work: str, client: Client) -> Answer:
    """One work by its id or DOI. A merged work redirects to what it became."""
    path = f"works/{quote(work, safe='/:();')}?select={_SELECT}"
    reply = client.get(_request(path, frozenset({200, 403, 404})), (_HOST,))
    if isinstance(reply, Reply) and reply.status == 404 and "not found" in reply.text.lower():
        return _unknown(query, work, reply)
    if isinstance(reply, NoReply) or reply.status != 200:
        return _unasked(query, _trouble(reply))
    return _answer(query, reply.data, reply, work.removeprefix("doi:"))


def _answer(query: Query, data: Any, reply: Reply, asked: str, *, in_list: bool = False) -> Answer:
    try:
        work = read_work(data, in_list=in_list)
    except UnexpectedShapeError as error:
        return _unasked(query, f"broken answer: {error}")
    return Answer(
        query.record,
        OpenAlex.name,
        "answered",
        observation=work.observation,
        silent_on=silent(OpenAlex.speaks, work.observation),
        locator=f"works API, {work.id}",
        url=reply.url,
        sha256=reply.sha256,
        status=work.status,
        notes=(*belonging(query, work.observation, doi=parse_doi(asked)), *work.notes),
    )


def _with_detour(query: Query, doi: str, answer: Answer) -> Answer:
    """The answer, saying so if the publisher's DOI was tried before in vain."""
    first = dois_of(query)[0]
    if doi == first:
        return answer
    if answer.outcome == "no-such-record":
        return replace(answer, locator=f"works API, doi:{first} and doi:{doi}")
    return replace(answer, notes=(f"unknown by DOI {first}, asked by DOI {doi}", *answer.notes))


def _unknown(query: Query, work: str, reply: Reply) -> Answer:
    return Answer(
        query.record,
        OpenAlex.name,
        "no-such-record",
        locator=f"works API, {work}",
        url=reply.url,
        sha256=reply.sha256,
    )


def _unasked(query: Query, reason: str) -> Answer:
    return Answer(query.record, OpenAlex.name, "could-not-ask", reason)


def _request(path: str, accept: frozenset[int] = frozenset({200, 403})) -> Request:
    key = os.environ.get(_KEY, "").strip()
    secret = {"api_key": key} if key else {}
    return Request(f"https://{_HOST}/{path}", "json", accept, secret_parameters=secret)


def _trouble(reply: Reply | NoReply) -> str:
    """Why there is no answer; empty if there is one. 403 stands for a limit and for a bad key."""
    if isinstance(reply, NoReply):
        reason = str(reply)
    elif reply.status == 200:
        return ""
    elif reply.status == 403:
        reason = str(NoReply("throttled" if _LIMIT.search(reply.text) else "refused", "HTTP 403"))
    else:
        return f"broken answer: HTTP {reply.status} in an unknown form"
    if not _ABOUT_KEY.match(reason):
        return reason
    if not os.environ.get(_KEY, "").strip():
        return f"{reason}; {_KEY} is not set"
    return f"{reason}; check {_KEY}" if reason.startswith("refused") else reason


SOURCE = OpenAlex()
