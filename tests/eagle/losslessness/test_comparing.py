from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from eagle.losslessness.small import WARM, Believing, Markov
from eagle.tiny import tiny_config, tiny_weights
from torch import Tensor

from eagle_impl.draws import uniform
from eagle_impl.losslessness import comparing
from eagle_impl.losslessness.comparing import Difference, Pair, compare, logits_after
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import chain
from eagle_impl.targets.interface import Cache, Judgement
from eagle_impl.targets.llama import LlamaTarget

GREEDY = Sampler()


class Torn(Markov):
    """Computes something else when there are several tokens at once."""

    def __init__(self, alone: list[float], together: list[float]) -> None:
        super().__init__(torch.tensor(alone).expand(5, 5))
        self.together = torch.tensor(together)

    def verify(self, ids: Tensor, positions: Tensor, mask: Tensor, cache: Cache) -> Judgement:
        judged = super().verify(ids, positions, mask, cache)
        if ids.numel() == 1:
            return judged
        return Judgement(self.together.expand_as(judged.logits), judged.features)


def compared(target: Markov, sampler: Sampler = GREEDY, seed: int = 0) -> Pair:
    return compare(target, Believing(chain(2), likeliest=True), [1, 2], sampler, seed, 12)


@pytest.mark.parametrize("sampler", [GREEDY, WARM])
def test_equal_ids_are_found_equal(sampler: Sampler) -> None:
    pair = compared(Markov(), sampler)
    assert pair.difference is None
    assert pair.plain == pair.drafted
    assert len(pair.plain) == 12
    assert 4 <= pair.cycles <= 11


def test_a_tie_is_told_from_a_fault() -> None:
    tie = compared(Torn([2.0, 1.9995, 0, 0, 0], [1.9995, 2.0, 0, 0, 0])).difference
    assert tie is not None
    assert (tie.place, tie.plain, tie.drafted, tie.leaders) == (1, 0, 1, (0, 1))
    assert tie.logits == pytest.approx((2.0, 1.9995))
    assert tie.gap == pytest.approx(0.0005, rel=1e-3)
    assert tie.distance == pytest.approx(0.0005, rel=1e-3)
    assert tie.near
    fault = compared(Torn([2.0, 1.9995, 0, 1.75, 0], [0, 0, 0, 3.0, 0])).difference
    assert fault is not None
    assert (fault.place, fault.plain, fault.drafted, fault.leaders) == (1, 0, 3, (0, 1))
    assert fault.distance == pytest.approx(0.25)  # the two likeliest are near, but not this one
    assert not fault.near


def test_of_equal_logits_the_lower_id_leads() -> None:
    found = compared(Torn([0.0, 2.0, 0.0, 2.0, 0.0], [0, 0, 0, 3.0, 0])).difference
    assert found is not None
    assert (found.plain, found.leaders, found.gap, found.distance) == (1, (1, 3), 0.0, 0.0)
    assert found.near


@pytest.mark.parametrize(("shift", "near"), [(0.1, False), (0.0001, True)])
def test_draws_are_as_near_as_their_number_is_to_the_other_tokens(shift: float, near: bool) -> None:
    alone = torch.tensor([0.4, 0.3, 0.1, 0.1, 0.1]).log().tolist()
    together = torch.tensor([0.4 - shift, 0.3 + shift, 0.1, 0.1, 0.1]).log().tolist()
    # The first token is drawn alone in both; the second is the first that can differ.
    seed = next(seed for seed in range(10**6) if 0.4 - shift < uniform(seed, 1) < 0.4)
    found = compared(Torn(alone, together), WARM, seed).difference
    assert found is not None
    assert (found.place, found.plain, found.drafted) == (1, 0, 1)
    assert found.distance == pytest.approx(0.4 - uniform(seed, 1), abs=1e-6)
    assert found.near == near


def test_going_on_after_the_end_is_no_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(target: Any, prompt: Any, *, drafter: Any, **more: Any) -> Iterator[int]:
        yield from (3, 4) if drafter is None else (3, 4, 0)

    monkeypatch.setattr(comparing, "generate", told)
    found = compared(Markov()).difference
    assert isinstance(found, Difference)
    assert (found.place, found.plain, found.drafted) == (2, None, 0)
    assert (found.distance, found.near) == (None, False)


def test_logits_after_some_ids_are_those_of_the_whole_text() -> None:
    config = tiny_config(layers=2)
    target = LlamaTarget(config, tiny_weights(config))
    prompt, ids = [5, 9, 30], [7, 7, 11, 2]
    whole = target.prefill(torch.tensor([*prompt, *ids]), target.new_cache(7)).logits[0]
    assert torch.allclose(logits_after(target, prompt, ids), whole, atol=1e-5)
    alone = target.prefill(torch.tensor(prompt), target.new_cache(3)).logits[0]
    assert torch.equal(logits_after(target, prompt, []), alone)
