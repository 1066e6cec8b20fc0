"""Plays OpenAlex: lists of works by DOI, and single works by DOI or id.

As the real host, it leaves unknown DOIs out of a list, gives works in an order of its own, files a
paper with a publisher's DOI apart from its preprint, cuts a filter at every comma, and answers an
unknown work with a page of HTML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from papers import Paper
from plays_interface import Asked, Played

HOST = "api.openalex.org"
HOSTS: tuple[str, ...] = (HOST,)
KEY = "oa-key-0123456789"

_SOURCES = {
    "neurips": ("Advances in Neural Information Processing Systems", "conference"),
    "acl": ("Annual Meeting of the Association for Computational Linguistics", "conference"),
    "findings": ("Findings of the Association for Computational Linguistics: ACL 2024", "other"),
}
_ARXIV = ("arXiv (Cornell University)", "repository")
_FIELD_NAMES = (
    "id doi title display_name publication_year publication_date ids type is_retracted biblio "
    "primary_location locations authorships"
)
_FIELDS = frozenset(_FIELD_NAMES.split())
_LIMIT = 50
_ALWAYS = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.7717/peerj.4375",
    "title": "The state of OA",
}
_NOT_FOUND = b"""<!doctype html>
<html lang=en>
<title>404 Not Found</title>
<h1>Not Found</h1>
<p>The requested URL was not found on the server.</p>
"""


def answer(asked: Asked, known: Sequence[Paper]) -> Played:
    """A list of works, one work, or an error in the form of the host."""
    if asked.query.get("api_key", KEY) != KEY:
        return _json({"error": "Forbidden", "message": "This API key is not valid."}, 403)
    works = [_ALWAYS, *(work for paper in known for work in works_of(paper))]
    select = asked.query.get("select", "").split(",")
    if odd := [name for name in select if name and name not in _FIELDS]:
        return _error(f"{odd[0]} is not a valid select field")
    if asked.path == "/works":
        return _list(asked, works, select)
    wanted = asked.path.removeprefix("/works/")
    doi = re.sub(r"^(?:doi:|https?://doi\.org/)+", "", wanted).lower()
    for work in works:
        if wanted.upper() == work["id"].rpartition("/")[2] or doi == work["doi"][16:]:
            return _json(_selected(work, select))
    return Played(_NOT_FOUND, 404, "text/html; charset=utf-8")


def works_of(paper: Paper) -> Iterator[dict[str, Any]]:
    """The publication, where it has a DOI, and the preprint."""
    if paper.doi:
        place = _SOURCES[paper.venue]
        yield _work(paper, 4_400_000_000 + paper.number, paper.doi, place, paper.year)
    preprint = f"10.48550/arxiv.{paper.arxiv_id}"
    yield _work(paper, 4_390_000_000 + paper.number, preprint, _ARXIV, paper.submitted.year)


def _work(paper: Paper, number: int, doi: str, place: tuple[str, str], year: int) -> dict[str, Any]:
    published = place != _ARXIV
    first, _, last = paper.pages.partition("-")
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/{doi.lower()}",
        "title": paper.title,
        "display_name": paper.title,
        "publication_year": year,
        "publication_date": (paper.published if published else paper.submitted).isoformat(),
        "ids": {"openalex": f"https://openalex.org/W{number}"},
        "type": "article" if published else "preprint",
        "is_retracted": paper.retracted,
        "biblio": {
            "volume": None,
            "issue": None,
            "first_page": first if published else None,
            "last_page": last if published else None,
        },
        "primary_location": _location(paper, place),
        "locations": [],
        "authorships": [_authorship(paper, place) for place in range(len(paper.authors))],
    }


def _location(paper: Paper, place: tuple[str, str]) -> dict[str, Any]:
    # Many works have a location without a source.
    source = {"id": "https://openalex.org/S1", "display_name": place[0], "type": place[1]}
    has_source = paper.number % 7 != 3
    return {
        "is_oa": True,
        "landing_page_url": f"http://arxiv.org/abs/{paper.arxiv_id}",
        "source": source if has_source else None,
        "raw_source_name": "",
        "version": "submittedVersion",
    }


def _authorship(paper: Paper, place: int) -> dict[str, Any]:
    given, family = paper.authors[place]
    # Only the raw name is what the paper has; of the profiles some are garbled.
    raw = f"{family}, {given}" if paper.number % 2 else f"{given} {family}"
    last = place == len(paper.authors) - 1
    return {
        "author_position": "first" if place == 0 else "last" if last else "middle",
        "author": {
            "id": f"https://openalex.org/A{paper.number}{place}",
            "display_name": f"{given} Q. {family}".replace("a", "ą"),
            "orcid": None,
        },
        "institutions": [],
        "countries": [],
        "is_corresponding": place == 0,
        "raw_author_name": raw,
        "raw_affiliation_strings": [],
        "affiliations": [],
    }


def _list(asked: Asked, works: list[dict[str, Any]], select: list[str]) -> Played:
    wanted: set[str] = set()
    for part in asked.query.get("filter", "").split(","):
        name, colon, values = part.partition(":")
        if not colon or name != "doi":
            return _error(f"Invalid query parameter in {part}.")
        wanted = {re.sub(r"^https?://doi\.org/", "", value.lower()) for value in values.split("|")}
        if len(values.split("|")) > _LIMIT:
            return _error(f"Maximum number of values exceeded for {name}.")
    size = int(asked.query.get("per-page", "25"))
    if size > 100:
        return _error("per-page parameter must be between 1 and 100")
    found = [work for work in works if work["doi"][16:] in wanted]
    found.sort(key=lambda work: work["title"], reverse=True)
    meta = {"count": len(found), "db_response_time_ms": 21, "page": 1, "per_page": size}
    results = [_selected(work, select) for work in found[:size]]
    return _json({"meta": meta, "results": results, "group_by": []})


def _selected(work: dict[str, Any], select: list[str]) -> dict[str, Any]:
    return {name: value for name, value in work.items() if name in select or select == [""]}


def _error(message: str) -> Played:
    return _json({"error": "Invalid query parameters error.", "message": message}, 400)


def _json(data: dict[str, Any], status: int = 200) -> Played:
    headers = {"x-ratelimit-limit": "100000", "x-ratelimit-remaining": "99990"}
    return Played(json.dumps(data).encode(), status, headers=headers)
