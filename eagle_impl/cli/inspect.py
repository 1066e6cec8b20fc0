"""``eagle_impl inspect``: what a checkpoint is, and whether it fits a target."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from eagle_impl.cli import EXIT_CLEAN
from eagle_impl.cli.options import path

EXIT_DOES_NOT_FIT = 1


def inspect(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            parser=path,
            help="Folder with config.json and the weights, or smollm2-135m-instruct.",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            "--target", metavar="MODEL", help="Model to hold a head against: a folder or a name."
        ),
    ] = None,
) -> None:
    """Say what a checkpoint is, what is missing or wrong in it, and whether a head fits a target.

    Exit code 0: it is whole, and fits. 1: it is not whole, or does not fit. 2: wrong usage, or
    something that cannot be read.
    """
    from eagle_impl.inspection import inspect as examine

    found = examine(folder, target)
    lines = [f"{folder}: {found.kind}"]
    lines += [f"  {name + ':':<18}{value}" for name, value in found.facts.items()]
    lines += [f"  wrong: {problem}" for problem in found.problems]
    if found.target is not None:
        lines.append(f"{'fits' if found.fits else 'does not fit'} {found.target}")
        lines += [f"  {misfit.message}" for misfit in found.misfits]
    for line in lines:
        # Names of tensors and of targets come from files, and must not steer a terminal.
        shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
        sys.stdout.write(f"{shown}\n")
    raise typer.Exit(EXIT_CLEAN if found.fits else EXIT_DOES_NOT_FIT)
