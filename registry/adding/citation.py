"""Evidence of what a person read: a file by its hash, a page by its address."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import stat
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
from pydantic import ValidationError

from registry.adding.values import FIELDS, in_record_form
from registry.checks.matrix import Comparer
from registry.editing.plan import prose
from registry.equality.fields import Context
from registry.errors import EditError, OccupiedError, UnreadableError
from registry.findings import path_text
from registry.lookup import resolve_exactly
from registry.records.base import ABOUT_PATTERN, SLUG_PATTERN
from registry.records.evidence import Evidence
from registry.records.outline import keys_at
from registry.store.edit import same
from registry.store.entry import Entry
from registry.store.nearest import did_you_mean
from registry.store.reader import read
from registry.store.root import read_bytes
from registry.store.style import entry as lines_of
from registry.store.style import heading
from registry.store.wording import as_text, bibtex_name
from registry.verify import Registry

_LONGEST_QUOTE = 300
"""Characters that a quote may have."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Who read what, where and when."""

    locator: str
    reader: str
    day: date
    how: str = ""
    reported_by: str = ""
    url: str = ""
    sha256: str = ""
    version: str = ""
    quote: str = ""
    silent_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """An evidence record that was worked out."""

    id: str
    about: str
    raw: bytes
    observed: dict[str, Any]


def subject(registry: Registry, name: str, *, is_new: bool) -> str:
    """``kind/id`` of the record that evidence is about.

    Args:
        registry: Where it is.
        name: Whatever means a record; ``paper/id`` for one that is still to be added.
        is_new: Whether it is still to be added.

    Raises:
        UnknownRecordError: no record is meant, or several are.
        EditError: the record is there, or its id is none; or it is evidence, or was withdrawn.
    """
    if not is_new:
        key = resolve_exactly(name, registry, lambda one: one.startswith("paper/"))
        entry = registry.index.entries.get(key)
        if key.startswith("evidence/"):
            raise EditError(f"{key} is evidence itself", "name the record that both are about")
        if entry is not None and entry.withdrawn:
            hint = f"it has a successor, {entry.successor}" if entry.successor else ""
            raise EditError(f"{key} was withdrawn; nothing more is recorded about it", hint)
        return key
    if not re.fullmatch(ABOUT_PATTERN, name) or not name.startswith("paper/"):
        raise EditError(f"{name!r} is not the id of a paper to be", "write paper/ID")
    if name in registry.files:
        raise EditError(f"{name} is on record", "leave out --new")
    return name


def known_source(registry: Registry, name: str) -> str:
    """The id of a source.

    Raises:
        EditError: there is none of that name.
    """
    known = registry.index.by_kind.get("source", {})
    record_id = name.strip().removeprefix("source/")
    if record_id not in known:
        hint = did_you_mean(record_id, known) or f"add it as data/sources/{record_id}.yaml"
        raise EditError(f"no source is called {name!r}", hint)
    return record_id


def hash_of(path: Path) -> str:
    """The SHA-256 of a file of any size, read piece by piece.

    Raises:
        UnreadableError: it is no file, or cannot be read.
    """
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            raise UnreadableError(f"{path} is a folder", "name the file that was read")
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableError(f"{path} is no plain file", "name the file that was read")
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise UnreadableError(f"cannot read {path}: {reason}") from error


def cite(
    registry: Registry,
    about: str,
    source: str,
    reading: Reading,
    observed: dict[str, Any],
    slug: str = "",
) -> Citation:
    """Work out an evidence record.

    Args:
        registry: Where it is to be added.
        about: ``kind/id`` of what it is about.
        source: The id of the source.
        reading: Who read what, where and when.
        observed: The values taken.
        slug: The id of the new record; empty if one is to be found.

    Raises:
        EditError: something that evidence must say is missing or wrong.
        OccupiedError: evidence that says the same is on record.
    """
    how = reading.how or ("reported" if reading.reported_by else "transcribed")
    if how == "reported" and not reading.reported_by:
        raise EditError("what was reported needs --reported-by", "say who saw it")
    if how != "reported" and reading.reported_by:
        raise EditError("--reported-by goes with --how reported", "leave one of them out")
    if not (observed or reading.silent_on or reading.quote):
        raise EditError("that says nothing", "take a value with --field, or --quote a few words")
    data: dict[str, Any] = {
        "kind": "evidence",
        "id": _id(registry, about, source, reading.day, slug),
        "about": about,
        "source": source,
        "locator": prose(reading.locator, "--locator"),
        "url": reading.url,
        "retrieved": reading.day,
        "how": how,
        "reported_by": prose(reading.reported_by, "--reported-by") if reading.reported_by else "",
        "sha256": reading.sha256,
        "reader": {"name": prose(reading.reader, "--by")},
        "outcome": "answered",
        "version": reading.version,
        "confirmed": True,
        "silent_on": list(dict.fromkeys(reading.silent_on)),
        "observation": observed,
        "quote": _few_words(reading.quote),
    }
    data = {key: value for key, value in data.items() if value not in ("", [], {})}
    try:
        Evidence.model_validate(data)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        reason = detail["msg"][:1].lower() + detail["msg"][1:]
        raise EditError(f"{path_text(tuple(detail['loc']))}: {reason}") from None
    _refuse_to_repeat(registry, data)
    lines = [heading("evidence")]
    for key in keys_at("evidence", ()):
        if key in data:
            lines += lines_of(key, data[key], 0)
    raw = ("\n".join(lines) + "\n").encode()
    return Citation(data["id"], about, raw, observed)


