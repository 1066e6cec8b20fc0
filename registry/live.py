"""Asks the sources about records, all sources at once, and joins what they say with the registry.

A live answer is judged exactly like recorded evidence: it becomes an entry of the index that is
read today and lies in no file. Nothing on disk changes unless the answers are recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from queue import Queue
from threading import Thread

from registry.equality.venues import VenueNames
from registry.records.outline import references
from registry.sources.interface import Answer, Query, Source
from registry.sources.learning import learned
from registry.sources.transport import Client
from registry.store.entry import Entry, Heard, Link
from registry.store.extract import peak_name
from registry.store.index import Index
from registry.store.memory import Memory
from registry.verify import Registry

STOPPED = "stopped: the run was interrupted"
PROPOSED = "found by title, author and year only; no identifier says that it is this paper"

Progress = Callable[[Answer], None]
"""Told of each answer as it comes in."""


@dataclass(slots=True)
class Hearing:
    """What came of asking."""

    answers: list[Answer] = field(default_factory=list)
    expected: int = 0
    """Answers that were to come."""
    stopped: bool = False
    """Whether the run was interrupted; what had come by then is in ``answers``."""
    unkept: bool = False
    """Whether an answer was to be recorded and could not be."""

    @property
    def unanswered(self) -> list[Answer]:
        """Sources that could not be asked, and why."""
        return [answer for answer in self.answers if answer.outcome == "could-not-ask"]


def hear(
    queries: Sequence[Query],
    sources: Iterable[Source],
    client: Client,
    progress: Progress = lambda answer: None,
) -> Hearing:
    """Ask each source about all papers that it can be asked about.

    An interrupt (Ctrl-C) stops the run and keeps what has been heard.
    """
    hearing = Hearing()
    heard: Queue[Answer | None] = Queue()
    threads: list[Thread] = []
    waiting: dict[tuple[str, str], Query] = {}
    for source in sources:
        askable = [query for query in queries if source.can_ask(query)]
        if askable:
            hearing.expected += len(askable)
            waiting |= {(source.name, query.record): query for query in askable}
            threads.append(Thread(target=_ask, args=(source, askable, client, heard), daemon=True))
    for thread in threads:
        thread.start()
    open_threads = len(threads)
    try:
        while open_threads:
            answer = heard.get()
            if answer is None:
                open_threads -= 1
                continue
            query = waiting.pop((answer.source, answer.record), None)
            if query is not None and not query.identified and answer.outcome == "answered":
                answer = replace(answer, proposed=True)
            hearing.answers.append(answer)
            progress(answer)
    except KeyboardInterrupt:
        hearing.stopped = True
        client.stop()
        interrupted = (Answer(record, name, "could-not-ask", STOPPED) for name, record in waiting)
        hearing.answers.extend(interrupted)
    return hearing


def hear_in_rounds(
    query: Query,
    sources: Iterable[Source],
    client: Client,
    venues: VenueNames,
    progress: Progress = lambda answer: None,
) -> Hearing:
    """Ask about one paper; what the first sources say lets the others be asked in their turn."""
    waiting, all_heard = list(sources), Hearing()
    while True:
        now = [source for source in waiting if source.can_ask(query)]
        if not now or all_heard.stopped:
            return all_heard
        heard = hear([query], now, client, progress)
        all_heard.answers += heard.answers
        all_heard.expected += heard.expected
        all_heard.stopped = heard.stopped
        waiting = [source for source in waiting if source not in now]
        # The order of the sources is the order of trust, whatever came in first.
        place = {source.name: number for number, source in enumerate(now)}
        query = learned(query, sorted(heard.answers, key=lambda a: place[a.source]), venues)


def _ask(
    source: Source, queries: Sequence[Query], client: Client, heard: Queue[Answer | None]
) -> None:
    waiting = {query.record: query for query in queries}
    try:
        for answer in source.ask(queries, client):
            waiting.pop(answer.record, None)
            heard.put(answer)
        reason = "it gave no answer to this question"
    except Exception as error:  # a fault in one reader must not silence the others
        reason = f"its reader failed on the answer ({type(error).__name__})"
    for record in waiting:
        heard.put(Answer(record, source.name, "could-not-ask", f"broken answer: {reason}"))
    heard.put(None)


def with_answers(registry: Registry, answers: Iterable[Answer], today: date) -> Registry:
    """The registry as it would be if the answers were recorded today."""
    entries = [*registry.index, *_entries(answers, today)]
    return replace(
        registry, index=Index(entries, registry.index.broken), memory=Memory(), use_cache=False
    )


def _entries(answers: Iterable[Answer], today: date) -> Iterator[Entry]:
    for answer in answers:
        observed = answer.observed
        for peak in observed.pop("peaks", ()):
            observed[peak_name(peak)] = peak["value"]
        data = {"about": answer.record, "source": answer.source, "observation": observed}
        yield Entry(
            kind="evidence",
            id=live_id(answer),
            file="",
            label=answer.locator or answer.source,
            withdrawn=False,
            links=tuple(Link(*found) for found in references("evidence", data)),
            facts=(),
            heard=Heard(
                about=answer.record,
                source=answer.source,
                retrieved=today.isoformat(),
                how="fetched",
                outcome=answer.outcome,
                reason=answer.reason or "; ".join(answer.notes),
                confirmed=not answer.proposed,
                silent_on=tuple(answer.silent_on),
                observed=observed,
                version=answer.version,
                url=answer.url,
                standing=answer.status,
            ),
            extra={},
        )


def live_id(answer: Answer) -> str:
    """The id under which an answer is shown before it is recorded."""
    return f"{answer.record.partition('/')[2]}-{answer.source}-live"
