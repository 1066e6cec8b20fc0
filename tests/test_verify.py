from __future__ import annotations

import json
import os
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from world import TODAY, World, assertion, small_world, tracked

from registry.bench.synthetic import write
from registry.findings import Finding
from registry.records import FOLDERS
from registry.store import memory, scan
from registry.verify import Options, load, report_on, verify

EVERYTHING = Options(today=TODAY)


def fresh(root: Path, options: Options = EVERYTHING) -> tuple[Finding, ...]:
    """Findings of a run that remembers nothing."""
    return report_on(load(root, use_cache=False), options).findings


def test_a_report_counts_records_and_orders_findings(world: World) -> None:
    world["method/trees"]["introduced_by"] = "nothing"
    world["paper/trees"]["methods"] = ["nothing"]
    report = world.report()
    assert report.records == {
        "evidence": 2,
        "method": 1,
        "organization": 1,
        "paper": 1,
        "source": 3,
        "venue": 2,
    }
    places = [(finding.file, finding.line, finding.column) for finding in report.findings]
    assert places == sorted(places)
    assert report.failed
    assert report.count("error") == 2


def test_select_and_ignore_take_beginnings_of_codes(world: World) -> None:
    world["method/trees"]["introduced_by"] = "nothing"
    world["paper/trees"]["year"]["status"] = "asserted"
    codes = [finding.code for finding in world.report(select=("LNK001", "EVD")).findings]
    assert sorted(codes) == ["EVD004", "LNK001"]
    assert not world.report(ignore=("LNK001",)).failed


def test_only_the_records_asked_for_are_reported_on(world: World) -> None:
    world["method/trees"]["introduced_by"] = "nothing"
    world["paper/trees"]["methods"] = ["nothing"]
    report = world.report(ids=("paper/trees",))
    assert {finding.record for finding in report.findings} == {"paper/trees"}
    assert [matrix.record for matrix in report.matrices] == ["paper/trees"]
    assert report.records == {"paper": 1}


def test_warnings_fail_a_strict_run_only(world: World) -> None:
    world["method/trees"]["withdrawn"] = {
        "reason": "duplicate",
        "because": "Entered twice.",
        "by": "editor",
        "recorded": date(2026, 2, 2),
    }
    assert not world.report().failed
    assert world.report(strict=True).failed


def test_freshness_is_judged_by_the_day_given(world: World) -> None:
    assert not [f for f in world.report().findings if f.code == "FRS001"]
    later = world.report(today=date(2027, 1, 10))
    assert {f.record for f in later.findings if f.code == "FRS001"} == {
        "evidence/index-trees",
        "evidence/proceedings-trees",
    }
    assert not later.failed
    assert not [f for f in world.report().findings if f.code == "FRS001"]


