"""Those who were heard about a paper that has no record yet, and what their word is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from registry.checks.matrix import Comparer
from registry.equality.identifiers import parse_arxiv_id, parse_doi
from registry.equality.names import author_in_common, parse_name
from registry.equality.titles import compare_titles
from registry.sources import MODULES
from registry.sources.interface import Query
from registry.store.entry import Entry, Heard

_WORTH = ("authoritative", "reliable", "weak", "")
_USUAL = list(MODULES)


@dataclass(frozen=True)
class Panel:
    """The evidence about one paper, in an index that holds all of it."""

    key: str
    """``paper/id``."""
    asked: Query
    """The identifier that the paper was asked for by."""
    comparer: Comparer
    witnesses: tuple[Entry, ...] = field(init=False)
    """Answers that count, oldest first."""

    def __post_init__(self) -> None:
        """Leave out what was not answered, not confirmed, or withdrawn."""
        known = self.comparer.index.evidence_about.get(self.key, ())
        counting = (one for one in known if not one.withdrawn and said(one).confirmed)
        found = tuple(one for one in counting if said(one).outcome == "answered")
        object.__setattr__(self, "witnesses", found)

    @cached_property
    def latest(self) -> dict[tuple[str, str], str]:
        """Source and field to the id of the answer in which it spoke about that field last."""
        return {
            (said(one).source, name): one.id
            for one in self.witnesses
            for name in said(one).observed
        }

    def ranked(self, name: str) -> list[Entry]:
        """Who speaks about a field: the most trusted first, and of one source the latest."""
        speaking = [one for one in reversed(self.witnesses) if name in said(one).observed]
        return sorted(speaking, key=lambda one: (self._worth(one, name), _place(one)))

    def trust(self, witness: Entry, name: str) -> str:
        """What a source's word is worth on a field; empty if nobody said."""
        source = self.comparer.index.get("source", said(witness).source)
        speeches = source.extra.get("speaks_about", ()) if source is not None else ()
        return next((str(one["trust"]) for one in speeches if name in one["fields"]), "")

    def label(self, witness: Entry) -> str:
        """The name of a source."""
        return self.comparer.label(said(witness).source)

    def strangers(self) -> dict[str, str]:
        """Answers about another paper than the one whose identifier was asked for, with the reason.

        An identifier leads elsewhere at times. Who assigns it, or knows best of those that repeat
        it, says which paper it is.
        """
        anchor = self._anchor()
        if anchor is None:
            return {}
        told = said(anchor).observed
        return {
            one.id: f"its title is “{said(one).observed['title']}”, by other authors than "
            f"“{told['title']}”, which {self.label(anchor)} has under the identifier"
            for one in self.witnesses
            if not _alike(told, said(one).observed)
        }

    def repeats(self, witness: Entry) -> bool:
        """Whether an answer holds the identifier that was asked for."""
        return observes(said(witness).observed, self.asked)

    def _anchor(self) -> Entry | None:
        name = "arxiv_id" if self.asked.arxiv_id else "doi"
        whole = [one for one in self.witnesses if {"title", "authors"} <= said(one).observed.keys()]
        whole.sort(key=lambda one: (not self.repeats(one), self._worth(one, name), _place(one)))
        return whole[0] if whole else None

    def _worth(self, witness: Entry, name: str) -> int:
        return _WORTH.index(self.trust(witness, name))


def said(witness: Entry) -> Heard:
    """What an evidence record says."""
    assert witness.heard is not None
    return witness.heard


def observes(observed: Mapping[str, Any], asked: Query) -> bool:
    """Whether an observation holds the arXiv id or the DOI that is asked for."""
    doi = parse_doi(str(observed.get("doi", "")))
    if asked.arxiv_id:
        arxiv = parse_arxiv_id(str(observed.get("arxiv_id", ""))).id
        # The DOI of a preprint holds the id.
        return asked.arxiv_id in (arxiv, parse_arxiv_id(doi).id)
    return bool(doi) and doi.rstrip(".") == asked.doi.rstrip(".")


def names_in(labels: Sequence[str]) -> str:
    """Names as a sentence has them: ``DBLP, PMLR and arXiv``."""
    *others, last = dict.fromkeys(labels)
    return f"{', '.join(others)} and {last}" if others else last


def _place(witness: Entry) -> int:
    """The sources that the program asks come in their own order, before all others."""
    source = said(witness).source
    return _USUAL.index(source) if source in _USUAL else len(_USUAL)


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if not {"title", "authors"} <= other.keys():
        return True
    if compare_titles(one["title"], other["title"], same_work=True).outcome == "same":
        return True
    return author_in_common(map(parse_name, one["authors"]), map(parse_name, other["authors"]))
