from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from eagle.tables import Words, table
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.draws import pick, uniform
from eagle_impl.losslessness.chi_square import Partition, adjusted, upper_tail

END = 2


def by_hand(words: Words) -> Tensor:
    shares = [0.5, 0.5, 0.0] if words else [0.5, 0.4, 0.1]
    return torch.tensor(shares, dtype=torch.float64)


@pytest.mark.parametrize(  # critical values of the usual tables
    ("statistic", "freedom", "p"),
    [
        (3.841, 1, 0.05),
        (10.828, 1, 0.001),
        (11.070, 5, 0.05),
        (29.588, 10, 0.001),
        (124.342, 100, 0.05),
        (0.0, 4, 1.0),
    ],
)
def test_the_tail_is_that_of_the_tables(statistic: float, freedom: int, p: float) -> None:
    assert upper_tail(statistic, freedom) == pytest.approx(p, rel=2e-3)


@given(st.floats(0, 200))
def test_with_two_degrees_of_freedom_the_tail_is_exponential(statistic: float) -> None:
    assert upper_tail(statistic, 2) == pytest.approx(math.exp(-statistic / 2))


def test_holms_method_by_hand() -> None:
    assert adjusted([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert adjusted([0.5, 0.5]) == [1.0, 1.0]
    assert adjusted([0.0, 0.2]) == [0.0, 0.2]
    assert adjusted([]) == []


def test_frequent_texts_have_cells_of_their_own() -> None:
    partition = Partition(by_hand, 100, 2, {END})
    told_apart = {words: n for words, n in partition.expected.items() if -1 not in words}
    assert told_apart == pytest.approx({(0, 0): 25, (0, 1): 25, (1, 0): 20, (1, 1): 20, (2,): 10})
    assert sum(partition.expected.values()) == pytest.approx(100)


def test_rare_texts_are_put_together() -> None:
    partition = Partition(by_hand, 20, 2, {END})
    expected = {(0, 0): 5, (0, 1): 5, (0, -1): 0, (1,): 8, (-1,): 2}
    assert partition.expected == pytest.approx(expected, abs=1e-5)
    texts = [(0, 0)] * 7 + [(0, 1)] * 3 + [(1, 0)] * 4 + [(1, 1)] * 2 + [(2,)] * 4
    fit = partition.fit(texts)
    # The cell of two joins the first of five: (11 - 7)^2 / 7 + (3 - 5)^2 / 5 + (6 - 8)^2 / 8.
    assert fit.statistic == pytest.approx(16 / 7 + 4 / 5 + 1 / 2)
    assert (fit.samples, fit.excluded, fit.freedom) == (20, 0, 2)
    assert fit.p == pytest.approx(math.exp(-fit.statistic / 2))


def test_one_text_that_cannot_occur_is_proof() -> None:
    partition = Partition(by_hand, 100, 2, {END})
    texts = [(0, 0)] * 25 + [(0, 1)] * 25 + [(1, 0)] * 20 + [(1, 1)] * 20 + [(2,)] * 9
    fit = partition.fit([*texts, (0, 2)])
    assert (fit.excluded, fit.p) == (1, 0.0)
    assert partition.fit([*texts, (2,)]).p == pytest.approx(1.0)


def test_where_only_one_thing_can_happen_nothing_is_tested() -> None:
    certain = Partition(lambda words: torch.tensor([0.0, 1.0]), 50, 3)
    assert (certain.fit([(1, 1, 1)] * 50).freedom, certain.fit([(1, 1, 1)] * 50).p) == (0, 1.0)
    # A thousand tokens, all equally likely, are all rare.
    assert Partition(lambda words: torch.ones(1000), 50, 3).expected == {(): 50.0}


def drawn(law: Callable[[Words], Tensor], seed: int, length: int) -> Words:
    words: Words = ()
    while len(words) < length and END not in words:
        words += (pick(law(words), uniform(seed, len(words))),)
    return words


def test_what_is_drawn_from_the_law_is_rejected_as_often_as_it_says() -> None:
    model = table(12, seed=3)

    def law(words: Words) -> Tensor:
        return model(words).softmax(0)

    partition = Partition(law, 150, 3, {END})
    chances = [
        partition.fit([drawn(law, 150 * trial + seed, 3) for seed in range(150)]).p
        for trial in range(100)
    ]
    # Binomial of 100: 10 +- 4 sigma, and 50 +- 4 sigma.
    assert sum(p < 0.1 for p in chances) <= 22
    assert 30 <= sum(p < 0.5 for p in chances) <= 70
