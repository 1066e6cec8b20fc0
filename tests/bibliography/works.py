"""Made-up works for tests of the formats."""

from __future__ import annotations

from typing import Any

from registry.bibliography.manifestation import Manifestation
from registry.records.names import Author, Group, Person

VAN_BERG = Person(given="Bo", particle="van der", family="Berg")
JUNIOR = Person(given="Élise", family="Nuñez Ibarra", suffix="Jr.", orcid="0000-0002-1825-0097")
MONONYM = Person(family="Aristea")
GROUP = Group(literal="Birds and Bees Consortium")
AUTHORS: tuple[Author, ...] = (VAN_BERG, JUNIOR, MONONYM, GROUP)


def published(**more: Any) -> Manifestation:
    """A paper in a volume of proceedings."""
    held: dict[str, Any] = {
        "id": "osprey",
        "form": "proceedings",
        "title": "OSPREY: Diving Decoders",
        "authors": AUTHORS,
        "year": 2025,
        "container": "Proceedings of the 3rd International Conference on Trees",
        "venue": "International Conference on Trees",
        "series": "Papers in Forestry",
        "publisher": "PIF",
        "volume": "12",
        "pages": "101-112",
        "doi": "10.5555/osprey_1",
    }
    return Manifestation(**(held | more))


def preprint(**more: Any) -> Manifestation:
    """The preprint of a paper."""
    held: dict[str, Any] = {
        "id": "osprey",
        "form": "preprint",
        "title": "OSPREY: Diving Decoders",
        "authors": AUTHORS,
        "year": 2024,
        "venue": "arXiv",
        "publisher": "arXiv",
        "doi": "10.48550/arXiv.2412.01234",
        "arxiv_id": "2412.01234",
    }
    return Manifestation(**(held | more))
