"""Two hundred commands, sensible and senseless, on a small registry: nothing is ever lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from editing.desk import Desk, cited, undone
from world import World, assertion, evidence, small_world, tracked

from registry.records.outline import tracked_fields
from registry.store.edit import same

COMMANDS = 220
PAPERS = ("roots", "stems", "leaves")
VALUES: dict[str, tuple[str, ...]] = {
    "title": ("Draft Bushes", "no", "2401.15070"),
    "year": ("2024", "2025", "2026", "soon"),
    "pages": ("101-112", "101-113", "1-9"),
    "venue": ("ict", "preprints", "nowhere"),
    "volume": ("7", "12", "A"),
    "doi": ("10.5555/trees.1", "10.5555/trees.2", "doi"),
    "authors": ("Ada Abel; Bo van Berg", "Abel, Ada", "[{family: 1}]"),
    "published": ("2025-02-03", "2025-02-30"),
    "shade": ("dark",),
}
SOURCES = ("proceedings", "index", "copycat", "archive", "forum", "nobody")
DISPUTED = ("year", "pages", "volume")


def forest(root: Path) -> World:
    """Three papers on which five sources disagree."""
    records = {
        key: record
        for key, record in small_world().items()
        if record["kind"] in ("source", "venue", "organization")
    }
    for name in ("archive", "forum"):
        records[f"source/{name}"] = {"kind": "source", "id": name, "name": name, "type": "index"}
    for number, paper in enumerate(PAPERS):
        for place, source in enumerate(SOURCES[:5]):
            said: dict[str, Any] = {"title": "Draft Bushes"}
            for name in DISPUTED:
                value = VALUES[name][(place + number) % 2]
                said[name] = int(value) if name == "year" else value
            item = evidence(f"paper/{paper}", source, observation=said)
            records[f"evidence/{source}-{paper}"] = item | {"id": f"{source}-{paper}"}
        records[f"paper/{paper}"] = {
            "kind": "paper",
            "id": paper,
            "title": tracked("asserted", assertion("Draft Bushes", because="Seen.")),
            "authors": tracked("asserted", assertion([{"family": "Abel"}], because="Seen.")),
            **{name: disputed(name) for name in DISPUTED},
        }
    return World(records, root)


def disputed(name: str) -> dict[str, Any]:
    """A field that holds what the sources say."""
    one, other = (int(text) if name == "year" else text for text in VALUES[name][:2])
    return tracked(
        "contested",
        assertion(one, because="Seen."),
        assertion(other, rank="normal", because="Seen elsewhere."),
    )


@dataclass
class Walk:
    """What was done, and what must still be there."""

    desk: Desk
    diffs: list[tuple[str, str]] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)
    refused: int = 0

    def step(self, words: list[str], day: date) -> None:
        before = {paper: self.desk.path(f"paper/{paper}").read_bytes() for paper in PAPERS}
        facts = {paper: self.desk.data(f"paper/{paper}") for paper in PAPERS}
        outcome = self.desk.run(*words, day=day.isoformat())  # type: ignore[misc]
        assert outcome.code in (0, 1, 2), outcome
        assert "internal" not in outcome.err
        changed = [
            paper
            for paper in PAPERS
            if self.desk.path(f"paper/{paper}").read_bytes() != before[paper]
        ]
        if outcome.code:
            self.refused += 1
            assert not changed, outcome
            return
        assert changed == [words[1]], outcome
        after = self.desk.path(f"paper/{words[1]}").read_bytes()
        assert undone(outcome.out, after) == before[words[1]]
        nothing_lost(facts[words[1]], self.desk.data(f"paper/{words[1]}"))
        self.diffs.append((words[1], outcome.out))
        self.done[words[0]] = self.done.get(words[0], 0) + 1


def nothing_lost(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Assert that all of a record is still there; only ranks and reasons may have changed."""
    now = dict(tracked_fields("paper", after))
    for path, old in tracked_fields("paper", before):
        new = now[path]
        assert len(new["assertions"]) >= len(old["assertions"])
        for was, is_ in zip(old["assertions"], new["assertions"], strict=False):
            for key in ("value", "recorded", "by", "basis", "inferred_from", "supersedes"):
                assert same(was.get(key), is_.get(key))
            cited_before = was.get("evidence", [])
            assert is_.get("evidence", [])[: len(cited_before)] == cited_before
            assert is_.get("because", "").startswith(was.get("because", ""))
            if was["rank"] != is_["rank"]:
                assert is_["because"] != was.get("because")
        assert new.get("contested_because", "").startswith(old.get("contested_because", ""))
        assert decisions(new)[: len(decisions(old))] == decisions(old)
        assert sum(one["rank"] == "preferred" for one in new["assertions"]) == 1
    untracked = before.keys() - {path[0] for path, _ in tracked_fields("paper", before)}
    assert all(same(before[key], after[key]) for key in untracked)


