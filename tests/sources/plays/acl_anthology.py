"""Plays the ACL Anthology: one MODS export for each paper, and its own page for what is not there.

The export is made by a converter that writes each given name as a part of its own and drops the
full stop of an initial.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from papers import Paper
from plays_interface import Asked, Played

HOSTS = ("aclanthology.org",)

HOST_TITLES = {
    "acl": "Proceedings of the 62nd Annual Meeting of the Association for Computational Linguistics"
    " (Volume 1: Long Papers)",
    "findings": "Findings of the Association for Computational Linguistics: ACL 2024",
}

NOT_FOUND = b"""<!doctype html>
<html lang=en-us><head><meta charset=utf-8><title>
404 Not Found
</title></head>
<body><nav class="navbar"><a class=navbar-brand href=/><span>ACL Anthology</span></a></nav>
<div id=main-container class=container><main role=main><h2 id=title class=display-2>404</h2>
<p>There is no such page.</p></main></div></body></html>
"""


def answer(asked: Asked, known: Sequence[Paper]) -> Played:
    """The export of a paper, or the page for what is not there."""
    wanted = asked.path.removeprefix("/").removesuffix(".xml")
    for paper in known:
        # Addresses have case.
        if paper.acl_id and asked.path.endswith(".xml") and wanted == paper.acl_id:
            return Played(mods_of(paper).encode(), kind="application/xml")
    return Played(NOT_FOUND, 404, "text/html; charset=utf-8")


def mods_of(paper: Paper) -> str:
    """The export."""
    first, last = paper.pages.split("-")
    authors = "".join(_name(given, family, "author") for given, family in paper.authors)
    host = HOST_TITLES[paper.venue]
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<modsCollection xmlns="http://www.loc.gov/mods/v3">
<mods ID="{paper.authors[0][1].lower().replace("'", "")}-etal-{paper.year}-{paper.number}">
    <titleInfo>
        <title>{escape(paper.title)}</title>
    </titleInfo>
{authors}    <originInfo>
        <dateIssued>{paper.year}-08</dateIssued>
    </originInfo>
    <typeOfResource>text</typeOfResource>
    <relatedItem type="host">
        <titleInfo>
            <title>{escape(host)}</title>
        </titleInfo>
{_name("Edda", "Editor", "editor")}        <originInfo>
            <publisher>Association for Computational Linguistics</publisher>
            <place>
                <placeTerm type="text">Bangkok, Thailand</placeTerm>
            </place>
        </originInfo>
        <genre authority="marcgt">conference publication</genre>
    </relatedItem>
    <abstract>We study {escape(paper.title.lower())}.</abstract>
    <identifier type="citekey">key-{paper.number}</identifier>
    <identifier type="doi">{paper.doi}</identifier>
    <location>
        <url>https://aclanthology.org/{paper.acl_id}/</url>
    </location>
    <part>
        <date>{paper.year}-08</date>
        <extent unit="page">
            <start>{first}</start>
            <end>{last}</end>
        </extent>
    </part>
</mods>
</modsCollection>
"""


def _name(given: str, family: str, role: str) -> str:
    parts = "".join(
        f'        <namePart type="given">{escape(part.removesuffix("."))}</namePart>\n'
        for part in given.split()
    )
    return f"""    <name type="personal">
{parts}        <namePart type="family">{escape(family)}</namePart>
        <role>
            <roleTerm authority="marcrelator" type="text">{role}</roleTerm>
        </role>
    </name>
"""
