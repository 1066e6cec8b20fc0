"""The small world with a paper that has everything a page can show."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from world import World, assertion, evidence, small_world, tracked

from registry.records.benchmark import Benchmark, seal

DAY = date(2026, 3, 9)
"""The day on which most things entered the records."""


def library(root: Path) -> World:
    """The world, not yet written."""
    records = small_world()
    for record in (
        *_things(),
        *_methods(),
        _paper(),
        _claims(),
        sealed(_benchmark()),
        *_evidence(),
    ):
        records[f"{record['kind']}/{record['id']}"] = record
    return World(records, root)


def _things() -> list[dict[str, Any]]:
    return [
        {
            "kind": "organization",
            "id": "holt",
            "name": "Holt University",
            "type": "university",
        },
        {"kind": "source", "id": "archive", "name": "Archive", "type": "preprint-server"},
        {"kind": "source", "id": "forum", "name": "Forum", "type": "index"},
        {"kind": "source", "id": "datasheet", "name": "Datasheet", "type": "document"},
        {"kind": "model", "id": "pond-7b", "name": "Pond 7B"},
        {
            "kind": "machine",
            "id": "shed",
            "name": "The machine in the shed",
            "processor": "Heron 2",
            "architecture": "heron64",
            "cores": 8,
            "memory": "16 GB",
        },
        {"kind": "dataset", "id": "ripples", "name": "Ripples", "task": "conversation"},
        {
            "kind": "accelerator",
            "id": "kestrel-48gb",
            "name": "Kestrel 48 GB module",
            "vendor": "maker",
            "memory_size": tracked(
                "asserted", assertion({"value": 48, "unit": "GB"}, because="It says so on it.")
            ),
            "power": tracked(
                "contested",
                assertion({"value": 300, "unit": "W", "qualifier": "about"}, "kestrel-datasheet"),
                assertion({"value": 310, "unit": "W"}, "kestrel-index", rank="normal"),
                contested_because="A module and its board are two things.",
            ),
            "peaks": [
                {
                    "precision": "fp16",
                    "sparsity": "2:4",
                    "path": "matrix",
                    "accumulate": "fp32",
                    "scope": "die",
                    "rate": tracked(
                        "asserted",
                        assertion({"value": 250.5, "unit": "TFLOP/s"}, because="Measured."),
                    ),
                }
            ],
        },
        {
            "kind": "engine",
            "id": "mill",
            "name": "Mill",
            "adoption": [
                {
                    "method": "osprey",
                    "since": "0.4",
                    "merged": "2025-08",
                    "tree_drafting": "no",
                    "batching": "yes",
                    "sampling": "unknown",
                    "limits": ["Chains of three tokens; nothing longer.", "One wheel."],
                    "evidence": ["mill-notes"],
                },
                {
                    "method": "osprey-two",
                    "tree_drafting": "yes",
                    "batching": "no",
                    "sampling": "no",
                    "evidence": ["mill-notes"],
                },
            ],
        },
    ]


def _methods() -> list[dict[str, Any]]:
    return [
        {
            "kind": "method",
            "id": "osprey",
            "name": "Osprey",
            "introduced_by": "osprey",
            "summary": "Dives for several tokens at once.",
            "lossless": "yes",
            "lossless_because": "Every draft is checked.",
            "not_interchangeable_with": [
                {"method": "trees", "because": "Osprey dives; Trees only climb."}
            ],
            "implementation": {
                "path": "nest/",
                "state": "available",
                "run": ["nest generate --method osprey"],
            },
        },
        {
            "kind": "method",
            "id": "osprey-two",
            "name": "Osprey Two",
            "introduced_by": "trees",
            "summary": "Dives twice.",
            "builds_on": ["osprey"],
        },
    ]


def _paper() -> dict[str, Any]:
    return {
        "kind": "paper",
        "id": "osprey",
        "title": tracked("asserted", assertion("Osprey: Diving Decoders", "osprey-pages")),
        "authors": tracked(
            "asserted",
            assertion(
                [
                    {"given": "Ida", "particle": "von", "family": "Holm", "suffix": "Jr."},
                    {"given": "Jon", "family": "Reed"},
                    {"literal": "The Otter Group"},
                ],
                because="Read from the title page.",
            ),
        ),
        "affiliations": tracked(
            "asserted",
            assertion(
                [
                    {
                        "author": 1,
                        "printed": "Holt Univ.",
                        "organization": "holt",
                        "resolved_by": "mira",
                    },
                    {"author": 1, "printed": "Nest Lab"},
                    {"author": 2, "printed": "Nest Lab"},
                ],
                because="Read from the title page.",
            ),
        ),
        "venue": tracked(
            "contested",
            assertion(
                "preprints",
                "osprey-archive",
                rank="deprecated",
                basis="inferred",
                inferred_from="The archive named no conference.",
                because="Silence was taken for absence. It should not have been.",
                recorded=date(2026, 2, 2),
                by="noor",
            ),
            assertion(
                "ict",
                "osprey-pages",
                because="The printed volume has it.",
                recorded=DAY,
                by="mira",
                supersedes="preprints",
            ),
            contested_because="Nobody has seen the programme of the conference.",
        ),
        "venue_track": tracked(
            "contested",
            assertion(
                "main",
                "osprey-pages",
                basis="inferred",
                inferred_from="The page numbers are those of the volume.",
                recorded=DAY,
            ),
            contested_because="It came with the venue.",
        ),
        "year": tracked("asserted", assertion(2025, "osprey-pages")),
        "pages": tracked(
            "settled",
            assertion("11-20", "osprey-index", rank="deprecated", because="Cut short."),
            assertion("11-29", "osprey-pages"),
            decision={
                "decided": date(2026, 4, 1),
                "by": "mira",
                "because": "The volume is at hand.",
                "overruled": [{"source": "index", "value": "11-20"}],
            },
        ),
        "arxiv_id": tracked("asserted", assertion("2501.01234", "osprey-archive")),
        "doi": tracked("asserted", assertion("10.5555/osprey.1", "osprey-index")),
        "arxiv_versions": [
            {
                "version": "v2",
                "submitted": date(2025, 1, 20),
                "evidence": ["osprey-archive"],
                "changes": "A table was added.",
            }
        ],
        "methods": ["osprey"],
        "hardware": [
            {
                "accelerator": "kestrel-48gb",
                "used_for": "training",
                "basis": "inferred",
                "stated": {"text": "Kestrel (48G)", "memory_size": "48G", "count": 2},
                "inferred": [
                    {
                        "property": "form_factor",
                        "value": "module",
                        "inferred_from": "Two stood in one case.",
                    }
                ],
                "locator": "v2, section 3",
                "evidence": ["osprey-archive"],
                "recorded": DAY,
                "by": "mira",
            }
        ],
        "related": [
            {"relation": "blog-post", "text": "A post about diving.", "date": date(2024, 12, 1)},
            {"relation": "confused-with", "text": "Trees, of the same volume.", "paper": "trees"},
        ],
    }


def _claims() -> dict[str, Any]:
    stated = {
        "version": "v2",
        "locator": "Abstract",
        "origin": "authors",
        "evidence": ["osprey-archive"],
    }
    return {
        "kind": "claims",
        "id": "osprey",
        "paper": "osprey",
        "claims": [
            {
                "id": "speedup",
                "statement": "Osprey is 2.4 to 3.1 times as fast.",
                "metric": "speedup",
                "range": {"low": 2.4, "high": 3.1},
                "unit": "x",
                "conditions": {"model": "pond-7b", "method": "osprey", "batch": 1},
                "derivation": {
                    "rule": "range",
                    "over": "temperature",
                    "cells": [{"table": "table-1", "metric": "speedup"}],
                },
                **stated,
            },
            {
                "id": "rate",
                "statement": "It reaches 90 tokens/s.",
                "metric": "speed",
                "value": 90,
                "unit": "tokens/s",
                "bound": "up-to",
                "conditions": {
                    "hardware": {"text": "one Kestrel", "accelerator": "kestrel-48gb", "count": 1},
                    "temperature": 0,
                },
                **stated,
            },
            {
                "id": "tau",
                "statement": "Three tokens a pass.",
                "metric": "tau",
                "value": 3.0,
                "unit": "tokens",
                "remark": "Counted by hand.",
                **stated,
            },
            {
                "id": "lossless",
                "statement": "The text stays the same.",
                "metric": "property",
                **stated,
            },
            {
                "id": "user",
                "statement": "A user got 1.2x.",
                "metric": "speedup",
                "value": 1.2,
                "unit": "x",
                **stated,
                "origin": "third-party",
            },
        ],
        "tables": [
            {
                "id": "table-1",
                "locator": "Table 1",
                "version": "v2",
                "origin": "authors",
                "shows": "Speedup and tau by temperature.",
                "metrics": [
                    {"name": "speedup", "unit": "x", "decimals": 2},
                    {"name": "tau", "unit": "tokens", "decimals": 1},
                ],
                "conditions": {"method": "osprey", "dataset": "ripples"},
                "columns": [
                    {"id": "cold", "metrics": ["speedup", "tau"], "conditions": {"temperature": 0}},
                    {"id": "warm", "metrics": ["speedup", "tau"], "conditions": {"temperature": 1}},
                ],
                "rows": [
                    {
                        "id": "pond-7b",
                        "conditions": {"model": "pond-7b"},
                        "cells": [[3.1, 3.0], [2.4, "unread"]],
                    }
                ],
                "evidence": ["osprey-archive"],
            },
            {
                "id": "table-2",
                "locator": "Table 2",
                "version": "v2",
                "origin": "third-party",
                "shows": "Something else.",
                "metrics": [{"name": "tau", "unit": "tokens"}],
                "columns": [{"id": "all", "metrics": ["tau"]}],
                "rows": [{"id": "pond-7b", "cells": [2]}],
                "evidence": ["osprey-archive"],
            },
        ],
    }


def _benchmark() -> dict[str, Any]:
    return {
        "kind": "benchmark",
        "id": "osprey-here",
        "measured": date(2026, 5, 2),
        "methods": ["osprey"],
        "model": "pond-7b",
        "papers": ["osprey"],
        "machine": {
            "record": "shed",
            "processor": "Heron 2",
            "cores": 8,
            "threads": 4,
            "memory": "16 GB",
        },
        "software": ["nest 1.0"],
        "commit": "0" * 40,
        "command": "nest bench",
        "seed": 7,
        "workload": {
            "name": "ripples.jsonl",
            "sha256": "1" * 64,
            "dataset": "ripples",
            "prompts": 12,
            "tokens": 64,
            "repeats": 5,
        },
        "checks": {
            "compared": 60,
            "differing": 0,
            "outputs": 12,
            "loops": 2,
            "unaccounted": 0.002,
            "timer": 0.0001,
            "interruptions": 0,
        },
        "results": [
            {
                "metric": {"name": "speedup", "unit": "x", "decimals": 2},
                "conditions": {"method": "osprey", "model": "pond-7b", "temperature": 0},
                "median": 1.5,
                "low": 1.4,
                "high": 1.62,
                "count": 5,
                "over": "repeats",
            }
        ],
    }


def sealed(benchmark: dict[str, Any]) -> dict[str, Any]:
    """The record with the hash that it must bear."""
    record = Benchmark.model_validate(benchmark | {"hash": "0" * 64})
    return benchmark | {"hash": seal(record)}


def _evidence() -> list[dict[str, Any]]:
    seen = {
        "title": "Osprey: Diving Decoders",
        "venue": "International Conference on Trees",
        "year": 2025,
        "pages": "11-29",
    }
    power = {"value": 310, "unit": "W"}
    return [
        evidence("paper/osprey", "proceedings", observation=seen, silent_on=["venue_track"])
        | {"id": "osprey-pages"},
        evidence(
            "paper/osprey",
            "index",
            observation={"pages": "11-20", "doi": "10.5555/osprey.1"},
            how="reported",
            reported_by="a librarian",
        )
        | {"id": "osprey-index"},
        evidence(
            "paper/osprey",
            "archive",
            observation={"arxiv_id": "2501.01234v2"},
            silent_on=["venue"],
        )
        | {"id": "osprey-archive"},
        evidence("paper/osprey", "forum", outcome="could-not-ask", reason="throttled for a day")
        | {"id": "osprey-forum"},
        evidence(
            "paper/osprey",
            "proceedings",
            locator="notes.tex beside the volume",
            observation={"title": "Osprey: Diving Decoders"},
            confirmed=False,
            unconfirmed_because="There is no such file.",
        )
        | {"id": "osprey-lost"},
        evidence(
            "accelerator/kestrel-48gb", "datasheet", observation={"power": power | {"value": 300}}
        )
        | {"id": "kestrel-datasheet"},
        evidence("accelerator/kestrel-48gb", "index", observation={"power": power})
        | {"id": "kestrel-index"},
        evidence("engine/mill", "forum", locator="release notes", quote="now dives")
        | {"id": "mill-notes"},
    ]
