"""A small, invented world that verifies clean, for tests to break one thing at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from registry.findings import Finding
from registry.records import FOLDERS
from registry.reports.interface import Report
from registry.verify import Options, verify

TODAY = date(2026, 6, 1)


@dataclass
class World:
    """Records as plain data, by ``kind/id``."""

    records: dict[str, dict[str, Any]]
    root: Path

    def __getitem__(self, key: str) -> dict[str, Any]:
        return self.records[key]

    def write(self) -> Path:
        """Write all records and return the root."""
        for key, data in self.records.items():
            kind, record_id = key.split("/")
            folder = self.root / "data" / FOLDERS[kind]  # type: ignore[index]
            folder.mkdir(parents=True, exist_ok=True)
            text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
            (folder / f"{record_id}.yaml").write_text(text, encoding="utf-8")
        return self.root

    def report(self, **options: Any) -> Report:
        """Write and verify."""
        return verify(self.write(), Options(**({"today": TODAY} | options)))

    def found(self, *codes: str) -> list[Finding]:
        """Findings with one of the codes; without codes, all errors and warnings."""
        findings = self.report().findings
        if codes:
            return [finding for finding in findings if finding.code in codes]
        return [finding for finding in findings if finding.severity != "info"]


def assertion(value: Any, *evidence: str, **more: Any) -> dict[str, Any]:
    """A preferred, stated assertion."""
    plain = {
        "value": value,
        "rank": "preferred",
        "recorded": date(2026, 1, 5),
        "by": "editor",
        "basis": "stated",
        "evidence": list(evidence),
    }
    return {key: entry for key, entry in (plain | more).items() if entry is not None}


def tracked(status: str, *assertions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A tracked field."""
    return {"status": status, **more, "assertions": list(assertions)}


def evidence(about: str, source: str, **more: Any) -> dict[str, Any]:
    """An answered, confirmed evidence record without its id."""
    plain = {
        "kind": "evidence",
        "about": about,
        "source": source,
        "locator": "its page",
        "retrieved": date(2026, 1, 4),
        "how": "transcribed",
        "reader": {"name": "editor"},
        "outcome": "answered",
        "confirmed": True,
    }
    return {key: entry for key, entry in (plain | more).items() if entry is not None}


def small_world() -> dict[str, dict[str, Any]]:
    people = [
        {"given": "Ada", "family": "Abel"},
        {"given": "Bo", "particle": "van", "family": "Berg"},
    ]
    seen = {
        "title": "Draft Trees: A Study",
        "authors": ["Ada Abel", "Bo van Berg"],
        "venue": "Proceedings of the 3rd International Conference on Trees",
        "year": 2025,
        "pages": "101--112",
    }
    both = ("proceedings-trees", "index-trees")
    records: list[dict[str, Any]] = [
        {"kind": "organization", "id": "maker", "name": "Maker", "type": "company"},
        {"kind": "source", "id": "proceedings", "name": "Proceedings", "type": "proceedings"},
        {"kind": "source", "id": "index", "name": "Index", "type": "index"},
        {
            "kind": "source",
            "id": "copycat",
            "name": "Copycat",
            "type": "index",
            "draws_on": ["index"],
        },
        {
            "kind": "venue",
            "id": "ict",
            "name": "International Conference on Trees",
            "short_name": "ICT",
            "type": "conference",
            "tracks": [{"id": "main", "name": "Main track"}],
        },
        {
            "kind": "venue",
            "id": "preprints",
            "name": "arXiv",
            "short_name": "arXiv",
            "type": "preprint-server",
            "aliases": ["CoRR"],
        },
        evidence("paper/trees", "proceedings", observation=seen) | {"id": "proceedings-trees"},
        evidence("paper/trees", "index", observation=seen | {"pages": "101-112"})
        | {"id": "index-trees"},
        {
            "kind": "paper",
            "id": "trees",
            "title": tracked("corroborated", assertion("Draft Trees: A Study", *both)),
            "authors": tracked("corroborated", assertion(people, *both)),
            "venue": tracked("corroborated", assertion("ict", *both)),
            "year": tracked("corroborated", assertion(2025, *both)),
            "pages": tracked("corroborated", assertion("101-112", *both)),
            "methods": ["trees"],
        },
        {
            "kind": "method",
            "id": "trees",
            "name": "Trees",
            "introduced_by": "trees",
            "summary": "Drafts trees.",
        },
    ]
    return {f"{record['kind']}/{record['id']}": record for record in records}
