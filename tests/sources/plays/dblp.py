"""Plays DBLP: records as XML, and the search for publications as JSON.

As the real host, it ends titles with a full stop, puts a number behind the names of homonyms,
writes every number as text and a single author as an object, leaves the list of hits out where
there is none, and keeps the preprint of a paper as a record of its own.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

from papers import Paper
from plays_interface import Asked, Played

HOST = "dblp.org"
HOSTS: tuple[str, ...] = (HOST,)

_VENUES = {
    "icml": "ICML",
    "neurips": "NeurIPS",
    "mlsys": "MLSys",
    "iclr": "ICLR",
    "acl": "ACL (1)",
    "findings": "ACL (Findings)",
}
_ALWAYS = {
    "key": "conf/nips/VaswaniSPUJGKP17",
    "title": "Attention is All you Need.",
    "authors": ["Ashish Vaswani", "Noam Shazeer", "Niki Parmar"],
    "venue": "NIPS",
    "year": "2017",
    "pages": "5998-6008",
}
_NOT_FOUND = b"""<!DOCTYPE html>
<html lang="en"><head><title>dblp: 404</title></head>
<body><h1>Error 404: Not Found</h1></body></html>
"""


def answer(asked: Asked, known: Sequence[Paper]) -> Played:
    """A record, the hits of a search, or the page for what is not there."""
    records = [_ALWAYS, *(record for paper in known for record in records_of(paper))]
    if asked.path == "/search/publ/api" and asked.query.get("format") == "json":
        return _search(asked, records)
    wanted = re.fullmatch(r"/rec/(.+)\.xml", asked.path)
    for record in records:
        if wanted and record["key"] == wanted[1]:
            return Played(xml_of(record), kind="text/xml")
    return Played(_NOT_FOUND, 404, "text/html; charset=utf-8")


def throttled() -> Played:
    """What comes of asking too fast."""
    page = b"<!DOCTYPE HTML PUBLIC><html><head><title>429 Too Many Requests</title></head></html>"
    return Played(page, 429, "text/html", {"retry-after": "30"})


def records_of(paper: Paper) -> list[dict[str, Any]]:
    """The publication and the preprint."""
    names = list(paper.names)
    if paper.number % 3 == 0:
        names[-1] += f" {paper.number % 9 + 1:04d}"
    edition = f"https://openreview.net/forum?id={paper.openreview_id}"
    if not paper.openreview_id:
        edition = f"https://doi.org/{paper.doi}" if paper.doi else ""
    common = {"title": f"{paper.title}.", "authors": names, "year": str(paper.year)}
    publication = {
        **common,
        "key": paper.dblp_key,
        "venue": _VENUES[paper.venue],
        # ICML 2024 was entered from OpenReview, without pages.
        "pages": "" if paper.venue == "icml" else paper.pages,
        "ee": edition,
        "doi": paper.doi.upper(),
    }
    preprint = {
        **common,
        "key": f"journals/corr/abs-{paper.arxiv_id.replace('.', '-')}",
        "venue": "CoRR",
        "volume": f"abs/{paper.arxiv_id}",
        "ee": f"https://doi.org/10.48550/arXiv.{paper.arxiv_id}",
        "doi": f"10.48550/ARXIV.{paper.arxiv_id}",
    }
    return [preprint, publication]


def xml_of(record: dict[str, Any]) -> bytes:
    """A record in ASCII, with numbers for all other characters."""
    is_preprint = record["key"].startswith("journals/")
    kind = "article" if is_preprint else "inproceedings"
    marks = ' publtype="informal"' if is_preprint else ""
    venue = "journal" if is_preprint else "booktitle"
    fields = [("author", name) for name in record["authors"]]
    fields += [("title", record["title"]), ("pages", record.get("pages", ""))]
    fields += [("year", record["year"]), ("volume", record.get("volume", ""))]
    fields += [(venue, record["venue"]), ("ee", record.get("ee", ""))]
    fields += [("url", f"db/{record['key']}.html")]
    lines = [f"<{tag}>{escape(text)}</{tag}>" for tag, text in fields if text]
    text = "\n".join(
        [
            '<?xml version="1.0" encoding="US-ASCII"?>',
            "<dblp>",
            f'<{kind}{marks} key="{record["key"]}" mdate="2024-09-02">',
            *lines,
            f"</{kind}>",
            "</dblp>",
        ]
    )
    return text.encode("ascii", "xmlcharrefreplace")


def _search(asked: Asked, records: Sequence[dict[str, Any]]) -> Played:
    sought = _words(asked.query.get("q", ""))
    found = [record for record in records if _fits(record, sought)]
    sent = found[: int(asked.query.get("h", "30"))]
    hits: dict[str, Any] = {
        "@total": str(len(found)),
        "@computed": str(len(found)),
        "@sent": str(len(sent)),
        "@first": "0",
    }
    if sent:
        hits["hit"] = [_hit(record, number) for number, record in enumerate(sent)]
    result = {
        "query": " ".join(f"{word}*" for word in sought),
        "status": {"@code": "200", "text": "OK"},
        "time": {"@unit": "msecs", "text": "11.2"},
        "completions": {"@total": "0", "@computed": "0", "@sent": "0"},
        "hits": hits,
    }
    return Played(json.dumps({"result": result}).encode(), kind="application/json")


def _hit(record: dict[str, Any], number: int) -> dict[str, Any]:
    people = [{"@pid": f"1/{place}", "text": name} for place, name in enumerate(record["authors"])]
    info = {
        "authors": {"author": people if len(people) > 1 else people[0]},
        "title": escape(record["title"], {"'": "&apos;"}),
        "venue": record["venue"],
        "volume": record.get("volume", ""),
        "pages": record.get("pages", ""),
        "year": record["year"],
        "type": "Conference and Workshop Papers",
        "access": "open",
        "key": record["key"],
        "doi": record.get("doi", ""),
        "ee": record.get("ee", ""),
        "url": f"https://dblp.org/rec/{record['key']}",
    }
    if record["venue"] == "CoRR":
        info["type"] = "Informal and Other Publications"
    info = {name: value for name, value in info.items() if value}
    return {"@score": "5", "@id": str(number), "info": info, "url": f"URL#{number}"}


def _fits(record: dict[str, Any], sought: list[str]) -> bool:
    """Whether each word that is sought begins a word of the record."""
    there = _words(" ".join([record["title"], record["venue"], *record["authors"]]))
    return all(any(word.startswith(one) for word in there) for one in sought)


def _words(text: str) -> list[str]:
    spread = unicodedata.normalize("NFD", text.casefold())
    bare = "".join(char for char in spread if not unicodedata.combining(char))
    return re.findall(r"[^\W_]+", bare)
