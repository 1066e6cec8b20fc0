"""Judges changes of records, and new records, before they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from registry.checks.interface import Settings
from registry.findings import Finding
from registry.records import FOLDERS, KindName
from registry.store.entry import Checked
from registry.store.index import Index
from registry.store.memory import Memory, still_valid
from registry.store.root import RecordFile
from registry.verify import Registry, check_file, judge

_KINDS: dict[str, KindName] = {kind: kind for kind in FOLDERS}


@dataclass(frozen=True, slots=True)
class Trial:
    """What a change of some records would do to the findings of its registry."""

    records: int
    """Records that were judged."""
    findings: tuple[Finding, ...]
    """Everything that is found after the change."""
    new: tuple[Finding, ...]
    """Errors and warnings that are not found without it."""

    @property
    def refused(self) -> bool:
        """Whether the change would bring an error."""
        return any(finding.severity == "error" for finding in self.new)


def judge_change(registry: Registry, key: str, raw: bytes, today: date) -> Trial:
    """Judge the whole registry as if the file of the record ``key`` held ``raw``."""
    return judge_changes(registry, {key: raw}, today)


def judge_changes(registry: Registry, files: Mapping[str, bytes], today: date) -> Trial:
    """Judge the whole registry as if the files of some records, old or new, held other bytes.

    Args:
        registry: As it is.
        files: ``kind/id`` to what the file is to hold.
        today: The day to judge by.
    """
    settings = Settings(today)
    before = [*registry.findings, *judge(registry, settings)]
    changed = with_files(registry, files)
    after = [*changed.findings, *judge(changed, settings)]
    known = Counter(map(_identity, before))
    new: list[Finding] = []
    for finding in after:
        if known[_identity(finding)]:
            known[_identity(finding)] -= 1
        elif finding.severity != "info":
            new.append(finding)
    new.sort(key=lambda found: (found.file, found.line, found.column, found.code))
    return Trial(len(changed.files), tuple(after), tuple(new))


def _identity(finding: Finding) -> tuple[str, ...]:
    """What a finding says, wherever in the file that stands by now."""
    return finding.code, finding.file, finding.field, finding.message


def with_files(registry: Registry, files: Mapping[str, bytes]) -> Registry:
    """The registry with other or further files; nothing of it is remembered."""
    memory = registry.memory
    names = {key: registry.files.get(key) or file_of(key) for key in files}
    new = {names[key]: _check(registry, key, names[key], raw) for key, raw in files.items()}
    old = [one for one in memory.checked if one.file in new]
    checked = [one for one in memory.checked if one.file not in new] + list(new.values())
    index = _indexed(checked)
    judged = still_valid(memory.judged, registry.index, index, set(files))
    told = {id(finding) for one in old for finding in one.findings}
    others = [finding for finding in registry.findings if id(finding) not in told]
    return replace(
        registry,
        index=index,
        files={**registry.files, **names},
        findings=(*others, *(finding for one in new.values() for finding in one.findings)),
        memory=Memory(day=memory.day, checked=checked, judged=judged),
        changed=True,
        use_cache=False,
        unwritten={names[key]: raw for key, raw in files.items()},
    )


def file_of(key: str) -> str:
    """The file of a record from the registry's root, by its ``kind/id``."""
    kind, _, record_id = key.partition("/")
    return f"data/{FOLDERS[_KINDS[kind]]}/{record_id}.yaml"


def _check(registry: Registry, key: str, file: str, raw: bytes) -> Checked:
    kind, _, record_id = key.partition("/")
    path = str(registry.root / file)
    return check_file(raw, RecordFile(path, file, _KINDS[kind], record_id, ()))


def _indexed(checked: Iterable[Checked]) -> Index:
    outcomes = list(checked)
    broken = (one.key for one in outcomes if one.entry is None)
    return Index((one.entry for one in outcomes if one.entry is not None), broken)
