from __future__ import annotations

from collections import Counter

import pytest
from eagle.training.talkative import EOS, tiny_text

from eagle_impl.errors import PromptError
from eagle_impl.training.requests import KINDS
from eagle_impl.training.scripts import GREEDY, SELF_ASKED, WARM, Script, Scripts

TEXT = tiny_text()
SCRIPTS = [Scripts(TEXT, (EOS,), seed=5)[number] for number in range(1500)]


def shown(script: Script) -> list[str]:
    return [TEXT.tokenizer.decode(list(t.given), skip_special_tokens=False) for t in script.turns]


def of_kind(*, self_asked: bool, turns: int) -> list[Script]:
    return [
        script
        for script in SCRIPTS
        if (script.kind == SELF_ASKED) == self_asked and len(script.turns) == turns
    ]


def test_a_request_is_put_as_it_is_in_use() -> None:
    for script in of_kind(self_asked=False, turns=1):
        (given,) = shown(script)
        system, user = given.removesuffix("<|end|>\n{assistant}").split("<|end|>\n{user}")
        messages = [{"role": "user", "content": user}]
        if system != "{system}Be kind.":
            messages.insert(0, {"role": "system", "content": system.removeprefix("{system}")})
        assert list(script.turns[0].given) == TEXT.encode_chat(messages)


def test_a_follow_up_goes_on_where_the_answer_ended() -> None:
    answer = [ord(letter) for letter in "Yes"]
    for script in of_kind(self_asked=False, turns=2):
        first, second = script.turns
        user = shown(script)[1].removeprefix("\n{user}").removesuffix("<|end|>\n{assistant}")
        asked = shown(script)[0].removesuffix("<|end|>\n{assistant}").split("{user}")[1]
        messages = [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": "Yes"},
            {"role": "user", "content": user},
        ]
        if "{system}Be kind." in shown(script)[0]:
            held = [*first.given, *answer, EOS, *second.given]
            assert held == TEXT.encode_chat(messages)


def test_the_target_asks_where_the_user_would() -> None:
    for script in of_kind(self_asked=True, turns=4):
        assert shown(script) == [
            "{system}Be kind.<|end|>\n{user}",
            "\n{assistant}",
            "\n{user}",
            "\n{assistant}",
        ]
        assert [turn.response for turn in script.turns] == [False, True, False, True]
        asking = script.turns[0].sampler
        assert (asking.temperature, asking.top_p) == (1.0, 0.98)
        assert len({turn.sampler for turn in script.turns[1::2]}) == 1


def test_answers_are_greedy_or_warm() -> None:
    answers = Counter(script.turns[-1].sampler for script in SCRIPTS)
    assert set(answers) == {GREEDY, WARM}
    assert answers[GREEDY] / len(SCRIPTS) == pytest.approx(0.7, abs=0.04)


def test_kinds_are_mixed() -> None:
    kinds = Counter(script.kind for script in SCRIPTS)
    assert set(kinds) == {SELF_ASKED, *KINDS}
    assert kinds[SELF_ASKED] / len(SCRIPTS) == pytest.approx(0.25, abs=0.04)


def test_a_script_depends_on_seed_and_number_alone() -> None:
    again = Scripts(tiny_text(), (EOS,), seed=5)
    assert [again[number] for number in (7, 3)] == [SCRIPTS[7], SCRIPTS[3]]
    others = [Scripts(TEXT, (EOS,), seed=6)[number] for number in range(20)]
    assert all(a != b for a, b in zip(others, SCRIPTS, strict=False))
    assert len({script.seed for script in SCRIPTS}) == len(SCRIPTS)


def test_a_target_without_a_chat_template_is_refused() -> None:
    with pytest.raises(PromptError, match="no chat template"):
        Scripts(tiny_text(template=None), (EOS,), seed=0)[0]
