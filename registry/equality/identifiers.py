"""When two identifiers name the same thing: arXiv, DOI, OpenReview, DBLP, code repositories."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

from registry.equality.arxiv_ids import ArxivId, parse_arxiv_id
from registry.equality.interface import NOT_GIVEN, SAME, Comparison

__all__ = [
    "ArxivId",
    "compare_arxiv_ids",
    "compare_dblp_keys",
    "compare_dois",
    "compare_openreview_ids",
    "compare_repositories",
    "is_preprint_dblp_key",
    "is_preprint_doi",
    "parse_arxiv_id",
    "parse_dblp_key",
    "parse_doi",
    "parse_openreview_id",
    "parse_repository",
]

_DOI_WRAPPER = re.compile(r"(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi\s*:\s*)+", re.IGNORECASE)
_DOI = re.compile(r"10\.[0-9]{4,9}/\S+")
_TEX_ESCAPE = re.compile(r"\{?\\([_%&#$~])\}?")
_DATACITE_ARXIV = "10.48550/arxiv."

_OPENREVIEW_URL = re.compile(
    r"(?:https?://)?(?:www\.|api2?\.)?openreview\.net/\S*?[?&](?:id|forum)=([^&#\s]+)"
)
_OPENREVIEW_ID = re.compile(r"[A-Za-z0-9_-]{6,}")

_DBLP_WRAPPER = re.compile(
    r"(?:https?://)?(?:www\.)?dblp(?:\.org|\.uni-trier\.de|\.dagstuhl\.de)/rec/"
    r"(?:bibtex\d?/|html/|xml/)?|DBLP:",
    re.IGNORECASE,
)
_DBLP_ENDING = re.compile(r"\.(?:html|xml|bib|ris|rdf)(?:\?.*)?$")
_DBLP_KEY = re.compile(r"[a-z]+/[A-Za-z0-9-]+/[A-Za-z0-9._:-]+")

_REPOSITORY = re.compile(
    r"(?:git\+)?(?:https?://|git://|ssh://)?(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9.-]+\.[A-Za-z]{2,})"
    r"(?::\d+)?[/:](?P<path>[^?#\s]+)"
)
_CASELESS_HOSTS = frozenset({"github.com"})


def compare_arxiv_ids(recorded: str, observed: str) -> Comparison:
    """Compare two arXiv identifiers; a version or a subject class does not count."""
    own, other = parse_arxiv_id(recorded), parse_arxiv_id(observed)
    for text, read in ((recorded, own), (observed, other)):
        if read.fault:
            return _unreadable("arXiv id", text, read.reason)
    return SAME if own.id == other.id else Comparison("different", "arXiv id")


@lru_cache(maxsize=1 << 14)
def parse_doi(text: str) -> str:
    r"""The DOI without resolver, prefix, TeX or URL escapes, in lower case; empty if it is none.

    Everything behind the first slash is significant. A full stop at the end is kept, because a
    DOI may end in one; ``compare_dois`` knows that it seldom does.
    """
    rest = _TEX_ESCAPE.sub(r"\1", text.strip())
    rest = unquote(_DOI_WRAPPER.sub("", rest, count=1) if _DOI_WRAPPER.match(rest) else rest)
    return rest.lower() if _DOI.fullmatch(rest) else ""


def is_preprint_doi(doi: str) -> bool:
    """Whether a DOI, as ``parse_doi`` gives it, is the one that arXiv registers for a preprint."""
    return doi.startswith(_DATACITE_ARXIV)


def compare_dois(recorded: str, observed: str) -> Comparison:
    """Compare two DOIs. A preprint's DOI says nothing against the DOI of a publication."""
    own, other = parse_doi(recorded), parse_doi(observed)
    if not other:
        return (
            _unreadable("DOI", observed, "it does not begin with 10. and a slash")
            if (observed.strip())
            else NOT_GIVEN
        )
    if is_preprint_doi(other) and not is_preprint_doi(own):
        return Comparison("cannot-tell", "preprint's DOI", "the source gives the preprint's DOI")
    if not own:
        return NOT_GIVEN
    if own == other:
        return SAME
    if own.rstrip(".") == other.rstrip("."):
        return Comparison("same", "full stop", "one DOI ends in a full stop")
    if is_preprint_doi(own) and is_preprint_doi(other):
        return compare_arxiv_ids(recorded, observed)
    if is_preprint_doi(own):
        note = f"the record has the preprint's DOI, the source {other}"
        return Comparison("different", "published version exists", note)
    return Comparison("different", "DOI")


