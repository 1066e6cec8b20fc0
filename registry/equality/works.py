"""Whether two descriptions are of one work.

An identifier decides, unless the title and the first author of what it points to say otherwise: an
identifier and a title that disagree need a person, because either may be the wrong one. A title
alone only proposes.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from registry.equality.identifiers import (
    is_preprint_dblp_key,
    is_preprint_doi,
    parse_arxiv_id,
    parse_dblp_key,
    parse_doi,
    parse_openreview_id,
)
from registry.equality.interface import SAME, Comparison
from registry.equality.markup import display_text
from registry.equality.names import Name, author_in_common, match_names
from registry.equality.titles import compare_titles


class Work(msgspec.Struct, frozen=True):
    """What is known of a work. Anything may be absent."""

    title: str = ""
    authors: tuple[Name, ...] = ()
    year: int | None = None
    arxiv_id: str = ""
    """This and the other identifiers in any form."""
    doi: str = ""
    openreview_id: str = ""
    dblp_key: str = ""


def same_work(one: Work, other: Work) -> Comparison:
    """Compare two descriptions.

    Args:
        one: A description, such as a record or an entry of a bibliography.
        other: What a source says it found for it.
    """
    own, found = _identifiers(one), _identifiers(other)
    shared = [name for name in own if own[name] == found.get(name)]
    if shared:
        return _confirmed_by_content(one, other, f"{shared[0]} {found[shared[0]]}")
    if differing := [name for name in own if name in found]:
        return _with_differing_identifiers(one, other, differing[0], own, found)
    return _by_title(one, other)


def _identifiers(work: Work) -> dict[str, str]:
    """Identifiers in the form that is compared; those of a preprint and a publication apart."""
    doi, key = parse_doi(work.doi).rstrip("."), parse_dblp_key(work.dblp_key)
    arxiv = parse_arxiv_id(work.arxiv_id).id
    if is_preprint_doi(doi):
        arxiv, doi = arxiv or parse_arxiv_id(doi).id, ""
    found = {
        "arXiv": arxiv,
        "DOI": doi,
        "OpenReview": parse_openreview_id(work.openreview_id),
        "DBLP": "" if is_preprint_dblp_key(key) else key,
    }
    return {name: value for name, value in found.items() if value}


def _confirmed_by_content(one: Work, other: Work, identifier: str) -> Comparison:
    if not one.title or not other.title:
        return SAME
    titles = compare_titles(one.title, other.title, same_work=True)
    if titles.outcome == "same":
        return titles
    first = _first_authors_agree(one, other)
    if first:
        return Comparison("same", "title changed", titles.note)
    if first is None and titles.kind == "title changed":
        return Comparison("cannot-tell", "title changed", titles.note)
    by = f" by {other.authors[0]}" if other.authors else ""
    note = f"{identifier} is titled “{display_text(other.title)}”{by}"
    return Comparison("different", "identifier belongs to another paper", note)


def _first_authors_agree(one: Work, other: Work) -> bool | None:
    if not one.authors or not other.authors:
        return None
    return match_names(one.authors[0], other.authors[0]).grade != "different"


def _with_differing_identifiers(
    one: Work, other: Work, name: str, own: Mapping[str, str], found: Mapping[str, str]
) -> Comparison:
    by_title = _by_title(one, other)
    if by_title.outcome == "different":
        return by_title
    note = f"{name} {own[name]} against {found[name]}"
    return Comparison("cannot-tell", "identifiers differ", note)


def _by_title(one: Work, other: Work) -> Comparison:
    if not one.title or not other.title:
        return Comparison(
            "cannot-tell", "nothing in common", "no identifier and no title to compare"
        )
    titles = compare_titles(one.title, other.title, same_work=False)
    if titles.outcome != "same":
        return titles
    if not one.authors or not other.authors:
        note = "title found, but one side names no author"
        return Comparison("cannot-tell", "not confirmed", note)
    if not author_in_common(one.authors, other.authors):
        return Comparison("different", "another work", "title found, no author in common")
    if one.year is not None and other.year is not None and abs(one.year - other.year) > 1:
        note = f"title and author found, but {one.year} and {other.year} lie apart"
        return Comparison("cannot-tell", "not confirmed", note)
    return titles
