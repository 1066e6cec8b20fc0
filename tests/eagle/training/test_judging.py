from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest
import torch
from eagle.drafters.head_target import HeadTarget, random_head
from eagle.training.talkative import conversation, talkative

from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.generation import Statistics, generate
from eagle_impl.static_trees import chain
from eagle_impl.training.conversations import Conversation
from eagle_impl.training.corpus import Features
from eagle_impl.training.judging import DEPTH, chains, judge

PROMPT = (3, 14, 15, 9, 26, 5)


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as found:
        yield found


def text_of(ids: list[int], *spans: tuple[int, int]) -> Conversation:
    return Conversation(0, "story", True, torch.tensor(ids), spans)


def drafts(rows: dict[int, list[int]], count: int) -> torch.Tensor:
    """By row what is drafted after it; 99, which is in no text, elsewhere. [depths, rows]."""
    table = torch.full((count, DEPTH), 99)
    for row, tokens in rows.items():
        table[row, : len(tokens)] = torch.tensor(tokens)
    return table.t()


def test_chains_worked_by_hand() -> None:
    #       prompt   answer
    text = [10, 11, 20, 21, 22, 23, 24, 25]
    # Row i is what is drafted after the token at i + 1.
    table = drafts({1: [21, 22, 99], 2: [22], 4: [24, 25]}, count=7)
    tried, held, cycles, tokens = chains(table, text_of(text, (2, 8)))
    # After 20: 21 and 22 hold, the third token does not. After 21: one holds. After 22: none.
    # After 23: two hold, and there is no more text. After 24: none. After 25 nothing is to come.
    assert tried == [5, 3, 1, 0, 0]
    assert held == [3, 2, 0, 0, 0]
    # From 20 the first cycle emits 21, 22, 23; the second 24 and 25, and what would follow.
    assert (cycles, tokens) == (2, 5)


def test_each_answer_is_judged_by_itself() -> None:
    text = [10, 20, 21, 11, 30, 31, 32]
    table = drafts({0: [21, 11], 3: [31, 32]}, count=6)
    tried, held, cycles, tokens = chains(table, text_of(text, (1, 3), (4, 7)))
    assert (tried, held) == ([3, 1, 0, 0, 0], [2, 1, 0, 0, 0])
    assert (cycles, tokens) == (2, 3)


def test_an_answer_of_one_token_is_over_before_anything_is_drafted() -> None:
    assert chains(drafts({}, count=2), text_of([1, 2, 3], (2, 3))) == ([0] * 5, [0] * 5, 0, 0)


@pytest.mark.parametrize("error", [0.0, 0.02, 0.05, 1.0])
def test_tau_is_that_of_generating(pool: Executor, error: float) -> None:
    """Heads from perfect to useless, and the very numbers that decoding with them gives."""
    head = random_head()
    target = HeadTarget(head)
    torch.manual_seed(0)
    with torch.no_grad():
        worse = random_head()
        for weight in worse.parameters():
            weight += error * torch.randn(weight.shape) * weight.abs().mean()
    ids = [t for t in range(31) if t % 5]
    vocabulary = DraftVocabulary.of(ids, 31)
    drafter = EagleDrafter(worse, target, chain(DEPTH), vocabulary)
    statistics = Statistics()
    text = list(generate(target, PROMPT, drafter=drafter, max_new_tokens=40, statistics=statistics))
    one = text_of([*PROMPT, *text], (len(PROMPT), len(PROMPT) + 40))
    found = judge(worse, target, vocabulary, [one], _Exact(target), pool)["all"]
    assert found.tau == pytest.approx(statistics.tau)
    assert 0.0 <= found.acceptance[0] <= 1.0


def test_heads_are_judged_by_kind(pool: Executor) -> None:
    target = talkative()
    torch.manual_seed(0)
    head = EagleHead(HeadConfig.like(target.config))
    jury = [conversation(target, seed, kind="ab"[seed % 2]) for seed in range(5)]
    vocabulary = DraftVocabulary.of(list(range(272)), 272)
    found = judge(head, target, vocabulary, jury, Features(target), pool)
    assert list(found) == ["a", "all", "b"]
    # 3 and 2 conversations of one length: the mean of all lies between, at 3 to 2.
    for name in ("loss", "regression", "classification"):
        a, both, b = (getattr(found[kind], name) for kind in ("a", "all", "b"))
        assert both == pytest.approx((3 * a + 2 * b) / 5)
    assert found["a"].loss == pytest.approx(found["a"].regression + 0.1 * found["a"].classification)


class _Exact(Features):
    """Not rounded, so that nothing can differ."""

    def of(self, one: Conversation) -> torch.Tensor:
        cache = self._target.new_cache(len(one.ids))
        return self._target.prefill(one.ids, cache).features.clone()
