"""Chooses the manifestation of a paper that is exported, out of what its record prefers.

Venue, year, pages and DOI of one manifestation never mix with those of another: indexes like to
give the conference with the year and the DOI of the preprint, and so do those who copy them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from registry.bibliography.manifestation import ARXIV, Form, Manifestation, Preference
from registry.bibliography.titles import words_of
from registry.equality.identifiers import is_preprint_doi, parse_doi
from registry.errors import ExportError
from registry.history.former_names import without_stand_ins
from registry.records.base import Withdrawal
from registry.records.names import Author, Group
from registry.records.paper import Paper
from registry.records.venue import Venue, Volume
from registry.reports.wording import sentence
from registry.store.index import Index
from registry.views.authors import preferred
from registry.views.shelf import Shelf

_MAIN = "main"
_PRINTED = ("Advances in ", "Proceedings of ")
"""How the title of a whole row of volumes begins, of which the number of the volume means one."""
_OF_ALL = ("title", "authors")
_OF_PUBLISHED = ("venue", "venue_track", "year", "volume", "pages", "doi", "published")
_OF_PREPRINT = ("arxiv_id",)
_OF_UNPLACED = ("year", "doi")
_NAMED = ("method", "model", "dataset", "engine", "organization")


@dataclass(frozen=True, slots=True)
class Choice:
    """A manifestation, and what whoever cites it should know."""

    work: Manifestation
    remarks: tuple[str, ...]


class Chooser:
    """Chooses manifestations of the papers of one registry."""

    def __init__(self, shelf: Shelf, prefer: Preference) -> None:
        """Choose from ``shelf``, and of two manifestations the one that ``prefer`` names."""
        self._shelf = shelf
        self._prefer = prefer
        self._names = known_names(shelf.index)

    def choose(self, paper: Paper) -> Choice:
        """The manifestation of ``paper``, with remarks in whole sentences.

        Raises:
            ExportError: the record prefers no title or no authors.
        """
        title, authors = preferred(paper.title), preferred(paper.authors)
        if not title or not authors:
            missing = "authors" if title else "title"
            raise ExportError(f"its record prefers no {missing}")
        text = " ".join(without_stand_ins(title).split())
        bare = Manifestation(
            id=paper.id,
            form="unplaced",
            title=text,
            authors=tuple(_shown(author) for author in authors),
            code=preferred(paper.code) or "",
            names=self._names & words_of(text),
            withdrawn=reason_of(paper.withdrawn) if paper.withdrawn else "",
        )
        work, fields = self._placed(paper, bare)
        work = replace(work, contested=_contested(paper, (*_OF_ALL, *fields)))
        return Choice(work, tuple(self._remarks(paper, authors, work)))

    def _placed(self, paper: Paper, bare: Manifestation) -> tuple[Manifestation, tuple[str, ...]]:
        """The manifestation with what belongs to it, and the fields that this comes from."""
        venue = self._venue(paper)
        has_preprint = preferred(paper.arxiv_id) is not None
        if venue and not (self._prefer == "preprint" and has_preprint):
            return self._published(paper, bare, venue), _OF_PUBLISHED
        if has_preprint:
            return _preprint(paper, bare), _OF_PREPRINT
        doi, year = preferred(paper.doi) or "", preferred(paper.year)
        return replace(bare, doi=doi, year=year), _OF_UNPLACED

    def _venue(self, paper: Paper) -> Venue | None:
        """Where the paper was published; a preprint server publishes nothing."""
        name = preferred(paper.venue)
        venue = self._shelf.get(Venue, name) if name else None
        return None if venue is None or venue.type == "preprint-server" else venue

    def _published(self, paper: Paper, bare: Manifestation, venue: Venue) -> Manifestation:
        year, number = preferred(paper.year), preferred(paper.volume) or ""
        volume = _volume(venue, number, year)
        series = self._shelf.get(Venue, volume.series) if volume else None
        form: Form = "journal" if venue.type == "journal" else "proceedings"
        day = preferred(paper.published) or (volume.published if volume else None)
        doi = preferred(paper.doi) or ""
        track = preferred(paper.venue_track)
        return replace(
            bare,
            form=form,
            year=year,
            day=_within(day, year),
            container=volume.title if volume else _container(venue, track),
            venue=venue.name,
            series=series.name if series else "",
            publisher=series.short_name if series else "",
            volume=number,
            pages=preferred(paper.pages) or "",
            doi="" if is_preprint_doi(parse_doi(doi)) else doi,
        )

    def _remarks(
        self, paper: Paper, authors: tuple[Author, ...], work: Manifestation
    ) -> Iterator[str]:
        if paper.withdrawn:
            because = sentence(paper.withdrawn.because)
            yield f"the record is withdrawn ({work.withdrawn}): {because}"
        venue = preferred(paper.venue)
        if venue and self._shelf.get(Venue, venue) is None:
            yield f"venue/{venue} is no usable record, so that nothing can be said of it"
        if work.form == "unplaced":
            yield "neither a venue nor an arXiv id is recorded"
        elif work.form == "preprint" and self._prefer == "published":
            yield "nothing published is recorded, so that this is the preprint"
        elif work.form != "preprint" and self._prefer == "preprint":
            yield "no preprint is recorded, so that this is what was published"
        if work.year is None:
            yield "no year is recorded"
        if any(_shown(author) != author for author in authors):
            yield "a name is hidden on request"
        if work.contested:
            fields = ", ".join(work.contested)
            yield f"contested: {fields} (`registry show {paper.id}` tells why)"


def reason_of(gone: Withdrawal) -> str:
    """Why a record no longer counts, and which one to use."""
    return f"{gone.reason}; use {gone.successor}" if gone.successor else gone.reason


def known_names(index: Index) -> frozenset[str]:
    """Names of one word that records bear, which keep their capital in every title."""
    labels = [entry.label for kind in _NAMED for entry in index.by_kind.get(kind, {}).values()]
    venues = index.by_kind.get("venue", {}).values()
    labels += [entry.extra["short_name"] for entry in venues]
    return frozenset(label for label in labels if label[:1].isupper() and " " not in label)


def _preprint(paper: Paper, bare: Manifestation) -> Manifestation:
    arxiv_id = preferred(paper.arxiv_id) or ""
    first = [one.submitted for one in paper.arxiv_versions or () if one.version == "v1"]
    day = first[0] if first else None
    return replace(
        bare,
        form="preprint",
        year=day.year if day else _year_of_id(arxiv_id),
        day=day,
        venue=ARXIV,
        publisher=ARXIV,
        doi=f"10.48550/arXiv.{arxiv_id}",
        arxiv_id=arxiv_id,
    )


def _year_of_id(arxiv_id: str) -> int:
    """The year in an arXiv id; ids begin with the year and month of the first version."""
    year = int(arxiv_id.rpartition("/")[2][:2])
    return year + (1900 if year >= 91 else 2000)


def _volume(venue: Venue, number: str, year: int | None) -> Volume | None:
    found = (one for one in venue.volumes or () if (one.number, one.year) == (number, year))
    return next(found, None)


def _container(venue: Venue, track: str | None) -> str:
    """The title of what the venue prints, or its name; of a track with its own title, that title.

    Findings are not the conference that they are named after, and a workshop is not either.
    """
    if track is None or track == _MAIN:
        titles = (alias for alias in venue.aliases or () if alias.startswith(_PRINTED))
        return next(titles, venue.name)
    known = next((one for one in venue.tracks or () if one.id == track), None)
    if known is None:
        return f"{venue.name}, {track}"
    titles = (alias for alias in known.aliases or () if alias.startswith(f"{known.name} of "))
    return next(titles, f"{venue.name}, {known.name}")


def _within(day: date | None, year: int | None) -> date | None:
    """The day, unless proceedings of one year came out in another."""
    return day if day is not None and day.year == year else None


def _shown(author: Author) -> Author:
    return Group(literal=without_stand_ins(author.literal)) if isinstance(author, Group) else author


def _contested(paper: Paper, fields: tuple[str, ...]) -> tuple[str, ...]:
    held = ((name, getattr(paper, name)) for name in fields)
    return tuple(name for name, field in held if field is not None and field.status == "contested")
