"""``registry init``: start a registry of one's own."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

PARTS = {
    "data/": "an invented example to copy from, and a folder for each kind of record",
    "schemas/": "JSON Schemas, for editors",
    ".github/": "a workflow that checks every change, once you name the program in it",
    ".pre-commit-config.yaml": "a hook that checks every commit",
    ".gitignore": "what git leaves out",
    "README.md": "what the folders hold",
}
"""What a registry starts with, by the first part of the path."""


def init(
    name: Annotated[
        str,
        typer.Argument(metavar="DIRECTORY", help="Where to make it, such as my-registry or `.`."),
    ],
) -> None:
    """Start a registry of your own: an example with its evidence, schemas, a CI workflow.

    Nothing is overwritten: a folder that already holds data, or one of the files, is refused.
    """
    from registry.starter import start

    if not name.strip():
        raise typer.BadParameter("it is empty; write `.` for this folder", param_hint="DIRECTORY")
    directory = Path(name)
    files = start(directory, date.today())
    typer.echo(f"Made a registry in {directory}, {len(files)} files:")
    for part, meaning in PARTS.items():
        typer.echo(f"  {part:<25}{meaning}")
    typer.echo("\nNext:")
    if not directory.samefile(Path.cwd()):
        typer.echo(f"  cd {shlex.quote(str(directory))}")
    typer.echo("  registry verify\n  registry show example-paper\n  registry explain")
