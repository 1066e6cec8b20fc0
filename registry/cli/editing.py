"""What the editing commands share: their options, and the way from a plan to a changed file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS
from registry.cli.common import emit, parse_day

if TYPE_CHECKING:
    from registry.editing.plan import Edit, Target
    from registry.findings import Finding

RecordArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The record: an id, kind/id, an arXiv id, a DOI, or the path of its file.",
    ),
]
FieldArgument = Annotated[
    str,
    typer.Argument(metavar="FIELD", help="A tracked field, such as venue or peaks[0].rate."),
]
BecauseOption = Annotated[str, typer.Option("--because", help="Why, in a sentence.")]
ByOption = Annotated[str, typer.Option("--by", help="Who says so.")]
DateOption = Annotated[
    str | None,
    typer.Option("--date", help="The day to enter (YYYY-MM-DD). Default: today.", metavar="DAY"),
]
TodayOption = Annotated[
    str | None,
    typer.Option("--today", help="Take this day for today (YYYY-MM-DD).", metavar="DAY"),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Print the diff, and change nothing.")
]
OwnRootOption = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="A folder with data/ in it. Default: the nearest parent folder that has one.",
        show_default=False,
    ),
]


def carry_out(
    name: str,
    plan: Callable[[Target, date], Edit],
    *,
    root: Path | None,
    day: str | None,
    today: str | None,
    dry_run: bool,
    field: str = "",
) -> NoReturn:
    """Plan an edit, show it, judge it, write it, and end the command.

    Args:
        name: What means the record.
        plan: Works out the edit of the record, with the day to enter.
        root: The registry's root, if one was named.
        day: The day to enter, if one was named.
        today: The day to take for today, if one was named.
        dry_run: Whether to end when the edit was shown.
        field: The tracked field that is edited, where one is.

    Raises:
        RegistryError: the edit cannot be made; nothing was written.
        typer.Exit: with code 0 if the file was changed (or would be, under ``--dry-run``), and 1
            if the edit would bring errors.
    """
    from registry.editing.diff import unified
    from registry.editing.plan import target
    from registry.store.root import find_own_root
    from registry.store.write import replace, unwritable
    from registry.trial import judge_change
    from registry.verify import load

    now = parse_day(today)
    entered = now if day is None else parse_day(day, "--date")
    registry = load(find_own_root(root), judge_next=True)
    edit = plan(target(name, registry, field), entered)
    emit(unified(edit.file, edit.before, edit.after), None)
    for warning in edit.warnings:
        tell(f"warning: {warning}")
    if dry_run:
        raise typer.Exit(EXIT_CLEAN)
    trial = judge_change(registry, edit.key, edit.after, now)
    for finding in trial.new:
        tell(finding_line(finding))
    if trial.refused:
        tell("refused: the edit would bring these errors; nothing was written")
        raise typer.Exit(EXIT_FINDINGS)
    path = registry.root / edit.file
    try:
        replace(path, edit.after, expected=edit.before)
    except OSError as error:
        raise unwritable(path, error) from error
    tell(edit.summary)
    tell(f"{trial.records} records checked: {_counted(trial.findings)}")
    raise typer.Exit(EXIT_CLEAN)


def finding_line(finding: Finding) -> str:
    """A finding on one line."""
    place = f"{finding.file}:{finding.line}:{finding.column}"
    hint = f" ({finding.hint})" if finding.hint else ""
    return f"{place}: {finding.severity} {finding.code}: {finding.message}{hint}"


def _counted(findings: tuple[Finding, ...]) -> str:
    counts = []
    for severity in ("error", "warning"):
        number = sum(finding.severity == severity for finding in findings)
        counts.append(f"{number or 'no'} {severity}{'' if number == 1 else 's'}")
    return ", ".join(counts)


def tell(line: str) -> None:
    """Write a line to stderr."""
    if sys.stderr is not None:
        sys.stderr.write(f"{line}\n")
