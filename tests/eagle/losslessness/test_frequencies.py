from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
from eagle.losslessness.small import WARM, Believing, Markov
from eagle.tiny import tiny_config, tiny_weights
from torch import Tensor

from eagle_impl import acceptance
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.errors import PromptError
from eagle_impl.losslessness.frequencies import Counts, count, drafts_are_drawn
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import StaticTree, chain
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.trees import TreeShape

SIBLINGS = StaticTree(((0,), (1,), (0, 0), (0, 1)))
PROMPT = [2, 3]
SAMPLES = 1000

Outcomes = Callable[[Tensor, Sequence[int], Tensor], Tensor]


def counted(shape: StaticTree) -> Counts:
    return count(Markov(ends=(4,)), Believing(shape), PROMPT, WARM, range(SAMPLES))


@pytest.mark.parametrize("shape", [chain(2), SIBLINGS], ids=["chain", "siblings"])
def test_the_right_rule_passes(shape: StaticTree) -> None:
    told = counted(shape)
    assert told.fit.p > 1e-3
    assert told.fit.freedom > 10
    assert told.fit.samples == SAMPLES
    assert 0.1 < told.held / told.tried < 0.95  # both ways of going on were tried


def normalised(weights: Tensor) -> Tensor:
    return weights / weights.sum()


def always_accepted(target: Tensor, drafted: Sequence[int], drawn_from: Tensor) -> Tensor:
    if not drafted:
        return target.double()
    chances = torch.zeros(len(drafted) + target.numel(), dtype=torch.float64)
    chances[0] = 1.0
    return chances


def target_itself_after_rejections(
    target: Tensor, drafted: Sequence[int], drawn_from: Tensor
) -> Tensor:
    right = acceptance.outcomes(target, drafted, drawn_from)
    children = len(drafted)
    return torch.cat([right[:children], right[children:].sum() * normalised(target.double())])


def residual_not_renormalised(target: Tensor, drafted: Sequence[int], drawn_from: Tensor) -> Tensor:
    rest, accepted, rejected = target.double(), list[float](), 1.0
    for token, q in zip(drafted, drawn_from.double(), strict=True):
        chance = min(1.0, float(rest[token] / q[token]))
        accepted.append(rejected * chance)
        rejected *= 1.0 - chance
        rest = (rest - q).clamp(min=0)
    return torch.cat([rest.new_tensor(accepted), rejected * normalised(rest + 1e-300)])


def ratio_turned_over(target: Tensor, drafted: Sequence[int], drawn_from: Tensor) -> Tensor:
    token, q, p = drafted[0] if drafted else 0, drawn_from.double(), target.double()
    if not drafted:
        return p
    chance = min(1.0, float(q[0, token] / p[token]))
    rest = normalised((p - q[0]).clamp(min=0) + 1e-300)
    nothing = p.new_zeros(len(drafted) - 1)
    return torch.cat([p.new_tensor([chance]), nothing, (1 - chance) * rest])


@pytest.mark.parametrize(
    ("shape", "wrong"),
    [
        (chain(2), always_accepted),
        (chain(2), target_itself_after_rejections),
        (SIBLINGS, residual_not_renormalised),
        (chain(2), ratio_turned_over),
    ],
)
def test_wrong_rules_are_caught(
    monkeypatch: pytest.MonkeyPatch, shape: StaticTree, wrong: Outcomes
) -> None:
    right = acceptance.outcomes
    calls = 0

    def replaced(target: Tensor, drafted: Sequence[int], drawn_from: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        with monkeypatch.context() as inner:
            inner.setattr(acceptance, "outcomes", right)
            return wrong(target, drafted, drawn_from)

    monkeypatch.setattr(acceptance, "outcomes", replaced)
    told = counted(shape)
    assert calls >= SAMPLES
    assert told.fit.p < 1e-6


def test_drafts_that_are_drawn_are_told_from_others() -> None:
    config = tiny_config(layers=1)
    target = LlamaTarget(config, tiny_weights(config))
    torch.manual_seed(1)
    head = EagleHead(HeadConfig.like(target.config))

    def drawn(shape: TreeShape, sampler: Sampler) -> bool:
        return drafts_are_drawn(target, EagleDrafter(head, target, shape, sampler=sampler))

    assert drawn(chain(2), WARM)
    assert drawn(SIBLINGS, WARM)
    assert not drawn(DynamicTree(top_k=2, depth=2, total=3), WARM)
    assert not drawn(chain(2), Sampler())


def test_a_prompt_that_fills_the_context_is_refused() -> None:
    with pytest.raises(PromptError, match="no room"):
        count(Markov(), Believing(chain(2)), [2] * 62, WARM, range(10))
