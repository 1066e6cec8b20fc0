"""``registry add``: a record for a paper that has none, from what the sources say."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INTERRUPTED, EXIT_NOT_ASKED
from registry.cli.common import emit, parse_day, was_given
from registry.cli.editing import OwnRootOption, TodayOption, finding_line, tell
from registry.cli.live import (
    MaxWaitOption,
    SourceOption,
    chosen,
    client_for,
    mirror,
    progress,
    summary,
    unasked,
    with_versions,
)

if TYPE_CHECKING:
    from registry.adding.addition import Addition, Wish
    from registry.live import Hearing
    from registry.sources.arxiv_history import Version
    from registry.sources.interface import Answer, Source
    from registry.verify import Registry

_DECIDING = {"arxiv_id": "arxiv", "doi": "crossref"}
"""Who assigns an identifier: what this source does not know, nobody can know."""


def add(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="ARXIV-ID|DOI", help="The paper, in any form of its id.")
    ],
    slug: Annotated[
        str,
        typer.Option(
            "--id",
            help="The id of the new record. Default: what the title begins with.",
            metavar="SLUG",
            show_default=False,
        ),
    ] = "",
    by: Annotated[str, typer.Option("--by", help="Who enters the record.")] = "registry add",
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask nobody; use recorded evidence alone.")
    ] = False,
    source: SourceOption = None,
    max_wait: MaxWaitOption = 60.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the record, and write nothing.")
    ] = False,
    today: TodayOption = None,
    root: OwnRootOption = None,
) -> None:
    """Add a paper: every value that the sources give, each with its evidence.

    Where they disagree, the field is contested from the first day. Evidence that lies in the
    registry already and holds the identifier is used as well.

    Exit code 0: added. 1: the record would bring errors, and nothing was written. 2: wrong usage,
    on record already, or no such paper. 3: nobody could be asked. 130: interrupted.
    """
    from registry.adding.addition import Wish, chosen_id, plan, write
    from registry.errors import UnknownRecordError
    from registry.sources.queries import query_from
    from registry.store.root import find_own_root
    from registry.trial import judge_changes
    from registry.verify import load

    if offline and (source or was_given(context, "max_wait")):
        raise typer.BadParameter("--source and --max-wait do not go with --offline")
    day = parse_day(today)
    registry = load(find_own_root(root), judge_next=True)
    query = query_from(name)
    if query is None:
        hint = "give an arXiv id such as 2401.15077, or a DOI such as 10.18653/v1/..."
        raise UnknownRecordError(f"{name!r} is neither an arXiv id nor a DOI", hint)
    wish = Wish(query, slug, by, day, mirror())
    begun = registry.index.evidence_about.get(f"paper/{chosen_id(registry, wish)}", [])
    if offline and not begun:
        hint = "leave out --offline, or record some with `registry cite-evidence --new`"
        raise UnknownRecordError(f"no recorded evidence holds {query.record}", hint)
    asked: list[Source] = [] if offline else chosen(source)
    answers, versions, heard = _ask(registry, wish, asked, max_wait)
    if heard.stopped:
        tell("interrupted; nothing was written")
        raise typer.Exit(EXIT_INTERRUPTED)
    if not begun and not any(one.outcome == "answered" for one in answers):
        _unanswered(wish, heard)
    addition = plan(registry, wish, answers, versions)
    trial = judge_changes(registry, addition.files, day)
    for finding in trial.new:
        tell(finding_line(finding))
    if trial.refused:
        tell("refused: the record would bring these errors; nothing was written")
        raise typer.Exit(EXIT_FINDINGS)
    if dry_run:
        emit(addition.files[addition.key].decode(), None)
        raise typer.Exit(EXIT_CLEAN)
    write(registry.root, addition)
    emit("\n".join(_report(addition, heard)) + "\n", None, to_read=True)


def _ask(
    registry: Registry, wish: Wish, asked: list[Source], max_wait: float
) -> tuple[list[Answer], tuple[Version, ...], Hearing]:
    """What the sources answer, the versions on arXiv, and how asking went."""
    from dataclasses import replace

    from registry.checks.matrix import Comparer
    from registry.live import Hearing, hear_in_rounds

    if not asked:
        return [], (), Hearing()
    # The record is about the paper, whatever version somebody named.
    query = replace(wish.asked, arxiv_version="")
    answers: list[Answer] = []
    versions: tuple[Version, ...] = ()
    with client_for(asked, max_wait) as client, progress(1) as count:
        heard = hear_in_rounds(query, asked, client, Comparer(registry.index).venues, count)
        for answer in () if heard.stopped else heard.answers:
            told, found = with_versions(answer, client)
            answers.append(told)
            versions = versions or found
    sys.stderr.write(summary(heard, 1, len(asked)))
    return answers, versions, heard


def _unanswered(wish: Wish, heard: Hearing) -> NoReturn:
    """End a run in which nobody knew the paper."""
    from registry.errors import UnknownRecordError

    denying = {one.source for one in heard.answers if one.outcome == "no-such-record"}
    deciding = _DECIDING["arxiv_id" if wish.asked.arxiv_id else "doi"]
    if not heard.unanswered or deciding in denying:
        who = f"{', '.join(sorted(denying))} know no such paper" if denying else ""
        hint = who or "none of the sources can be asked by this identifier"
        raise UnknownRecordError(f"no source knows {wish.asked.record}", hint)
    told = f"; {', '.join(sorted(denying))} know no such paper" if denying else ""
    tell(
        f"registry: nobody could be asked about {wish.asked.record}: "
        f"{'; '.join(unasked(heard))}{told} (try again later)"
    )
    raise typer.Exit(EXIT_NOT_ASKED)


def _report(addition: Addition, heard: Hearing) -> list[str]:
    from registry.reports.wording import counted, shortened, visible
    from registry.store.wording import as_text
    from registry.trial import file_of

    record_id, data = addition.made.data["id"], addition.made.data
    new = sum(key.startswith("evidence/") for key in addition.files)
    sources = [key for key in addition.files if key.startswith("source/")]
    title = visible(as_text(data["title"]["assertions"][0]["value"]))
    lines = [
        f"Added {addition.key}, “{title}”: {file_of(addition.key)}",
        f"  evidence: {new} new, {addition.recorded} recorded before",
    ]
    if sources:
        lines.append(f"  sources that were not on record: {', '.join(sources)}")
    if "withdrawn" in data:
        lines.append(f"  withdrawn: {visible(data['withdrawn']['because'])}")
    for key, field in data.items():
        if isinstance(field, dict) and field.get("status") == "contested":
            lines.append(f"  contested: {key}. {visible(field['contested_because'])}")
    lines += [
        f"  left out: {gap.name}. {shortened(visible(gap.words), 300)}"
        for gap in addition.made.gaps
    ]
    for name, why in addition.strangers.items():
        lines.append(f"  kept, but not believed: evidence/{name}; {visible(why)}")
    away = counted(len(heard.unanswered), "source")
    if heard.unanswered:
        lines.append(
            f"  {away} could not be asked; ask again: registry verify {record_id} --live --record"
        )
    lines += [
        "Next: read the affiliations on the first page of the paper; a comment in the file says "
        "how to cite it.",
        f"Then: registry verify {record_id}",
    ]
    return lines
