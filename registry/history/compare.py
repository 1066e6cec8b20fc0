"""Compares a record with what it was, by meaning, and says which promise is not kept.

Tracked fields keep every assertion and decision. Evidence stays as it is. Claims and benchmarks
keep their numbers. A record keeps its id and its withdrawal. Everything else may change, and
``registry diff`` shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from registry.history import assertions, numbers
from registry.history.breaches import Breach, shown
from registry.history.former_names import hidden, hiding, stand_ins
from registry.history.sameness import lost, same

Data = dict[str, Any]

_ABOUT_THE_RECORD = ("kind", "id", "note", "withdrawn")


def breaches(old: Data, new: Data) -> Iterator[Breach]:
    """Every promise of the old record that the new one does not keep."""
    old = hidden(old, hiding(stand_ins(new), [old]))
    for key in ("kind", "id"):
        if not same(old.get(key), new.get(key)):
            message = f"the {key} was {shown(old.get(key))} and is {shown(new.get(key))}"
            yield Breach("id", (key,), message)
    yield from _withdrawal(old.get("withdrawn"), new.get("withdrawn"))
    kind = old.get("kind")
    if kind == "evidence":
        yield from _evidence(old, new)
    elif kind == "claims":
        yield from numbers.judge(old, new)
    elif kind == "benchmark":
        for place, was, now in lost(_without(old), _without(new)):
            yield numbers.changed("the measurement", place, was, now)
    else:
        yield from _fields(old, new)
        yield from _statements(old, new)


def _without(data: Data) -> Data:
    return {key: value for key, value in data.items() if key not in _ABOUT_THE_RECORD}


def _withdrawal(old: Any, new: Any) -> Iterator[Breach]:
    if old is None:
        return
    for place, was, now in lost(old, new, ("withdrawn",)):
        yield numbers.changed("the withdrawal", place, was, now)


def _fields(old: Data, new: Data) -> Iterator[Breach]:
    now = {name: (path, field) for name, path, field in assertions.fields(new)}
    for name, path, field in assertions.fields(old):
        if name in now:
            place, after = now[name]
            yield from assertions.judge(name, place, field, after)
        else:
            values = ", ".join(shown(one.get("value")) for one in assertions.assertions(field))
            message = f"{name}: the field is gone with all that it held ({values})"
            yield Breach("assertion", path[:1] if path[0] in new else (), message)


def _statements(old: Data, new: Data) -> Iterator[Breach]:
    """Statements with a day and an author that have no rank (the hardware of a paper)."""
    for key, items in old.items():
        if isinstance(items, list) and any(_is_statement(item) for item in items):
            dated = [item for item in items if _is_statement(item)]
            for _, was, _ in lost(dated, new.get(key) or [], (key,)):
                day = was.get("recorded") if isinstance(was, dict) else ""
                message = f"{key}: {shown(_gist(was))}, entered {day}, is gone or changed"
                yield Breach("statement", (key,) if key in new else (), message)


def _is_statement(item: Any) -> bool:
    return isinstance(item, dict) and "recorded" in item and "by" in item


def _gist(item: Any) -> Any:
    words = [value for value in item.values() if isinstance(value, str)]
    return ", ".join(words[:2])


def _evidence(old: Data, new: Data) -> Iterator[Breach]:
    for key in dict.fromkeys((*_without(old), *_without(new))):
        was, now = old.get(key), new.get(key)
        if key == "silent_on" and isinstance(was, list) and isinstance(now, list):
            was, now = sorted(map(str, was)), sorted(map(str, now))
        if same(was, now) or _loses_support(key, was, now, new):
            continue
        if key not in old:
            message = f"{key} was not there and is {shown(now)}"
        else:
            state = f"is {shown(now)}" if key in new else "is gone"
            message = f"{key} was {shown(was)} and {state}"
        yield Breach("evidence", (key,), message)


def _loses_support(key: str, was: Any, now: Any, new: Data) -> bool:
    """Whether a change says no more than that the evidence no longer supports anything."""
    if key == "confirmed":
        return was is True and now is False and bool(new.get("unconfirmed_because"))
    if key == "unconfirmed_because":
        return was is None and new.get("confirmed") is False
    return key == "standing" and was is None and now in ("withdrawn", "retracted")
