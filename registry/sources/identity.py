"""Whether what a source keeps under an identifier is the paper that was asked about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from registry.equality.names import parse_name
from registry.equality.works import Work, same_work
from registry.records.evidence import FieldName
from registry.sources.interface import Query, Speech

_OTHER = "identifier belongs to another paper"
_IDENTIFIERS = ("arxiv_id", "doi", "openreview_id", "dblp_key")


def belonging(query: Query, found: Mapping[str, Any], **identifier: str) -> tuple[str, ...]:
    """A note for a person where title and first author are those of another paper, else nothing.

    The observation stands as it is in either case: the identifier or the record may be wrong.

    Args:
        query: What was asked.
        found: The observation under the identifier.
        identifier: The identifier that led there, by its name in ``Work``.
    """
    asked = Work(query.title, tuple(map(parse_name, query.authors)), query.year)
    answer = Work(
        found.get("title", ""), tuple(map(parse_name, found.get("authors", ()))), found.get("year")
    )
    result = same_work(
        msgspec.structs.replace(asked, **identifier), msgspec.structs.replace(answer, **identifier)
    )
    return (f"{_OTHER}: {result.note}",) if result.kind == _OTHER else ()


def mistaken(query: Query, found: Mapping[str, Any]) -> tuple[str, ...]:
    """The same, where the observation itself repeats the identifier that was asked for."""
    shared = {name: getattr(query, name) for name in _IDENTIFIERS if found.get(name)}
    return belonging(query, found, **shared)


def silent(speaks: Iterable[Speech], found: Mapping[str, Any]) -> tuple[FieldName, ...]:
    """The fields that a source can speak about and that an observation lacks."""
    return tuple(name for speech in speaks for name in speech.fields if name not in found)
