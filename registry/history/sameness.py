"""When two values mean the same, and what a newer one must keep of an older one.

Layout, the order of keys, quotes and comments have no meaning. A number keeps its decimals: 3 is
not 3.0, since the decimals of a claim say how it was rounded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

from registry.findings import FieldPath
from registry.store.scalars import Doubtful


def canonical(value: Any) -> str:
    """A text that is the same for two values exactly if they mean the same."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False)


def same(one: Any, other: Any) -> bool:
    """Whether two values mean the same."""
    return canonical(one) == canonical(other)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return value.rstrip("\n")  # which the style of a block decides
    if isinstance(value, date):
        return value.isoformat()
    return {"": value.text} if isinstance(value, Doubtful) else value


def lost(old: Any, new: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Any, Any]]:
    """What of ``old`` is not in ``new``, which may hold more.

    Mappings may gain keys and lists may gain items. Items are found again by their ``id`` or
    ``name``, else by what they hold.

    Yields:
        The path in ``new``, the old value, and the new one (None if there is none).
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield (*path, key), value, None
            else:
                yield from lost(value, new[key], (*path, key))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _lost_items(old, new, path)
    elif not same(old, new):
        yield path, old, new


def _lost_items(
    old: list[Any], new: list[Any], path: FieldPath
) -> Iterator[tuple[FieldPath, Any, Any]]:
    names = {name_of(item): place for place, item in reversed(list(enumerate(new)))}
    left = list(range(len(new)))
    for item in old:
        name = name_of(item)
        if name:
            if name in names:
                yield from lost(item, new[names[name]], (*path, names[name]))
            else:
                yield path, item, None
            continue
        kept = next((at for at in left if not any(True for _ in lost(item, new[at]))), None)
        if kept is None:
            yield path, item, None
        else:
            left.remove(kept)


def name_of(item: Any) -> str:
    """What an item of a list is called by, if it has a name of its own."""
    if not isinstance(item, dict):
        return ""
    name = item.get("id", item.get("name", ""))
    return name if isinstance(name, str) else ""
