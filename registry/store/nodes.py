"""Walks over a tree of YAML nodes, in which aliases may repeat a node or even close a loop."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from registry.findings import FieldPath
from registry.store.characters import Lines


def parts(node: yaml.Node) -> list[yaml.Node]:
    """The nodes that stand directly in ``node``: keys and values, or items."""
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def every(root: yaml.Node) -> Iterator[yaml.Node]:
    """``root`` and each node inside it once, however often aliases repeat it."""
    waiting, seen = [root], {id(root)}
    while waiting:
        node = waiting.pop()
        yield node
        for part in parts(node):
            if id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)


def paths(root: yaml.Node) -> dict[int, FieldPath]:
    """The path of each value by the ``id`` of its node; of a repeated one, the first path."""
    found: dict[int, FieldPath] = {}

    def visit(node: yaml.Node, path: FieldPath) -> None:
        if id(node) in found:
            return
        found[id(node)] = path
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = (*path, key.value) if isinstance(key, yaml.ScalarNode) else path
                found.setdefault(id(key), inner)
                visit(value, inner)
        elif isinstance(node, yaml.SequenceNode):
            for position, value in enumerate(node.value):
                visit(value, (*path, position))

    visit(root, ())
    return found


def recount(root: yaml.Node, lines: Lines) -> None:
    """Give all nodes the lines and columns that editors show, where YAML counts differently."""
    for node in every(root):
        node.start_mark = _recounted(node.start_mark, lines)
        node.end_mark = _recounted(node.end_mark, lines)


def _recounted(mark: yaml.Mark, lines: Lines) -> yaml.Mark:
    place = lines.position(mark.index)
    return yaml.Mark("", mark.index, place.line - 1, place.column - 1, None, 0)
