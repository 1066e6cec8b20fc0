from __future__ import annotations

import pytest
import torch
from eagle.scripted import Told
from eagle.tiny import tiny_config, tiny_weights

from eagle_impl.divergence import Divergence, divergence
from eagle_impl.generation import generate
from eagle_impl.targets.llama import LlamaTarget


def test_what_is_the_same_does_not_part() -> None:
    assert divergence(Told([7, 8], prompt=1), [1], [7, 8], (7, 8)) is None


@pytest.mark.parametrize(
    ("ids", "others", "place"),
    [([9, 8], [7, 8], 0), ([7, 8, 5], [7, 8, 6], 2), ([7, 8], [7, 8, 6], 2), ([], [7], 0)],
)
def test_where_two_decodings_part(ids: list[int], others: list[int], place: int) -> None:
    # A scripted logit is 2, all others are 0.
    told = Told([7, 8, 6], prompt=2)
    assert divergence(told, [1, 1], ids, others) == Divergence(place, gap=2.0)


def test_two_tokens_that_are_all_but_equally_likely_have_a_small_gap() -> None:
    config = tiny_config(layers=1, eos_ids=())
    weights = tiny_weights(config)
    target = LlamaTarget(config, weights)
    (best,) = generate(target, [4, 5], max_new_tokens=1)
    other = (best + 1) % config.vocab_size
    weights["lm_head.weight"][other] = weights["lm_head.weight"][best] * (1 - 2**-20)
    near = divergence(LlamaTarget(config, weights), [4, 5], [best], [other])
    assert near is not None
    assert near.place == 0
    assert 0 < near.gap < 1e-4
    weights["lm_head.weight"][other] = torch.zeros(48)
    far = divergence(LlamaTarget(config, weights), [4, 5], [best], [other])
    assert far is not None
    assert far.gap > 0.01
