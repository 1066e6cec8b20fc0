"""``registry hide``: hide an author's former name at the author's request."""

from __future__ import annotations

import secrets
import sys
from itertools import takewhile
from typing import Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS
from registry.cli.common import emit, parse_day
from registry.cli.editing import DryRunOption, OwnRootOption, finding_line, tell


def hide(
    record: Annotated[
        str, typer.Argument(metavar="ID", help="The paper: an id, an arXiv id or a DOI.")
    ],
    today: Annotated[
        str | None, typer.Option("--today", help="The day of the request (YYYY-MM-DD).")
    ] = None,
    dry_run: DryRunOption = False,
    root: OwnRootOption = None,
) -> None:
    """Hide a former name of an author in the author lines of a paper and of its evidence.

    The name is asked for, so that it stays in no history of commands. Read "Former names" in
    CONTRIBUTING.md first. The change is shown; what else still has the name is listed.

    Exit code 0: hidden. 1: it would bring errors, and nothing was written. 2: wrong usage.
    """
    from registry.editing.diff import unified
    from registry.errors import UnknownRecordError
    from registry.history.hide import apply, plan
    from registry.lookup import resolve_exactly
    from registry.store.root import find_own_root
    from registry.trial import judge_changes
    from registry.verify import load

    day = parse_day(today)
    folder = find_own_root(root)
    registry = load(folder, judge_next=True)
    key = resolve_exactly(record, registry, lambda name: name.startswith("paper/"))
    if not key.startswith("paper/"):
        raise UnknownRecordError(f"{key} is not a paper", "name the paper that printed the name")
    about = registry.index.evidence_about.get(key, ())
    files = {key: registry.files[key]} | {entry.key: entry.file for entry in about}
    tell("Whole name to hide, as it is printed; each other spelling of it on a further line;")
    tell("an empty line ends:")
    spellings = list(takewhile(bool, map(str.strip, iter(sys.stdin.readline, ""))))
    found = plan(folder, files, spellings, day.isoformat(), secrets.token_hex(8))
    for edit in found.edits:
        emit(unified(edit.file, edit.before, edit.after), None)
    for place in found.left:
        tell(f"{place}: the name stands in a text here; reword it by hand")
    if dry_run:
        raise typer.Exit(EXIT_CLEAN)
    trial = judge_changes(registry, {edit.key: edit.after for edit in found.edits}, day)
    for finding in trial.new:
        tell(finding_line(finding))
    if trial.refused:
        tell("refused: hiding the name would bring these errors; nothing was written")
        tell("if a source writes the name another way, hide that spelling with it")
        raise typer.Exit(EXIT_FINDINGS)
    apply(folder, found.edits)
    for edit in found.edits:
        tell(f"hidden in {edit.file}")
