"""Records that fit no model: what reads the past tells of them, and never falls over."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from library import library
from past import Past
from world import World

from registry.checks.base import judge
from registry.history import telling, telling_life
from registry.history.former_names import hidings, stand_ins
from registry.history.life import in_order, told_by_record
from registry.history.meaning import RecordChange, field_changes, label_of
from registry.history.sides import Pair, Side
from registry.records import FOLDERS
from registry.store.reader import read

Data = dict[str, Any]
ROOT = Path(__file__).parents[2]
MUTATIONS = 400
OTHERS: tuple[Any, ...] = ("", "text", 0, -1.5, True, None, [], {}, [[]], [None], date(2026, 1, 1))


def records(tmp_path: Path) -> list[Data]:
    """The library's records and some of each kind that ships."""
    found = list(library(tmp_path).records.values())
    for folder in sorted(FOLDERS.values()):
        for file in sorted((ROOT / "data" / folder).glob("*.yaml"))[:4]:
            data = read(file.read_bytes(), file.name).data
            assert data is not None
            found.append(data)
    return found


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a value with each of its keys."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def damaged(data: Data, chance: random.Random) -> Data:
    """The record with a few keys taken out or given another type."""
    broken = copy.deepcopy(data)
    for _ in range(chance.randint(1, 3)):
        holder, key = chance.choice(list(places(broken)))
        if chance.random() < 0.5:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(chance.choice(OTHERS))
        if not broken:
            return copy.deepcopy(data)
    return broken


def side(data: Data) -> Side:
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    return Side("paper/any", "data/papers/any.yaml", text.encode())


def test_no_damage_on_either_side_stops_a_comparison(tmp_path: Path) -> None:
    chance = random.Random(20260601)
    whole = records(tmp_path)
    for number in range(MUTATIONS):
        good = chance.choice(whole)
        bad = damaged(good, chance)
        other = damaged(bad, chance) if number % 3 == 0 else good
        for old, new in ((other, bad), (bad, other)):
            tuple(judge([Pair(side(old), side(new))]))
            fields = field_changes(old, new)
            notes = tuple(hidings(stand_ins(old), stand_ins(new)))
            change = RecordChange("paper/any", label_of(new), "changed", "", notes, fields)
            telling.as_text([change])
            telling.as_json([change], "one -> other")
            telling.as_markdown([change], "one -> other")
        telling_life.as_text(in_order(told_by_record(bad), ()))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value: 101-112", "valu: 101-112"),
        ("value: 101-112", "value: {unit: W}"),
        ("value: 101-112", "value: {printed: x}"),
        ("value: 101-112", "value: {value: [], unit: W}"),
    ],
)
def test_a_broken_value_is_found_and_told(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
) -> None:
    from registry.cli.app import run

    monkeypatch.setenv("GITHUB_BASE_REF", "")
    past = Past.begin(world)
    past.edit("paper/trees", old, new)
    root = str(world.root)

    def code(*words: str) -> int:
        try:
            return run([*words, "--root", root])
        except SystemExit as end:
            return int(end.code or 0)

    assert code("verify", "--base", "HEAD", "--today", "2026-06-01") == 1
    assert "BAS003" in capsys.readouterr().out
    assert code("diff", "HEAD") == 0
    assert "paper/trees" in capsys.readouterr().out
    assert code("log", "paper/trees") == 0
    assert "not committed yet" in capsys.readouterr().out
    past.commit_files("Break")
    past.edit("paper/trees", new, old)
    assert code("verify", "--base", "HEAD", "--today", "2026-06-01") in (0, 1)
    assert code("diff", "HEAD") == 0
    assert code("log", "paper/trees") == 0
