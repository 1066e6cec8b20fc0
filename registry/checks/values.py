"""Values: can this be? What has the right type may still be impossible, or at odds with itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from registry.checks.interface import Settings, Spot, at
from registry.equality.identifiers import (
    parse_arxiv_id,
    parse_dblp_key,
    parse_doi,
    parse_openreview_id,
)
from registry.equality.names import parse_authors, recorded_name
from registry.equality.pages import parse_pages
from registry.equality.titles import says_something
from registry.findings import FieldPath, Finding, Rule
from registry.records import Record
from registry.records.evidence import Evidence, Observation
from registry.records.paper import HardwareLink, Paper
from registry.store.document import Document
from registry.store.entry import Entry
from registry.store.index import Index

IMPOSSIBLE = Rule(
    "VAL001",
    "error",
    "a value that cannot be",
    "The value has the right form but cannot be true: an arXiv id of a 13th month, a page range "
    "that runs backwards, a year before printing, an affiliation of a sixth author of five, a "
    "title or a name without a letter or digit, a list of nobody.",
    "Correct the value.",
)
AT_ODDS = Rule(
    "VAL002",
    "error",
    "a record at odds with itself",
    "Two keys of the record cannot both be right: versions out of order, a link that is called "
    "stated and lists what was inferred, a paper that is its own successor.",
    "Correct the one that is wrong.",
)
TWINS = Rule(
    "VAL003",
    "error",
    "two records with one identifier",
    "An arXiv id, a DOI or an OpenReview id belongs to one paper, but two records have it.",
    "Correct the id, or withdraw one of the records with the reason `duplicate`.",
)
ELSEWHERE = Rule(
    "VAL004",
    "error",
    "two records at odds",
    "A record says something about another that the other contradicts: an accelerator with another "
    "memory size than the paper states, a method that another paper introduced.",
    "Correct the one that is wrong.",
)

FIRST_YEAR, LAST_YEAR = 1450, 2100
"""Years that a paper can be of."""

_DASHES = tuple("-‐‑‒–—―−")

NO_TITLE = "the title `{}` has no letter or digit"
NO_NAME = "the name `{}` has no letter or digit"
NOBODY = "the list of authors names nobody"
NO_AUTHOR = "there is no author {}; there are {}"

READ: dict[str, Callable[[str], str]] = {
    "arxiv_id": lambda text: parse_arxiv_id(text).id,
    "doi": lambda text: parse_doi(text).rstrip("."),
    "openreview_id": parse_openreview_id,
    "dblp_key": parse_dblp_key,
}
"""Field to what an identifier is in its plain form; empty if a text is none."""

Judgement = tuple[Rule, FieldPath, str]


class Values:
    """Looks for values that cannot be, in one record and between two."""

    rules = (IMPOSSIBLE, AT_ODDS, TWINS, ELSEWHERE)

    def each(self, record: Record, document: Document) -> Iterator[Finding]:
        """Impossible values of a paper, or of what was read about one."""
        judged: Iterable[Judgement] = ()
        if isinstance(record, Paper):
            judged = _paper(record)
        elif isinstance(record, Evidence) and record.observation and record.how != "fetched":
            judged = _observed(record.observation)  # what a source sends is kept as it is
        for rule, path, message in judged:
            yield at(rule, f"{record.kind}/{record.id}", document, path, message, rule.mend)

    def across(self, index: Index, settings: Settings, among: Sequence[Entry]) -> Iterator[Spot]:
        """Identifiers that two papers have, and links that the other end contradicts."""
        for entry in among:
            for name, value in entry.identifiers:
                twins = [twin for twin in index.by_identifier[name, value] if twin is not entry]
                fact = entry.fact(name)
                if twins and fact is not None:
                    others = ", ".join(twin.key for twin in twins)
                    message = f"{name} `{value}` is also that of {others}"
                    yield Spot(TWINS, entry, (*fact.path, "assertions"), message, TWINS.mend)
            if entry.kind == "evidence":
                yield from _signed_by_others(entry, index)
            if entry.kind == "paper" and not entry.withdrawn:
                yield from _links(entry, index)


def _paper(record: Paper) -> Iterator[Judgement]:
    yield from _empty(record)
    for number, held in enumerate(record.arxiv_id.assertions if record.arxiv_id else ()):
        parsed = parse_arxiv_id(held.value)
        if not parsed.id:
            path = ("arxiv_id", "assertions", number, "value")
            yield IMPOSSIBLE, path, f"`{held.value}` is no arXiv id: {parsed.reason}"
    for number, year in enumerate(record.year.assertions if record.year else ()):
        if not FIRST_YEAR <= year.value <= LAST_YEAR:
            path = ("year", "assertions", number, "value")
            yield IMPOSSIBLE, path, f"no paper is of the year {year.value}"
    for number, pages in enumerate(record.pages.assertions if record.pages else ()):
        read = parse_pages(pages.value)
        ends = (read.first, read.last) if read is not None else ("", "")
        if all(end.isdigit() for end in ends) and int(ends[1]) < int(ends[0]):
            path = ("pages", "assertions", number, "value")
            yield IMPOSSIBLE, path, f"the pages `{pages.value}` run backwards"
        if lacks_an_end(pages.value):
            path = ("pages", "assertions", number, "value")
            yield IMPOSSIBLE, path, f"the pages `{pages.value}` lack an end"
    yield from _affiliations(record)
    yield from _versions(record)
    for number, link in enumerate(record.hardware or ()):
        yield from _hardware(link, ("hardware", number))
    for number, related in enumerate(record.related or ()):
        if related.paper == record.id:
            yield AT_ODDS, ("related", number, "paper"), f"it is called its own {related.relation}"


def lacks_an_end(pages: str) -> bool:
    """Whether a range of pages is cut off, such as ``101-``. That it goes on, ``43+`` says."""
    bare = pages.strip(" .,;")
    return bare[:1] in _DASHES or bare[-1:] in _DASHES


def _empty(record: Paper) -> Iterator[Judgement]:
    """Titles and lists in which nothing stands."""
    for number, title in enumerate(record.title.assertions):
        path: FieldPath = ("title", "assertions", number, "value")
        if not says_something(title.value):
            yield IMPOSSIBLE, path, NO_TITLE.format(title.value)
        elif len(title.value.splitlines()) > 1 or title.value != title.value.strip("\r\n"):
            yield IMPOSSIBLE, path, "a title has one line, and this one has a line break"
    for number, line in enumerate(record.authors.assertions):
        path = ("authors", "assertions", number, "value")
        if not line.value:
            yield IMPOSSIBLE, path, NOBODY
        for position, author in enumerate(line.value):
            name = str(recorded_name(author.model_dump(exclude={"orcid"})))
            if not says_something(name):
                yield IMPOSSIBLE, (*path, position), NO_NAME.format(name)
    for number, printed in enumerate(record.affiliations.assertions if record.affiliations else ()):
        if not printed.value:
            path = ("affiliations", "assertions", number, "value")
            yield IMPOSSIBLE, path, "the list of affiliations is empty"


def _observed(seen: Observation) -> Iterator[Judgement]:
    """What nobody can have read of a paper."""
    if seen.title is not None and not says_something(seen.title):
        yield IMPOSSIBLE, ("observation", "title"), NO_TITLE.format(seen.title)
    if seen.authors is not None and not seen.authors:
        yield IMPOSSIBLE, ("observation", "authors"), NOBODY
    for position, name in enumerate(seen.authors or ()):
        if not says_something(name):
            yield IMPOSSIBLE, ("observation", "authors", position), NO_NAME.format(name)
    for field, read in READ.items():
        written = getattr(seen, field)
        if written is not None and not read(written):
            yield IMPOSSIBLE, ("observation", field), f"`{written}` is no {field}"


def _affiliations(record: Paper) -> Iterator[Judgement]:
    if record.affiliations is None:
        return
    count = max((len(held.value) for held in record.authors.assertions), default=0)
    for number, held in enumerate(record.affiliations.assertions):
        for position, one in enumerate(held.value):
            if not 1 <= one.author <= count:
                path = ("affiliations", "assertions", number, "value", position, "author")
                yield IMPOSSIBLE, path, NO_AUTHOR.format(one.author, count)


def _versions(record: Paper) -> Iterator[Judgement]:
    versions = record.arxiv_versions or ()
    for number in range(1, len(versions)):
        before, after = versions[number - 1], versions[number]
        path = ("arxiv_versions", number)
        if int(after.version[1:]) <= int(before.version[1:]):
            message = f"{after.version} stands after {before.version}"
            yield AT_ODDS, (*path, "version"), message
        elif before.submitted and after.submitted and after.submitted < before.submitted:
            message = f"{after.version} was submitted before {before.version}"
            yield AT_ODDS, (*path, "submitted"), message


def _hardware(link: HardwareLink, path: FieldPath) -> Iterator[Judgement]:
    if link.basis == "stated" and link.inferred:
        message = f"the link to `{link.accelerator}` is called stated, yet something was inferred"
        yield AT_ODDS, (*path, "basis"), message
    if link.stated.count is not None and link.stated.count < 1:
        message = f"{link.stated.count} accelerators are none"
        yield IMPOSSIBLE, (*path, "stated", "count"), message


def _signed_by_others(entry: Entry, index: Index) -> Iterator[Spot]:
    """Affiliations that somebody read of authors whom the paper does not have."""
    heard = entry.heard
    if heard is None or heard.how == "fetched" or "affiliations" not in heard.observed:
        return
    seen = parse_authors(heard.observed.get("authors", ()))
    paper = index.entries.get(heard.about)
    fact = paper.fact("authors") if paper is not None else None
    known = [len(held.value) for held in fact.held] if fact is not None else []
    count = len(seen.names) if seen.names and not seen.truncated else max(known, default=0)
    for position, one in enumerate(heard.observed["affiliations"] if count else ()):
        if not 1 <= one["author"] <= count:
            path = ("observation", "affiliations", position, "author")
            yield Spot(
                IMPOSSIBLE, entry, path, NO_AUTHOR.format(one["author"], count), IMPOSSIBLE.mend
            )


def _links(entry: Entry, index: Index) -> Iterator[Spot]:
    """What a paper says of accelerators and methods that their own records contradict."""
    for number, claimed in enumerate(entry.extra.get("hardware", ())):
        known = index.get("accelerator", claimed["accelerator"])
        if known is None:
            continue
        for name, value in claimed["says"].items():
            fact = known.fact(name)
            held = fact.preferred.value if fact is not None and fact.preferred is not None else None
            if held is None or _agrees(name, str(value), held):
                continue
            shown = f"{held['value']:g} {held['unit']}" if isinstance(held, dict) else held
            message = f"{name} is said to be `{value}`, but {known.key} has {shown}"
            yield Spot(ELSEWHERE, entry, ("hardware", number), message, ELSEWHERE.mend)
    for number, method in enumerate(entry.extra.get("methods", ())):
        known = index.get("method", method)
        other = index.get("paper", known.extra["introduced_by"]) if known is not None else None
        if other is not None and other is not entry:
            message = f"method/{method} is said to be introduced by {other.key}"
            yield Spot(ELSEWHERE, entry, ("methods", number), message, ELSEWHERE.mend)


def _agrees(name: str, said: str, held: object) -> bool:
    """Whether a paper's words can mean what an accelerator's record has."""
    if name == "memory_size" and isinstance(held, dict):
        digits = "".join(char for char in said if char.isdigit() or char == ".")
        return not digits or float(digits) == held["value"]
    return str(held).lower() in said.lower() or said.lower() in str(held).lower()
