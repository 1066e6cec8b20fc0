"""The plug point for report formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from registry.findings import Finding, Rule
from registry.verdicts import Matrix


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a verification."""

    root: str
    """The registry's root, relative to the working directory where it lies in or below it."""
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
    unasked: tuple[str, ...] = ()
    """Sources that were to be asked and could not be, each with the reason; the report is
    incomplete without them."""
    base: str = ""
    """What the records were compared with, in words; empty if with nothing."""

    @property
    def failed(self) -> bool:
        """Whether the run should end with exit code 1."""
        failing = ("error", "warning") if self.strict else ("error",)
        return any(finding.severity in failing for finding in self.findings)

    def count(self, severity: str) -> int:
        """Number of findings of one severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def path(self, finding: Finding) -> str:
        """The finding's file as editors and CI hosts look for it: from the working directory.

        A root elsewhere says nothing about where the reader stands; the file is then named from
        the registry's root. The path is relative either way, with forward slashes.
        """
        root = PurePath(self.root)
        if root.is_absolute() or ".." in root.parts:
            return finding.file
        return (root / finding.file).as_posix()


class Reporter(Protocol):
    """Turns a report into text. Each module listed in ``REPORTERS`` is one."""

    def render(self, report: Report) -> str:
        """The whole report as text that ends with a newline; never with terminal colours."""
        ...
