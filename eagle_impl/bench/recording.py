"""Writes what was measured as a ``benchmark`` record, and the machine as a ``machine`` record.

Nothing is written that the registry's own checks refuse. While it is measured, the single runs
lie in a hidden file beside the place of the record, so that a run that was killed finds it again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from eagle_impl.answer import Kit
from eagle_impl.bench import header
from eagle_impl.bench.asked import Asked
from eagle_impl.bench.figures import quartiles
from eagle_impl.bench.header import Commit
from eagle_impl.bench.machine import Fitted, Machine
from eagle_impl.bench.measured import Measured
from eagle_impl.bench.measuring import Plan
from eagle_impl.bench.methods import PLAIN, Method
from eagle_impl.bench.results import Number, numbers
from eagle_impl.errors import OptionError
from eagle_impl.heads import shipped_head
from eagle_impl.workloads import PROMPTS
from registry.records.base import SLUG_PATTERN
from registry.records.benchmark import Benchmark, seal
from registry.store import style
from registry.store.reader import read
from registry.store.root import RAW, find_own_root, read_bytes
from registry.store.write import create, replace, unwritable
from registry.trial import file_of, judge_changes
from registry.verify import Registry, load

_LEAST, _MOST = 0.9, 1.02
"""What drivers count in GiB, as a share of the GB in an accelerator's name: they keep a part."""
_ENGINE = "hugging-face-transformers"
_HEAD = "# yaml-language-server: $schema=../../schemas/{kind}.schema.json\n"


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
    accelerator: str
    """Id of the accelerator's record; empty if none is used, or none fits."""
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


def choose_place(asked: Asked, here: Machine, commit: Commit) -> Place:
    """Find out what the record will refer to, before hours are spent on measuring.

    Raises:
        OptionError: Something has no record, the id is taken, or the code has no commit.
        NoRegistryError: There is no registry to write to.
    """
    if not commit.id:
        raise OptionError("a record names the commit that was measured", "run from a checkout")
    registry = load(find_own_root(asked.root))
    model = _model(asked, registry)
    if asked.dataset and registry.index.get("dataset", asked.dataset) is None:
        raise OptionError(f"there is no record dataset/{asked.dataset}", "name one that there is")
    used = asked.device.startswith("cuda")
    cards = {one: accelerator_of(one, registry) for one in here.accelerators}
    machine, new = _machine(here, cards, registry)
    record = asked.id or f"{model}-on-{machine}-{commit.id[:7]}"
    if not re.fullmatch(SLUG_PATTERN, record):
        raise OptionError(f"'{record}' is no id", "use lower-case letters, digits and hyphens")
    if f"benchmark/{record}" in registry.files:
        raise OptionError(f"there is a benchmark/{record} already", "name another id with --id")
    card = next(iter(cards.values()), "") if used else ""
    place = Place(registry, record, model, machine, new, card, here, commit)
    try:
        place.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(place.folder, error) from error
    return place


def record(
    place: Place, asked: Asked, measured: Measured, plan: Plan, kit: Kit, threads: int
) -> list[str]:
    """Write the records and the single runs.

    Returns:
        The files, from the registry's root.

    Raises:
        OptionError: The registry would have an error more; nothing was written.
        UnreadableError: A file cannot be written.
    """
    raw = place.draft.read_bytes()
    data = as_data(place, asked, measured, plan, kit, threads, raw)
    files = {f"benchmark/{place.id}": _as_file(data)}
    if place.new_machine is not None:
        files = {f"machine/{place.machine}": place.new_machine} | files
    # Hours may have passed since it was read.
    trial = judge_changes(load(place.registry.root), files, date.today())
    if trial.refused:
        found = next(finding for finding in trial.new if finding.severity == "error")
        raise OptionError(f"the record is refused: {found.code} {found.message}", found.hint)
    root, final = place.registry.root, place.folder / f"{place.id}{RAW}"
    path = final
    try:
        replace(final, raw)
        for key, content in files.items():
            path = root / file_of(key)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not (path.exists() and path.read_bytes() == content):
                create(path, content)
        place.draft.unlink()
    except OSError as error:
        raise unwritable(path, error) from error
    return [str(final.relative_to(root)), *map(file_of, files)]


