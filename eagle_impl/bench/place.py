"""Where a ``benchmark`` record goes, and which records it refers to.

That is settled before hours are spent on measuring. A machine that has no record gets one.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eagle_impl.bench.asked import Asked
from eagle_impl.bench.header import Commit
from eagle_impl.bench.layout import as_file, filled
from eagle_impl.bench.machine import Fitted, Machine, used_card
from eagle_impl.bench.methods import trees_of
from eagle_impl.errors import OptionError
from registry.records.base import SLUG_PATTERN
from registry.store.reader import read
from registry.store.root import RAW, find_own_root, read_bytes
from registry.store.write import unwritable
from registry.verify import Registry, load

_LEAST, _MOST = 0.9, 1.02
"""What drivers count in GiB, as a share of the GB in an accelerator's name: they keep a part."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record is to go, and what it is to refer to."""

    registry: Registry
    id: str
    model: str
    machine: str
    """Id of the machine's record."""
    new_machine: bytes | None
    """The file of that record, if there is none."""
    methods: tuple[str, ...]
    """Ids of the records of the methods that are measured."""
    card: Fitted | None
    """The accelerator that is used, if any."""
    accelerator: str
    """Id of its record; empty if none fits."""
    here: Machine
    commit: Commit

    @property
    def folder(self) -> Path:
        """Where the record goes."""
        return self.registry.root / "data" / "benchmarks"

    @property
    def draft(self) -> Path:
        """The single runs, while they are measured."""
        return self.folder / f".{self.id}{RAW}"

    @property
    def raw(self) -> Path:
        """Where the single runs are in the end."""
        return self.folder / f"{self.id}{RAW}"

    def check_draft(self, raw: Path) -> None:
        """Refuse to measure into another file where a killed run has left its runs.

        Raises:
            OptionError: It would be lost.
        """
        if self.draft.exists() and os.path.realpath(raw) != os.path.realpath(self.draft):
            raise OptionError(
                f"{self.draft}: holds what a killed run of this id measured",
                "go on with it without --raw, delete it, or name another --id",
            )


def choose_place(asked: Asked, here: Machine, commit: Commit) -> Place:
    """Find out what the record will refer to, before hours are spent on measuring.

    Raises:
        OptionError: Something has no record, the id is taken, or the code has no commit.
        NoRegistryError: There is no registry to write to.
    """
    if not commit.id:
        raise OptionError(
            "a record names the commit that was measured",
            "run from a checkout, installed with pip install -e",
        )
    registry = load(find_own_root(asked.root))
    model = _model(asked, registry)
    if asked.dataset and registry.index.get("dataset", asked.dataset) is None:
        raise OptionError(f"there is no record dataset/{asked.dataset}", "name one that there is")
    methods = _methods(asked, registry)
    cards = {one: accelerator_of(one, registry) for one in here.accelerators}
    machine, new = _machine(here, cards, registry)
    record = asked.id or f"{model}-on-{machine}-{commit.id[:7]}"
    if not re.fullmatch(SLUG_PATTERN, record):
        raise OptionError(f"'{record}' is no id", "use lower-case letters, digits and hyphens")
    if f"benchmark/{record}" in registry.files:
        raise OptionError(f"there is a benchmark/{record} already", "name another id with --id")
    if (folder := registry.root / "data" / "benchmarks").joinpath(f"{record}{RAW}").exists():
        raise OptionError(f"{folder / record}{RAW}: is there already", "name another id with --id")
    card = used_card(here, asked.device)
    fits = cards[card] if card is not None else ""
    place = Place(registry, record, model, machine, new, methods, card, fits, here, commit)
    try:
        place.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(place.folder, error) from error
    return place


def accelerator_of(card: Fitted, registry: Registry) -> str:
    """Id of the record of an accelerator, by what its driver calls it and how much memory it has.

    Returns:
        An empty text if no record fits, or more than one does.
    """
    wanted, found = _plain(card.name), []
    for entry in registry.index.by_kind.get("accelerator", {}).values():
        data = _read(registry, entry.file)
        names = {_plain(name) for name in (data["name"], *data.get("aliases", ()))}
        sizes = (one["value"] for one in data["memory_size"]["assertions"])
        fits = any(_LEAST <= card.gib / float(size["value"]) <= _MOST for size in sizes)
        if wanted in names and fits:
            found.append(entry.id)
    return found[0] if len(found) == 1 else ""


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name.casefold()).removeprefix("nvidia ").strip()


def _read(registry: Registry, file: str) -> dict[str, Any]:
    data = read(read_bytes(str(registry.root / file)), file).data
    assert data is not None, "an entry has data"
    return data


def _methods(asked: Asked, registry: Registry) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(tree.record for tree in trees_of(asked.methods)))
    if not chosen:
        raise OptionError("a record is of methods that draft", "name one with --methods")
    for one in chosen:
        if registry.index.get("method", one) is None:
            raise OptionError(f"there is no record method/{one}", "leave it out with --methods")
    return chosen


def _model(asked: Asked, registry: Registry) -> str:
    wanted = asked.model or Path(asked.target).name
    models = registry.index.by_kind.get("model", {})
    if wanted in models:
        return wanted
    for entry in models.values():
        if not asked.model and _read(registry, entry.file).get("hub_id") == asked.target:
            return entry.id
    raise OptionError(f"there is no record model/{wanted}", "name the target's record with --model")


def _machine(
    here: Machine, cards: dict[Fitted, str], registry: Registry
) -> tuple[str, bytes | None]:
    """Id of the machine's record, and its file if there is none."""
    fitted = [
        {"name": one.name, "memory": one.memory, "count": one.count, "accelerator": accelerator}
        for one, accelerator in cards.items()
    ]
    described = {
        "processor": here.processor,
        "architecture": here.architecture,
        "features": list(here.features),
        "cores": here.cores,
        "memory": here.memory,
        "accelerators": [filled(one) for one in fitted],
    }
    known = registry.index.by_kind.get("machine", {})
    for entry in known.values():
        data = _read(registry, entry.file)
        if not entry.withdrawn and all(data.get(k, []) == v for k, v in described.items()):
            return entry.id, None
    card = f" {here.accelerators[0].name}" if here.accelerators else ""
    brand = here.processor.partition("(family")[0] or here.processor
    name = f"{brand.strip()}, {here.cores} cores, {here.memory}"
    words = re.sub(r"[^a-z0-9]+", "-", f"{name}{card}".casefold()).strip("-")
    number, chosen = 2, words
    while f"machine/{chosen}" in registry.files:  # even if what is there is no record
        chosen, number = f"{words}-{number}", number + 1
    title = f"{name}, with{card}" if card else name
    data = {"kind": "machine", "id": chosen, "name": title} | described
    return chosen, as_file(filled(data))
