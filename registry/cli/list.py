"""``registry list``: which records there are."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_USAGE
from registry.cli.common import RootOption, all_read, columns, emit


class Format(StrEnum):
    """Formats of a list."""

    terminal = "terminal"
    json = "json"
    ids = "ids"


def list_records(
    kind: Annotated[
        str | None,
        typer.Argument(help="A kind, such as paper or papers. Default: all.", show_default=False),
    ] = None,
    status: Annotated[
        str | None,
        typer.Option(
            "--status",
            help="Only records with a field that is asserted, corroborated, contested or settled, "
            "or records that are withdrawn.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="Format of the list.")] = Format.terminal,
    root: RootOption = None,
) -> None:
    """List the records with what has to be known of each: contested fields, withdrawn, broken.

    Exit code 0: listed. 1: some files hold no usable record. 2: wrong usage.
    """
    from registry.records import FOLDERS
    from registry.reports.wording import counted
    from registry.store.root import find_root
    from registry.verify import load
    from registry.views import listing

    kinds = {name: str(one) for one, folder in FOLDERS.items() for name in (one, folder)}
    wanted = "" if kind is None else kinds[_known(kind, kinds, "kind of record")]
    called = "" if status is None else _known(status, listing.STATUSES, "status")
    registry = load(find_root(root))
    found = listing.lines(registry, wanted, called)
    if form is Format.json:
        emit(listing.as_json(found), None)
    elif form is Format.ids:
        emit(listing.as_ids(found), None)
    elif found:
        emit(listing.as_lines(found, called, columns(listing.UNCUT)), None, to_read=True)
    if not found:
        gone = "withdrawn " if called == "withdrawn" else ""
        which = f" with a field that is {called}" if called and not gone else ""
        of_kind = f"{wanted} " if wanted else ""
        typer.echo(f"registry: there are no {gone}{of_kind}records{which}", err=True)
    broken = [key for key in registry.index.broken if wanted in ("", key.partition("/")[0])]
    if broken and called:  # without a usable record there is no status to be listed by
        files = counted(len(broken), "file holds", "files hold")
        typer.echo(f"registry: {files} no usable record (`registry verify` tells why)", err=True)
    complete = all_read(registry) and not broken
    raise typer.Exit(EXIT_CLEAN if complete else EXIT_FINDINGS)


def _known(given: str, known: Iterable[str], what: str) -> str:
    """The word as it is known.

    Raises:
        typer.Exit: it is not; near words have been named on stderr.
    """
    from registry.store.nearest import did_you_mean

    words = list(known)
    word = given.strip().lower()
    if word not in words:
        hint = did_you_mean(word, words) or f"there are {', '.join(words)}"
        typer.echo(f"registry: no {what} is called {given!r} ({hint})", err=True)
        raise typer.Exit(EXIT_USAGE)
    return word
