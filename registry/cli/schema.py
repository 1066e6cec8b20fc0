"""``registry schema``: the JSON Schemas of the record kinds, printed, written or checked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_USAGE
from registry.cli.common import RootOption

if TYPE_CHECKING:
    from registry.schema import Drift

FOLDER = "schemas"


def command(
    kind: Annotated[
        str | None, typer.Argument(help="Print the schema of this kind. Default: list all.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the files in schemas/.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Say which files in schemas/ are out of date.")
    ] = False,
    root: RootOption = None,
) -> None:
    """List, print, write or check the JSON Schemas that editors and other programs use."""
    from registry.store.root import find_own_root

    folder = find_own_root(root) if write or check else Path()
    raise typer.Exit(schema(write, check, folder, kind))


def schema(write: bool, check: bool, root: Path, kind: str | None) -> int:
    """List the schemas; or print that of ``kind``; or write or check the files under ``root``.

    Returns:
        The exit code: 1 if a checked file is not what the models say, 2 for wrong usage.

    Raises:
        UnreadableError: A file cannot be read or written.
    """
    if write + check + (kind is not None) > 1:
        return _usage("name a kind, or say --write, or say --check: one of the three")
    if kind is not None:
        return _print(kind)
    if write:
        return _write(root / FOLDER)
    if check:
        return _check(root / FOLDER)
    from registry.records import KINDS
    from registry.schema import file_name

    for known in KINDS:
        sys.stdout.write(f"{known:<12}  {FOLDER}/{file_name(known)}\n")
    return EXIT_CLEAN


def _usage(message: str) -> int:
    sys.stderr.write(f"registry: {message}\n")
    return EXIT_USAGE


def _print(name: str) -> int:
    from registry.records import KINDS
    from registry.schema import schema_text

    for kind in KINDS:
        if kind == name:
            sys.stdout.write(schema_text(kind))
            return EXIT_CLEAN
    from registry.store.nearest import did_you_mean

    hint = did_you_mean(name, KINDS) or "`registry schema` lists all"
    return _usage(f"no kind {name} ({hint})")


def _write(folder: Path) -> int:
    from registry.errors import UnreadableError
    from registry.schema import write

    try:
        written = write(folder)
    except OSError as error:
        raise UnreadableError(f"cannot write the schemas in {folder}: {error.strerror}") from error
    for name in written:
        sys.stdout.write(f"{FOLDER}/{name}\n")
    return EXIT_CLEAN


def _check(folder: Path) -> int:
    from registry.errors import UnreadableError
    from registry.schema import check

    try:
        drifts = check(folder)
    except OSError as error:
        raise UnreadableError(f"cannot read the schemas in {folder}: {error.strerror}") from error
    for drift in drifts:
        sys.stderr.write(f"{FOLDER}/{drift.file}: {_mend(drift)}\n")
    return EXIT_FINDINGS if drifts else EXIT_CLEAN


def _mend(drift: Drift) -> str:
    if drift.state == "extra":
        return "belongs to no kind of record (remove it)"
    return f"{drift.state} (`registry schema --write` writes it)"
