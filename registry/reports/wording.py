"""Words and care for text that several formats share."""

from __future__ import annotations

import re

from registry.reports.interface import Report

HIDDEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters: line ends, and what steers a terminal
    "\xad\u180e\u200b\u2060-\u2064\ufeff"  # invisible
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # turn the reading direction
    "\u2028\u2029\ufff9-\ufffb"  # line and annotation separators
    "\ud800-\udfff\ufffe\uffff"  # not characters: neither UTF-8 nor XML can hold them
    "]"
)


def visible(text: str, keep: str = "") -> str:
    """Spell out the characters of a text that cannot be seen, or that would act.

    Messages quote what sources say. An escape sequence in a title must not steer the reader's
    terminal, and of two titles that differ by a zero-width space one has to show it.

    Args:
        text: One line of text.
        keep: Characters to leave as they are, for a format that escapes them itself.
    """

    def spelled(match: re.Match[str]) -> str:
        char = match[0]
        return char if char in keep else char.encode("unicode_escape").decode("ascii")

    return HIDDEN.sub(spelled, text)


def shortened(text: str, limit: int) -> str:
    """The text, or its beginning and an ellipsis if it is longer than ``limit`` characters."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def sentence(text: str) -> str:
    """The text with a full stop, unless it has an end of its own."""
    ended = text.rstrip().rstrip("\"'”’»)]").endswith((".", "!", "?", "…"))
    return text if ended else f"{text}."


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 warning``, ``2 warnings``."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def summary(report: Report) -> str:
    """The outcome on one line."""
    line = (
        f"{counted(sum(report.records.values()), 'record')} checked: "
        f"{counted(report.count('error'), 'error')}, "
        f"{counted(report.count('warning'), 'warning')}, "
        f"{counted(report.count('info'), 'note')}"
    )
    if report.unasked:
        # A source that was silent because it was down must not pass for one that agreed.
        line += f"; incomplete: {counted(len(report.unasked), 'source')} could not be asked"
    if report.base:
        line += f"; {report.base}"
    return f"{line} (strict: warnings fail)" if report.strict else line
