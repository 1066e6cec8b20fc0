"""Writes the invented papers as a registry, for trying the commands on them.

``python tests/sources/shelve.py DIR`` makes a registry that the test server knows all about.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from papers import Paper, papers

SHIPPED = Path(__file__).resolve().parents[2] / "data"
VENUES = {"findings": ("acl", "findings")}
"""Venue of an invented paper to the ids of venue and track, where they differ from the usual."""


def shelve(root: Path, known: Sequence[Paper]) -> Path:
    """Write ``known`` as paper records beside the shipped venues and sources."""
    for folder in ("venues", "sources", "evidence", "organizations", "papers"):
        (root / "data" / folder).mkdir(parents=True, exist_ok=True)
    for folder in ("venues", "sources"):
        for file in (SHIPPED / folder).glob("*.yaml"):
            shutil.copy(file, root / "data" / folder / file.name)
    for missing in ("acl", "iclr", "mlsys", "neurips"):
        path = root / "data" / "venues" / f"{missing}.yaml"
        if not path.exists():
            path.write_text(yaml.safe_dump(_venue(missing), sort_keys=False), "utf-8")
    for path in (root / "data" / "venues").glob("*.yaml"):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        data = yaml.safe_load("".join(lines))
        for volume in data.get("volumes", ()):
            volume.pop("evidence", None)
        data.pop("evidence", None)
        path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), "utf-8")
    for paper in known:
        path = root / "data" / "papers" / f"p{paper.number}.yaml"
        path.write_text(yaml.safe_dump(_paper(paper), sort_keys=False, allow_unicode=True), "utf-8")
    return root


def _venue(name: str) -> dict[str, Any]:
    tracks = [{"id": "main", "name": "Main track"}, {"id": "findings", "name": "Findings"}]
    names = {
        "acl": "Annual Meeting of the Association for Computational Linguistics",
        "iclr": "International Conference on Learning Representations",
        "mlsys": "Conference on Machine Learning and Systems",
        "neurips": "Conference on Neural Information Processing Systems",
    }
    return {
        "kind": "venue",
        "id": name,
        "name": names[name],
        "short_name": {"neurips": "NeurIPS", "mlsys": "MLSys"}.get(name, name.upper()),
        "type": "conference",
        "tracks": tracks,
    }


def _paper(paper: Paper) -> dict[str, Any]:
    venue, track = VENUES.get(paper.venue, (paper.venue, "main"))
    values: dict[str, Any] = {
        "title": paper.title,
        "authors": [{"given": given, "family": family} for given, family in paper.authors],
        "venue": venue,
        "venue_track": track,
        "year": paper.year,
        "volume": paper.volume,
        "pages": paper.pages,
        "doi": paper.doi,
        "arxiv_id": paper.arxiv_id,
        "openreview_id": paper.openreview_id,
        "dblp_key": paper.dblp_key,
    }
    fields = {name: _field(value) for name, value in values.items() if value}
    return {"kind": "paper", "id": f"p{paper.number}", **fields}


def _field(value: Any) -> dict[str, Any]:
    assertion = {
        "value": value,
        "rank": "preferred",
        "recorded": "2026-01-05",
        "by": "editor",
        "basis": "stated",
        "because": "Invented.",
    }
    return {"status": "asserted", "assertions": [assertion]}


if __name__ == "__main__":
    shelve(Path(sys.argv[1]), papers(int(sys.argv[2]) if len(sys.argv) > 2 else 12))
