"""The page of whatever was found, by kind."""

from __future__ import annotations

from dataclasses import replace

from registry.findings import Finding
from registry.records.accelerator import Accelerator
from registry.records.claims import Claims
from registry.records.paper import Paper
from registry.reports.wording import counted
from registry.views import accelerator, claims, generic, history, paper
from registry.views.collect import Broken, Subject
from registry.views.page import (
    Alarm,
    Bullets,
    Page,
    Paragraph,
    Section,
    Words,
    alarm,
    quiet,
    strong,
    words,
)


def page_of(found: Subject | Broken, *, with_history: bool = False) -> Page:
    """What is shown of a record or its history; of a broken file, why it is no record."""
    if isinstance(found, Broken):
        return _broken(found)
    page = history.page(found) if with_history else _page(found)
    more = "" if with_history or not found.tracked else " · every value ever held: --history"
    closing = words(quiet(f"{found.file}{more}"))
    return replace(page, opening=(*_warned(found), *page.opening), closing=closing)


def _page(subject: Subject) -> Page:
    record = subject.record
    if isinstance(record, Paper):
        return paper.page(subject, record)
    if isinstance(record, Claims):
        return claims.page(subject, record)
    if isinstance(record, Accelerator):
        return accelerator.page(subject, record)
    return generic.page(subject)


def _warned(subject: Subject) -> tuple[Paragraph, ...]:
    """That the file has faults, although it holds a record."""
    faults = [found for found in subject.findings if found.severity != "info"]
    if not faults:
        return ()
    text = f"{counted(len(faults), 'fault')} in this file: `registry verify {subject.key}` tells"
    return (Paragraph(words(alarm(text))),)


def _broken(found: Broken) -> Page:
    alarmed = Alarm("NO USABLE RECORD", (Paragraph(words(f"{found.file} cannot be read as one.")),))
    rows = tuple(_finding(finding) for finding in found.findings)
    sections = (Section("Findings", (Bullets(rows),)),)
    return Page(title=found.key, key=found.key, opening=(alarmed,), sections=sections)


def _finding(finding: Finding) -> tuple[Words, ...]:
    place = f"{finding.file}:{finding.line}:{finding.column}"
    head = words(strong(place), f" {finding.code} {finding.severity}: {finding.message}")
    return (head, words(f"to mend it: {finding.hint}" if finding.hint else ""))
