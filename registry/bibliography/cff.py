"""A CITATION.cff (Citation File Format 1.2.0), for the repository of a paper's code.

The file describes the repository, and asks in ``preferred-citation`` to cite the paper instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from registry.bibliography.manifestation import Form, Manifestation
from registry.errors import ExportError
from registry.records.names import Author, Group

_TYPES: dict[Form, str] = {
    "proceedings": "conference-paper",
    "journal": "article",
    "preprint": "generic",
    "unplaced": "generic",
}
_ORCID = "https://orcid.org/"


def render(works: Sequence[Manifestation]) -> str:
    """The file for one work.

    Raises:
        ExportError: there is more than one, or none.
    """
    if len(works) != 1:
        hint = "name one paper, or choose another format"
        raise ExportError(f"a CITATION.cff prefers one citation, not {len(works)}", hint)
    (work,) = works
    authors = [_author(author) for author in work.authors]
    document = {
        "cff-version": "1.2.0",
        "message": "If you use this, please cite the paper below.",
        "title": work.title,
        "authors": authors,
        "repository-code": work.code,
        "preferred-citation": _citation(work, authors),
    }
    return yaml.dump(_filled(document), Dumper=_Plain, sort_keys=False, allow_unicode=True)


class _Plain(yaml.SafeDumper):
    """Writes the authors twice, where others would make an alias that some readers refuse."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _citation(work: Manifestation, authors: list[dict[str, str]]) -> dict[str, Any]:
    first, last = work.page_ends
    proceedings = work.form == "proceedings"
    return _filled(
        {
            "type": _TYPES[work.form],
            "title": work.title,
            "authors": authors,
            "conference": {"name": work.venue} if proceedings else None,
            "collection-title": work.container if proceedings else "",
            "journal": work.container if work.form == "journal" else "",
            "publisher": {"name": work.publisher} if work.publisher else None,
            "volume": work.volume,
            "start": first,
            "end": last,
            "year": work.year,
            "date-published": work.day.isoformat() if work.day else "",
            "doi": work.doi,
            "url": work.url,
        }
    )


def _author(author: Author) -> dict[str, str]:
    if isinstance(author, Group):
        return {"name": author.literal}
    return _filled(
        {
            "family-names": author.family,
            "given-names": author.given,
            "name-particle": author.particle,
            "name-suffix": author.suffix,
            "orcid": f"{_ORCID}{author.orcid}" if author.orcid else "",
        }
    )


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value not in (None, "")}
