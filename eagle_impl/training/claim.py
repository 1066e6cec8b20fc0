"""A folder that a training makes its own: begun once, gone on with unchanged, by one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import msgspec

from eagle_impl.errors import MismatchError, OptionError
from eagle_impl.fingerprint import TrainedFor
from eagle_impl.formats.files import read_json, write_json
from eagle_impl.locks import lock
from eagle_impl.training.recipe import Recipe


class Origin(msgspec.Struct, frozen=True):
    """What decides the head, kept so that a run is not resumed as another one."""

    recipe: Recipe
    seed: int
    trained_for: TrainedFor


_WORK = "work"


def is_begun(output: Path) -> bool:
    """Whether there is a run in a folder that can be gone on with."""
    return _origin(output).exists()


def judge_output(output: Path, *, resume: bool) -> None:
    """Refuse a folder in which there is nothing to go on with, or something that may not be lost.

    Raises:
        OptionError: It is such a folder.
    """
    begun = is_begun(output)
    if resume and not begun:
        raise OptionError(
            f"{output} holds no run to go on with",
            "name the folder of one, or leave out --resume to begin",
        )
    if not resume and begun:
        raise OptionError(
            f"{output} holds a run already", "give --resume to go on, or another folder"
        )
    # A run that was killed before it had begun leaves its work folder alone.
    if not begun and output.is_dir() and {path.name for path in output.iterdir()} - {_WORK}:
        raise OptionError(
            f"{output} is not empty, and holds no run", "give a new folder, or an empty one"
        )


@contextmanager
def claimed(output: Path, origin: Origin, *, resume: bool) -> Iterator[Path]:
    """Begin in a folder, or go on in it, and keep other trainings out meanwhile.

    Yields:
        A folder in it for what is of no use once the head is there.

    Raises:
        MismatchError: What is in the folder was begun with something else.
        OptionError: Another training is at work in it; or as for ``judge_output``.
    """
    judge_output(output, resume=resume)
    work = _origin(output).parent
    work.mkdir(parents=True, exist_ok=True)
    with (work / "lock").open("a") as file:
        _take(file, output)
        judge_output(output, resume=resume)  # somebody may just have begun
        if not resume:
            write_json(_origin(output), msgspec.to_builtins(origin))
        elif read_json(_origin(output), Origin) != origin:
            raise MismatchError(
                f"{output} holds a run with another target, preset or seed",
                "resume it with those that it was begun with, or give another folder",
            )
        yield work


def _origin(output: Path) -> Path:
    return output / _WORK / "origin.json"


def _take(file: TextIO, output: Path) -> None:
    if not lock(file):
        raise OptionError(
            f"another training is at work in {output}", "wait for it, or give another folder"
        )
