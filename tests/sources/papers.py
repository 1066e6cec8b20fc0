"""Invented papers that the test server knows, in every source's terms."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

GIVEN = ("Ada", "Bo", "Chen", "Dina", "Emeka", "Fatima", "Goran", "Hana", "José", "Jun", "Zoë")
FAMILY = ("Abe", "Brandt", "Castro", "Diaz", "Müller", "Nguyễn", "O'Neil", "Rossi", "Zhang")
WORDS = ("Draft", "Tree", "Feature", "Latency", "Attention", "Sparse", "Dynamic", "Lossless")


@dataclass(frozen=True)
class Paper:
    """The truth about one paper; a source may know only a part of it."""

    number: int
    title: str
    authors: tuple[tuple[str, str], ...]
    """Given and family names, in order."""
    year: int
    """Year of the proceedings."""
    arxiv_id: str
    submitted: date
    """Day of v1 on arXiv."""
    versions: int
    """Versions on arXiv."""
    venue: str
    """``icml``, ``neurips``, ``mlsys``, ``iclr``, ``acl`` or ``findings`` (of ACL)."""
    volume: str
    """PMLR volume; empty where the venue is not printed by PMLR."""
    pages: str
    published: date
    slug: str
    """The paper's name in its proceedings, such as ``abe24a`` or a hexadecimal hash."""
    doi: str
    """The publisher's DOI; empty where the venue gives none."""
    openreview_id: str
    dblp_key: str
    acl_id: str
    """``2024.acl-long.7`` and the like; empty outside the ACL Anthology."""
    withdrawn: bool = False
    """Withdrawn on arXiv, in a comment."""
    retracted: bool = False
    """Retracted by the publisher."""

    @property
    def names(self) -> tuple[str, ...]:
        """``Given Family``, in order."""
        return tuple(f"{given} {family}" for given, family in self.authors)


def papers(count: int, seed: int = 0, venue: str = "") -> tuple[Paper, ...]:
    """``count`` papers; all of one venue if ``venue`` is given."""
    chance = random.Random(seed)
    return tuple(_paper(number, chance, venue) for number in range(count))


def _paper(number: int, chance: random.Random, venue: str) -> Paper:
    venue = venue or ("icml", "neurips", "mlsys", "iclr", "acl", "findings")[number % 6]
    authors = tuple(
        (chance.choice(GIVEN), chance.choice(FAMILY)) for _ in range(chance.randrange(1, 7))
    )
    first = 1 + 15 * number
    submitted = date(2024, 1, 2) + timedelta(days=number % 300)
    tail = f"{number:05d}"
    acl = {"acl": f"2024.acl-long.{number}", "findings": f"2024.findings-acl.{number}"}.get(venue)
    doi = ""
    if acl:
        doi = f"10.18653/v1/{acl}"
    elif venue == "neurips":
        doi = f"10.52202/079017-{number:04d}"
    slug = f"{chance.getrandbits(128):032x}"
    if venue == "icml":
        slug = f"paper24{'abcdefghijklmnopqrstuvwxyz'[number % 26]}{number}"
    return Paper(
        number=number,
        title=f"{' '.join(chance.sample(WORDS, 3))} {number}: A Study of {chance.choice(WORDS)}s",
        authors=authors,
        year=2024,
        arxiv_id=f"{submitted:%y%m}.{10_000 + number:05d}",
        submitted=submitted,
        versions=1 + number % 3,
        venue=venue,
        volume="235" if venue == "icml" else "",
        pages=f"{first}-{first + 13}",
        published=date(2024, 7, 8),
        slug=slug,
        doi=doi,
        openreview_id=f"Or{tail}xYz" if venue in ("icml", "iclr", "neurips") else "",
        dblp_key=f"conf/{venue}/Key{tail}",
        acl_id=acl or "",
    )
