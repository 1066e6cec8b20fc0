"""Which drafted tokens hold. All rules here are lossless: drafts change speed, never the output.

Greedy: the output is the target's most likely token after each node, so the one path of these is
walked as far as the tree has it.

Sampling, drafts without randomness: a token is drawn from the target's distribution after the node
and emitted; where a child carries it the walk goes on there, else it ends. Whatever is emitted was
drawn from the target, so nothing is left to prove. It is the law of EAGLE-2's rule, which accepts
child after child with the target's renormalised probability, with one draw a level and no division.

Sampling, drafts that were drawn: a child x that was drawn from q is accepted with the chance
min(1, p(x) / q(x)); after a rejection p becomes the normalised positive part of p - q, and the next
child is tried; when none is left, a token is drawn from what p has become. (Speculative sampling,
Leviathan et al. 2023, appendix A.1; several rounds as in EAGLE-1, appendix A.2.) This is sound only
if x was drawn from the very q that stands in the ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from eagle_impl.draws import Draw
from eagle_impl.sampling import Sampler, seen_tokens
from eagle_impl.trees import DraftTree


@dataclass(frozen=True, slots=True)
class Accepted:
    """What holds of a tree."""

    path: tuple[int, ...]
    """Nodes that hold, from the root down."""
    tokens: tuple[int, ...]
    """What is emitted: the token that follows each node of the path. The last one is the target's
    own, the others are those of the path after the root."""


def accept(
    tree: DraftTree, logits: Tensor, sampler: Sampler, prefix: Tensor, draw: Draw
) -> Accepted:
    """What a target accepts of a tree. A tree of the root alone is plain decoding.

    Args:
        tree: The drafted tokens.
        logits: The target's, after each node. [nodes, vocab]
        sampler: How tokens are chosen.
        prefix: All tokens before the root. [tokens]
        draw: Called once for each emitted token, unless the sampler is greedy.

    Raises:
        EagleError: The logits are not numbers.
    """
    seen = seen_tokens(prefix, tree, logits.shape[-1]) if sampler.remembers else None

    def after(node: int) -> tuple[Tensor, Tensor | None]:
        row = slice(node, node + 1)  # only the rows that the walk comes by are worth the work
        return logits[row], None if seen is None else seen[row]

    if sampler.greedy:
        return _match(tree, lambda node: sampler.chosen(*after(node))[0])
    return accept_sampled(tree, lambda node: sampler.distribution(*after(node))[0], draw)


def accept_greedy(tree: DraftTree, choices: Tensor) -> Accepted:
    """Walk the path of the target's choices.

    Args:
        tree: The drafted tokens.
        choices: The target's most likely token after each node. [nodes]
    """
    emitted: list[int] = choices.tolist()
    return _match(tree, emitted.__getitem__)


def accept_sampled(tree: DraftTree, target: Callable[[int], Tensor], draw: Draw) -> Accepted:
    """Walk the tree as the target's distributions have it.

    Args:
        tree: The drafted tokens.
        target: The distribution after a node, by the node's index. [vocab]
        draw: Called once for each emitted token.
    """
    if tree.probabilities is None:
        return _match(tree, lambda node: draw(target(node)))
    path, tokens = [0], list[int]()
    while True:
        children = list(tree.children[path[-1]])
        drafted: list[int] = tree.tokens[children].tolist()
        chances = outcomes(target(path[-1]), drafted, tree.probabilities[children])
        outcome = draw(chances)
        if outcome >= len(children):
            return Accepted(tuple(path), (*tokens, outcome - len(children)))
        path.append(children[outcome])
        tokens.append(drafted[outcome])


def outcomes(target: Tensor, drafted: Sequence[int], drawn_from: Tensor) -> Tensor:
    """Chances of everything that can happen at a node whose children were drawn.

    Args:
        target: The target's distribution after the node. [vocab]
        drafted: Tokens of the children, in the order in which they were drawn.
        drawn_from: The distribution that each was drawn from. [children, vocab]

    Returns:
        The chance that each child is accepted, then the chance of each token that none is and this
        one is emitted. [children + vocab]
    """
    # Normalised anew in float64, so that a draft from the target itself is certain to be accepted.
    rest = _normalised(target.double())  # the target, less what the rejected children stood for
    accepted, rejected = list[float](), 1.0
    for token, row in zip(drafted, drawn_from.double(), strict=True):
        q = _normalised(row)
        p_token, q_token = rest[token].item(), q[token].item()
        # No draw from q explains a token that q excludes. Rejecting it is sound whatever q is.
        chance = min(1.0, p_token / q_token) if q_token > 0 else 0.0
        accepted.append(rejected * chance)
        rejected *= 1.0 - chance
        left = (rest - q).clamp(min=0.0)
        if left.any():  # nothing is left where p equals q, and then nothing drawn is rejected
            rest = _normalised(left)
    return torch.cat([rest.new_tensor(accepted), rejected * rest])


def _normalised(weights: Tensor) -> Tensor:
    """With a sum of 1, unless nothing has weight. [vocab] -> [vocab]."""
    return weights / weights.sum().clamp(min=torch.finfo(weights.dtype).tiny)


def _match(tree: DraftTree, choose: Callable[[int], int]) -> Accepted:
    """Choose a token after each node, and go on where a child carries it."""
    path, tokens = [0], list[int]()
    drafted: list[int] = tree.tokens.tolist()
    while True:
        token = choose(path[-1])
        tokens.append(token)
        child = next((node for node in tree.children[path[-1]] if drafted[node] == token), None)
        if child is None:
            return Accepted(tuple(path), tuple(tokens))
        path.append(child)
