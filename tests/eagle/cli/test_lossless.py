"""``eagle_impl lossless``: what it says of right and of wrong output, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from eagle.drafters.head_target import random_head
from eagle.tiny import tiny_config, tiny_weights, write_model
from eagle.tiny_text import END, byte_level
from torch import Tensor

from eagle_impl import acceptance
from eagle_impl.cli.app import run
from eagle_impl.drafters.head import HeadConfig
from eagle_impl.formats.eagle import write_eagle
from eagle_impl.generation import generate
from eagle_impl.losslessness import comparing

CONFIG = tiny_config(layers=1, vocab_size=261, max_positions=128, eos_ids=(256,), bos_id=None)
TEMPLATE = "{% for message in messages %}<{{ message.content }}>{% endfor %}"
QUESTIONS = (
    '{"question_id": 8, "category": "talk", "turns": ["Hi!", "Why?"]}\n'
    '{"question_id": "x\\u001b", "category": "code", "turns": ["def f():"], "reference": []}\n'
    '{"question_id": 10, "category": "code", "turns": ["def g():"]}\n'
)

Shell = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, a head for it, and questions."""
    home = tmp_path_factory.mktemp("home")
    weights = tiny_weights(CONFIG)
    weights["lm_head.weight"] *= 4  # of so many tokens, only some shall be likely
    write_model(home / "model", CONFIG, weights)
    byte_level().save(str(home / "model" / "tokenizer.json"))
    settings = {"eos_token": END, "chat_template": TEMPLATE}
    (home / "model" / "tokenizer_config.json").write_text(json.dumps(settings))
    write_eagle(home / "head", random_head(HeadConfig.like(CONFIG)))
    (home / "question.jsonl").write_text(QUESTIONS)
    return home


