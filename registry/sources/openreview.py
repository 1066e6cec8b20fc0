"""OpenReview: what became of a submission, asked for by its forum id.

There are two interfaces. A note lives on one of them only and the other answers ``NotFoundError``,
so the older one is asked where the newer one knows nothing. Callers without an account are often
refused; with an account the refusals name it, so their wording never gets into an answer.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from registry.equality.identifiers import parse_openreview_id
from registry.sources.answers import NoReply, Reply
from registry.sources.identity import belonging
from registry.sources.interface import Answer, Query, Speech
from registry.sources.openreview_notes import ReplyNoteError, read_note
from registry.sources.shapes import UnexpectedShapeError
from registry.sources.transport import Client, HostPolicy, Request

API_2, API_1 = "api2.openreview.net", "api.openreview.net"
_HOSTS = (API_2, API_1)
_WELL_KNOWN = "rsY6J3ZaTF"
"""A paper of ICLR 2024."""

_TOKEN = re.compile(r"[!-~]+")
_ACCOUNT = "set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD"


def seconds_until_reset(refusal: bytes, today: float) -> float | None:
    """How long a 429 asks to wait, which only its body tells; None if it does not.

    Args:
        refusal: The body.
        today: Seconds since the epoch.
    """
    details = _plain(refusal.decode("utf-8", "replace")).get("details")
    moment = details.get("resetTime") if isinstance(details, dict) else None
    try:
        reset = datetime.fromisoformat(moment)  # type: ignore[arg-type]
        known = reset if reset.tzinfo else reset.replace(tzinfo=UTC)
        return max(0.0, known.timestamp() - today)
    except (TypeError, ValueError):
        return None


def forum_of(query: Query) -> str:
    """The forum id of a paper: its own, or the only one that its evidence points to."""
    if own := parse_openreview_id(query.openreview_id):
        return own
    pages = (text for text in query.addresses if "openreview.net/" in text)
    found = set(filter(None, map(parse_openreview_id, pages)))
    return found.pop() if len(found) == 1 else ""


@dataclass(frozen=True, slots=True)
class _Access:
    """How the hosts are asked: with a token, or why without."""

    token: str = ""
    trouble: str = ""

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def explained(self, refusal: NoReply) -> str:
        """A reason, with what would help where an account makes the difference."""
        if self.token or refusal.why not in ("refused", "broken answer"):
            return str(refusal)
        return f"{refusal}; {self.trouble or _ACCOUNT}"


class OpenReview:
    """Asks for one note at a time."""

    name = "openreview"
    policies = tuple(
        # Limits between 36 and 165 requests a window were seen, with waits of up to an hour.
        HostPolicy(host, interval=1.0, concurrency=1, largest=4 << 20)
        for host in _HOSTS
    )
    speaks = (
        Speech(("openreview_id",), "authoritative", "OpenReview assigns it."),
        Speech(
            ("venue", "venue_track", "year"),
            "reliable",
            "The decision of the conference. A note may also be a mere copy of a DBLP entry, which "
            "its venue id shows.",
        ),
        Speech(
            ("title", "authors"),
            "reliable",
            "As submitted; the title may have changed for the final version.",
        ),
    )
    key_variables = ("OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD")

    def can_ask(self, query: Query) -> bool:
        """Whether a forum id is known."""
        return bool(forum_of(query))

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query: one request, and one more for what the newer API lacks."""
        access = _log_in(client) if any(map(self.can_ask, queries)) else _Access()
        gate = ""
        for query in queries:
            forum = forum_of(query)
            if not forum:
                yield _unasked(query, "no forum id is known")
            elif gate:
                # The gate is the same for every note; knocking again only costs allowance.
                yield _unasked(query, f"not asked again: {gate}")
            else:
                answer, gate = _ask_one(query, forum, client, access)
                yield answer

    def ping(self, client: Client) -> str:
        """Ask for a note that everybody may read."""
        access = _log_in(client)
        reply = _get(API_2, _WELL_KNOWN, client, access)
        if isinstance(reply, NoReply):
            return access.explained(reply)
        return "" if reply.status == 200 or _is_unknown(reply) else _refusal(reply, access)


