"""What the models accept is what the schemas accept."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from judges import (
    EVERY_KIND,
    EXAMPLES,
    examples,
    model_accepts,
    read,
    schema_accepts,
    schemas_in,
    shipped_records,
    validator,
)
from pydantic import ValidationError

from registry.findings import path_text
from registry.records import FOLDERS, KINDS, KindName
from registry.schema import schema_for


@pytest.mark.parametrize(("kind", "path"), examples("valid"))
def test_valid_examples_are_accepted_by_both(kind: KindName, path: Path) -> None:
    instance = read(path)
    assert [error.message for error in validator(kind).iter_errors(instance)] == []
    KINDS[kind].model_validate(instance)
    assert instance["id"] == path.stem


def used(kind: KindName) -> set[tuple[str, str]]:
    """Name of the type and key of every property that the valid examples of a kind use."""
    generated = schema_for(kind)

    def resolve(node: dict[str, Any]) -> dict[str, Any]:
        name = node.get("$ref", "").rpartition("/")[2]
        return generated["definitions"].get(name, node)  # type: ignore[no-any-return]

    def walk(node: dict[str, Any], value: Any) -> Iterator[tuple[str, str]]:
        node = resolve(node)
        if "if" in node:
            group = value.keys() >= set(node["if"]["required"])
            yield from walk(node["then" if group else "else"], value)
            return
        if "items" in node:
            for item in value:
                yield from walk(node["items"], item)
        for key, inner in node.get("properties", {}).items():
            if key in value:
                yield node["title"].partition("_")[0], key
                yield from walk(inner, value[key])

    paths = (EXAMPLES / "valid" / kind).glob("*.yaml")
    return {place for path in paths for place in walk(generated, read(path))}


def test_valid_examples_use_every_property() -> None:
    known = {
        (node["title"].partition("_")[0], key)
        for kind in KINDS
        for node in schemas_in(schema_for(kind))
        if "title" in node
        for key in node.get("properties", ())
    }
    assert known - set().union(*map(used, KINDS)) == set()


@EVERY_KIND
def test_there_are_examples_of_every_kind(kind: KindName) -> None:
    minimal = read(EXAMPLES / "valid" / kind / "minimal.yaml")
    full = read(EXAMPLES / "valid" / kind / "full.yaml")
    assert minimal.keys() == set(schema_for(kind)["required"])
    assert full.keys() == schema_for(kind)["properties"].keys()
    assert len(list((EXAMPLES / "invalid" / kind).glob("*.yaml"))) >= 3


def schema_places(kind: KindName, instance: Any) -> set[str]:
    """Where the schema refuses an instance; a missing or unknown key counts as a place."""
    places = set()
    for error in validator(kind).iter_errors(instance):
        path = tuple(error.absolute_path)
        if error.validator == "required":
            (missing,) = set(error.validator_value) - error.instance.keys()
            path += (missing,)
        elif error.validator == "additionalProperties":
            (unknown,) = error.instance.keys() - error.schema["properties"].keys()
            path += (unknown,)
        places.add(path_text(path))
    return places


def model_places(kind: KindName, instance: Any) -> set[str]:
    """Where the model refuses an instance."""
    try:
        KINDS[kind].model_validate(instance)
    except ValidationError as error:
        # Inside a union pydantic names the branch, which is no step in the data.
        paths = [
            tuple(step for step in detail["loc"] if step not in ("person", "group"))
            for detail in error.errors()
        ]
        return {
            path_text(path[: path.index("cells") + 2] if "cells" in path else path)
            for path in paths
        }
    return set()


@pytest.mark.parametrize(("kind", "path"), examples("invalid"))
def test_invalid_examples_break_one_thing_and_are_refused_by_both(
    kind: KindName, path: Path
) -> None:
    place = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    instance = read(path)
    assert schema_places(kind, instance) == {place}
    assert model_places(kind, instance) == {place}


def replaced(kind: KindName, path: tuple[str | int, ...], value: Any) -> Any:
    instance = read(EXAMPLES / "valid" / kind / "full.yaml")
    holder = instance
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return json.loads(json.dumps(instance))


YEAR = ("paper", ("year", "assertions", 0, "value"))
DAY = ("paper", ("published", "assertions", 0, "value"))
CODE = ("paper", ("code", "assertions", 0, "value"))
NUMBER = ("claims", ("claims", 0, "value"))
AMOUNT = ("accelerator", ("memory_size", "assertions", 0, "value", "value"))
CELL = ("claims", ("tables", 0, "rows", 0, "cells", 1))
SLUG = ("paper", ("id",))
TEXT = ("paper", ("note",))
FLAG = ("model", ("mixture_of_experts",))
AUTHOR = ("paper", ("authors", "assertions", 0, "value", 0))


@pytest.mark.parametrize(
    ("place", "value", "accepted"),
    [
        (YEAR, 2024, True),
        (YEAR, 2024.0, True),  # JSON has one kind of number
        (YEAR, 10**400, True),
        (YEAR, -0.0, True),
        (YEAR, 2024.5, False),
        (YEAR, float("inf"), False),
        (YEAR, True, False),
        (YEAR, "2024", False),
        (YEAR, None, False),
        (NUMBER, 3, True),
        (NUMBER, 1.7976931348623157e308, True),
        (NUMBER, float("inf"), False),  # what a reader makes of 1e999
        (NUMBER, float("-inf"), False),
        (NUMBER, 10**400, False),
        (NUMBER, False, False),
        (NUMBER, "3", False),
        (AMOUNT, 80, True),
        (AMOUNT, float("inf"), False),
        (AMOUNT, 10**400, False),
        (AMOUNT, True, False),
        (CELL, 7, True),
        (CELL, [7, "unread", 0.5], True),
        (CELL, [], True),
        (CELL, "unread", True),
        (CELL, "Unread", False),
        (CELL, True, False),
        (CELL, [True], False),
        (CELL, [[7]], False),
        (CELL, None, False),
        (CELL, {}, False),
        (SLUG, "a-1", True),
        (SLUG, "a-1\n", False),
        (SLUG, "\na-1", False),
        (SLUG, "a\nb", False),
        (SLUG, "a--1", False),
        (SLUG, "-a", False),
        (SLUG, "é", False),
        (SLUG, "a-\u0661", False),  # a digit, but not one of ours
        (SLUG, "a" * 5000, True),
        (SLUG, "", False),
        (TEXT, "\n", True),
        (TEXT, " ", True),
        (TEXT, "\U0001f9a6", True),
        (TEXT, "", False),
        (TEXT, None, False),
        (DAY, "2024-02-29", True),
        (DAY, "2023-02-29", False),
        (DAY, "2024-02-30", False),
        (DAY, "0000-01-01", False),
        (DAY, "9999-12-31", True),
        (DAY, "2024-2-9", False),
        (DAY, "20240229", False),
        (DAY, "2024-W09-4", False),
        (DAY, "2024-02-29\n", False),
        (DAY, "2024-02-29T00:00:00", False),
        (DAY, "\u0662024-02-29", False),
        (DAY, 20240229, False),
        (CODE, "https://example.org/a?b#c", True),
        (CODE, "https://example.org/a\n", False),
        (CODE, "https://example.org/\x1fa", False),  # white space in Python only
        (CODE, "https://example.org/\ufeffa", False),  # white space in ECMAScript only
        (CODE, "https://example.org/\x85a", False),  # white space in Rust and Python
        (CODE, "ftp://example.org/a", False),
        (FLAG, True, True),
        (FLAG, 1, False),
        (FLAG, 0.0, False),
        (FLAG, "true", False),
        (AUTHOR, {"family": "Holm"}, True),
        (AUTHOR, {"literal": "Holm"}, True),
        (AUTHOR, {"literal": "Holm", "family": "Holm"}, False),
        (AUTHOR, {}, False),
        (AUTHOR, {"literal": None}, False),
        (AUTHOR, "literal", False),
        (AUTHOR, ["literal"], False),
    ],
    ids=lambda part: repr(part)[:40],
)
def test_traps(place: tuple[KindName, tuple[str | int, ...]], value: Any, accepted: bool) -> None:
    kind, path = place
    instance = replaced(kind, path, value)
    assert (model_accepts(kind, instance), schema_accepts(kind, instance)) == (accepted, accepted)


VALID: list[tuple[KindName, Any]] = [param.values for param in examples("valid")]
WORDS = sorted(
    {
        "",
        "x",
        "\n",
        "2024-02-30",
        "2023-02-29",
        "literal",
        "https://a",
        "10.1234/a",
        "paper/a",
    }.union(
        word
        for kind in KINDS
        for node in schemas_in(schema_for(kind))
        for word in (*node.get("enum", ()), *node.get("properties", ()))
    )
)
EDGES = st.sampled_from(list("\n\r\x0b\x1c\x85\xa0\u2028\ufeff \tAa0-/.é\u0661\x00"))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3000),
    st.integers(-3, 3000).map(float),
    st.floats(allow_nan=False),  # JSON has no NaN; an endless number is what 1e999 is read as
    st.just(10**400),
    st.sampled_from(WORDS),
    st.dates().map(date.isoformat),
    st.text(max_size=4),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=4,
)


def slots(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every holder and key (or position) in an instance."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        yield node, key
        if isinstance(value, (dict, list)):
            yield from slots(value)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[KindName, Any]:
    kind, path = draw(st.sampled_from(VALID))
    instance = read(path)
    for _ in range(draw(st.integers(1, 2))):
        holder, key = draw(st.sampled_from(list(slots(instance)) or [(instance, "kind")]))
        value = copy.deepcopy(holder.get(key) if isinstance(holder, dict) else holder[key])
        how = draw(st.sampled_from(["delete", "replace", "swap", "add", "edit"]))
        event(how)
        if how == "delete":
            del holder[key]
        elif how == "swap":
            other_holder, other_key = draw(st.sampled_from(list(slots(instance))))
            holder[key] = copy.deepcopy(other_holder[other_key])
        elif how == "add" and isinstance(holder, dict):
            holder[draw(st.sampled_from(WORDS))] = draw(VALUES)
        elif how == "add":
            holder.insert(key, draw(st.just(value) | VALUES))
        elif how == "edit" and isinstance(value, str):
            at = draw(st.sampled_from([0, len(value) // 2, len(value)]))
            holder[key] = value[:at] + draw(EDGES) + value[at:]
        else:
            holder[key] = draw(VALUES)
    return kind, json.loads(json.dumps(instance))


@given(damaged())
@settings(deadline=None, max_examples=400)
def test_model_and_schema_agree_on_damaged_records(case: tuple[KindName, Any]) -> None:
    kind, instance = case
    accepted = model_accepts(kind, instance)
    event(f"accepted: {accepted}")
    assert schema_accepts(kind, instance) == accepted


@pytest.mark.parametrize("path", shipped_records())
def test_shipped_records_are_accepted_by_both(path: Path) -> None:
    kind = next(kind for kind, folder in FOLDERS.items() if folder == path.parent.name)
    instance = read(path)
    assert [error.message for error in validator(kind).iter_errors(instance)] == []
    KINDS[kind].model_validate(instance)
