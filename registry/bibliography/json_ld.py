"""JSON-LD with schema.org's ``ScholarlyArticle``, which search engines read out of web pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from registry.bibliography.manifestation import Manifestation
from registry.records.names import Author, Group

_ORCID = "https://orcid.org/"


def render(works: Sequence[Manifestation]) -> str:
    """A graph with one article for each work, safe to stand in a ``script`` element."""
    document = {"@context": "https://schema.org", "@graph": [_article(work) for work in works]}
    text = json.dumps(document, indent=2, ensure_ascii=False)
    # A title with </script> in it must not end the element.
    return text.replace("<", "\\u003c") + "\n"


def _article(work: Manifestation) -> dict[str, Any]:
    first, last = work.page_ends
    identifiers = (("doi", work.doi), ("arXiv", work.arxiv_id))
    return _filled(
        {
            "@type": "ScholarlyArticle",
            "@id": work.url,
            "name": work.title,
            "headline": work.title,
            "author": [_author(author) for author in work.authors],
            "datePublished": _date(work),
            "isPartOf": _container(work),
            "publisher": {"@type": "Organization", "name": work.publisher}
            if work.publisher
            else None,
            "pageStart": first,
            "pageEnd": last,
            "identifier": [
                {"@type": "PropertyValue", "propertyID": name, "value": value}
                for name, value in identifiers
                if value
            ],
            "url": work.url,
        }
    )


def _date(work: Manifestation) -> str:
    if work.day:
        return work.day.isoformat()
    return str(work.year) if work.year is not None else ""


def _container(work: Manifestation) -> dict[str, Any] | None:
    """The volume with the proceedings or journal that it is one of."""
    if not work.container:
        return None
    if work.form == "journal":
        journal = {"@type": "Periodical", "name": work.container}
        if not work.volume:
            return journal
        return {"@type": "PublicationVolume", "volumeNumber": work.volume, "isPartOf": journal}
    series = {"@type": "BookSeries", "name": work.series} if work.series else None
    return _filled(
        {
            "@type": ["Book", "PublicationVolume"] if work.volume else "Book",
            "name": work.container,
            "volumeNumber": work.volume,
            "isPartOf": series,
        }
    )


def _author(author: Author) -> dict[str, str]:
    if isinstance(author, Group):
        return {"@type": "Organization", "name": author.literal}
    family = " ".join(filter(None, (author.particle, author.family)))
    return _filled(
        {
            "@type": "Person",
            "@id": f"{_ORCID}{author.orcid}" if author.orcid else "",
            "name": " ".join(filter(None, (author.given, family, author.suffix))),
            "givenName": author.given,
            "familyName": family,
            "honorificSuffix": author.suffix,
        }
    )


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value}
