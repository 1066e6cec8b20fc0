"""JSON Schemas of the record kinds, generated from the models.

They are for readers that do not run this program: editors, CI steps, other languages. A record
that the models accept is a record that its schema accepts (``format`` included), and the other way
round. Instances are JSON, so a day is a text and a list is an array.

Only the vocabulary of draft-07 is used, since editors know no later one.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from registry.records import FOLDERS, KINDS, KindName
from registry.store.write import replace

JsonSchema = dict[str, Any]

DIALECT = "http://json-schema.org/draft-07/schema#"
SUFFIX = ".schema.json"

KEYWORDS = (
    "$schema",
    "$id",
    "title",
    "description",
    "$ref",
    "type",
    "const",
    "enum",
    "format",
    "pattern",
    "not",
    "minLength",
    "minimum",
    "maximum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "if",
    "then",
    "else",
    "definitions",
)
"""Every keyword that the schemas use, in the order in which a person reads them."""


@dataclass(frozen=True, slots=True)
class Drift:
    """A schema file that is not what the models say."""

    file: str
    """Name of the file."""
    state: Literal["missing", "stale", "extra"]
    """``extra`` is a schema file of no kind."""


def file_name(kind: KindName) -> str:
    """Name of the file that holds the schema of a kind, such as ``paper.schema.json``."""
    return f"{kind}{SUFFIX}"


def schema_for(kind: KindName) -> JsonSchema:
    """The JSON Schema of a kind."""
    generated = KINDS[kind].model_json_schema(schema_generator=_Generator)
    named = {f"#/$defs/{key}": inner for key, inner in generated.pop("$defs").items()}
    names = {ref: f"#/definitions/{inner['title']}" for ref, inner in named.items()}
    if len(set(names.values())) < len(names):
        raise TypeError(f"two types inside {kind} share a name: {sorted(names.values())}")
    generated["definitions"] = {
        inner["title"]: inner for inner in sorted(named.values(), key=lambda inner: inner["title"])
    }
    # The id is relative, so it never points at a host that may not be there.
    return _draft07({"$schema": DIALECT, "$id": file_name(kind), **generated}, names)


def schema_text(kind: KindName) -> str:
    """The schema of a kind as it is written to its file."""
    return json.dumps(schema_for(kind), indent=2) + "\n"


def check(folder: Path) -> list[Drift]:
    """What in a folder of schemas differs from what the models say, by file name."""
    texts = {file_name(kind): schema_text(kind) for kind in KINDS}
    drifts = [
        Drift(path.name, "extra") for path in folder.glob(f"*{SUFFIX}") if path.name not in texts
    ]
    for name, text in texts.items():
        held = _held(folder / name)
        if held != text.encode():
            drifts.append(Drift(name, "missing" if held is None else "stale"))
    return sorted(drifts, key=lambda drift: drift.file)


def write(folder: Path) -> list[str]:
    """Write the schemas that differ from what the folder holds, and name them.

    An editor never reads half of a file. Files of no kind stay.

    Raises:
        OSError: If the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in KINDS:
        path = folder / file_name(kind)
        text = schema_text(kind).encode()
        if _held(path) == text:
            continue
        replace(path, text)
        written.append(path.name)
    return written


def _held(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


class _Generator(GenerateJsonSchema):
    """What pydantic generates, with readable names and without what only means absence."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False  # it would repeat the key

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchema:
        generated = super().default_schema(schema)
        if generated.get("default") is None:
            generated.pop("default", None)  # absence; null itself is refused
        return generated

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchema:
        # JSON can write 1e999, which is no double; the models refuse it as infinite.
        limit = sys.float_info.max
        return {"minimum": -limit, "maximum": limit, **super().float_schema(schema)}

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchema:
        # Where "oneOf" fails, a validator can only say that nothing fits; with "if" it says what
        # is wrong with the branch that was meant. Editors offer keys from "properties" alone.
        usual, marked = super().tagged_union_schema(schema)["oneOf"]
        known, own = (self.get_schema_from_definitions(x["$ref"]) or {} for x in (usual, marked))
        marks = [key for key in own["required"] if key not in known["properties"]]
        return {
            "properties": {key: own["properties"][key] for key in marks},
            "if": {"type": "object", "required": marks},
            "then": marked,
            "else": usual,
        }

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchema:
        cls: type[BaseModel] = schema["cls"]
        origin = cls.__pydantic_generic_metadata__["origin"] or cls
        generated = super().model_schema(schema)
        texts = _field_docstrings(origin)
        for key, inner in generated["properties"].items():
            generated["properties"][key] = {**inner, "description": texts[key]}
        return {**generated, "title": _name(cls), "description": inspect.getdoc(origin)}


@cache
def _field_docstrings(cls: type[BaseModel]) -> dict[str, str]:
    """The string below each field, read off the source.

    Pydantic can do so itself, but does it for every model whenever one is imported, which would
    double the time in which the command line starts.
    """
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("registry."):
            (definition,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
            assert isinstance(definition, ast.ClassDef)
            for field, text in pairwise(definition.body):
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    assert isinstance(text, ast.Expr)
                    found[field.target.id] = inspect.cleandoc(ast.literal_eval(text.value))
    return found


def _name(annotation: Any) -> str:
    """A type's name, flat: ``Tracked[Items[Author]]`` is ``Tracked_Items_Author``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        generic = annotation.__pydantic_generic_metadata__
        origin = generic["origin"] or annotation
        return "_".join([origin.__name__, *map(_name, generic["args"])])
    inner = get_args(annotation)[0]
    if get_origin(inner) is tuple:
        return f"Items_{_name(get_args(inner)[0])}"
    # An annotated type does not know its name; the module that defines it does.
    return min(
        name
        for module_name, module in sys.modules.items()
        if module_name.startswith("registry.records.")
        for name, value in vars(module).items()
        if get_origin(value) is Annotated and value == annotation
    )


def _draft07(schema: JsonSchema, names: dict[str, str]) -> JsonSchema:
    """A schema and all schemas in it in the words of draft-07, with descriptions for people."""
    node: JsonSchema = {}
    for keyword, value in schema.items():
        if keyword in ("properties", "definitions"):
            node[keyword] = {key: _draft07(inner, names) for key, inner in value.items()}
        elif keyword == "anyOf":
            node[keyword] = [_draft07(inner, names) for inner in value]
        elif keyword in ("items", "if", "then", "else"):
            node[keyword] = _draft07(value, names)
        elif keyword == "$ref":
            node[keyword] = names[value]
        elif keyword == "pattern":
            # Python lets "$" stand before a line break at the end; the models do not.
            node |= {keyword: value, "not": {"pattern": r"\n"}}
        elif keyword not in ("description", "reference"):
            node[keyword] = value
    sentences = [_markdown(schema.get("description", "")), _pointer(schema)]
    if description := " ".join(filter(None, sentences)):
        node["description"] = description
    return dict(sorted(node.items(), key=lambda item: KEYWORDS.index(item[0])))


def _markdown(docstring: str) -> str:
    return " ".join(docstring.replace("``", "`").split())


def _pointer(schema: JsonSchema) -> str:
    """A sentence that says what records a reference, or a list of them, points at."""
    if kind := schema.get("reference"):
        if kind == "*":
            return "Kind and id of a record, as `kind/id`."
        return f"Id of a record in data/{FOLDERS[kind]}."
    if kind := schema.get("items", {}).get("reference"):
        return f"Ids of records in data/{FOLDERS[kind]}."
    return ""
