"""Tracked fields by name, and values by the type of their field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from math import isfinite
from typing import Any, get_origin

import msgspec
from pydantic import ValidationError

from registry.checks.values import lacks_an_end
from registry.editing.author_lines import HINT as AUTHORS_HINT
from registry.editing.author_lines import doubts, names_in
from registry.editing.plan import Target, prose
from registry.equality.names import parse_authors, recorded_name
from registry.equality.titles import says_something
from registry.errors import EditError
from registry.findings import FieldPath, path_text
from registry.records.outline import plan_of, tracked_fields, types_at
from registry.records.quantities import Quantity
from registry.store.nearest import did_you_mean
from registry.store.reader import read

_AMOUNT = re.compile(r"([-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z%].*)")
_KEYED = re.compile(r"\[|\{\s*\w+\s*:(?:\s|$)")
"""How YAML begins, where braces may as well hold the name of a group."""

_BROKEN = {"\t": "a tab", "\n": "a line break", "\r": "a line break"}
_OF_FIELD = {
    "authors": AUTHORS_HINT,
    "affiliations": "write `[{author: 1, printed: Its Name}, ...]`",
    "venue": "name the id of a record in data/venues, such as `icml`",
    "venue_track": "name the id of one of the venue's tracks, such as `main`",
    "year": "write four digits, such as `2024`",
    "doi": "write it as `10.18653/v1/...`, without an address in front of it",
    "arxiv_id": "write it as `2401.15077`, without a version",
    "code": "write an address that begins with https://",
    "published": "write a day as YYYY-MM-DD",
    "released": "write a day as YYYY-MM-DD",
}
"""How the value of a field is written."""
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
    (holder,) = types_at(what.kind, (*field.path, "assertions", 0))
    (bare,) = types_at(what.kind, (*field.path, "assertions", 0, "value"))
    one_line(text, f"the value of {field.name}", bare)
    value = typed(text.strip(), bare, field.name)
    try:
        holder.model_validate(_MADE_UP | {"value": value})
    except ValidationError as error:
        raise misfit(error, field.name, text.strip()) from None
    if what.kind == "paper":
        _says_something(field.name, value, text.strip())
    return value


def one_line(text: str, called: str, bare: Any) -> None:
    """Refuse a value that says nothing, or that does not stand on one line.

    Args:
        text: What somebody typed.
        called: What to call it in a message.
        bare: The type that is wanted. Where that has parts, YAML may go over several lines.

    Raises:
        EditError: it is empty, or has a tab, a line break or a character that cannot be seen.
    """
    if not text.strip():
        raise EditError(f"{called} is empty", "write the value")
    prose(text, called)
    found = re.search(r"[\t\n\r]", text.strip())
    in_parts = bare is not str and text.strip()[0] in "[{"
    if found is not None and not in_parts:
        raise EditError(f"{called} has {_BROKEN[found[0]]} in it", "put a space in its place")


def misfit(error: ValidationError, name: str, text: str) -> EditError:
    """The error for a value that the model of its field refuses, with how to write one."""
    detail = error.errors(include_url=False)[0]
    inner = detail["loc"][2 if detail["loc"][:1] == (name,) and name != "value" else 1 :]
    steps = tuple(step for step in inner if step not in ("person", "group"))
    where = f" at {path_text(steps)}" if steps else ""
    reason = _REASONS.get(detail["type"], detail["msg"][:1].lower() + detail["msg"][1:])
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    return EditError(f"{name} cannot be `{shown}`{where}: {reason}", _OF_FIELD.get(name, ""))


_SHOWN = 200
_REASONS = {
    "tuple_type": "a list is wanted",
    "list_type": "a list is wanted",
    "string_pattern_mismatch": "it does not have the form of one",
    "finite_number": "the number is too large",
}


def _says_something(name: str, value: Any, text: str) -> None:
    """Refuse titles and author lines in which nothing stands, and pages that are cut off.

    Raises:
        EditError: there is no letter and no digit, or nobody, or no affiliation, or no end.
    """
    if name in ("authors", "affiliations") and not value:
        raise EditError(f"{name} cannot be `{text}`: the list is empty", _OF_FIELD[name])
    said = [str(recorded_name(one)) for one in value] if name == "authors" else []
    if name == "pages" and lacks_an_end(value):
        hint = "write a range such as `101-112`, or the first page alone"
        raise EditError(f"pages cannot be `{text}`: they lack an end", hint)
    for one in [value] if name == "title" else said:
        if not says_something(one):
            raise EditError(f"{name} cannot be `{text}`: `{one}` has no letter or digit")


def typed(text: str, bare: Any, name: str) -> Any:
    """Plain data of a type that a person wrote, not yet judged.

    Raises:
        EditError: it is not written in a way that can be read.
    """
    if bare is int:
        return int(text) if re.fullmatch(r"[-+]?[0-9]{1,18}", text) else text
    if not text:
        raise EditError(f"the value of {name} is empty", "write the value")
    if bare is date or bare is str:
        return _day(text) if bare is date else text
    if _is_author_line(name, bare, text):
        return _authors(text)
    if text[0] in "[{":
        return _yaml(text, name)
    amount = _AMOUNT.fullmatch(text)
    if bare is Quantity and amount is not None:
        number, unit = amount.groups()
        if not isfinite(float(number)):
            raise EditError(f"{name} cannot be `{text[:_SHOWN]}`: the number is too large")
        return {
            "value": int(number) if number.lstrip("+-").isdigit() else float(number),
            "unit": unit,
        }
    wanted = "an amount such as `300 W`" if bare is Quantity else "YAML, such as `[{...}, {...}]`"
    raise EditError(f"{name} cannot be `{text}`: write {wanted}")


def doubts_about(field: Field, text: str) -> list[str]:
    """What in a value, which somebody typed, may be meant otherwise than it is read."""
    return doubts(names_in(text)) if _is_author_line(field.name, tuple, text.strip()) else []


def _is_author_line(name: str, bare: Any, text: str) -> bool:
    return name == "authors" and tuple in (bare, get_origin(bare)) and not _KEYED.match(text)


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


def _authors(text: str) -> list[dict[str, str]]:
    """An author line, as people of the record.

    Raises:
        EditError: it says that there are more authors than it names, or something is not one name.
    """
    names = names_in(text)
    line = parse_authors(names)
    if line.truncated:
        raise EditError(
            f"authors cannot be `{text}`: it ends before the line does", "name them all"
        )
    empty = [name for name in names if not name.strip(" {}~")]
    if empty and line.names:  # parsing leaves them out
        raise EditError(f"authors cannot be `{text}`: `{empty[0]}` has no letter or digit")
    people = map(msgspec.to_builtins, line.names)
    return [{key: part for key, part in one.items() if part} for one in people]
