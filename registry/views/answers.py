"""What several sources say about one paper, side by side."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, get_args

from registry.records.evidence import FieldName
from registry.reports.wording import visible
from registry.sources.interface import Answer, Query
from registry.store.wording import as_text as value_text

_WIDTH = 16


def as_text(query: Query, answers: Sequence[Answer], asked: Sequence[str]) -> str:
    """Each field with every value that was given and by whom, and who said nothing and why."""
    return "\n".join(_lines(query, answers, asked)) + "\n"


def as_json(query: Query, answers: Sequence[Answer], asked: Sequence[str]) -> str:
    """The answers as JSON, one for each source that was asked."""
    told: list[dict[str, Any]] = [
        {
            "source": answer.source,
            "outcome": answer.outcome,
            "reason": answer.reason,
            "observation": answer.observed,
            "silent_on": list(answer.silent_on),
            "status": answer.status,
            "notes": list(answer.notes),
            "locator": answer.locator,
            "url": answer.url,
            "version": answer.version,
            "sha256": answer.sha256,
        }
        for answer in sorted(answers, key=lambda answer: answer.source)
    ]
    heard = {answer.source for answer in answers}
    unasked = [name for name in asked if name not in heard]
    content = {"asked_about": query.record, "answers": told, "not_asked": unasked}
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def _lines(query: Query, answers: Sequence[Answer], asked: Sequence[str]) -> list[str]:
    lines = [f"{query.record}, as the sources have it", ""]
    for field in get_args(FieldName):
        said: dict[str, list[str]] = defaultdict(list)
        for answer in answers:
            if field in answer.observation:
                said[value_text(answer.observed[field])].append(answer.source)
            elif field in answer.silent_on:
                said["–"].append(answer.source)
        values = sorted(said.items(), key=lambda item: (item[0] == "–", -len(item[1]), item[0]))
        for number, (value, sources) in enumerate(values):
            name = field if number == 0 else ""
            lines.append(f"{name:<{_WIDTH}}{visible(value)}  [{', '.join(sorted(sources))}]")
    heard = {answer.source for answer in answers}
    lines.append("")
    for answer in sorted(answers, key=lambda answer: answer.source):
        if answer.outcome == "no-such-record":
            lines.append(f"{answer.source}: knows no such paper")
        elif answer.outcome == "could-not-ask":
            lines.append(f"{answer.source}: could not be asked ({visible(answer.reason)})")
        if answer.status != "active":
            lines.append(f"{answer.source}: {answer.status.upper()}")
        lines += [f"{answer.source}: {visible(note)}" for note in answer.notes]
    unasked = [name for name in asked if name not in heard]
    if unasked:
        lines.append(f"not asked, for want of an identifier that they know: {', '.join(unasked)}")
    return lines
