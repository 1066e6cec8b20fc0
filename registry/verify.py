"""Joins store and checks into a report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from registry._version import __version__
from registry.checks import CHECKS, RULES, SHAPE
from registry.checks.benchmarks import raw_files
from registry.checks.interface import Settings, Spot
from registry.checks.matrix import Comparer, matrix_of
from registry.findings import START, Finding, path_text
from registry.reports.interface import Report
from registry.store.document import Document
from registry.store.entry import Checked, Entry
from registry.store.extract import entry_of
from registry.store.index import Index
from registry.store.memory import Memory, recall, remember, still_valid
from registry.store.reader import read
from registry.store.root import RecordFile, read_bytes
from registry.store.rules import NO_VALUE, NOT_FINITE
from registry.store.scan import scan

_NOTHING_TO_USE = frozenset((NO_VALUE.code, NOT_FINITE.code))


@dataclass(frozen=True, slots=True)
class Options:
    """What a verification may be asked."""

    today: date
    """The day that freshness is judged by."""
    ids: Sequence[str] = ()
    """``kind/id`` of the records to report on; all if empty."""
    show: Sequence[str] = ()
    """``kind/id`` of further records whose matrix to show."""
    unasked: Sequence[str] = ()
    """Sources that were to be asked now and could not be, each with the reason."""
    select: Sequence[str] = ()
    """Codes, or beginnings of codes, to report; all if empty."""
    ignore: Sequence[str] = ()
    """Codes, or beginnings of codes, to leave out."""
    strict: bool = False
    """Whether warnings fail the run."""
    base: str = ""
    """What the records were compared with, or that they were not on request; empty if nobody
    asked."""
    broken: Sequence[Finding] = ()
    """What that comparison found."""


@dataclass(frozen=True, slots=True)
class Registry:
    """A registry whose files have all been checked on their own."""

    root: Path
    index: Index
    files: Mapping[str, str]
    """``kind/id`` to file, also of files that hold no usable record."""
    findings: tuple[Finding, ...]
    """What those checks found."""
    memory: Memory
    """What is remembered of the registry, brought up to date but for what is judged next."""
    changed: bool
    """Whether a file is not as it was remembered."""
    use_cache: bool
    """Whether to remember."""
    unwritten: Mapping[str, bytes] = field(default_factory=dict)
    """File to what it is to hold, where that is judged before it is written."""


def check_file(raw: bytes, file: RecordFile) -> Checked:
    """Check one file on its own."""
    document = read(raw, file.file)
    key = f"{file.kind}/{file.id}"
    record, findings = SHAPE.build(document, file.kind, file.id)
    # Where the reader found no usable value, the model's refusal says nothing more.
    told = {found.field for found in document.findings if found.code in _NOTHING_TO_USE}
    findings = [found for found in findings if found.field not in told]
    entry: Entry | None = None
    if record is not None and document.data is not None:
        for check in CHECKS:
            findings.extend(check.each(record, document))
        entry = entry_of(record, document.data, document)
    named = [_with_record(finding, key) for finding in document.findings]
    return Checked(key, file.file, file.stamp, document.digest, (*named, *findings), entry)


def _with_record(finding: Finding, key: str) -> Finding:
    return Finding(
        finding.code,
        finding.severity,
        key,
        finding.field,
        finding.file,
        finding.line,
        finding.column,
        finding.message,
        finding.hint,
    )


def load(root: Path, *, use_cache: bool = True, judge_next: bool = False) -> Registry:
    """Check every file under ``root`` on its own and index what can be used.

    Args:
        root: The registry's root.
        use_cache: Whether to use and to write what is remembered between runs.
        judge_next: Whether ``judge`` comes next, which remembers both steps at once.
    """
    memory = recall(root) if use_cache else Memory()
    checked, findings, looked = scan(root, check_file, memory)
    before, after = _indexed(memory.checked), _indexed(checked)
    held = {id(outcome) for outcome in memory.checked}
    new = {outcome.key for outcome in checked if id(outcome) not in held}
    gone = {outcome.key for outcome in memory.checked} - {outcome.key for outcome in checked}
    memory.checked, memory.scanned = checked, looked
    changed = bool(new or gone)
    if changed:
        memory.judged = still_valid(memory.judged, before, after, new | gone)
        if use_cache and not judge_next:
            remember(root, memory)
    found = [finding for outcome in checked for finding in outcome.findings]
    files = {outcome.key: outcome.file for outcome in checked}
    return Registry(root, after, files, (*findings, *found), memory, changed, use_cache)


def _indexed(checked: Iterable[Checked]) -> Index:
    checked = list(checked)
    broken = (outcome.key for outcome in checked if outcome.entry is None)
    return Index((outcome.entry for outcome in checked if outcome.entry is not None), broken)


def judge(registry: Registry, settings: Settings) -> list[Finding]:
    """Findings that come of comparing records with each other."""
    memory, day = registry.memory, settings.today.isoformat()
    if memory.day != day:
        memory.day, memory.judged = day, {}
    among = [entry for entry in registry.index if entry.key not in memory.judged]
    if among:
        spots = (spot for check in CHECKS for spot in check.across(registry.index, settings, among))
        found: dict[str, list[Finding]] = {entry.key: [] for entry in among}
        for finding in _located(registry, spots):
            found[finding.record].append(finding)
        memory.judged |= {key: tuple(findings) for key, findings in found.items()}
    if registry.use_cache and (among or registry.changed):
        remember(registry.root, memory)
    return [finding for findings in memory.judged.values() for finding in findings]


def verify(root: Path, options: Options) -> Report:
    """Load the registry at ``root`` and report on it."""
    return report_on(load(root, judge_next=True), options)


def report_on(registry: Registry, options: Options) -> Report:
    """Judge the records of a registry against each other and report.

    References and evidence are judged against the whole registry, also where only some records
    are reported on.
    """
    index, wanted = registry.index, set(options.ids)
    findings = [*registry.findings, *judge(registry, Settings(options.today)), *options.broken]
    findings += _located(registry, raw_files(registry.root, index))
    shown = [finding for finding in findings if _chosen(finding, options, wanted)]
    shown.sort(key=lambda f: (f.file, f.line, f.column, f.code, f.message))
    comparer = Comparer(index)
    asked = [index.entries[key] for key in (*options.ids, *options.show) if key in index.entries]
    matrices = tuple(matrix_of(entry, comparer) for entry in asked if entry.facts)
    counted = Counter(key.partition("/")[0] for key in (wanted or registry.files))
    return Report(
        root=_from_here(registry.root),
        version=__version__,
        today=options.today.isoformat(),
        records=dict(sorted(counted.items())),
        findings=tuple(shown),
        matrices=matrices,
        rules=RULES,
        strict=options.strict,
        unasked=tuple(options.unasked),
        base=options.base,
    )


def _from_here(root: Path) -> str:
    here = Path.cwd()
    return str(root.relative_to(here) if root.is_relative_to(here) else root)


def _chosen(finding: Finding, options: Options, wanted: set[str]) -> bool:
    if wanted and finding.record not in wanted:
        return False
    if options.select and not finding.code.startswith(tuple(options.select)):
        return False
    return not (options.ignore and finding.code.startswith(tuple(options.ignore)))


def _located(registry: Registry, spots: Iterable[Spot]) -> Iterator[Finding]:
    """Findings with their place, reading each file that has one once more."""
    by_file: dict[str, list[Spot]] = defaultdict(list)
    for spot in spots:
        by_file[spot.entry.file].append(spot)
    for file, group in by_file.items():
        document: Document | None = None
        if any(spot.path and spot.place is None for spot in group):
            raw = registry.unwritten.get(file)
            document = read(read_bytes(str(registry.root / file)) if raw is None else raw, file)
        for spot in group:
            found = document.locate(spot.path) if document and spot.path else START
            place = spot.place or found
            yield Finding(
                spot.rule.code,
                spot.rule.severity,
                spot.entry.key,
                path_text(spot.path),
                file,
                place.line,
                place.column,
                spot.message,
                spot.hint,
            )
