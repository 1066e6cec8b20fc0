"""The author block of a paper, marked as papers mark it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    marks = {text: f"{number}".translate(_RAISED) for number, text in _numbered(affiliations)}
    line = joined(
        (_author(author, number, affiliations, marks) for number, author in enumerate(authors, 1)),
        ", ",
    )
    if not affiliations:
        return (Paragraph(line), Paragraph(words(quiet("No affiliations are recorded."))))
    legend = joined((f"{mark} {text}" for text, mark in marks.items()), ", ")
    remarks = joined((quiet(remark) for remark in _remarks(affiliations, shelf)), quiet("; "))
    return (Paragraph(line), Paragraph(legend), Paragraph(remarks))


def _numbered(affiliations: Sequence[Affiliation]) -> Iterable[tuple[int, str]]:
    return enumerate(dict.fromkeys(one.printed for one in affiliations), 1)


def _author(
    author: Author, position: int, affiliations: Sequence[Affiliation], marks: dict[str, str]
) -> Words:
    name = as_text(author.model_dump(exclude_none=True))
    own = [marks[one.printed] for one in affiliations if one.author == position]
    return words(strong(name), " ".join(own))


def _remarks(affiliations: Sequence[Affiliation], shelf: Shelf) -> Iterable[str]:
    """Where the affiliations come from, and what they were taken to mean by whom."""
    profile = [one.printed for one in affiliations if one.origin == "profile"]
    if len(profile) < len(affiliations):
        yield "Affiliations as the author block prints them"
    if profile:
        yield f"from a profile and not printed: {_listed(profile)}"
    resolved: dict[str, list[str]] = {}
    for one in affiliations:
        if one.organization:
            who = one.resolved_by or "somebody who is not named"
            name = shelf.label("organization", one.organization)
            renamed = [] if name == one.printed else [f"{one.printed} is {name}"]
            resolved.setdefault(who, []).extend(renamed)
    for who, renamed in resolved.items():
        yield f"resolved by {who}" + (f" ({_listed(renamed)})" if renamed else "")
    unresolved = [one.printed for one in affiliations if not one.organization]
    if unresolved:
        yield f"not resolved to an organization: {_listed(unresolved)}"


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))
