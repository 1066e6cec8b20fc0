"""Folders to make something in, of which nothing stays behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]

_PREFIX = ".making-"


@contextmanager
def scratch(within: Path) -> Iterator[Path]:
    """A new folder in another one, which is made if need be.

    It goes when the work is done or given up. What a killed process left goes when the next one
    asks for a folder in the same place; what another process is at work in stays.

    Raises:
        OSError: It cannot be made.
    """
    within.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        # Between the making of a folder and its locking, nobody may take it for one that was left.
        with _locked(within, wait=True) as alone:
            if alone:
                _remove_what_was_left(within)
            folder = stack.enter_context(TemporaryDirectory(dir=within, prefix=_PREFIX))
            stack.enter_context(_locked(Path(folder), wait=False))
        yield Path(folder)


def _remove_what_was_left(within: Path) -> None:
    for folder in within.glob(f"{_PREFIX}*"):
        with _locked(folder, wait=False) as left:
            if left:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Lock a folder, if that can be. The system unlocks what a killed process had locked."""
    with ExitStack() as stack:
        locked = False
        if fcntl is not None:
            try:
                handle = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, handle)
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                locked = True
            except OSError:
                pass  # another has it, it is gone, or the file system has no locks
        yield locked
