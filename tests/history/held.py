"""A working tree held against a base, in short words for tests."""

from __future__ import annotations

from typing import Any

from past import Past

from registry.checks.base import against
from registry.findings import Finding


def findings(past: Past, base: str = "main") -> list[Finding]:
    return list(against(past.world.root, base).findings)


def codes(past: Past, base: str = "main") -> list[str]:
    return [finding.code for finding in findings(past, base)]


def venue(past: Past) -> dict[str, Any]:
    field = past.world["paper/trees"]["venue"]
    assert isinstance(field, dict)
    return field
