from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from eagle.training.talkative import CONFIG, conversation, talkative
from torch import Tensor

from eagle_impl.drafters.head import HeadConfig
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import CheckpointError
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.training.alignment import align
from eagle_impl.training.corpus import Corpus
from eagle_impl.training.losses import losses
from eagle_impl.training.progress import Progress
from eagle_impl.training.recipe import Recipe
from eagle_impl.training.trainer import Trainer, new_head

RECIPE = Recipe(
    1, 6, lane_tokens=100, learning_rate=3e-3, warmup=0.1, classified_ids=100, judgements=2
)
VOCABULARY = DraftVocabulary.of(list(range(CONFIG.vocab_size)), CONFIG.vocab_size)


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1, initializer=torch.set_num_threads, initargs=(1,)) as found:
        yield found


@pytest.fixture(scope="module")
def target() -> LlamaTarget:
    return talkative()


@pytest.fixture(scope="module")
def corpus(target: LlamaTarget) -> Corpus:
    learnt = [conversation(target, s, answer=12 + s % 17, keeps=s % 2 == 0) for s in range(48)]
    return Corpus(tuple(learnt), tuple(conversation(target, s) for s in range(100, 104)))


class Bench:
    """Trainers that share everything but the folder."""

    def __init__(self, target: LlamaTarget, corpus: Corpus, folder: Path) -> None:
        self.target, self.corpus, self.folder = target, corpus, folder
        self.log = list[dict[str, Any]]()

    def trainer(self, seed: int = 0, **changes: Any) -> Trainer:
        recipe = msgspec.structs.replace(RECIPE, **changes)
        path = self.folder / "checkpoint.pt"
        return Trainer(self.target, self.corpus, VOCABULARY, recipe, seed, path)

    def run(self, pool: Executor, seed: int = 0, **changes: Any) -> dict[str, Tensor]:
        trainer = self.trainer(seed, **changes)
        trainer.run(pool, self.log.append, Progress(quiet=True))
        return {name: w.clone() for name, w in trainer.head.state_dict().items()}


@pytest.fixture
def bench(target: LlamaTarget, corpus: Corpus, tmp_path: Path) -> Bench:
    return Bench(target, corpus, tmp_path)


def same(first: dict[str, Tensor], second: dict[str, Tensor]) -> bool:
    return all(torch.equal(first[name], second[name]) for name in first)


def test_a_head_learns(bench: Bench, pool: Executor) -> None:
    bench.run(pool, epochs=30)
    lines = [line for line in bench.log if "held_out" not in line]
    assert lines[-1]["loss"] < 0.6 * lines[0]["loss"]
    assert lines[-1]["top1"] > 0.5
    assert lines[0]["step"] == 20


def test_a_killed_run_gives_the_very_same_head(
    bench: Bench, pool: Executor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    right = bench.run(pool)
    whole, bench.log = bench.log, []
    bench.folder = tmp_path / "killed"
    bench.folder.mkdir()
    monkeypatch.setattr("eagle_impl.training.trainer.CHECKPOINT_SECONDS", -1.0)

    class Killed(BaseException):
        pass

    class Dies(Progress):
        def advance(self, units: int, *, counts: bool = True) -> None:
            if trainer.step == 33:
                raise Killed

    trainer = bench.trainer()
    assert trainer.steps > 40
    with pytest.raises(Killed):
        trainer.run(pool, bench.log.append, Dies(quiet=True))
    assert bench.trainer().step == 20
    before = [line for line in bench.log if line["step"] <= 20]
    bench.log = []
    assert same(bench.run(pool), right)

    def timeless(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: v for key, v in line.items() if key != "seconds"} for line in lines]

    assert timeless(before + bench.log) == timeless(whole)


def test_a_finished_run_is_not_made_again(bench: Bench, pool: Executor) -> None:
    right = bench.run(pool)
    bench.log = []
    assert same(bench.run(pool), right)
    assert bench.log == []


def test_the_number_of_cores_changes_nothing(bench: Bench, pool: Executor, tmp_path: Path) -> None:
    right = bench.run(pool)
    bench.folder = tmp_path / "two"
    bench.folder.mkdir()
    with ThreadPoolExecutor(2, initializer=torch.set_num_threads, initargs=(1,)) as two:
        assert same(bench.run(two), right)


