"""``registry export``: papers as entries of a bibliography."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS
from registry.cli.common import RootOption, all_read, emit, file_named


class Format(StrEnum):
    """Formats of an export."""

    bibtex = "bibtex"
    csl_json = "csl-json"
    cff = "cff"
    json_ld = "json-ld"
    csv = "csv"


class Prefer(StrEnum):
    """Manifestations of a paper."""

    published = "published"
    preprint = "preprint"


def export(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            help="Papers: an id, an arXiv id, a DOI, or a unique beginning. Default: all that are "
            "not withdrawn.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="Format of the entries.")] = (
        Format.bibtex
    ),
    prefer: Annotated[
        Prefer,
        typer.Option("--prefer", help="What to cite where a paper was published and is on arXiv."),
    ] = Prefer.published,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the entries to this file.", show_default=False),
    ] = None,
    root: RootOption = None,
) -> None:
    """Export papers, each as it was published or as its preprint, never as a mixture.

    What has to be known before citing one, such as that its venue is contested, is said on stderr.
    A file is left as it is if there is nothing to write into it.

    Exit code 0: exported. 1: without papers whose records cannot be used. 2: no such paper.
    """
    from registry.bibliography import writer
    from registry.bibliography.exporting import export as exported
    from registry.bibliography.exporting import left_out, papers
    from registry.store.root import find_root
    from registry.verify import load

    output = file_named(output)
    registry = load(find_root(root))
    found = exported(papers(ids or [], registry), registry, prefer.value)
    text = writer(form.value).render(found.works)
    for remark in (*found.remarks, *(() if ids else left_out(registry))):
        typer.echo(f"registry: {remark}", err=True)
    complete = all_read(registry) and found.complete
    if output is not None and output.exists() and not found.works:
        typer.echo(f"registry: nothing was exported; {output} stays as it is", err=True)
        raise typer.Exit(EXIT_FINDINGS)
    emit(text, output)
    raise typer.Exit(EXIT_CLEAN if complete else EXIT_FINDINGS)
