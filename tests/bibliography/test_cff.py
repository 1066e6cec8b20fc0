"""CITATION.cff, checked against the official schema of version 1.2.0."""

from __future__ import annotations

import importlib.resources
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from bibliography.works import preprint, published
from jsonschema import Draft7Validator, FormatChecker

from registry.bibliography.cff import render
from registry.bibliography.exporting import export, papers
from registry.bibliography.manifestation import Manifestation
from registry.errors import ExportError
from registry.verify import load


@pytest.fixture(scope="module")
def schema() -> Draft7Validator:
    vendored = importlib.resources.files("check_jsonschema") / "builtin_schemas/vendor"
    text = (vendored / "citation-file-format.json").read_text(encoding="utf-8")
    return Draft7Validator(json.loads(text), format_checker=FormatChecker())


def citation(work: Manifestation, schema: Draft7Validator) -> dict[str, Any]:
    document = yaml.safe_load(render([work]))
    schema.validate(document)
    assert document["title"] == work.title
    found: dict[str, Any] = document["preferred-citation"]
    assert found["authors"] == document["authors"]
    return found


def test_a_paper_in_proceedings(schema: Draft7Validator) -> None:
    found = citation(published(day=date(2025, 7, 8)), schema)
    assert found["type"] == "conference-paper"
    assert found["conference"] == {"name": "International Conference on Trees"}
    assert (found["start"], found["end"], found["year"]) == ("101", "112", 2025)
    assert found["date-published"] == "2025-07-08"
    assert found["authors"] == [
        {"family-names": "Berg", "given-names": "Bo", "name-particle": "van der"},
        {
            "family-names": "Nuñez Ibarra",
            "given-names": "Élise",
            "name-suffix": "Jr.",
            "orcid": "https://orcid.org/0000-0002-1825-0097",
        },
        {"family-names": "Aristea"},
        {"name": "Birds and Bees Consortium"},
    ]


def test_a_preprint_and_a_journal(schema: Draft7Validator) -> None:
    found = citation(preprint(), schema)
    assert (found["type"], found["publisher"]) == ("generic", {"name": "arXiv"})
    assert found["doi"] == "10.48550/arXiv.2412.01234"
    found = citation(published(form="journal", container="Annals", pages="e7"), schema)
    assert (found["type"], found["journal"], found["start"]) == ("article", "Annals", "e7")
    assert "conference" not in found


def test_nothing_is_written_twice_as_an_alias() -> None:
    assert "&" not in render([published()])


@pytest.mark.parametrize("works", [[], [published(), preprint()]])
def test_only_one_work_can_be_preferred(works: list[Manifestation]) -> None:
    with pytest.raises(ExportError, match=f"prefers one citation, not {len(works)}"):
        render(works)


def test_the_shipped_papers(shipped: Path, schema: Draft7Validator) -> None:
    registry = load(shipped)
    for work in export(papers([], registry), registry, "published").works:
        assert citation(work, schema)["year"] == work.year
