"""The author block of a paper, marked as papers mark it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from registry.records.names import Affiliation, Author
from registry.records.paper import Paper
from registry.records.tracked import Tracked
from registry.store.wording import as_text
from registry.views.page import Paragraph, Words, joined, quiet, strong, words
from registry.views.shelf import Shelf

V = TypeVar("V")

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def preferred(field: Tracked[V] | None) -> V | None:
    """The value to use, if there is one."""
    held = field.assertions if field else ()
    return next((one.value for one in held if one.rank == "preferred"), None)


def author_block(paper: Paper, shelf: Shelf) -> tuple[Paragraph, ...]:
    """The author line with marks, the affiliations under their marks, and who resolved them."""
    authors = preferred(paper.authors) or ()
    affiliations = preferred(paper.affiliations) or ()
    printed = dict.fromkeys(one.printed for one in affiliations)
    marks = {text: f"{number}".translate(_RAISED) for number, text in enumerate(printed, 1)}
    line = joined(
        (_author(author, number, affiliations, marks) for number, author in enumerate(authors, 1)),
        ", ",
    )
    if not affiliations:
        return (Paragraph(line), Paragraph(words(quiet("No affiliations are recorded."))))
    legend = joined((f"{mark} {text}" for text, mark in marks.items()), ", ")
    remarks = "; ".join(_remarks(affiliations, authors, shelf))
    return (Paragraph(line), Paragraph(legend), Paragraph(words(quiet(remarks))))


def _author(
    author: Author, position: int, affiliations: Sequence[Affiliation], marks: dict[str, str]
) -> Words:
    own = [marks[one.printed] for one in affiliations if one.author == position]
    return words(strong(_name(author)), " ".join(own))


def _remarks(
    affiliations: Sequence[Affiliation], authors: Sequence[Author], shelf: Shelf
) -> Iterator[str]:
    """Where the affiliations come from, and what they were taken to mean by whom."""
    profile = [one.printed for one in affiliations if one.origin == "profile"]
    if not profile:
        yield "Affiliations as the author block prints them"
    elif len(profile) == len(affiliations):
        yield "Affiliations from profiles, not as printed"
    else:
        yield f"Affiliations as printed, but from a profile: {_quoted(profile)}"
    placed = {one.author for one in affiliations}
    unplaced = [_name(one) for number, one in enumerate(authors, 1) if number not in placed]
    if unplaced:
        yield f"none recorded for {', '.join(unplaced)}"
    resolved: dict[str, list[str]] = {}
    for one in affiliations:
        if one.organization:
            who = one.resolved_by or "somebody who is not named"
            name = shelf.label("organization", one.organization)
            renamed = [] if name == one.printed else [f"“{one.printed}” is {name}"]
            resolved.setdefault(who, []).extend(renamed)
    for who, renamed in resolved.items():
        told = ", ".join(dict.fromkeys(renamed))
        yield f"resolved by {who}" + (f" ({told})" if told else "")
    unresolved = [one.printed for one in affiliations if not one.organization]
    if unresolved:
        yield f"not resolved to an organization: {_quoted(unresolved)}"


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f"“{text}”" for text in dict.fromkeys(texts))


def _name(author: Author) -> str:
    return as_text(author.model_dump(exclude_none=True))
