"""Plays OpenReview's two interfaces.

Papers from 2023 on live on the newer one, older ones on the other, and each host answers 404 for
what only its sister has. Whoever asks with ``forum=`` gets some note of the forum, here a review.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from papers import Paper
from plays_interface import Asked, Played

API_2, API_1 = "api2.openreview.net", "api.openreview.net"
HOSTS = (API_2, API_1)
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyIjoiQm8ifQ.c2lnbmF0dXJl"
ACCOUNT = "Bo Reviewer"
PASSWORD = "open sesame"

_SITES = {"icml": "ICML.cc", "neurips": "NeurIPS.cc", "iclr": "ICLR.cc"}
_NAMES = {"icml": "ICML", "neurips": "NeurIPS", "iclr": "ICLR"}


def answer(asked: Asked, known: Sequence[Paper]) -> Played:
    """A note, a token, or an error in the form of the host."""
    if asked.path == "/login" and asked.method == "POST":
        return _login(asked)
    if asked.path != "/notes":
        return error(404, "NotFoundError", f"The path {asked.path} was not found")
    newer = asked.host == API_2
    for paper in known:
        if not paper.openreview_id or (paper.year >= 2023) != newer:
            continue
        if asked.query.get("id") == paper.openreview_id:
            return notes([note_of(paper) if newer else first_note_of(paper)])
        if asked.query.get("forum") == paper.openreview_id:
            return notes([_review(paper)])
    wanted = asked.query.get("id", "")
    return error(404, "NotFoundError", f"The Note {wanted} was not found", {"value": wanted})


def notes(found: Sequence[Mapping[str, Any]]) -> Played:
    """The envelope of notes."""
    return Played(json.dumps({"notes": list(found)}, ensure_ascii=False).encode())


def error(status: int, name: str, message: str, details: Mapping[str, Any] | None = None) -> Played:
    """The envelope of an error."""
    data = {"name": name, "message": message, "status": status, "details": dict(details or {})}
    return Played(json.dumps(data).encode(), status)


def challenge() -> Played:
    """What callers without an account may get for every note."""
    return error(403, "ChallengeRequiredError", "Challenge verification required")


def hidden(forum: str, account: str = ACCOUNT) -> Played:
    """What everybody gets for a note that only its authors may read."""
    message = f"User {account} does not have permission to see Note {forum}"
    return error(403, "ForbiddenError", message, {"user": account})


def throttled(reset: str) -> Played:
    """What comes when the allowance is spent; no header says for how long."""
    message = "Too many requests: You have made 41 requests, surpassing the limit of 40 requests."
    return error(
        429,
        "RateLimitError",
        message,
        {"limit": 40, "remaining": 0, "resetTime": reset, "used": 41},
    )


def note_of(paper: Paper) -> dict[str, Any]:
    """A submission as the newer interface shows it: each value of the content is wrapped."""
    venue, venueid = _place(paper)
    site = f"{_SITES[paper.venue]}/{paper.year}/Conference"
    content = {
        "title": paper.title,
        "authors": list(paper.names),
        "authorids": [f"~{name.replace(' ', '_')}1" for name in paper.names],
        "keywords": ["speculative decoding"],
        "abstract": f"We study {paper.title.lower()}.",
        "venue": venue,
        "venueid": venueid,
        "pdf": f"/pdf/{paper.slug}.pdf",
        "paperhash": f"{paper.authors[0][1].lower()}|{paper.title.lower()}",
    }
    return {
        **_common(paper),
        "invitations": [f"{site}/-/Submission", f"{site}/-/Post_Submission"],
        "content": {key: {"value": value} for key, value in content.items()},
        "domain": site,
        "license": "CC BY 4.0",
        "version": 2,
    }


def first_note_of(paper: Paper) -> dict[str, Any]:
    """A submission as the older interface shows it: bare values, and one invitation."""
    venue, venueid = _place(paper)
    return {
        **_common(paper),
        "invitation": f"{_SITES[paper.venue]}/{paper.year}/Conference/-/Blind_Submission",
        "content": {
            "title": paper.title,
            "authors": list(paper.names),
            "authorids": [f"~{name.replace(' ', '_')}1" for name in paper.names],
            "venue": venue,
            "venueid": venueid,
            "pdf": f"/pdf/{paper.slug}.pdf",
        },
    }


def _common(paper: Paper) -> dict[str, Any]:
    return {
        "id": paper.openreview_id,
        "forum": paper.openreview_id,
        "replyto": None,
        "number": paper.number,
        "cdate": 1_706_000_000_000 + paper.number,
        "tmdate": 1_720_000_000_000 + paper.number,
        "readers": ["everyone"],
        "signatures": [f"{_SITES[paper.venue]}/{paper.year}/Conference/Submission{paper.number}"],
    }


def _place(paper: Paper) -> tuple[str, str]:
    name = f"{_NAMES[paper.venue]} {paper.year}"
    venueid = f"{_SITES[paper.venue]}/{paper.year}/Conference"
    if paper.withdrawn:
        return f"{name} Conference Withdrawn Submission", f"{venueid}/Withdrawn_Submission"
    return f"{name} Poster", venueid


def _review(paper: Paper) -> dict[str, Any]:
    note = note_of(paper)
    invitation = f"{note['domain']}/Submission{paper.number}/-/Official_Review"
    content = {"title": {"value": "Review"}, "rating": {"value": 6}}
    return {
        **note,
        "id": f"{paper.openreview_id}Rv",
        "replyto": paper.openreview_id,
        "invitations": [invitation],
        "content": content,
    }


def _login(asked: Asked) -> Played:
    given = json.loads(asked.body)
    if given.get("password") != PASSWORD:
        return error(400, "Error", f"Invalid username or password for {given.get('id')}")
    user = {"id": "~Bo_Reviewer1", "profile": {"fullname": ACCOUNT}}
    return Played(json.dumps({"token": TOKEN, "user": user}).encode())
