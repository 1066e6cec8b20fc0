"""Everything that was measured, a line at a time, so that a run that is killed can go on.

The first line holds what the run was asked for and where it runs; a run under other conditions
does not go on with the file. Each further line is on the disk before the next piece is measured.
A line that was being written when the run was killed is dropped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec

from eagle_impl.bench.batches import Batch
from eagle_impl.bench.figures import Run
from eagle_impl.bench.forwards import Round
from eagle_impl.errors import OptionError
from eagle_impl.formats.files import judge_regular, one_line
from eagle_impl.locks import lock

FORMAT = 2
"""Counts the layouts that the file ever had."""
_BEGINNING = b'{"conditions":'


class Session(msgspec.Struct, frozen=True):
    """A process that measured."""

    began: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2} ")]
    load: str
    """Programs that wanted a core in the minute before."""
    tick: float
    """Seconds that one reading of the clock took."""
    memory: dict[str, int]
    """By own method: the most bytes that were held while it warmed up."""
    methods: tuple[str, ...]
    """What it measured."""


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of these."""

    conditions: dict[str, str] | None = None
    session: Session | None = None
    run: Run | None = None
    round: Round | None = None
    batch: Batch | None = None
    left_out: str | None = None
    """A method that failed, and was not measured from there on."""


class Journal:
    """The lines, in a file or in memory only."""

    def __init__(self, path: Path | None, conditions: Mapping[str, str]) -> None:
        """Begin, or go on with what an earlier run left.

        Args:
            path: The file; without one, nothing outlasts the process.
            conditions: What must be the same for the file to be gone on with.

        Raises:
            CheckpointError: It is no regular file.
            OptionError: The file is something else, was begun under other conditions, or cannot be
                read or written.
        """
        self.path = path
        self.sessions = list[Session]()
        self.runs = list[Run]()
        self.rounds = list[Round]()
        self.batches = list[Batch]()
        self.left_out = set[str]()
        self._waiting: Session | None = None
        self._file: BinaryIO | None = None
        told = {"format": str(FORMAT)} | dict(conditions)
        if path is None:
            return
        judge_regular(path)
        try:
            self._file = path.open("r+b" if path.exists() else "x+b")
            if not lock(self._file):
                raise OptionError(f"{path}: another run is writing to it", "name another file")
            whole = self._resume(path, self._file.read(), told)
            self._file.truncate(whole)
            self._file.seek(whole)
            if not whole:
                self.append(Line(conditions=told))
        except OSError as error:
            self.close()
            raise self._unwritable(error) from None
        except OptionError:
            self.close()
            raise

    def measured_throughout(self, key: str) -> bool:
        """Whether every session so far measured a method to its end.

        What was measured in another hour than what it is compared with would tell of the hour.
        """
        everywhere = all(key in session.methods for session in self.sessions)
        return everywhere and key not in self.left_out

    def begin(self, session: Session) -> None:
        """Note that a process begins to measure, once it has measured something."""
        self._waiting = session

    def append(self, line: Line) -> None:
        """Keep a line, on the disk if there is a file."""
        if self._waiting is not None:
            session, self._waiting = self._waiting, None
            self.append(Line(session=session))
        self._take(line)
        if self._file is None:
            return
        try:
            self._file.write(msgspec.json.encode(line) + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._unwritable(error) from None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            # All lines are on the disk, but for one that could not be written, as was said then.
            with suppress(OSError):
                self._file.close()

    def _unwritable(self, error: OSError) -> OptionError:
        why = error.strerror or one_line(error)
        return OptionError(f"{self.path}: cannot be written: {why}", "mend that, and go on")

    def _take(self, line: Line) -> None:
        if line.session is not None:
            self.sessions.append(line.session)
        if line.run is not None:
            self.runs.append(line.run)
        if line.round is not None:
            self.rounds.append(line.round)
        if line.batch is not None:
            self.batches.append(line.batch)
        if line.left_out is not None:
            self.left_out.add(line.left_out)

    def _resume(self, path: Path, content: bytes, told: dict[str, str]) -> int:
        """Take in the whole lines, and say how many bytes they are."""
        whole = content.rfind(b"\n") + 1
        lines = _lines(path, content[:whole])
        first = next(lines, None)
        if first is None:
            if not _BEGINNING.startswith(content[: len(_BEGINNING)]):
                raise _strange(path, 1, "it is no JSON of a benchmark")
            return 0
        if first.conditions is None:
            raise _strange(path, 1, "it does not say under what conditions it was begun")
        if content.count(b"\n") == 1:
            return 0  # nothing was measured under these conditions yet
        for key in dict.fromkeys((*first.conditions, *told)):
            was, now = first.conditions.get(key, "nothing"), told.get(key, "nothing")
            if was != now:
                raise OptionError(
                    f"{path}: was begun under other conditions: {key} was {was}, and is {now}",
                    "go on under the same ones, or name another file",
                )
        for number, line in enumerate(lines, start=2):
            if line.session is None and not self.sessions:
                raise _strange(path, number, "it does not say in which session it was measured")
            self._take(line)
        return whole


def _lines(path: Path, content: bytes) -> Iterator[Line]:
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            yield msgspec.json.decode(line, type=Line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise _strange(path, number, one_line(error)) from None


def _strange(path: Path, number: int, what: str) -> OptionError:
    return OptionError(f"{path}:{number}: {what}", "it is left as it is; name another file")
