"""What is said to the target, and when it speaks: the scripts of the conversations to learn from.

A script is a row of turns. In each, some tokens are put to the model and then it speaks, as itself
or, where it asks its own questions, as the user: a chat model that is given a conversation up to
the point where the user speaks goes on as a user would. The tokens are those of the model's chat
template, so that a head learns from what it will meet.

Which script a number stands for depends on the seed alone.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

from eagle_impl.sampling import Sampler
from eagle_impl.text import Text
from eagle_impl.training.requests import FOLLOW_UP, SYSTEM, grammar, request

SELF_ASKED = "self-asked"
"""The kind of conversations in which the target asks the questions."""

_SELF_ASKED_SHARE = 0.25
_SYSTEM_SHARE = 0.1
"""Of conversations that begin with instructions of their own, not with the template's."""
_FOLLOW_UP_SHARE = 0.25
_GREEDY_SHARE = 0.7
_LIMITS = (128, 256, 256, 512)
"""Most tokens of an answer; each is as likely. Heads also draft far into long answers."""
_QUERY_LIMIT = 160

GREEDY, WARM = Sampler(), Sampler(temperature=0.8)
_ASKING = Sampler(temperature=1.0, top_p=0.98)

_Q, _A, _F = "<question>", "<answer>", "<follow-up>"
"""What stands for turns while a template is cut into pieces."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Something is given, then the target speaks."""

    given: tuple[int, ...]
    """Ids before it speaks. If it ended its last turn, they follow the id by which it did."""
    sampler: Sampler
    limit: int
    """Most ids that it may say."""
    response: bool
    """Whether what it says is an answer, which is learnt from."""


@dataclass(frozen=True, slots=True)
class Script:
    """A conversation that is still to be held."""

    number: int
    kind: str
    seed: int
    """Of all that is drawn while the target speaks."""
    turns: tuple[Turn, ...]


class Scripts:
    """The scripts of a seed."""

    def __init__(self, text: Text, eos_ids: tuple[int, ...], seed: int) -> None:
        """Prepare for a target.

        Args:
            text: Its tokenizer and chat template.
            eos_ids: The ids that end its turns.
            seed: Any.
        """
        self._text, self._eos_ids, self._seed = text, eos_ids, seed

    def __getitem__(self, number: int) -> Script:
        """One of them.

        Raises:
            PromptError: The target has no chat template.
        """
        chance = random.Random(f"{self._seed} {number}")
        sampler = GREEDY if chance.random() < _GREEDY_SHARE else WARM
        follow_up = chance.random() < _FOLLOW_UP_SHARE
        limits = [_LIMITS[int(chance.random() * len(_LIMITS))] for _ in range(2)]
        if chance.random() < _SELF_ASKED_SHARE:
            kind = SELF_ASKED
            turns = self._self_asked(sampler, limits[: 1 + follow_up])
        else:
            kind, turns = self._composed(chance, sampler, limits[: 1 + follow_up])
        return Script(number, kind, int(chance.random() * 2**53), tuple(turns))

    def _self_asked(self, sampler: Sampler, limits: list[int]) -> list[Turn]:
        opening, to_answer, to_question = self._bridges
        turns = list[Turn]()
        for limit in limits:
            turns.append(Turn(to_question if turns else opening, _ASKING, _QUERY_LIMIT, False))
            turns.append(Turn(to_answer, sampler, limit, True))
        return turns

    def _composed(
        self, chance: random.Random, sampler: Sampler, limits: list[int]
    ) -> tuple[str, list[Turn]]:
        asked, kind = request(chance)
        messages = [{"role": "user", "content": asked}]
        if chance.random() < _SYSTEM_SHARE:
            system = grammar().compose(SYSTEM, chance)
            messages.insert(0, {"role": "system", "content": system})
        turns = [Turn(tuple(self._text.encode_chat(messages)), sampler, limits[0], True)]
        for limit in limits[1:]:
            follow_up = grammar().compose(FOLLOW_UP, chance)
            given = self._after_turn(self._between[0] + follow_up + self._between[1])
            turns.append(Turn(given, sampler, limit, True))
        return kind, turns

    @cached_property
    def _between(self) -> tuple[str, str]:
        """The template's text from an answer to the next question, and from there to its answer."""
        whole = self._text.render_chat(
            [
                {"role": "user", "content": _Q},
                {"role": "assistant", "content": _A},
                {"role": "user", "content": _F},
            ]
        )
        to_question, to_answer = whole.split(_A)[-1].split(_F)
        return to_question, to_answer

    @cached_property
    def _bridges(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Ids up to the first question, from a question to its answer, and to the next question."""
        opening, to_answer = self._text.render_chat([{"role": "user", "content": _Q}]).split(_Q)
        return (
            self._ids(opening),
            self._after_turn(to_answer),
            self._after_turn(self._between[0]),
        )

    def _after_turn(self, text: str) -> tuple[int, ...]:
        """Ids without the first, if it ends a turn: the target has said that one itself."""
        ids = self._ids(text)
        return ids[1:] if ids[:1] and ids[0] in self._eos_ids else ids

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._text.tokenizer.encode(text, add_special_tokens=False).ids)
