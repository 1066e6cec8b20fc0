"""A benchmark of four ways of drafting, with every number that a real run records, all invented."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from library import sealed
from world import World, small_world

Data = dict[str, Any]

AGAINST = "plain decoding of the same engine"

WAYS = {
    "chain of 3": ("eagle", 1.25, 1.75, (0.5, 0.375, 0.25), 1.5),
    "static tree of 25 nodes": ("eagle", 0.875, 2.25, (0.625, 0.5, 0.375, 0.25), 1.125),
    "dynamic tree of 7 nodes, depth 3, top-k 4": ("eagle-2", 1.375, 2.0, (0.625, 0.5, 0.25), 1.6),
    "dynamic tree of 25 nodes, depth 5, top-k 8": ("eagle-2", 1.0, 2.5, (0.75, 0.5, 0.25), 1.25),
}
"""Shape of the draft to the method, the speedup, tau, acceptance by depth, and the roofline."""

SPEED = 80.0
"""Tokens a second of plain decoding."""
BATCHES = {1: 80.0, 2: 150.0, 4: 260.0, 8: 400.0}
"""Batch size to tokens a second of plain decoding."""


def result(
    metric: str, unit: str, median: float, spread: float, count: int, over: str, **conditions: Any
) -> Data:
    """A number whose values lie ``spread`` about it, the middle half of them half as far."""
    name = {"name": conditions.pop("name")} if "name" in conditions else {}
    found: Data = {
        "metric": {"name": metric, "unit": unit, "decimals": 1 if unit == "tokens/s" else 2},
        "conditions": {"precision": "fp32", "batch": 1} | conditions,
        "median": median,
        "low": median - spread,
        "high": median + spread,
        "count": count,
        "over": over,
    }
    if count > 1:
        quartiles = {"lower": median - spread / 2, "upper": median + spread / 2}
        found |= {f"{side}_quartile": value for side, value in quartiles.items()}
    return name | found


SHED: Data = {
    "kind": "machine",
    "id": "shed",
    "name": "Heron(R) Grey(R) Processor @ 2.60GHz, 8 cores, 16 GiB",
    "processor": "Heron(R) Grey(R) Processor @ 2.60GHz (family 9, model 4)",
    "architecture": "heron64",
    "cores": 8,
    "memory": "16 GiB",
}


def _results(temperatures: tuple[float, ...]) -> Iterator[Data]:
    for drafting, (method, speedup, tau, rates, roofline) in WAYS.items():
        way: Data = {"method": method, "drafting": drafting}
        for temperature in temperatures:
            at = way | {"temperature": temperature}
            worth = speedup - temperature / 8
            ratio = at | {"baseline": AGAINST}
            yield result("speed", "tokens/s", SPEED * worth, 16.0, 36, "runs", **at)
            yield result("speedup", "x", worth, 0.125, 3, "repeats", **ratio)
            yield result("speedup-by-prompt", "x", worth, 0.5, 12, "prompts", **ratio)
            yield result("differing-outputs", "fraction", 0.0, 0.0, 1, "all prompts", **at)
            yield result("tau", "tokens", tau, 0.0, 3, "repeats", **at)
            yield result("time-verify", "fraction", 0.75, 0.0625, 3, "repeats", **at)
            first, name = (0, "alpha") if drafting.startswith("chain") else (1, "acceptance")
            for depth, rate in enumerate(rates, first):
                yield result(f"{name}-{depth}", "fraction", rate, 0.03125, 3, "repeats", **at)
            possible = ratio | {"other": ["forward passes at 128 tokens in the cache"]}
            yield result("roofline", "x", roofline, 0.0, 1, "all runs", **possible)
            yield result("roofline-reached", "x", worth, 0.0, 1, "all runs", **possible)
            share = worth / roofline
            yield result("roofline-share", "fraction", share, 0.0, 1, "all runs", **possible)
        cache = way | {"other": ["128 tokens in the cache"]}
        yield result("verify-pass", "ms", 12.5, 0.5, 24, "passes", **cache)
        yield result("peak-memory", "GiB", 1.25, 0.0, 1, "the process, warming up", **way)


def _baselines(temperatures: tuple[float, ...]) -> Iterator[Data]:
    for temperature in temperatures:
        at: Data = {"name": "plain decoding", "temperature": temperature}
        yield result("speed", "tokens/s", SPEED, 8.0, 36, "runs", **at)
    for size, rate in BATCHES.items():
        named: Data = {"name": "plain decoding", "temperature": 0, "batch": size}
        yield result("throughput", "tokens/s", rate, rate / 16, 3, "repeats", **named)
    greedy: Data = {"name": "transformers", "temperature": 0}
    yield result("speed", "tokens/s", 50.0, 4.0, 36, "runs", **greedy)
    yield result("differing-outputs", "fraction", 0.25, 0.0, 1, "all prompts", **greedy)
    yield result("speedup", "x", 0.625, 0.0625, 3, "repeats", **greedy, baseline=AGAINST)


def benchmark(record_id: str = "made-up", **changes: Any) -> Data:
    """The record, sealed; it refers to a model, papers, methods, a machine and a data set."""
    temperatures = changes.pop("temperatures", (0, 1))
    plain: Data = {
        "kind": "benchmark",
        "id": record_id,
        "measured": date(2026, 5, 2),
        "methods": ["eagle", "eagle-2"],
        "model": "oak-7b",
        "papers": ["trees"],
        "machine": {
            "record": "shed",
            "processor": "Heron(R) Grey(R) Processor @ 2.60GHz (family 9, model 4)",
            "cores": 8,
            "threads": 4,
            "memory": "16 GiB",
        },
        "software": ["nest 1.0"],
        "commit": "0123456789abcdef0123456789abcdef01234567",
        "command": "nest bench",
        "seed": 7,
        "workload": {
            "name": "ripples.jsonl",
            "sha256": "1" * 64,
            "prompts": 12,
            "tokens": 64,
            "repeats": 3,
        },
        "checks": {
            "compared": 432,
            "differing": 0,
            "outputs": 12,
            "loops": 2,
            "unaccounted": 0.002,
            "timer": 0.0001,
            "interruptions": 0,
        },
        "results": list(_results(temperatures)),
        "baselines": list(_baselines(temperatures)),
    }
    return sealed(plain | changes)


def measured_world(root: Path, *benchmarks: Data) -> World:
    """A world with what the benchmark refers to, not yet written."""
    records = small_world()
    things: list[Data] = [
        {"kind": "model", "id": "oak-7b", "name": "Oak 7B"},
        SHED,
        *(
            {
                "kind": "method",
                "id": name.lower(),
                "name": name,
                "introduced_by": "trees",
                "summary": "Drafts.",
            }
            for name in ("EAGLE", "EAGLE-2")
        ),
        *benchmarks,
    ]
    return World(records | {f"{one['kind']}/{one['id']}": one for one in things}, root)
