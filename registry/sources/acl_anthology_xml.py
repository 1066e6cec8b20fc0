"""Reads the two XML forms of a paper in the ACL Anthology.

MODS is what the site exports for one paper. The ``paper`` element stands in the site's own data,
one file for each collection; evidence is transcribed from it, since it alone has affiliations and
tells of a retraction. Neither names the track: the volume's part of the id does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from registry.equality.identifiers import parse_doi
from registry.equality.withdrawal import read_standing
from registry.records.evidence import FieldName
from registry.sources.shapes import UnexpectedShapeError, one_line

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

DOI_PREFIX = "10.18653/v1/"
"""The Anthology's DOIs are this and the paper's id."""
_ID = re.compile(
    r"(?:https?://(?:www\.)?(?:aclanthology\.org|aclweb\.org/anthology)/)?"
    r"(?P<id>[0-9]{4}\.[a-z0-9]+-[a-z0-9]+\.[0-9]+|[a-z][0-9]{2}-[0-9]{4})"
    r"(?:v[0-9]+)?(?:\.(?:pdf|bib|xml|endf))?/?(?:[?#]\S*)?",
    re.IGNORECASE,
)
_NEW_ID = re.compile(r"(?P<volume>(?P<year>[0-9]{4})\.[a-z0-9]+-[a-z0-9]+)\.[0-9]+")
_COMMENT = re.compile(r"<!--\s*(https?://[^\s>]+)\s*-->")
_YEAR = re.compile(r"([0-9]{4})(?:-|$)")

_IN_MODS: tuple[FieldName, ...] = (
    "title",
    "authors",
    "venue",
    "venue_track",
    "year",
    "pages",
    "doi",
)
_IN_PAPER: tuple[FieldName, ...] = ("title", "authors", "affiliations", "pages", "doi")


@dataclass(frozen=True, slots=True)
class PaperReading:
    """What the Anthology says of a paper."""

    id: str
    """The Anthology's id, such as ``2024.acl-long.7``."""
    observation: Mapping[str, Any]
    silent_on: tuple[FieldName, ...] = ()
    status: Literal["active", "withdrawn", "retracted"] = "active"
    notes: tuple[str, ...] = ()


def anthology_id(text: str) -> str:
    """The Anthology's id in an id, an address or a DOI; empty if there is none."""
    found = _ID.fullmatch(parse_doi(text).removeprefix(DOI_PREFIX) or text.strip())
    if found is None:
        return ""
    # DOIs have no case; the ids of before 2020 begin with a capital.
    return found["id"].lower() if found["id"][0].isdigit() else found["id"].upper()


def read_mods(root: Element) -> PaperReading:
    """What the export of one paper says.

    Raises:
        UnexpectedShapeError: it is not the export of one paper.
    """
    papers = [root] if _name(root) == "mods" else root.findall("{*}mods")
    if len(papers) != 1:
        raise UnexpectedShapeError(f"it describes {len(papers)} papers")
    mods = papers[0]
    doi = _text(mods, "{*}identifier[@type='doi']")
    paper = anthology_id(_text(mods, "{*}location/{*}url")) or anthology_id(doi)
    if not paper:
        raise UnexpectedShapeError("it does not say which paper it describes")
    issued = _text(mods, "{*}originInfo/{*}dateIssued") or _text(mods, "{*}part/{*}date")
    year = _YEAR.match(issued)
    found: dict[str, Any] = {
        "title": _text(mods, "{*}titleInfo/{*}title"),
        "authors": list(_mods_authors(mods)),
        "venue": _text(mods, "{*}relatedItem[@type='host']/{*}titleInfo/{*}title"),
        "venue_track": _volume(paper),
        "year": int(year[1]) if year else None,
        "pages": _mods_pages(mods),
        "doi": doi,
    }
    return _reading(paper, found, _IN_MODS)


