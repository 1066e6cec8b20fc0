"""A table (RFC 4180) that a spreadsheet opens without running anything that stands in it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO

from registry.bibliography.manifestation import Manifestation
from registry.store.wording import bibtex_name

_HEAD = (
    "id",
    "form",
    "title",
    "authors",
    "year",
    "venue",
    "container",
    "series",
    "volume",
    "first_page",
    "last_page",
    "doi",
    "arxiv_id",
    "url",
    "contested",
    "withdrawn",
)
_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def render(works: Sequence[Manifestation]) -> str:
    """A head and one row for each work.

    Authors stand as ``von Family, Jr., Given`` with semicolons between them. Every cell is quoted,
    and one that a spreadsheet would take for a formula has an apostrophe before it. The two ends
    of a page range have a cell each: 11-29 would become a day in November.
    """
    text = StringIO()
    rows = csv.writer(text, quoting=csv.QUOTE_ALL)
    rows.writerow(_HEAD)
    rows.writerows(map(_row, works))
    return text.getvalue()


def _row(work: Manifestation) -> list[str]:
    authors = (bibtex_name(author.model_dump(exclude_none=True)) for author in work.authors)
    cells = (
        work.id,
        work.form,
        work.title,
        "; ".join(authors),
        str(work.year) if work.year is not None else "",
        work.venue,
        work.container,
        work.series,
        work.volume,
        *work.page_ends,
        work.doi,
        work.arxiv_id,
        work.url,
        ", ".join(work.contested),
        work.withdrawn,
    )
    return [f"'{cell}" if cell.startswith(_STARTS_FORMULA) else cell for cell in cells]
