"""Hides a name: puts a stand-in in its place in the record of a paper and the evidence about it.

Only the characters of the name are replaced, so that the rest of each file stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from registry.equality.bibtex_names import Name, parse_name
from registry.errors import EditError
from registry.history.former_names import Hiding, StandIn, hidden, hiding, written
from registry.history.sameness import same
from registry.store.reader import read
from registry.store.root import read_bytes
from registry.store.write import replace


@dataclass(frozen=True, slots=True)
class Edit:
    """A file with the name and without it."""

    path: Path
    before: bytes
    after: bytes


def edits(root: Path, files: list[str], name: str, day: str, salt: str) -> list[Edit]:
    """The files in which ``name`` stands, each with the stand-in in its place.

    Args:
        root: The registry's root.
        files: The files to look in, from the root.
        name: The name as it is printed; either ``Given Family`` or ``Family, Given``.
        day: The day on which it is hidden.
        salt: 16 random hexadecimal digits.

    Raises:
        EditError: the name stands in none of them, or somewhere it cannot be replaced.
        UnreadableError: a file cannot be read.
    """
    wanted = parse_name(name)
    names: Hiding = {wanted: StandIn.of(wanted, day, salt)}
    found = [edit for file in files if (edit := _edit(root / file, file, names)) is not None]
    if not found:
        hint = "write it as the record has it, such as `Ada Example`"
        raise EditError("that name stands neither in the record nor in its evidence", hint)
    return found


def apply(found: list[Edit]) -> None:
    """Write the files.

    Raises:
        ChangedError: one of them was changed meanwhile.
        OSError: one cannot be written.
    """
    for edit in found:
        replace(edit.path, edit.after, expected=edit.before)


def _edit(path: Path, file: str, names: Hiding) -> Edit | None:
    raw = read_bytes(str(path))
    document = read(raw, file)
    if document.data is None or document.root is None:
        return None
    # A name in another case, or broken over lines, is the same name.
    held = {**hiding(names.values(), [document.data]), **names}
    wanted = hidden(document.data, held)
    if same(wanted, document.data):
        return None
    text = raw.decode("utf-8")
    for start, end, stand_in in sorted(_places(document.root, text, held, ""), reverse=True):
        text = text[:start] + stand_in + text[end:]
    after = text.encode()
    if not same(read(after, file).data, wanted):
        hint = "hide it by hand as CONTRIBUTING.md shows, and run `registry verify --base` after"
        raise EditError(f"{file} writes the name in a way that cannot be replaced", hint)
    return Edit(path, raw, after)


def _places(node: yaml.Node, text: str, names: Hiding, key: str) -> Iterator[tuple[int, int, str]]:
    """Where in the text what has to be replaced by what."""
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.MappingNode):
        person = _person(node)
        if person is not None and person in names:
            yield start, _end(node), f'{{literal: "{names[person]}"}}'
            return
        for key_node, value_node in node.value:
            yield from _places(value_node, text, names, str(key_node.value))
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            named = key == "authors" and isinstance(item, yaml.ScalarNode)
            if named and (entry := parse_name(item.value)) in names:
                yield item.start_mark.index, item.end_mark.index, f'"{{{names[entry]}}}"'
            else:
                yield from _places(item, text, names, "")
    else:
        for name, stand_in in names.items():
            for match in written(name).finditer(text, start, end):
                yield *match.span(), str(stand_in)


def _person(node: yaml.MappingNode) -> Name | None:
    found: dict[str, Any] = {key.value: value.value for key, value in node.value}
    keys = ("given", "particle", "family", "suffix")
    if not all(isinstance(found.get(key, ""), str) for key in keys) or "family" not in found:
        return None
    return Name(*(found.get(key, "") for key in keys))


def _end(node: yaml.MappingNode) -> int:
    """Where the last value ends; a mapping in lines of its own only ends at what follows it."""
    if node.flow_style:
        return int(node.end_mark.index)
    return int(node.value[-1][1].end_mark.index)
