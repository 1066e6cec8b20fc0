"""Brings each record together with what it was before, by its id and through renames.

On the disk the files themselves are read and compared by content. Git is not asked what differs
there, since its index can be told that a file is unchanged.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from registry.history.git import Held, Repository
from registry.records import FOLDERS
from registry.store.root import read_bytes

_KIND_OF_FOLDER: dict[str, str] = {folder: kind for kind, folder in FOLDERS.items()}
_ALIKE = 0.5
"""Share of lines that a new file must have in common with one that is gone, to be that one under
another name; it is what git takes."""
_SHA1 = 40
"""Digits of an id where git names objects by SHA-1; by SHA-256 it has more."""


@dataclass(frozen=True, slots=True)
class Side:
    """A record's file on one side of a comparison."""

    key: str
    """``kind/id``, as the place and name of the file say."""
    file: str
    """Its path from the registry's root."""
    raw: bytes | None
    """What it holds; None if it cannot be read."""
    link: bool = False
    """Whether it is a symbolic link, which is compared with nothing."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A record on both sides. One that is new has no ``before``, one that is gone no ``after``."""

    before: Side | None
    after: Side | None

    @property
    def key(self) -> str:
        """``kind/id``, as it is now if the record is there."""
        side = self.after or self.before
        assert side is not None
        return side.key


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    """Path from the top of the repository."""
    blob: str
    """Object id of its content; empty if it cannot be read."""
    link: bool
    raw: bytes | None = None
    """What it holds, where that lies on the disk."""


_Places = dict[str, _Place]
"""Records' files by their key."""


def pairs(repository: Repository, root: Path, old: str, new: str | None = None) -> list[Pair]:
    """Every record that differs between two sides, ordered by key.

    Args:
        repository: Git, at the folder ``data`` of the registry.
        root: The registry's root.
        old: Id of a commit.
        new: Id of another, or None for what is on the disk, kept by git or not.
    """
    held = repository.files(old)
    before = _inside(held, repository.prefix)
    if new is None:
        after = _on_disk(root, repository.prefix, wide=len(old) > _SHA1)
    else:
        held_now = repository.files(new)
        after = _inside(held_now, repository.prefix)
        there = {one.path for one in held_now}
    # The whole registry may have lain in another folder of the repository.
    for key, place in _elsewhere(held, repository.prefix).items():
        stays = (repository.top / place.path).exists() if new is None else place.path in there
        if key in after and key not in before and not stays:
            before[key] = place
    for key in [key for key in before if key in after and _unchanged(before[key], after[key])]:
        del before[key], after[key]
    wanted = [*before.values(), *(after.values() if new else ())]
    contents = repository.contents(place.blob for place in wanted if not place.link)
    olds = {key: _side(key, place, contents) for key, place in before.items()}
    news = {key: _side(key, place, contents) for key, place in after.items()}
    gone = {key: side for key, side in olds.items() if key not in news}
    renamed = _alike(gone, [side for key, side in news.items() if key not in olds])
    found = [Pair(olds.get(renamed.get(key, key)), side) for key, side in news.items()]
    found += [Pair(side, None) for key, side in gone.items() if key not in renamed.values()]
    return sorted(found, key=lambda pair: pair.key)


def _unchanged(one: _Place, other: _Place) -> bool:
    return one.blob == other.blob and one.link == other.link


def _inside(held: Iterable[Held], prefix: str) -> _Places:
    """The records' files among all that a commit holds."""
    found = {
        _key(one.path.removeprefix(prefix)): _Place(one.path, one.blob, one.link)
        for one in held
        if one.path.startswith(prefix)
    }
    found.pop("", None)
    return found


def _elsewhere(held: Iterable[Held], prefix: str) -> _Places:
    """What looks like the files of records in another registry of the repository."""
    found: _Places = {}
    for one in held:
        steps = one.path.split("/")
        if not one.path.startswith(prefix) and steps[-3:-2] == ["data"]:
            found.setdefault(_key("/".join(steps[-2:])), _Place(one.path, one.blob, one.link))
    found.pop("", None)
    return found


def _on_disk(root: Path, prefix: str, *, wide: bool) -> _Places:
    """The records' files as they are, whatever git knows or is told to think of them."""
    found: _Places = {}
    for folder in _KIND_OF_FOLDER:
        place = root / "data" / folder
        if not place.is_dir():
            continue
        behind_link = (root / "data").is_symlink() or place.is_symlink()
        for entry in os.scandir(place):
            key = _key(f"{folder}/{entry.name}")
            if key and (entry.is_file() or entry.is_symlink()):
                link = behind_link or entry.is_symlink()
                raw = None if behind_link else _read(entry)
                blob = "" if raw is None else _blob(raw, wide=wide)
                found[key] = _Place(f"{prefix}{folder}/{entry.name}", blob, link, raw)
    return found


def _read(entry: os.DirEntry[str]) -> bytes | None:
    """What git would keep of a file: of a link, where it leads."""
    try:
        return os.fsencode(os.readlink(entry)) if entry.is_symlink() else read_bytes(entry.path)
    except OSError:
        return None


def _blob(raw: bytes, *, wide: bool) -> str:
    """The id under which git keeps a content."""
    made = hashlib.sha256 if wide else hashlib.sha1
    return made(b"blob %d\0" % len(raw) + raw, usedforsecurity=False).hexdigest()


def _key(path: str) -> str:
    """``kind/id`` of a path from the folder ``data``; empty if records do not lie there."""
    folder, _, name = path.partition("/")
    plain = name.endswith(".yaml") and "/" not in name and not name.startswith(".")
    return f"{_KIND_OF_FOLDER[folder]}/{name[:-5]}" if plain and folder in _KIND_OF_FOLDER else ""


def _file(key: str) -> str:
    kind, _, record_id = key.partition("/")
    return f"data/{FOLDERS[kind]}/{record_id}.yaml"  # type: ignore[index]


def _side(key: str, place: _Place, contents: dict[str, bytes]) -> Side:
    raw = None if place.link else contents.get(place.blob, place.raw)
    return Side(key, _file(key), raw, place.link)


def _alike(gone: dict[str, Side], fresh: Iterable[Side]) -> dict[str, str]:
    """Which new file is one that is gone, by what they hold."""
    found: dict[str, str] = {}
    lines = {key: _lines(side) for key, side in gone.items()}
    for side in fresh if gone else ():
        kind, own = side.key.partition("/")[0], _lines(side)
        shares = {
            key: _share(held, own) for key, held in lines.items() if key.startswith(f"{kind}/")
        }
        best = max(shares, key=lambda key: shares[key], default="")
        if best and shares[best] >= _ALIKE:
            found[side.key] = best
            del lines[best]
    return found


def _lines(side: Side) -> set[bytes]:
    return set((side.raw or b"").splitlines())


def _share(one: set[bytes], other: set[bytes]) -> float:
    return len(one & other) / max(len(one), len(other), 1)
