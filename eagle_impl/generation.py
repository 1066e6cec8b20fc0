"""The one loop that every method runs through: draft a tree, judge it, keep what holds.

Plain decoding is the same loop with trees of a root alone, so that the two cannot differ in
anything but speed. The loop ends exactly where plain decoding would: tokens of a cycle that lie
beyond the end are neither given out nor counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal

import torch
from torch import Generator, Tensor

from eagle_impl.acceptance import Accepted, accept
from eagle_impl.drafters.interface import Drafter
from eagle_impl.draws import Draw, token_draws
from eagle_impl.errors import OptionError, PromptError
from eagle_impl.sampling import Sampler
from eagle_impl.targets.interface import Cache, Target
from eagle_impl.trees import DraftTree

End = Literal["", "length", "eos", "context", "stopped"]
"""Why a generation ended: the limit asked for, an end token, the context, or whoever listened."""


@dataclass(slots=True)
class Statistics:
    """What a generation took. It is up to date after every token."""

    prompt_tokens: int = 0
    tokens: int = 0
    """Tokens given out."""
    cycles: int = 0
    """Forward passes of the target after the one that read the prompt."""
    drafted: int = 0
    """Drafted nodes that were judged."""
    tried: list[int] = field(default_factory=list)
    """By depth, from 1: cycles in which the draft reached so deep and all above it held."""
    held: list[int] = field(default_factory=list)
    """By depth, from 1: cycles in which a drafted token held."""
    prefill_seconds: float = 0.0
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0
    accept_seconds: float = 0.0
    total_seconds: float = 0.0
    fell_back_at: int | None = None
    """Length of the context from which on drafting was given up, if it was."""
    end: End = ""

    @property
    def tau(self) -> float:
        """Mean tokens given out per forward pass of the target, its own token counted.

        The first token comes from reading the prompt and is not counted.
        """
        return (self.tokens - 1) / self.cycles if self.cycles else 1.0

    @property
    def tokens_per_second(self) -> float:
        """Tokens given out in a second, the time for the prompt included."""
        return self.tokens / max(self.total_seconds, 1e-9)

    @property
    def acceptance(self) -> list[float]:
        """By depth, from 1: the share of drafted tokens that held, given that all above did."""
        return [hit / tries for hit, tries in zip(self.held, self.tried, strict=True) if tries]


@torch.inference_mode()
def generate(
    target: Target,
    prompt: Sequence[int],
    *,
    drafter: Drafter | None = None,
    sampler: Sampler | None = None,
    max_new_tokens: int = 128,
    eos_ids: Collection[int] | None = None,
    seed: int = 0,
    statistics: Statistics | None = None,
    clock: Callable[[], float] = perf_counter,
) -> Iterator[int]:
    """Generate tokens one by one.

    Args:
        target: The model whose distribution the output has.
        prompt: Token ids, BOS included.
        drafter: What drafts; plain decoding if absent.
        sampler: How tokens are chosen; greedily if absent.
        max_new_tokens: Tokens after which to stop.
        eos_ids: Ids that end the text, given out as its last token; the target's own if absent.
        seed: Decides all draws, and nothing else does.
        statistics: Filled while tokens are given out.
        clock: Seconds. Where work is only queued, as on GPUs, times belong to the part that they
            are counted under only if the clock waits for what is under way.

    Raises:
        OptionError: A negative number of tokens, or a seed that is no number of 63 bits.
        PromptError: An empty prompt, ids that the target does not know, or too many.
    """
    _judge_request(target, prompt, max_new_tokens, seed)
    run = _Run(target, prompt, drafter, sampler or Sampler(temperature=0), max_new_tokens, seed)
    run.statistics = statistics if statistics is not None else Statistics()
    run.clock = clock
    ends = frozenset(target.config.eos_ids if eos_ids is None else eos_ids)
    yield from run.tokens(ends)


def _judge_request(target: Target, prompt: Sequence[int], max_new_tokens: int, seed: int) -> None:
    if max_new_tokens < 0:
        raise OptionError(f"{max_new_tokens} new tokens are too few", "0 generates nothing")
    if not 0 <= seed < 1 << 63:
        raise OptionError(f"seed {seed} is not between 0 and 2^63 - 1")
    if not prompt:
        raise PromptError("the prompt has no tokens")
    longest, size = target.config.max_positions, target.config.vocab_size
    if len(prompt) > longest:
        raise PromptError(
            f"the prompt has {len(prompt)} tokens, and the model's context ends at {longest}",
            "shorten the prompt",
        )
    strange = next((token for token in prompt if not 0 <= token < size), None)
    if strange is not None:
        raise PromptError(
            f"the prompt has token {strange}, and the model knows {size}",
            "the tokenizer belongs to another model",
        )


class _Run:
    """One generation under way."""

    def __init__(
        self,
        target: Target,
        prompt: Sequence[int],
        drafter: Drafter | None,
        sampler: Sampler,
        max_new_tokens: int,
        seed: int,
    ) -> None:
        self.target, self.sampler = target, sampler
        self.drafter = drafter
        self.limit = min(max_new_tokens, target.config.max_positions - len(prompt) + 1)
        self.cut = self.limit < max_new_tokens
        self.statistics = Statistics()
        self.clock: Callable[[], float] = perf_counter
        self.draw: Draw = token_draws(seed)
        self.generator = None if sampler.greedy else Generator().manual_seed(seed)
        self.ids = torch.tensor(prompt, device=target.device)  # [tokens], the root's last

    def tokens(self, ends: Collection[int]) -> Iterator[int]:
        """Tokens until an end; the clock stands while a token is looked at."""
        told = self.statistics
        told.prompt_tokens = self.ids.numel()
        if self.limit < 1:
            told.end = "length"
            return
        began = self.clock()
        cache, accepted = self._read_prompt()
        try:
            while True:
                for token in accepted.tokens:
                    told.tokens += 1
                    told.total_seconds += self.clock() - began
                    yield token
                    began = self.clock()
                    if token in ends:
                        told.end = "eos"
                        return
                    if told.tokens == self.limit:
                        told.end = "context" if self.cut else "length"
                        return
                accepted = self._cycle(cache, ends)
        except GeneratorExit:
            told.end = "stopped"
            raise

    def _read_prompt(self) -> tuple[Cache, Accepted]:
        told, prompt = self.statistics, self.ids
        began = self.clock()
        capacity = min(prompt.numel() + self.limit, self.target.config.max_positions)
        room = capacity + (self.drafter.widest if self.drafter is not None else 1)
        cache = self.target.new_cache(room)
        judgement = self.target.prefill(prompt, cache)
        root = DraftTree(prompt[-1:], prompt.new_tensor([-1]))
        accepted = accept(root, judgement.logits, self.sampler, prompt[:-1], self.draw)
        told.prefill_seconds = self.clock() - began
        if self.drafter is not None:
            began = self.clock()
            self.drafter.begin(room)
            self._observe(accepted, prompt[1:], judgement.features)
            told.draft_seconds += self.clock() - began
        self.ids = torch.cat([prompt, prompt.new_tensor(accepted.tokens)])
        return cache, accepted

    def _cycle(self, cache: Cache, ends: Collection[int]) -> Accepted:
        """Draft, judge, keep; the tokens that hold, which are at least one."""
        told = self.statistics
        started = self.clock()
        tree = self._draft(cache)
        drafted = self.clock()
        positions = cache.length + tree.depths
        judgement = self.target.verify(tree.tokens, positions, tree.mask, cache)
        verified = self.clock()
        accepted = accept(tree, judgement.logits, self.sampler, self.ids[:-1], self.draw)
        path = self.ids.new_tensor(accepted.path)
        self.target.keep(path, cache)
        self.ids = torch.cat([self.ids, self.ids.new_tensor(accepted.tokens)])
        done = self.clock()
        if self.drafter is not None:
            self._observe(accepted, self.ids[:0], judgement.features[path])
        told.cycles += 1
        told.drafted += tree.tokens.numel() - 1
        self._count(tree, accepted, ends)
        told.verify_seconds += verified - drafted
        told.accept_seconds += done - verified
        told.draft_seconds += drafted - started + self.clock() - done
        return accepted

    def _draft(self, cache: Cache) -> DraftTree:
        root = int(self.ids[-1])
        if self.drafter is not None:
            within = cache.length < self.drafter.max_positions
            # A tree may stand at the end of the context only as far as the context reaches.
            room = self.target.config.max_positions - cache.length > self.drafter.depth
            if within and room:
                return self.drafter.draft(root, self.generator)
            if self.statistics.fell_back_at is None:
                self.statistics.fell_back_at = cache.length
                self.drafter = None
        return DraftTree(self.ids[-1:], self.ids.new_tensor([-1]))

    def _observe(self, accepted: Accepted, before: Tensor, features: Tensor) -> None:
        """Tell the drafter what has become certain: each feature and the token that follows it."""
        if self.drafter is not None and self.ids.numel() <= self.drafter.max_positions:
            follows = torch.cat([before, before.new_tensor(accepted.tokens)])
            self.drafter.observe(follows, features)

    def _count(self, tree: DraftTree, accepted: Accepted, ends: Collection[int]) -> None:
        """Count what held, as far as it is given out."""
        told, tokens = self.statistics, accepted.tokens[: self.limit - self.statistics.tokens]
        given = next((n for n, token in enumerate(tokens, 1) if token in ends), len(tokens))
        for depth, node in enumerate(accepted.path[:given]):
            if not tree.children[node]:
                break
            while len(told.tried) <= depth:
                told.tried.append(0)
                told.held.append(0)
            told.tried[depth] += 1
            told.held[depth] += depth + 1 < len(accepted.path)
