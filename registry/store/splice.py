"""The text of a YAML file, and splices of it that leave everything else as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import yaml

from registry.findings import FieldPath
from registry.store import style
from registry.store.nodes import every
from registry.store.parser import compose

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\r\n]*")
_COMMENT_LINE = re.compile(r"(?P<blank>[ \t]*)(?P<comment>#[^\r\n]*)?(?:\r\n|\r|\n|\Z)")
_TAIL = re.compile(r"[ \t]+#[^\r\n]*")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")


class Text:
    """A file that is YAML, without anchors and tags, as every record is."""

    def __init__(self, raw: bytes) -> None:
        self._text = raw.decode()
        root = compose(raw)
        assert root is not None
        self._root = root
        found = _LINE_BREAK.search(self._text)
        self._newline = found[0] if found else "\n"

    @property
    def raw(self) -> bytes:
        """The bytes as they are now."""
        return self._text.encode()

    def has(self, path: FieldPath) -> bool:
        """Whether there is a value at ``path``."""
        return self._find(path) is not None

    def in_brackets(self, path: FieldPath) -> bool:
        """Whether the value at ``path`` is a list or mapping in brackets."""
        node = self._find(path)
        return isinstance(node, yaml.CollectionNode) and bool(node.flow_style)

    def stands_alone(self, path: FieldPath) -> bool:
        """Whether the key at ``path`` is the only one, or shares its first line with a dash."""
        mapping = self._at(path[:-1])
        key, _ = self._pair(path)
        return len(mapping.value) == 1 or not self._begins_line(key.start_mark.index)

    def has_room(self, path: FieldPath, value: Any) -> bool:
        """Whether a list in brackets can take one more item without being written anew."""
        node = self._at(path)
        if not (self.in_brackets(path) and node.value):
            return False
        return len(self._lines_of(node)) > 1 or self._fits(node.value[-1], value)

    def append(self, path: FieldPath, value: Any) -> None:
        """Add an item at the end of a list."""
        node = self._at(path)
        last = node.value[-1]
        if not node.flow_style:
            column = self._column(node.start_mark.index)
            lines = style.item(value, column, last)
            # A list may stand as far left as its key: a comment there is about what comes next.
            least = column if column > self._outer(path) else column + 1
            place = self._with_comments(self._end(last), least)
            self._insert(place, [" " * column + lines[0], *lines[1:]])
            return
        place, text = last.end_mark.index, style.one_line(value, last)
        if self._fits(last, value):
            self._splice(place, place, f", {text}")
        else:
            start = self._line_start(last.start_mark.index)
            blank = re.match(r"[ \t]*", self._text[start:])
            assert blank is not None
            self._splice(place, place, f",{self._newline}{blank[0]}{text}")

    def insert(self, path: FieldPath, value: Any, order: Sequence[str]) -> None:
        """Add a key to a mapping, behind those that stand before it in ``order``."""
        mapping, name = self._at(path[:-1]), str(path[-1])
        rank = {key: number for number, key in enumerate(order)}
        own = rank.get(name, len(order))
        before = [pair for pair in mapping.value if rank.get(pair[0].value, -1) < own]
        first = mapping.value[0][0].start_mark.index
        column = self._column(first)
        lines = style.entry(name, value, column)
        lines[0] = " " * column + lines[0]
        if before or not self._begins_line(first):
            _, last = max(before or mapping.value[:1], key=lambda p: rank.get(p[0].value, -1))
            self._insert(self._with_comments(self._end(last), column + 1), lines)
        else:
            start = self._line_start(first)
            self._splice(start, start, self._newline.join([*lines, ""]))

    def replace(self, path: FieldPath, value: Any) -> None:
        """Give a key or a list position another value."""
        node = self._at(path)
        begin, end = node.start_mark.index, self._end(node)
        longer = None
        if not path:
            start, lines, column = begin, style.body(value, 0), 0
        elif isinstance(path[-1], int):
            start = begin = len(self._text[:begin].rstrip()) - 1
            column = self._column(start)
            lines = style.item(value, column, node)
        else:
            key, _ = self._pair(path)
            start, begin = key.start_mark.index, key.end_mark.index
            column = self._column(start)
            longer = self._longer(start, node, value)
            lines = longer or style.entry(path[-1], value, column, node)
        comments = [] if longer else self._comments(begin, node, end)
        tail = _TAIL.match(self._text, end)
        if tail is not None and len(lines) > 1:
            end = tail.end()
            comments.append(tail[0].strip())
        if end > start and self._text[end - 1] in "\r\n":  # a text that keeps its line breaks
            end = start + len(self._text[start:end].rstrip("\r\n"))
        if comments and _LINE_BREAK.search(self._text, start, end) is None:
            lines[0] += f" {comments.pop()}"
        lines += [" " * column + comment for comment in comments]
        self._splice(start, end, self._newline.join(lines))

    def remove(self, path: FieldPath) -> None:
        """Take out a key that begins a line and is not the only one; its comments stay."""
        key, node = self._pair(path)
        start, end = self._line_start(key.start_mark.index), self._end(node)
        column = self._column(key.start_mark.index)
        tail = _TAIL.match(self._text, end)
        comments = self._comments(key.end_mark.index, node, end) + (
            [tail[0].strip()] if tail else []
        )
        if not self._begins_line(end):
            end = self._line_end(end)
            found = _LINE_BREAK.match(self._text, end)
            if found is not None:
                end = found.end()
            elif not comments:  # the last line of a file without a line break at its end
                start = len(self._text[:start].removesuffix("\n").removesuffix("\r"))
        lines = [" " * column + comment for comment in comments]
        ends = self._newline if lines and _LINE_BREAK.search(self._text, end - 1, end) else ""
        self._splice(start, end, self._newline.join(lines) + ends)

    def _longer(self, start: int, node: yaml.Node, value: Any) -> list[str] | None:
        """A folded text that goes on: its lines as they stand, and what is new behind them."""
        if not (isinstance(node, yaml.ScalarNode) and node.style == ">" and isinstance(value, str)):
            return None
        *lines, last = _LINE_BREAK.split(self._text[start : self._end(node)])
        rest = value.removeprefix(f"{node.value} ")
        goes_on = rest != value and node.value.endswith(last.strip())
        if not lines or not goes_on or not style.folds(f"and {rest}"):
            return None
        return [*lines, *style.folded(rest.split(" "), len(last) - len(last.lstrip()), last)]

    def _fits(self, last: yaml.Node, value: Any) -> bool:
        """Whether an item still fits on the line of the one before it."""
        start = self._line_start(last.start_mark.index)
        text = style.one_line(value, last)
        line = self._text[start : self._line_end(last.end_mark.index)]
        comment = _TAIL.search(self._text, last.end_mark.index, start + len(line))
        used = len(line) - (len(comment[0]) if comment else 0)
        return used + len(f", {text}") <= style.WIDTH

    def _find(self, path: FieldPath) -> yaml.Node | None:
        node: yaml.Node | None = self._root
        for step in path:
            if isinstance(node, yaml.MappingNode):
                node = next((value for key, value in node.value if key.value == step), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
                node = node.value[step] if step < len(node.value) else None
            else:
                return None
        return node

    def _at(self, path: FieldPath) -> Any:
        node = self._find(path)
        assert node is not None
        return node

    def _pair(self, path: FieldPath) -> tuple[yaml.Node, yaml.Node]:
        pairs: list[tuple[yaml.Node, yaml.Node]] = self._at(path[:-1]).value
        return next(pair for pair in pairs if pair[0].value == path[-1])

    def _end(self, node: yaml.Node) -> int:
        """Where the last character of a value has been, without comments and blank lines."""
        if isinstance(node, yaml.CollectionNode) and not node.flow_style:
            last = node.value[-1]
            return self._end(last[1] if isinstance(node, yaml.MappingNode) else last)
        start, end = node.start_mark.index, node.end_mark.index
        if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
            header = _BLOCK_HEADER.match(self._text, start)
            if header is None or "+" not in header[0]:
                return start + len(self._text[start:end].rstrip())
        return int(end)

    def _outer(self, path: FieldPath) -> int:
        """The column of the key that a list stands under; -1 if it is in another list."""
        if not path or isinstance(path[-1], int):
            return -1
        key, _ = self._pair(path)
        return self._column(key.start_mark.index)

    def _with_comments(self, end: int, least: int) -> int:
        """Where the comments end that belong to what ends at ``end``: those at ``least`` or more.

        Blank lines between them belong to it too, but none behind the last.
        """
        if end and self._text[end - 1] in "\r\n":  # a text that keeps its last line breaks
            start = end
        else:
            found = _LINE_BREAK.search(self._text, end)
            if found is None:
                return end
            start = found.end()
        while match := _COMMENT_LINE.match(self._text, start):
            if match["comment"] is not None:
                if len(match["blank"]) < least:
                    break
                end = match.end("comment")
            if match.end() == start:
                break
            start = match.end()
        return end

    def _comments(self, place: int, node: yaml.Node, end: int) -> list[str]:
        """Every comment from ``place``, before a value, to its end."""
        found: list[str] = []
        leaves = [one for one in every(node) if isinstance(one, yaml.ScalarNode)]
        for leaf in sorted(leaves, key=lambda one: int(one.start_mark.index)):
            start = leaf.start_mark.index
            if leaf.style in ("|", ">"):
                start = self._line_end(start)
            found += _COMMENT.findall(self._text[place:start])
            place = max(place, self._end(leaf))
        return found + _COMMENT.findall(self._text[place:end])

    def _lines_of(self, node: yaml.Node) -> list[str]:
        return _LINE_BREAK.split(self._text[node.start_mark.index : node.end_mark.index])

    def _line_start(self, index: int) -> int:
        return max(self._text.rfind("\n", 0, index), self._text.rfind("\r", 0, index)) + 1

    def _line_end(self, index: int) -> int:
        found = _LINE_BREAK.search(self._text, index)
        return found.start() if found else len(self._text)

    def _column(self, index: int) -> int:
        return index - self._line_start(index)

    def _begins_line(self, index: int) -> bool:
        return not self._text[self._line_start(index) : index].strip()

    def _insert(self, end: int, lines: Sequence[str]) -> None:
        """Put lines behind the line on which something ends."""
        text = self._newline.join(lines)
        if end and self._text[end - 1] in "\r\n":  # a text that keeps its last line breaks
            self._splice(end, end, text + self._newline)
        else:
            place = self._line_end(end)
            self._splice(place, place, self._newline + text)

    def _splice(self, start: int, end: int, text: str) -> None:
        self._text = self._text[:start] + text + self._text[end:]
