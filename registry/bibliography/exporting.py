"""Collects the papers that are to be exported, and what has to be said of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from registry.bibliography.choosing import Chooser
from registry.bibliography.manifestation import Manifestation, Preference
from registry.errors import ExportError, UnknownRecordError
from registry.lookup import matches, resolve
from registry.records.paper import Paper
from registry.verify import Registry
from registry.views.shelf import Shelf

_PAPER = "paper/"


@dataclass(frozen=True, slots=True)
class Export:
    """What is exported."""

    works: tuple[Manifestation, ...]
    remarks: tuple[str, ...]
    """What whoever cites them should know, and what is missing; each begins with a record."""
    complete: bool
    """Whether every paper that was asked for is there."""


def papers(names: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """The ``paper/id`` that each name means, each once; all papers if there are no names.

    Raises:
        UnknownRecordError: a name means no paper.
    """
    wanted = list(names)
    if not wanted:
        return tuple(sorted(key for key in registry.files if key.startswith(_PAPER)))
    return tuple(dict.fromkeys(_paper(name, registry) for name in wanted))


def _paper(name: str, registry: Registry) -> str:
    found = next((key for key in matches(name, registry) if key.startswith(_PAPER)), None)
    if found is None:
        key = resolve(name, registry)
        raise UnknownRecordError(f"{key} is not a paper", "`registry list papers` shows them")
    return found


def export(keys: Iterable[str], registry: Registry, prefer: Preference) -> Export:
    """The papers in the manifestation that is preferred, or else in the one that they have.

    Raises:
        UnreadableError: a file can no longer be read.
    """
    shelf = Shelf(registry)
    chooser = Chooser(shelf, prefer)
    works: list[Manifestation] = []
    remarks: list[str] = []
    complete = True
    for key in keys:
        paper = shelf.get(Paper, key.removeprefix(_PAPER))
        try:
            if paper is None:
                raise ExportError(f"`registry show {key}` tells what is wrong with its file")
            choice = chooser.choose(paper)
        except ExportError as error:
            complete = False
            remarks.append(f"{key}: not exported: {error.message}")
            continue
        works.append(choice.work)
        remarks += [f"{key}: {remark}" for remark in choice.remarks]
    return Export(tuple(works), tuple(remarks), complete)