def decisions(data: dict[str, Any]) -> list[Any]:
    return [*data.get("past_decisions", []), *filter(None, [data.get("decision")])]


def command(random: Random, number: int) -> list[str]:
    paper = random.choice(PAPERS)
    name = random.choice([*VALUES, *DISPUTED, *DISPUTED])
    sources = random.sample(SOURCES, random.choice((1, 1, 2)))
    value = random.choice(VALUES[name])
    if name in DISPUTED and random.random() < 0.6:
        # Sources that say so: every second one, beginning with another for each paper.
        says = (PAPERS.index(paper) + VALUES[name].index(value)) % 2
        sources = [random.choice(SOURCES[says:5:2])]
    proof = cited(*(f"{source}-{paper}" for source in sources))
    signed = ["--because", f"Reason {number}, {'in many words, ' * random.randint(0, 9)}as it is."]
    signed += ["--by", random.choice(("mira", "noor"))]
    rarely = 0.1 if name in DISPUTED else 0.7
    guess = ["--inferred-from", "A look at the spine."] if random.random() < rarely else []
    which = random.choices(("correct", "contest", "settle", "withdraw"), (6, 3, 4, number // 150))[
        0
    ]
    if which == "correct":
        more = ["--contested-because", "Who knows?"] if random.random() < 0.3 else []
        return [which, paper, name, value, *proof, *signed, *guess, *more]
    if which == "contest":
        rival = ["--value", value, *proof, *guess] if random.random() < 0.6 else []
        return [which, paper, name, *rival, *signed]
    if which == "settle":
        begin = random.randint(0, 1)
        losers = SOURCES[begin:5:2] if random.random() < 0.7 else random.sample(SOURCES, 2)
        return [which, paper, name, *(f"--source={one}" for one in losers), *signed]
    return [which, paper, *signed, "--reason", "superseded", "--successor", random.choice(PAPERS)]


def test_any_walk_loses_nothing_and_can_be_undone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(forest(tmp_path / "forest").write(), capsys)
    began = {paper: desk.path(f"paper/{paper}").read_bytes() for paper in PAPERS}
    first = desk.run("verify")
    assert first.code == 0, first.out
    random, walk, day = Random(20260601), Walk(desk), date(2026, 2, 1)
    for number in range(COMMANDS):
        day += timedelta(days=random.random() < 0.3)
        early = timedelta(days=30 if random.random() < 0.05 else 0)
        walk.step(command(random, number), day - early)
        if number % 20 == 0:
            assert desk.run("verify").code == 0
    assert desk.run("verify").code == 0
    # It went far: most kinds of change were made, many more than once, and many were refused.
    assert walk.done["correct"] >= 20
    assert walk.done["contest"] >= 20
    assert walk.done["settle"] >= 3
    assert walk.refused >= 40
    now = {paper: desk.path(f"paper/{paper}").read_bytes() for paper in PAPERS}
    for paper, diff in reversed(walk.diffs):
        now[paper] = undone(diff, now[paper])
    assert now == began
