"""Reads the two pages of PMLR: the index of a volume, and the page of a paper.

The index gives authors in reading order joined by no-break spaces, the page of a paper gives them
in its citation tags. The days of the conference stand in the heading of the index and in the month
of the BibTeX entry; neither is a day of publication.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from registry.equality.identifiers import parse_arxiv_id, parse_doi, parse_openreview_id
from registry.records.evidence import FieldName
from registry.sources.answers import NoReply
from registry.sources.bibtex_block import BibtexEntry, bibtex_entries
from registry.sources.printed import Printed, Shelf, missing, observed
from registry.sources.webpage import (
    author_line,
    citation_tags,
    day_in,
    line,
    link,
    parse,
    year_in,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

SERIES = "Proceedings of Machine Learning Research"

_ON_INDEX: tuple[FieldName, ...] = (
    "title",
    "authors",
    "venue",
    "venue_track",
    "year",
    "volume",
    "pages",
    "doi",
    "arxiv_id",
    "openreview_id",
    "code",
)
_ON_PAPER_PAGE: tuple[FieldName, ...] = (*_ON_INDEX, "published", "affiliations")

_PAPER = re.compile(r"<div\b[^>]*\bclass\s*=\s*[\"']?paper[\"'\s>][^>]*>?", re.IGNORECASE)
_TITLE = re.compile(r"<p\b[^>]*\bclass\s*=\s*[\"']?title[\"'\s>]", re.IGNORECASE)
_HEADING = re.compile(r"Volume\s+(?P<number>R?[0-9]+)\s*:\s*(?P<name>[^,]*)(?P<rest>.*)", re.I)
_YEARS = re.compile(r"\b(?:19|20)[0-9]{2}\b")
_PRINTED_IN = re.compile(r"\bPMLR\s+(?P<volume>R?[0-9]+):(?P<pages>[^\s,;]*)", re.IGNORECASE)
_PUBLISHED = re.compile(
    r"Published as Volume R?[0-9]+ by the Proceedings of Machine Learning Research on "
    r"(?P<day>[0-9]{1,2}) (?P<month>[A-Z][a-z]+) (?P<year>[0-9]{4})"
)
_NAMES_OF_MONTHS = (
    "January February March April May June July August September October November December"
)
_MONTHS = {name: number for number, name in enumerate(_NAMES_OF_MONTHS.split(), 1)}
_ID_IN_ADDRESS = re.compile(r"/(?P<id>[^/?#]+)\.html(?:[?#].*)?$")
_CODE_LABELS = frozenset({"software", "code"})


@dataclass(frozen=True, slots=True)
class VolumeIndex:
    """The index of a volume."""

    shelf: Shelf
    whole: bool
    """Whether every paper on the page could be read; only then is an absent paper absent."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the index says of all its papers together."""

    number: str = ""
    conference: str = ""
    year: int | None = None
    published: str = ""


def read_index(text: str, volume: str) -> VolumeIndex | NoReply:
    """Read the index of a volume.

    Args:
        text: The page.
        volume: Number of the volume that was asked for, such as ``235`` or ``r5``.
    """
    starts = [match.end() for match in _PAPER.finditer(text)]
    if not starts:
        return NoReply("broken answer", "the index of the volume is not laid out as expected")
    frame = _frame(text[: starts[0]])
    if frame.number and frame.number.lower() != volume.lower():
        return NoReply("broken answer", f"the index is that of volume {frame.number}")
    shelf = Shelf(text, partial(_listed, frame))
    ends = [*starts[1:], len(text)]
    read = sum(shelf.add(start, end) for start, end in zip(starts, ends, strict=True))
    # A tag that was lost joins two papers into one, or leaves one outside of all.
    titles = sum(1 for _ in _TITLE.finditer(text))
    whole = read == len(starts) == titles and "</html>" in text[-200:].lower()
    return VolumeIndex(shelf, whole)


