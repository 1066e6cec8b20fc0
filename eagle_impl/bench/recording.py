"""Writes what was measured as a ``benchmark`` record, and the machine as a ``machine`` record.

Nothing is written that the registry's own checks refuse. While it is measured, the single runs
lie in a hidden file beside the place of the record, so that a run that was killed finds it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from typing import Any

from eagle_impl.answer import Kit
from eagle_impl.bench import header
from eagle_impl.bench.asked import Asked
from eagle_impl.bench.figures import quartiles
from eagle_impl.bench.layout import as_file, filled
from eagle_impl.bench.measured import Measured
from eagle_impl.bench.measuring import Plan
from eagle_impl.bench.methods import PLAIN, Method
from eagle_impl.bench.place import Place
from eagle_impl.bench.results import Number, numbers
from eagle_impl.computing import computed_by
from eagle_impl.errors import OptionError
from eagle_impl.heads import shipped_head
from eagle_impl.workloads import PROMPTS
from registry.records.benchmark import Benchmark, seal
from registry.store.root import RAW
from registry.store.write import create, replace, unwritable
from registry.trial import file_of, judge_changes
from registry.verify import Registry, load

_ENGINE = "hugging-face-transformers"


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
    files = {f"benchmark/{place.id}": as_file(data)}
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
        "software": header.software(computed_by(kit.target)),
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
        "heads": [{"path": header.shown(head), "sha256": header.sha256_of_head(head)}],
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
