"""Reads the pages of the sites that NeurIPS and MLSys print their proceedings on.

A page's address holds a hash of the paper and, since about 2022, the track: ``-Abstract.html`` of
2018 became ``-Abstract-Conference.html``. The list of a year is one page, or a page with links to
the volumes of the year.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from registry.records.evidence import FieldName
from registry.sources.answers import NoReply
from registry.sources.printed import Printed, Shelf, missing, observed
from registry.sources.webpage import author_line, citation_tags, day_in, line, parse

_YEAR = r"/(?P<root>paper|paper_files/paper)/(?P<year>(?:19|20)[0-9]{2})"
_TRACK = r"(?:-(?P<track>[A-Za-z0-9_]+))?"
_PATH = (
    rf"{_YEAR}/(?:hash|file)/(?P<hash>[0-9a-f]{{32}})"
    rf"-(?:Abstract|Paper|Metadata|Bibtex|Supplemental|Reviews?){_TRACK}\.[a-z]+"
)
"""Path of a paper's page, or of one of the files beside it."""

_ROW = re.compile(
    rf"<a\b[^>]*\bhref\s*=\s*[\"'][^\"'>]*?{_YEAR}/hash/(?P<hash>[0-9a-f]{{32}})"
    rf"-Abstract{_TRACK}\.html[\"'][^>]*>"
)
_ITEM = re.compile(r"<li\b")
_ANY_ROW = re.compile(r"/hash/")
_PART = re.compile(r"\bhref\s*=\s*[\"'](/paper_files/paper/[0-9]{4}/[A-Za-z][\w-]*)[\"']")
_IN_ROW: tuple[FieldName, ...] = ("title", "authors", "venue", "venue_track", "year", "volume")


@dataclass(frozen=True, slots=True)
class PaperAddress:
    """Where the page of a paper is."""

    year: int
    hash: str
    track: str
    """The track as the address spells it, such as ``Datasets_and_Benchmarks_Track``."""
    path: str
    """Path of the page, whatever of the paper the address led to."""


def parse_address(address: str, hosts: Sequence[str]) -> PaperAddress | None:
    """The paper that an address on one of the hosts leads to; None if it leads to none."""
    names = "|".join(map(re.escape, hosts))
    found = re.fullmatch(rf"https?://(?:{names}){_PATH}(?:[?#].*)?", address.strip())
    return _address(found) if found else None


def _address(found: re.Match[str]) -> PaperAddress:
    track = found["track"] or ""
    end = f"-{track}" if track else ""
    path = f"/{found['root']}/{found['year']}/hash/{found['hash']}-Abstract{end}.html"
    return PaperAddress(int(found["year"]), found["hash"], track, path)


@dataclass(frozen=True, slots=True)
class YearList:
    """The list of a year, or of one of its volumes."""

    shelf: Shelf
    addresses: dict[str, PaperAddress]
    """Hash to the address of the paper's page."""
    parts: tuple[str, ...]
    """Paths of further lists of the same year."""
    whole: bool
    """Whether every paper on the page could be read; only then is an absent paper absent."""


def read_list(text: str, year: int, title: str) -> YearList | NoReply:
    """Read a list.

    Args:
        text: The page.
        year: The year that was asked for.
        title: Title of the proceedings, which the heading has with the number of the volume.
    """
    rows = [row for row in _ROW.finditer(text) if int(row["year"]) == year]
    parts = tuple(dict.fromkeys(part for part in _PART.findall(text) if f"/{year}/" in part))
    if not rows and not parts:
        return NoReply("broken answer", "the list of the year is not laid out as expected")
    heading = text[: rows[0].start()] if rows else text
    volume = re.search(rf"{re.escape(title)}\s+([0-9]+)", heading)
    shelf = Shelf(text, partial(_listed, title, volume[1] if volume else ""))
    starts = [row.start() for row in rows]
    places = zip(starts, [*starts[1:], len(text)], strict=False)
    read = sum(shelf.add(start, end) for start, end in places)
    addresses: dict[str, PaperAddress] = {}
    for row in rows:
        addresses.setdefault(row["hash"], _address(row))
    # A tag that was lost joins two papers into one, or hides that there is another.
    items = len(_ITEM.findall(text.partition("paper-list")[2].partition("</ul>")[0]))
    whole = read == items == len(_ANY_ROW.findall(text)) and "</html>" in text[-200:].lower()
    return YearList(shelf, addresses, parts, whole)


def _listed(title: str, volume: str, piece: str) -> Printed | None:
    """One row of a list; None if it cannot be read."""
    row = _ROW.match(piece)
    block = parse(piece.partition("</li>")[0], fragment=True)
    name = line(block.css_first("a"))
    names = block.css_first("a ~ span.paper-authors") or block.css_first("a ~ i")
    if row is None or not name or names is None:
        return None
    if names.css_first(".paper-track-badge") is not None:  # the end of the author line was lost
        return None
    observation = observed(
        title=name,
        authors=author_line(names.text()),
        venue=title,
        venue_track=row["track"] or "",
        year=int(row["year"]),
        volume=volume,
    )
    return Printed(row["hash"], observation, missing(_IN_ROW, observation))


def read_paper_page(
    text: str, address: PaperAddress, looked_for: Sequence[FieldName]
) -> Printed | NoReply:
    """Read the page of a paper.

    Args:
        text: The page.
        address: The address that was asked.
        looked_for: Fields that such a page has a place for.
    """
    tags = citation_tags(parse(text))
    title, authors = tags.first("title"), tags.all("author")
    if not title or not authors:
        return NoReply("broken answer", "the page of the paper has no citation tags")
    if (pdf := tags.first("pdf_url")) and address.hash not in pdf:
        return NoReply("broken answer", "the page is that of another paper")
    date = tags.first("publication_date")
    observation = observed(
        title=title,
        authors=[author.strip(" ,") for author in authors if author.strip(" ,")],
        venue=tags.first("journal_title"),
        venue_track=address.track,
        # The address has the year of the conference; the day may fall into the next one.
        year=address.year,
        volume=tags.first("volume"),
        pages=tags.pages,
        doi=tags.first("doi"),
        published=day_in(date),
    )
    return Printed(address.hash, observation, missing(looked_for, observation))