def _ask_one(query: Query, forum: str, client: Client, access: _Access) -> tuple[Answer, str]:
    """The answer, and why no other note will be shown either, if that is so."""
    host, reply = API_2, _get(API_2, forum, client, access)
    if _is_unknown(reply):
        host, reply = API_1, _get(API_1, forum, client, access)
    if isinstance(reply, NoReply):
        return _unasked(query, access.explained(reply)), ""
    if reply.status == 200:
        return _answer(query, forum, reply, host), ""
    if not _is_unknown(reply):
        reason = _refusal(reply, access)
        return _unasked(query, reason), reason if _is_gate(reply) else ""
    unknown = Answer(
        query.record,
        OpenReview.name,
        "no-such-record",
        locator=f"API 2 and API 1, note {forum}",
        url=reply.url,
        sha256=reply.sha256,
    )
    return unknown, ""


def _answer(query: Query, forum: str, reply: Reply, host: str) -> Answer:
    try:
        reading = read_note(reply.data, forum, first_api=host == API_1)
    except UnexpectedShapeError as error:
        return _unasked(query, f"broken answer: {error}")
    except ReplyNoteError as error:
        return _unasked(query, f"the id is wrong: {error}")
    seen = reading.observation
    return Answer(
        query.record,
        OpenReview.name,
        "answered",
        observation=seen,
        silent_on=reading.silent_on,
        locator=f"{'API 1' if host == API_1 else 'API 2'}, note {forum}",
        url=reply.url,
        sha256=reply.sha256,
        notes=(*reading.notes, *belonging(query, seen, openreview_id=forum)),
    )


def _unasked(query: Query, reason: str) -> Answer:
    return Answer(query.record, OpenReview.name, "could-not-ask", reason)


def _get(host: str, forum: str, client: Client, access: _Access) -> Reply | NoReply:
    # ``forum=`` in place of ``id=`` would bring any note of the forum, such as a review.
    request = Request(
        f"https://{host}/notes?{urlencode({'id': forum})}",
        "json",
        accept=frozenset({200, 403, 404}),
        secret_headers=access.headers,
        wait_hint=lambda refusal: seconds_until_reset(refusal, client.clock.today()),
    )
    return client.get(request, _HOSTS)


def _log_in(client: Client) -> _Access:
    """Exchange the credentials, where there are any, for a token that both hosts take."""
    who, password = (os.environ.get(name, "") for name in OpenReview.key_variables)
    if not who or not password:
        return _Access()
    request = Request(
        f"https://{API_2}/login",
        "json",
        secret_body={"id": who, "password": password},
        wait_hint=lambda refusal: seconds_until_reset(refusal, client.clock.today()),
    )
    reply = client.get(request, _HOSTS)
    if isinstance(reply, NoReply):
        return _Access(trouble=f"logging in failed ({reply})")
    token = reply.data.get("token") if isinstance(reply.data, dict) else None
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        return _Access(trouble="logging in failed (broken answer: it holds no token)")
    return _Access(token)


def _plain(text: str) -> dict[str, Any]:
    """An object of JSON; empty if the text is anything else."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _error(reply: Reply) -> str:
    """The name of the error, such as ``ForbiddenError``; empty if the API did not write it."""
    name = _plain(reply.text).get("name")
    return name if isinstance(name, str) else ""


def _is_unknown(reply: Reply | NoReply) -> bool:
    """Whether the API itself says that it has no such note."""
    if isinstance(reply, NoReply):
        return False
    return reply.status == 404 and _error(reply) == "NotFoundError"


def _is_gate(reply: Reply) -> bool:
    return reply.status == 403 and "Challenge" in _error(reply)


def _refusal(reply: Reply, access: _Access) -> str:
    """Why there is no note, in words of our own: the message may name the account."""
    if reply.status == 404:
        return str(NoReply("broken answer", "HTTP 404 that is not the API's own"))
    if _is_gate(reply):
        what = "it wants a browser to solve a challenge"
    elif _error(reply) == "ForbiddenError":
        what = "the note is hidden from view"
    else:
        what = "for no reason given"
    return access.explained(NoReply("refused", f"{what} (HTTP {reply.status})"))


SOURCE = OpenReview()
