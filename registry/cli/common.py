"""Options that several commands share, and writing what they produce."""

from __future__ import annotations

import shutil
import sys
from datetime import date
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from registry.verify import Registry

RootOption = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="A folder with data/ in it. Default: the nearest parent folder that has one, up to "
        "the top of a git repository, else the registry that comes with the package.",
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


def was_given(context: typer.Context, name: str) -> bool:
    """Whether somebody gave a parameter, and not its default alone."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def all_read(registry: Registry) -> bool:
    """Whether every file and folder was read as one of records; what was not is told on stderr."""
    from registry.store.root import is_unread

    unread = [finding for finding in registry.findings if is_unread(finding)]
    for finding in unread:
        typer.echo(f"registry: {finding.file}: {finding.message}; it is left out", err=True)
    return not unread


def file_named(output: Path | None) -> Path | None:
    """The file that is to be written; None for stdout, which many a command line calls ``-``."""
    return None if output == Path("-") else output


def is_terminal() -> bool:
    """Whether a person sees what is printed."""
    return sys.stdout is not None and sys.stdout.isatty()


def columns(otherwise: int) -> int:
    """The width of the terminal where a person sees what is printed, or else the given one."""
    return shutil.get_terminal_size().columns if is_terminal() else otherwise


def emit(text: str, output: Path | None, *, to_read: bool = False) -> None:
    """Write to a file, whole or not at all, or to stdout.

    Args:
        text: What to write.
        output: The file; None for stdout.
        to_read: Whether a person reads it, on a terminal that may know few characters. Anything
            else is UTF-8, whatever the locale: a character's code is no part of JSON or BibTeX.

    Raises:
        UnreadableError: the file cannot be written.
        OccupiedError: it is the file of a record.
    """
    if output is None:
        if sys.stdout is not None:  # a closed stdout wants no report, only the exit code
            if isinstance(sys.stdout, TextIOWrapper) and not to_read:
                sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
            sys.stdout.write(text)
            sys.stdout.flush()
        return
    from registry.errors import OccupiedError
    from registry.store.root import is_record
    from registry.store.write import replace, unwritable

    if is_record(output):
        raise OccupiedError(f"{output} is the file of a record", "name another file")
    try:
        replace(output, text.encode())
    except OSError as error:
        raise unwritable(output, error) from error
