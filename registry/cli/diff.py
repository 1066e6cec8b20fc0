"""``registry diff``: what changed in meaning."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from registry.cli.common import RootOption, emit


class Format(StrEnum):
    """Formats of a difference."""

    terminal = "terminal"
    json = "json"
    markdown = "markdown"


def diff(
    between: Annotated[
        str | None,
        typer.Argument(
            metavar="[BASE..HEAD]",
            help="BASE..HEAD: from one commit to another. BASE...HEAD: what HEAD did since it left "
            "BASE. BASE: from there to the working tree. Default: what was done here, committed "
            "or not, since the upstream or default branch was left.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="Format of the difference.")] = (
        Format.terminal
    ),
    root: RootOption = None,
) -> None:
    """Print what changed in meaning: values, statuses, evidence, decisions, records.

    Formatting, order of keys and comments mean nothing. Exit code 0: compared. 2: wrong usage, or
    git cannot tell.
    """
    from registry.history import telling
    from registry.history.changes import changes, endpoints
    from registry.history.git import Repository
    from registry.store.root import find_root

    folder = find_root(root)
    repository = Repository(folder / "data")
    ends = endpoints(repository, between)
    typer.echo(f"registry: {ends.words}", err=True)
    found = changes(folder, repository, ends)
    if form is Format.json:
        emit(telling.as_json(found, ends.words), None)
    elif form is Format.markdown:
        emit(telling.as_markdown(found, ends.words), None)
    else:
        emit(telling.as_text(found), None, to_read=True)
