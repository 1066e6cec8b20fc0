"""``registry show``: everything that is known about one record."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS
from registry.cli.common import RootOption, emit, is_terminal


class Format(StrEnum):
    """Formats of a record."""

    terminal = "terminal"
    json = "json"
    markdown = "markdown"
    yaml = "yaml"


def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The record: an id, kind/id, an arXiv id, a DOI, or a unique beginning.",
        ),
    ],
    form: Annotated[Format, typer.Option("--format", help="Format of the record.")] = (
        Format.terminal
    ),
    history: Annotated[
        bool, typer.Option("--history", help="Every value ever held, with its reasons.")
    ] = False,
    root: RootOption = None,
) -> None:
    """Show a record with what belongs to it: values, sources, disputes, claims, adoption.

    Exit code 0: shown. 1: the file holds no usable record, and its findings are shown instead.
    2: no such record.
    """
    from registry.lookup import resolve
    from registry.store.root import find_root
    from registry.verify import load
    from registry.views import view
    from registry.views.collect import Subject, collect

    registry = load(find_root(root))
    found = collect(resolve(name, registry), registry)
    if form is Format.terminal and is_terminal():
        from rich.console import Console

        from registry.views.pages import page_of
        from registry.views.terminal import print_page

        print_page(page_of(found, with_history=history), Console())
    else:
        emit(
            view(form.value).render(found, with_history=history),
            None,
            to_read=form is Format.terminal,
        )
    raise typer.Exit(EXIT_CLEAN if isinstance(found, Subject) else EXIT_FINDINGS)
