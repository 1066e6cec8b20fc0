"""Hides a name: puts a stand-in in its place in the author lines of a paper and its evidence.

Only an author's whole name is replaced, and only where it is one: never a word of an id, an address
or a sentence. Only the characters of the name change, so that the rest of each file stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from registry.equality.bibtex_names import Name, parse_name
from registry.errors import EditError, RegistryError, UnreadableError
from registry.history.former_names import (
    Hiding,
    StandIn,
    entry,
    hidden_authors,
    hiding,
    person,
    stand_ins,
    written,
)
from registry.history.sameness import same
from registry.store.reader import read
from registry.store.root import read_bytes
from registry.store.write import replace, unwritable


@dataclass(frozen=True, slots=True)
class Edit:
    """A file with the name and without it."""

    key: str
    """``kind/id`` of the record."""
    file: str
    """The file, from the registry's root."""
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Plan:
    """What hiding a name changes, and what it leaves."""

    edits: tuple[Edit, ...]
    left: tuple[str, ...]
    """Where the name still stands in a text, as ``file:line``."""


def plan(
    root: Path, files: Mapping[str, str], spellings: Sequence[str], day: str, salt: str
) -> Plan:
    """The files with a name in their author lines, each with the stand-in in its place.

    Args:
        root: The registry's root.
        files: The files to look in, from the root, by ``kind/id``.
        spellings: The whole name as it is printed, ``Given Family`` or ``Family, Given``, and the
            other ways in which it is written, such as with initials.
        day: The day on which it is hidden.
        salt: 16 random hexadecimal digits.

    Raises:
        EditError: there is no name, no author has it, or it cannot be replaced where it stands.
        UnreadableError: a file cannot be read.
    """
    hint = "write the whole name as the record has it, such as `Ada Example`"
    wanted = [parse_name(spelling) for spelling in spellings]
    if not wanted or not all(any(map(str.isalnum, str(name))) for name in wanted):
        raise EditError("there is no name to hide: the line is empty", hint)
    held = {file: read_bytes(str(root / file)) for file in files.values()}
    begun = _begun(held, wanted)
    stand_in = begun or StandIn.of(wanted, day, salt)
    names: Hiding = dict.fromkeys(wanted, stand_in)
    alone: dict[Name, Hiding] = {name: {name: StandIn.of([name], day, salt)} for name in wanted}
    edits: list[Edit] = []
    left: set[tuple[str, int]] = set()
    met: set[Name] = set()
    for key, file in files.items():
        before = held[file]
        after = _without(before, file, names)
        if after != before:
            edits.append(Edit(key, file, before, after))
        met |= {name for name, one in alone.items() if _without(before, file, one) != before}
        text = after.decode("utf-8", "replace")
        for match in (one for name in wanted for one in written(name).finditer(text)):
            left.add((file, text.count("\n", 0, match.start()) + 1))
    for number, name in enumerate(wanted, 1):
        if name not in met and not (begun and edits):
            where = "the author lines of the record nor of its evidence"
            which = f"the name on line {number}" if len(wanted) > 1 else "that name"
            raise EditError(f"{which} stands neither in {where}", hint)
    return Plan(tuple(edits), tuple(f"{file}:{line}" for file, line in sorted(left)))


def apply(root: Path, edits: tuple[Edit, ...]) -> None:
    """Write all of the files, or none.

    Raises:
        ChangedError: one of them was changed meanwhile.
        UnreadableError: one cannot be written; the message names those that could not be put back.
    """
    done: list[Edit] = []
    try:
        for edit in edits:
            _write(root / edit.file, edit.before, edit.after)
            done.append(edit)
    except BaseException as error:
        left = [edit.file for edit in reversed(done) if not _put_back(root, edit)]
        if left and isinstance(error, RegistryError):
            message = f"{error.message}; the name is hidden in {', '.join(left)} alone"
            hint = "mend that, and run the command once more, which goes on from there"
            raise UnreadableError(message, hint) from error
        raise


def _write(path: Path, before: bytes, after: bytes) -> None:
    try:
        replace(path, after, expected=before)
    except OSError as error:
        raise unwritable(path, error) from error


def _put_back(root: Path, edit: Edit) -> bool:
    try:
        _write(root / edit.file, edit.after, edit.before)
    except RegistryError:
        return False
    return True


def _begun(held: Mapping[str, bytes], wanted: Sequence[Name]) -> StandIn | None:
    """The stand-in of a hiding that was cut short; another one could not be told to mean the same.

    Where all of it was done, the name is nowhere left, and nothing comes of this.
    """
    known = stand_ins([read(raw, file).data for file, raw in held.items()])
    fitting = (one for one in known if all(map(one.stands_for, wanted)))
    return min(fitting, key=str, default=None)


def _without(raw: bytes, file: str, names: Hiding) -> bytes:
    document = read(raw, file)
    if document.data is None or document.root is None:
        return raw
    # A name in another case, or broken over lines, is the same name.
    held = {**hiding(names.values(), [document.data]), **names}
    wanted = hidden_authors(document.data, held)
    if same(wanted, document.data):
        return raw
    text = raw.decode("utf-8")
    for start, end, stand_in in sorted(_places(document.root, text, held), reverse=True):
        text = text[:start] + stand_in + text[end:]
    after = text.encode()
    if not same(read(after, file).data, wanted):
        hint = "hide it by hand as CONTRIBUTING.md shows, and run `registry verify --base` after"
        raise EditError(f"{file} writes the name in a way that cannot be replaced", hint)
    return after


Place = tuple[int, int, str]
"""Where something begins and ends in a text, and what takes its place."""


def _places(root: yaml.Node, text: str, names: Hiding) -> Iterator[Place]:
    """Where in the text what has to be replaced by what."""
    for node in _at(root, "authors", "assertions", _ANY, ("value", "supersedes"), _ANY):
        name = _person(node)
        if isinstance(node, yaml.MappingNode) and name is not None and name in names:
            yield node.start_mark.index, _end(node), f'{{literal: "{names[name]}"}}'
    for node in _at(root, "observation", "authors", _ANY):
        name = entry(node.value)
        if name is not None and name in names:
            yield node.start_mark.index, node.end_mark.index, f'"{{{names[name]}}}"'
    for steps in (("decision",), ("past_decisions", _ANY)):
        for node in _at(root, "authors", *steps, "overruled", _ANY, "value"):
            for wanted, stand_in in names.items():
                for match in written(wanted).finditer(
                    text, node.start_mark.index, node.end_mark.index
                ):
                    yield *match.span(), str(stand_in)


_ANY = "*"
"""Every item of a list."""


def _at(node: yaml.Node, *steps: str | tuple[str, ...]) -> Iterator[yaml.Node]:
    """The nodes at a path; a step is a key, several keys, or any item."""
    if not steps:
        yield node
    elif steps[0] == _ANY:
        for item in node.value if isinstance(node, yaml.SequenceNode) else ():
            yield from _at(item, *steps[1:])
    elif isinstance(node, yaml.MappingNode):
        wanted = steps[0] if isinstance(steps[0], tuple) else (steps[0],)
        for key, value in node.value:
            if key.value in wanted:
                yield from _at(value, *steps[1:])


def _person(node: yaml.Node) -> Name | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return person({key.value: value.value for key, value in node.value})


def _end(node: yaml.MappingNode) -> int:
    """Where the last value ends; a mapping in lines of its own only ends at what follows it."""
    if node.flow_style:
        return int(node.end_mark.index)
    return int(node.value[-1][1].end_mark.index)
