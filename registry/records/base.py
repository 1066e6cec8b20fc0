"""The vocabulary every record kind is written in.

A model here states *shape* only: types, patterns, required keys. Whatever needs two fields or
two records to judge is a check (``registry.checks``), so that a record which the models accept is
exactly a record which the generated JSON Schema accepts.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    Strict,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError

T = TypeVar("T")

SLUG_PATTERN = r"^[a-z0-9]+(-[a-z0-9]+)*$"
ABOUT_PATTERN = r"^[a-z]+/[a-z0-9]+(-[a-z0-9]+)*$"
DAY_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
# Patterns are read by three regular expression engines (Rust here, Python and ECMAScript through
# the JSON Schemas), so they use nothing the three differ on: no \s, \d or \w.

_LARGEST = sys.float_info.max

KindName = Literal[
    "paper",
    "method",
    "claims",
    "accelerator",
    "machine",
    "model",
    "dataset",
    "engine",
    "venue",
    "organization",
    "source",
    "evidence",
    "benchmark",
]


class NotNull:
    """Marks an optional field that may be left out but never be written as an empty value.

    A key without a value (``title: # 1 Trick``) is how YAML loses text silently; ``Maybe`` fields
    therefore refuse ``null`` instead of reading it as absence.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Unwrap ``T | None`` to ``T``: the default is not validated, a written null is refused."""
        schema = handler(source)
        if schema["type"] != "nullable":
            raise TypeError(f"Maybe[...] expects an optional type, got {source!r}")
        inner: CoreSchema = schema["schema"]
        return inner


Maybe = Annotated[T | None, NotNull()]
"""A field that may be absent, and that refuses an explicit empty value."""

Items = Annotated[tuple[T, ...], Strict(False)]
"""A YAML list, held immutably."""


def _day(value: object) -> object:
    if type(value) is date:
        return value
    if isinstance(value, str) and re.fullmatch(DAY_PATTERN, value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise PydanticCustomError("day", "expected a calendar day written YYYY-MM-DD")


def _whole(value: object) -> object:
    # JSON knows one number type, so 7.0 is an integer there; it is the same integer here.
    if type(value) is float and value.is_integer():
        return int(value)
    return value


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PydanticKnownError("float_type")
    if not -_LARGEST <= value <= _LARGEST:
        raise PydanticKnownError("finite_number")
    return value


Day = Annotated[
    date,
    BeforeValidator(_day),
    WithJsonSchema({"type": "string", "format": "date", "pattern": DAY_PATTERN}),
]
"""A calendar day, ``YYYY-MM-DD``."""

Whole = Annotated[int, BeforeValidator(_whole)]
"""An integer."""

Decimals = Annotated[int, Field(ge=0, le=15), BeforeValidator(_whole)]
"""How many decimals a number is printed with; a double has no more than fifteen that mean much."""

Number = Annotated[
    int | float,
    PlainValidator(_number),
    WithJsonSchema({"type": "number", "minimum": -_LARGEST, "maximum": _LARGEST}),
]
"""A number as written: 3 stays apart from 3.0, since a claim's decimals say how it was rounded."""

Text = Annotated[str, Field(min_length=1)]
"""Any text that is not empty."""

Slug = Annotated[str, Field(pattern=SLUG_PATTERN)]
"""A record id: lower-case letters, digits, hyphens."""

Url = Annotated[str, Field(pattern=r"^https?://[!-~]+$")]
"""A web address, in ASCII as addresses are sent."""

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in lower-case hexadecimal."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Metadata on a field: its value is the id of a record of ``kind``.

    ``kind`` is ``"*"`` for a field that writes the kind itself (``paper/eagle``).
    """

    kind: str

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Let the JSON Schema of the field know what it points at (``registry.schema`` tells)."""
        return {**handler(schema), "reference": self.kind}


PaperId = Annotated[Slug, Reference("paper")]
MethodId = Annotated[Slug, Reference("method")]
ClaimsId = Annotated[Slug, Reference("claims")]
AcceleratorId = Annotated[Slug, Reference("accelerator")]
MachineId = Annotated[Slug, Reference("machine")]
ModelId = Annotated[Slug, Reference("model")]
DatasetId = Annotated[Slug, Reference("dataset")]
EngineId = Annotated[Slug, Reference("engine")]
VenueId = Annotated[Slug, Reference("venue")]
OrganizationId = Annotated[Slug, Reference("organization")]
SourceId = Annotated[Slug, Reference("source")]
EvidenceId = Annotated[Slug, Reference("evidence")]
RecordId = Annotated[str, Field(pattern=ABOUT_PATTERN), Reference("*")]
"""``kind/id``, where a field may point at a record of any kind."""


class Part(BaseModel):
    """Base of everything inside a record: immutable, and closed to unknown keys."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        defer_build=True,  # a command that reads one kind builds no other
    )


WithdrawalReason = Literal[
    "duplicate",
    "not-a-paper",
    "wrong-identity",
    "retracted",
    "superseded",
    "entered-in-error",
]
"""Why a record no longer counts."""


class Withdrawal(Part):
    """Why a record no longer counts. A withdrawn record stays where it is."""

    reason: WithdrawalReason
    """Reason code."""
    because: Text
    """What happened, in a sentence."""
    by: Text
    """Who withdrew it."""
    recorded: Day
    """When it was withdrawn."""
    successor: Maybe[RecordId] = None
    """The record to use instead, as ``kind/id``."""


class Record(Part):
    """What all kinds have in common."""

    kind: KindName
    """The kind of record; it is also the folder the file lies in."""
    id: Slug
    """The record's id; it equals the file name without ``.yaml`` and is never reused."""
    note: Maybe[Text] = None
    """Anything a reader should know that no field can say."""
    withdrawn: Maybe[Withdrawal] = None
    """Present when the record no longer counts."""
