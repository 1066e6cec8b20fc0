"""What a run remembers for the next one.

Two things are remembered of each file: the outcome of checking it on its own, which holds as long
as its bytes do, and what was found by comparing it with other records, which holds as long as
nothing that it depends on has changed.

The memory lies outside the data, holds nothing that is executed, and is only ever a shortcut: one
that is missing, damaged, or of another version of the program is the same as an empty one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from pathlib import Path

import msgspec

from registry._version import __version__
from registry.findings import Finding
from registry.store.entry import Checked, Entry
from registry.store.index import Index
from registry.store.write import replace

Judged = dict[str, tuple[Finding, ...]]
"""``kind/id`` to what comparing that record with others has found."""

_EVERYWHERE = ("source", "venue")
"""Kinds that any other record may depend on without referring to them."""


class Memory(msgspec.Struct, array_like=True):
    """What is remembered of one registry."""

    salt: str = ""
    day: str = ""
    """The day that was today when the findings in ``judged`` were made."""
    scanned: int = 0
    """When the files were last looked at, in nanoseconds."""
    checked: list[Checked] = []
    judged: Judged = {}


def recall(root: Path) -> Memory:
    """What the last run over the registry at ``root`` remembered; empty if nothing is usable."""
    file = _file(root)
    if not file.is_file():
        return Memory()  # nor would it do to wait for a pipe of that name
    try:
        seal, _, body = file.read_bytes().partition(b"\n")
        if seal != _seal(body):
            return Memory()  # whatever was done to it, it is not what this program wrote
        memory = msgspec.json.decode(body, type=Memory)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Memory()
    return memory if memory.salt == _salt() else Memory()


def remember(root: Path, memory: Memory) -> None:
    """Replace what is remembered. Being unable to is no reason to fail."""
    memory.salt = _salt()
    file = _file(root)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        body = msgspec.json.encode(memory)
        replace(file, _seal(body) + b"\n" + body, durable=False)


def still_valid(judged: Judged, before: Index, after: Index, changed: set[str]) -> Judged:
    """The part of ``judged`` that cannot have become wrong by a change of some records.

    Args:
        judged: What was found before.
        before: All records before the change.
        after: All records now.
        changed: ``kind/id`` of what was added, edited or removed.
    """
    if any(key.partition("/")[0] in _EVERYWHERE for key in changed):
        return {}
    if bool(before.broken) != bool(after.broken):
        return {}  # while a file is broken, no record is called an orphan
    # Who referred to a changed record before and does not now has changed itself.
    touched = set(changed)
    for other in after:
        if any(link.key in changed for link in other.links):
            touched.add(other.key)
            if other.kind == "method":
                # What is said of a method is held against the paper that introduced it.
                touched |= after.referrers(other.key)
    for index in (before, after):
        if any(_succeeded(index.entries.get(key)) for key in changed):
            # Who succeeds whom is looked at from end to end.
            touched.update(entry.key for entry in after if entry.withdrawn)
        for key in changed:
            entry = index.entries.get(key)
            if entry is not None:
                touched.update(link.key for link in entry.links)
                for identifier in entry.identifiers:
                    twins = after.by_identifier.get(identifier, ())
                    touched.update(twin.key for twin in twins)
        if any(key.startswith("method/") for key in changed):
            # Which methods may share a table is said by the methods, not by the tables.
            touched.update(entry.key for entry in index if "mixed" in entry.extra)
    return {
        key: findings
        for key, findings in judged.items()
        # A reference that led nowhere may now lead somewhere, or have a better hint.
        if key not in touched and not any(found.code.startswith("LNK00") for found in findings)
    }


def _succeeded(entry: Entry | None) -> bool:
    return entry is not None and entry.successor != ""


def _file(root: Path) -> Path:
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # A relative path is to be ignored, by the specification; it would lie in the registry.
    base = given if given.is_absolute() else Path("~/.cache").expanduser()
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:24]
    return base / "claims-registry" / f"{name}.json"


def _seal(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


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
