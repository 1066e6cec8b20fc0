"""Reads one entry of Semantic Scholar as it comes from any endpoint of its graph.

Entries are put together from several places and upgraded by halves: the venue of the proceedings
beside the DOI, the journal and the year of the preprint is common. They are given as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from registry.equality.identifiers import is_preprint_doi, parse_arxiv_id, parse_doi
from registry.equality.withdrawal import read_standing
from registry.sources.shapes import (
    UnexpectedShapeError,
    one_line,
    part_of,
    parts_of,
    text_of,
    whole_of,
)

FIELDS = ("title", "authors", "year", "venue", "publicationVenue", "journal", "externalIds")
"""What has to be asked for."""


@dataclass(frozen=True, slots=True)
class Ids:
    """The identifiers that tell papers apart. A preprint's DOI counts as its arXiv id."""

    arxiv: str = ""
    doi: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Those that are known."""
        return tuple(filter(None, (self.arxiv, self.doi)))

    def agreement(self, other: Ids) -> Literal["same", "different", "unknown"]:
        """Whether both name one paper, as far as both have the same kind of identifier."""
        pairs = [(self.arxiv, other.arxiv), (self.doi, other.doi)]
        comparable = [one == two for one, two in pairs if one and two]
        if not comparable:
            return "unknown"
        return "same" if any(comparable) else "different"


def ids_from(arxiv_id: str, doi: str) -> Ids:
    """Identifiers in any form, in the form that is compared."""
    arxiv, bare = parse_arxiv_id(arxiv_id).id, parse_doi(doi)
    if is_preprint_doi(bare):
        return Ids(arxiv or parse_arxiv_id(bare).id)
    return Ids(arxiv, bare)


@dataclass(frozen=True, slots=True)
class Reading:
    """What an entry says."""

    paper_id: str
    ids: Ids
    observation: dict[str, Any]
    status: Literal["active", "withdrawn", "retracted"]
    notes: tuple[str, ...] = ()


def read_entry(entry: object) -> Reading:
    """Read an entry.

    Raises:
        UnexpectedShapeError: it is none, or a value in it is of the wrong type.
    """
    if not isinstance(entry, dict):
        raise UnexpectedShapeError("an entry is no mapping")
    paper_id = text_of(entry, "paperId")
    if not paper_id:
        raise UnexpectedShapeError("an entry has no paperId")
    external, journal = part_of(entry, "externalIds"), part_of(entry, "journal")
    title = text_of(entry, "title")
    people, nameless = _authors(entry)
    venues = (
        text_of(part_of(entry, "publicationVenue"), "name"),
        text_of(entry, "venue"),
        text_of(journal, "name"),
    )
    volume = text_of(journal, "volume")
    values: dict[str, Any] = {
        "title": title,
        "authors": people,
        "year": whole_of(entry, "year"),
        "venue": next(filter(None, venues), ""),
        # The volume of a CoRR entry is the preprint's id.
        "volume": "" if volume.lower().startswith("abs/") else volume,
        "pages": text_of(journal, "pages"),
        "doi": text_of(external, "DOI"),
        "arxiv_id": text_of(external, "ArXiv"),
    }
    standing = read_standing(title=title)
    is_notice = standing.status == "retraction notice"
    return Reading(
        paper_id,
        ids_from(values["arxiv_id"], values["doi"]),
        {field: value for field, value in values.items() if value},
        "active" if standing.status == "retraction notice" else standing.status,
        tuple(filter(None, ("this is a retraction notice" if is_notice else "", nameless))),
    )


def _authors(entry: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    """The author line, and a note if it cannot be given."""
    people = [text_of(author, "name") for author in parts_of(entry, "authors")]
    if not all(people):
        # Left out, they would make the others look like the whole line.
        return (), f"{people.count('')} of {len(people)} authors have no name"
    return tuple(people), ""


Said = Reading | str | None
"""What is said under one name: an entry, why it cannot be used, or None if the name is unknown."""


def ids_of(name: str) -> Ids:
    """The identifier in a name such as ``ARXIV:2401.15077`` or ``DOI:10.1000/182``."""
    scheme, _, rest = name.partition(":")
    return ids_from(rest, "") if scheme == "ARXIV" else ids_from("", rest)


def read_under(name: str, known: Ids, entry: object) -> Reading | str:
    """The entry that came for a name, or why it cannot be used.

    Args:
        name: What was asked for.
        known: All identifiers that are known of the paper.
        entry: The entry as plain data.
    """
    try:
        reading = read_entry(entry)
    except UnexpectedShapeError as error:
        return f"broken answer: {error}"
    if _is_other(name, known, reading):
        other = reading.ids.arxiv or reading.ids.doi
        return f"broken answer: the entry of {other} came where {name} was asked for"
    return reading


def read_batch(asked: Mapping[str, Ids], data: object) -> dict[str, Said]:
    """What the answer to a batch says under each name.

    An entry that was led elsewhere spoils its own place. An entry that was asked for in another
    place, or one too many or too few, means that no place can be trusted; then only an entry that
    carries the very identifier is taken, and a gap says nothing.

    Args:
        asked: The names in the order that they were asked in, and what is known of each paper.
        data: The answer as plain data.
    """
    if not isinstance(data, list):
        return dict.fromkeys(asked, "broken answer: it is no list of entries")
    if len(data) == len(asked) and not _shifted(asked, data):
        return {
            name: None if entry is None else read_under(name, known, entry)
            for (name, known), entry in zip(asked.items(), data, strict=True)
        }
    readings = list(_readable(data))
    lost = "broken answer: its entries do not stand where they were asked for"
    return {
        name: next((one for one in readings if known.agreement(one.ids) == "same"), lost)
        for name, known in asked.items()
    }


def read_match(data: object) -> Reading | str:
    """The entry that a search by title proposes, or why it cannot be used.

    Args:
        data: The answer as plain data.
    """
    try:
        found = parts_of(data if isinstance(data, dict) else {}, "data")
        # A title that finds nothing is answered with 404, so nothing here is a loss on the way.
        return read_entry(found[0]) if found else "broken answer: it holds no entry"
    except UnexpectedShapeError as error:
        return f"broken answer: {error}"


def _shifted(asked: Mapping[str, Ids], data: list[Any]) -> bool:
    everywhere = {text for name in asked for text in ids_of(name).texts}
    for (name, known), entry in zip(asked.items(), data, strict=True):
        for reading in _readable([entry]):
            if _is_other(name, known, reading) and everywhere.intersection(reading.ids.texts):
                return True
    return False


def _is_other(name: str, known: Ids, reading: Reading) -> bool:
    own = ids_of(name).agreement(reading.ids)
    return own == "different" and known.agreement(reading.ids) != "same"


def _readable(data: list[Any]) -> Iterator[Reading]:
    for entry in data:
        with suppress(UnexpectedShapeError):
            yield read_entry(entry)


def error_of(data: object) -> str:
    """The text of a refusal; empty if it has none of the usual form."""
    error = data.get("error") if isinstance(data, dict) else None
    return one_line(error)[:200] if isinstance(error, str) else ""
