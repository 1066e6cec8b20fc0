from __future__ import annotations

from collections.abc import Sequence

import pytest

from eagle_impl.bench.categories import Category, Worth, first_of_each, judge
from eagle_impl.bench.figures import Difference
from eagle_impl.bench.measuring import Prompt
from eagle_impl.bench.methods import Method, Outcome
from eagle_impl.generation import Statistics

PROMPTS = [
    Prompt("1", "tea", (1,)),
    Prompt("2", "toast", (2,)),
    Prompt("3", "tea", (3,)),
    Prompt("4", "tea", (4,)),
]


def method(key: str, cycles: int, *, wrong: int = 0) -> Method:
    """Gives out the prompt's token 41 times, save for one prompt."""

    def decode(prompt: Sequence[int], tokens: int) -> Outcome:
        ids = [prompt[0]] * 41
        if prompt[0] == wrong:
            ids[5] = 99
        # The more cycles, the higher the number of the prompt.
        told = Statistics(tokens=41, cycles=cycles * prompt[0], tried=[4], held=[prompt[0]])
        return Outcome(tuple(ids), 1.0, told)

    return Method(key, key, decode)


def silent(what: str) -> None:
    pass


def test_the_first_of_each_category_are_kept_in_order() -> None:
    assert [prompt.id for prompt in first_of_each(PROMPTS, 2)] == ["1", "2", "3"]
    assert first_of_each(PROMPTS, 9) == PROMPTS


def test_categories_are_judged_apart_and_together() -> None:
    judged = judge([method("a", 10), method("b", 5)], PROMPTS, tokens=41, say=silent)
    assert judged.categories == [
        # Prompts 1, 3 and 4: 120 tokens in 80 cycles; 8 of 12 held.
        Category("tea", 3, 123, 3, {"a": Worth(1.5, [8 / 12]), "b": Worth(3.0, [8 / 12])}),
        Category("toast", 1, 41, 1, {"a": Worth(2.0, [0.5]), "b": Worth(4.0, [0.5])}),
        Category("all", 4, 164, 4, {"a": Worth(1.6, [10 / 16]), "b": Worth(3.2, [10 / 16])}),
    ]
    assert judged.differing == []


def test_one_category_is_not_told_twice() -> None:
    judged = judge([method("a", 10)], PROMPTS[:1], tokens=41, say=silent)
    assert [kind.name for kind in judged.categories] == ["tea"]


@pytest.mark.parametrize("wrong", [1, 4])
def test_outputs_that_differ_are_told(wrong: int) -> None:
    methods = [method("a", 10), method("b", 5, wrong=wrong)]
    assert judge(methods, PROMPTS, tokens=41, say=silent).differing == [Difference(str(wrong), 5)]
