"""Remembers the outcome of checking a file on its own, by the hash of its bytes.

The cache lies outside the data, holds nothing that is executed, and is only ever a shortcut: a
cache that is missing, damaged or of another version of the program is the same as an empty one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from pathlib import Path

import msgspec

from registry._version import __version__
from registry.store.entry import Checked


class _Content(msgspec.Struct, array_like=True):
    salt: str
    checked: list[Checked]


class Cache:
    """The remembered outcomes of one registry."""

    def __init__(self, root: Path) -> None:
        name = hashlib.sha256(str(root).encode()).hexdigest()[:24]
        self.path = _folder() / f"{name}.json"
        self._salt = _salt()

    def load(self) -> dict[str, Checked]:
        """File to remembered outcome; empty if there is nothing usable."""
        try:
            content = msgspec.json.decode(self.path.read_bytes(), type=_Content)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return {}
        if content.salt != self._salt:
            return {}
        return {checked.file: checked for checked in content.checked}

    def store(self, checked: list[Checked]) -> None:
        """Replace what is remembered. A cache that cannot be written is no reason to fail."""
        content = msgspec.json.encode(_Content(self._salt, checked))
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.replace(name, self.path)
            except OSError:
                os.unlink(name)
                raise


def _folder() -> Path:
    given = os.environ.get("XDG_CACHE_HOME")
    base = Path(given) if given else Path.home() / ".cache"
    return base / "claims-registry"


def _salt() -> str:
    """Changes whenever the program does, also while it is being written."""
    package = Path(__file__).resolve().parent.parent
    state = hashlib.sha256(f"{__version__} {sys.version}".encode())
    for folder, folders, names in os.walk(package):
        folders[:] = sorted(name for name in folders if name not in ("__pycache__", "_shipped"))
        for name in sorted(names):
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                state.update(f"{name} {status.st_size} {status.st_mtime_ns}".encode())
    return state.hexdigest()
