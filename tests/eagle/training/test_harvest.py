from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from eagle.training.talkative import EOS, talkative, tiny_text

from eagle_impl.errors import CheckpointError
from eagle_impl.training import harvest as harvest_module
from eagle_impl.training.conversations import Conversation
from eagle_impl.training.harvest import harvest
from eagle_impl.training.progress import Progress
from eagle_impl.training.recipe import Recipe
from eagle_impl.training.scripts import Scripts

RECIPE = Recipe(700, 1, script_batch=6, slots=6, context=400)


def gather(folder: Path, *, workers: int = 1, **changes: Any) -> list[Conversation]:
    return harvest(
        talkative(),
        Scripts(tiny_text(), (EOS,), seed=1),
        msgspec.structs.replace(RECIPE, **changes),
        folder,
        workers=workers,
        progress=Progress(quiet=True),
    )


def plain(conversations: list[Conversation]) -> list[tuple[Any, ...]]:
    return [(c.number, c.kind, c.greedy, c.ids.tolist(), c.responses) for c in conversations]


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> list[Conversation]:
    return gather(tmp_path_factory.mktemp("right"))


def test_enough_is_gathered_and_no_more(right: list[Conversation]) -> None:
    shards = [one.number // 6 for one in right]
    assert shards == sorted(shards)
    assert shards[-1] > 0
    assert sum(one.response_tokens for one in right) >= 700
    before = [one for one in right if one.number // 6 < shards[-1]]
    assert sum(one.response_tokens for one in before) < 700


def test_features_are_kept(right: list[Conversation]) -> None:
    assert all(one.features is not None for one in right)


def test_features_that_would_fill_the_disk_are_not(
    tmp_path: Path, right: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harvest_module, "FEATURE_BYTES", 1000)
    found = gather(tmp_path)
    assert all(one.features is None for one in found)
    assert plain(found) == plain(right)


@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_workers_changes_nothing(
    tmp_path: Path, right: list[Conversation], workers: int
) -> None:
    assert plain(gather(tmp_path, workers=workers)) == plain(right)


def test_what_is_there_is_not_made_again(
    tmp_path: Path, right: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    gather(tmp_path)

    def converse(*_: object, **__: object) -> None:
        raise AssertionError("nothing is missing")

    monkeypatch.setattr(harvest_module, "converse", converse)
    assert plain(gather(tmp_path)) == plain(right)


def test_what_is_there_says_nothing_about_the_speed(tmp_path: Path) -> None:
    gather(tmp_path)
    advanced = list[tuple[int, bool]]()

    class Watched(Progress):
        def advance(self, units: int, *, counts: bool = True) -> None:
            advanced.append((units, counts))

    harvest(
        talkative(),
        Scripts(tiny_text(), (EOS,), seed=1),
        RECIPE,
        tmp_path,
        workers=1,
        progress=Watched(quiet=True),
    )
    assert sum(units for units, _ in advanced) >= RECIPE.response_tokens
    assert not any(counts for _, counts in advanced)


def test_a_kill_costs_no_more_than_the_shards_at_work(
    tmp_path: Path, right: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    original, calls = harvest_module.converse, []

    class Killed(BaseException):
        pass

    def dies(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        for one in original(*arguments, **named):
            yield one
            if len(calls) == 2:
                raise Killed

    monkeypatch.setattr(harvest_module, "converse", dies)
    with pytest.raises(Killed):
        gather(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"00000.npz", "00000.features.npy"}
    monkeypatch.undo()
    assert plain(gather(tmp_path)) == plain(right)


def test_more_can_be_gathered_later(tmp_path: Path, right: list[Conversation]) -> None:
    gather(tmp_path, response_tokens=150)
    assert plain(gather(tmp_path)) == plain(right)


def test_a_damaged_shard_is_reported(tmp_path: Path) -> None:
    gather(tmp_path)
    (tmp_path / "00000.npz").write_bytes(b"PK")
    with pytest.raises(CheckpointError, match=r"00000\.npz"):
        gather(tmp_path)


def test_another_seed_makes_other_conversations(tmp_path: Path, right: list[Conversation]) -> None:
    other = harvest(
        talkative(),
        Scripts(tiny_text(), (EOS,), seed=2),
        RECIPE,
        tmp_path,
        workers=1,
        progress=Progress(quiet=True),
    )
    assert not {one.ids.numpy().tobytes() for one in other} & {
        one.ids.numpy().tobytes() for one in right
    }
