"""Writes what a source said as evidence. What was recorded before is never touched."""

from __future__ import annotations

import os
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from registry._version import __version__
from registry.errors import UnreadableError
from registry.live import PROPOSED
from registry.records.evidence import Evidence
from registry.sources import MODULES
from registry.sources.interface import Answer
from registry.store.index import Index

_HEAD = "# yaml-language-server: $schema=../../schemas/evidence.schema.json\n"


def record_answer(
    root: Path, index: Index, answer: Answer, today: date, *, fresh_days: int = 365, via: str = ""
) -> Path | None:
    """Write an answer as a new evidence record.

    What was found by its title alone is kept, but confirms nothing. Nothing is written for a source
    that could not be asked, nor if the source was heard saying the same not long ago. An answer
    that came through a mirror (``via``) says so.

    Returns:
        The new file, or None if there was nothing new.

    Raises:
        UnreadableError: the file cannot be written.
    """
    if answer.outcome == "could-not-ask" or _known(index, answer, today, fresh_days):
        return None
    folder = root / "data" / "evidence"
    stem = f"{answer.record.partition('/')[2]}-{answer.source}-{today.isoformat()}"
    number = 1
    while True:
        name = stem if number == 1 else f"{stem}-{number}"
        data = _evidence(name, answer, today, via)
        Evidence.model_validate(data)
        body = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=96)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if _create(folder / f"{name}.yaml", _HEAD + body):
                return folder / f"{name}.yaml"
        except OSError as error:
            place = folder / f"{name}.yaml"
            raise UnreadableError(f"cannot write {place}: {error.strerror}") from error
        number += 1


def _known(index: Index, answer: Answer, today: date, fresh_days: int) -> bool:
    """Whether the last thing this source was heard to say is this, and not long ago."""
    for item in reversed(index.evidence_about.get(answer.record, [])):
        heard = item.heard
        if heard is None or heard.source != answer.source or heard.how != "fetched":
            continue
        same = (
            heard.outcome == answer.outcome
            and heard.observed == answer.observed
            and set(heard.silent_on) == set(answer.silent_on)
            and (heard.standing or "active") == answer.status
        )
        age = (today - date.fromisoformat(heard.retrieved)).days
        return same and age <= fresh_days
    return False


def _evidence(name: str, answer: Answer, today: date, via: str) -> dict[str, Any]:
    module = MODULES.get(answer.source, answer.source)
    mirror = (f"Read through a mirror at {via}.",) if via else ()
    data: dict[str, Any] = {
        "kind": "evidence",
        "id": name,
        "note": " ".join((*mirror, *answer.notes)),
        "about": answer.record,
        "source": answer.source,
        "locator": answer.locator or "searched by what the record holds",
        "url": answer.url,
        "retrieved": today,
        "how": "fetched",
        "sha256": answer.sha256,
        "reader": {"name": f"registry.sources.{module}", "version": __version__},
        "outcome": answer.outcome,
        "reason": "" if answer.outcome == "answered" else "; ".join(answer.notes),
        "version": answer.version,
        "standing": answer.status if answer.status != "active" else "",
        "confirmed": not answer.proposed,
        "unconfirmed_because": PROPOSED if answer.proposed else "",
        "silent_on": list(answer.silent_on),
        "observation": answer.observed,
    }
    return {key: value for key, value in data.items() if value not in ("", [], {})}


def _create(path: Path, text: str) -> bool:
    """Create a file, whole or not at all; false if there is one of that name."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(draft, 0o666 & ~mask)
        # A link fails where the name is taken, which renaming would silently overwrite.
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(draft)
    return True


class _Dumper(yaml.SafeDumper):
    """Writes text so that every YAML reader reads it as text."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    from registry.store.scalars import plain

    style = None if isinstance(plain(value), str) and "\n" not in value else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _mapping(dumper: yaml.SafeDumper, value: dict[str, Any]) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", value.items())


_Dumper.add_representer(str, _text)
_Dumper.add_representer(dict, _mapping)
_Dumper.add_multi_representer(tuple, yaml.SafeDumper.represent_list)
