"""Edits a record's file: the few lines that an edit is about, and no others.

An edit is a list of changes to the data. Each becomes a splice of the text; comments, order, line
ends and everything else stay as they are. The outcome is read again, and must say exactly what was
meant, before anybody gets it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from registry.errors import EditError
from registry.findings import FieldPath, path_text
from registry.records import KindName
from registry.records.outline import keys_at
from registry.store.reader import read
from registry.store.splice import Text


@dataclass(frozen=True, slots=True)
class Put:
    """Give the key (or list position) at ``path`` a value; a new key goes where its kind has it."""

    path: FieldPath
    value: Any


@dataclass(frozen=True, slots=True)
class Remove:
    """Take the key at ``path`` out."""

    path: FieldPath


@dataclass(frozen=True, slots=True)
class Append:
    """Add an item to the list at ``path``."""

    path: FieldPath
    value: Any


Change = Put | Remove | Append


def apply(data: dict[str, Any], changes: Iterable[Change]) -> dict[str, Any]:
    """The data after the changes; the given data stays as it is.

    Raises:
        LookupError: there is nothing at the path of a change.
    """
    root = {"": copy.deepcopy(data)}
    for change in changes:
        *steps, last = ("", *change.path)
        value: Any = root
        for step in steps:
            value = value[step]
        if isinstance(change, Remove):
            del value[last]
        elif isinstance(change, Append):
            value[last].append(copy.deepcopy(change.value))
        else:
            value[last] = copy.deepcopy(change.value)
    return root[""]


def edit(raw: bytes, changes: Sequence[Change], kind: KindName) -> bytes:
    """The bytes of a record's file after the changes.

    Raises:
        EditError: the file cannot be read, or is written in a way that cannot be edited.
    """
    before = read(raw, "").data
    if before is None:
        raise EditError("the file is not readable YAML", "`registry verify` says where it is not")
    for change in changes:
        now = read(raw, "").data
        assert now is not None
        raw = _edited(raw, _outside_brackets(raw, now, change), kind)
        if not same(read(raw, "").data, apply(now, [change])):
            what = path_text(change.path)
            hint = "nothing was written; edit the file by hand, and mind what stands around it"
            raise EditError(f"`{what}` cannot be edited without changing something else", hint)
    return raw


def same(one: Any, other: Any) -> bool:
    """Whether two pieces of data are equal, and of the same types: 1, 1.0 and true differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _outside_brackets(raw: bytes, data: dict[str, Any], change: Change) -> Change:
    """The change, or one that writes anew the outermost brackets that it would change."""
    text = Text(raw)
    if isinstance(change, Append) and text.has_room(change.path, change.value):
        return change
    path = change.path if isinstance(change, Append) else change.path[:-1]
    for length in range(len(path) + 1):
        if text.in_brackets(path[:length]):
            value: Any = apply(data, [change])
            for step in path[:length]:
                value = value[step]
            return Put(path[:length], value)
    if isinstance(change, Remove) and text.stands_alone(change.path):
        value = apply(data, [change])
        for step in path:
            value = value[step]
        return Put(path, value)
    return change


def _edited(raw: bytes, change: Change, kind: KindName) -> bytes:
    text = Text(raw)
    if isinstance(change, Append):
        text.append(change.path, change.value)
    elif isinstance(change, Remove):
        text.remove(change.path)
    elif text.has(change.path):
        text.replace(change.path, change.value)
    else:
        text.insert(change.path, change.value, keys_at(kind, change.path[:-1]))
    return text.raw
