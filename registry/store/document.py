"""A YAML file that was read: its plain data, and where each value stands in the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

from registry.findings import START, FieldPath, Finding, Position


@dataclass(slots=True)
class Document:
    """The outcome of reading one file. Reading never raises for what a file holds."""

    file: str
    """Path from the registry's root, with forward slashes."""
    digest: str
    """SHA-256 of the bytes."""
    data: dict[str, Any] | None
    """Plain data (text, numbers, booleans, dates, lists, mappings), or None if unreadable.

    A word that readers of YAML disagree on is a ``Doubtful``, a missing value None; no field of a
    record accepts either.
    """
    findings: list[Finding] = field(default_factory=list)
    """What is wrong with the file as YAML."""
    root: yaml.Node | None = None
    """The node tree that positions are looked up in."""

    def _node(self, path: FieldPath) -> tuple[yaml.Node | None, yaml.Node | None]:
        """The value node at ``path`` and its key node; steps the data does not have are skipped."""
        node, key = self.root, None
        for step in path:
            if isinstance(node, yaml.MappingNode):
                for key_node, value_node in node.value:
                    if key_node.value == step:
                        node, key = value_node, key_node
                        break
            elif (
                isinstance(node, yaml.SequenceNode)
                and isinstance(step, int)
                and 0 <= step < len(node.value)
            ):
                node, key = node.value[step], None
        return node, key

    def locate(self, path: FieldPath, *, key: bool = False) -> Position:
        """Position of the value at ``path``, or of its key; the nearest parent if it is absent."""
        value_node, key_node = self._node(path)
        node = key_node if key and key_node is not None else value_node
        if node is None:
            return START
        return Position(node.start_mark.line + 1, node.start_mark.column + 1)

    def source(self, path: FieldPath) -> str:
        """The characters of the scalar at ``path`` as they stand in the file, without quotes."""
        node, _ = self._node(path)
        return node.value if isinstance(node, yaml.ScalarNode) else ""
