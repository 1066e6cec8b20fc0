"""What to mend in a file that does not parse.

Parsers name what they stumbled over in terms of a grammar ("mapping values are not allowed in this
context"), libyaml and PyYAML in different words, and mostly at the place where they noticed. The
table at the end of this module turns that into what a person did and what to do instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import yaml

from registry.findings import Rule
from registry.store.parser import MOST_LEVELS, TooDeepError
from registry.store.rules import (
    ESCAPE,
    QUOTES,
    SECOND,
    SYNTAX,
    TAB,
    TAG,
    TOO_DEEP,
    Fault,
    shown,
)

_Advice: TypeAlias = Callable[[str, int, int], Fault]
"""Text, where the broken thing begins, where it broke (both in characters) to a fault."""

_IN_QUOTES = "put the whole text in single quotes (a single quote inside it is written twice)"
_LOOK = "look for a quote or bracket that is not closed, and for indentation that does not fit"
_word = re.compile(r"[^\s,\[\]{}]*")
_escape_word = re.compile(r"\\\w*")
_value_start = re.compile(r"""\s*(?:[-?]\s+)*(?:(?!["'])[^:]*:\s+|"[^"]*"\s*:\s+)?(?=["'\[{])""")
_rest_is_blank = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_colon_before = re.compile(r":\s+\S")


def fault_of(error: yaml.YAMLError | TooDeepError, text: str) -> Fault:
    """The fault in ``text`` that made the parser raise ``error``."""
    if isinstance(error, TooDeepError):
        return _too_deep(text, error.node.start_mark.index, 0)
    words, begin, at = str(error), 0, 0
    if isinstance(error, yaml.MarkedYAMLError):
        words = f"{error.context or ''}: {error.problem or ''}".removeprefix(": ")
        where = error.problem_mark or error.context_mark
        at = min(where.index, len(text)) if where else 0
        begin = error.context_mark.index if error.context_mark else at
    for pattern, advise in _ADVICE:
        if re.search(pattern, words):
            return advise(text, begin, at)
    return Fault(SYNTAX, at, shown(f"this is not valid YAML ({words})", 200), _LOOK)


def _line_start(text: str, index: int) -> int:
    return max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1


def _here(rule: Rule, message: str, hint: str) -> _Advice:
    """Advice about the place where the parser stopped."""

    def advise(text: str, begin: int, at: int) -> Fault:
        found = _word.match(text, at)
        words = {"here": shown(text[at : at + 1]), "word": shown(found[0] if found else "")}
        return Fault(rule, at, message.format_map(words), hint)

    return advise


def _opening(rule: Rule, message: str, hint: str) -> _Advice:
    """Advice about the place where the thing begins that the parser could not read to its end."""
    here = _here(rule, message, hint)
    return lambda text, begin, at: here(text, begin, begin)


def _too_deep(text: str, begin: int, at: int) -> Fault:
    message = f"values are nested more than {MOST_LEVELS} levels deep"
    return Fault(TOO_DEEP, begin, message, "remove the levels that are not meant")


def _first_character(text: str, begin: int, at: int) -> Fault:
    here = text[at : at + 1]
    if here == "\t":
        return Fault(TAB, at, "a tab where only spaces can stand", "replace the tab with spaces")
    if not text[at:].strip():
        opened = max(text.rfind("[", 0, at), text.rfind("{", 0, at), 0)
        message = f"the `{text[opened : opened + 1]}` that opens here is not closed"
        return Fault(SYNTAX, opened, message, "close it; if it belongs to the text, quote the text")
    name = "a backtick" if here == "`" else f"`{here}`"
    return Fault(QUOTES, at, f"text without quotes cannot begin with {name}", _IN_QUOTES)


def _colon(text: str, begin: int, at: int) -> Fault:
    start = _line_start(text, at)
    before = text[start:at]
    if _colon_before.search(before):
        where = "at the end of" if _rest_is_blank.match(text, at + 1) else "followed by a space in"
        return Fault(QUOTES, at, f"a colon {where} text without quotes", _IN_QUOTES)
    key = before.strip()
    message = f"the key `{shown(key)}` stands inside the text that begins above it"
    hint = f"indent it like the keys above; if it belongs to the text, {_IN_QUOTES}"
    return Fault(SYNTAX, start + len(before) - len(before.lstrip()), message, hint)


def _escape(text: str, begin: int, at: int) -> Fault:
    index = max(text.rfind("\\", 0, at + 1), 0)
    found = _escape_word.match(text, index)
    message = f"`{shown(found[0] if found else '')}` in double quotes is no escape that YAML knows"
    return Fault(ESCAPE, index, message, "use single quotes, in which a backslash is a backslash")


def _in_brackets(text: str, begin: int, at: int) -> Fault:
    bracket, stranger = text[begin : begin + 1], shown(text[at : at + 1]) or "this"
    if _line_start(text, at) > begin or not text[at:].strip():
        message = f"the `{bracket}` that opens here is not closed, or a comma after it is missing"
        return Fault(SYNTAX, begin, message, "close it, and write a comma between two items")
    message = f"`{stranger}` cannot stand here: after `{bracket}`, commas separate the items"
    hint = "write a comma, or put text with : , [ ] { } or quotes inside it in single quotes"
    return Fault(SYNTAX, at, message, hint)


def _after_value(text: str, begin: int, at: int) -> Fault:
    start = _line_start(text, at)
    before = text[start:at].rstrip()
    if before.endswith(("]", "}", '"', "'")):
        value = _value_start.match(text, start, at)
        message = f"text goes on after the closing `{before[-1]}`"
        return Fault(QUOTES, value.end() if value else at, message, _IN_QUOTES)
    if before.strip("-? "):
        return Fault(SYNTAX, at, "text goes on where the value has ended", _IN_QUOTES)
    message = "this line does not go with the lines above it"
    hint = "indent it like the line it belongs to, and do not mix keys with items that begin with -"
    return Fault(SYNTAX, at, message, hint)


_ADVICE: tuple[tuple[str, _Advice], ...] = (
    ("exceeded maximum", _too_deep),
    ("mapping values are not allowed", _colon),
    ("cannot start any token|tab character|violates in", _first_character),
    ("expected (the )?node content", _first_character),
    ("escape|hexdecimal", _escape),
    ("parsing a flow", _in_brackets),
    ("expected key|<block end>|'-' indicator", _after_value),
    (
        "undefined alias",
        _here(QUOTES, "`{word}` refers to a value marked with `&`, and there is none", _IN_QUOTES),
    ),
    (
        "scanning an (alias|anchor)",
        _opening(QUOTES, "text without quotes cannot begin with `{here}`", _IN_QUOTES),
    ),
    (
        "duplicate anchor",
        _here(SYNTAX, "the name `{word}` is given to two values", "give one of them another name"),
    ),
    (
        "(scanning|parsing) a tag|tag handle",
        _opening(
            TAG,
            "`{word}` is a tag, and records have none",
            "remove it; if it begins a text, put the whole text in single quotes",
        ),
    ),
    (
        "quoted scalar",
        _opening(
            SYNTAX,
            "the quote that opens here is never closed",
            "close it; inside single quotes, a single quote is written twice",
        ),
    ),
    (
        "block scalar",
        _opening(QUOTES, "after `{here}` the text begins on a line of its own", _IN_QUOTES),
    ),
    (
        "(sequence entries|mapping keys) are not allowed",
        _here(
            QUOTES,
            "`{here}` followed by a space begins an item, and none can stand here",
            f"begin each item on a line of its own; if it belongs to the text, {_IN_QUOTES}",
        ),
    ),
    (
        "expected ':'",
        _opening(
            SYNTAX,
            "this line is not `key: value`",
            "write a colon and a space after the key; indent a line that continues a text",
        ),
    ),
    (
        "another document",
        _here(
            SECOND,
            "a second document begins here; a file holds one record",
            "give each record a file of its own, or remove the line ---",
        ),
    ),
    (
        "<document start>",
        _here(SYNTAX, "text goes on after the end of the record", f"remove it, or {_IN_QUOTES}"),
    ),
    (
        "directive",
        _opening(QUOTES, "a line cannot begin with `{here}`", _IN_QUOTES),
    ),
    (
        "incompatible YAML",
        _here(SYNTAX, "`{word}` asks for a YAML that is not known", "remove this line"),
    ),
)
