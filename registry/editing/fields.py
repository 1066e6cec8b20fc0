"""Tracked fields by name, and values by the type of their field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any, get_origin

import msgspec
from pydantic import ValidationError

from registry.editing.plan import Target, prose
from registry.equality.names import parse_name
from registry.errors import EditError
from registry.findings import FieldPath, path_text
from registry.records.outline import plan_of, tracked_fields, types_at
from registry.records.quantities import Quantity
from registry.store.nearest import did_you_mean
from registry.store.reader import read

_AMOUNT = re.compile(r"([-+]?[0-9]+(?:\.[0-9]+)?)\s*([A-Za-z%].*)")
_MADE_UP = {
    "rank": "normal",
    "recorded": date(2000, 1, 1),
    "by": "nobody",
    "basis": "stated",
}
"""The rest of an assertion, for judging its value alone."""


@dataclass(frozen=True, slots=True)
class Field:
    """A tracked field of a record, present or not."""

    name: str
    path: FieldPath
    data: dict[str, Any] | None
    """What the record has; None if it has no such field yet."""

    @property
    def assertions(self) -> list[dict[str, Any]]:
        """Every value ever held, oldest first."""
        return self.data["assertions"] if self.data else []

    @property
    def because(self) -> str:
        """The reason for calling the field contested, if there is one."""
        return self.data.get("contested_because", "") if self.data else ""

    def holding(self, value: Any) -> int | None:
        """Where an assertion holds ``value``."""
        held = msgspec.to_builtins(value)
        for position, one in enumerate(self.assertions):
            if msgspec.to_builtins(one["value"]) == held:
                return position
        return None


def field_of(what: Target, name: str, *, present: bool = False) -> Field:
    """The tracked field that ``name`` means, by its name or its dotted path.

    Args:
        what: The record.
        name: Such as ``venue`` or ``peaks.fp16-dense-matrix``.
        present: Whether the record must have the field.

    Raises:
        EditError: records of this kind have no such field, or this one does not.
    """
    data = dict(tracked_fields(what.kind, what.data))
    paths = {fact.name: fact.path for fact in what.entry.facts}
    for key, plan in plan_of(what.kind).keys.items():
        if plan.tracked:
            paths.setdefault(key, (key,))
    wanted = name.strip()
    by_path = {path_text(path): path for path in paths.values()} | {
        ".".join(map(str, path)): path for path in paths.values()
    }
    path = paths.get(wanted) or by_path.get(wanted)
    if path is None:
        hint = did_you_mean(wanted, paths) or (
            f"its tracked fields: {', '.join(paths)}" if paths else "it has none"
        )
        raise EditError(f"{what.entry.key} has no tracked field {name!r}", hint)
    field = next(key for key, value in paths.items() if value == path)
    if present and path not in data:
        hint = f"`registry correct {what.entry.id} {field} VALUE` enters a first value"
        raise EditError(f"{what.entry.key} says nothing of {field} yet", hint)
    return Field(field, path, data.get(path))


def value_of(what: Target, field: Field, text: str) -> Any:
    """Plain data for a value as somebody types it.

    Numbers, days and texts are typed as they are, an amount as ``300 W``, an author line as
    ``Given Family; Given Family`` in BibTeX's grammar, and anything else as YAML or JSON.

    Raises:
        EditError: it is no value of the field.
    """
    prose(text, "the value")
    (holder,) = types_at(what.kind, (*field.path, "assertions", 0))
    (bare,) = types_at(what.kind, (*field.path, "assertions", 0, "value"))
    value = typed(text.strip(), bare, field.name)
    try:
        holder.model_validate(_MADE_UP | {"value": value})
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        steps = tuple(step for step in detail["loc"][1:] if step not in ("person", "group"))
        where = f" at {path_text(steps)}" if steps else ""
        reason = detail["msg"][:1].lower() + detail["msg"][1:]
        raise EditError(f"{field.name} cannot be `{text.strip()}`{where}: {reason}") from None
    return value


def typed(text: str, bare: Any, name: str) -> Any:
    """Plain data of a type that a person wrote, not yet judged.

    Raises:
        EditError: it is not written in a way that can be read.
    """
    if bare is int:
        return int(text) if re.fullmatch(r"[-+]?[0-9]{1,18}", text) else text
    if bare is date or bare is str:
        return _day(text) if bare is date else text
    if text[0] in "[{":
        return _yaml(text, name)
    if get_origin(bare) is tuple and name == "authors":
        return [_author(one) for one in text.split(";") if one.strip()]
    amount = _AMOUNT.fullmatch(text)
    if bare is Quantity and amount is not None:
        number, unit = amount.groups()
        return {"value": float(number) if "." in number else int(number), "unit": unit}
    wanted = "an amount such as `300 W`" if bare is Quantity else "YAML, such as `[{...}, {...}]`"
    raise EditError(f"{name} cannot be `{text}`: write {wanted}")


def _day(text: str) -> Any:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


def _yaml(text: str, name: str) -> Any:
    document = read(f"value: {text}\n".encode(), "")
    if document.data is None or document.findings:
        reason = document.findings[0].message if document.findings else "it is no YAML"
        raise EditError(f"{name} cannot be `{text}`: {reason}")
    return document.data["value"]


def _author(text: str) -> dict[str, str]:
    name = msgspec.to_builtins(parse_name(text.strip()))
    return {key: part for key, part in name.items() if part}
