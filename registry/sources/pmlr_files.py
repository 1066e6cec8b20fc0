"""Reads the files from which PMLR makes its pages: posts, ``citeproc.yaml``, ``bibliography.bib``.

They say more than the pages: given and family names stand apart, and the day of publication stands
apart from the days of the conference. A month of 0 is unknown, and so is an empty address. Texts
are taken as they stand, because a name or a volume need not look like text to YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from registry.equality.bibtex_names import split_authors
from registry.equality.identifiers import parse_doi, parse_openreview_id
from registry.equality.markup import display_text
from registry.records.evidence import FieldName
from registry.sources.answers import NoReply
from registry.sources.bibtex_block import BibtexEntry, bibtex_entries
from registry.sources.printed import Printed, missing, observed
from registry.sources.webpage import day_in, year_in
from registry.store.document import Document
from registry.store.reader import read

_IN_BIBTEX: tuple[FieldName, ...] = ("title", "authors", "venue", "year", "volume", "pages")
_IN_CITEPROC: tuple[FieldName, ...] = (*_IN_BIBTEX, "published", "doi")
_IN_POST: tuple[FieldName, ...] = (
    *_IN_CITEPROC,
    "affiliations",
    "venue_track",
    "arxiv_id",
    "openreview_id",
    "code",
)
_FENCE = re.compile(rb"^---[ \t]*\r?$", re.MULTILINE)
_ENTRY = re.compile(rb"^- (?=title:)", re.MULTILINE)
_ID_IN_KEY = re.compile(r"pmlr-[vr][0-9]+-(?P<id>.+)", re.IGNORECASE)
_WEB = re.compile(r"https?://[!-~]+")


def front_matter(post: bytes) -> Document | NoReply:
    """The front matter of a post, ``_posts/2024-07-08-li24bt.md`` and the like, as plain data."""
    fences = list(islice(_FENCE.finditer(post), 2))
    if len(fences) < 2 or post[: fences[0].start()].strip(b"\xef\xbb\xbf \r\n"):
        return NoReply("broken answer", "the post has no front matter between lines of ---")
    return _document(post[fences[0].end() : fences[1].start()])


def read_post(post: bytes) -> Printed | NoReply:
    """What the front matter of a post says."""
    document = front_matter(post)
    return document if isinstance(document, NoReply) else _printed(document, _IN_POST)


def read_citeproc(file: bytes) -> Iterator[Printed | NoReply]:
    """What ``citeproc.yaml`` says of each paper of its volume.

    The papers are read one by one: a character that YAML forbids, pasted into one abstract, makes
    the file as a whole unreadable.
    """
    starts = [match.start() for match in _ENTRY.finditer(file)]
    if not starts:
        yield NoReply("broken answer", "there is no list of papers in the file")
    for start, end in zip(starts, [*starts[1:], len(file)], strict=False):
        document = _document(b"  " + file[start + 2 : end])
        yield document if isinstance(document, NoReply) else _printed(document, _IN_CITEPROC)


def read_bibliography(file: str) -> Iterator[Printed | NoReply]:
    """What ``bibliography.bib`` says of each paper of its volume; no day of publication."""
    for entry in bibtex_entries(file):
        if entry.type in ("inproceedings", "article", "incollection"):
            yield _printed_entry(entry)


def _document(raw: bytes) -> Document | NoReply:
    document = read(raw, "")
    if document.data is None:
        why = document.findings[0].message if document.findings else "it is empty"
        return NoReply("broken answer", f"the YAML cannot be read: {why}")
    return document


def _printed(document: Document, looked_for: Sequence[FieldName]) -> Printed | NoReply:
    name, title = _text(document, "id"), _text(document, "title")
    if not name or not title:
        return NoReply("broken answer", f"the entry has no {'title' if name else 'id'}")
    published = _published(document)
    pages = (_text(document, "firstpage"), _text(document, "lastpage"))
    observation = observed(
        title=title,
        authors=_authors(document),
        affiliations=_affiliations(document),
        venue=_text(document, "container-title") or _text(document, "booktitle"),
        series=_text(document, "series"),
        year=year_in(_text(document, "issued", "date-parts", 0)) or year_in(published),
        volume=_text(document, "volume"),
        pages=_text(document, "page") or "-".join(dict.fromkeys(filter(None, pages))),
        published=published,
        doi=parse_doi(_text(document, "doi") or _text(document, "DOI")),
        arxiv_id=_text(document, "arxiv"),
        openreview_id=parse_openreview_id(_text(document, "openreview")),
        code=_address(_text(document, "software")),
    )
    return Printed(name, observation, missing(looked_for, observation))


def _text(document: Document, *path: str | int) -> str:
    """The text at a path as it stands in the file, whatever YAML makes of it; empty for nothing."""
    value: Any = document.data
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return ""
    if value is None or isinstance(value, (dict, list)):
        return ""
    return " ".join(document.source(path).split())


def _items(document: Document, key: str) -> int:
    found = (document.data or {}).get(key)
    return len(found) if isinstance(found, list) else 0


def _published(document: Document) -> str:
    parts = [_text(document, "issued", "date-parts", place) for place in range(3)]
    return (
        day_in("-".join(parts))
        or day_in(_text(document, "date"))
        or day_in(_text(document, "published"))
    )


def _authors(document: Document) -> list[str]:
    names = [_name(document, place) for place in range(_items(document, "author"))]
    if names and all(names):
        return names
    return split_authors(_text(document, "bibtex_author"))


def _name(document: Document, place: int) -> str:
    """One author in BibTeX's grammar. Some files have the only name as a given name."""
    part = {
        key: _text(document, "author", place, key)
        for key in ("given", "prefix", "family", "suffix", "literal", "consortium")
    }
    if group := part["literal"] or part["consortium"]:
        return f"{{{group}}}"
    if not part["family"] or not part["given"]:
        return part["family"] or part["given"]
    family = " ".join(filter(None, (part["prefix"], part["family"])))
    return ", ".join(filter(None, (family, part["suffix"], part["given"])))


def _affiliations(document: Document) -> list[dict[str, Any]]:
    printed = (
        (place + 1, _text(document, "author", place, "institute"))
        for place in range(_items(document, "author"))
    )
    return [{"author": number, "printed": text} for number, text in printed if text]


def _address(text: str) -> str:
    """The address in a field that may also hold ``N/A`` or words around it."""
    found = _WEB.search(text)
    return found[0].rstrip(".,;)") if found else ""


def _printed_entry(entry: BibtexEntry) -> Printed | NoReply:
    key = _ID_IN_KEY.fullmatch(entry.key)
    said = entry.fields
    if not said.get("title"):
        return NoReply("broken answer", f"the entry {entry.key} has no title")
    authors = [name for name in split_authors(said.get("author", "")) if display_text(name)]
    observation = observed(
        title=said["title"],
        authors=authors,
        venue=said.get("booktitle") or said.get("journal", ""),
        series=said.get("series", ""),
        year=year_in(said.get("year", "")),
        volume=said.get("volume", ""),
        pages=said.get("pages", ""),
        doi=parse_doi(said.get("doi", "")),
        openreview_id=parse_openreview_id(said.get("openreview", "")),
        code=_address(said.get("software", "")),
    )
    name = key["id"] if key else entry.key
    return Printed(name, observation, missing(_IN_BIBTEX, observation))
