"""A life as text for a terminal and as JSON for programs.

JSON: ``schema_version``, ``program``, ``record``, ``field`` (empty for all) and ``events``, a list
of day, told_by (``record`` or ``git``), what, by, commit and details, in order. All text is ASCII.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from textwrap import wrap

import msgspec

from registry._version import __version__
from registry.history.life import Event
from registry.reports.terminal import WIDTH
from registry.reports.wording import visible

SCHEMA_VERSION = 1
_INDENT = 20
_LEAST = 24
"""Columns that a text keeps, however narrow the terminal."""


def as_text(events: Sequence[Event], width: int = WIDTH) -> str:
    """One block for each event, with its day and who tells it."""
    return "".join(f"{line}\n" for event in events for line in _lines(event, width))


def _lines(event: Event, width: int) -> Iterator[str]:
    told = f"commit {event.commit}" if event.commit else event.told_by
    head = f"{event.day or 'now':<12}{told}  "
    by = f", by {event.by}" if event.by else ""
    yield from _wrapped(head, f"{event.what}{by}", width)
    for detail in event.details:
        yield from _wrapped(" " * _INDENT, detail, width)


def _wrapped(head: str, text: str, width: int) -> list[str]:
    return wrap(
        visible(" ".join(text.split())),
        max(width, _INDENT + _LEAST),
        initial_indent=head,
        subsequent_indent=" " * (_INDENT + 2),
        break_on_hyphens=False,
        break_long_words=False,
    )


def as_json(events: Sequence[Event], record: str, field: str) -> str:
    """Everything, as one object."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "program": __version__,
        "record": record,
        "field": field,
        "events": msgspec.to_builtins(list(events)),
    }
    return json.dumps(document, indent=2) + "\n"
