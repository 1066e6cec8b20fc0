"""Shape: does a file hold a record of its kind, and nothing else?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from registry.checks.interface import Settings, Spot, at
from registry.findings import FieldPath, Finding, Rule, path_text
from registry.records import KINDS, KindName, Record
from registry.store.document import Document
from registry.store.entry import Entry
from registry.store.index import Index
from registry.store.nearest import did_you_mean

TYPE = Rule(
    "SHP001",
    "error",
    "value of the wrong type",
    "A value is not of the type that its field wants, for example a number where a list belongs.",
    "Write the value in the form that the message names.",
)
QUOTE = Rule(
    "SHP002",
    "error",
    "text that YAML does not read as text",
    "YAML reads unquoted words and numbers such as no, 2401.15070, 010, 12:30 or 2024-07-08 as "
    "something other than text, and what was written is lost (2401.15070 becomes 2401.1507).",
    "Put the value in quotes.",
)
MISSING = Rule(
    "SHP003",
    "error",
    "a required key is missing",
    "A record or one of its parts lacks a key that its kind requires.",
    "Add the key; the schema of the kind describes it.",
)
UNKNOWN = Rule(
    "SHP004",
    "error",
    "unknown key",
    "A key is not one that its kind knows, often a typing mistake. Unknown keys are refused, since "
    "a fact under a key that nothing reads is a lost fact.",
    "Correct the key, or move the text into a note.",
)
VALUE = Rule(
    "SHP005",
    "error",
    "value that the field does not allow",
    "A value has the right type but is not one of the words, or not of the form, that is allowed.",
    "Use one of the values or the form that the message names.",
)
IDENTITY = Rule(
    "SHP006",
    "error",
    "id, kind and file name do not belong together",
    "A record lies in the folder of its kind, and its id is the name of its file without .yaml. "
    "References rely on both.",
    "Rename the file or correct the key. Never reuse the id of another record.",
)

_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "day": "a day written YYYY-MM-DD",
    "finite_number": "a finite number",
}
_VALUE_ERRORS = {
    "literal_error",
    "string_pattern_mismatch",
    "string_too_short",
    "finite_number",
    "day",
    "int_from_float",
}


class Shape:
    """Holds a document against the model of its kind."""

    rules = (TYPE, QUOTE, MISSING, UNKNOWN, VALUE, IDENTITY)

    def build(
        self, document: Document, kind: KindName, record_id: str
    ) -> tuple[Record | None, list[Finding]]:
        """The record in ``document``, or None and every reason why it is none.

        ``kind`` and ``record_id`` are what the file's place and name say.
        """
        data = document.data
        if data is None:
            return None, []
        key = f"{kind}/{record_id}"
        findings: list[Finding] = []
        for field, wanted in (("kind", kind), ("id", record_id)):
            found = data.get(field)
            if isinstance(found, str) and found != wanted:
                where = "folder" if field == "kind" else "file name"
                message = f"{field} is `{found}`, but the {where} says `{wanted}`"
                hint = "rename the file or correct the key; ids are never reused"
                findings.append(at(IDENTITY, key, document, (field,), message, hint))
        model = KINDS[kind]
        # The kind is judged above; the model must not complain about it a second time.
        judged = data | {"kind": kind} if isinstance(data.get("kind"), str) else data
        try:
            record = model.model_validate(judged)
        except ValidationError as error:
            grouped: dict[FieldPath, list[ErrorDetails]] = {}
            for detail in error.errors(include_url=False, include_context=True):
                grouped.setdefault(_path(detail, document), []).append(detail)
            findings.extend(
                _finding(path, details, key, document) for path, details in grouped.items()
            )
            return None, findings
        return (None if findings else record), findings

    def each(self, record: Record, document: Document) -> Iterator[Finding]:
        """Nothing more: what ``build`` lets pass has its shape."""
        yield from ()

    def across(self, index: Index, settings: Settings, among: Sequence[Entry]) -> Iterator[Spot]:
        """Nothing: shape is a matter of one record."""
        yield from ()


def _path(detail: ErrorDetails, document: Document) -> FieldPath:
    """Pydantic's location without the names of union branches, which no reader of YAML knows."""
    steps: list[str | int] = []
    value: Any = document.data
    *inner, last = detail["loc"] or ("",)
    for step in inner:
        known = step in value if isinstance(value, dict) else isinstance(value, list)
        if known and (isinstance(value, dict) or isinstance(step, int)):
            value = value[step]
            steps.append(step)
    named = isinstance(value, dict) and (last in value or detail["type"] == "missing")
    if named or (isinstance(value, list) and isinstance(last, int)):
        steps.append(last)
    return tuple(steps)


def _finding(
    path: FieldPath, details: Sequence[ErrorDetails], key: str, document: Document
) -> Finding:
    """The finding on one value; of a value that may be several things, what all of them are."""
    detail, *others = details
    kind, value = detail["type"], detail["input"]
    name = path_text(path)
    if kind == "missing":
        parent = path_text(path[:-1]) or "the record"
        message = f"`{path[-1]}` is missing in {parent}"
        return at(MISSING, key, document, path[:-1], message, "add the key")
    if kind == "extra_forbidden":
        hint = _other_key(key.partition("/")[0], path)
        message = f"unknown key `{path[-1]}`"
        return at(UNKNOWN, key, document, path, message, hint or "remove it", key=True)
    if kind == "string_type" and not isinstance(value, (list, dict)):
        written = document.source(path)
        message = f"`{name}` wants text, but YAML reads `{written}` as {_named(value)}"
        return at(QUOTE, key, document, path, message, f'put it in quotes: "{written}"')
    if kind in _VALUE_ERRORS or others:
        allowed = " or ".join(dict.fromkeys(map(_allowed, details)))
        message = f"`{name}` cannot be `{_shown(document, path, value)}`: it must {allowed}"
        return at(VALUE, key, document, path, message)
    wanted = _WANTED.get(kind, detail["msg"][:1].lower() + detail["msg"][1:])
    message = f"`{name}` wants {wanted}, not {_named(value)}"
    keyed = kind in ("model_type", "model_attributes_type")
    kind_name = key.partition("/")[0]
    hint = f"`registry schema {kind_name}` describes its keys; see another record" if keyed else ""
    return at(TYPE, key, document, path, message, hint)


def _allowed(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "literal_error":
        return f"be {context['expected']}"
    if kind == "string_pattern_mismatch":
        return f"look like {context['pattern']}"
    if kind == "string_too_short":
        return "not be empty"
    return f"be {_WANTED.get(kind, 'a whole number')}"


def _shown(document: Document, path: FieldPath, value: object) -> str:
    text = document.source(path) or str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _named(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, date):
        return "a date"
    if isinstance(value, str):
        return "text"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    return str(getattr(value, "why", "something else"))


def _other_key(kind: str, path: FieldPath) -> str:
    """The key that was meant: one of those that may stand there, or else of any kind."""
    from registry.records.outline import all_keys, keys_at

    written = str(path[-1])
    there = keys_at(cast(KindName, kind), path[:-1])
    return did_you_mean(written, there) or did_you_mean(written, set(all_keys()) - {written})
