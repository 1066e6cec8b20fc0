"""BibTeX entries that classic BibTeX and biber take alike.

Keys are the ids of the records. The address of a DOI or a preprint is left to the style, which
makes it from ``doi`` or ``eprint``; these two are verbatim, so nothing in them is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from registry.bibliography.author_field import author_field
from registry.bibliography.manifestation import ARXIV, Form, Manifestation
from registry.bibliography.tex import encode
from registry.bibliography.titles import protected

_TYPES: dict[Form, str] = {
    "proceedings": "inproceedings",
    "journal": "article",
    "preprint": "misc",
    "unplaced": "misc",
}
_CONTAINERS: dict[Form, str] = {"proceedings": "booktitle", "journal": "journal"}
_UNSAFE = re.compile(r"[{}\\\s]")


def render(works: Sequence[Manifestation]) -> str:
    """One entry for each work."""
    return "\n".join(map(_entry, works))


def _entry(work: Manifestation) -> str:
    lines = (f"  {name} = {{{value}}},\n" for name, value in _fields(work) if value)
    return f"@{_TYPES[work.form]}{{{work.id},\n{''.join(lines)}}}\n"


def _fields(work: Manifestation) -> Iterator[tuple[str, str]]:
    yield "author", author_field(work.authors)
    yield "title", protected(work.title, work.names)
    if work.form in _CONTAINERS:
        yield _CONTAINERS[work.form], encode(work.container)
        yield "series", encode(work.series)
        yield "publisher", encode(work.publisher)
    yield "volume", encode(work.volume)
    yield "pages", "--".join(encode(end) for end in work.page_ends if end)
    yield "year", str(work.year) if work.year is not None else ""
    if work.arxiv_id:
        yield "eprint", work.arxiv_id
        yield "archivePrefix", ARXIV
    yield "doi", _verbatim(work.doi)


def _verbatim(text: str) -> str:
    """The text as it is, but for what would end the field early or never."""
    return _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", text)
