"""What was found as plain data, for programs; :mod:`registry.views.json` tells what the keys mean.

No key is ever left out: what does not apply is null or empty.
"""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins
from msgspec.structs import asdict

from registry._version import __version__
from registry.records.paper import Paper
from registry.verdicts import Matrix
from registry.views.collect import Broken, Subject, TrackedField, belongings
from registry.views.shelf import Shelf

SCHEMA_VERSION = 1


def document_of(found: Subject | Broken, *, with_history: bool = False) -> dict[str, Any]:
    """The record with everything that belongs to it, or its history."""
    subject = found if isinstance(found, Subject) else None
    body = _history(subject) if with_history else _record(subject)
    head = {
        "schema_version": SCHEMA_VERSION,
        "program": __version__,
        "key": found.key,
        "file": found.file,
        "findings": [asdict(finding) for finding in found.findings],
    }
    # Days become text here, so that every format writes the same.
    return {**head, **to_builtins(body)}


def _record(subject: Subject | None) -> dict[str, Any]:
    if subject is None:
        return {"record": None, "matrix": None, "neighbours": {}, "referred_by": []}
    return {
        "record": subject.data,
        "matrix": _matrix(subject.matrix),
        "neighbours": {key: _data(key, subject.shelf) for key in sorted(_neighbours(subject))},
        "referred_by": [
            {"record": referrer.key, "field": referrer.field} for referrer in subject.referrers
        ],
    }


def _matrix(matrix: Matrix | None) -> dict[str, Any] | None:
    if matrix is None:
        return None
    return asdict(matrix) | {"cells": [asdict(cell) for cell in matrix.cells]}


def _neighbours(subject: Subject) -> set[str]:
    keys = {
        link.id if link.kind == "*" else f"{link.kind}/{link.id}" for link in subject.entry.links
    }
    if isinstance(subject.record, Paper):
        found = belongings(subject, subject.record)
        own = (*found.methods, *found.later, *found.claims, *found.benchmarks, *subject.evidence)
        keys.update(f"{record.kind}/{record.id}" for record in own)
        keys.update(f"engine/{engine.id}" for engine, _ in found.shipped)
    return keys


def _data(key: str, shelf: Shelf) -> dict[str, Any] | None:
    opened = shelf.open(key)
    return opened.document.data if opened else None


def _history(subject: Subject | None) -> dict[str, Any]:
    if subject is None:
        return {"withdrawn": None, "fields": []}
    return {
        "withdrawn": subject.data.get("withdrawn"),
        "fields": [_field(field, subject.shelf) for field in subject.tracked],
    }


def _field(field: TrackedField, shelf: Shelf) -> dict[str, Any]:
    return {
        "field": field.name,
        "status": field.fact.status,
        "contested_because": field.fact.contested_because,
        "decision": field.data.get("decision"),
        "past_decisions": field.data.get("past_decisions", []),
        "assertions": [_assertion(held, shelf) for held in field.assertions],
    }


def _assertion(held: dict[str, Any], shelf: Shelf) -> dict[str, Any]:
    empty = {"inferred_from": "", "because": "", "supersedes": None}
    evidence = [
        {"id": one, "record": _data(f"evidence/{one}", shelf)} for one in held.get("evidence", ())
    ]
    return {**empty, **held, "evidence": evidence}