def read_paper(xml: str) -> PaperReading:
    """What one ``paper`` element of the Anthology's data says.

    The venue's name stands in the volume around it and is not read.

    Raises:
        UnexpectedShapeError: it is not a ``paper`` element that names its paper.
    """
    element = _parsed(xml)
    if element is None or _name(element) != "paper":
        raise UnexpectedShapeError("it is no paper element")
    doi = _text(element, "doi")
    # Since 2025 the address stands in a comment, and the file of the paper has no text.
    comment = _COMMENT.search(xml)
    named = (_text(element, "url"), comment[1] if comment else "", doi)
    paper = next(filter(None, map(anthology_id, named)), "")
    if not paper:
        raise UnexpectedShapeError("it does not say which paper it describes")
    new = _NEW_ID.fullmatch(paper)
    authors = element.findall("author")
    found: dict[str, Any] = {
        "title": _inside(element.find("title")),
        "authors": [_author(_text(one, "first"), _text(one, "last")) for one in authors],
        "affiliations": list(_affiliations(authors)),
        "venue_track": _volume(paper),
        "year": int(new["year"]) if new else None,
        "pages": _text(element, "pages"),
        "doi": doi,
    }
    relations = [relation for tag, relation in _RELATIONS.items() if element.find(tag) is not None]
    notes = (_notice(notice) for notice in element if notice.tag in (*_RELATIONS, "revision"))
    return _reading(paper, found, _IN_PAPER, relations, tuple(notes))


_RELATIONS = {"retracted": "retraction", "removed": "removal", "erratum": "erratum"}
"""Elements to what they say was published about the paper."""


def _reading(
    paper: str,
    found: Mapping[str, Any],
    looked_for: Sequence[FieldName],
    relations: Sequence[str] = (),
    notes: tuple[str, ...] = (),
) -> PaperReading:
    observation = {name: value for name, value in found.items() if value not in (None, "", [])}
    standing = read_standing(title=observation.get("title"), relations=relations)
    if standing.status == "retraction notice":
        status: Literal["active", "withdrawn", "retracted"] = "active"
        notes = (*notes, "this is the notice that retracts a paper, not the paper")
    else:
        status = standing.status
    silent = tuple(name for name in looked_for if name not in observation)
    return PaperReading(paper, observation, silent, status, notes)


def _volume(paper: str) -> str:
    """The volume's id, which names the track; ids of before 2020 name none."""
    new = _NEW_ID.fullmatch(paper)
    return new["volume"] if new else ""


def _mods_authors(mods: Element) -> Iterator[str]:
    for name in mods.findall("{*}name"):
        if _text(name, "{*}role/{*}roleTerm") != "author":
            continue
        parts: dict[str, list[str]] = {}
        for part in name.findall("{*}namePart"):
            parts.setdefault(part.get("type", ""), []).append(_words(part))
        given, family, suffix, whole = (
            " ".join(parts.get(kind, ())).strip() for kind in ("given", "family", "suffix", "")
        )
        yield _author(given, family or whole, suffix)


def _author(given: str, family: str, suffix: str = "") -> str:
    """A name in BibTeX's grammar.

    Raises:
        UnexpectedShapeError: there is no name. An author left out would look missing.
    """
    if not family:
        given, family = "", given
    if not family:
        raise UnexpectedShapeError("an author has no name")
    if "," in family or (" " in family and not given):
        # A comma, or the spaces in the name of a group, would be taken for the grammar's own.
        family = f"{{{family}}}"
    return ", ".join(filter(None, (family, suffix, given)))


def _mods_pages(mods: Element) -> str:
    extent = mods.find("{*}part/{*}extent[@unit='page']")
    if extent is None:
        return ""
    return "-".join(filter(None, (_text(extent, "{*}start"), _text(extent, "{*}end"))))


def _affiliations(authors: Sequence[Element]) -> Iterator[dict[str, Any]]:
    for position, author in enumerate(authors, 1):
        for affiliation in author.findall("affiliation"):
            if printed := _words(affiliation):
                # It is the one of the author's OpenReview profile, not the paper's.
                yield {"author": position, "printed": printed, "origin": "profile"}


def _notice(element: Element) -> str:
    """What the Anthology tells of a retraction, an erratum or a revision."""
    what = f"{element.tag} {element.get('id', '')}".strip()
    date = element.get("date", "")
    return ": ".join(filter(None, (f"{what} ({date})" if date else what, _words(element))))


def _parsed(xml: str) -> Element | None:
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        found: Element = fromstring(xml.strip(), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return None
    return found


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _words(element: Element | None) -> str:
    return one_line("".join(element.itertext())) if element is not None else ""


def _text(element: Element, path: str) -> str:
    return _words(element.find(path))


def _inside(element: Element | None) -> str:
    """The title with its mark-up, as the Anthology writes it."""
    if element is None:
        return ""
    from xml.etree.ElementTree import tostring

    whole = tostring(element, encoding="unicode").strip()
    return one_line(whole[whole.find(">") + 1 : whole.rfind("<")])