@lru_cache(maxsize=1 << 14)
def parse_openreview_id(text: str) -> str:
    """The forum id alone, from the id or any of its addresses; empty if it is none."""
    url = _OPENREVIEW_URL.match(text.strip())
    bare = url[1] if url else text.strip()
    return bare if _OPENREVIEW_ID.fullmatch(bare) else ""


def compare_openreview_ids(recorded: str, observed: str) -> Comparison:
    """Compare two OpenReview ids, in which case counts."""
    own, other = parse_openreview_id(recorded), parse_openreview_id(observed)
    for text, read in ((recorded, own), (observed, other)):
        if not read:
            return _unreadable("OpenReview id", text, "no forum id can be found in it")
    return SAME if own == other else Comparison("different", "OpenReview id")


@lru_cache(maxsize=1 << 14)
def parse_dblp_key(text: str) -> str:
    """The key alone, such as ``conf/icml/LiW0024``; empty if it is none."""
    rest = text.strip()
    if wrapper := _DBLP_WRAPPER.match(rest):
        rest = _DBLP_ENDING.sub("", rest[wrapper.end() :])
    return rest if _DBLP_KEY.fullmatch(rest) else ""


def is_preprint_dblp_key(key: str) -> bool:
    """Whether a key, as ``parse_dblp_key`` gives it, is the one of a preprint."""
    return key.startswith("journals/corr/")


def compare_dblp_keys(recorded: str, observed: str) -> Comparison:
    """Compare two DBLP keys. The key of the preprint says nothing against the publication's."""
    own, other = parse_dblp_key(recorded), parse_dblp_key(observed)
    for text, read in ((recorded, own), (observed, other)):
        if not read:
            return _unreadable("DBLP key", text, "it should look like conf/icml/LiW0024")
    if own == other:
        return SAME
    if is_preprint_dblp_key(own) != is_preprint_dblp_key(other):
        if is_preprint_dblp_key(other):
            return Comparison("cannot-tell", "preprint's DBLP key", "the key is the preprint's")
        return Comparison("different", "published version exists", f"the source has {other}")
    return Comparison("different", "DBLP key")


@lru_cache(maxsize=1 << 14)
def parse_repository(text: str) -> tuple[str, str]:
    """Host and path of a repository, and what is left of an address that points into one.

    Protocol, ``www.``, ``.git``, a slash at the end and the case of the host do not count; on
    GitHub the case of owner and name does not either.

    Returns:
        The repository (empty if the text is no address), and the path inside it.
    """
    match = _REPOSITORY.match(text.strip())
    if match is None:
        return "", ""
    host = match["host"].lower().removeprefix("www.")
    steps = [step for step in match["path"].split("/") if step]
    inside: list[str] = []
    if host in _CASELESS_HOSTS:
        steps, inside = [step.lower() for step in steps[:2]], steps[2:]
    if not steps:
        return "", ""
    steps[-1] = steps[-1].removesuffix(".git")
    return "/".join([host, *steps]), "/".join(inside)


def compare_repositories(recorded: str, observed: str) -> Comparison:
    """Compare the addresses of two code repositories."""
    (own, own_inside), (other, other_inside) = (
        parse_repository(recorded),
        parse_repository(observed),
    )
    for text, read in ((recorded, own), (observed, other)):
        if not read:
            return _unreadable("address", text, "it should look like https://host/owner/name")
    if own != other:
        return Comparison("different", "repository")
    if own_inside != other_inside:
        return Comparison("same", "path in repository", "one address points into the repository")
    return SAME


def _unreadable(what: str, text: str, reason: str) -> Comparison:
    if not text.strip():
        return NOT_GIVEN
    return Comparison("cannot-tell", "unreadable", f"“{text.strip()}” is no {what}: {reason}")
