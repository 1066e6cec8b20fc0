"""Options that several commands share, and writing what they produce."""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from registry.errors import UnreadableError

RootOption = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="A folder with data/ in it. Default: the nearest parent folder that has one, "
        "else the registry that comes with the package.",
        show_default=False,
    ),
]


def parse_day(text: str | None) -> date:
    """The day given with ``--today``, or the current one.

    Raises:
        typer.BadParameter: it is no day.
    """
    if text is None:
        return date.today()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a day; write YYYY-MM-DD", param_hint="--today"
        ) from None


def is_terminal() -> bool:
    """Whether a person sees what is printed."""
    return sys.stdout is not None and sys.stdout.isatty()


def emit(text: str, output: Path | None) -> None:
    """Write to a file, whole or not at all, or to stdout.

    Raises:
        UnreadableError: the file cannot be written.
    """
    if output is None:
        if sys.stdout is not None:  # a closed stdout wants no report, only the exit code
            sys.stdout.write(text)
            sys.stdout.flush()
        return
    try:
        handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            # mkstemp makes files private; a report is as readable as any other new file.
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
            os.replace(name, output)
        except OSError:
            os.unlink(name)
            raise
    except OSError as error:
        raise UnreadableError(f"cannot write {output}: {error.strerror}") from error
