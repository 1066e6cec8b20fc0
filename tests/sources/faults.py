"""The fault sweep: every source against every fault, with a healthy source asked beside it.

``python tests/sources/faults.py [SOURCE ...]`` prints the table.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from clock import FakeClock
from papers import Paper, papers
from plays_interface import Play
from server import Server
from stage import FAULTS

from registry.live import hear
from registry.sources import sources
from registry.sources.interface import Answer, Query, Source
from registry.sources.transport import Client, HostPolicy

BUDGET = 300.0
SLOW = frozenset({"timeout", "drip", "drip-head"})
"""Faults that last until patience is lost; no other fault is decided by time."""

KNOWN = papers(12)
ENOUGH = 4
"""Questions that show whether a source gives up on a host: one more than a host may fail."""

EXPECTED: dict[str, tuple[str, ...]] = {
    "timeout": ("timed out",),
    "refused": ("unreachable",),
    # The reset may overtake the half of the answer that was sent before it.
    "reset": ("broken answer", "unreachable"),
    "403": ("refused",),
    # In the shape of no host's own 404, so it says nothing about the paper.
    "404": ("refused", "broken answer"),
    "406": ("refused",),
    "429": ("throttled",),
    "429-seconds": ("throttled",),
    "429-date": ("throttled",),
    "500": ("server error",),
    "503": ("server error",),
    "html": ("broken answer",),
    "empty": ("broken answer",),
    "truncated": ("broken answer",),
    "huge": ("too large",),
    "charset": ("broken answer",),
    "redirect-away": ("redirected away",),
    "redirect-down": ("redirected away",),
    "redirect-loop": ("redirected away",),
    "drip": ("timed out",),
    "drip-head": ("timed out",),
}
"""Fault to the reasons, of which one must be given."""


@dataclass(frozen=True)
class Row:
    """How one source stood one fault."""

    source: str
    fault: str
    problems: tuple[str, ...]
    """What was wrong; empty if all was right."""
    texts: tuple[str, ...] = ()
    """All that was said, for who looks for something in it that must not be there."""


def question(paper: Paper) -> Query:
    """All that may be known of a paper before a source is asked."""
    page = f"https://proceedings.mlr.press/v{paper.volume}/{paper.slug}.html"
    hosts = {"neurips": "proceedings.neurips.cc", "mlsys": "proceedings.mlsys.org"}
    if paper.venue in hosts:
        folder = f"https://{hosts[paper.venue]}/paper_files/paper/{paper.year}/hash"
        page = f"{folder}/{paper.slug}-Abstract-Conference.html"
    return Query(
        record=f"paper/p{paper.number}",
        title=paper.title,
        authors=paper.names,
        year=paper.year,
        arxiv_id=paper.arxiv_id,
        doi=paper.doi,
        openreview_id=paper.openreview_id,
        dblp_key=paper.dblp_key,
        venue=paper.venue,
        volume=paper.volume,
        series="pmlr" if paper.volume else "",
        addresses=(page,) if paper.volume or paper.venue in hosts else (),
    )


def sweep(
    tried: Sequence[Source] | None = None,
    faults: Iterable[str] = FAULTS,
    *,
    beside: Sequence[Source] | None = None,
    played: Mapping[str, Play] | None = None,
) -> list[Row]:
    """One row for each source and fault.

    Args:
        tried: The sources whose hosts are spoilt; all by default.
        faults: Names of the faults.
        beside: The sources of which a healthy one is asked in the same run; all by default.
        played: Host to what plays it; by default every play there is.
    """
    tried = sources() if tried is None else tried
    beside = sources() if beside is None else beside
    cases = [(source, _neighbour(source, beside), fault) for source in tried for fault in faults]
    involved = {source.name: source for case in cases for source in case[:2]}
    with ThreadPoolExecutor(8) as pool:
        names = list(involved)
        answers = pool.map(lambda name: _healthy(involved[name], played), names)
        healthy = dict(zip(names, answers, strict=True))
        rows = [pool.submit(_row, *case, healthy, played) for case in cases]
        return [row.result() for row in rows]


def _neighbour(source: Source, beside: Sequence[Source]) -> Source:
    """Another source that shares no host."""
    hosts = {policy.host for policy in source.policies}
    start = [other.name for other in beside].index(source.name) if source in beside else 0
    order = [*beside[start:], *beside[:start]]
    return next(o for o in order if not hosts & {policy.host for policy in o.policies})


def _questions(source: Source) -> list[Query]:
    return [query for query in map(question, KNOWN) if source.can_ask(query)][:ENOUGH]


def _healthy(source: Source, played: Mapping[str, Play] | None) -> list[Answer]:
    """What a source answers when nothing is wrong."""
    with Server(KNOWN, played=played) as server:
        client = Client(source.policies, budget=BUDGET, clock=FakeClock(), via=server.address)
        answers = list(source.ask(_questions(source), client))
        trouble = source.ping(client)
        client.close()
    assert answers, f"no question suits {source.name}"
    unanswered = [answer for answer in answers if answer.outcome != "answered"]
    assert not unanswered, f"{source.name} without any fault: {unanswered}"
    assert not trouble, f"{source.name} without any fault does not answer a ping: {trouble}"
    return sorted(answers, key=lambda answer: answer.record)


def _row(
    source: Source,
    neighbour: Source,
    fault: str,
    healthy: Mapping[str, list[Answer]],
    played: Mapping[str, Play] | None,
) -> Row:
    hosts = {policy.host: fault for policy in source.policies}
    clock = FakeClock()
    with Server(KNOWN, hosts, played=played, drip=0.02) as server:
        policies = [*(_hurried(policy, fault) for policy in source.policies), *neighbour.policies]
        client = Client(policies, budget=BUDGET, clock=clock, via=server.address)
        # Both are asked about each paper that one of them can be asked about.
        asked = {query.record: query for one in (source, neighbour) for query in _questions(one)}
        heard = hear(list(asked.values()), [source, neighbour], client)
        ping = source.ping(client)
        client.close()
        sent = sum(len(server.asked(host)) for host in hosts)
    spoilt = [answer for answer in heard.answers if answer.source == source.name]
    beside = {answer.record: answer for answer in heard.answers if answer.source == neighbour.name}
    problems = [
        *_wrong_verdicts(source, fault, spoilt),
        *_wrong_reason(source, fault, ping, "ping"),
        *(
            f"{neighbour.name} was disturbed: {_said(beside.get(answer.record))}"
            for answer in healthy[neighbour.name]
            if _said(beside.get(answer.record)) != _said(answer)
        ),
    ]
    if clock.moment > BUDGET:
        problems.append(f"the run took {clock.moment:.0f} s of {BUDGET:.0f} s")
    if not sent:
        problems.append("no request met the fault")
    texts = tuple(repr(answer) for answer in heard.answers)
    return Row(source.name, fault, tuple(problems), (*texts, ping))


def _said(answer: Answer | None) -> str:
    """An answer without what depends on the questions that were asked along with it."""
    return f"{answer.outcome} {answer.reason} {answer.observation}" if answer else "no answer"


def _hurried(policy: HostPolicy, fault: str) -> HostPolicy:
    if fault in SLOW:
        return replace(policy, patience=0.1)
    return replace(policy, largest=1 << 20) if fault == "huge" else policy


def _wrong_verdicts(source: Source, fault: str, answers: Sequence[Answer]) -> Iterable[str]:
    if not answers:
        yield "no answer"
    for answer in answers:
        if answer.outcome != "could-not-ask" or answer.observation or answer.silent_on:
            yield f"{answer.record}: {answer.outcome}"
        else:
            yield from _wrong_reason(source, fault, answer.reason, answer.record)


def _wrong_reason(source: Source, fault: str, reason: str, what: str) -> Iterable[str]:
    expected = EXPECTED[fault]
    if fault.isdigit() and any(int(fault) in policy.throttles for policy in source.policies):
        expected = ("throttled",)
    if not reason.startswith(expected) or "its reader failed" in reason:
        yield f"{what}: {reason or 'no reason'}, and not {' or '.join(expected)}"


def table(rows: Sequence[Row]) -> str:
    """Faults down, sources across; what was tried and what was right, below."""
    names = list(dict.fromkeys(row.source for row in rows))
    faults = list(dict.fromkeys(row.fault for row in rows))
    held = {(row.source, row.fault): row for row in rows}
    lines = [["fault", *names]]
    for fault in faults:
        cells = [held.get((name, fault)) for name in names]
        lines.append(
            [fault, *("-" if c is None else "WRONG" if c.problems else "ok" for c in cells)]
        )
    tried = Counter(row.source for row in rows)
    right = Counter(row.source for row in rows if not row.problems)
    lines.append(["faults tried", *(str(tried[name]) for name in names)])
    lines.append(["faults right", *(str(right[name]) for name in names)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    wrong = [f"{row.source}, {row.fault}: {problem}" for row in rows for problem in row.problems]
    text.append(f"{right.total()} of {tried.total()} right")
    return "\n".join([*text, *wrong])


def _cell(row: Row | None) -> str:
    if row is None:
        return "-"
    return "WRONG" if row.problems else "ok"


def main(names: Sequence[str]) -> int:
    """Print the table; 1 if something was wrong."""
    rows = sweep(sources(names))
    print(table(rows))  # noqa: T201
    return int(any(row.problems for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