def _frame(head: str) -> _Frame:
    page = parse(head)
    number, conference, year, published = "", "", None, ""
    for node in page.css("h1, h2"):
        if found := _HEADING.search(line(node)):
            number, conference = found["number"], found["name"].strip()
            years = set(_YEARS.findall(found["rest"]))
            year = int(years.pop()) if len(years) == 1 else None
            break
    for node in page.css("meta[name=description], meta[property='og:description']"):
        said = " ".join((node.attributes.get("content") or "").split())
        if (found := _PUBLISHED.search(said)) and found["month"] in _MONTHS:
            published = day_in(f"{found['year']}-{_MONTHS[found['month']]}-{found['day']}")
    return _Frame(number, conference, year_in(published) or year, published)


def _listed(frame: _Frame, piece: str) -> Printed | None:
    """One paper of the index; None if it cannot be read."""
    block = parse(piece, fragment=True)
    title = line(block.css_first("p.title"))
    authors = block.css_first("span.authors")
    links = [(line(node).lower(), link(node)) for node in block.css("p.links a")]
    name = next((_id_in(target) for label, target in links if label == "abs"), "")
    if not title or not name or authors is None or len(block.css("p.title")) > 1:
        return None
    if authors.css_first("span.info") is not None:  # the end of the author line was lost
        return None
    info = block.css_first("span.info")
    printed_in = _PRINTED_IN.search(line(info))
    container = line(info.css_first("i")) if info is not None else ""
    observation = observed(
        title=title,
        authors=author_line(authors.text()),
        venue=container or frame.conference,
        series=SERIES,
        year=frame.year,
        volume=printed_in["volume"] if printed_in else frame.number,
        pages=printed_in["pages"].rstrip(".") if printed_in else "",
        published=frame.published,
        **_linked(links),
    )
    return Printed(name, observation, missing(_ON_INDEX, observation))


def _linked(links: list[tuple[str, str]]) -> dict[str, str]:
    """What the links beside a paper say: label in lower case, target."""
    found: dict[str, str] = {}
    for label, target in links:
        if "openreview.net/" in target:
            found.setdefault("openreview_id", parse_openreview_id(target))
        elif "arxiv.org/" in target:
            found.setdefault("arxiv_id", parse_arxiv_id(target).id)
        elif "doi.org/" in target:
            found.setdefault("doi", parse_doi(target))
        elif label in _CODE_LABELS and target.startswith("http"):
            found.setdefault("code", target)
    return found


def _id_in(address: str) -> str:
    found = _ID_IN_ADDRESS.search(address)
    return unquote(found["id"]) if found else ""


def read_paper_page(text: str, name: str) -> Printed | NoReply:
    """Read the page of a paper.

    Args:
        text: The page.
        name: The paper that was asked for, such as ``li24bt``.
    """
    page = parse(text)
    tags = citation_tags(page)
    title, authors = tags.first("title"), tags.all("author")
    if not title or not authors:
        return NoReply("broken answer", "the page of the paper has no citation tags")
    other = _id_in(tags.first("abstract_html_url"))
    if other and other != name:
        return NoReply("broken answer", f"the page is that of {other}, not of {name}")
    entry = _bibtex(page)
    printed_in = _PRINTED_IN.search(line(page.css_first("#info")))
    published = day_in(tags.first("publication_date"))
    volume = entry.get("volume") or (printed_in["volume"] if printed_in else "")
    links = [(line(node).lower(), link(node)) for node in page.css("#extras a")]
    values: dict[str, Any] = {
        **_linked(links),
        "title": title,
        # A comma would turn the name round.
        "authors": [" ".join(author.replace(",", " ").split()) for author in authors],
        "affiliations": tags.affiliations,
        "venue": entry.get("booktitle")
        or line(page.css_first("#info i"))
        or tags.first("inbook_title"),
        "series": entry.get("series") or SERIES,
        "year": year_in(entry.get("year", "")) or year_in(published),
        "volume": volume,
        "pages": tags.pages or entry.get("pages", ""),
        "published": published,
    }
    if doi := tags.first("doi"):
        values["doi"] = doi
    observation = observed(**values)
    return Printed(name, observation, missing(_ON_PAPER_PAGE, observation))


def _bibtex(page: LexborHTMLParser) -> dict[str, str]:
    """The fields of the entry that the page offers for citing."""
    node: LexborNode | None = page.css_first("code#bibtex") or page.css_first("#bibtex")
    entries: Iterator[BibtexEntry] = bibtex_entries(node.text() if node is not None else "")
    return dict(next((entry.fields for entry in entries), {}))
