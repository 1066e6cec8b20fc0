"""What can be wrong with a YAML tree that parsed: it is unsafe, or not what it looks like.

Each look at the tree is taken only if the text holds a character that could call for it; most
files hold none.
"""

from __future__ import annotations

import re
from bisect import bisect_right

import yaml

from registry.store.characters import CONTROL, INVISIBLE, character_name
from registry.store.nodes import every, parts
from registry.store.parser import MOST_LEVELS
from registry.store.rules import ALIASES, ESCAPE, TAB, TAG, Fault, shown

MOST_REPEATED = 10_000
"""Values that aliases may add to those that are written."""

_NO_TAG = "remove it; if it begins a text, put the whole text in single quotes"
_may_be_tag = re.compile(r"!(?<![0-9A-Za-z]!)")
_tag = re.compile(r"(?:&\S+(?:\s+#[^\r\n]*)*\s+)?(![^\s,\[\]{}]*)")
_tab_first = re.compile(r"(?<![^\r\n]) *(\t)[ \t]*[^\s]")
_escape = re.compile(r"\\(?:x(?P<x>..)|u(?P<u>.{4})|U(?P<U>.{8})|.)", re.DOTALL)
_command = re.compile(r"\\[A-Za-z]+")

_DAMAGE = {
    r"\0": "\0",
    r"\a": "\a",
    r"\b": "\b",
    r"\t": "\t",
    "\\\t": "\t",
    r"\v": "\v",
    r"\f": "\f",
    r"\r": "\r",
    r"\e": "\x1b",
    r"\N": "\x85",
    r"\_": "\xa0",
    r"\L": "\u2028",
    r"\P": "\u2029",
}
"""Escapes that no text of a record needs, and that commands of TeX begin with."""
# A line break can be meant, so \n is damage only where it begins one of these commands.
_TEX_WITH_N = (
    r"\\n(?:abla|atural|e|earrow|eg|eq|ewcommand|ewline|geq|icefrac|leq|mid|obreak|oindent"
    r"|olimits|onumber|orm|ormalsize|ot|otin|parallel|subseteq|u|warrow)(?![A-Za-z])"
)
_tex_with_n = re.compile(_TEX_WITH_N)
_may_be_damage = re.compile(rf"\\[0abt\tvfreN_LPxuU]|{_TEX_WITH_N}")
_not_in_text = re.compile(f"[{CONTROL}{INVISIBLE}\t\r\ud800-\udfff]")


def unsafe(root: yaml.Node, raw: bytes, text: str) -> list[Fault]:
    """What forbids making data of the tree at all: tags, and aliases that loop or explode."""
    if b"!" in raw and _may_be_tag.search(text):
        tags = _tags(root, text)
        if tags:
            return tags
    if b"*" in raw and b"&" in raw:
        return _Measure(root).faults[:1]
    return []


def damage(root: yaml.Node, raw: bytes, text: str) -> list[Fault]:
    """What does not forbid it: escapes that damage a text, and tabs as indentation.

    A damaged text is put back in the tree as it was written.
    """
    faults: list[Fault] = []
    if b"\\" in raw and _may_be_damage.search(text):
        faults += _escapes(root, text)
    if b"\t" in raw and _tab_first.search(text):
        faults += _tabs(root, text)
    return faults


def _tags(root: yaml.Node, text: str) -> list[Fault]:
    faults: dict[int, Fault] = {}
    for node in every(root):
        found = _tag.match(text, node.start_mark.index)
        if found:
            # A mapping begins where its first key does, and would repeat the tag of that key.
            index, message = found.start(1), f"`{shown(found[1])}` is a tag, and records have none"
            faults[index] = Fault(TAG, index, message, _NO_TAG, node)
    return list(faults.values())


class _Measure:
    """How many values a tree has and how deep it is, once all aliases are written out."""

    def __init__(self, root: yaml.Node) -> None:
        self.faults: list[Fault] = []
        self._known: dict[int, tuple[int, int] | None] = {}
        self._measure(root)

    def _measure(self, node: yaml.Node) -> tuple[int, int]:
        """Number of values in ``node``, itself included, and of levels inside it.

        What an alias stands for was measured before or, in a loop, is being measured. So this
        goes no deeper than brackets and indentation do.
        """
        if id(node) in self._known:
            known = self._known[id(node)]
            if known is None:
                self._refuse(node, "an alias makes this value contain itself")
            return known or (1, 0)
        self._known[id(node)] = None
        size, levels = 1, 0
        for part in parts(node):
            inner, depth = self._measure(part)
            size, levels = size + inner, max(levels, depth + 1)
        if size > len(self._known) + MOST_REPEATED:
            self._refuse(node, f"aliases make more than {MOST_REPEATED:,} values of this one")
        if levels > MOST_LEVELS:
            self._refuse(node, f"aliases nest this value more than {MOST_LEVELS} levels deep")
        self._known[id(node)] = size, levels
        return size, levels

    def _refuse(self, node: yaml.Node, message: str) -> None:
        self.faults.append(
            Fault(ALIASES, node.start_mark.index, message, "write the values out", node)
        )


def _escapes(root: yaml.Node, text: str) -> list[Fault]:
    faults: list[Fault] = []
    for node in every(root):
        if isinstance(node, yaml.ScalarNode) and node.style == '"':
            start, end = node.start_mark.index, node.end_mark.index
            for found in _escape.finditer(text, start, end):
                made = _damage_of(found, text)
                if made:
                    faults.append(_escape_fault(found, made, text, node))
                    node.value = text[text.index('"', start) + 1 : end - 1]
                    break
    return faults


def _damage_of(escape: re.Match[str], text: str) -> str:
    """The character that an escape puts into the text, or nothing if it is one that belongs."""
    code = escape["x"] or escape["u"] or escape["U"]
    if code:
        character = chr(int(code, 16))
        return character if _not_in_text.match(character) else ""
    if escape[0] == r"\n":
        return "\n" if _tex_with_n.match(text, escape.start()) else ""
    return _DAMAGE.get(escape[0], "")


def _escape_fault(escape: re.Match[str], made: str, text: str, node: yaml.Node) -> Fault:
    command = _command.match(text, escape.start())
    written = shown(escape[0])
    if command and len(command[0]) > len(escape[0]):
        written += f"` of `{shown(command[0])}"
    message = f"in double quotes, `{written}` is read as {character_name(made)}"
    hint = "use single quotes, in which a backslash is a backslash"
    return Fault(ESCAPE, escape.start(), message, hint, node)


def _tabs(root: yaml.Node, text: str) -> list[Fault]:
    """Tabs at the start of lines, except in blocks of text, where they belong to the text."""
    blocks = sorted(
        (node.start_mark.index, node.end_mark.index)
        for node in every(root)
        if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
    )
    faults: list[Fault] = []
    for found in _tab_first.finditer(text):
        index = found.start(1)
        block = bisect_right(blocks, (index, len(text))) - 1
        if block < 0 or index >= blocks[block][1]:
            hint = "replace the tab with spaces"
            faults.append(Fault(TAB, index, "a tab indents this line", hint))
    return faults
