"""The one way in which files are written: whole or not at all.

The new content goes into a draft beside the file and reaches the disk before the draft takes the
file's name, so that whoever looks, at any moment and after any crash, finds the old file or the
new one. A crash may leave the draft, a hidden file that nothing reads.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from registry.errors import ChangedError, UnreadableError

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]


def replace(
    path: Path, content: bytes, *, expected: bytes | None = None, durable: bool = True
) -> None:
    """Give a file a new content, or create it.

    The file keeps its permissions, and a link stays a link. A device or a pipe is written to.

    Args:
        path: The file.
        content: All that it is to hold.
        expected: What the file must still hold. Programs that say so wait for each other; an
            editor that saves in the same instant is not held up.
        durable: Whether to wait until the content is on the disk. A file that can be made again
            need not.

    Raises:
        ChangedError: the file does not hold what was expected.
        OSError: the file cannot be written.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        place.write_bytes(content)
        return
    with _draft(place, content, durable) as draft, _alone(place.parent, expected is not None):
        if expected is not None and _held(place) != expected:
            hint = "nothing was written; look at it, and run the command again"
            raise ChangedError(f"{path} was changed meanwhile", hint)
        with suppress(FileNotFoundError):
            os.chmod(draft, place.stat().st_mode & 0o7777)
        os.replace(draft, place)
    if durable:
        _sync(place.parent)


def create(path: Path, content: bytes) -> None:
    """Create a file.

    Raises:
        FileExistsError: there is one of that name; it stays as it is.
        OSError: the file cannot be written.
    """
    with _draft(path, content, durable=True) as draft:
        # A link fails where the name is taken, which renaming would silently overwrite.
        os.link(draft, path)
    _sync(path.parent)


def unwritable(path: Path, error: OSError) -> UnreadableError:
    """The error for a file that the operating system refuses to write."""
    return UnreadableError(f"cannot write {path}: {error.strerror or type(error).__name__}")


@contextmanager
def _draft(place: Path, content: bytes, durable: bool) -> Iterator[str]:
    """A hidden file beside ``place`` with the content, removed if it is not renamed."""
    handle, draft = tempfile.mkstemp(
        dir=place.parent, prefix=f".{place.name[:60]}.", suffix=".draft"
    )
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            # Drafts are private; the file is to be as readable as any other new one.
            os.chmod(draft, 0o666 & ~_mask())
            if durable:
                os.fsync(stream.fileno())
        yield draft
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _alone(folder: Path, needed: bool) -> Iterator[None]:
    """Keep other writers of this program out, so that nobody writes between a look and a write."""
    if not needed or fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # not every network's file system has locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _held(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _sync(folder: Path) -> None:
    """Let the new name reach the disk too, where folders can be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems cannot, and the file is whole all the same
            os.fsync(handle)
    finally:
        os.close(handle)