@pytest.fixture
def shell(home: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Runs the command: exit code, stdout and stderr."""

    def call(*words: object, head: bool = True) -> tuple[int, str, str]:
        given = ["lossless", "--target", home / "model", "--max-new-tokens", 16, *words]
        given += ["--head", home / "head"] if head else []
        given += [] if "--workload" in words else ["--workload", home / "question.jsonl"]
        try:
            code: int | str | None = run([str(word) for word in given])
        except SystemExit as ended:
            code = ended.code
        assert isinstance(code, int)
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.mark.parametrize("more", [(), ("--method", "eagle"), ("--temperature", "0.7")])
def test_drafts_that_are_not_drawn_give_equal_ids(shell: Shell, more: tuple[str, ...]) -> None:
    code, out, err = shell(*more)
    first, *answers, verdict = out.splitlines()
    assert code == 0
    assert first.endswith(
        f"plain decoding, {'temperature 0.7' if '0.7' in more else 'greedy'}, fp32"
    )
    assert [answer.partition(":")[0] for answer in answers] == [
        "8 talk",
        "8 talk, turn 2",
        "x\N{REPLACEMENT CHARACTER} code",
        "10 code",
    ]
    assert all(": equal, " in answer for answer in answers)
    assert verdict.startswith("verdict: equal, 4 answers have the ids of plain decoding")
    assert "3 of 3 prompts" in err


def test_the_later_turn_follows_the_answer_to_the_first(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = list[str]()

    def watched(target: Any, prompt: Any, **more: Any) -> Iterator[int]:
        prompts.append(byte_level().decode(prompt))
        return generate(target, prompt, **more)

    monkeypatch.setattr(comparing, "generate", watched)
    assert shell("--prompts", 1)[0] == 0
    opening, _, later, _ = prompts
    assert opening == "<Hi!>"
    assert later.startswith("<Hi!><")
    assert later.endswith("><Why?>")
    assert len(later) > len("<Hi!><><Why?>")
    assert shell("--prompts", 1, "--no-chat")[0] == 0
    assert prompts[4] == "Hi!"
    assert prompts[6].startswith("Hi!\n\n")
    assert prompts[6].endswith("\n\nWhy?")


def test_other_ids_are_shown_with_their_place(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(target: Any, prompt: Any, *, drafter: Any, **more: Any) -> Iterator[int]:
        for place, token in enumerate(generate(target, prompt, drafter=drafter, **more)):
            yield (token + 1) % 256 if drafter is not None and place == 5 else token

    monkeypatch.setattr(comparing, "generate", wrong)
    code, out, _ = shell("--prompts", 1)
    assert code == 1
    lines = out.splitlines()
    assert lines[1] == "8 talk: DIFFERENT after 5 equal tokens"
    assert lines[2].startswith("        plain ")
    assert "gap " in lines[3]
    assert lines[-1] == "verdict: DIFFERENT, 2 of 2 answers, 2 of them far from a tie: a fault"
    code, out, _ = shell("--prompts", 1, "--json")
    assert code == 1
    told = json.loads(out)
    found = told["answers"][0]["first_difference"]
    assert (told["equal"], found["place"], found["near"]) == (False, 5, False)
    assert found["drafted"] == found["plain"] + 1
    assert found["plain"] == found["leaders"][0]
    assert found["gap"] == pytest.approx(found["logits"][0] - found["logits"][1])
    assert found["plain_text"] == byte_level().decode([found["plain"]])


def test_fewer_prompts_than_were_asked_for_are_said(shell: Shell) -> None:
    said = "lossless: the file has 3 prompts, not 10000; all are checked"
    assert said in shell("--prompts", 10000)[2].splitlines()
    assert "the file has" not in shell("--prompts", 3)[2]
    assert "the file has" not in shell("--prompts", 1)[2]


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_it_is_said_where_ids_are_equal_up_to_ties_only(shell: Shell, dtype: str) -> None:
    _, out, _ = shell("--prompts", 1, "--dtype", dtype)
    assert ("only up to near-ties" in out) == (dtype == "bf16")


DRAWN = ("--method", "eagle", "--tree", "chain:2", "--temperature", "1", "--samples", "150")


def test_drafts_that_are_drawn_are_judged_by_frequency(shell: Shell) -> None:
    code, out, _ = shell(*DRAWN, "--json")
    told = json.loads(out)
    assert (code, told["equal"], told["significance"]) == (0, True, 0.001)
    assert [test["question_id"] for test in told["tests"]] == ["8", "x\x1b", "10"]
    for test in told["tests"]:
        assert (test["samples"], test["excluded"]) == (150, 0)
        assert test["freedom"] >= 3
        assert 0.001 < test["p"] <= test["adjusted_p"] <= 1
        assert test["drafts_tried"] > test["drafts_held"] > 0


def test_frequencies_of_a_wrong_rule_are_found_wrong(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def always(target: Tensor, drafted: list[int], drawn_from: Tensor) -> Tensor:
        if not drafted:
            return target
        return torch.eye(1, len(drafted) + target.numel(), dtype=torch.float64)[0]

    monkeypatch.setattr(acceptance, "outcomes", always)
    code, out, _ = shell(*DRAWN)
    assert code == 1
    assert out.splitlines()[1].startswith("8 talk: DIFFERENT, 150 samples, chi-square ")
    assert "verdict: DIFFERENT, 3 of 3 distributions (3 tests, 450 samples" in out


def test_what_cannot_be_checked_is_refused(shell: Shell, home: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(QUESTIONS + "{}\n")
    long = tmp_path / "long.jsonl"
    long.write_text(json.dumps({"question_id": 3, "category": "qa", "turns": ["a" * 200]}))
    for words, said in (
        (("--workload", bad), f"{bad}:4: "),
        (("--workload", tmp_path / "none"), "no such file"),
        (("--workload", long), "question 3: the prompt has 202 tokens"),
        (("--method", "vanilla"), "nothing drafts here"),
        (("--temperature", "-1"), "temperature -1.0"),
        (("--no-chat", "--chat-template", bad), "--no-chat"),
        ((*DRAWN[:-1], "4"), "too few to tell"),
    ):
        code, out, err = shell(*words, head="vanilla" not in words)
        assert (code, out) == (2, ""), err
        assert err.splitlines()[-1].startswith("eagle_impl: ")
        assert said in err
    assert shell("--prompts", 0)[0] == 2