def test_the_seed_decides(bench: Bench, pool: Executor, tmp_path: Path) -> None:
    right = bench.run(pool, epochs=1)
    bench.folder = tmp_path / "other"
    bench.folder.mkdir()
    assert not same(bench.run(pool, seed=1, epochs=1), right)


def test_gradients_are_those_of_the_mean_over_all_rows_that_count(
    bench: Bench, pool: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However conversations are spread over lanes, and however much padding there is."""
    monkeypatch.setattr(
        "eagle_impl.training.trainer.disturbed", lambda features, generator: features
    )
    trainer = bench.trainer(lane_tokens=150)
    step = trainer._plan[0]
    batches = [[bench.corpus.learnt[at] for at in lane] for lane in step]
    assert len(batches) == 2
    assert any(len({len(one.ids) for one in batch}) > 1 for batch in batches)
    rows = sum(one.response_tokens for batch in batches for one in batch)
    found = [trainer._lane(lane, batch, rows)[0] for lane, batch in enumerate(batches)]

    head, target = trainer._head, bench.target
    of_rows = []
    for one in (one for batch in batches for one in batch):
        pairs = align(one.ids, trainer._features.of(one), one.in_response)
        embeddings = target.embedding_weight[pairs.ids]
        predicted = head(embeddings[None], pairs.features[None])[0]
        lm_head = trainer._lm_head
        of_rows.append(losses(predicted[pairs.counts], pairs.wanted[pairs.counts], lm_head).total)
    mean = torch.cat(of_rows).mean()
    right = torch.autograd.grad(mean, list(head.parameters()))
    for first, second, wanted in zip(*found, right, strict=True):
        assert torch.allclose(first + second, wanted, rtol=1e-3, atol=1e-6)


def test_the_learning_rate_rises_and_falls(bench: Bench) -> None:
    trainer = bench.trainer(epochs=20, warmup=0.1)
    rates = []
    for step in range(trainer.steps):
        trainer.step = step
        rates.append(trainer._rate())
    top = rates.index(max(rates))
    assert top == pytest.approx(0.1 * trainer.steps, abs=1.0)
    assert max(rates) == pytest.approx(3e-3)
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    half = round(0.55 * trainer.steps)
    assert rates[half] == pytest.approx(3e-3 * 0.51, rel=0.05)
    assert rates[-1] == pytest.approx(3e-3 * 0.02, rel=0.05)


def test_a_head_is_judged_as_often_as_asked_and_at_the_end(bench: Bench, pool: Executor) -> None:
    bench.run(pool, judgements=3, epochs=2)
    judged = [line["step"] for line in bench.log if line.get("held_out") == "all"]
    steps = bench.trainer(epochs=2).steps
    assert judged == [-(-steps // 3), -(-2 * steps // 3), steps]


def test_embeddings_and_features_are_scaled_to_unit_size(bench: Bench) -> None:
    trainer = bench.trainer()
    scales = trainer._head.fc.scales
    assert isinstance(scales, Tensor)
    ids = torch.cat([one.ids for one in bench.corpus.learnt])
    features = torch.cat([trainer._features.of(one) for one in bench.corpus.learnt])
    of_embeddings = bench.target.embedding_weight[ids] * scales[:48]
    assert of_embeddings.square().mean() == pytest.approx(1.0, rel=1e-3)
    assert (features * scales[48:]).square().mean() == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("content", [b"", b"nonsense", None])
def test_a_damaged_checkpoint_is_named(bench: Bench, pool: Executor, content: bytes | None) -> None:
    bench.run(pool, epochs=1)
    path = bench.folder / "checkpoint.pt"
    path.write_bytes(path.read_bytes()[:5000] if content is None else content)
    with pytest.raises(CheckpointError, match=r"checkpoint\.pt: cannot be read") as caught:
        bench.trainer(epochs=1)
    assert "\n" not in caught.value.message


def test_a_new_head_depends_on_the_seed_alone() -> None:
    config = HeadConfig.like(CONFIG)
    torch.manual_seed(5)
    first = new_head(config, seed=1).state_dict()
    torch.manual_seed(6)
    assert same(new_head(config, seed=1).state_dict(), first)
    assert not same(new_head(config, seed=2).state_dict(), first)
