"""A paper: all that is known about it, what is disputed about it, and what it claims."""

from __future__ import annotations

from collections.abc import Iterator

from registry.records.paper import Paper
from registry.views.authors import author_block
from registry.views.collect import Belongings, Subject, belongings
from registry.views.disputes import contested, settled, withdrawal
from registry.views.facts import facts, other_values, unconfirmed
from registry.views.hardware import hardware
from registry.views.headlines import headlines
from registry.views.measured import measured
from registry.views.methods import adoption, apart, implementation
from registry.views.page import Page, Pairs, Paragraph, Section, Words, joined, words
from registry.views.shelf import Shelf

_IN_THE_HEAD = ("title", "authors", "affiliations")
"""Fields whose values stand at the top of the page."""


def page(subject: Subject, paper: Paper) -> Page:
    """The page of a paper."""
    found = belongings(subject, paper)
    shelf = subject.shelf
    return Page(
        title=subject.entry.label,
        key=subject.key,
        opening=(*withdrawal(subject), *author_block(paper, shelf), *contested(subject)),
        sections=(
            *facts(subject, shown_above=_IN_THE_HEAD),
            *settled(subject),
            *other_values(subject),
            *unconfirmed(subject),
            *_versions(paper),
            hardware(paper, shelf),
            *_claims(found, subject),
            *measured(found, shelf),
            adoption(found, shelf),
            *apart(paper, found, shelf),
            implementation(found),
            *_related(paper, found, shelf),
        ),
    )


def _versions(paper: Paper) -> tuple[Section, ...]:
    rows = [
        (
            version.version,
            joined(
                (
                    f"{version.submitted}" if version.submitted else "day unknown",
                    version.changes or "",
                )
            ),
        )
        for version in paper.arxiv_versions or ()
    ]
    return (Section("Versions of the preprint", (Pairs(tuple(rows)),)),) if rows else ()


def _claims(found: Belongings, subject: Subject) -> Iterator[Section]:
    if not found.claims:
        yield Section("Claims", (Paragraph(words("No claims of this paper are recorded.")),))
    for record in found.claims:
        yield headlines(record, subject.shelf)


def _related(paper: Paper, found: Belongings, shelf: Shelf) -> Iterator[Section]:
    """Other publications of the same work, what came before and after, and numbers elsewhere."""
    rows: list[tuple[str, Words]] = []
    for related in paper.related or ():
        if related.relation != "confused-with":
            record = f"[paper/{related.paper}]" if related.paper else ""
            day = f"{related.date}" if related.date else ""
            rows.append((related.relation, joined((related.text, day, record))))
    for method in found.later:
        keys = f"[method/{method.id}, paper/{method.introduced_by}]"
        rows.append(("later method", words(f"{method.name} builds on it {keys}")))
    if found.elsewhere:
        keys = ", ".join(f"claims/{record.id}" for record in found.elsewhere)
        rows.append(("also measured", words(f"in other papers: {keys}")))
    if rows:
        yield Section("Related", (Pairs(tuple(rows)),))
