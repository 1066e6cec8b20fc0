"""A value beside the one in use: of a list only what is different, so that it can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.store.wording import as_text
from registry.views.collect import Subject, TrackedField
from registry.views.values import value_text


def other_value_text(field: TrackedField, value: Any, subject: Subject) -> str:
    """A value that is not the one in use, in the words of a page.

    Args:
        field: The field that holds both.
        value: The other value, as plain data.
        subject: The record.
    """
    if not isinstance(value, list) or not isinstance(field.value, list):
        return value_text(field.name, value, subject.shelf)
    if field.name == "affiliations":
        return _affiliations(value, field.value, _authors(subject))
    return _items([as_text(one) for one in value], [as_text(one) for one in field.value])


def _authors(subject: Subject) -> list[str]:
    line = next((field.value for field in subject.tracked if field.name == "authors"), None)
    return [as_text(author) for author in line or ()]


def _items(mine: Sequence[str], used: Sequence[str]) -> str:
    """What a list has and has not beside the one in use, and whether the rest keeps its order."""
    lacks = [item for item in dict.fromkeys(used) if item not in mine]
    adds = [item for item in dict.fromkeys(mine) if item not in used]
    instead = {gone: new for gone in lacks for new in adds if used.index(gone) == mine.index(new)}
    told = [f"“{new}” for “{gone}”" for gone, new in instead.items()]
    told += [f"without “{item}”" for item in lacks if item not in instead]
    told += [f"with “{item}”" for item in adds if item not in instead.values()]
    if [item for item in mine if item in used] != [item for item in used if item in mine]:
        told.append("the others in another order" if told else "the same in another order")
    return ", ".join(told) or "the same words"


def _affiliations(
    mine: Sequence[dict[str, Any]], used: Sequence[dict[str, Any]], authors: Sequence[str]
) -> str:
    """The affiliations of every author whose affiliations are not those in use."""
    differs = [
        (position, printed)
        for position in sorted({one["author"] for one in (*mine, *used)})
        if (printed := _printed(mine, position)) != _printed(used, position)
    ]
    told = [
        f"{_name(authors, position)}: {', '.join(f'“{text}”' for text in printed)}"
        for position, printed in differs
        if printed
    ]
    without = [_name(authors, position) for position, printed in differs if not printed]
    told += [f"none for {', '.join(without)}"] if without else []
    return "; ".join(told) or "the same words"


def _printed(block: Sequence[dict[str, Any]], position: int) -> list[str]:
    return [one["printed"] for one in block if one["author"] == position]


def _name(authors: Sequence[str], position: int) -> str:
    return authors[position - 1] if position <= len(authors) else f"author {position}"
