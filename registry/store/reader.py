"""Reads a record file: bytes to plain data, with everything that is wrong with it as YAML.

Reading never raises for what a file holds, calls nothing that a file names, and takes time and
memory in proportion to the file's size. The steps, each in a module of its own: characters, parser
(with advice where it fails), hazards of the tree, and here the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from hashlib import sha256
from math import isfinite
from typing import Any

import yaml
from yaml import MappingNode, ScalarNode, SequenceNode

from registry.findings import FieldPath, Finding, path_text
from registry.store.advice import fault_of
from registry.store.characters import Lines, decode, invisible
from registry.store.document import Document
from registry.store.hazards import damage, unsafe
from registry.store.nodes import paths, recount
from registry.store.parser import TooDeepError, compose
from registry.store.rules import (
    DUPLICATE,
    EMPTY,
    KEY,
    MERGE,
    NO_VALUE,
    NOT_A_MAPPING,
    NOT_FINITE,
    Fault,
    shown,
)
from registry.store.scalars import Doubtful, plain

MOST_FINDINGS = 100
"""Faults of one file that are listed. Nobody mends more of them by reading a list."""


def read(raw: bytes, file: str) -> Document:
    """Read the bytes of ``file``.

    Args:
        raw: Everything the file holds.
        file: Its path from the registry's root, for the findings.

    Returns:
        A document whose ``data`` is plain: text, numbers, booleans, dates, lists and mappings with
        text keys; a :class:`~registry.store.scalars.Doubtful` for each word that readers of YAML
        do not agree on; and None for each missing value, which is then a finding too.
    """
    document = Document(file=file, digest=sha256(raw).hexdigest(), data=None)
    text, unreadable = decode(raw)
    faults = _parse(document, raw, text) if unreadable is None else [unreadable]
    if faults:
        document.findings = _findings(faults, text, document)
    return document


def _parse(document: Document, raw: bytes, text: str) -> list[Fault]:
    """Fill the document with what the text says, unless it must not or cannot become data."""
    faults = list(invisible(raw, text))
    try:
        root = compose(raw)
    except (yaml.YAMLError, TooDeepError) as error:
        return [*faults, fault_of(error, text)]
    if root is None:
        return [*faults, _no_record(root)]
    if faults:
        recount(root, Lines(text))
    document.root = root
    dangers = unsafe(root, raw, text)
    if dangers:
        return faults + dangers
    if not isinstance(root, MappingNode):
        return [*faults, _no_record(root)]
    faults += damage(root, raw, text)
    document.data = _mapping(root, faults)
    return faults


def _no_record(root: yaml.Node | None) -> Fault:
    if root is None or (isinstance(root, ScalarNode) and not root.value and not root.style):
        return Fault(EMPTY, 0, "the file holds no record", "write the record or delete the file")
    found = "a list" if isinstance(root, SequenceNode) else "a single value"
    message = f"the file holds {found}; a record is a mapping of the form `key: value`"
    return Fault(NOT_A_MAPPING, root.start_mark.index, message, "begin with the keys kind and id")


def _value(node: yaml.Node, faults: list[Fault]) -> Any:
    if type(node) is ScalarNode:
        if node.style:
            return node.value
        word = plain(node.value)
        return word if type(word) is not float or isfinite(word) else _endless(node, faults)
    return _mapping(node, faults) if type(node) is MappingNode else _sequence(node, faults)


def _mapping(node: yaml.Node, faults: list[Fault]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    again: list[tuple[yaml.Node, yaml.Node]] = []
    for key_node, value_node in node.value:
        key = key_node.value
        value = _value(value_node, faults)
        if not _is_text(key_node):
            faults.append(_odd_key(key_node, value_node))
        elif key in data:
            again.append((key_node, value_node))
        else:
            data[key] = value
            if value is None:
                faults.append(_missing(f"`{shown(key)}`", key_node, value_node))
    if again:
        faults += _duplicates(node, again)
    return data


def _is_text(key_node: yaml.Node) -> bool:
    key = key_node.value
    return type(key_node) is ScalarNode and (bool(key_node.style) or plain(key) is key)


def _sequence(node: yaml.Node, faults: list[Fault]) -> list[Any]:
    data: list[Any] = []
    for value_node in node.value:
        value = _value(value_node, faults)
        data.append(value)
        if value is None:
            faults.append(_missing("an item of a list", value_node, value_node))
    return data


def _endless(node: yaml.Node, faults: list[Fault]) -> Doubtful:
    message = f"`{shown(node.value)}` is not a finite number"
    hint = "write the number, or remove the key and say why in a note"
    faults.append(Fault(NOT_FINITE, node.start_mark.index, message, hint, node))
    return Doubtful(node.value, "a number that is not finite")


def _missing(name: str, place: yaml.Node, node: yaml.Node) -> Fault:
    if node.value:
        message = f"{name} has no value (`{node.value}` says that there is none)"
        hint = "remove it, or put the word in quotes if it is meant as text"
    else:
        message = f"{name} has no value"
        # libyaml puts an empty value at the end of a file on a line that is not there.
        node.start_mark = place.start_mark
        hint = "put a text that begins with # in quotes, or remove the key"
    return Fault(NO_VALUE, place.start_mark.index, message, hint, node)


def _odd_key(key_node: yaml.Node, value_node: yaml.Node) -> Fault:
    index, key = key_node.start_mark.index, key_node.value
    if not isinstance(key, str):
        message = f"a key is {'a mapping' if type(key_node) is MappingNode else 'a list'}, not text"
        return Fault(KEY, index, message, "if it begins a text, put the whole text in quotes")
    if key == "<<":
        return Fault(MERGE, index, "the merge key `<<`", "write the keys out", value_node)
    if not key:
        return Fault(KEY, index, "a key is empty", "write a key before the colon", value_node)
    word = plain(key)
    meant = word.why if isinstance(word, Doubtful) else _NAMES[type(word)]
    message = f"the key `{shown(key)}` is read as {meant}, not as text"
    return Fault(KEY, index, message, "put the key in quotes", value_node)


_NAMES = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    date: "a date",
    type(None): "no value",
}


def _duplicates(node: yaml.Node, again: list[tuple[yaml.Node, yaml.Node]]) -> Iterator[Fault]:
    first: dict[Any, yaml.Node] = {}
    for key_node, _ in node.value:
        if _is_text(key_node):
            first.setdefault(key_node.value, key_node)
    for key_node, value_node in again:
        key, mark = key_node.value, key_node.start_mark
        lines = f"lines {first[key].start_mark.line + 1} and {mark.line + 1}"
        message = f"the key `{shown(key)}` is written twice, on {lines}"
        yield Fault(DUPLICATE, mark.index, message, "keep one of them", value_node)


def _findings(faults: list[Fault], text: str, document: Document) -> list[Finding]:
    """The faults with their places, in the order of the file, each once."""
    faults = sorted(dict.fromkeys(faults), key=lambda fault: fault.index)
    if len(faults) > MOST_FINDINGS:
        message = f"{len(faults) - MOST_FINDINGS:,} more faults from here on are not listed"
        faults[MOST_FINDINGS:] = [replace(faults[MOST_FINDINGS], message=message, hint="")]
    known: dict[int, FieldPath] = {}
    if document.root is not None and any(fault.node is not None for fault in faults):
        known = paths(document.root)
    lines = Lines(text)
    return [_finding(fault, document.file, known, lines) for fault in faults]


def _finding(fault: Fault, file: str, known: dict[int, FieldPath], lines: Lines) -> Finding:
    place = lines.position(fault.index)
    path = known.get(id(fault.node), ())
    return Finding(
        code=fault.rule.code,
        severity=fault.rule.severity,
        record="",
        field=path_text(tuple(shown(step) if isinstance(step, str) else step for step in path)),
        file=file,
        line=place.line,
        column=place.column,
        message=fault.message,
        hint=fault.hint,
    )
