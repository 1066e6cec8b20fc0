"""``registry log``: the life of a record or of one fact."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from registry.cli.common import RootOption, columns, emit

if TYPE_CHECKING:
    from registry.history.life import Event


class Format(StrEnum):
    """Formats of a life."""

    terminal = "terminal"
    json = "json"


def log(
    name: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The record: an id, kind/id, an arXiv id, a DOI, or a unique beginning.",
        ),
    ],
    field: Annotated[
        str, typer.Argument(metavar="[FIELD]", help="A field, such as venue. Default: all.")
    ] = "",
    form: Annotated[Format, typer.Option("--format", help="Format of the events.")] = (
        Format.terminal
    ),
    root: RootOption = None,
) -> None:
    """Tell in order what happened to a record: what it says of itself, and what was committed.

    Exit code 0: told. 2: no such record or field, or git cannot tell.
    """
    from registry.errors import NoRepositoryError, UnknownRecordError
    from registry.history import telling_life
    from registry.history.life import in_order, told_by_record
    from registry.lookup import resolve
    from registry.reports.terminal import WIDTH
    from registry.store.nearest import did_you_mean
    from registry.store.reader import read
    from registry.store.root import find_root, read_bytes
    from registry.verify import load

    folder = find_root(root)
    registry = load(folder)
    key = resolve(name, registry)
    file = registry.files[key]
    held = read(read_bytes(str(folder / file)), file).data
    data = held or {}
    try:
        committed = _committed(folder, file, field)
    except NoRepositoryError as error:
        typer.echo(f"registry: only what the record tells: {error.message}", err=True)
        committed = []
    events = in_order(told_by_record(data, field), committed)
    if field and not events and field.split(".")[0].split("[")[0] not in data:
        if held is None:
            hint = f"`registry verify {key}` says what is wrong with it"
            raise UnknownRecordError(f"{key} cannot be read as a record", hint)
        hint = did_you_mean(field, data) or f"it has {', '.join(data) or 'none at all'}"
        raise UnknownRecordError(f"{key} has no field {field!r}", hint)
    if form is Format.json:
        emit(telling_life.as_json(events, key, field), None)
    else:
        emit(telling_life.as_text(events, columns(WIDTH)), None, to_read=True)


def _committed(root: Path, file: str, field: str) -> list[Event]:
    from registry.history.git import DEEPEN, Repository
    from registry.history.life import told_by_git

    repository = Repository(root / "data")
    if repository.shallow:
        typer.echo(f"registry: this clone is shallow: not all is told ({DEEPEN})", err=True)
    return told_by_git(repository, root, file, field)
