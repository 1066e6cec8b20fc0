"""A new paper with all that has to come with it: its evidence, and the sources that gave it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from registry.adding.naming import free_slug
from registry.adding.panel import Panel, observes, said
from registry.adding.recorded import asked_identifier, begun, is_taken, refuse_twin
from registry.adding.scaffold import Scaffold, scaffold
from registry.adding.text import as_file
from registry.checks.matrix import Comparer
from registry.editing.plan import prose
from registry.equality.names import parse_authors
from registry.errors import ChangedError, EditError, OccupiedError
from registry.recording import as_evidence, evidence_name, heard_already
from registry.recording import as_file as evidence_file
from registry.records.base import SLUG_PATTERN
from registry.sources.arxiv_history import Version
from registry.sources.interface import Answer, Query
from registry.store.entry import IDENTIFIERS
from registry.store.reader import read
from registry.store.root import read_bytes, shipped_root
from registry.store.write import create, unwritable
from registry.trial import file_of, with_files
from registry.verify import Registry

_ANYBODY = "paper/new"
"""Stands for the record while its id is not known."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be added, and by whom."""

    asked: Query
    """The identifier."""
    slug: str
    """The id that was chosen; empty if one is to be found."""
    by: str
    day: date
    via: str = ""
    """Address of a mirror that the answers came through."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A new paper that was worked out."""

    key: str
    """``paper/id``."""
    files: dict[str, bytes]
    """``kind/id`` to the new file, in the order in which they are to be written."""
    made: Scaffold
    recorded: int
    """Pieces of evidence that were recorded before."""
    strangers: dict[str, str]
    """Evidence that is kept, but is about another paper, with the reason."""


def plan(
    registry: Registry, wish: Wish, answers: Sequence[Answer], versions: Sequence[Version]
) -> Addition:
    """Work out a new paper from what the sources answered and what is recorded about it.

    Args:
        registry: Where it is to be added.
        wish: What is asked for.
        answers: What was heard just now.
        versions: The versions of the preprint, where arXiv gave them.

    Raises:
        OccupiedError: the paper or the id is on record.
        EditError: no record can be made of it.
    """
    slug = chosen_id(registry, wish) or _named(registry, wish, answers)
    key = f"paper/{slug}"
    answers = [replace(one, record=key) for one in answers if one.outcome != "could-not-ask"]
    # Should the writing be cut short, whoever comes next has to find what was begun.
    answers.sort(key=lambda one: not observes(one.observation, wish.asked))
    recorded = len(registry.index.evidence_about.get(key, ()))
    panel, files, strangers = _heard(registry, wish, key, answers)
    if not panel.witnesses:
        raise EditError(f"nothing is known of {wish.asked.record}")
    made = scaffold(panel, versions, prose(wish.by, "--by"), wish.day)
    values = {name: made.data[name] for name in IDENTIFIERS if name in made.data}
    held = {name: one["assertions"][0]["value"] for name, one in values.items()}
    refuse_twin(registry, held)
    files[key] = as_file(made)
    return Addition(key, files, made, recorded, strangers)


def chosen_id(registry: Registry, wish: Wish) -> str:
    """The id that was chosen, or under which the paper was begun; empty if there is neither.

    Raises:
        OccupiedError: the paper or the id is on record.
        EditError: the id is none, or the paper was begun under another.
    """
    if wish.slug and not re.fullmatch(SLUG_PATTERN, wish.slug):
        hint = "write lower-case letters, digits and single hyphens, such as eagle-2"
        raise EditError(f"{wish.slug!r} is no id", hint)
    refuse_twin(registry, asked_identifier(wish.asked))
    started = begun(registry, wish.asked, wish.slug)
    if wish.slug and not started and is_taken(registry, wish.slug):
        entry = registry.index.get("paper", wish.slug)
        what = f"paper/{wish.slug}" if entry is None else f"{entry.key}, “{entry.label}”"
        raise OccupiedError(f"the id is taken: {what}", "ids are never reused; choose another")
    return started or wish.slug


def write(root: Path, addition: Addition) -> None:
    """Write the files, the paper last; what is cut short is completed by adding it once more.

    Raises:
        ChangedError: somebody else made one of the files meanwhile.
        UnreadableError: a file cannot be written.
    """
    for key, raw in addition.files.items():
        path = root / file_of(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            create(path, raw)
        except FileExistsError:
            hint = "run the command once more, which goes on from there"
            raise ChangedError(f"{file_of(key)} came into being meanwhile", hint) from None
        except OSError as error:
            raise unwritable(path, error) from error


def _named(registry: Registry, wish: Wish, answers: Sequence[Answer]) -> str:
    """An id by the title that the most trusted source gives."""
    heard = [replace(one, record=_ANYBODY) for one in answers if one.outcome == "answered"]
    panel, _, _ = _heard(registry, wish, _ANYBODY, heard)
    titled, signed = panel.ranked("title"), panel.ranked("authors")
    if not titled:
        hint = (
            "choose an id with --id; if a title cannot be had from the sources, `registry "
            "cite-evidence FILE --new --about paper/ID ... --field title=...` records one"
        )
        raise EditError(f"no source gives a title for {wish.asked.record}", hint)
    line = parse_authors(said(signed[0]).observed["authors"]).names if signed else ()
    slug = free_slug(
        str(said(titled[0]).observed["title"]),
        line[0] if line else None,
        wish.asked.arxiv_id or wish.asked.doi,
        lambda one: is_taken(registry, one),
    )
    if not slug:
        raise OccupiedError("every id that the title suggests is taken", "choose one with --id")
    return slug


def _heard(
    registry: Registry, wish: Wish, key: str, answers: Sequence[Answer]
) -> tuple[Panel, dict[str, bytes], dict[str, str]]:
    """Those who were heard about this paper, the files that keep it, and who was led elsewhere."""
    doubts: dict[str, str] = {}
    while True:
        files = _evidence(registry, wish, answers, doubts)
        files = _sources(registry, answers) | files
        panel = Panel(key, wish.asked, Comparer(with_files(registry, files).index))
        strangers = panel.strangers()
        for name in strangers:
            if f"evidence/{name}" not in files:
                hint = f"if so, write into it `confirmed: false`, and why: {strangers[name]}"
                raise EditError(f"evidence/{name} seems to be about another paper", hint)
        if not strangers:
            return panel, files, doubts
        doubts |= strangers


def _evidence(
    registry: Registry, wish: Wish, answers: Iterable[Answer], doubts: dict[str, str]
) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for answer in answers:
        if heard_already(registry.index, answer, wish.day):
            continue
        stem = name = evidence_name(answer, wish.day)
        number = 1
        while f"evidence/{name}" in registry.files or f"evidence/{name}" in files:
            number += 1
            name = f"{stem}-{number}"
        data = as_evidence(name, answer, wish.day, via=wish.via, doubt=doubts.get(name, ""))
        files[f"evidence/{name}"] = evidence_file(data)
    return files


def _sources(registry: Registry, answers: Iterable[Answer]) -> dict[str, bytes]:
    """Records of sources that the registry lacks, and of those that they copy from."""
    files: dict[str, bytes] = {}
    waiting = [answer.source for answer in answers]
    shelf = shipped_root()
    while waiting:
        key = f"source/{waiting.pop()}"
        if key in registry.files or key in files:
            continue
        files[key] = read_bytes(str(shelf / file_of(key)))
        data: dict[str, Any] = read(files[key], "").data or {}
        waiting += data.get("draws_on", ())
    return files