def test_all_cores_and_one_core_find_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 500)
    broken = sorted((tmp_path / "data/papers").iterdir())[3]
    broken.write_text(broken.read_text("utf-8").replace("kind: paper", "kind: papre"), "utf-8")
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    several = fresh(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert fresh(tmp_path) == several
    assert [f.file for f in several if f.code == "SHP006"] == [f"data/papers/{broken.name}"]


def test_synthetic_registries_verify_without_errors(tmp_path: Path) -> None:
    count = write(tmp_path, 300, seed=1)
    report = verify(tmp_path, Options(today=date(2027, 1, 1)))
    assert sum(report.records.values()) == count
    assert [finding for finding in report.findings if finding.severity != "info"] == []


@pytest.mark.parametrize("content", [b"", b"{}", b"[1,2", b"\x80\x05.", b'["x","",0,[],{}]'])
def test_a_damaged_memory_is_an_empty_one(world: World, content: bytes) -> None:
    root = world.write()
    expected = verify(root, EVERYTHING).findings
    memory._file(root).write_bytes(content)
    assert verify(root, EVERYTHING).findings == expected
    assert json.loads(memory._file(root).read_bytes().partition(b"\n")[2])[0] == memory._salt()


def test_a_memory_that_cannot_be_written_is_no_reason_to_fail(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert not world.report().failed


def test_nothing_is_written_into_the_registry(world: World) -> None:
    root = world.write()
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    verify(root, EVERYTHING)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_unchanged_files_are_not_checked_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world.write()
    verify(root, EVERYTHING)
    seen: list[str] = []

    def note(raw: bytes, file: scan.RecordFile) -> Any:
        seen.append(file.file)
        return check_file(raw, file)

    from registry.verify import check_file

    monkeypatch.setattr("registry.verify.check_file", note)
    verify(root, EVERYTHING)
    assert seen == []
    path = root / "data/methods/trees.yaml"
    path.write_text(path.read_text("utf-8") + "note: new\n", "utf-8")
    verify(root, EVERYTHING)
    assert seen == ["data/methods/trees.yaml"]


class Edits(RuleBasedStateMachine):
    """Whatever is edited, a run that remembers finds what a run that does not finds."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.records: dict[str, dict[str, Any]] = {}

    def teardown(self) -> None:
        self.folder.cleanup()

    @initialize()
    def begin(self) -> None:
        self.records = small_world()
        for key in self.records:
            self._write(key)

    def _file(self, key: str) -> Path:
        kind, record_id = key.split("/")
        return self.root / "data" / FOLDERS[kind] / f"{record_id}.yaml"  # type: ignore[index]

    def _write(self, key: str) -> None:
        path = self._file(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(self.records[key], sort_keys=False), "utf-8")

    @rule(data=st.data())
    @precondition(lambda self: self.records)
    def remove(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.records)))
        del self.records[key]
        self._file(key).unlink()

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(small_world())))
        self.records[key] = small_world()[key]
        self._write(key)

    @rule(data=st.data(), year=st.sampled_from([2024, 2025]))
    def observe(self, data: st.DataObject, year: int) -> None:
        key = data.draw(st.sampled_from(["evidence/index-trees", "evidence/proceedings-trees"]))
        if key in self.records:
            self.records[key]["observation"]["year"] = year
            self._write(key)

    @rule(year=st.sampled_from([2024, 2025]), status=st.sampled_from(["asserted", "corroborated"]))
    def assert_year(self, year: int, status: str) -> None:
        if "paper/trees" in self.records:
            field = tracked(status, assertion(year, "index-trees", "proceedings-trees"))
            self.records["paper/trees"]["year"] = field
            self._write("paper/trees")

    @rule(drawn=st.booleans())
    def draw_on(self, drawn: bool) -> None:
        if "source/proceedings" in self.records:
            self.records["source/proceedings"]["draws_on"] = ["index"] if drawn else []
            self._write("source/proceedings")

    @rule(wanted=st.sampled_from(["trees", "tress", "maker"]))
    def refer(self, wanted: str) -> None:
        if "method/trees" in self.records:
            self.records["method/trees"]["introduced_by"] = wanted
            self._write("method/trees")

    @rule(
        kind=st.sampled_from(["dataset", "organization"]), name=st.sampled_from(["trees", "tress"])
    )
    def add(self, kind: str, name: str) -> None:
        record = {"kind": kind, "id": name, "name": name}
        record |= {"task": "none"} if kind == "dataset" else {"type": "company"}
        self.records[f"{kind}/{name}"] = record
        self._write(f"{kind}/{name}")

    @rule(name=st.sampled_from(["twin", "other"]), number=st.sampled_from(["1", "2"]))
    def add_paper(self, name: str, number: str) -> None:
        reason = "Read by hand."
        fields = {
            "title": tracked("asserted", assertion(name, because=reason)),
            "authors": tracked("asserted", assertion([{"family": "Cole"}], because=reason)),
            "arxiv_id": tracked("asserted", assertion(f"2501.0000{number}", because=reason)),
            "methods": ["trees"],
        }
        self.records[f"paper/{name}"] = {"kind": "paper", "id": name, **fields}
        self._write(f"paper/{name}")

    @rule()
    def damage(self) -> None:
        if "paper/trees" in self.records:
            self._file("paper/trees").write_text("kind: [", "utf-8")

    @invariant()
    def remembering_changes_nothing(self) -> None:
        if self.records or (self.root / "data").exists():
            assert verify(self.root, EVERYTHING).findings == fresh(self.root)


TestEdits = Edits.TestCase
TestEdits.settings = settings(
    max_examples=25,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def test_a_stamp_is_trusted_once_it_is_old_enough(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world.write()
    verify(root, EVERYTHING)
    read: list[str] = []

    def count(path: str) -> bytes:
        read.append(path)
        return Path(path).read_bytes()

    monkeypatch.setattr(scan, "read_bytes", count)
    # The files were written a moment before they were looked at: their stamps prove nothing.
    load(root)
    assert len(read) == len(world.records)
    monkeypatch.setattr(scan, "_SETTLED", -(10**18))
    read.clear()
    load(root)
    assert read == []
    # An edit that keeps the size and even the time of modification is still seen.
    path = root / "data/methods/trees.yaml"
    before = path.stat()
    path.write_text(path.read_text("utf-8").replace("Drafts", "Drifts"), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    load(root)
    assert read == [str(path)] * 2
