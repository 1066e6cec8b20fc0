"""One manifestation of a paper: what is cited, before it is decided in which format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from registry.records.names import Author

Preference = Literal["published", "preprint"]
"""Which manifestation is wanted where a paper has both."""

Form = Literal["proceedings", "journal", "preprint", "unplaced"]
"""What a manifestation is; of an ``unplaced`` one nobody recorded where it appeared."""

ARXIV = "arXiv"

_DASH = re.compile(r"\s*[-‐‑‒–—―−]+\s*")


@dataclass(frozen=True, slots=True)
class Manifestation:
    """A paper as it appeared in one place. Nothing in it is of another manifestation.

    An empty text means that nothing is recorded, or that it belongs to another manifestation.
    """

    id: str
    """Id of the paper's record."""
    form: Form
    title: str
    authors: tuple[Author, ...]
    year: int | None = None
    """Year of this manifestation; of a preprint, that of its first version."""
    day: date | None = None
    """The day within that year, if it is known."""
    container: str = ""
    """Title of the proceedings, or of the journal."""
    venue: str = ""
    """Name of the conference or journal."""
    series: str = ""
    """Series that the proceedings are a volume of."""
    publisher: str = ""
    volume: str = ""
    pages: str = ""
    """Page range or article number, as recorded."""
    doi: str = ""
    arxiv_id: str = ""
    """arXiv id without version; only of a preprint."""
    code: str = ""
    """Address of the authors' code."""
    names: frozenset[str] = frozenset()
    """Words of the title that are names, such as that of a method."""
    contested: tuple[str, ...] = ()
    """Fields that went into this and are contested."""
    withdrawn: str = ""
    """Why the record no longer counts, as a reason code, and what to use; empty if it does."""

    @property
    def page_ends(self) -> tuple[str, str]:
        """First and last page; the last is empty if there is one page or article number."""
        ends = _DASH.split(self.pages)
        return (ends[0], ends[1]) if len(ends) == 2 and all(ends) else (self.pages, "")

    @property
    def url(self) -> str:
        """Where it is found; empty if no identifier says."""
        if self.arxiv_id:
            return f"https://arxiv.org/abs/{self.arxiv_id}"
        return f"https://doi.org/{self.doi}" if self.doi else ""
