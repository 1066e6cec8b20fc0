"""Compares a record with what it was, by meaning, and says which promise is not kept.

Tracked fields keep every assertion and decision. Evidence and benchmarks stay as they are. Claims
keep their numbers, machines what they were made of, papers every statement that cites evidence. A
record keeps its id and its withdrawal. Everything else may change, and ``registry diff`` shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from registry.findings import FieldPath, path_text
from registry.history import assertions, numbers
from registry.history.breaches import Breach, shown, was_and_is
from registry.history.former_names import hidden_authors, hiding, stand_ins
from registry.history.sameness import lost, same
from registry.store.wording import as_text

Data = dict[str, Any]

_ABOUT_THE_RECORD = frozenset(("kind", "id", "note", "withdrawn"))
_READ_WITH = frozenset(("papers", "beside"))
"""What a benchmark's seal leaves open: the records that it is to be read with."""
_SHOWN = frozenset(("name",))
_OWN_WORDS = frozenset(("changes",))
"""What the registry says itself of a cited statement; it may be said in other words."""


def breaches(old: Data, new: Data) -> Iterator[Breach]:
    """Every promise of the old record that the new one does not keep."""
    old = hidden_authors(old, hiding(stand_ins(new), [old]))
    for key in ("kind", "id"):
        if not same(old.get(key), new.get(key)):
            message = f"the {key} {was_and_is(old.get(key), new.get(key))}"
            yield Breach("id", (key,), message)
    yield from _withdrawal(old.get("withdrawn"), new.get("withdrawn"))
    kind = old.get("kind")
    if kind == "evidence":
        yield from _evidence(old, new)
    elif kind == "claims":
        yield from numbers.judge(old, new)
    elif kind == "benchmark":
        yield from numbers.measurement(_without(old, _READ_WITH), _without(new, _READ_WITH))
    elif kind == "machine":
        for place, was, now in lost(_without(old, _SHOWN), _without(new, _SHOWN)):
            yield numbers.changed("the machine", place, was, now)
    else:
        yield from _fields(old, new)
        if kind == "paper":
            yield from _statements(old, new)


def _without(data: Data, further: frozenset[str] = frozenset()) -> Data:
    return {
        key: value
        for key, value in data.items()
        if key not in _ABOUT_THE_RECORD and key not in further
    }


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
    """Statements with evidence that have no rank: a paper's hardware, versions, related works.

    One that is wrong can only be replaced by another; one that is not replaced is lost.
    """
    for key, items in old.items():
        held = [item for item in _listed(items) if _is_statement(item)]
        now = _listed(new.get(key))
        gone = [item for item in held if not any(_keeps(item, one) for one in now)]
        left = [one for one in now if not any(_keeps(item, one) for item in held)]
        place = (key,) if key in new else ()
        for item in gone:
            what = f"{key}: {shown(_gist(item))}{_entered(item)}"
            if left:
                left.remove(max(left, key=lambda one: _common(item, one)))
                yield Breach("statement", place, f"{what} was changed or replaced")
            else:
                yield Breach("cited", place, f"{what} is gone")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_statement(item: Any) -> bool:
    return isinstance(item, dict) and any(key in item for key in ("evidence", "by", "relation"))


def _keeps(old: Data, new: Any) -> bool:
    """Whether a statement still says all that it said, and cites all that it cited."""
    if not isinstance(new, dict):
        return False
    own = {key for key in _OWN_WORDS if new.get(key)}
    kept = {key: value for key, value in old.items() if key not in own}
    return not any(True for _ in lost(kept, new))


def _common(one: Data, other: Any) -> int:
    if not isinstance(other, dict):
        return -1
    return sum(key in other and same(value, other[key]) for key, value in one.items())


def _entered(item: Data) -> str:
    return f", entered {as_text(item['recorded'])}" if "recorded" in item else ""


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
        yield from _edited(was, now, (key,))


def _edited(old: Any, new: Any, path: FieldPath) -> Iterator[Breach]:
    """Each part of a piece of evidence that is another, was added or is gone."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from _edited(old.get(key), new.get(key), (*path, key))
        return
    if same(old, new):
        return
    if old is None:
        fate = f"was not there and is {shown(new)}"
    else:
        fate = f"was {shown(old)} and is gone" if new is None else was_and_is(old, new)
    yield Breach("evidence", path, f"{path_text(path)} {fate}")


def _loses_support(key: str, was: Any, now: Any, new: Data) -> bool:
    """Whether a change says no more than that the evidence no longer supports anything."""
    if key == "confirmed":
        return was is True and now is False and bool(new.get("unconfirmed_because"))
    if key == "unconfirmed_because":
        return was is None and new.get("confirmed") is False
    return key == "standing" and was is None and now in ("withdrawn", "retracted")
