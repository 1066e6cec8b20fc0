"""A paper: all that is known about it, what is disputed about it, and what it claims."""

from __future__ import annotations

from collections.abc import Iterator

from registry.records.paper import ArxivVersion, Paper
from registry.views.authors import author_block
from registry.views.collect import Belongings, Subject, belongings
from registry.views.disputes import contested, fallen, settled, withdrawal
from registry.views.facts import facts, other_values, unconfirmed
from registry.views.hardware import hardware
from registry.views.headlines import headlines
from registry.views.measured import measured
from registry.views.methods import adoption, methods
from registry.views.page import Page, Pairs, Paragraph, Section, joined, words
from registry.views.shelf import Shelf
from registry.views.values import brief

_IN_THE_HEAD = ("title", "authors", "affiliations")
"""Fields whose values stand at the top of the page."""

RELATED = 60
"""Characters of what is said of a related work that are shown."""


def page(subject: Subject, paper: Paper) -> Page:
    """The page of a paper."""
    found = belongings(subject, paper)
    shelf = subject.shelf
    return Page(
        title=subject.entry.label,
        key=subject.key,
        opening=(
            *withdrawal(subject),
            *fallen(subject),
            *author_block(paper, shelf),
            *contested(subject, _IN_THE_HEAD),
        ),
        sections=(
            *facts(subject, shown_above=_IN_THE_HEAD),
            *settled(subject, _IN_THE_HEAD),
            *other_values(subject),
            *unconfirmed(subject),
            hardware(paper, shelf),
            *_claims(found, subject),
            *measured(found, shelf),
            adoption(found, shelf),
            methods(paper, found, shelf),
            *_related(paper, found, shelf),
        ),
    )


def _claims(found: Belongings, subject: Subject) -> Iterator[Section]:
    if not found.claims:
        yield Section("Claims", (Paragraph(words("No claims of this paper are recorded.")),))
    for record in found.claims:
        yield headlines(record, {method.id for method in found.methods}, subject.shelf)


def _related(paper: Paper, found: Belongings, shelf: Shelf) -> Iterator[Section]:
    """Other publications of the same work, what came before and after, and numbers elsewhere."""
    versions = joined((_version(one) for one in paper.arxiv_versions or ()), "; ")
    rows = [("note", words(brief(paper.note)))] if paper.note else []
    rows += [("preprint", versions)] if versions else []
    for related in paper.related or ():
        if related.relation != "confused-with":
            record = f"[paper/{related.paper}]" if related.paper else ""
            day = f"{related.date}" if related.date else ""
            rows.append((related.relation, joined((brief(related.text, RELATED), day, record))))
    if found.elsewhere:
        keys = ", ".join(f"claims/{record.id}" for record in found.elsewhere)
        rows.append(("also measured", words(f"in other papers: {keys}")))
    if rows:
        yield Section("Notes, versions and related work", (Pairs(tuple(rows)),))


def _version(one: ArxivVersion) -> str:
    day = f"{one.version} {one.submitted or '(day unknown)'}"
    return f"{day}: {brief(one.changes)}" if one.changes else day
