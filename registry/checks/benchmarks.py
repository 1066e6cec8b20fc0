"""Benchmarks: is what stands there what was measured, and is it used as nothing else?"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from registry.checks.interface import Settings, Spot, at
from registry.findings import FieldPath, Finding, Rule
from registry.records import Record
from registry.records.benchmark import Benchmark, Result, is_edited
from registry.records.evidence import Evidence
from registry.store.document import Document
from registry.store.entry import Entry
from registry.store.index import Index
from registry.store.root import RAW

EDITED = Rule(
    "BEN001",
    "error",
    "a measurement was edited",
    "The hash of a benchmark is made of all that was measured and of the conditions. It is not the "
    "hash of what stands there now, so that something was changed after the program wrote it.",
    "Restore what the program wrote; what was measured anew is another record. A measurement that "
    "should not count is withdrawn.",
)
RAW_FILE = Rule(
    "BEN002",
    "error",
    "single runs that are not those of the benchmark",
    "A benchmark names the hash of the file with its single runs, which lies beside it under the "
    "same name and ends in .jsonl. The file is not there, or is another one.",
    "Restore the file as the program wrote it.",
)
EVIDENCE = Rule(
    "BEN003",
    "error",
    "a measurement of this project used as evidence",
    "Evidence is what a source said. A benchmark of this registry is no source: it may stand "
    "beside a claim and never supports one, nor contradicts it.",
    "Withdraw the evidence, and let the benchmark name the claims under `beside`.",
)
BESIDE = Rule(
    "BEN004",
    "error",
    "claims about something else than what was run",
    "A benchmark stands beside claims none of which is about a method that it ran.",
    "Take the claims out of `beside`, or name the right ones.",
)
RESULT = Rule(
    "BEN005",
    "error",
    "ill-formed result",
    "A result is of one of the methods that were run, counts at least one value, and its lowest, "
    "lower quartile, median, upper quartile and highest value are in this order. Who decodes "
    "without a method is a baseline.",
    "Measure again: the program writes well-formed results.",
)
MACHINE = Rule(
    "BEN006",
    "error",
    "another machine than the record of it says",
    "A benchmark holds what the machine said of itself during the run. The record of the machine "
    "that it refers to says otherwise.",
    "Restore the record of the machine. One that was changed is another machine.",
)
UNCOMMITTED = Rule(
    "BEN007",
    "warning",
    "measured with code that was not committed",
    "Files differed from the commit that the benchmark names, so that nobody can run the same "
    "code again.",
    "Commit, and measure again.",
)

TWICE = Rule(
    "BEN008",
    "error",
    "one run as two benchmarks",
    "Two benchmarks have the same file of single runs. To run a program again never takes the same "
    "time to the last digit: one of them is a copy, and a copy is no further run.",
    "Withdraw the copy, or restore what the program wrote.",
)
DOUBTFUL = Rule(
    "BEN009",
    "warning",
    "a measurement that its own checks put in doubt",
    "The parts of the time split should add up to the time within 2 %, and reading the clock "
    "should take less than 1 % of it.",
    "Measure again, with nothing else at work on the machine.",
)

MISS = 0.02
"""Share of the time by which the parts of the time split may miss it."""
CLOCK = 0.01
"""Share of the time that reading the clock may take."""
_OWN = re.compile(r"(?:^|[\s(\[])benchmark/[a-z0-9]|data/benchmarks/[a-z0-9-]+\.(?:yaml|jsonl)")
"""How a benchmark of a registry is written as a place: by its key, or by its file."""


class BenchmarkCheck:
    """Keeps measurements as they were made, and apart from claims."""

    rules = (EDITED, RAW_FILE, EVIDENCE, BESIDE, RESULT, MACHINE, UNCOMMITTED, TWICE, DOUBTFUL)

    def each(self, record: Record, document: Document) -> Iterator[Finding]:
        """Seals, results, and evidence that is a benchmark."""
        if isinstance(record, Evidence):
            yield from _no_evidence(record, document)
        if not isinstance(record, Benchmark):
            return
        key = f"benchmark/{record.id}"
        if is_edited(record):
            message = "the hash is not that of what stands here: something was edited by hand"
            yield at(EDITED, key, document, ("hash",), message, EDITED.mend)
        if record.uncommitted:
            message = f"files differed from commit {record.commit[:12]}"
            yield at(UNCOMMITTED, key, document, ("uncommitted",), message, UNCOMMITTED.mend)
        for path, message in _doubts(record):
            yield at(DOUBTFUL, key, document, path, message, DOUBTFUL.mend)
        for path, message in _results(record):
            yield at(RESULT, key, document, path, message, RESULT.mend)

    def across(self, index: Index, settings: Settings, among: Sequence[Entry]) -> Iterator[Spot]:
        """Claims of other methods, and machines that are described otherwise."""
        for entry in among:
            if entry.kind == "benchmark":
                yield from _beside(entry, index)
                yield from _machine(entry, index)


def raw_files(root: Path, index: Index) -> Iterator[Spot]:
    """Files of single runs that are missing, not what their records say, or those of two records.

    Nothing of it can be remembered: such a file may change without its record, and so may another
    record that has the same.
    """
    first: dict[str, Entry] = {}
    for entry in sorted(index.by_kind.get("benchmark", {}).values(), key=lambda one: one.id):
        raw = entry.extra.get("raw")
        if raw is None:
            continue
        if not entry.withdrawn and (same := first.setdefault(raw["sha256"], entry)) is not entry:
            message = f"{same.key} has the same single runs: one of the two is a copy"
            yield Spot(TWICE, entry, ("raw",), message, TWICE.mend)
        yield from _raw_file(root, entry, raw["sha256"])


def _raw_file(root: Path, entry: Entry, right: str) -> Iterator[Spot]:
    file = f"{entry.file.removesuffix('.yaml')}{RAW}"
    try:
        with (root / file).open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        yield Spot(RAW_FILE, entry, ("raw",), f"{file}: {reason}", RAW_FILE.mend)
        return
    if digest != right:
        message = f"{file} has the hash {digest[:12]}…, not {right[:12]}…"
        yield Spot(RAW_FILE, entry, ("raw", "sha256"), message, RAW_FILE.mend)


def _no_evidence(record: Evidence, document: Document) -> Iterator[Finding]:
    key = f"evidence/{record.id}"
    if record.about.startswith("benchmark/"):
        message = "evidence is about what sources say; a benchmark is this project's own"
        yield at(EVIDENCE, key, document, ("about",), message, EVIDENCE.mend)
    for name in ("locator", "url"):
        if _OWN.search(getattr(record, name) or ""):
            message = f"`{name}` leads to a benchmark of a registry, which is no source"
            yield at(EVIDENCE, key, document, (name,), message, EVIDENCE.mend)


def _results(record: Benchmark) -> Iterator[tuple[FieldPath, str]]:
    for number, result in enumerate(record.results):
        path: FieldPath = ("results", number)
        method = result.conditions.method
        if method is None:
            yield (*path, "conditions"), f"result {number + 1} does not say of which method it is"
        elif method not in record.methods:
            message = f"result {number + 1} is of {method}, which was not run"
            yield (*path, "conditions", "method"), message
        yield from _order(result, path)
    for number, baseline in enumerate(record.baselines or ()):
        yield from _order(baseline, ("baselines", number))


def _order(result: Result, path: FieldPath) -> Iterator[tuple[FieldPath, str]]:
    if result.count < 1:
        yield (*path, "count"), "a result counts at least one value"
    places = (result.low, result.lower_quartile, result.median, result.upper_quartile, result.high)
    values = [value for value in places if value is not None]
    if values != sorted(values):
        yield path, f"{result.metric.name}: its values are not in order"


def _doubts(record: Benchmark) -> Iterator[tuple[FieldPath, str]]:
    checks = record.checks
    if checks.unaccounted > MISS:
        told = f"the parts of the time miss {checks.unaccounted:.1%} of it"
        yield ("checks", "unaccounted"), told
    if checks.timer > CLOCK:
        yield ("checks", "timer"), f"reading the clock took {checks.timer:.1%} of the time"


def _beside(entry: Entry, index: Index) -> Iterator[Spot]:
    ran = {link.id for link in entry.links if link.path[0] == "methods"}
    for link in entry.links:
        claims = index.entries.get(link.key)
        if link.path[0] != "beside" or claims is None:
            continue
        about = {inner.id for inner in claims.links if inner.kind == "method"}
        if not ran & about:
            message = f"{link.key} claims nothing of {', '.join(sorted(ran))}"
            yield Spot(BESIDE, entry, link.path, message, BESIDE.mend)


def _machine(entry: Entry, index: Index) -> Iterator[Spot]:
    said = entry.extra.get("machine", {})
    machine = index.get("machine", said.get("record", ""))
    if machine is None:
        return  # which is a dangling reference
    for key in ("processor", "memory"):
        known = machine.extra.get(key)
        if known != said[key]:
            message = f"the run's {key} was {said[key]}, and {machine.key} has {known}"
            yield Spot(MACHINE, entry, ("machine", key), message, MACHINE.mend)
    if said["cores"] > machine.extra["cores"]:
        message = f"the run could use {said['cores']} cores, and {machine.key} has fewer"
        yield Spot(MACHINE, entry, ("machine", "cores"), message, MACHINE.mend)
