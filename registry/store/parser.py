"""From the bytes of a file to a tree of YAML nodes.

The parser is libyaml's if PyYAML was built with it, and PyYAML's own otherwise. Neither resolves
anything here: tags are not looked at, and nothing but nodes is made.
"""

from __future__ import annotations

import yaml
from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

MOST_LEVELS = 32
"""Mappings and lists that a value may stand in, one inside the other."""


class TooDeepError(Exception):
    """A value stands in too many others; parsing was given up."""

    def __init__(self, node: yaml.Node) -> None:
        super().__init__(node)
        self.node = node
        """The innermost mapping or list that was looked into."""


class _Levels:
    """What both parsers call while they build nodes.

    They build them recursively, and libyaml's does so in C without a limit. Counting levels keeps
    a file of a hundred thousand brackets from overflowing the stack.
    """

    depth: int

    def descend_resolver(self, parent: yaml.Node | None, index: object) -> None:
        self.depth = depth = self.depth + 1
        if depth > MOST_LEVELS + 1 and parent is not None:
            raise TooDeepError(parent)

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def resolve(self, kind: object, value: object, implicit: object) -> str:
        return ""


class PythonParser(_Levels, Reader, Scanner, Parser, Composer):
    """The parser for where libyaml is missing."""

    def __init__(self, raw: bytes) -> None:
        Reader.__init__(self, raw)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        self.depth = 0

    def get_single_node(self) -> yaml.Node | None:
        """The root of the only document, or None if there is none."""
        try:
            return super().get_single_node()
        except (ValueError, OverflowError):
            # The scanner hands any number of an escape to chr().
            problem = "found invalid Unicode character escape code"
            raise ScannerError(None, None, problem, self.get_mark()) from None


try:
    from yaml._yaml import CParser
except ImportError:
    FastestParser: type[PythonParser | LibyamlParser] = PythonParser
else:

    class LibyamlParser(_Levels, CParser):
        """The fast parser."""

        __slots__ = ("depth",)

        def __init__(self, raw: bytes) -> None:
            super().__init__(raw)
            self.depth = 0

    FastestParser = LibyamlParser


def compose(raw: bytes) -> yaml.Node | None:
    """The root node of the only document in ``raw``, or None if there is none.

    Raises:
        yaml.YAMLError: it is not YAML, or more than one document.
        TooDeepError: a value stands in more than ``MOST_LEVELS`` others.
    """
    return FastestParser(raw).get_single_node()
