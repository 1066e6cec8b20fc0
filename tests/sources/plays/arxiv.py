"""Plays arXiv: the Atom API, and the OAI-PMH interface for the days of all versions.

As the real host, it leaves out what it does not know, gives entries in an order of its own (the
newest paper first), shows ten unless it is asked for more, and reports faults as an entry of the
feed. One paper of 2017 is always there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from xml.sax.saxutils import escape, quoteattr
from zlib import crc32

from papers import Paper
from plays_interface import Asked, Played

API, OAI = "export.arxiv.org", "oaipmh.arxiv.org"
HOSTS: tuple[str, ...] = (API, OAI)

_ID = re.compile(
    r"(?:[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})(?P<version>v[1-9][0-9]*)?"
)
_FEED = (
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" '
    'xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">\n'
)
_ALWAYS = Paper(
    number=0,
    title="Attention Is All You Need",
    authors=(("Ashish", "Vaswani"), ("Noam", "Shazeer"), ("Niki", "Parmar")),
    year=2017,
    arxiv_id="1706.03762",
    submitted=date(2017, 6, 12),
    versions=7,
    venue="neurips",
    volume="",
    pages="",
    published=date(2017, 12, 4),
    slug="",
    doi="",
    openreview_id="",
    dblp_key="",
    acl_id="",
)


def answer(asked: Asked, known: Sequence[Paper]) -> Played:
    """A feed, or a record with all versions."""
    papers = {paper.arxiv_id: paper for paper in (_ALWAYS, *known)}
    if asked.host == OAI:
        return _oai(asked, papers)
    if asked.path != "/api/query":
        return Played(b"<html><body>404 Not Found</body></html>", 404, "text/html")
    for name in ("start", "max_results"):
        if not asked.query.get(name, "0").isdigit():
            return fault(f"{name} must be an integer", name, 200)
    ids = [name for name in asked.query.get("id_list", "").split(",") if name]
    for name in ids:
        if not _ID.fullmatch(name):
            return fault(f"incorrect id format for {name}", name)
    found: list[tuple[Paper, int]] = []
    for name in ids:
        bare, _, version = name.partition("v")
        paper = papers.get(bare)
        if paper and (number := int(version or paper.versions)) <= paper.versions:
            found.append((paper, number))
    found.sort(key=lambda one: one[0].submitted, reverse=True)
    start, most = int(asked.query.get("start", "0")), int(asked.query.get("max_results", "10"))
    shown = [entry_of(*one) for one in found[start : start + most]]
    return feed(",".join(ids), shown, len(found), most)


def feed(ids: str, entries: Sequence[str], total: int, most: int = 10) -> Played:
    """The envelope of entries."""
    title = f"arXiv Query: search_query=&amp;id_list={ids}&amp;start=0&amp;max_results={most}"
    head = (
        f"  <id>https://arxiv.org/api/{crc32(ids.encode()):010d}</id>\n  <title>{title}</title>\n"
        "  <updated>2026-11-20T08:00:00Z</updated>\n"
        f"  <opensearch:itemsPerPage>{most}</opensearch:itemsPerPage>\n"
        f"  <opensearch:totalResults>{total}</opensearch:totalResults>\n"
        "  <opensearch:startIndex>0</opensearch:startIndex>\n"
    )
    return _atom(_FEED + head + "".join(entries) + "</feed>\n")


def fault(summary: str, about: str, status: int = 400) -> Played:
    """A fault as arXiv reports it: an entry of the feed."""
    address = f"https://arxiv.org/api/errors#{summary.replace(' ', '_').replace('/', '_')}"
    return _atom(
        f"{_FEED}  <id>https://arxiv.org/</id>\n  <title>arXiv Search Results</title>\n"
        "  <updated>2026-11-20T08:00:00Z</updated>\n"
        "  <opensearch:itemsPerPage>1</opensearch:itemsPerPage>\n"
        "  <opensearch:totalResults>1</opensearch:totalResults>\n"
        "  <opensearch:startIndex>0</opensearch:startIndex>\n"
        f"  <entry>\n    <id>{escape(address)}</id>\n    <title>Error</title>\n"
        f"    <updated>2026-11-20T08:00:00Z</updated>\n    <link href={quoteattr(address)} "
        f'rel="alternate" type="text/html"/>\n    <summary>{escape(summary)}</summary>\n'
        "    <author>\n      <name>arXiv api core</name>\n    </author>\n  </entry>\n</feed>\n",
        status,
    )


def throttled() -> Played:
    """What comes when arXiv is asked too often."""
    return Played(b"Rate exceeded.", 429, "text/plain")


def entry_of(paper: Paper, version: int) -> str:
    """One version of a paper as the API shows it; long titles may go over two lines."""
    name = f"{paper.arxiv_id}v{version}"
    half = paper.title.rfind(" ", 0, 30)
    title = (
        paper.title if paper.number % 2 else f"{paper.title[:half]}\n  {paper.title[half + 1 :]}"
    )
    comment = comment_of(paper)
    people = "".join(
        f"    <author>\n      <name>{escape(person)}</name>\n{_affiliation(paper, place)}"
        "    </author>\n"
        for place, person in enumerate(paper.names)
    )
    return (
        f"  <entry>\n    <id>http://arxiv.org/abs/{name}</id>\n    <title>{escape(title)}</title>\n"
        f"    <updated>{day_of(paper, version)}T09:00:00Z</updated>\n"
        f'    <link href="https://arxiv.org/abs/{name}" rel="alternate" type="text/html"/>\n'
        f'    <link href="https://arxiv.org/pdf/{name}" rel="related" type="application/pdf" '
        'title="pdf"/>\n    <summary>  We study it.</summary>\n'
        '    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>\n'
        f"    <published>{paper.submitted}T09:00:00Z</published>\n"
        + (f"    <arxiv:comment>{escape(comment)}</arxiv:comment>\n" if comment else "")
        + '    <arxiv:primary_category term="cs.LG"/>\n'
        + (f"    <arxiv:doi>{escape(doi)}</arxiv:doi>\n" if (doi := doi_of(paper)) else "")
        + people
        + "  </entry>\n"
    )


def comment_of(paper: Paper) -> str:
    """What the authors wrote as a comment; many write none."""
    if paper.withdrawn:
        return "This paper has been withdrawn by the authors due to an error in Section 3"
    return ("", "14 pages, 5 figures", f"Accepted to {paper.venue.upper()} {paper.year}")[
        paper.number % 3
    ]


def doi_of(paper: Paper) -> str:
    """The publisher's DOI, which only some authors add."""
    return paper.doi if paper.number % 4 == 0 else ""


