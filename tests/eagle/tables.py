"""Models small enough to enumerate, and the enumeration of everything that they can do."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar
from zlib import crc32

import torch
from torch import Tensor

from eagle_impl.draws import Draw
from eagle_impl.sampling import Sampler, seen_tokens
from eagle_impl.trees import DraftTree, Growth

Words = tuple[int, ...]
"""Some tokens in a row."""

Model = Callable[[Words], Tensor]
"""Logits after some tokens. [vocab]"""

Step = Callable[[Words, Draw], Words]
"""One cycle: the tokens so far, the last of which is the root, and where randomness comes from; the
tokens that it emits."""

Law = dict[Words, float]
"""Probability of each outcome."""

Outcome = TypeVar("Outcome")


def table(vocab_size: int, seed: int, spread: float = 1.5) -> Model:
    """A model with a random row of logits for any tokens."""

    @cache
    def after(words: Words) -> Tensor:
        generator = torch.Generator().manual_seed(crc32(repr((seed, words)).encode()))
        return torch.randn(vocab_size, generator=generator) * spread

    return after


def imitation(model: Model, vocab_size: int, seed: int) -> Model:
    """A drafter: a model like another, but not quite."""
    error = table(vocab_size, seed, spread=0.7)
    return lambda words: model(words) + error(words)


def grown(growth: Growth, words: Words, after: Model) -> DraftTree:
    """Let a model draft: ``after`` gives log-probabilities."""
    rows = [words]
    while (frontier := growth.grow(torch.stack([after(row) for row in rows]))) is not None:
        taken = zip(frontier.sources.tolist(), frontier.tokens.tolist(), strict=True)
        rows = [(*rows[source], token) for source, token in taken]
    return growth.tree()


def words_by_node(tree: DraftTree, words: Words) -> list[Words]:
    """The tokens up to each node."""
    found = [words]
    tokens, parents = tree.tokens.tolist(), tree.parents.tolist()
    for token, parent in zip(tokens[1:], parents[1:], strict=True):
        found.append((*found[parent], token))
    return found


def judged(target: Model, tree: DraftTree, words: Words) -> Tensor:
    """A target's logits after each node. [nodes, vocab]."""
    return torch.stack([target(each) for each in words_by_node(tree, words)])


def distribution(model: Model, sampler: Sampler, words: Words) -> Tensor:
    """What plain decoding draws the next token from. [vocab]."""
    logits = model(words)[None]
    alone = DraftTree(torch.tensor(words[-1:]), torch.tensor([-1]))
    seen = seen_tokens(torch.tensor(words[:-1], dtype=torch.int64), alone, logits.shape[1])
    return sampler.distribution(logits, seen)[0]


def plain_law(target: Model, sampler: Sampler, words: Words, count: int) -> Law:
    """The law of plain decoding."""
    law: Law = {(): 1.0}
    for _ in range(count):
        law = {
            (*so_far, token): chance * share
            for so_far, chance in law.items()
            for token, share in enumerate(
                distribution(target, sampler, words + so_far).double().tolist()
            )
            if share > 0
        }
    return law


def every_outcome(run: Callable[[Draw], Outcome]) -> Iterator[tuple[Outcome, float]]:
    """All that a program can come to whose randomness is its draws alone, and the chances of it.

    The program runs once for each sequence of draws: it follows a script as far as that goes, then
    takes the first index with a chance, and leaves scripts for the others.
    """
    scripts: list[Words] = [()]
    while scripts:
        script = scripts.pop()
        taken: list[int] = []
        chances: list[float] = []

        def draw(
            weights: Tensor,
            script: Words = script,
            taken: list[int] = taken,
            chances: list[float] = chances,
        ) -> int:
            shares: list[float] = (weights.double() / weights.double().sum()).tolist()
            if len(taken) < len(script):
                index = script[len(taken)]
            else:
                index, *others = (at for at, share in enumerate(shares) if share > 0)
                scripts.extend((*taken, other) for other in others)
            taken.append(index)
            chances.append(shares[index])
            return index

        yield run(draw), math.prod(chances)


def law_of(step: Step, words: Words, count: int) -> Law:
    """The law of the first tokens that cycles emit, by all that each cycle can do."""

    @cache
    def one_cycle(words: Words) -> list[tuple[Words, float]]:
        found: defaultdict[Words, float] = defaultdict(float)
        for emitted, chance in every_outcome(lambda draw: step(words, draw)):
            found[emitted] += chance
        return list(found.items())

    law: defaultdict[Words, float] = defaultdict(float)
    waiting: list[tuple[Words, float]] = [((), 1.0)]
    while waiting:
        so_far, chance = waiting.pop()
        if len(so_far) >= count:
            law[so_far[:count]] += chance
        else:
            waiting += [
                (so_far + emitted, chance * share) for emitted, share in one_cycle(words + so_far)
            ]
    return dict(law)


def deviation(law: Law, truth: Law) -> float:
    """The largest difference of a probability."""
    return max(abs(law.get(words, 0.0) - truth.get(words, 0.0)) for words in law | truth)


def chi_square_excess(drawn: Counter[Words], truth: Law) -> float:
    """How far the statistic of Pearson's test is above what one fair experiment in 1000 passes.

    The critical value is Wilson and Hilferty's approximation, right to a few tenths from three
    degrees of freedom on. What the law excludes must not occur at all.
    """
    if not drawn.keys() <= truth.keys():
        return math.inf
    total = drawn.total()
    frequent = {words: chance * total for words, chance in truth.items() if chance * total >= 5}
    rare = total - sum(frequent.values())
    rarely = total - sum(drawn[words] for words in frequent)
    cells = [(drawn[words], expected) for words, expected in frequent.items()]
    if rare >= 5:
        cells.append((rarely, rare))
    statistic = sum((count - expected) ** 2 / expected for count, expected in cells)
    freedom = len(cells) - 1
    spread = 2 / (9 * freedom)
    return statistic - freedom * (1 - spread + 3.0902 * math.sqrt(spread)) ** 3
