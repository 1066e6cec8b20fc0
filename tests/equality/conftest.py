"""Venues that the tests of this folder know."""

from __future__ import annotations

from typing import Any

import pytest

from registry.equality.venues import VenueNames


def _volume(number: str, year: int, title: str) -> dict[str, Any]:
    return {"series": "pmlr", "number": number, "year": year, "title": f"Proceedings of {title}"}


_ICML = "International Conference on Machine Learning"
_AISTATS = "International Conference on Artificial Intelligence and Statistics"

VENUES: list[dict[str, Any]] = [
    {
        "id": "icml",
        "name": _ICML,
        "short_name": "ICML",
        "type": "conference",
        "tracks": [
            {"id": "main", "name": "Main conference", "aliases": ["Conference"]},
            {"id": "position-papers", "name": "Position paper track"},
            {"id": "workshop", "name": "Workshops"},
        ],
        "volumes": [
            _volume("202", 2023, f"the 40th {_ICML}"),
            _volume("235", 2024, f"the 41st {_ICML}"),
        ],
    },
    {
        "id": "aistats",
        "name": _AISTATS,
        "short_name": "AISTATS",
        "type": "conference",
        "volumes": [_volume("238", 2024, f"The 27th {_AISTATS}")],
    },
    {
        "id": "neurips",
        "name": "Conference on Neural Information Processing Systems",
        "short_name": "NeurIPS",
        "type": "conference",
        "aliases": ["NIPS", "Advances in Neural Information Processing Systems"],
    },
    {
        "id": "emnlp",
        "name": "Conference on Empirical Methods in Natural Language Processing",
        "short_name": "EMNLP",
        "type": "conference",
        "tracks": [
            {"id": "main", "name": "Main conference"},
            {"id": "findings", "name": "Findings"},
        ],
    },
    {
        "id": "acl",
        "name": "Annual Meeting of the Association for Computational Linguistics",
        "short_name": "ACL",
        "type": "conference",
    },
    {
        "id": "iclr",
        "name": "International Conference on Learning Representations",
        "short_name": "ICLR",
        "type": "conference",
    },
    {
        "id": "colm",
        "name": "Conference on Language Modeling",
        "short_name": "COLM",
        "type": "conference",
    },
    {
        "id": "jmlr",
        "name": "Journal of Machine Learning Research",
        "short_name": "JMLR",
        "type": "journal",
    },
    {
        "id": "pmlr",
        "name": "Proceedings of Machine Learning Research",
        "short_name": "PMLR",
        "type": "series",
        "aliases": ["JMLR Workshop and Conference Proceedings"],
    },
    {
        "id": "lncs",
        "name": "Lecture Notes in Computer Science",
        "short_name": "LNCS",
        "type": "series",
    },
    {
        "id": "arxiv-preprint",
        "name": "arXiv preprint",
        "short_name": "arXiv",
        "type": "preprint-server",
        "aliases": ["arXiv.org", "CoRR", "Computing Research Repository"],
    },
    {
        "id": "biorxiv",
        "name": "bioRxiv",
        "short_name": "bioRxiv",
        "type": "preprint-server",
    },
]


@pytest.fixture(scope="session")
def names() -> VenueNames:
    """The venues by name."""
    return VenueNames(VENUES)
