"""Plays Semantic Scholar's academic graph: single papers, batches, and the search by title.

As the real host, it has entries that were upgraded by halves, cuts given names down to initials,
lacks the arXiv id of some preprints that it knows by their DOI, and refuses a batch of which it
knows nothing instead of answering with nothing but gaps.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from papers import Paper
from plays_interface import Asked, Played

HOST = "api.semanticscholar.org"
HOSTS: tuple[str, ...] = (HOST,)
KEY = "s2k-abcdefghijklmnop"

_GRAPH = "/graph/v1/paper/"
_VENUES = {
    "icml": "International Conference on Machine Learning",
    "neurips": "Neural Information Processing Systems",
    "mlsys": "Conference on Machine Learning and Systems",
    "iclr": "International Conference on Learning Representations",
    "acl": "Annual Meeting of the Association for Computational Linguistics",
    "findings": "Annual Meeting of the Association for Computational Linguistics",
}
_FIELDS = frozenset(
    (
        *("title", "authors", "year", "venue", "publicationVenue", "journal"),
        *("externalIds", "url", "abstract", "publicationDate", "publicationTypes"),
    )
)
_ALWAYS = {
    "paperId": "204e3073870fae3d05bcbc2f6a8e263d9b72e776",
    "title": "Attention Is All You Need",
}


def answer(asked: Asked, known: Sequence[Paper]) -> Played:
    """An entry, a list of entries and gaps, or an error in the form of the host."""
    if asked.headers.get("x-api-key", KEY) != KEY:
        return _json({"message": "Forbidden"}, 403)
    rest = asked.path.removeprefix(_GRAPH)
    if rest == asked.path:
        return _json({"message": "Missing Authentication Token"}, 403)
    fields = asked.query.get("fields", "title").split(",")
    if odd := [field for field in fields if field not in _FIELDS]:
        return _json({"error": f"Unrecognized or unsupported fields: [{', '.join(odd)}]"}, 400)
    if rest == "batch" and asked.method == "POST":
        return _batch(json.loads(asked.body)["ids"], fields, known)
    if rest == "search/match":
        return _match(asked.query.get("query", ""), fields, known)
    found = _find(rest, fields, known)
    return _json(found) if found else _json({"error": f"Paper with id {rest} not found"}, 404)


def throttled() -> Played:
    """What callers without a key mostly get."""
    page = "https://www.semanticscholar.org/product/api#api-key-form"
    message = f"Too Many Requests. Please wait and try again or apply for a key. {page}"
    return _json({"message": message, "code": "429"}, 429)


def entry_of(paper: Paper) -> dict[str, Any]:
    """A paper as the graph holds it; see the module for what is odd about it."""
    published = paper.number % 3 != 1
    external: dict[str, Any] = {"CorpusId": 200_000_000 + paper.number}
    has_arxiv_id = paper.number % 7 != 2
    if has_arxiv_id:
        external["ArXiv"] = paper.arxiv_id
    is_upgraded = published and has_arxiv_id and paper.doi
    external["DOI"] = paper.doi if is_upgraded else f"10.48550/arXiv.{paper.arxiv_id}"
    if paper.number % 5 == 4:
        external["DBLP"] = f"journals/corr/abs-{paper.arxiv_id.replace('.', '-')}"
    venue = _VENUES[paper.venue] if published else "arXiv.org"
    entry: dict[str, Any] = {
        "paperId": hashlib.sha1(paper.arxiv_id.encode(), usedforsecurity=False).hexdigest(),
        "externalIds": external,
        "publicationVenue": {"id": "0-0", "name": venue, "alternate_names": [], "url": ""},
        "title": paper.title,
        "abstract": None,
        "venue": venue,
        "year": paper.year if published else paper.submitted.year,
        "publicationTypes": None,
        "journal": {"name": "ArXiv", "volume": f"abs/{paper.arxiv_id}"},
        "authors": [
            {"authorId": str(number), "name": f"{given[0]}. {family}" if number == 2 else whole}
            for number, ((given, family), whole) in enumerate(
                zip(paper.authors, paper.names, strict=True)
            )
        ],
    }
    if published and paper.number % 2 == 0:
        entry["journal"] = {"pages": f"\n {paper.pages}"}
    if paper.number % 11 == 9:
        entry |= {"publicationVenue": None, "venue": "", "journal": None}
    return entry


def _batch(names: Sequence[str], fields: Sequence[str], known: Sequence[Paper]) -> Played:
    if len(names) > 500:
        return _json({"error": "Too many ids"}, 400)
    found = [_find(name, fields, known) for name in names]
    if not any(found):
        return _json({"error": "No valid paper ids given"}, 400)
    return _json(found)


def _find(name: str, fields: Sequence[str], known: Sequence[Paper]) -> dict[str, Any] | None:
    scheme, _, text = name.partition(":")
    if name.lower() == "arxiv:1706.03762":
        return dict(_ALWAYS)
    for paper in known:
        entry = entry_of(paper)
        ids = entry["externalIds"]
        held = ids.get({"arxiv": "ArXiv", "doi": "DOI"}.get(scheme.lower(), ""), "")
        # The publisher's DOI leads to an entry that shows the preprint's.
        others = {paper.doi.lower()} if scheme.lower() == "doi" and paper.doi else set()
        if text and text.lower() in {held.lower(), *others}:
            return _only(entry, fields)
    return None


def _match(title: str, fields: Sequence[str], known: Sequence[Paper]) -> Played:
    """The entry with the most words in common; a single word is enough for a match."""
    wanted = set(title.lower().split())
    best = max(
        known, key=lambda paper: len(wanted & set(paper.title.lower().split())), default=None
    )
    if best is None or not wanted & set(best.title.lower().split()):
        return _json({"error": "Title match not found"}, 404)
    return _json({"data": [{**_only(entry_of(best), fields), "matchScore": 187.25}]})


def _only(entry: dict[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key == "paperId" or key in fields}


def _json(data: object, status: int = 200) -> Played:
    return Played(json.dumps(data).encode() + b"\n", status)
