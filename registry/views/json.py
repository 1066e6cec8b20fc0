"""JSON for programs. The shape is stable; a change to it raises ``SCHEMA_VERSION``.

::

    schema_version  integer, raised whenever a key is removed or changes its meaning
    program         version of this program
    key, file       the record as kind/id, and its file from the registry's root
    findings        what is wrong with the file on its own: list of code, severity, record, field,
                    file, line, column, message, hint
    record          the record as its file has it; null if the file holds no usable record
    matrix          verdicts as in the JSON of ``registry verify``; null without tracked fields
    neighbours      kind/id to record, for every record that this one refers to; for a paper also
                    its claims, methods, engines, evidence and benchmarks; null for a reference
                    that leads nowhere
    referred_by     list of: record, field

With the history, two keys take the place of the last four::

    withdrawn       why and when the record was withdrawn; null if it counts
    fields          list of: field, status, contested_because, decision, past_decisions, assertions

Assertions are ordered by day. Each is as its file has it, with a list of id and record as evidence.
Days are text, and all text is ASCII, so that it survives every terminal, pipe and editor.
"""

from __future__ import annotations

import json

from registry.views.collect import Broken, Subject
from registry.views.document import document_of


def render(found: Subject | Broken, *, with_history: bool = False) -> str:
    """What was found as one JSON object."""
    return json.dumps(document_of(found, with_history=with_history), indent=2) + "\n"
