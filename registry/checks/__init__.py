"""Checks, one module for each layer. A new layer is one module and one line in ``CHECKS``."""

from __future__ import annotations

from registry.checks.base import RULES as BASE_RULES
from registry.checks.benchmarks import BenchmarkCheck
from registry.checks.claims import ClaimCheck
from registry.checks.contract import Contract
from registry.checks.evidence import EvidenceReplay
from registry.checks.freshness import Freshness
from registry.checks.interface import Check
from registry.checks.links import Links
from registry.checks.shape import Shape
from registry.checks.values import Values
from registry.findings import Rule
from registry.store.root import RULES as FILE_RULES
from registry.store.rules import RULES as READING_RULES

SHAPE = Shape()

CHECKS: tuple[Check, ...] = (
    SHAPE,
    Values(),
    Links(),
    Contract(),
    EvidenceReplay(),
    ClaimCheck(),
    BenchmarkCheck(),
    Freshness(),
)

RULES: dict[str, Rule] = {
    rule.code: rule
    for rules in (FILE_RULES, READING_RULES, BASE_RULES, *(check.rules for check in CHECKS))
    for rule in rules
}
"""Every rule by its code."""

__all__ = ["CHECKS", "RULES", "SHAPE", "Check"]
