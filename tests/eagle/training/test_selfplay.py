from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from eagle.training.talkative import CONFIG, EOS, talkative, weights
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.generation import generate
from eagle_impl.sampling import Sampler
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.training.conversations import Conversation
from eagle_impl.training.scripts import Script, Turn
from eagle_impl.training.selfplay import MIN_TOKENS, converse, loop

GREEDY, WARM = Sampler(), Sampler(temperature=0.8)


def prompt(seed: int, length: int = 9) -> tuple[int, ...]:
    random = torch.Generator().manual_seed(seed)
    return tuple(torch.randint(256, (length,), generator=random).tolist())


def script(number: int, *turns: Turn) -> Script:
    return Script(number, "story", 100 + number, turns)


def answer(given: Sequence[int], sampler: Sampler = GREEDY, limit: int = 30) -> Turn:
    return Turn(tuple(given), sampler, limit, response=True)


def held(
    target: LlamaTarget, scripts: Sequence[Script], slots: int = 4, capacity: int = 200
) -> dict[int, Conversation]:
    found = converse(target, scripts, slots=slots, capacity=capacity, keep_features=True)
    return {one.number: one for one in found}


def parts(one: Conversation) -> tuple[list[int], tuple[tuple[int, int], ...]]:
    return one.ids.tolist(), one.responses


def test_greedy_answers_are_what_decoding_gives() -> None:
    target = talkative()
    scripts = [script(i, answer(prompt(i, 3 + i % 5))) for i in range(24)]
    found = held(target, scripts)
    kept = 0
    for one in scripts:
        given = one.turns[0].given
        text = list(generate(target, given, max_new_tokens=30, eos_ids=(EOS,)))
        said = text[:-1] if text[-1] == EOS else text
        if len(said) < MIN_TOKENS:
            assert one.number not in found
        else:
            start = len(given)
            assert parts(found[one.number]) == ([*given, *said], ((start, start + len(said)),))
            kept += 1
    assert 5 < kept < 24


def test_features_are_those_of_reading() -> None:
    target = talkative()
    for one in held(target, [script(i, answer(prompt(i), WARM)) for i in range(6)]).values():
        assert one.features is not None
        assert one.features.dtype == torch.float16
        read = target.prefill(one.ids, target.new_cache(len(one.ids))).features
        assert torch.allclose(one.features.float(), read, rtol=1e-3, atol=1e-3)


def test_a_conversation_does_not_depend_on_the_others() -> None:
    target = talkative()
    scripts = [script(i, answer(prompt(i), (GREEDY, WARM)[i % 2])) for i in range(12)]
    together = held(target, scripts, slots=5)
    for one in scripts:
        alone = held(target, [one], slots=1)
        assert alone.keys() <= together.keys()
        if one.number in alone:
            assert parts(alone[one.number]) == parts(together[one.number])


def test_a_second_turn_follows_the_token_that_ended_the_first() -> None:
    target = talkative()
    first = [script(i, answer(prompt(i), WARM, 60)) for i in range(30)]
    ended = [n for n, one in held(target, first).items() if one.response_tokens < 59]
    assert len(ended) > 2
    asked = (7, 8, 9)
    scripts = [replace(first[n], turns=(*first[n].turns, answer(asked))) for n in ended]
    for number, one in held(target, scripts).items():
        ids, spans = parts(one)
        if len(spans) == 2:
            (start, end), (again, last) = spans
            assert tuple(ids[:start]) == first[number].turns[0].given
            assert tuple(ids[end:again]) == (EOS, *asked)
            assert EOS not in ids[start:end] + ids[again:]
            assert last == len(ids)


def test_a_question_of_the_targets_own_is_not_an_answer() -> None:
    target = talkative()
    asks = Turn(prompt(0), WARM, 60, response=False)
    scripts = [script(i, asks, answer((7, 8))) for i in range(30)]
    found = held(target, scripts)
    assert found
    for one in found.values():
        ids, ((start, end),) = parts(one)
        assert ids[start - 3 : start] == [EOS, 7, 8]
        assert EOS not in ids[9 : start - 3]
        assert (start > 12, end) == (True, len(ids))


def test_a_question_that_does_not_end_makes_no_conversation() -> None:
    never = LlamaTarget(replace(CONFIG, eos_ids=()), weights())
    asks = Turn(prompt(0), WARM, 20, response=False)
    assert held(never, [script(i, asks, answer((7, 8))) for i in range(5)]) == {}


@pytest.mark.parametrize("capacity", [21, 24])
def test_what_is_too_long_is_cut_off(capacity: int) -> None:
    never = LlamaTarget(replace(CONFIG, eos_ids=()), weights())
    (one,) = held(never, [script(0, answer(prompt(0), WARM))], capacity=capacity).values()
    assert parts(one)[1] == ((9, capacity),)
    assert held(never, [script(0, answer(prompt(0, capacity)))], capacity=capacity) == {}


def test_a_limit_is_a_limit() -> None:
    never = LlamaTarget(replace(CONFIG, eos_ids=()), weights())
    for limit in (8, 9, 17):
        (one,) = held(never, [script(0, answer(prompt(0), WARM, limit))]).values()
        assert one.responses == ((9, 9 + limit),)


def test_the_number_of_answered_tokens_is_told() -> None:
    told = list[int]()
    scripts = [script(i, answer(prompt(i))) for i in range(6)]
    found = converse(
        talkative(), scripts, slots=3, capacity=99, keep_features=False, tick=told.append
    )
    kept = sum(one.response_tokens for one in found)
    assert sum(told) >= kept > 0


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ([1, 2, 3] * 5, 0),  # 12 tokens again may be a refrain
        ([1, 2, 3] * 17, 45),
        ([7, 7] + [1, 2, 3] * 17, 45),
        ([4] * 48, 0),
        ([4] * 49, 47),
        (list(range(30)) * 2, 0),
        (list(range(30)) * 3, 30),
        (list(range(97)) * 4, 0),  # longer than what is looked for
        (list(range(200)), 0),
    ],
)
def test_what_counts_as_a_loop(said: list[int], again: int) -> None:
    assert loop(said) == again


@given(
    st.lists(st.integers(0, 2), max_size=60),
    st.lists(st.integers(0, 9), min_size=1, max_size=96),
)
def test_what_is_cut_off_only_repeats_what_is_left(before: list[int], period: list[int]) -> None:
    said = before + period * (100 // len(period) + 3)
    again = loop(said)
    assert 0 < again < len(said)
    cut = range(len(said) - again, len(said))
    assert any(all(said[i] == said[i - p] for i in cut) for p in range(1, len(period) + 1))


def test_a_loop_is_cut_off() -> None:
    """Greedy, a random target soon repeats itself."""
    never = LlamaTarget(replace(CONFIG, eos_ids=()), weights())
    found = held(never, [script(i, answer(prompt(i), GREEDY, 180)) for i in range(6)])
    lengths = [one.response_tokens for one in found.values()]
    assert min(lengths) < 100
    for one in found.values():
        (start, end) = one.responses[0]
        assert loop(one.ids.tolist()[start:end]) == 0
