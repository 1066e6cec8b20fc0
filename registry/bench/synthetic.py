"""Synthetic registries of any size, shaped like real ones.

Each paper comes with its claims and with what three sources said about it; one in twenty has a
contested venue, as EAGLE has. The same seed gives the same files.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import yaml

from registry.records import FOLDERS
from registry.store.style import heading

Data = dict[str, Any]

_WORDS = re.findall(
    r"\w+",
    "speculative sampling draft tree feature uncertainty latency language model inference decoding"
    " acceptance verification cache attention sparse dynamic lossless parallel heads training",
)
_GIVEN = re.findall(
    r"\w+", "Ada Bo Chen Dina Emeka Fatima Goran Hana Ines Jun Kofi Lena Mei Noor Olga"
)
_FAMILY = re.findall(r"\w+", "Abe Brandt Castro Diaz Eze Fischer Gupta Haddad Ito Jansen Kim Lopez")
_SOURCES = ("pmlr", "semantic-scholar", "dblp", "arxiv")
_START = date(2025, 1, 1)


class _Plain(yaml.CSafeDumper):
    """Writes what stands twice twice, as people do."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write(root: Path, count: int, seed: int = 0) -> int:
    """Write about ``count`` records under ``root`` and return how many it were."""
    for folder in FOLDERS.values():
        (root / "data" / folder).mkdir(parents=True, exist_ok=True)
    written = 0
    for record in records(count, random.Random(seed)):
        text = yaml.dump(record, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=100)
        kind = record["kind"]
        path = root / "data" / FOLDERS[kind] / f"{record['id']}.yaml"
        path.write_text(f"{heading(kind)}\n{text}", encoding="utf-8")
        written += 1
    return written


def records(count: int, chance: random.Random) -> Iterator[Data]:
    """About ``count`` records that verify without errors."""
    made = 0
    for record in _foundations():
        made += 1
        yield record
    number = 0
    while made < count:
        group = list(_paper_group(number, chance))
        if number % 4 == 0:
            group.append(_accelerator(number, chance))
        made += len(group)
        number += 1
        yield from group


def _foundations() -> Iterator[Data]:
    yield {"kind": "organization", "id": "maker", "name": "Maker", "type": "company"}
    for name in _SOURCES:
        yield {"kind": "source", "id": name, "name": name.title(), "type": "index"}
    tracks = [{"id": "main", "name": "Main track"}, {"id": "workshop", "name": "Workshops"}]
    volumes = [
        {"series": "series", "number": str(n), "year": 2000 + n, "title": f"Example Conference {n}"}
        for n in range(1, 26)
    ]
    yield {
        "kind": "venue",
        "id": "conference",
        "name": "International Conference on Examples",
        "short_name": "ICEX",
        "type": "conference",
        "tracks": tracks,
        "volumes": volumes,
    }
    yield {
        "kind": "venue",
        "id": "series",
        "name": "Proceedings of Examples Research",
        "short_name": "PER",
        "type": "series",
    }
    yield {
        "kind": "venue",
        "id": "arxiv-preprint",
        "name": "arXiv",
        "short_name": "arXiv",
        "type": "preprint-server",
        "aliases": ["CoRR"],
    }
    for size in (7, 13, 70):
        yield {"kind": "model", "id": f"chat-{size}b", "name": f"Chat {size}B"}
    for name in ("dialogue", "code", "maths"):
        yield {"kind": "dataset", "id": name, "name": name.title(), "task": f"{name} prompts"}


def _assertion(value: Any, day: date, evidence: list[str], **more: Any) -> Data:
    return {
        "value": value,
        "rank": "preferred",
        "recorded": day,
        "by": "editors of the example registry",
        "basis": "stated",
        "evidence": evidence,
        "because": "Read in the volume itself and in two indexes, which agree; see the evidence.",
        **more,
    }


def _tracked(value: Any, day: date, evidence: list[str]) -> Data:
    status = "corroborated" if len(evidence) > 1 else "asserted"
    return {"status": status, "assertions": [_assertion(value, day, evidence)]}


def _paper_group(number: int, chance: random.Random) -> Iterator[Data]:
    """A paper, its method, its claims, and what three sources said about it."""
    paper = f"paper-{number}"
    day = _START + timedelta(days=number % 600)
    title = f"Paper {number}: " + " ".join(chance.sample(_WORDS, 6)).title()
    people = [
        {"given": chance.choice(_GIVEN), "family": f"{chance.choice(_FAMILY)}-{number % 97}{n}"}
        for n in range(chance.randrange(3, 9))
    ]
    first = chance.randrange(1, 30_000)
    pages = f"{first}-{first + 14}"
    volume = 1 + number % 25
    arxiv = f"{20 + number % 6:02d}{1 + number % 12:02d}.{10_000 + number % 80_000:05d}"
    printed = [
        {"author": n + 1, "printed": f"Department of {_WORDS[n].title()}, University of {n}town"}
        for n in range(len(people))
    ]
    names = [f"{person['given']} {person['family']}" for person in people]
    common: Data = {"title": title, "authors": names, "year": 2000 + volume}
    published = {"pages": pages, "volume": str(volume)}
    heard = {
        "pmlr": {
            **common,
            "affiliations": printed,
            "venue": f"Proceedings of the {volume}th ICEX",
            **published,
        },
        "dblp": {**common, "venue": f"{{ICEX}} {2000 + volume}", **published},
        "arxiv": {"title": title + ".", "authors": names, "venue": "arXiv", "arxiv_id": arxiv},
    }
    ids = {source: f"{source}-{paper}" for source in heard}
    for source, observation in heard.items():
        yield _evidence(paper, source, day, observation, chance)
    said = [ids["pmlr"], ids["dblp"]]
    yield {
        "kind": "paper",
        "id": paper,
        "title": _tracked(title, day, [*said, ids["arxiv"]]),
        "authors": _tracked(people, day, [*said, ids["arxiv"]]),
        "affiliations": _tracked(printed, day, [ids["pmlr"]]),
        "venue": _venue(number, day, said, ids["arxiv"]),
        "venue_track": {
            "status": "asserted",
            "assertions": [_assertion("main", day, [], because="The volume holds one track only.")],
        },
        "year": _tracked(2000 + volume, day, said),
        "volume": _tracked(str(volume), day, said),
        "pages": _tracked(pages, day, said),
        "arxiv_id": _tracked(arxiv, day, [ids["arxiv"]]),
        "methods": [f"method-{number}"] if number % 10 == 0 else [],
    }
    if number % 10 == 0:
        yield {
            "kind": "method",
            "id": f"method-{number}",
            "name": f"Method {number}",
            "introduced_by": paper,
            "summary": " ".join(chance.choices(_WORDS, k=200)).capitalize() + ".",
        }
    yield _claims(number, paper, ids["pmlr"], chance)


