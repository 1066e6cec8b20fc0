"""Comments in a paper's file about a field that it has no value for, each with the command to run.

``registry add`` leaves them. They go once the field has a value.
"""

from __future__ import annotations

import re
import textwrap

from registry.store.style import WIDTH


def gap_note(field: str, text: str, command: str) -> list[str]:
    """The lines of such a comment, the command on a line of its own, so that it can be copied."""
    told = f"{field}: {text}"
    lines = textwrap.wrap(told, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in (*lines, f"  {command}")]


def without_gap_note(raw: bytes, field: str) -> bytes:
    """A file without the comment about a field; as it is, if there is none or if it was edited."""
    further = rb"(?:# (?! |[a-z_]+: ).*\n)*"
    note = rb"^# " + re.escape(field.encode()) + rb": .*\n" + further + rb"#   registry .*\n"
    return re.sub(note, b"", raw, count=1, flags=re.MULTILINE)
