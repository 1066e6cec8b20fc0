"""arXiv: preprints, asked by their ids, a hundred at a time.

An id that arXiv does not know is left out of its answer without a word. At times it also answers
with a page that lacks papers which exist, so absence is believed only where the answer accounts
for it: what the feed counts must be what it shows. If it does not, or if it shows nothing at all of
several papers, the missing ones are asked for once more together with a paper that surely exists.
Only an answer that shows this one is believed about the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from registry.equality.identifiers import is_preprint_doi, parse_arxiv_id, parse_doi
from registry.sources.answers import NoReply, Reply
from registry.sources.arxiv_atom import Entry, Page, read_page
from registry.sources.arxiv_history import Version, read_history
from registry.sources.identity import belonging, silent
from registry.sources.interface import Answer, Query, Speech
from registry.sources.shapes import UnexpectedShapeError
from registry.sources.transport import Client, HostPolicy, Request

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_API, _OAI = "export.arxiv.org", "oaipmh.arxiv.org"
_BATCH = 100
_WELL_KNOWN = "1706.03762"
_THROTTLES = frozenset({406, 429, 503})
"""Statuses by which arXiv and what stands before it ask for patience."""


class Arxiv:
    """Asks the Atom API, and the OAI-PMH interface for the days of all versions."""

    name = "arxiv"
    policies = tuple(
        HostPolicy(host, interval=3.0, concurrency=1, throttles=_THROTTLES) for host in (_API, _OAI)
    )
    speaks = (
        Speech(("arxiv_id",), "authoritative", "arXiv assigns it."),
        Speech(
            ("title", "authors"),
            "reliable",
            "As the authors entered them for the version that is described; both may change later.",
        ),
        Speech(("year",), "reliable", "The year of v1, which need not be that of a publication."),
        Speech(
            ("venue",),
            "weak",
            "Always arXiv. That a paper is on arXiv contradicts no published venue.",
        ),
        Speech(
            ("doi",),
            "weak",
            "The publisher's DOI, which authors may add and often never do.",
        ),
        Speech(("affiliations",), "weak", "The field exists and is hardly ever filled in."),
    )
    key_variables: tuple[str, ...] = ()

    def can_ask(self, query: Query) -> bool:
        """Whether an arXiv id is known, be it in the DOI of the preprint."""
        return bool(_id_of(query))

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query, in one request for each hundred papers, seldom two."""
        wanted: dict[str, list[Query]] = {}
        for query in queries:
            read = parse_arxiv_id(_id_of(query))
            name = read.id + (query.arxiv_version or read.version)
            fault = read.reason or parse_arxiv_id(name).reason
            if fault:
                # arXiv would refuse it, and with it the whole request.
                yield _unasked(query, f"refused: “{name or _id_of(query)}” is no arXiv id: {fault}")
            else:
                wanted.setdefault(name, []).append(query)
        for names in _batches(wanted):
            heard = _look(names, client)
            again = _look(heard.open, client, retry=True) if heard.open else _Heard()
            for name in names:
                told = (again if name in heard.open else heard).verdicts[name]
                yield from (_answer(query, name, told) for query in wanted[name])

    def history(self, arxiv_id: str, client: Client) -> tuple[Version, ...] | NoReply:
        """The versions of a paper from the first to the last; none if arXiv knows no such paper.

        Args:
            arxiv_id: In any form; a version in it does not count.
            client: Asks the host.
        """
        read = parse_arxiv_id(arxiv_id)
        if not read.id:
            return NoReply("refused", f"“{arxiv_id}” is no arXiv id: {read.reason}")
        parameters = {
            "verb": "GetRecord",
            "identifier": f"oai:arXiv.org:{read.id}",
            "metadataPrefix": "arXivRaw",
        }
        url = f"https://{_OAI}/oai?{urlencode(parameters, safe=':/')}"
        reply = client.get(Request(url, "xml"), ())
        return reply if isinstance(reply, NoReply) else read_history(reply.data, read.id)

    def ping(self, client: Client) -> str:
        """Ask for one paper that surely exists."""
        told = _look([_WELL_KNOWN], client).verdicts.get(_WELL_KNOWN)
        if isinstance(told, _Shown):
            return ""
        return told.reason if isinstance(told, _Unclear) else "it does not show a known paper"


SOURCE = Arxiv()


@dataclass(frozen=True, slots=True)
class _Shown:
    """arXiv shows the paper."""

    entry: Entry
    reply: Reply


