"""``registry hide``: hide an author's former name at the author's request."""

from __future__ import annotations

import secrets
import sys
from typing import Annotated

import typer

from registry.cli.common import RootOption, parse_day


def hide(
    record: Annotated[
        str, typer.Argument(metavar="ID", help="The paper: an id, an arXiv id or a DOI.")
    ],
    today: Annotated[
        str | None, typer.Option("--today", help="The day of the request (YYYY-MM-DD).")
    ] = None,
    root: RootOption = None,
) -> None:
    """Hide a former name of an author in a paper's record and in the evidence about it.

    The name is asked for, so that it stays in no history of commands. Read "Former names" in
    CONTRIBUTING.md first. Exit code 0: hidden. 2: nothing was written.
    """
    from registry.errors import UnknownRecordError
    from registry.history.hide import apply, edits
    from registry.lookup import resolve
    from registry.store.root import find_own_root
    from registry.verify import load

    day = parse_day(today)
    folder = find_own_root(root)
    registry = load(folder)
    key = resolve(record, registry)
    if not key.startswith("paper/"):
        raise UnknownRecordError(f"{key} is not a paper", "name the paper that printed the name")
    about = registry.index.evidence_about.get(key, ())
    files = [registry.files[key], *(entry.file for entry in about)]
    typer.echo("Name to hide, as it is printed: ", nl=False, err=True)
    name = sys.stdin.readline().strip()
    found = edits(folder, files, name, day.isoformat(), secrets.token_hex(8))
    apply(found)
    for edit in found:
        typer.echo(f"hidden in {edit.path.relative_to(folder).as_posix()}")
