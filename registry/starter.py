"""Starts a new registry from the template that comes with the package.

The template, ``registry/template``, is itself a registry that verifies; what is copied differs from
it in the day on which the example was recorded and in the release that made it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import date
from pathlib import Path

from registry import schema
from registry._version import __version__
from registry.errors import OccupiedError, UnreadableError
from registry.records import FOLDERS

TEMPLATE = Path(__file__).resolve().parent / "template"

_DAY = "2000-01-01"
"""Stands in the template for the day on which the registry is started."""

_RELEASE = "0.0.0"
"""Stands in the template for the release of this program."""


def start(directory: Path, today: date) -> list[str]:
    """Make a registry in ``directory``, which may exist and need not be empty.

    Everything is made in a temporary folder first and then moved to its place, so that a failure
    leaves nothing behind.

    Args:
        directory: Where the registry goes; folders above it are made as needed.
        today: The day on which the example is recorded.

    Returns:
        The files made, as paths from ``directory`` with forward slashes, in order.

    Raises:
        OccupiedError: The folder holds ``data``, or a file that would be overwritten.
        UnreadableError: The folder cannot be made or written to.
    """
    directory = Path(os.path.abspath(directory))
    base = next(folder for folder in (directory, *directory.parents) if os.path.lexists(folder))
    if not base.is_dir():
        raise OccupiedError(f"{base} is not a folder", "name another one")
    try:
        with tempfile.TemporaryDirectory(dir=base, prefix=".registry-init-") as scratch:
            made = Path(scratch) / directory.relative_to(base)
            _fill(made, today)
            files = sorted(path.relative_to(made) for path in made.rglob("*") if path.is_file())
            _refuse_to_overwrite(directory, files)
            _move(Path(scratch), base)
    except OSError as error:
        raise UnreadableError(f"cannot write to {base}: {error.strerror}") from error
    return [file.as_posix() for file in files]


def _fill(folder: Path, today: date) -> None:
    for source in sorted(TEMPLATE.rglob("*")):
        if source.is_file():
            text = source.read_text(encoding="utf-8")
            text = text.replace(_DAY, today.isoformat()).replace(_RELEASE, __version__)
            target = folder / source.relative_to(TEMPLATE)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
    for name in FOLDERS.values():
        (folder / "data" / name).mkdir(exist_ok=True)
        (folder / "data" / name / ".gitkeep").touch()  # Git keeps no empty folder.
    schema.write(folder / "schemas")


def _refuse_to_overwrite(directory: Path, files: list[Path]) -> None:
    hint = "name another folder, or move what is there"
    if os.path.lexists(directory / "data"):
        raise OccupiedError(f"{directory} already holds data", hint)
    for file in files:
        in_the_way = [folder for folder in file.parents if (directory / folder).is_file()]
        for path in (*in_the_way, file):
            if os.path.lexists(directory / path):
                raise OccupiedError(f"{directory} already holds {path.as_posix()}", hint)


def _move(source: Path, target: Path) -> None:
    """Move everything in a folder into another one on the same disk, or nothing at all."""
    placed: list[Path] = []
    try:
        for child in sorted(source.iterdir()):
            _place(child, target / child.name, placed)
    except BaseException:
        for path in placed:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        raise


def _place(source: Path, target: Path, placed: list[Path]) -> None:
    """Move a file or folder whole if nothing is in its place, else move what is in the folder."""
    if os.path.lexists(target):
        for child in sorted(source.iterdir()):
            _place(child, target / child.name, placed)
    else:
        source.rename(target)
        placed.append(target)
