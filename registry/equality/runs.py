"""When benchmark records are runs of one measurement, and how far these are apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from registry.records.benchmark import Baseline, Benchmark, is_edited


class Repeated(NamedTuple):
    """A run, and the others that measured the same."""

    run: Benchmark
    others: tuple[Benchmark, ...]


def latest_runs(records: Iterable[Benchmark]) -> list[Repeated]:
    """The last run of each measurement, with those before it, in the order of the records."""
    runs: dict[object, list[Benchmark]] = {}
    for record in records:
        runs.setdefault(_measurement(record), []).append(record)
    ordered = (sorted(several, key=lambda one: (one.measured, one.id)) for several in runs.values())
    return [Repeated(last, tuple(earlier)) for *earlier, last in ordered]


def other_runs(record: Benchmark, records: Iterable[Benchmark]) -> tuple[Benchmark, ...]:
    """What else measured the same as a record."""
    same = _measurement(record)
    return tuple(one for one in records if one.id != record.id and _measurement(one) == same)


def spread_of_speedups(runs: Iterable[Benchmark]) -> float | None:
    """How far apart the same speedup is in several runs, at most.

    Returns:
        The share by which the highest exceeds the lowest, such as 0.03; None where no speedup
        stands in two of them.
    """
    found: dict[str, list[float]] = {}
    for run in runs:
        for result in (*run.results, *(run.baselines or ())):
            if result.metric.name == "speedup" and result.median > 0:
                name = result.name if isinstance(result, Baseline) else ""
                key = f"{name} {result.conditions.model_dump_json(exclude_none=True)}"
                found.setdefault(key, []).append(result.median)
    shares = [max(values) / min(values) - 1 for values in found.values() if len(values) > 1]
    return max(shares, default=None)


def _measurement(record: Benchmark) -> object:
    """Model, methods, conditions, prompts, heads and machine; not the version of the code.

    A run of code that nobody can have, or that was withdrawn or edited, is none of any other
    measurement.
    """
    if record.uncommitted or record.withdrawn or is_edited(record):
        return record.id
    machine, work = record.machine, record.workload
    return (
        record.model,
        record.seed,
        frozenset(
            one.conditions.model_dump_json(exclude_none=True, exclude={"baseline", "other"})
            for one in record.results
        ),
        tuple(sorted(head.sha256 for head in record.heads or ())),
        (work.sha256, work.prompts, work.tokens, work.repeats),
        (machine.record, machine.threads, machine.accelerator, machine.device),
    )
