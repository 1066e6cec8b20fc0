"""Whatever is drafted, the text has the law of plain decoding: enumerated, and drawn many times.

Rules that are known to be wrong go through the same two tests and must fail both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest
import torch
from eagle.tables import (
    Step,
    Words,
    chi_square_excess,
    deviation,
    distribution,
    grown,
    imitation,
    judged,
    law_of,
    plain_law,
    table,
)
from torch import Tensor

from eagle_impl.acceptance import accept, accept_sampled
from eagle_impl.draws import Draw, generator_draws, token_draws
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import StaticTree, chain
from eagle_impl.trees import DraftTree, TreeShape

VOCAB = 4
PROMPT: Words = (2,)
TARGET = table(VOCAB, seed=11, spread=1.0)
DRAFTER = imitation(TARGET, VOCAB, seed=12)

BRANCHING = StaticTree(((0,), (1,), (0, 0), (0, 1), (1, 0)))
TWINS = StaticTree(((0,), (1,), (0, 0)))
DYNAMIC = DynamicTree(top_k=2, depth=3, total=4)

NUCLEUS = Sampler(temperature=0.8, top_p=0.9)
GREEDY = Sampler()
SAMPLERS = [
    Sampler(temperature=1.0),
    Sampler(temperature=0.6),
    Sampler(temperature=1.0, top_p=0.7),
    NUCLEUS,
    Sampler(temperature=1.5, top_k=3),
    Sampler(temperature=1.0, min_p=0.2, repetition_penalty=1.5),
]


@cache
def p(words: Words) -> Tensor:
    return distribution(TARGET, NUCLEUS, words)


@cache
def q(words: Words, sampler: Sampler = NUCLEUS) -> Tensor:
    """What a drafter draws from. It knows no penalty: any q will do."""
    bare = Sampler(sampler.temperature, sampler.top_k, sampler.top_p, sampler.min_p)
    return bare.distribution(DRAFTER(words)[None])[0]


def verified(tree: DraftTree, words: Words, sampler: Sampler, draw: Draw) -> Words:
    prefix = torch.tensor(words[:-1], dtype=torch.int64)
    return accept(tree, judged(TARGET, tree, words), sampler, prefix, draw).tokens


def without_chance(shape: TreeShape, sampler: Sampler) -> Step:
    """Cycles whose drafts are the likeliest tokens."""

    @cache
    def drafted(words: Words) -> DraftTree:
        growth = shape.plant(words[-1])
        return grown(growth, words, lambda words: DRAFTER(words).log_softmax(0))

    return lambda words, draw: verified(drafted(words), words, sampler, draw)


def by_chance(shape: StaticTree, sampler: Sampler, drafts: Draw | None = None) -> Step:
    """Cycles whose drafts are drawn, from ``drafts`` or from where the text is drawn too."""

    def step(words: Words, draw: Draw) -> Words:
        growth = shape.plant_drawn(words[-1], drafts or draw)
        tree = grown(growth, words, lambda words: q(words, sampler).log())
        return verified(tree, words, sampler, draw)

    return step


# By enumeration: three tokens are the work of several cycles.


def enumerated_deviation(step: Step, sampler: Sampler) -> float:
    return deviation(law_of(step, PROMPT, 3), plain_law(TARGET, sampler, PROMPT, 3))


@pytest.mark.parametrize("sampler", [GREEDY, *SAMPLERS])
@pytest.mark.parametrize(
    "shape", [chain(2), BRANCHING, DYNAMIC], ids=["chain", "static", "dynamic"]
)
def test_drafts_without_chance_change_nothing(shape: TreeShape, sampler: Sampler) -> None:
    assert enumerated_deviation(without_chance(shape, sampler), sampler) < 1e-6


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("shape", [chain(2), TWINS], ids=["chain", "static"])
def test_drafts_by_chance_change_nothing(shape: StaticTree, sampler: Sampler) -> None:
    assert enumerated_deviation(by_chance(shape, sampler), sampler) < 1e-6


# By drawing: what is drawn is what was enumerated.

Cycle = Callable[[Words], Words]
"""A cycle with its randomness."""


def drawn_excess(request: Callable[[int], Cycle], requests: int) -> float:
    """Of the first two tokens of many requests, by seed."""
    texts: Counter[Words] = Counter()
    for seed in range(requests):
        cycle, words = request(seed), PROMPT
        while len(words) < 3:
            words += cycle(words)
        texts[words[1:3]] += 1
    return chi_square_excess(texts, plain_law(TARGET, NUCLEUS, PROMPT, 2))


def seeded(seed: int) -> Draw:
    return generator_draws(torch.Generator().manual_seed(seed))


def test_texts_with_drafts_without_chance_occur_as_often_as_they_should() -> None:
    step = without_chance(DYNAMIC, NUCLEUS)

    def request(seed: int) -> Cycle:
        return lambda words: step(words, token_draws(seed, len(words) - 1))

    assert drawn_excess(request, 20_000) < 0


def test_texts_with_drafts_by_chance_occur_as_often_as_they_should() -> None:
    def request(seed: int) -> Cycle:
        step = by_chance(TWINS, NUCLEUS, seeded(seed))
        return lambda words: step(words, token_draws(seed, len(words) - 1))

    assert drawn_excess(request, 20_000) < 0


# Known to be wrong


def happens(chance: float, draw: Draw) -> bool:
    return draw(torch.tensor([chance, 1 - chance], dtype=torch.float64)) == 0


def accepted(token: int, words: Words, draw: Draw) -> bool:
    return happens(min(1.0, float(p(words)[token]) / float(q(words)[token])), draw)


def classic(words: Words, draw: Draw) -> Words:
    """Speculative sampling of one token as papers write it: not wrong, but what the others vary."""
    token = draw(q(words))
    if accepted(token, words, draw):
        return (token,)
    return (draw((p(words) - q(words)).clamp(min=0)),)


def likeliest_draft_as_if_drawn(words: Words, draw: Draw) -> Words:
    tree = grown(chain(1).plant(words[-1]), words, lambda words: q(words).log())
    lie = DraftTree(tree.tokens, tree.parents, torch.stack([q(words)] * 2))
    return verified(lie, words, NUCLEUS, draw)


def draft_after_top_p_judged_without(words: Words, draw: Draw) -> Words:
    tree = grown(chain(1).plant_drawn(words[-1], draw), words, lambda words: q(words).log())
    lie = DraftTree(tree.tokens, tree.parents, torch.stack([DRAFTER(words).softmax(0)] * 2))
    return verified(lie, words, NUCLEUS, draw)


def second_sibling_as_if_drawn_with_replacement(words: Words, draw: Draw) -> Words:
    shape = StaticTree(((0,), (1,)))
    tree = grown(shape.plant_drawn(words[-1], draw), words, lambda words: q(words).log())
    lie = DraftTree(tree.tokens, tree.parents, q(words).expand(tree.tokens.numel(), -1))
    return verified(lie, words, NUCLEUS, draw)


def only_the_rejected_token_is_subtracted(words: Words, draw: Draw) -> Words:
    token = draw(q(words))
    if accepted(token, words, draw):
        return (token,)
    rest = p(words).clone()
    rest[token] = (rest[token] - q(words)[token]).clamp(min=0)
    return (draw(rest),)


def target_itself_after_a_rejection(words: Words, draw: Draw) -> Words:
    token = draw(q(words))
    return (token,) if accepted(token, words, draw) else (draw(p(words)),)


def next_child_without_renormalising(words: Words, draw: Draw) -> Words:
    rest = p(words).clone()
    for token in q(words).topk(2).indices.tolist():
        if happens(float(rest[token]), draw):
            return (token,)
        rest[token] = 0.0
    return (draw(rest if rest.any() else p(words)),)


def last_token_without_the_sampler(words: Words, draw: Draw) -> Words:
    tree = grown(chain(1).plant(words[-1]), words, lambda words: q(words).log())
    after = (words, (*words, int(tree.tokens[1])))
    rows = (p(after[0]), TARGET(after[1]).softmax(0))
    return accept_sampled(tree, rows.__getitem__, draw).tokens


def next_child_against_all_of_the_draft(words: Words, draw: Draw) -> Words:
    """In several rounds, the second child must not be held against q with the first still in it."""
    rest, left = p(words).double(), q(words).double()
    for _ in range(2):
        token = draw(left)
        if happens(min(1.0, float(rest[token] / q(words)[token])), draw):
            return (token,)
        rest = (rest - q(words)).clamp(min=0)
        rest = rest / rest.sum() if rest.sum() > 0 else p(words).double()
        left = left.scatter(0, torch.tensor(token), 0.0)
        if not left.any():
            break
    return (draw(rest),)


WRONG = [
    likeliest_draft_as_if_drawn,
    draft_after_top_p_judged_without,
    second_sibling_as_if_drawn_with_replacement,
    only_the_rejected_token_is_subtracted,
    target_itself_after_a_rejection,
    next_child_without_renormalising,
    next_child_against_all_of_the_draft,
    last_token_without_the_sampler,
]


def all_drawn_from_one_generator(step: Step) -> Callable[[int], Cycle]:
    def request(seed: int) -> Cycle:
        draw = seeded(seed)
        return lambda words: step(words, draw)

    return request


def test_the_rule_that_they_vary_is_exact() -> None:
    assert enumerated_deviation(classic, NUCLEUS) < 1e-6
    assert drawn_excess(all_drawn_from_one_generator(classic), 2_000) < 0


@pytest.mark.parametrize("wrong", WRONG)
def test_enumeration_finds_what_is_wrong(wrong: Step) -> None:
    assert enumerated_deviation(wrong, NUCLEUS) > 0.01


@pytest.mark.parametrize("wrong", WRONG)
def test_drawing_finds_what_is_wrong(wrong: Step) -> None:
    assert drawn_excess(all_drawn_from_one_generator(wrong), 2_000) > 0


def likely_child_instead_of_the_likeliest(words: Words, draw: Draw) -> Words:
    """Greedily: what the drafter prefers, if the target finds it likely enough."""
    likely = TARGET(words).softmax(0)
    favourite = int(DRAFTER(words).argmax())
    return (favourite if likely[favourite] > 0.2 else int(likely.argmax()),)


def test_enumeration_finds_what_is_wrong_with_a_greedy_rule() -> None:
    step = likely_child_instead_of_the_likeliest
    assert enumerated_deviation(step, GREEDY) == 1.0