def day_of(paper: Paper, version: int) -> date:
    """The day of a version; they came a month apart."""
    return paper.submitted + timedelta(days=30 * (version - 1))


def _affiliation(paper: Paper, place: int) -> str:
    if paper.number % 10:
        return ""
    return f"      <arxiv:affiliation>Institute {place + 1}</arxiv:affiliation>\n"


def _oai(asked: Asked, papers: dict[str, Paper]) -> Played:
    wanted = asked.query.get("identifier", "").removeprefix("oai:arXiv.org:")
    paper = papers.get(wanted)
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">\n'
        "<responseDate>2026-11-20T08:00:00Z</responseDate>\n"
        '<request verb="GetRecord" metadataPrefix="arXivRaw">https://oaipmh.arxiv.org/oai</request>\n'
    )
    if paper is None:
        said = '<error code="idDoesNotExist">Nothing found for this identifier</error>\n'
        return _xml(f"{head}{said}</OAI-PMH>")
    versions = "".join(
        f'<version version="v{number}">'
        f"<date>{day_of(paper, number):%a, %d %b %Y} 09:00:00 GMT</date>"
        "<size>14kb</size><source_type>D</source_type></version>\n"
        for number in range(1, paper.versions + 1)
    )
    return _xml(
        f"{head}<GetRecord><record><header><identifier>oai:arXiv.org:{wanted}</identifier>"
        "<datestamp>2026-11-01</datestamp><setSpec>cs:cs:LG</setSpec></header>\n<metadata>\n"
        f'<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>{wanted}</id>\n{versions}'
        f"<title>{escape(paper.title)}</title><authors>{escape(', '.join(paper.names))}</authors>\n"
        "<categories>cs.LG</categories><abstract>We study it.</abstract></arXivRaw>\n"
        "</metadata></record></GetRecord>\n</OAI-PMH>"
    )


def _atom(text: str, status: int = 200) -> Played:
    return Played(text.encode(), status, "application/atom+xml; charset=utf-8")


def _xml(text: str) -> Played:
    return Played(text.encode(), 200, "text/xml; charset=utf-8")
