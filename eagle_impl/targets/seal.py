"""Whether the files of a folder are still those that were put there.

Their hashes lie beside them, in the layout of ``sha256sum``. Half a gigabyte is not hashed at every
start: what the system says of each file when it was last found whole, lies there as well, and only
files of which it says something else now are read again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

SEAL = "files.sha256"
_SEEN = "files.seen.json"


def seal(folder: Path) -> None:
    """Put down what is in a folder, in which there are files only."""
    sums = {file.name: sha256(file) for file in sorted(folder.iterdir())}
    lines = [f"{digest}  {name}\n" for name, digest in sums.items()]
    (folder / SEAL).write_text("".join(lines), encoding="utf-8")
    _remember(folder, sums)


def is_whole(folder: Path, *, thoroughly: bool = False) -> bool:
    """Whether all files of a folder are as they were sealed.

    Args:
        folder: Where ``seal`` was called.
        thoroughly: Whether to read even what the system says has not changed.
    """
    try:
        lines = (folder / SEAL).read_text(encoding="utf-8").splitlines()
        sums = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
        if not thoroughly and _seen(folder) == _told(folder, sums):
            return True
        whole = bool(sums) and all(sha256(folder / name) == sums[name] for name in sums)
    except (OSError, ValueError):
        return False
    if whole:
        _remember(folder, sums)
    return whole


def sha256(path: Path) -> str:
    """Of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _told(folder: Path, names: Iterable[str]) -> dict[str, list[int]]:
    """What the system says of files. Nobody can write to one and leave all of it as it was."""
    told = ((name, (folder / name).stat()) for name in names)
    return {name: [one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino] for name, one in told}


def _seen(folder: Path) -> object:
    """What it said when they were last found whole."""
    try:
        return msgspec.json.decode((folder / _SEEN).read_bytes())
    except (OSError, ValueError):
        return None


def _remember(folder: Path, names: Iterable[str]) -> None:
    with suppress(OSError):  # where nothing can be written, they are read each time
        (folder / _SEEN).write_bytes(msgspec.json.encode(_told(folder, names)))
