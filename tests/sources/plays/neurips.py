"""Plays the proceedings of NeurIPS; the site of MLSys is made with the same templates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from papers import Paper
from plays_interface import Asked, Played

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Site:
    """One of the sites."""

    host: str
    venue: str
    """As ``Paper.venue`` names it."""
    book: str
    name: str
    first_year: int
    """The year of volume 1, less one."""

    def answer(self, asked: Asked, known: Sequence[Paper]) -> Played:
        """The list of a year, the page of a paper, or an error."""
        shelf = [paper for paper in known if paper.venue == self.venue]
        if asked.path == "/":
            return Played(self.home(shelf).encode(), kind=HTML)
        if found := re.fullmatch(r"/paper_files/paper/([0-9]{4})", asked.path):
            listed = [paper for paper in shelf if paper.year == int(found[1])]
            if listed:
                return Played(self.list(listed).encode(), kind=HTML)
        for paper in shelf:
            # Addresses of before 2022 go on working.
            if asked.path.replace("/paper_files/", "/") == path(paper).replace(
                "/paper_files/", "/"
            ):
                return Played(self.page(paper).encode(), kind=HTML)
        return Played(_NOT_FOUND.encode(), 404, HTML)

    def home(self, shelf: Sequence[Paper]) -> str:
        """The list of all years."""
        years = sorted({paper.year for paper in shelf} or {2024}, reverse=True)
        links = "\n".join(
            f'<li><a href="/paper_files/paper/{year}">{self.heading(year)}</a></li>'
            for year in years
        )
        return _page(self.name, f"<ul>\n{links}\n</ul>")

    def heading(self, year: int) -> str:
        """The title of a volume."""
        return f"{self.book} {year - self.first_year} ({self.name} {year})"

    def list(self, shelf: Sequence[Paper]) -> str:
        """The list of a year."""
        heading = self.heading(shelf[0].year)
        rows = "\n".join(map(row, shelf))
        return _page(heading, f'<h4>{heading}</h4>\n<ul class="paper-list">\n{rows}\n</ul>')

    def page(self, paper: Paper) -> str:
        """The page of a paper."""
        authors = "\n".join(
            f'<meta name="citation_author" content="{family}, {given}"/>'
            for given, family in paper.authors
        )
        doi = f'<meta name="citation_doi" content="{paper.doi}">\n' if paper.doi else ""
        pdf = path(paper).replace("/hash/", "/file/").replace("-Abstract", "-Paper")
        head = f"""<meta name="citation_title" content="{paper.title}"/>
{authors}
<meta name="citation_journal_title" content="{self.book}"/>
<meta name="citation_volume" content="{paper.year - self.first_year}"/>
<meta name="citation_pdf_url" content="https://{self.host}{pdf.replace(".html", ".pdf")}"/>
<meta name="citation_publication_date" content="{date(paper)}"/>
{doi}"""
        names = ", ".join(paper.names)
        body = f"""<h4>{paper.title}</h4>
<p>Part of <a href="/paper_files/paper/{paper.year}">{self.heading(paper.year)}</a></p>
<h4>Authors</h4><p><i>{names}</i></p><h4>Abstract</h4><p>Trees of drafts.</p>"""
        return _page(paper.title, body, head)


def track(paper: Paper) -> str:
    """The track as an address spells it; before 2022 there was none."""
    if paper.year < 2022:
        return ""
    if paper.venue == "mlsys":
        return "mlsys2023" if paper.year == 2023 else "Conference"
    return "Datasets_and_Benchmarks_Track" if paper.number % 5 == 4 else "Conference"


def date(paper: Paper) -> str:
    """The date of a page: the year alone in earlier years."""
    return paper.published.isoformat() if paper.year >= 2022 else str(paper.year)


def path(paper: Paper) -> str:
    """The path of a paper's page."""
    end = f"-{track(paper)}" if track(paper) else ""
    return f"/paper_files/paper/{paper.year}/hash/{paper.slug}-Abstract{end}.html"


def row(paper: Paper) -> str:
    """One paper of a list, in the form of its year."""
    names = ", ".join(paper.names)
    anchor = f'<a title="paper title" href="{path(paper)}">{paper.title}</a>'
    if paper.year < 2022:
        return f'<li class="none">{anchor} <i>{names}</i></li>'
    kind = track(paper).lower()
    label = track(paper).replace("_", " ").replace("Conference", "Main Conference Track")
    return f"""<li class="{kind}" data-track="{kind}">
  <div class="paper-content">
    {anchor}
    <span class="paper-authors">{names}</span>
  </div>
  <span class="paper-track-badge">{label}</span>
</li>"""


def _page(title: str, body: str, head: str = "") -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
{head}</head>
<body>
<nav><a href="/">Proceedings</a></nav>
<div class="container-fluid">
{body}
</div>
</body>
</html>
"""


_NOT_FOUND = _page("404 Not Found", "<h1>Not Found</h1>")

SITE = Site(
    "proceedings.neurips.cc",
    "neurips",
    "Advances in Neural Information Processing Systems",
    "NeurIPS",
    1987,
)
HOSTS = (SITE.host,)
answer = SITE.answer
