"""Collects the papers that are to be exported, and what has to be said of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from registry.bibliography.choosing import Chooser
from registry.bibliography.manifestation import Manifestation, Preference
from registry.errors import ExportError, UnknownRecordError
from registry.lookup import exact, resolve
from registry.records import KindName
from registry.records.paper import Paper
from registry.store.entry import Entry
from registry.verify import Registry
from registry.views.shelf import Shelf

_KINDS: tuple[KindName, ...] = ("paper",)


@dataclass(frozen=True, slots=True)
class Export:
    """What is exported."""

    works: tuple[Manifestation, ...]
    remarks: tuple[str, ...]
    """What whoever cites them should know, and what is missing; each begins with a record."""
    complete: bool
    """Whether every paper that was asked for is there."""


def papers(names: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """The ``paper/id`` that each name means, each once; without names, all that count.

    Raises:
        UnknownRecordError: a name means no paper.
    """
    wanted = list(names)
    if not wanted:
        return tuple(sorted(set(_all(registry)) - {entry.key for entry in _gone(registry)}))
    return tuple(dict.fromkeys(_paper(name, registry) for name in wanted))


def left_out(registry: Registry) -> tuple[str, ...]:
    """What is to be said of the papers that do not count."""
    instead = {entry.key: entry.successor for entry in _gone(registry)}
    return tuple(
        f"{key}: left out, for it is withdrawn{f'; use {successor}' if successor else ''}"
        for key, successor in sorted(instead.items())
    )


def _all(registry: Registry) -> Iterator[str]:
    return (key for key in registry.files if key.startswith("paper/"))


def _gone(registry: Registry) -> Iterator[Entry]:
    papers = registry.index.by_kind["paper"].values()
    return (entry for entry in papers if entry.withdrawn)


def _paper(name: str, registry: Registry) -> str:
    if not exact(name, registry, _KINDS) and (others := exact(name, registry)):
        hint = "`registry list papers` shows them"
        raise UnknownRecordError(f"{others[0]} is not a paper", hint)
    return resolve(name, registry, _KINDS)


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
        paper = shelf.get(Paper, key.removeprefix("paper/"))
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
