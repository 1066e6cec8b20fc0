"""Both judges of an instance, the model and the schema, and the examples they are tried on."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from jsonschema import Draft7Validator
from pydantic import ValidationError

from registry.records import KINDS, KindName
from registry.schema import schema_for

ROOT = Path(__file__).parents[1]
EXAMPLES = Path(__file__).parent / "examples"
EVERY_KIND = pytest.mark.parametrize("kind", get_args(KindName))


def read(path: Path) -> Any:
    """The file as JSON: days as text, lists as arrays."""
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return json.loads(json.dumps(data, default=lambda day: day.isoformat()))


@functools.cache
def validator(kind: KindName) -> Draft7Validator:
    return Draft7Validator(schema_for(kind), format_checker=Draft7Validator.FORMAT_CHECKER)


def schema_accepts(kind: KindName, instance: Any) -> bool:
    return validator(kind).is_valid(instance)


def model_accepts(kind: KindName, instance: Any) -> bool:
    try:
        KINDS[kind].model_validate(instance)
    except ValidationError:
        return False
    return True


def examples(verdict: str) -> list[Any]:
    return [
        pytest.param(path.parent.name, path, id=f"{path.parent.name}/{path.stem}")
        for path in sorted((EXAMPLES / verdict).glob("*/*.yaml"))
    ]


def schemas_in(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and every schema inside it."""
    yield node
    for keyword in ("properties", "definitions"):
        for inner in node.get(keyword, {}).values():
            yield from schemas_in(inner)
    for inner in node.get("anyOf", []):
        yield from schemas_in(inner)
    for keyword in ("items", "not", "then", "else"):  # "if" only asks
        if keyword in node:
            yield from schemas_in(node[keyword])


def shipped_records() -> list[Any]:
    return [
        pytest.param(path, id=f"{path.parent.name}/{path.stem}")
        for path in sorted((ROOT / "data").glob("*/*.yaml"))
    ]
