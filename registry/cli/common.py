"""Options that several commands share, and writing what they produce."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

RootOption = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="A folder with data/ in it. Default: the nearest parent folder that has one, "
        "else the registry that comes with the package.",
        show_default=False,
    ),
]


def parse_day(text: str | None, option: str = "--today") -> date:
    """The day given with an option, or the current one.

    Raises:
        typer.BadParameter: it is no day.
    """
    if text is None:
        return date.today()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a day; write YYYY-MM-DD", param_hint=option
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
    from registry.store.write import replace, unwritable

    try:
        replace(output, text.encode())
    except OSError as error:
        raise unwritable(output, error) from error
