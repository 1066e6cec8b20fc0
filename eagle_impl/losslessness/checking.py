"""Questions put to a target with drafts and without, and what is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from eagle_impl.answer import Kit
from eagle_impl.drafters.interface import Drafter
from eagle_impl.errors import OptionError, PromptError
from eagle_impl.losslessness.comparing import Pair, compare
from eagle_impl.losslessness.frequencies import Counts, count, drafts_are_drawn
from eagle_impl.sampling import Sampler
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.text import Text
from eagle_impl.workloads import Question


@dataclass(frozen=True, slots=True)
class Asked:
    """What to check, and how much of it."""

    questions: tuple[Question, ...]
    sampler: Sampler
    seed: int = 0
    max_new_tokens: int = 128
    """Of an answer that is compared by its ids."""
    samples: int = 200
    """Texts for each question where only their law is the same."""
    chat: bool = True
    """Whether questions are put into the chat template."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that was to have the ids of plain decoding."""

    question: Question
    turn: int
    """From 1."""
    pair: Pair


@dataclass(frozen=True, slots=True)
class Counted:
    """Short answers that were to come as often as with plain decoding."""

    question: Question
    counts: Counts


Found: TypeAlias = tuple[Answered | Counted, ...]
"""Of one sort all."""


def check(kit: Kit, asked: Asked, progress: Callable[[int], None]) -> Found:
    """Check a kit's drafts against plain decoding.

    What is checked depends on what can be equal: the ids, unless drafts are drawn.

    Args:
        kit: Target and drafter.
        asked: What to check.
        progress: Told how many more questions are done.

    Raises:
        OptionError: Nothing drafts, or the samples are too few to say anything.
        PromptError: A question cannot be asked.
    """
    drafter = kit.drafter
    if drafter is None:
        raise OptionError(
            f"{kit.method} decoding is what drafts are held against, and nothing drafts here",
            "name a head with --head",
        )
    answered, counted = list[Answered](), list[Counted]()
    counts = not asked.sampler.greedy and drafts_are_drawn(kit.target, drafter)
    for number, question in enumerate(asked.questions):
        try:
            if counts:
                counted.append(_count(kit, drafter, asked, number))
            else:
                answered += _answers(kit, drafter, asked, question)
        except PromptError as error:
            raise PromptError(f"question {question.id}: {error.message}", error.hint) from None
        progress(1)
    if counts and not any(one.counts.fit.freedom or one.counts.fit.excluded for one in counted):
        raise OptionError(
            f"{asked.samples} samples a question are too few to tell anything",
            "draw more, or ask for a higher temperature",
        )
    return tuple(counted) if counts else tuple(answered)


def is_exact(kit: Kit) -> bool:
    """Whether a token's logits are known not to depend on how many are computed together."""
    return isinstance(kit.target, LlamaTarget) and kit.target.kernels is not None


def _answers(kit: Kit, drafter: Drafter, asked: Asked, question: Question) -> list[Answered]:
    """All turns of a conversation; it goes on with the answers of plain decoding."""
    said, answered = list[str](), list[Answered]()
    for turn, text in enumerate(question.turns, start=1):
        said.append(text)
        prompt = _encode(kit.text, said, asked.chat)
        pair = compare(kit.target, drafter, prompt, asked.sampler, asked.seed, asked.max_new_tokens)
        answered.append(Answered(question, turn, pair))
        said.append(kit.text.decode(pair.plain))
    return answered


def _count(kit: Kit, drafter: Drafter, asked: Asked, number: int) -> Counted:
    """Short texts after the first turn of a question. No two of a check have the same seed."""
    question = asked.questions[number]
    prompt = _encode(kit.text, question.turns[:1], asked.chat)
    start = asked.seed + number * asked.samples
    seeds = range(start, start + asked.samples)
    return Counted(question, count(kit.target, drafter, prompt, asked.sampler, seeds))


def _encode(text: Text, said: Sequence[str], chat: bool) -> list[int]:
    """The ids of what user and assistant said in turn."""
    if not chat:
        return text.encode("\n\n".join(said))
    roles = ("user", "assistant")
    return text.encode_chat(
        [{"role": roles[at % 2], "content": content} for at, content in enumerate(said)]
    )
