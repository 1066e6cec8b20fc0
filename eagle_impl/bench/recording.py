"""Writes what was measured as a ``benchmark`` record, and the machine as a ``machine`` record.

Nothing is written that the registry's own checks refuse. While it is measured, the single runs
lie in a hidden file beside the place of the record, so that a run that was killed finds it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from eagle_impl.answer import Kit
from eagle_impl.bench import header
from eagle_impl.bench.asked import Asked
from eagle_impl.bench.figures import quartiles
from eagle_impl.bench.layout import as_file, filled
from eagle_impl.bench.measured import Measured
from eagle_impl.bench.measuring import Plan
from eagle_impl.bench.methods import PLAIN, Method, software_of
from eagle_impl.bench.place import Place
from eagle_impl.bench.results import Number, numbers
from eagle_impl.computing import computed_by
from eagle_impl.errors import OptionError
from eagle_impl.heads import shipped_head
from eagle_impl.workloads import PROMPTS
from registry.records.benchmark import Benchmark, seal
from registry.reports.wording import visible
from registry.store.write import create, unwritable
from registry.trial import file_of, judge_changes
from registry.verify import Registry, load


def record(place: Place, data: dict[str, Any], raw: bytes) -> list[str]:
    """Write the records and the single runs.

    Args:
        place: Where they go.
        data: The benchmark, as ``as_data`` makes it.
        raw: The single runs.

    Returns:
        The files, from the registry's root.

    Raises:
        OptionError: The registry would have an error more; nothing was written.
        UnreadableError: A file cannot be written.
    """
    files = {f"benchmark/{place.id}": as_file(data)}
    if place.new_machine is not None:
        files = {f"machine/{place.machine}": place.new_machine} | files
    # Hours may have passed since it was read.
    trial = judge_changes(load(place.registry.root), files, date.today())
    if trial.refused:
        found = next(finding for finding in trial.new if finding.severity == "error")
        raise OptionError(f"the record is refused: {found.code} {found.message}", found.hint)
    root = place.registry.root
    places = {place.raw: raw} | {root / file_of(key): held for key, held in files.items()}
    made: list[Path] = []
    path = place.raw
    try:
        for path, content in places.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if not (path.exists() and path.read_bytes() == content):
                create(path, content)
                made.append(path)
        place.draft.unlink(missing_ok=True)
    except OSError as error:
        for one in made:  # or single runs would lie there without their record
            one.unlink(missing_ok=True)
        raise unwritable(path, error) from error
    return [str(one.relative_to(root)) for one in places]


def as_data(
    place: Place,
    asked: Asked,
    measured: Measured,
    plan: Plan,
    kit: Kit,
    threads: int,
    hashes: header.Hashes,
    raw: bytes,
) -> dict[str, Any]:
    """The benchmark as plain data, sealed.

    Args:
        place: What it refers to.
        asked: The options.
        measured: What was measured.
        plan: What was to be measured.
        kit: What decoded.
        threads: That computed.
        hashes: Of what was read.
        raw: The single runs.
    """
    methods, index = place.methods, place.registry.index
    papers = [index.entries[f"method/{one}"].extra["introduced_by"] for one in methods]
    here = place.here
    card = place.card.name if place.card else ""
    workload, head = asked.workload or PROMPTS, asked.head or shipped_head(asked.target)
    assert head is not None, "refused before"
    greedy = measured.at(measured.temperatures[0])
    data: dict[str, Any] = {
        "kind": "benchmark",
        "id": place.id,
        "measured": date.fromisoformat(measured.sessions[0].began[:10]),
        "methods": list(methods),
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
        "software": [*header.software(computed_by(kit.target)), *software_of(measured.methods)],
        "commit": place.commit.id,
        "uncommitted": bool(place.commit.changes),
        "command": measured.header["command"],
        "seed": plan.seed,
        "workload": {
            "name": visible(workload.name),
            "sha256": hashes.workload,
            "dataset": asked.dataset,
            "prompts": len(plan.prompts),
            "tokens": plan.tokens,
            "repeats": plan.repeats,
            "turns": "first turns",
        },
        "target": {"path": header.shown(Path(asked.target)), "sha256": hashes.target},
        "heads": [{"path": header.shown(head), "sha256": hashes.head}],
        "surroundings": [
            *(f"{name} {value}" for name, value in header.environment().items()),
            *(f"load {one.load} when it began {one.began}" for one in measured.sessions),
        ],
        "missing": [f"{what}: {why}" for what, why in measured.missing.items()],
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
    data = filled(data)
    # The hash does not depend on itself; any serves to have the types told apart.
    return data | {"hash": seal(Benchmark.model_validate(data | {"hash": "0" * 64}))}


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
    known = registry.index.get("engine", method.engine.record) is not None
    several = len(number.values) > 1
    digits = 6  # more than any of them is known to, and few enough to be read
    return {
        "name": "" if method.record else method.title,
        "metric": {"name": number.metric, "unit": number.unit, "decimals": number.decimals},
        "conditions": {
            "method": method.record,
            "precision": method.engine.precision or precision,
            "dataset": dataset,
            "temperature": _whole(number.temperature),
            "batch": number.batch,
            "baseline": number.baseline,
            "engine": method.engine.record if known else "",
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
