"""``registry explain``: what a code means and how to mend what it found."""

from __future__ import annotations

from typing import Annotated

import typer

from registry.cli import EXIT_USAGE


def explain(
    code: Annotated[
        str | None, typer.Argument(help="A code such as EVD001. Default: list all.")
    ] = None,
) -> None:
    """Say what a code means and how to mend it, or list all codes."""
    from registry.checks import RULES
    from registry.store.nearest import did_you_mean

    if code is None:
        for rule in sorted(RULES.values(), key=lambda rule: rule.code):
            typer.echo(f"{rule.code}  {rule.severity:<7}  {rule.title}")
        return
    found = RULES.get(code.upper())
    if found is None:
        hint = did_you_mean(code.upper(), RULES) or "`registry explain` lists all"
        typer.echo(f"registry: no code {code} ({hint})", err=True)
        raise typer.Exit(EXIT_USAGE)
    typer.echo(f"{found.code} ({found.severity}): {found.title}\n")
    typer.echo(f"{found.meaning}\n\nTo mend it: {found.mend}")
