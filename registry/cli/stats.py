"""``registry stats``: how much is recorded, and how well it is supported."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS
from registry.cli.common import RootOption, all_read, emit, is_terminal


class Format(StrEnum):
    """Formats of the statistics."""

    terminal = "terminal"
    json = "json"


def stats(
    form: Annotated[Format, typer.Option("--format", help="Format of the counts.")] = (
        Format.terminal
    ),
    root: RootOption = None,
) -> None:
    """Count facts by status, what is unknown, evidence by how it was obtained, and claims.

    Exit code 0: counted. 1: without files that hold no usable record. 2: there is no registry.
    """
    from registry.statistics import statistics
    from registry.store.root import find_root
    from registry.verify import load
    from registry.views import coverage

    registry = load(find_root(root))
    found = statistics(registry)
    if form is Format.json:
        emit(coverage.as_json(found), None)
    elif is_terminal():
        from rich.console import Console

        coverage.print_to(found, Console())
    else:
        emit(coverage.as_text(found), None, to_read=True)
    complete = all_read(registry) and not found.unusable
    raise typer.Exit(EXIT_CLEAN if complete else EXIT_FINDINGS)
