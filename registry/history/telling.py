"""What changed, as text for a terminal, JSON for programs and Markdown for a pull request.

JSON: ``schema_version``, ``program``, ``compared`` (both states in words) and ``records``, a list
of record, label, state, was, notes and fields; each field has field, before, after and notes.
``before`` and ``after`` are null where the value to use is the same or there is none. All text is
ASCII.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from registry._version import __version__
from registry.history.meaning import RecordChange, State
from registry.reports.markdown import ENDING, LIMIT, escape
from registry.reports.wording import counted, shortened, visible

SCHEMA_VERSION = 1
NOTHING = "Nothing changed in meaning."

_LONGEST = 400
"""Characters of one value at a terminal."""
_SIGNS = {
    "added": "+",
    "gone": "-",
    "renamed": "~",
    "withdrawn": "x",
    "unreadable": "?",
    "changed": " ",
}
_IN_WORDS = {
    "added": "new",
    "gone": "gone",
    "withdrawn": "withdrawn",
    "unreadable": "unreadable",
    "changed": "",
}


def as_text(changes: Sequence[RecordChange]) -> str:
    """One block for each record that means something else, then those that came and went."""
    lines: list[str] = []
    for change in sorted(changes, key=lambda one: not one.fields):
        head = f"{_SIGNS[change.state]} {change.record}  {change.label}".rstrip()
        words = _words(change)
        lines.append(_line(f"{head}  ({words})" if words else head))
        lines += [_line(f"    {note}") for note in change.notes]
        width = max((len(one.field) for one in change.fields), default=0)
        lines += [_line(f"    {one.field:<{width}}  {one}") for one in change.fields]
    return "".join(f"{line}\n" for line in (*lines, _summary(changes)))


def as_json(changes: Sequence[RecordChange], compared: str) -> str:
    """Everything, as one object."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "program": __version__,
        "compared": compared,
        "records": msgspec.to_builtins(list(changes)),
    }
    return json.dumps(document, indent=2) + "\n"


def as_markdown(changes: Sequence[RecordChange], compared: str) -> str:
    """A table of fields and a list of records, as much as one comment holds."""
    parts = [
        "### What changed in meaning\n\n",
        f"{escape(compared)}: {escape(_summary(changes))}\n",
    ]
    head = "\n| Record | Field | Before | After | Also |\n| --- | --- | --- | --- | --- |\n"
    rows = [
        "| "
        + " | ".join(
            escape(cell)
            for cell in (
                change.record,
                one.field,
                one.before or "",
                one.after or "",
                ", ".join(one.notes),
            )
        )
        + " |\n"
        for change in changes
        for one in change.fields
    ]
    others = [
        f"- {escape(change.record)} {escape(', '.join(_said(change)))}\n"
        for change in changes
        if change.notes or change.state != "changed"
    ]
    room = LIMIT - ENDING - sum(map(len, parts))
    left = 0
    for opening, lines in ((head, rows), ("\n", others)):
        for number, line in enumerate(lines):
            text = line if number else opening + line
            if len(text) > room:
                left += 1
                continue
            parts.append(text)
            room -= len(text)
    if left:
        parts.append(f"\nLeft out, because a comment holds no more: {counted(left, 'line')}.\n")
    return "".join(parts)


def _said(change: RecordChange) -> Iterator[str]:
    return filter(None, (_words(change), *change.notes))


def _words(change: RecordChange) -> str:
    return f"was {change.was}" if change.was else _IN_WORDS.get(change.state, "")


def _line(text: str) -> str:
    return visible(shortened(" ".join(text.splitlines()), _LONGEST))


def _summary(changes: Sequence[RecordChange]) -> str:
    if not changes:
        return NOTHING
    counts = Counter(change.state for change in changes)
    told = [f"{counts[state]} {word}" for state, word in _STATES if counts[state]]
    return f"{counted(len(changes), 'record')}: {', '.join(told)}."


_STATES: tuple[tuple[State, str], ...] = (
    ("changed", "changed"),
    ("added", "new"),
    ("withdrawn", "withdrawn"),
    ("renamed", "renamed"),
    ("gone", "gone"),
    ("unreadable", "unreadable"),
)
