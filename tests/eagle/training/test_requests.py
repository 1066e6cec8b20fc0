from __future__ import annotations

import functools
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from eagle_impl.training.requests import FOLLOW_UP, KINDS, MANNERS, SYSTEM, grammar, request

WORKLOADS = Path(__file__).parents[4] / "shared" / "workloads"
SAMPLE = 6000


@functools.cache
def requests() -> list[tuple[str, str]]:
    return [request(random.Random(f"test {i}")) for i in range(SAMPLE)]


def words(text: str, count: int) -> Iterator[tuple[str, ...]]:
    """All rows of so many words."""
    found = re.findall(r"[a-z0-9']+", text.lower())
    return zip(*(found[start:] for start in range(count)), strict=False)


@pytest.mark.parametrize("rule", [*(r for rules in KINDS.values() for r in rules), FOLLOW_UP])
def test_every_kind_of_request_can_be_composed(rule: str) -> None:
    made = {grammar().compose(rule, random.Random(seed)) for seed in range(60)}
    assert len(made) > 30
    for text in made:
        assert text.strip() == text != ""
        assert "a(n)" not in text
        assert not re.search(r"\$[a-z]", text)
        assert not re.search(r"\{[^{}\n]*\|[^{}\n]*\}", text)


def test_all_rules_are_used() -> None:
    used = {FOLLOW_UP, SYSTEM, *MANNERS.values(), *(r for rules in KINDS.values() for r in rules)}
    asked_for = {
        name.lower()
        for alternatives in grammar().rules.values()
        for name in re.findall(r"\$([A-Za-z_]+)", "\n".join(alternatives))
    }
    assert set(grammar().rules) == used | asked_for


def test_all_kinds_come_up_as_often_as_they_shall() -> None:
    shares = Counter(kind for _, kind in requests())
    weight = {kind: sum(rules.values()) for kind, rules in KINDS.items()}
    for kind, count in shares.items():
        assert count / SAMPLE == pytest.approx(weight[kind] / sum(weight.values()), abs=0.02)
    assert set(shares) == set(KINDS)


def test_hardly_any_request_comes_twice() -> None:
    assert len({text for text, _ in requests()}) > 0.95 * SAMPLE


@pytest.mark.skipif(not WORKLOADS.exists(), reason="no benchmark prompts here")
def test_no_benchmarks_prompt_is_among_them() -> None:
    theirs = {
        row
        for path in WORKLOADS.glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
        for turn in json.loads(line)["turns"]
        for row in words(turn, 7)
    }
    assert len(theirs) > 10_000
    composed = [text for text, _ in requests()]
    composed += [text for alternatives in grammar().rules.values() for text in alternatives]
    shared = {" ".join(row) for text in composed for row in words(text, 7)} & {
        " ".join(row) for row in theirs
    }
    assert shared == set()