def _few_words(quote: str) -> str:
    if not quote:
        return ""
    words = prose(quote, "--quote")
    if len(words) > _LONGEST_QUOTE:
        told = f"--quote has {len(words):,} characters; {_LONGEST_QUOTE} are the most"
        raise EditError(told, "quote the few words that matter")
    return words


def _refuse_to_repeat(registry: Registry, data: dict[str, Any]) -> None:
    for entry in registry.index.evidence_about.get(data["about"], ()):
        raw = read_bytes(str(registry.root / registry.files[entry.key]))
        held = read(raw, entry.file).data or {}
        if same(held | {"id": data["id"]}, data):
            raise OccupiedError(f"{entry.key} says all of that already", "cite that one")


def advice(registry: Registry, citation: Citation) -> list[str]:
    """Which facts of the record could cite new evidence, each with the command that does it.

    Args:
        registry: With the evidence in it.
        citation: The evidence.
    """
    entry = registry.index.entries.get(citation.about)
    heard = registry.index.get("evidence", citation.id)
    if entry is None or heard is None or heard.heard is None:
        return []
    comparer = Comparer(registry.index)
    lines: list[str] = []
    for name in heard.heard.observed:
        if name == "series":
            continue
        told, value = _standing(entry, heard, name, comparer)
        value = _typed(name, value)
        lines.append(f"{name}: {told}")
        lines.append(
            f"  registry correct {entry.key} {shlex.quote(name)} {value} "
            f"--evidence {citation.id} --because WHY --by WHO"
        )
    return lines


def _standing(entry: Entry, heard: Entry, name: str, comparer: Comparer) -> tuple[str, Any]:
    """How an observed value stands to the record, and the value to enter."""
    assert heard.heard is not None
    observed = heard.heard.observed
    value = observed[name]
    if entry.kind == "paper" and name in FIELDS:
        value = in_record_form(name, observed, _context(entry, comparer))
    fact = entry.fact(name)
    if fact is None or fact.preferred is None:
        return "the record has none yet; this enters it", value
    if comparer.compare(entry, fact, fact.preferred.value, heard).outcome == "same":
        return "the record says the same; this lets it cite the evidence", fact.preferred.value
    for held in fact.held:
        if comparer.compare(entry, fact, held.value, heard).outcome == "same":
            return f"the record holds it as {held.rank}; this makes it the one to use", held.value
    said = as_text(fact.preferred.value)
    return f"the record says `{said}`; this corrects it (or `registry contest`)", value


def _context(entry: Entry, comparer: Comparer) -> Context:
    values = {fact.name: fact.preferred.value for fact in entry.facts if fact.preferred}
    return Context(comparer.venues, values.get("venue", ""), values.get("year"))


def _typed(name: str, value: Any) -> str:
    """A value as `registry correct` takes it from a shell."""
    plain = msgspec.to_builtins(value)
    if plain in (None, "", []):
        return "VALUE"
    if name == "authors":
        return shlex.quote("; ".join(bibtex_name(one) for one in plain))
    if isinstance(plain, (dict, list)):
        return shlex.quote(json.dumps(plain, ensure_ascii=False))
    return shlex.quote(str(plain))


def _id(registry: Registry, about: str, source: str, day: date, slug: str) -> str:
    if slug:
        if not re.fullmatch(SLUG_PATTERN, slug):
            hint = "write lower-case letters, digits and single hyphens"
            raise EditError(f"{slug!r} is no id", hint)
        if f"evidence/{slug}" in registry.files:
            raise EditError(f"evidence/{slug} is there already", "ids are never reused")
        return slug
    subject_id = about.partition("/")[2]
    named = source if source.startswith(f"{subject_id}-") else f"{subject_id}-{source}"
    stem = name = f"{named}-{day.isoformat()}"
    number = 1
    while f"evidence/{name}" in registry.files:
        number += 1
        name = f"{stem}-{number}"
    return name
