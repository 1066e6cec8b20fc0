"""Plays PMLR: a static site that knows nothing but paths.

Names are joined by a comma and a no-break space, titles stand unescaped as Jekyll puts them, and
whatever is not there is answered by one page of HTML with status 404.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from papers import Paper
from plays_interface import Asked, Played

HOST = "proceedings.mlr.press"
HOSTS = (HOST,)
CONFERENCE = "International Conference on Machine Learning"
BOOK = f"Proceedings of the 41st {CONFERENCE}"
SERIES = "Proceedings of Machine Learning Research"
HTML = "text/html; charset=utf-8"

NOT_FOUND = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>404</title></head>
<body><div class="container"><h1>404</h1>
<p><strong>Page not found :(</strong></p><p>The requested page could not be found.</p></div>
</body></html>
"""
"""The page of the site; GitHub has another one for sites that are not there at all."""


def answer(asked: Asked, known: Sequence[Paper]) -> Played:
    """A page, a file, or the page that says that there is none."""
    volumes = sorted({paper.volume for paper in known if paper.volume}, key=int)
    if asked.path == "/volume_list":
        lines = "\n".join(f"v{volume}" for volume in volumes or ["1"])
        return Played(f"{lines}\n".encode(), kind="application/octet-stream")
    found = re.fullmatch(r"/v([0-9]+)/(.*)", asked.path)
    shelf = [paper for paper in known if found and paper.volume == found[1]]
    if not found or not shelf:
        return Played(NOT_FOUND.encode(), 404, HTML)
    if found[2] in ("", "index.html"):
        return Played(index(shelf).encode(), kind=HTML)
    if found[2] == "assets/bib/citeproc.yaml":
        return Played(citeproc(shelf).encode(), kind="text/yaml")
    if found[2] == "assets/bib/bibliography.bib":
        return Played("".join(map(bibtex, shelf)).encode(), kind="application/octet-stream")
    paper = next((paper for paper in shelf if found[2] == f"{paper.slug}.html"), None)
    if paper is None:
        return Played(NOT_FOUND.encode(), 404, HTML)
    return Played(page(paper).encode(), kind=HTML)


def index(shelf: Sequence[Paper]) -> str:
    """The index of a volume."""
    volume = shelf[0].volume
    rows = "\n".join(map(row, shelf))
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{CONFERENCE} | Proceedings</title></head>
<body>
<header class="site-header"><a class="site-title" href="/">{SERIES}</a></header>
<main class="page-content"><div class="wrapper">
<h2>Volume {volume}: {CONFERENCE}, 21-27 July 2024, Vienna, Austria</h2>
<p><strong>Editors: Edda Brandt, Emil Castro</strong></p>
<p>[<a href="/v{volume}/assets/bib/bibliography.bib">bib</a>][<a
 href="/v{volume}/assets/bib/citeproc.yaml">citeproc</a>]</p>
<h3 id="Contributed Papers">Contributed Papers</h3>
{rows}
</div></main>
<footer class="site-footer"><p>This site last compiled Mon, 05 Aug 2024</p></footer>
</body>
</html>
"""


def row(paper: Paper) -> str:
    """One paper of an index."""
    names = ",&nbsp;".join(paper.names)
    where = address(paper)
    return f"""<div class="paper">
  <p class="title">{paper.title}</p>
  <p class="details">
    <span class="authors">{names}</span>;
    <span class="info"><i>{BOOK}</i>, PMLR {paper.volume}:{paper.pages}</span>
  </p>
  <p class="links">
    [<a href="{where}">abs</a>][<a href="{pdf(paper)}"
 target="_blank" onclick="ga('send', 'event', 'PDF Downloads', 'Download', '{paper.slug}', 10);">
Download PDF</a>][<a href="https://openreview.net/forum?id={paper.openreview_id}"
 target="_blank">OpenReview</a>]
  </p>
