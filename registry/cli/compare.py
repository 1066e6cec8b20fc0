"""``registry compare``: numbers of several methods, those side by side that may stand so."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS
from registry.cli.common import RootOption, emit, file_named, is_terminal


class Format(StrEnum):
    """Formats of a comparison."""

    terminal = "terminal"
    json = "json"
    markdown = "markdown"
    csv = "csv"
    svg = "svg"


def compare(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="METHOD-OR-PAPER...",
            help="Methods, or papers for the methods that they introduce.",
        ),
    ],
    metric: Annotated[
        str | None,
        typer.Option("--metric", help="What is counted, such as speedup. Default: everything."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Only this target: an id, a name or an alias.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="Only this dataset: an id, a name or an alias.")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="Only this sampling temperature.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="Format of the comparison.")] = (
        Format.terminal
    ),
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write instead of stdout.")
    ] = None,
    allow: Annotated[
        bool,
        typer.Option(
            "--allow-not-interchangeable",
            help="Compare methods, and mark them, whose numbers do not mean the same.",
        ),
    ] = False,
    root: RootOption = None,
) -> None:
    """Compare what is claimed and measured of several methods, under the same conditions only.

    Exit code 0: some numbers may stand side by side. 1: none may, or the methods are not
    interchangeable. 2: no such method, paper, model, dataset or metric.
    """
    from registry.comparing import ask, compare, gather
    from registry.comparing.apart import apart_among
    from registry.comparing.formats import as_text
    from registry.comparing.wording import nothing
    from registry.store.root import find_root
    from registry.verify import load
    from registry.views.shelf import Shelf

    output = file_named(output)
    shelf = Shelf(load(find_root(root)))
    question = ask(
        names, shelf, metric=metric, model=model, dataset=dataset, temperature=temperature
    )
    apart = apart_among(question.methods, shelf)
    found = compare(question, gather(shelf, question.methods), apart, allow_apart=allow)
    if len(found.missing) > len(question.methods) - 2 and not found.refused:
        typer.echo(f"registry: {nothing(found)}", err=True)
        raise typer.Exit(EXIT_FINDINGS)
    untold = found.refused and (form in (Format.csv, Format.svg) or output is not None)
    if untold or (form is Format.svg and not found.rows):
        # What cannot carry the explanation must not look like an answer.
        typer.echo(as_text(found, Format.terminal), err=True, nl=False)
    elif form is Format.terminal and output is None and is_terminal():
        from rich.console import Console

        from registry.comparing.page import page_of
        from registry.views.terminal import print_page

        print_page(page_of(found), Console())
    else:
        emit(as_text(found, form.value), output, to_read=form is Format.terminal)
    raise typer.Exit(EXIT_CLEAN if found.rows else EXIT_FINDINGS)
