"""Whether what a source keeps under an identifier is the paper that was asked about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from registry.equality.names import parse_name
from registry.equality.works import Work, same_work
from registry.records.evidence import FieldName
from registry.sources.interface import Query, Speech

_OTHER = "identifier belongs to another paper"


def belonging(query: Query, found: Mapping[str, Any], **identifier: str) -> tuple[str, ...]:
    """A note for a person where title and first author are those of another paper, else nothing.

    The observation stands as it is in either case: the identifier or the record may be wrong.

    Args:
        query: What was asked.
        found: The observation under the identifier.
        identifier: The identifier that led there, by its name in ``Work``.
    """
    asked = _work(query.title, query.authors, query.year, identifier)
    answer = _work(found.get("title", ""), found.get("authors", ()), found.get("year"), identifier)
    result = same_work(asked, answer)
    return (f"{_OTHER}: {result.note}",) if result.kind == _OTHER else ()


def silent(speaks: Iterable[Speech], found: Mapping[str, Any]) -> tuple[FieldName, ...]:
    """The fields that a source can speak about and that an observation lacks."""
    return tuple(name for speech in speaks for name in speech.fields if name not in found)


def _work(
    title: str, authors: Iterable[str], year: int | None, identifier: Mapping[str, str]
) -> Work:
    return Work(title, tuple(map(parse_name, authors)), year, **identifier)
