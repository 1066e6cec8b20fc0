"""A small world of two methods, Trees and Bushes, whose papers each have a table."""

from __future__ import annotations

from datetime import date
from typing import Any

from library import sealed
from world import World, assertion, evidence, tracked

from registry.comparing import Comparison, Number, ask, compare, gather
from registry.comparing.apart import apart_among
from registry.verify import load
from registry.views.shelf import Shelf

Data = dict[str, Any]

KNOWN: Data = {
    "model": "oak-7b",
    "dataset": "riddles",
    "temperature": 0,
    "batch": 1,
    "precision": "fp16",
    "baseline": "plain decoding",
    "engine": "mill",
    "hardware": {"text": "one Kestrel", "accelerator": "kestrel", "count": 1},
}
"""Every condition that two comparable numbers must share."""


def without(*keys: str, **other: Any) -> Data:
    """The known conditions without some, and with others."""
    return {key: value for key, value in KNOWN.items() if key not in keys} | other


def table(cells: dict[str, Any], conditions: Data | None = None, **more: Any) -> Data:
    """A table with one number, or a row of several, for each method."""
    several = [value if isinstance(value, list) else [value] for value in cells.values()]
    plain = {
        "id": "table-1",
        "locator": "Table 1",
        "version": "v1",
        "origin": "authors",
        "shows": "Speedup.",
        "metrics": [{"name": "speedup", "unit": "x", "decimals": 2}],
        "conditions": KNOWN if conditions is None else conditions,
        "columns": [
            {"id": f"column-{place}", "metrics": ["speedup"]} for place in range(len(several[0]))
        ],
        "rows": [
            {"id": method, "conditions": {"method": method}, "cells": row}
            for method, row in zip(cells, several, strict=True)
        ],
        "evidence": ["proceedings-trees"],
    }
    return plain | more


def claim(method: str, conditions: Data | None = None, **more: Any) -> Data:
    """A statement; without a number of its own it says 2."""
    plain = {
        "id": "fast",
        "statement": "It is fast.",
        "metric": "speedup",
        "unit": "x",
        "version": "v1",
        "locator": "Abstract",
        "origin": "authors",
        "conditions": {"method": method, **(KNOWN if conditions is None else conditions)},
        "evidence": ["proceedings-trees"],
    }
    return plain | ({} if "range" in more else {"value": 2}) | more


def told(world: World, paper: str, *tables: Data, claims: tuple[Data, ...] = ()) -> None:
    """Give a paper its claims."""
    record: Data = {"kind": "claims", "id": paper, "paper": paper, "claims": list(claims)}
    if tables:
        record["tables"] = list(tables)
    world.records[f"claims/{paper}"] = record


def accelerator(name: str) -> Data:
    """An accelerator of which only the memory is known."""
    size = tracked("asserted", assertion({"value": 48, "unit": "GB"}, because="Seen."))
    return {
        "kind": "accelerator",
        "id": name,
        "name": name.capitalize(),
        "vendor": "maker",
        "memory_size": size,
    }


def grown(world: World) -> World:
    """The world with what the conditions name; no paper claims anything yet."""
    things: list[Data] = [
        {"kind": "model", "id": "oak-7b", "name": "Oak 7B", "aliases": ["O 7B"]},
        {"kind": "model", "id": "oak-13b", "name": "Oak 13B"},
        {"kind": "model", "id": "oak-13b-v1-3", "name": "Oak 13B v1.3"},
        {"kind": "dataset", "id": "riddles", "name": "Riddles", "task": "talk"},
        {"kind": "dataset", "id": "sums", "name": "Sums", "task": "arithmetic"},
        {"kind": "engine", "id": "mill", "name": "Mill"},
        {"kind": "engine", "id": "press", "name": "Press"},
        accelerator("kestrel"),
        accelerator("heron"),
        {
            "kind": "machine",
            "id": "shed",
            "name": "The machine in the shed",
            "processor": "Wren 2",
            "architecture": "wren64",
            "cores": 8,
            "memory": "16 GB",
        },
        world["paper/trees"] | {"id": "bushes", "methods": ["bushes"]},
        world["method/trees"] | {"id": "bushes", "name": "Bushes", "introduced_by": "bushes"},
    ]
    for thing in things:
        world.records[f"{thing['kind']}/{thing['id']}"] = thing
    return world


def leaderboard(world: World, method: str, value: float, **more: Any) -> None:
    """One row of a leaderboard, entered under the paper of its method."""
    world.records[f"evidence/{method}-board"] = evidence(
        f"claims/{method}", "index", locator="Board @1", url="https://board.example"
    ) | {"id": f"{method}-board"}
    row = table({method: value}, without("engine"), id="board", origin="third-party")
    told(world, method, row | {"version": "Board 1", "evidence": [f"{method}-board"]} | more)


HOST: Data = {
    "record": "shed",
    "processor": "Wren 2",
    "cores": 8,
    "threads": 4,
    "memory": "16 GB",
}


def benchmark(method: str, median: float, **more: Any) -> Data:
    """A measurement of this project."""
    record = {
        "kind": "benchmark",
        "id": f"{method}-here",
        "measured": date(2026, 5, 2),
        "methods": [method],
        "model": "oak-7b",
        "papers": [method],
        "machine": HOST,
        "workload": {
            "name": "riddles.jsonl",
            "sha256": "1" * 64,
            "dataset": "riddles",
            "prompts": 12,
            "tokens": 64,
            "repeats": 5,
        },
        "checks": {
            "compared": 12,
            "differing": 0,
            "outputs": 12,
            "loops": 0,
            "unaccounted": 0.01,
            "timer": 0.001,
            "interruptions": 0,
        },
        "software": ["nest 1.0"],
        "commit": "0" * 40,
        "command": "nest bench",
        "seed": 7,
        "results": [
            {
                "metric": {"name": "speedup", "unit": "x", "decimals": 2},
                "conditions": without("hardware", method=method),
                "median": median,
                "low": median - 0.25,
                "high": median + 0.5,
                "count": 5,
            }
        ],
    }
    return sealed(record | more)


def compared(world: World, *names: str, allow_apart: bool = False, **asked: Any) -> Comparison:
    """Write the world and compare; Trees and Bushes if nothing is named."""
    shelf = Shelf(load(world.write(), use_cache=False))
    question = ask(names or ("trees", "bushes"), shelf, **asked)
    apart = apart_among(question.methods, shelf)
    return compare(question, gather(shelf, question.methods), apart, allow_apart=allow_apart)


def values(comparison: Comparison) -> list[dict[str, list[Any]]]:
    """Of each row, the methods with their numbers."""
    return [
        {method: [amount(one) for one in numbers] for method, numbers in row.cells}
        for row in comparison.rows
    ]


def amount(number: Number) -> Any:
    """The value, or both ends."""
    return (number.low, number.high) if number.value is None else number.value


def reasons(comparison: Comparison) -> set[tuple[str, str]]:
    """What keeps numbers out of the table, and how."""
    return {(one.key, one.kind) for out in comparison.left_out for one in out.differences}
