from __future__ import annotations

import random
from collections import Counter

import pytest
import torch
from eagle.training.talkative import conversation, talkative
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.training.conversations import Conversation
from eagle_impl.training.corpus import (
    Corpus,
    Features,
    draft_vocabulary,
    most_frequent,
    occurrences,
    steps,
)


def one(
    number: int, ids: list[int], start: int, kind: str = "story", *, greedy: bool = True
) -> Conversation:
    return Conversation(number, kind, greedy, torch.tensor(ids), ((start, len(ids)),))


def many(count: int) -> list[Conversation]:
    return [one(n, [n // 100, n // 10 % 10, n % 10, 5, 6, n % 7], 3) for n in range(count)]


# What is held out


def test_about_one_in_so_many_is_held_out() -> None:
    corpus = Corpus.of(many(900), held_out=10)
    assert len(corpus.learnt) + len(corpus.held_out) == 900
    assert 60 < len(corpus.held_out) < 120


def test_the_same_question_is_never_on_both_sides() -> None:
    answers = [one(n, [n % 40, 1, 2, n], 3) for n in range(400)]
    corpus = Corpus.of(answers, held_out=4)
    asked, held = (
        {side.ids[0].item() for side in sides} for sides in (corpus.learnt, corpus.held_out)
    )
    assert held
    assert not asked & held


def test_the_same_conversation_counts_once() -> None:
    corpus = Corpus.of([*many(50), *many(60)], held_out=7)
    numbers = [c.number for c in (*corpus.learnt, *corpus.held_out)]
    assert sorted(numbers) == list(range(60))


def test_more_conversations_change_no_side() -> None:
    few, more = Corpus.of(many(100), held_out=5), Corpus.of(many(200), held_out=5)
    assert {c.number for c in few.held_out} <= {c.number for c in more.held_out}


def test_a_jury_is_greedy_and_of_all_kinds() -> None:
    held = tuple(one(n, [n, 1, 2], 1, kind="ab"[n % 2], greedy=n % 3 != 0) for n in range(20))
    jury = Corpus((), held).jury(most=3)
    assert [c.number for c in jury] == [2, 4, 8, 1, 5, 7]


# Frequent tokens


def test_only_tokens_of_answers_are_counted() -> None:
    two_answers = Conversation(0, "a", True, torch.tensor([1, 1, 2, 3, 1, 3]), ((2, 4), (5, 6)))
    assert occurrences([two_answers, one(1, [9, 2], 1)], 10).tolist() == [0, 0, 2, 2, *[0] * 6]
    assert Corpus((two_answers,), (one(1, [9, 2], 1),)).counts(10)[3] == 2


def test_of_equally_frequent_tokens_the_lower_ids_are_taken() -> None:
    counts = torch.tensor([0, 5, 2, 9, 2, 0, 2])
    assert most_frequent(counts, 4).tolist() == [1, 2, 3, 4]
    assert most_frequent(counts, 99).tolist() == list(range(7))


@pytest.mark.parametrize(
    ("coverage", "size", "share"),
    [(0.5, 1024, 0.75), (0.75, 1024, 0.75), (0.76, 2048, 1.0), (1.0, 2048, 1.0)],
)
def test_a_draft_vocabulary_covers_its_share(coverage: float, size: int, share: float) -> None:
    counts = torch.zeros(5000, dtype=torch.int64)
    counts[1000:2024] = 3
    counts[3000:4024] = 1
    vocabulary, covered = draft_vocabulary(counts, coverage)
    assert (len(vocabulary), covered) == (size, pytest.approx(share))
    assert vocabulary.ids[:1024].tolist() == list(range(1000, 2024))
    assert torch.equal(vocabulary.ids, vocabulary.ids.sort().values)


def test_a_draft_vocabulary_is_no_larger_than_the_targets() -> None:
    vocabulary, covered = draft_vocabulary(torch.ones(61, dtype=torch.int64), 0.98)
    assert (len(vocabulary), covered) == (61, pytest.approx(1.0))


# Features


def test_kept_features_are_used_and_others_computed() -> None:
    target = talkative()
    kept, plain = (conversation(target, seed=1, keeps=keeps) for keeps in (True, False))
    assert kept.features is not None
    assert torch.equal(Features(target).of(kept), kept.features.float())
    computed = Features(target).of(plain)
    assert torch.allclose(computed, kept.features.float(), rtol=1e-2, atol=1e-2)
    assert computed.requires_grad is False
    (torch.ones(48, requires_grad=True) * computed).sum().backward()


# Batches


@given(
    st.lists(st.integers(2, 60), min_size=1, max_size=200),
    st.integers(20, 120),
    st.integers(1, 3),
    st.integers(),
)
def test_steps_hold_everything_once_in_batches_that_are_not_too_large(
    lengths: list[int], tokens: int, lanes: int, seed: int
) -> None:
    plan = steps(lengths, tokens, lanes, random.Random(seed))
    batches = [batch for step in plan for batch in step]
    assert Counter(at for batch in batches for at in batch) == Counter(range(len(lengths)))
    for batch in batches:
        padded = len(batch) * max(lengths[at] for at in batch)
        assert len(batch) == 1 or padded <= tokens
    assert all(1 <= len(step) <= lanes for step in plan)
    assert sum(len(step) < lanes for step in plan) <= 1
    assert plan == steps(lengths, tokens, lanes, random.Random(seed))


def test_padding_is_a_small_part() -> None:
    chance = random.Random(0)
    lengths = [int(20 + chance.random() * 500) for _ in range(2000)]
    plan = steps(lengths, 1536, 2, chance)
    padded = sum(len(b) * max(lengths[at] for at in b) for step in plan for b in step)
    assert padded < 1.05 * sum(lengths)
    assert padded > 0.8 * 1536 * 2 * len(plan)


def test_steps_come_in_another_order_each_time() -> None:
    lengths = [7] * 50
    first, second = (steps(lengths, 21, 2, random.Random(seed)) for seed in range(2))
    assert first != second