@dataclass(frozen=True, slots=True)
class _Unknown:
    """arXiv knows no such paper."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class _Unclear:
    """It cannot be told what arXiv knows."""

    reason: str


@dataclass(slots=True)
class _Heard:
    """What one request brought."""

    verdicts: dict[str, _Shown | _Unknown | _Unclear] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    """Names to ask for once more."""


def _id_of(query: Query) -> str:
    if query.arxiv_id:
        return query.arxiv_id
    return query.doi if is_preprint_doi(parse_doi(query.doi)) else ""


def _batches(names: Mapping[str, object]) -> Iterator[list[str]]:
    """Names in as few lists as possible, no two versions of a paper in one.

    Beside an older version, the newest could not be told from it if arXiv showed only one of them.
    """
    waiting = list(names)
    while waiting:
        batch: dict[str, str] = {}
        for name in waiting:
            if len(batch) < _BATCH:
                batch.setdefault(parse_arxiv_id(name).id, name)
        waiting = [name for name in waiting if batch.get(parse_arxiv_id(name).id) != name]
        yield list(batch.values())


def _look(names: Sequence[str], client: Client, *, retry: bool = False) -> _Heard:
    """Ask for papers, the second time (``retry``) beside one that surely exists."""
    asked = {parse_arxiv_id(name).id: name for name in names}
    if retry:
        asked.setdefault(_WELL_KNOWN, _WELL_KNOWN)
    reply = _get(list(asked.values()), client)
    page = _read(reply) if isinstance(reply, Reply) else str(reply)
    if isinstance(reply, NoReply) or isinstance(page, str):
        return _Heard({name: _Unclear(str(page)) for name in names})
    if page.fault:
        return _refused(names, page.fault, final=retry)
    heard = _Heard()
    shown = {entry.id: entry for entry in page.entries}
    believed = _accounts_for(page, asked) and (
        _WELL_KNOWN in shown if retry else bool(shown) or len(names) == 1
    )
    for name in names:
        wanted = parse_arxiv_id(name)
        entry = shown.get(wanted.id)
        if entry is None and not (believed or retry):
            heard.open.append(name)
        elif entry is None:
            fault = f"broken answer: {_gap(page)}"
            heard.verdicts[name] = _Unknown(reply) if believed else _Unclear(fault)
        elif wanted.version in ("", entry.version):
            heard.verdicts[name] = _Shown(entry, reply)
        else:
            came = f"{entry.id}{entry.version} came where {name} was asked for"
            heard.verdicts[name] = _Unclear(f"broken answer: {came}")
    return heard


def _get(names: Sequence[str], client: Client) -> Reply | NoReply:
    parameters = {"id_list": ",".join(names), "max_results": str(len(names))}
    url = f"https://{_API}/api/query?{urlencode(parameters, safe=',/')}"
    return client.get(Request(url, "xml", accept=frozenset({200, 400})), ())


def _read(reply: Reply) -> Page | str:
    """The feed in a reply, or what is wrong with it."""
    feed: Element | None = reply.data
    if feed is None:
        feed = _element(reply.body)
    if feed is None:
        return f"refused: HTTP {reply.status}"
    try:
        page = read_page(feed)
    except UnexpectedShapeError as error:
        return f"broken answer: {error}"
    return page if page.fault or reply.status == 200 else f"refused: HTTP {reply.status}"


def _element(body: bytes) -> Element | None:
    """A refusal's document, if it is one."""
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        element: Element = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return None
    return element


def _refused(names: Sequence[str], fault: str, *, final: bool) -> _Heard:
    """One name that arXiv does not accept spoils the request for the others."""
    blamed = [name for name in names if fault.endswith(f" {name}")]
    spoilt = blamed if blamed and not final else names
    return _Heard(
        {name: _Unclear(f"refused: {fault}") for name in spoilt},
        [name for name in names if name not in spoilt],
    )


def _accounts_for(page: Page, asked: Mapping[str, str]) -> bool:
    """Whether the page shows what it counts, and nothing that was not asked for."""
    shown = [entry.id for entry in page.entries]
    proper = not page.strange and len(set(shown)) == len(shown) and asked.keys() >= set(shown)
    return proper and page.total == len(shown)


def _gap(page: Page) -> str:
    shown = len(page.entries)
    if page.total is not None and page.total > shown:
        return f"the feed counts {page.total} and shows {shown}"
    return "it lacks even a paper that surely exists"


def _answer(query: Query, name: str, told: _Shown | _Unknown | _Unclear) -> Answer:
    if isinstance(told, _Unclear):
        return _unasked(query, told.reason)
    if isinstance(told, _Unknown):
        return Answer(
            query.record,
            Arxiv.name,
            "no-such-record",
            locator=f"Atom API, no entry {name}",
            url=told.reply.url,
            sha256=told.reply.sha256,
        )
    entry = told.entry
    return Answer(
        query.record,
        Arxiv.name,
        "answered",
        observation=entry.observation,
        silent_on=silent(Arxiv.speaks, entry.observation),
        locator=f"Atom API, entry {entry.observation['arxiv_id']}",
        url=told.reply.url,
        sha256=told.reply.sha256,
        version=entry.version,
        status=entry.status,
        notes=(*entry.notes, *belonging(query, entry.observation, arxiv_id=entry.id)),
    )


def _unasked(query: Query, reason: str) -> Answer:
    return Answer(query.record, Arxiv.name, "could-not-ask", reason)
