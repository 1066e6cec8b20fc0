"""The house style: how a value is written as lines of YAML.

Two spaces a level, text folded at 100 columns, short lists and small mappings on one line. Where a
value of the same kind stands in the file already (its *model*), its quotes and brackets are
followed. Text that any reader of YAML could take for something else is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

import yaml

from registry.store.scalars import plain

WIDTH = 100
"""Columns that a line may have."""

_SMALL = 3
"""Keys of a mapping that is written on one line without a model."""

_UNSAFE_START = re.compile(r"[-?:](?:\s|$)|[,\[\]{}#&*!|>'\"%@`]|---|\.\.\.")
_UNSAFE_INSIDE = re.compile(r":(?:\s|$)|\s#|^\s|\s$")
_UNSAFE_IN_FLOW = re.compile(r"[,\[\]{}:?]")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_TO_ESCAPE = re.compile(rf'[\\"]|{_UNPRINTABLE.pattern}')
_SAME_KIND = {"supersedes": "value"}
"""Keys that hold what another key holds."""


def heading(kind: str) -> str:
    """The first line of a record's file, by which editors find its schema."""
    return f"# yaml-language-server: $schema=../../schemas/{kind}.schema.json"


def entry(key: str, value: Any, column: int, model: yaml.Node | None = None) -> list[str]:
    """The lines of ``key: value``, the first without the spaces that stand before it.

    Args:
        key: The key.
        value: Plain data.
        column: Where the key stands, from 0.
        model: A value of the same kind.
    """
    name = key if _is_plain(key) else _quoted(key)
    return _lines(f"{name}:", value, column, model)


def item(value: Any, column: int, model: yaml.Node | None = None) -> list[str]:
    """The lines of ``- value``, the first without the spaces that stand before it."""
    if isinstance(value, (dict, list)) and not _in_brackets("-", value, column, model):
        first, *others = body(value, column + 2, model)
        return [f"- {first}", *others]
    return _lines("-", value, column, model)


def body(value: Any, column: int, model: yaml.Node | None = None) -> list[str]:
    """The lines of a mapping or list that stands at ``column``, the first without its spaces."""
    models = _children(model)
    parts: list[list[str]]
    if isinstance(value, dict):
        parts = [entry(key, one, column, _model(models, key)) for key, one in value.items()]
    else:
        parts = [item(one, column, models.get("")) for one in value]
    lines = [" " * column + part[0] if n else part[0] for n, part in enumerate(parts)]
    return [line for first, part in zip(lines, parts, strict=True) for line in (first, *part[1:])]


def one_line(value: Any, model: yaml.Node | None = None, *, flow: bool = True) -> str:
    """A value on one line, in brackets if it has parts.

    Args:
        value: Plain data.
        model: A value of the same kind.
        flow: Whether it stands in brackets itself.
    """
    models = _children(model)
    if isinstance(value, dict):
        pairs = ((key, one_line(one, _model(models, key))) for key, one in value.items())
        return "{" + ", ".join(f"{_scalar(key, None, True)}: {text}" for key, text in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(one_line(one, models.get("")) for one in value) + "]"
    return _scalar(value, model, flow)


def folded(words: Sequence[str], column: int, first: str = "") -> list[str]:
    """Words as folded lines at ``column``, after a first line that has words already."""
    lines = [first] if first else []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(" " * column + word)
    return lines


def folds(text: str) -> bool:
    """Whether a text can be folded, which keeps words and single spaces and nothing else."""
    words = text.split(" ")
    return len(words) > 1 and all(words) and not _UNPRINTABLE.search(text)


def _lines(lead: str, value: Any, column: int, model: yaml.Node | None) -> list[str]:
    if isinstance(value, (dict, list)):
        if text := _in_brackets(lead, value, column, model):
            return [f"{lead} {text}"]
        first, *others = body(value, column + 2, model)
        return [lead, " " * (column + 2) + first, *others]
    text = one_line(value, model, flow=False)
    long = column + len(lead) + 1 + len(text) > WIDTH
    if long and isinstance(value, str) and folds(value):
        return [f"{lead} >-", *folded(value.split(" "), column + 2)]
    return [f"{lead} {text}"]


def _in_brackets(lead: str, value: Any, column: int, model: yaml.Node | None) -> str:
    """The value in brackets where the house writes it so and it fits, else an empty text."""
    scalars = not any(
        isinstance(one, (dict, list))
        for one in (value.values() if isinstance(value, dict) else value)
    )
    if isinstance(value, dict) and isinstance(model, yaml.MappingNode) and value:
        wanted = bool(model.flow_style)
    else:
        wanted = scalars and (isinstance(value, list) or len(value) <= _SMALL)
    text = one_line(value, model) if wanted or not value else ""
    return text if not value or column + len(lead) + 1 + len(text) <= WIDTH else ""


def _children(model: yaml.Node | None) -> dict[str, yaml.Node]:
    """Models for the parts of a value: by key, or the last item of a list."""
    if isinstance(model, yaml.MappingNode):
        return {key.value: value for key, value in model.value}
    if isinstance(model, yaml.SequenceNode) and model.value:
        return {"": model.value[-1]}
    return {}


def _model(models: dict[str, yaml.Node], key: str) -> yaml.Node | None:
    return models.get(key) or models.get(_SAME_KIND.get(key, ""))


def _scalar(value: Any, model: yaml.Node | None, flow: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number(value)
    text = str(value)
    if isinstance(value, (int, date)):
        return text
    quotes = model.style if isinstance(model, yaml.ScalarNode) else None
    if quotes == "'" and not _UNPRINTABLE.search(text):
        return "'" + text.replace("'", "''") + "'"
    return text if quotes != '"' and _is_plain(text, flow) else _quoted(text)


def _number(value: float) -> str:
    # An exponent needs a point and a sign to be a number to every reader of YAML.
    digits, _, power = repr(value).partition("e")
    if not power:
        return digits
    point = "" if "." in digits else ".0"
    return f"{digits}{point}e{power if power[0] in '+-' else '+' + power}"


def _is_plain(text: str, flow: bool = False) -> bool:
    """Whether a text may stand without quotes, and means itself to every reader."""
    return (
        plain(text) is text
        and not _UNSAFE_START.match(text)
        and not _UNSAFE_INSIDE.search(text)
        and not _UNPRINTABLE.search(text)
        and not (flow and _UNSAFE_IN_FLOW.search(text))
    )


def _quoted(text: str) -> str:
    return '"' + _TO_ESCAPE.sub(_escape, text) + '"'


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _ESCAPED.get(found[0]) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")