def as_data(
    place: Place,
    asked: Asked,
    measured: Measured,
    plan: Plan,
    kit: Kit,
    threads: int,
    raw: bytes,
) -> dict[str, Any]:
    """The record as plain data, sealed."""
    ran = [method.record for method in measured.methods if method.record]
    methods = [one for one in dict.fromkeys(ran) if place.registry.index.get("method", one)]
    index = place.registry.index
    papers = [index.entries[f"method/{one}"].extra["introduced_by"] for one in methods]
    here = place.here
    card = here.accelerators[0].name if asked.device.startswith("cuda") else ""
    workload, head = asked.workload or PROMPTS, asked.head or shipped_head(asked.target)
    assert head is not None, "refused before"
    greedy = measured.at(measured.temperatures[0])
    data: dict[str, Any] = {
        "kind": "benchmark",
        "id": place.id,
        "measured": date.fromisoformat(measured.sessions[0].began[:10]),
        "methods": methods,
        "model": place.model,
        "papers": list(dict.fromkeys(papers)),
        "beside": _beside(methods, papers, place.registry),
        "machine": {
            "record": place.machine,
            "processor": here.processor,
            "cores": here.usable,
            "threads": threads,
            "memory": here.memory,
            "accelerator": place.accelerator,
            "device": f"{card}, driver {here.driver or 'unknown'}" if card else "",
        },
        "software": header.software(),
        "commit": place.commit.id,
        "uncommitted": bool(place.commit.changes),
        "command": measured.header["command"],
        "seed": plan.seed,
        "workload": {
            "name": workload.name,
            "sha256": header.sha256(workload),
            "dataset": asked.dataset,
            "prompts": len(plan.prompts),
            "tokens": plan.tokens,
            "repeats": plan.repeats,
        },
        "heads": [{"path": _shown(head), "sha256": header.sha256_of_head(head)}],
        "raw": {"sha256": hashlib.sha256(raw).hexdigest(), "lines": raw.count(b"\n")},
        "checks": {
            "compared": measured.compared(),
            "differing": measured.changed_outputs(),
            "outputs": len({run.question for run in greedy.runs(PLAIN)}),
            "loops": len(greedy.loops()),
            "unaccounted": _rounded(measured.unaccounted, 6),
            "timer": _rounded(measured.clock_share, 6),
            "interruptions": len(measured.sessions) - 1,
        },
        "results": [],
        "baselines": [],
    }
    precision = asked.dtype
    by_key = {method.key: method for method in measured.methods}
    for number in numbers(measured):
        method = by_key[number.method]
        one = _result(number, method, precision, asked.dataset, place.registry)
        data["results" if method.record else "baselines"].append(one)
    data = _filled(data)
    # The hash does not depend on itself; any serves to have the types told apart.
    return data | {"hash": seal(Benchmark.model_validate(data | {"hash": "0" * 64}))}


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
        "accelerators": [_filled(one) for one in fitted],
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
    taken, number = {*known}, 2
    chosen = words
    while chosen in taken:
        chosen, number = f"{words}-{number}", number + 1
    title = f"{name}, with{card}" if card else name
    data = {"kind": "machine", "id": chosen, "name": title} | described
    return chosen, _as_file(_filled(data))


def _beside(methods: Sequence[str], papers: Sequence[str], registry: Registry) -> list[str]:
    """Claims of the papers about the methods that were run."""
    wanted = {f"method/{one}" for one in methods}
    return [
        paper
        for paper in dict.fromkeys(papers)
        if (claims := registry.index.get("claims", paper)) is not None
        and any(link.key in wanted for link in claims.links)
    ]


def _result(
    number: Number, method: Method, precision: str, dataset: str, registry: Registry
) -> dict[str, Any]:
    spread = quartiles(number.values)
    transformers = not method.own and registry.index.get("engine", _ENGINE) is not None
    several = len(number.values) > 1
    digits = 6  # more than any of them is known to, and few enough to be read
    return {
        "name": "" if method.record else method.title,
        "metric": {"name": number.metric, "unit": number.unit, "decimals": number.decimals},
        "conditions": {
            "method": method.record,
            "precision": precision,
            "dataset": dataset,
            "temperature": _whole(number.temperature),
            "batch": number.batch,
            "baseline": number.baseline,
            "engine": _ENGINE if transformers else "",
            "drafting": method.drafting,
            "other": [number.other] if number.other else [],
        },
        "median": _rounded(spread.median, digits),
        "low": _rounded(min(number.values), digits),
        "high": _rounded(max(number.values), digits),
        "lower_quartile": _rounded(spread.low, digits) if several else None,
        "upper_quartile": _rounded(spread.high, digits) if several else None,
        "count": len(number.values),
        "over": number.over,
    }


def _whole(value: float | None) -> float | None:
    """0 and 1 as people write temperatures."""
    return int(value) if value is not None and value.is_integer() else value


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def _shown(path: Path) -> str:
    """From the project's root if it lies there, else as it was named."""
    try:
        return path.resolve().relative_to(header.ROOT).as_posix()
    except ValueError:
        return str(path)


def _filled(data: Any) -> Any:
    """Data without keys that say nothing; False says nothing, 0 does."""
    if isinstance(data, dict):
        filled = ((key, _filled(value)) for key, value in data.items())
        return {key: value for key, value in filled if not _says_nothing(value)}
    return [_filled(item) for item in data] if isinstance(data, list) else data


def _says_nothing(value: Any) -> bool:
    return value is None or value is False or value in ("", [])


def _as_file(data: dict[str, Any]) -> bytes:
    lines = style.body(data, 0)
    return (_HEAD.format(kind=data["kind"]) + "".join(f"{line}\n" for line in lines)).encode()
