"""The shipped EAGLE record: clean as it is, and no fact in it can be corrupted unnoticed."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from registry.findings import Finding
from registry.records.outline import references, tracked_fields
from registry.verify import Options, verify

ROOT = Path(__file__).resolve().parent.parent
FILE = "data/papers/eagle.yaml"
TEXT = (ROOT / FILE).read_text(encoding="utf-8")
DATA: dict[str, Any] = yaml.safe_load(TEXT)
TODAY = date(2026, 11, 30)


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("registry")
    shutil.copytree(ROOT / "data", root / "data")
    return root


def errors(root: Path, text: str) -> list[Finding]:
    """Errors and warnings about the EAGLE paper when its file holds ``text``."""
    (root / FILE).write_text(text, encoding="utf-8")
    report = verify(root, Options(today=TODAY))
    assert report.failed == any(finding.severity == "error" for finding in report.findings)
    return [f for f in report.findings if f.severity == "error" and f.file == FILE]


def test_the_shipped_registry_verifies_clean(shipped: Path) -> None:
    report = verify(shipped, Options(today=TODAY))
    assert [finding for finding in report.findings if finding.severity != "info"] == []
    contested = {f.message.split()[0] for f in report.findings if f.record == "paper/eagle"}
    assert {"venue", "venue_track", "affiliations"} <= contested


OLD_VENUE = re.search(r"    - value: arxiv-preprint\n(?:      .*\n)+", TEXT)


@pytest.mark.parametrize(
    ("old", "new", "code", "shown"),
    [
        ('- value: "28935-28948"', '- value: "28935-28949"', "EVD001", "28935-28949"),
        (OLD_VENUE and OLD_VENUE[0], "", "CTR007", "arxiv-preprint"),
        ("accelerator: a100-40gb-sxm4", "accelerator: a100-40gb-sxm5", "LNK001", "a100-40gb-sxm5"),
        (
            "- {given: Yuhui, family: Li}\n        - {given: Fangyun, family: Wei}",
            "- {given: Fangyun, family: Wei}\n        - {given: Yuhui, family: Li}",
            "EVD001",
            "Fangyun Wei, Yuhui Li",
        ),
        ('- value: "2401.15077"', "- value: 2401.15077", "SHP002", "2401.15077"),
    ],
    ids=["wrong page", "dropped old venue", "dangling accelerator", "swapped author", "unquoted"],
)
def test_the_classic_corruptions(copied: Path, old: str, new: str, code: str, shown: str) -> None:
    assert old in TEXT
    changed = TEXT.replace(old, new, 1)
    found = [finding for finding in errors(copied, changed) if finding.code == code]
    assert found
    lines = changed.splitlines()
    assert any(shown in finding.message for finding in found)
    near = "\n".join(lines[found[0].line - 1 : found[0].line + 2])
    assert new.split("\n")[0].strip("- ").split(": ")[-1] in near


def wrong(value: Any) -> Any:
    """Another value of the same shape."""
    if isinstance(value, list) and "printed" in value[0]:
        return [value[0] | {"printed": "University of Elsewhere"}, *value[1:]]
    if isinstance(value, list):
        return [*value[1:], value[0]]
    if isinstance(value, int):
        return value + 1
    if isinstance(value, date):
        return value + timedelta(days=1)
    last = "2" if value[-1] == "1" else "1"
    # No source names the track, so only a track that the venue does not have can be seen.
    return {"icml": "emnlp", "main": "mane"}.get(value, value[:-1] + last)


TRACKED = [path[0] for path, _ in tracked_fields("paper", DATA)]


@pytest.mark.parametrize("field", TRACKED)
def test_no_preferred_value_can_be_changed_unnoticed(copied: Path, field: str) -> None:
    data = copy.deepcopy(DATA)
    for assertion in data[field]["assertions"]:
        if assertion["rank"] == "preferred":
            assertion["value"] = wrong(assertion["value"])
    found = errors(copied, yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
    assert any(finding.field.startswith(f"{field}.") for finding in found), found


REFERENCES = [path for path, _, _ in references("paper", DATA)]


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: ".".join(map(str, path)))
def test_no_reference_can_dangle_unnoticed(
    copied: Path, path: tuple[str | int, ...], request: pytest.FixtureRequest
) -> None:
    data = copy.deepcopy(DATA)
    target: Any = data
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = "no-such-record"
    found = errors(copied, yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
    assert any("no-such-record" in finding.message for finding in found)


Change = Callable[[dict[str, Any]], None]


@pytest.mark.parametrize("field", TRACKED)
@pytest.mark.parametrize("key", ["status", "assertions"])
def test_no_part_of_a_tracked_field_can_be_dropped_unnoticed(
    copied: Path, field: str, key: str
) -> None:
    data = copy.deepcopy(DATA)
    del data[field][key]
    found = errors(copied, yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
    assert [(f.code, f.field) for f in found] == [("SHP003", field)]