def _venue(number: int, day: date, said: list[str], arxiv: str) -> Data:
    now = _assertion("conference", day, said)
    if number % 20:
        return {"status": "corroborated", "assertions": [now]}
    before = _assertion(
        "arxiv-preprint",
        day - timedelta(days=90),
        [arxiv],
        rank="deprecated",
        because="Entered from the preprint, before the proceedings were looked up.",
    )
    return {
        "status": "contested",
        "contested_because": "The change alters a peer-reviewed attribution.",
        "assertions": [before, {**now, "supersedes": "arxiv-preprint"}],
    }


def _evidence(paper: str, source: str, day: date, observation: Data, chance: random.Random) -> Data:
    name = f"{source}-{paper}"
    return {
        "kind": "evidence",
        "id": name,
        "about": f"paper/{paper}",
        "source": source,
        "locator": f"{source}, entry of {paper}, read from the volume's own page",
        "url": f"https://example.org/{source}/{paper}",
        "retrieved": day,
        "how": "transcribed",
        "sha256": hashlib.sha256(name.encode()).hexdigest(),
        "reader": {"name": "registry.bench.synthetic", "version": "1"},
        "outcome": "answered",
        "confirmed": True,
        "observation": observation,
        "quote": " ".join(chance.choices(_WORDS, k=160)).capitalize() + ".",
    }


def _claims(number: int, paper: str, evidence: str, chance: random.Random) -> Data:
    columns = [
        {
            "id": f"{dataset}-t{temperature}",
            "metrics": ["speedup", "tau"],
            "conditions": {"dataset": dataset, "temperature": float(temperature)},
        }
        for dataset in ("dialogue", "code", "maths")
        for temperature in (0, 1)
    ]
    rows: list[Data] = [
        {
            "id": f"chat-{size}b",
            "conditions": {"model": f"chat-{size}b"},
            "cells": [
                [round(chance.uniform(2, 4), 2), round(chance.uniform(3, 5), 2)] for _ in columns
            ],
        }
        for size in (7, 13, 70)
    ]
    last = [cell[0] for cell in rows[-1]["cells"]]
    table: Data = {
        "id": "table-1",
        "locator": "Table 1",
        "version": "v1",
        "origin": "authors",
        "shows": "Speedup and tau by model, dataset and temperature.",
        "metrics": [
            {"name": "speedup", "unit": "x", "decimals": 2},
            {"name": "tau", "unit": "tokens", "decimals": 2},
        ],
        "conditions": {"method": f"method-{number - number % 10}", "precision": "fp16", "batch": 1},
        "columns": columns,
        "rows": rows,
        "evidence": [evidence],
    }
    claim = {
        "id": "speedup-70b",
        "statement": "Speedup over plain decoding for the largest model.",
        "metric": "speedup",
        "range": {"low": min(last), "high": max(last)},
        "unit": "x",
        "version": "v1",
        "locator": "Abstract",
        "origin": "authors",
        "conditions": {"model": "chat-70b", "batch": 1},
        "derivation": {
            "rule": "range",
            "over": "dataset x temperature",
            "cells": [
                {"table": "table-1", "metric": "speedup", "where": {"model": "chat-70b"}},
            ],
        },
        "evidence": [evidence],
    }
    return {
        "kind": "claims",
        "id": paper,
        "paper": paper,
        "claims": [claim],
        "tables": [table, {**table, "id": "table-2", "locator": "Table 2"}],
    }


def _accelerator(number: int, chance: random.Random) -> Data:
    day = _START + timedelta(days=number % 600)

    def amount(value: float, unit: str) -> Data:
        reason = "Specification of the example maker."
        return {
            "status": "asserted",
            "assertions": [
                _assertion({"value": value, "unit": unit}, day, [], because=reason),
            ],
        }

    return {
        "kind": "accelerator",
        "id": f"accelerator-{number}",
        "name": f"Accelerator {number}",
        "vendor": "maker",
        "memory_size": amount(float(chance.choice((24, 40, 80))), "GB"),
        "memory_bandwidth": amount(float(chance.randrange(900, 5000)), "GB/s"),
        "power": amount(float(chance.randrange(70, 1000)), "W"),
        "peaks": [
            {
                "precision": precision,
                "sparsity": "dense",
                "path": "matrix",
                "rate": amount(float(chance.randrange(60, 2000)), "TFLOP/s"),
            }
            for precision in ("fp16", "bf16", "int8")
        ],
    }
