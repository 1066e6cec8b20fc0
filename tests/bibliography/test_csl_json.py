"""CSL-JSON, checked against the part of CSL's input schema that a paper needs.

The official schema comes with no package; types and variables below are those it has, and nothing
else is accepted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bibliography.works import preprint, published
from jsonschema import Draft7Validator

from registry.bibliography.csl_json import render
from registry.bibliography.exporting import export, papers
from registry.bibliography.manifestation import Manifestation
from registry.verify import load

TEXTS = ("title", "container-title", "collection-title", "publisher", "DOI", "URL")
TEXTS_OR_NUMBERS = ("volume", "page", "number")
NAME_PARTS = ("family", "given", "dropping-particle", "non-dropping-particle", "suffix", "literal")
SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["type", "id"],
        "additionalProperties": False,
        "properties": {
            "id": {"type": "string"},
            "type": {"enum": ["article", "article-journal", "document", "paper-conference"]},
            **{name: {"type": "string", "minLength": 1} for name in TEXTS},
            **{name: {"type": ["string", "number"]} for name in TEXTS_OR_NUMBERS},
            "author": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "minProperties": 1,
                    "properties": {part: {"type": "string"} for part in NAME_PARTS},
                },
            },
            "issued": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "date-parts": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 2,
                        "items": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": 3,
                            "items": {"type": "integer"},
                        },
                    }
                },
            },
        },
    },
}


def items(*works: Manifestation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(works))
    Draft7Validator(SCHEMA).validate(found)
    return found


def test_a_paper_in_proceedings() -> None:
    (item,) = items(published())
    assert item["type"] == "paper-conference"
    assert item["issued"] == {"date-parts": [[2025]]}
    assert (item["page"], item["DOI"]) == ("101-112", "10.5555/osprey_1")
    assert item["author"] == [
        {"family": "Berg", "given": "Bo", "non-dropping-particle": "van der"},
        {"family": "Nuñez Ibarra", "given": "Élise", "suffix": "Jr."},
        {"family": "Aristea"},
        {"literal": "Birds and Bees Consortium"},
    ]


def test_a_preprint() -> None:
    (item,) = items(preprint())
    assert (item["type"], item["number"]) == ("article", "arXiv:2412.01234")
    assert item["URL"] == "https://arxiv.org/abs/2412.01234"
    assert "container-title" not in item


def test_a_journal_and_nothing_at_all() -> None:
    journal, bare = items(
        published(form="journal", container="Annals"),
        Manifestation(id="bare", form="unplaced", title="Bare", authors=published().authors),
    )
    assert (journal["type"], journal["container-title"]) == ("article-journal", "Annals")
    assert bare.keys() == {"id", "type", "title", "author"}


@pytest.mark.parametrize("prefer", ["published", "preprint"])
def test_the_shipped_papers(shipped: Path, prefer: Any) -> None:
    registry = load(shipped)
    works = export(papers([], registry), registry, prefer).works
    assert [item["title"] for item in items(*works)] == [work.title for work in works]
