"""Conversations of a target with scripts, many at once.

Every conversation has a slot, and each step reads one token of each: one that its script gives, or
the one that the target chose last. So prompts need no pass of their own, and a slot that becomes
free is taken by the next script at once.

Whatever is drawn depends on the conversation's own seed. With the own kernels, for which a token's
result is the same whatever is computed beside it, a conversation depends on nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor

from eagle_impl.draws import pick, uniform
from eagle_impl.sampling import Sampler
from eagle_impl.targets.batched import BatchCache, step
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.training.conversations import Conversation, Span
from eagle_impl.training.scripts import Script

MIN_TOKENS = 8
"""Answers that are shorter together are not worth a conversation."""
_LOOK = 16
"""After how many tokens it is looked whether the target repeats itself."""
_LONGEST_LOOP = 96
_LOOP = 48
"""Tokens that must be said again before it counts as a loop: three times what repeats, or these."""


@torch.inference_mode()
def converse(
    target: LlamaTarget,
    scripts: Iterable[Script],
    *,
    slots: int,
    capacity: int,
    keep_features: bool,
    tick: Callable[[int], None] = lambda tokens: None,
) -> Iterator[Conversation]:
    """Hold conversations, in the order in which they end.

    Args:
        target: Who speaks.
        scripts: What is said to it.
        slots: How many are held at once.
        capacity: Most tokens of one; longer ones are cut off.
        keep_features: Whether conversations shall have them.
        tick: Called after each step with the number of answers' tokens in it; may raise to stop.
    """
    waiting = iter(scripts)
    cache = BatchCache(target, slots, capacity)
    features = torch.empty(
        (slots, capacity, target.config.hidden_size) if keep_features else (0, 0, 0),
        dtype=torch.float16,
    )
    talks = dict[int, _Talk]()
    free = list(range(slots))
    while True:
        for slot in free:
            if (script := next(waiting, None)) is not None:
                talks[slot] = _Talk(script, target.config.eos_ids, capacity)
                cache.lengths[slot] = 0
        free = []
        if not talks:
            return
        rows = torch.tensor(list(talks), device=target.device)
        read = [talk.read for talk in talks.values()]
        ids = torch.tensor([talk.next() for talk in talks.values()], device=target.device)
        judged = step(target, ids, rows, cache)
        if keep_features:
            # What a head learns from need not be more exact than the noise that is added.
            features[rows.cpu(), torch.tensor(read)] = judged.features.half().cpu()
        speaking = [row for row, talk in enumerate(talks.values()) if talk.speaks]
        chosen = _choose(judged.logits[speaking], [[*talks.values()][row] for row in speaking])
        tick(sum(talk.answers for talk in talks.values()))
        for slot, talk in list(talks.items()):
            if talk.speaks:
                talk.say(next(chosen))
            if talk.over:
                free.append(slot)
                del talks[slot]
                kept = features[slot, : talk.read].clone() if keep_features else None
                if (held := talk.conversation(kept)) is not None:
                    yield held


@dataclass(slots=True)
class _Talk:
    """A conversation while it is held."""

    script: Script
    eos_ids: tuple[int, ...]
    capacity: int
    ids: list[int] = field(default_factory=list)
    read: int = 0
    """How many of the ids the target has read."""
    turn: int = -1
    start: int = 0
    """Where what is said in this turn begins."""
    said: int = 0
    """How many tokens were drawn or chosen, over all turns."""
    responses: list[Span] = field(default_factory=list)
    over: bool = False
    failed: bool = False

    def __post_init__(self) -> None:
        self._next_turn()

    @property
    def speaks(self) -> bool:
        """Whether the target has read all there is, and goes on by itself."""
        return not self.over and self.read == len(self.ids)

    @property
    def answers(self) -> bool:
        """Whether the token read last is part of an answer."""
        return self.script.turns[self.turn].response and self.read > self.start

    @property
    def sampler(self) -> Sampler:
        """How it chooses in this turn."""
        return self.script.turns[self.turn].sampler

    def next(self) -> int:
        """The token to read."""
        self.read += 1
        return self.ids[self.read - 1]

    def say(self, token: int) -> None:
        """Let the target say a token."""
        turn = self.script.turns[self.turn]
        self.said += 1
        if token in self.eos_ids:
            self._end_turn(len(self.ids))
            if not self.over:
                self.ids.append(token)
                self._next_turn()
            return
        length = len(self.ids) - self.start
        if length == turn.limit or self.read == self.capacity:
            self._stop(len(self.ids))
        elif length % _LOOK == 0 and (repeated := loop(self.ids[self.start :])):
            self._stop(len(self.ids) - repeated)
        else:
            self.ids.append(token)

    def conversation(self, features: Tensor | None) -> Conversation | None:
        """What was said, unless it is not worth to be learnt from."""
        tokens = self.responses[-1][1] if self.responses else 0
        if self.failed or sum(end - start for start, end in self.responses) < MIN_TOKENS:
            return None
        return Conversation(
            self.script.number,
            self.script.kind,
            self.script.turns[-1].sampler.greedy,
            torch.tensor(self.ids[:tokens]),
            tuple(self.responses),
            None if features is None else features[:tokens],
        )

    def _next_turn(self) -> None:
        self.turn += 1
        self.ids += self.script.turns[self.turn].given
        self.start = len(self.ids)
        self.over = self.start >= self.capacity

    def _end_turn(self, end: int) -> None:
        """The turn has ended by itself."""
        if self.script.turns[self.turn].response:
            self.responses += [(self.start, end)] if end > self.start else []
        elif end == self.start:  # a question without words
            self.failed = True
        self.over = self.failed or self.turn + 1 == len(self.script.turns)

    def _stop(self, end: int) -> None:
        """The turn is cut off, and the conversation with it."""
        self.over = True
        if self.script.turns[self.turn].response:
            self.responses += [(self.start, end)] if end > self.start else []
        elif self.turn == 0:  # a question that does not end
            self.failed = True


def loop(said: list[int]) -> int:
    """How many of the last tokens only say once more what stands before them; 0 if it is no loop.

    The first time and the second are kept: targets do repeat themselves, and a head must follow.
    """
    for period in range(1, min(_LONGEST_LOOP, len(said) // 3) + 1):
        again = max(2 * period, _LOOP)
        if again + period <= len(said) and said[-again:] == said[-again - period : -period]:
            return again - period
    return 0


def _choose(logits: Tensor, talks: list[_Talk]) -> Iterator[int]:
    """The next token of each conversation. [talks, vocab]."""
    chosen = [0] * len(talks)
    for sampler in dict.fromkeys(talk.sampler for talk in talks):
        rows = [row for row, talk in enumerate(talks) if talk.sampler == sampler]
        if sampler.greedy:
            tokens = sampler.choices(logits[rows]).tolist()
        else:
            tokens = [
                pick(weights, uniform(talks[row].script.seed, talks[row].said))
                for row, weights in zip(rows, sampler.distribution(logits[rows]), strict=True)
            ]
        for row, token in zip(rows, tokens, strict=True):
            chosen[row] = token
    return iter(chosen)
