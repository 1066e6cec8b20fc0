"""Blocks of several accepted tokens end, count and read as single tokens do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from eagle.scripted import Chains, Told, tokens_of

from eagle_impl.answer import Answer, Asked, Kit, answer, as_document, lines, shape_of
from eagle_impl.drafters.interface import Drafter
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.errors import OptionError
from eagle_impl.generation import Statistics
from eagle_impl.losslessness.comparing import Difference
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import EAGLE_1_TREE, chain
from eagle_impl.text import Text

END = 3
WORDS = tokens_of(p=0, a=20, bE=21, ND=22, x=23, y=24, **{"</s>": END})
PROMPT = (0, 0)


def told(
    said: Sequence[int], drafter: Drafter | None = None, *, ends: tuple[int, ...] = (), **asked: Any
) -> tuple[Answer, str]:
    """An answer, and what was shown of it while it came."""
    target = Told(said, len(PROMPT), ends=ends)
    shown = list[str]()
    kit = Kit(target, Text(WORDS), drafter, "eagle")
    return answer(kit, Asked(PROMPT, Sampler(), **asked), shown.append), "".join(shown)


# Ends


@pytest.mark.parametrize("drafting", [False, True])
@pytest.mark.parametrize("place", range(8))
def test_an_end_ends_wherever_it_is_in_a_block(place: int, drafting: bool) -> None:
    said = [20, 23, 24, 20, 23, 24, 20, 23]
    said[place] = END
    # One token of the prompt's, six accepted drafts, one of the target's: places 0, 1-6, and 7.
    drafter = Chains(said[1:7]) if drafting else None
    got, shown = told(said, drafter, ends=(END,), max_new_tokens=20)
    assert list(got.ids) == said[: place + 1]
    assert got.statistics.end == "eos"
    assert got.text == shown == WORDS.decode(said[:place]) + "</s>"
    assert got.statistics.tokens == place + 1
    if drafting and place:
        # Accepted drafts that nobody gets are not counted, nor is a token of the target's own.
        assert sum(got.statistics.held) == min(place, 6)
        assert got.statistics.tau == place


@pytest.mark.parametrize("depth", range(1, 9))
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 7])
def test_there_are_never_more_tokens_than_asked_for(limit: int, depth: int) -> None:
    said = [20, 21, 22, 23, 24, 20, 21, 22, 23, 24]
    got, shown = told(said, Chains(*_ahead(said, depth)), max_new_tokens=limit)
    assert list(got.ids) == said[:limit]
    assert got.text == shown == WORDS.decode(said[:limit])
    one = got.statistics
    assert (one.tokens, one.end) == (limit, "length")
    assert sum(one.held) <= max(0, limit - 1)


def _ahead(said: list[int], depth: int) -> list[list[int]]:
    """What is said next in each cycle in which all drafts are accepted."""
    return [said[start : start + depth] for start in range(1, len(said), depth + 1)]


@pytest.mark.parametrize(
    ("stops", "stop", "text", "ids"),
    [
        (("END",), "END", "ab", 3),  # begins within one token and ends with the next
        (("x",), "x", "abEND", 4),
        (("Dx",), "Dx", "abEN", 4),
        (("a",), "a", "", 1),
        (("y", "ND"), "ND", "abE", 3),
        (("never",), None, "abENDxy", 6),
    ],
)
def test_a_stop_is_found_in_the_middle_of_a_block(
    stops: tuple[str, ...], stop: str | None, text: str, ids: int
) -> None:
    said = [20, 21, 22, 23, 24, END]
    for drafter in (None, Chains(said[1:]), Chains(said[1:3], said[4:])):
        got, shown = told(said, drafter, ends=(END,), stops=stops, max_new_tokens=20)
        assert shown == got.text == text + ("</s>" if stop is None else "")
        assert list(got.ids) == said[:ids]
        assert got.statistics.tokens == ids
        assert got.stop == stop
        assert ("a stop text" in lines(got)[0]) == (stop is not None)


# Counts


def test_tau_counts_the_targets_own_token_in_every_cycle() -> None:
    # 20 comes from the prompt. Then 1 draft of 3 is accepted, 3 of 3, none of 2, 2 of 2.
    said = [20, 21, 22, 23, 24, 20, 21, 22, 23, 24, 20]
    drafts = Chains([21, 0, 0], [23, 24, 20], [0, 0], [23, 24])
    got, _ = told(said, drafts, max_new_tokens=len(said))
    one = got.statistics
    assert (one.cycles, one.drafted) == (4, 10)
    assert one.tau == (2 + 4 + 1 + 3) / 4
    assert one.tokens == 1 + sum(one.held) + one.cycles == len(said)
    assert one.tried == [4, 3, 1]
    assert one.held == [3, 2, 1]
    assert one.acceptance == [3 / 4, 2 / 3, 1]
    assert "tau 2.50 (the target's own token counted)" in lines(got)[2]


def test_speed_is_that_of_tokens_however_many_come_at_once() -> None:
    one = Statistics(prompt_tokens=3, tokens=12, cycles=3, total_seconds=1.5, end="length")
    assert lines(Answer("eagle", (1,) * 12, "", None, one))[1].startswith("8.0 tokens/s, 1.50 s")


def test_a_document_says_where_answers_part() -> None:
    one = Answer("eagle", (1, 2), "ab", None, Statistics(tokens=2, cycles=1))
    other = Answer("vanilla", (1, 3), "ac", None, Statistics(tokens=2, cycles=1))
    parted = Difference(1, 3, 2, (3, 2), (1.5, 1.25), 0.25, near=False)
    document = json.loads(as_document(one, other, parted))
    assert (document["ids"], document["plain"]["ids"]) == ([1, 2], [1, 3])
    assert document["same_ids"] is False
    assert document["first_difference"]["place"] == 1
    assert document["first_difference"]["gap"] == 0.25
    assert document["statistics"]["tau"] == 1.0
    same = json.loads(as_document(one, one, None))
    assert same["same_ids"] is True
    assert "first_difference" not in same
    assert "plain" not in json.loads(as_document(one, None, None))


def test_counts_have_the_right_number() -> None:
    one = Statistics(prompt_tokens=34, tokens=1, cycles=1, end="eos")
    first, _, third, *_ = lines(Answer("vanilla", (5,), "", None, one))
    assert first == "1 token after 34 of the prompt, ended by eos"
    assert third.startswith("1 forward pass after the prompt's, tau")


@pytest.mark.parametrize(("held", "hinted"), [([0, 0], True), ([0, 1], False)])
def test_a_head_of_which_nothing_is_taken_is_pointed_at(held: list[int], hinted: bool) -> None:
    one = Statistics(tokens=9, cycles=8, tried=[8, 2], held=held)
    said = "no draft was accepted; `eagle_impl inspect` tells whether the head fits"
    assert (said in lines(Answer("eagle", (5,) * 9, "", None, one))) == hinted


# Trees by name


def test_trees_by_name() -> None:
    assert shape_of("eagle", "static") is shape_of("eagle", "") is EAGLE_1_TREE
    assert shape_of("eagle", "chain:3") == chain(3)
    assert shape_of("eagle-2", "5,2,9") == DynamicTree(top_k=5, depth=2, total=9)
    assert isinstance(shape_of("eagle-2", ""), DynamicTree)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("eagle", "nonsense"),
        ("eagle", "chain"),
        ("eagle", "chain:"),
        ("eagle", "chain:0"),
        ("eagle", "chain:-1"),
        ("eagle", "4,3,7"),
        ("eagle-2", "nonsense"),
        ("eagle-2", "chain:2"),
        ("eagle-2", "static"),
        ("eagle-2", "4,3"),
        ("eagle-2", "4,3,7,1"),
        ("eagle-2", "0,3,7"),
        ("eagle-2", "4,0,7"),
        ("eagle-2", "4,3,0"),
        ("eagle-2", "2,2,7"),
        ("eagle-2", "²,3,7"),
        ("eagle-2", "٤,٣,٧"),
    ],
)
def test_what_is_no_tree_is_refused(method: str, words: str) -> None:
    with pytest.raises(OptionError) as caught:
        shape_of(method, words)
    assert "\n" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("method", "words", "said"),
    [
        ("eagle", "chain:1000", "'chain:1000': DEPTH is at most 999, not 1000"),
        ("eagle", "chain:999999999", "DEPTH is at most 999"),
        ("eagle-2", "1000,3,7", "'1000,3,7': TOPK is at most 999, not 1000"),
        ("eagle-2", "4,1000,7", "DEPTH is at most 999, not 1000"),
        ("eagle-2", "99,9,10000", "NODES is at most 9999, not 10000"),
    ],
)
def test_a_tree_beyond_a_limit_is_told_the_limit(method: str, words: str, said: str) -> None:
    with pytest.raises(OptionError) as caught:
        shape_of(method, words)
    assert said in caught.value.message
    assert "\n" not in caught.value.message


def test_trees_at_the_limits_are_grown() -> None:
    assert shape_of("eagle", "chain:999").depth == 999
    assert shape_of("eagle-2", "999,999,9999").total == 9999
