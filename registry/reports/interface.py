"""The plug point for report formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from registry.findings import Finding, Rule
from registry.verdicts import Matrix


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a verification."""

    root: str
    """The registry's root."""
    version: str
    """Version of this program."""
    today: str
    """The day that freshness was judged by, ``YYYY-MM-DD``."""
    records: Mapping[str, int]
    """Number of records checked, by kind."""
    findings: tuple[Finding, ...]
    """Findings, ordered by file, line, column and code."""
    matrices: tuple[Matrix, ...]
    """The verdict matrix of each record that was asked for."""
    rules: Mapping[str, Rule]
    """Every rule by its code."""
    strict: bool = False
    """Whether warnings count as failures."""

    @property
    def failed(self) -> bool:
        """Whether the run should end with exit code 1."""
        failing = ("error", "warning") if self.strict else ("error",)
        return any(finding.severity in failing for finding in self.findings)

    def count(self, severity: str) -> int:
        """Number of findings of one severity."""
        return sum(finding.severity == severity for finding in self.findings)


class Reporter(Protocol):
    """Turns a report into text. Adding a format means one module and one line in the table."""

    def render(self, report: Report) -> str:
        """The whole report as text that ends with a newline; never with terminal colours."""
        ...
