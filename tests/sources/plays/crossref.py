"""Plays Crossref: one deposit for each DOI of a publisher, and plain text for any other DOI.

As the real host, it knows no DOI that was registered elsewhere, names a retraction in the article
under ``updated-by``, and holds people and titles in lists that may be empty.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from papers import Paper
from plays_interface import Asked, Played

HOST = "api.crossref.org"
HOSTS: tuple[str, ...] = (HOST,)

_CONTAINERS = {
    "neurips": "Advances in Neural Information Processing Systems 37",
    "acl": "Proceedings of the 62nd Annual Meeting of the Association for Computational Linguistics"
    " (Volume 1: Long Papers)",
    "findings": "Findings of the Association for Computational Linguistics ACL 2024",
}
_HEADERS = {
    "x-api-pool": "public",
    "x-rate-limit-limit": "5",
    "x-rate-limit-interval": "1s",
    "x-concurrency-limit": "1",
}
_ALWAYS = {
    "DOI": "10.5555/12345678",
    "type": "journal-article",
    "title": ["Toward a Unified Theory of High-Energy Metaphysics: Silly String Theory"],
    "author": [{"given": "Josiah", "family": "Carberry", "sequence": "first", "affiliation": []}],
    "container-title": ["Journal of Psychoceramics"],
    "issued": {"date-parts": [[2008, 8, 13]]},
}


def answer(asked: Asked, known: Sequence[Paper]) -> Played:
    """The deposit, or what the host says of a DOI that it does not know."""
    doi = asked.path.removeprefix("/works/").lower()
    if doi == _ALWAYS["DOI"]:
        return _work(_ALWAYS)
    for paper in known:
        if paper.doi and doi == paper.doi.lower():
            return _work(deposit_of(paper))
    return Played(b"Resource not found.", 404, "text/plain", _HEADERS)


def deposit_of(paper: Paper) -> dict[str, Any]:
    """What the publisher deposited."""
    day = {"date-parts": [[paper.published.year, paper.published.month, paper.published.day]]}
    deposit: dict[str, Any] = {
        "indexed": {"date-parts": [[2026, 6, 1]], "timestamp": 1780272000000},
        "reference-count": 0,
        "publisher": "A Publisher",
        # The case is the publisher's.
        "DOI": paper.doi.upper() if paper.number % 2 else paper.doi,
        "type": "proceedings-article",
        "title": [paper.title.replace("&", "&amp;")],
        "author": [
            {
                "given": given,
                "family": family,
                "sequence": "additional" if place else "first",
                "affiliation": [],
            }
            for place, (given, family) in enumerate(paper.authors)
        ],
        "container-title": [_CONTAINERS[paper.venue]],
        "short-container-title": [],
        "subtitle": [],
        "page": paper.pages,
        "published-print": day,
        "issued": day,
        "published": day,
        "relation": {},
        "event": {"name": "A Conference", "start": {"date-parts": [[2024, 8, 11]]}},
        "references-count": 0,
    }
    if paper.retracted:
        deposit["updated-by"] = [
            {
                "DOI": f"{paper.doi}.retraction",
                "type": "retraction",
                "label": "Retraction",
                "source": "retraction-watch",
                "updated": {"date-parts": [[2025, 2, 3]], "timestamp": 1738540800000},
            }
        ]
    return deposit


def _work(message: dict[str, Any]) -> Played:
    envelope = {
        "status": "ok",
        "message-type": "work",
        "message-version": "1.0.0",
        "message": message,
    }
    return Played(json.dumps(envelope).encode(), headers=_HEADERS)
