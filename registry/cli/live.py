"""What the commands that ask sources share: choosing them, the client, progress on a terminal."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from registry.cli import (
    EXIT_CLEAN,
    EXIT_FINDINGS,
    EXIT_INTERRUPTED,
    EXIT_NOT_ASKED,
    EXIT_USAGE,
)

if TYPE_CHECKING:
    from datetime import date

    from registry.live import Hearing, Progress
    from registry.reports.interface import Report
    from registry.sources.arxiv_history import Version
    from registry.sources.interface import Answer, Source
    from registry.sources.transport import Client
    from registry.verify import Options, Registry

MIRROR = "REGISTRY_SOURCES_VIA"
"""Environment variable with the address of a mirror on this machine, for trying things out."""


SourceOption = Annotated[
    list[str] | None,
    typer.Option("--source", help="Ask this source only; may be repeated. Default: all."),
]
MaxWaitOption = Annotated[
    float, typer.Option("--max-wait", min=1, help="Seconds that asking may take in all.")
]


def chosen(names: Sequence[str] | None) -> list[Source]:
    """The sources that were named, or all.

    Raises:
        typer.BadParameter: no source has that name.
    """
    from registry.sources import MODULES, sources
    from registry.store.nearest import did_you_mean

    for name in names or ():
        if name not in MODULES:
            hint = did_you_mean(name, MODULES) or f"one of {', '.join(MODULES)}"
            raise typer.BadParameter(f"no source {name!r} ({hint})", param_hint="--source")
    return sources(dict.fromkeys(names or ()))


def mirror() -> str:
    """Address of the mirror that stands in for all hosts; empty if there is none.

    Raises:
        typer.BadParameter: it is not on this machine.
    """
    from urllib.parse import urlsplit

    address = os.environ.get(MIRROR, "")
    if not address:
        return ""
    parts = urlsplit(address)
    here = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if parts.scheme != "http" or not here or parts.username is not None:
        # The address is not repeated: it may hold a password.
        raise typer.BadParameter(f"{MIRROR} must be of the form http://127.0.0.1:PORT")
    return address


@contextmanager
def client_for(asked: Sequence[Source], max_wait: float) -> Iterator[Client]:
    """A client that may talk to the hosts of these sources."""
    from registry.sources.transport import Client

    client = Client(
        (policy for source in asked for policy in source.policies), budget=max_wait, via=mirror()
    )
    try:
        yield client
    finally:
        client.close()


@contextmanager
def progress(papers: int) -> Iterator[Progress]:
    """Counts answers on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda answer: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, int] = {}

        def tell(answer: object) -> None:
            name = getattr(answer, "source", "")
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=papers)
            bar.advance(tasks[name])  # type: ignore[arg-type]

        yield tell


def ask_sources(
    registry: Registry,
    keys: Sequence[str],
    asked: Sequence[Source],
    today: date,
    *,
    record: bool,
    max_wait: float,
) -> Hearing:
    """Ask about the papers among ``keys`` (all papers if empty) and say on stderr how it went.

    With ``record``, each answer is kept as it comes, so that an interrupt loses none.
    """
    from registry.errors import UnreadableError
    from registry.live import hear
    from registry.recording import record_answer
    from registry.sources.queries import SPEAKABLE, query_of

    papers = [
        entry
        for entry in registry.index
        if entry.kind in SPEAKABLE and not entry.withdrawn and (not keys or entry.key in keys)
    ]
    queries = [query_of(entry, registry.index) for entry in papers]
    kept, refused = 0, ""
    with client_for(asked, max_wait) as client, progress(len(queries)) as tell:

        def take(answer: Answer) -> None:
            nonlocal kept, refused
            try:
                if record and record_answer(
                    registry.root, registry.index, answer, today, via=mirror()
                ):
                    kept += 1
            except UnreadableError as error:
                # What was heard can still be shown, and the next answer may find room.
                refused = error.message
            tell(answer)

        heard = hear(queries, asked, client, take)
    sys.stderr.write(summary(heard, len(papers), len(asked)))
    if record:
        sys.stderr.write(f"{kept} new observations recorded in {registry.root}/data/evidence\n")
    if refused:
        sys.stderr.write(f"registry: not all answers were recorded: {refused}\n")
        heard.unkept = True
    return heard


def summary(heard: Hearing, papers: int, sources: int) -> str:
    """Lines that say how asking went, each unanswered source with its reason."""
    from registry.reports.wording import counted

    counts = Counter(answer.outcome for answer in heard.answers)
    asked, of = counted(sources, "source"), counted(papers, "paper")
    lines = [
        f"asked {asked} about {of}: {counted(counts['answered'], 'answer')}, "
        f"{counts['no-such-record']} x no such record, {counts['could-not-ask']} x could not ask"
    ]
    lines += [f"  {line}" for line in unasked(heard)]
    unknown = Counter(a.source for a in heard.answers if a.outcome == "no-such-record")
    lines += [f"  {source}: no such record ({n}x)" for source, n in sorted(unknown.items())]
    if heard.stopped:
        lines.append(f"interrupted after {len(heard.answers)} of {heard.expected} answers")
    return "\n".join(lines) + "\n"


def unasked(heard: Hearing) -> list[str]:
    """Each source that could not be asked, why, and about how many papers."""
    reasons = Counter((answer.source, answer.reason) for answer in heard.unanswered)
    return [f"{source}: {reason} ({n}x)" for (source, reason), n in sorted(reasons.items())]


def with_versions(answer: Answer, client: Client) -> tuple[Answer, tuple[Version, ...]]:
    """What arXiv says with all versions of the paper, of which its usual answer shows only one."""
    from registry.sources.answers import NoReply
    from registry.sources.arxiv import SOURCE

    if answer.source != SOURCE.name or answer.outcome != "answered":
        return answer, ()
    versions = SOURCE.history(str(answer.observation.get("arxiv_id", "")), client)
    if isinstance(versions, NoReply):
        note = f"its versions could not be asked ({versions})"
        return replace(answer, notes=(*answer.notes, note)), ()
    days = ", ".join(f"{one.version} {one.submitted}" for one in versions)
    note = f"versions: {days or 'none on record'}"
    return replace(answer, notes=(*answer.notes, note)), versions


_MATRICES = 10
"""Papers up to which a run about everything shows every matrix."""


def about(options: Options, heard: Hearing) -> Options:
    """The options, with the matrices of the papers that were asked about, unless too many."""
    asked = dict.fromkeys(answer.record for answer in heard.answers)
    options = replace(options, unasked=tuple(unasked(heard)))
    if options.ids or len(asked) > _MATRICES:
        return options
    return replace(options, show=tuple(asked))


def exit_code(report: Report, heard: Hearing) -> int:
    """The exit code of a live run."""
    if heard.stopped:
        return EXIT_INTERRUPTED
    if report.failed:
        return EXIT_FINDINGS
    if heard.unkept:
        return EXIT_USAGE
    return EXIT_NOT_ASKED if report.strict and heard.unanswered else EXIT_CLEAN