</div>"""


def page(paper: Paper) -> str:
    """The page of a paper."""
    first, last = paper.pages.split("-")
    authors = "\n".join(f'<meta name="citation_author" content="{name}">' for name in paper.names)
    names = ",&nbsp;".join(paper.names)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{paper.title}</title>
<meta name="citation_publisher" content="PMLR">
<meta name="citation_title" content="{paper.title}">
<meta name="citation_language" content="en">
<meta name="citation_abstract_html_url" content="{address(paper)}">
<meta name="citation_pdf_url" content="{pdf(paper)}">
<meta name="citation_firstpage" content="{first}">
<meta name="citation_lastpage" content="{last}">
{authors}
<meta name="citation_publication_date" content="{paper.published:%Y/%m/%d}">
<meta name="citation_inbook_title" content="{CONFERENCE}">
<meta name="citation_conference_title" content="{CONFERENCE}">
<meta name="citation_issn" content="2640-3498">
<meta property="og:title" content="{paper.title}">
</head>
<body>
<article class="post-content">
<h1>{paper.title}</h1>
<span class="authors">{names}</span>
<div id="info"><i>{BOOK}</i>,&nbsp;PMLR {paper.volume}:{paper.pages},&nbsp;{paper.year}.</div>
<h4>Abstract</h4>
<div id="abstract" class="abstract">A latency <b>2.1x-3.4x</b> lower, $1.5\\times$ at least.</div>
<h4>Cite this Paper</h4>
<code class="citecode" id="bibtex">{bibtex(paper)}</code>
<code class="citecode" id="apa">{names} {paper.year}. {paper.title}.</code>
<div id="extras"><h4>Related Material</h4><ul>
<li><a href="{pdf(paper)}" target="_blank">Download PDF</a></li>
<li><a href="https://openreview.net/forum?id={paper.openreview_id}">OpenReview</a></li>
</ul></div>
</article>
</body>
</html>
"""


def bibtex(paper: Paper) -> str:
    """The entry for citing; its month holds the days of the conference."""
    authors = " and ".join(f"{family}, {given}" for given, family in paper.authors)
    return f"""
@InProceedings{{pmlr-v{paper.volume}-{paper.slug},
  title = \t {{{paper.title}}},
  author =       {{{authors}}},
  booktitle = \t {{{BOOK}}},
  pages = \t {{{paper.pages.replace("-", "--")}}},
  year = \t {{{paper.published.year}}},
  editor = \t {{Brandt, Edda and Castro, Emil}},
  volume = \t {{{paper.volume}}},
  series = \t {{{SERIES}}},
  month = \t {{21--27 Jul}},
  publisher =    {{PMLR}},
  pdf = \t {{{pdf(paper)}}},
  url = \t {{{address(paper)}}},
  abstract = \t {{A latency <b>2.1x-3.4x</b> lower, $1.5\\times$ at least.}}
}}
"""


def citeproc(shelf: Sequence[Paper]) -> str:
    """The file for citation processors, as its template leaves it, blanks included."""
    return "\n" + "".join(map(_citeproc_entry, shelf))


def _citeproc_entry(paper: Paper) -> str:
    people = "".join(
        f"\n  - given: {given}\n    family: {family}" for given, family in paper.authors
    )
    first, last = paper.pages.split("-")
    title, day = paper.title.replace("'", "''"), paper.published
    return f"""
- title: '{title}'
  abstract: 'A latency <b>2.1x-3.4x</b> lower, $1.5\\times$ at least.'
  volume: {paper.volume}
  URL: {address(paper)}
  PDF: {pdf(paper)}
  edit: https://github.com/mlresearch/v{paper.volume}/edit/gh-pages/_posts/{day}-{paper.slug}.md
  series: '{SERIES}'
  container-title: '{BOOK}'
  publisher: 'PMLR'
  author: {people}
  editor: {""}
  - given: Edda
    family: Brandt
  page: {paper.pages}
  id: {paper.slug}
  issued:
    date-parts: {""}
      - {day.year}
      - {day.month}
      - {day.day}
  firstpage: {first}
  lastpage: {last}
  published: {day} 00:00:00 +0000"""


def address(paper: Paper) -> str:
    """Address of a paper's page."""
    return f"https://{HOST}/v{paper.volume}/{paper.slug}.html"


def pdf(paper: Paper) -> str:
    """Address of a paper's PDF, in the form that new volumes have."""
    folder = f"https://raw.githubusercontent.com/mlresearch/v{paper.volume}/main/assets"
    return f"{folder}/{paper.slug}/{paper.slug}.pdf"
