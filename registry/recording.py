"""Writes what a source said as evidence. What was recorded before is never touched."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import yaml

from registry._version import __version__
from registry.live import PROPOSED
from registry.records.evidence import Evidence
from registry.sources import MODULES
from registry.sources.interface import Answer
from registry.store.index import Index
from registry.store.style import heading
from registry.store.write import create, unwritable


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
    if answer.outcome == "could-not-ask" or heard_already(index, answer, today, fresh_days):
        return None
    folder = root / "data" / "evidence"
    stem = evidence_name(answer, today)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    number = 1
    while True:
        name = stem if number == 1 else f"{stem}-{number}"
        raw = as_file(as_evidence(name, answer, today, via=via))
        place = folder / f"{name}.yaml"
        try:
            create(place, raw)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise unwritable(place, error) from error
        else:
            return place


def evidence_name(answer: Answer, today: date) -> str:
    """The id that evidence of an answer has, if it is free."""
    return f"{answer.record.partition('/')[2]}-{answer.source}-{today.isoformat()}"


def heard_already(index: Index, answer: Answer, today: date, fresh_days: int = 365) -> str:
    """Id of the evidence, if the last thing this source was heard to say is this, not long ago."""
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
        return item.id if same and age <= fresh_days else ""
    return ""


def as_evidence(
    name: str, answer: Answer, today: date, *, via: str = "", doubt: str = ""
) -> dict[str, Any]:
    """An answer as the plain data of an evidence record.

    Args:
        name: The id of the record.
        answer: What the source said.
        today: The day on which it said so.
        via: Address of the mirror it was read through, if any.
        doubt: Why it is not about the paper, if it is not.
    """
    module = MODULES.get(answer.source, answer.source)
    mirror = (f"Read through a mirror at {via}.",) if via else ()
    doubt = doubt or (PROPOSED if answer.proposed else "")
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
        "confirmed": not doubt,
        "unconfirmed_because": doubt,
        "silent_on": list(answer.silent_on),
        "observation": answer.observed,
    }
    return {key: value for key, value in data.items() if value not in ("", [], {})}


def as_file(data: dict[str, Any]) -> bytes:
    """The file of an evidence record.

    Raises:
        ValidationError: the data are none.
    """
    Evidence.model_validate(data)
    body = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=96)
    return f"{heading('evidence')}\n{body}".encode()


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
