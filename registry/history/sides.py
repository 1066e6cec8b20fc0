"""Brings each record together with what it was before, by its id and through renames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from registry.history.git import LINK, Repository
from registry.records import FOLDERS
from registry.store.root import read_bytes

_KIND_OF_FOLDER: dict[str, str] = {folder: kind for kind, folder in FOLDERS.items()}
_ALIKE = 0.5
"""Share of lines that a file which git does not keep yet must have in common with one that is gone,
to be that one under another name; it is what git takes for two that it keeps."""


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
    blob: str
    link: bool
    kept: bool = True
    """Whether git keeps it."""


def pairs(repository: Repository, root: Path, old: str, new: str | None = None) -> list[Pair]:
    """Every record that differs between two sides, ordered by key.

    Args:
        repository: Git, at the folder ``data`` of the registry.
        root: The registry's root.
        old: Id of a commit.
        new: Id of another, or None for what is on the disk, kept by git or not.
    """
    before, after, renamed = _places(repository, old, new)
    if new is None:
        for path in repository.untracked():
            key = _key(path.removeprefix(repository.prefix))
            if key:
                after.setdefault(key, _Place(path, "", False, kept=False))
    origin = {key: renamed[key] for key in after if key in renamed and renamed[key] not in after}
    taken = {*origin.values(), *after}
    origin |= {key: key for key in after if key in before and key not in origin}
    places = [before[key] for key in before if not before[key].link]
    contents = repository.contents(
        place.blob for place in (*places, *(after.values() if new else ())) if not place.link
    )
    olds = {
        key: Side(key, _file(key), contents.get(place.blob), place.link)
        for key, place in before.items()
    }
    news = {key: _side(key, place, root, contents) for key, place in after.items()}
    gone = {key: side for key, side in olds.items() if key not in taken}
    fresh = [news[key] for key, place in after.items() if not place.kept and key not in origin]
    origin |= _alike(gone, fresh)
    found = [Pair(olds.get(origin.get(key, "")), side) for key, side in news.items()]
    found += [Pair(side, None) for key, side in gone.items() if key not in origin.values()]
    return sorted(found, key=lambda pair: pair.key)


def _places(
    repository: Repository, old: str, new: str | None
) -> tuple[dict[str, _Place], dict[str, _Place], dict[str, str]]:
    """What differs on the old side and on the new one, and which key had which before."""
    before: dict[str, _Place] = {}
    after: dict[str, _Place] = {}
    elsewhere: dict[str, _Place] = {}
    renamed: dict[str, str] = {}
    for one in repository.differences(old, new):
        old_key = _key_inside(one.old_path, repository.prefix)
        new_key = _key_inside(one.new_path, repository.prefix)
        place = _Place(one.old_path, one.old_blob, one.old_mode == LINK)
        if old_key:
            before[old_key] = place
        elif one.old_path != one.new_path and one.old_path:
            # The whole registry may have lain in another folder.
            elsewhere[_key("/".join(one.old_path.split("/")[-2:]))] = place
        if new_key:
            after[new_key] = _Place(one.new_path, one.new_blob, one.new_mode == LINK)
            if old_key and old_key != new_key:
                renamed[new_key] = old_key
    before |= {key: elsewhere[key] for key in after if key in elsewhere and key not in before}
    return before, after, renamed


def _key_inside(path: str, prefix: str) -> str:
    return _key(path.removeprefix(prefix)) if path.startswith(prefix) else ""


def _key(path: str) -> str:
    """``kind/id`` of a path from the folder ``data``; empty if records do not lie there."""
    folder, _, name = path.partition("/")
    plain = name.endswith(".yaml") and "/" not in name and not name.startswith(".")
    return f"{_KIND_OF_FOLDER[folder]}/{name[:-5]}" if plain and folder in _KIND_OF_FOLDER else ""


def _file(key: str) -> str:
    kind, _, record_id = key.partition("/")
    return f"data/{FOLDERS[kind]}/{record_id}.yaml"  # type: ignore[index]


def _side(key: str, place: _Place, root: Path, contents: dict[str, bytes]) -> Side:
    file = _file(key)
    if place.blob in contents:
        return Side(key, file, contents[place.blob], place.link)
    path = root / file
    try:
        return Side(key, file, read_bytes(str(path)), path.is_symlink())
    except OSError:
        return Side(key, file, None, path.is_symlink())


def _alike(gone: dict[str, Side], fresh: Iterable[Side]) -> dict[str, str]:
    """Which new file is one that is gone, by what they hold."""
    found: dict[str, str] = {}
    for side in fresh:
        kind = side.key.partition("/")[0]
        shares = {
            key: _share(one.raw or b"", side.raw or b"")
            for key, one in gone.items()
            if key.startswith(f"{kind}/") and key not in found.values()
        }
        best = max(shares, key=lambda key: shares[key], default="")
        if best and shares[best] >= _ALIKE:
            found[side.key] = best
    return found


def _share(one: bytes, other: bytes) -> float:
    first, second = set(one.splitlines()), set(other.splitlines())
    return len(first & second) / max(len(first), len(second), 1)
