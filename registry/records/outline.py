"""Where in each kind of record references and tracked fields stand, read off the models.

The models say everything once; this module turns their annotations into a plan that can be walked
over plain data without building or visiting a model. The data must have passed the model.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from registry.records.base import KindName, Reference
from registry.records.tracked import Tracked

Path = tuple[str | int, ...]


@dataclass(slots=True)
class Plan:
    """What to look for in a value: a reference, tracked data, list items, keys of a mapping."""

    reference: str = ""
    """Kind that the value is the id of; empty if it is no reference."""
    tracked: bool = False
    """Whether the value is a tracked field."""
    items: Plan | None = None
    keys: dict[str, Plan] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there is anything to find."""
        return bool(self.reference or self.tracked or self.items or self.keys)

    def add(self, other: Plan) -> None:
        """Take over what another branch of a union looks for."""
        self.reference = self.reference or other.reference
        self.tracked = self.tracked or other.tracked
        self.items = self.items or other.items
        self.keys |= other.keys


def _plan(annotation: Any, metadata: tuple[Any, ...] = ()) -> Plan:
    plan = Plan()
    for mark in metadata:
        if isinstance(mark, Reference):
            plan.reference = mark.kind
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *marks = get_args(annotation)
        plan.add(_plan(inner, tuple(marks)))
    elif origin in (Union, types.UnionType):
        for branch in get_args(annotation):
            plan.add(_plan(branch))
    elif origin is tuple:
        items = _plan(get_args(annotation)[0])
        plan.items = items if items else None
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        plan.tracked = issubclass(annotation, Tracked)
        for name, info in annotation.model_fields.items():
            inner_plan = _plan(info.annotation, tuple(info.metadata))
            if inner_plan:
                plan.keys[name] = inner_plan
    return plan


@cache
def plan_of(kind: KindName) -> Plan:
    """The plan of a kind."""
    from registry.records import KINDS

    return _plan(KINDS[kind])


def references(kind: KindName, data: dict[str, Any]) -> Iterator[tuple[Path, str, str]]:
    """Every reference in a record: path, the kind it wants (``*`` for any), and the id."""
    yield from _references(plan_of(kind), data, ())


def _references(plan: Plan, value: Any, path: Path) -> Iterator[tuple[Path, str, str]]:
    if plan.reference:
        yield path, plan.reference, value
    elif plan.items is not None and isinstance(value, list):
        for position, item in enumerate(value):
            yield from _references(plan.items, item, (*path, position))
    elif plan.keys and isinstance(value, dict):
        for key, inner in plan.keys.items():
            if key in value:
                yield from _references(inner, value[key], (*path, key))


@cache
def _tracked_plan(kind: KindName) -> Plan | None:
    return _only_tracked(plan_of(kind))


def _only_tracked(plan: Plan) -> Plan | None:
    if plan.tracked:
        return Plan(tracked=True)
    items = _only_tracked(plan.items) if plan.items else None
    keys = {key: inner for key, old in plan.keys.items() if (inner := _only_tracked(old))}
    return Plan(items=items, keys=keys) if items or keys else None


def tracked_fields(kind: KindName, data: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every tracked field in a record: path and its data."""
    plan = _tracked_plan(kind)
    if plan is not None:
        yield from _tracked(plan, data, ())


def _tracked(plan: Plan, value: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    if plan.tracked:
        yield path, value
    elif plan.items is not None:
        for position, item in enumerate(value):
            yield from _tracked(plan.items, item, (*path, position))
    else:
        for key, inner in plan.keys.items():
            if key in value:
                yield from _tracked(inner, value[key], (*path, key))


def types_at(kind: KindName, path: Path) -> list[Any]:
    """The types that a value at ``path`` may have, without what marks them."""
    from registry.records import KINDS

    found: list[Any] = [KINDS[kind]]
    for step in path:
        inner: list[Any] = []
        for annotation in found:
            if isinstance(step, int) and get_origin(annotation) is tuple:
                inner += _bare(get_args(annotation)[0])
            elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
                info = annotation.model_fields.get(str(step))
                inner += _bare(info.annotation) if info else []
        found = inner
    return found


def _bare(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [one for branch in get_args(annotation) for one in _bare(branch)]
    return [annotation]


def keys_at(kind: KindName, path: Path) -> list[str]:
    """The keys of the mapping at ``path``, in the order in which its kind has them."""
    return [
        key
        for annotation in types_at(kind, path)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel)
        for key in annotation.model_fields
    ]


@cache
def all_keys() -> list[str]:
    """Every key of every kind and its parts, for guessing what a mistyped key was to be."""
    from registry.records import KINDS

    found: set[str] = set()
    waiting: list[Any] = list(KINDS.values())
    seen: set[Any] = set()
    while waiting:
        annotation = waiting.pop()
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            if annotation not in seen:
                seen.add(annotation)
                found |= annotation.model_fields.keys()
                waiting += [info.annotation for info in annotation.model_fields.values()]
        else:
            waiting += [inner for inner in get_args(annotation) if inner is not Ellipsis]
    return sorted(found)
