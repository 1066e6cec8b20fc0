from __future__ import annotations

from pathlib import Path

import pytest
import torch

from eagle_impl.errors import CheckpointError
from eagle_impl.training.conversations import Conversation, read_shard, write_shard


def some(*, features: bool = False) -> list[Conversation]:
    torch.manual_seed(0)

    def one(number: int, kind: str, ids: list[int], *spans: tuple[int, int]) -> Conversation:
        kept = torch.randn(len(ids), 3).half() if features else None
        return Conversation(number, kind, number % 2 == 0, torch.tensor(ids), spans, kept)

    return [
        one(4, "story", [5, 6, 7, 8, 9], (2, 4)),
        one(7, "self-asked", [1, 2, 3, 4, 5, 65535], (1, 2), (4, 6)),
    ]


def same(first: list[Conversation], second: list[Conversation]) -> bool:
    def plain(one: Conversation) -> tuple[object, ...]:
        features = None if one.features is None else one.features.tolist()
        return one.number, one.kind, one.greedy, one.ids.tolist(), one.responses, features

    return [*map(plain, first)] == [*map(plain, second)]


def test_answers_are_where_their_spans_say() -> None:
    _, two = some()
    assert two.response_tokens == 3
    assert two.in_response.tolist() == [False, True, False, False, True, True]


@pytest.mark.parametrize("features", [False, True])
def test_what_is_written_is_read(tmp_path: Path, features: bool) -> None:
    path = tmp_path / "00000.npz"
    write_shard(path, some(features=features), vocab_size=1 << 16)
    assert same(read_shard(path), some(features=features))
    assert len(list(tmp_path.iterdir())) == 1 + features


def test_ids_of_a_large_vocabulary_are_kept_whole(tmp_path: Path) -> None:
    path = tmp_path / "00000.npz"
    large = Conversation(0, "story", True, torch.tensor([3, 128_255]), ((0, 2),))
    write_shard(path, [large], vocab_size=128_256)
    assert read_shard(path)[0].ids.tolist() == [3, 128_255]


def test_a_shard_may_hold_nothing(tmp_path: Path) -> None:
    path = tmp_path / "00000.npz"
    write_shard(path, [], vocab_size=100)
    assert read_shard(path) == []


def test_features_of_a_part_of_a_shard_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "00000.npz"
    write_shard(path, [some(features=True)[0], some()[1]], vocab_size=1 << 16)
    assert same(read_shard(path), some())


def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "00000.npz"
    write_shard(path, some(), vocab_size=1 << 16)

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("numpy.savez_compressed", full)
    with pytest.raises(OSError, match="no space"):
        write_shard(path, some()[:1], vocab_size=1 << 16)
    assert same(read_shard(path), some())
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("damage", ["cut", "empty", "other"])
def test_a_damaged_shard_is_named(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "00000.npz"
    write_shard(path, some(features=True), vocab_size=1 << 16)
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[:200], "empty": b"", "other": b"<html>"}[damage])
    with pytest.raises(CheckpointError, match=r"00000\.npz: cannot be read"):
        read_shard(path)


def test_damaged_features_are_named(tmp_path: Path) -> None:
    path = tmp_path / "00000.npz"
    write_shard(path, some(features=True), vocab_size=1 << 16)
    features = tmp_path / "00000.features.npy"
    whole = features.read_bytes()
    write_shard(tmp_path / "other.npz", some(features=True)[:1], vocab_size=1 << 16)
    others = (tmp_path / "other.features.npy").read_bytes()
    for damage in (b"", b"<html>", whole[:-8], others):
        features.write_bytes(damage)
        with pytest.raises(CheckpointError, match=r"00000\.features\.npy: cannot be read") as said:
            read_shard(path)
        assert "npz" not in said.value.message
    features.unlink()
    assert same(read_shard(path), some())
