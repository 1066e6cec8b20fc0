from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from eagle_impl.errors import CheckpointError, PromptError
from eagle_impl.training.requests import FOLLOW_UP, grammar, request
from eagle_impl.workloads import PROMPTS, Question, read_workload

KINDS = ["dialogue", "code", "maths", "instruction", "summary", "question-answering"]
COMPOSED = 3000


def rows(text: str, count: int) -> set[tuple[str, ...]]:
    """All rows of so many words."""
    found = re.findall(r"[a-z0-9']+", text.lower())
    return {tuple(found[at : at + count]) for at in range(len(found) - count + 1)}


def test_ten_prompts_of_each_kind_the_kinds_in_turn() -> None:
    questions = read_workload()
    assert [question.category for question in questions] == KINDS * 10
    assert len({question.id for question in questions}) == 60
    assert len({turn for question in questions for turn in question.turns}) == 70
    for question in questions:
        assert len(question.turns) == (2 if question.category == "dialogue" else 1)
        assert all(turn.strip() for turn in question.turns)


def test_summaries_have_a_passage_to_sum_up() -> None:
    for question in read_workload():
        if question.category == "summary":
            _, passage = question.turns[0].split("\n\n")
            assert 100 <= len(passage.split()) <= 200


def test_no_prompt_shares_eight_words_in_a_row_with_what_is_trained_on() -> None:
    trained_on = [request(random.Random(f"evaluation {i}"))[0] for i in range(COMPOSED)]
    trained_on += [grammar().compose(FOLLOW_UP, random.Random(i)) for i in range(500)]
    trained_on += [text for alternatives in grammar().rules.values() for text in alternatives]
    turns = [turn for question in read_workload() for turn in question.turns]
    assert not set(turns) & set(trained_on)
    known = set[tuple[str, ...]]().union(*(rows(text, 8) for text in trained_on))
    assert len(known) > 10_000
    assert not known & set[tuple[str, ...]]().union(*(rows(turn, 8) for turn in turns))


def written(folder: Path, content: str) -> Path:
    path = folder / "question.jsonl"
    path.write_text(content, encoding="utf-8")
    return path


def test_lines_of_spec_bench_are_read_whatever_else_they_hold(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '{"question_id": 7, "category": "qa", "turns": ["Who?", "Why?"], "reference": [null]}\n'
        "\n"
        '{"turns": ["a\u2028b\\n"], "category": "code", "question_id": "x/1", "more": {"y": 1}}',
    )
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # as some editors begin a file
    assert read_workload(path) == (
        Question("7", "qa", ("Who?", "Why?")),
        Question("x/1", "code", ("a\u2028b\n",)),
    )


GOOD = '{"question_id": 1, "category": "qa", "turns": ["Who?"]}\n'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("who?", "malformed"),
        ('{"question_id": 2, "category": "qa"}', "`turns`"),
        ('{"question_id": 2, "category": "qa", "turns": "Who?"}', "$.turns"),
        ('{"question_id": 2, "category": "qa", "turns": []}', "length >= 1"),
        ('{"question_id": 2, "category": "qa", "turns": ["Who?", 3]}', "$.turns[1]"),
        ('{"question_id": 2, "category": "qa", "turns": ["Who?", " "]}', "a turn is empty"),
        ('{"question_id": 2.5, "category": "qa", "turns": ["Who?"]}', "$.question_id"),
        ('{"question_id": 2, "turns": ["Who?"]}', "`category`"),
        ('["Who?"]', "object"),
        ('{"more": ' + "[" * 100_000, "recursion"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = written(tmp_path, GOOD + "\n" + line + "\n" + GOOD)
    with pytest.raises(PromptError) as caught:
        read_workload(path)
    assert caught.value.message.startswith(f"{path}:3: ")
    assert said in caught.value.message
    assert "\n" not in caught.value.message


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "question.jsonl"
    path.write_bytes(GOOD.encode() + GOOD.encode().replace(b"Who", b"\xff"))
    with pytest.raises(PromptError, match=":2: "):
        read_workload(path)


def test_files_without_questions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="no questions"):
        read_workload(written(tmp_path, "\n\n"))
    with pytest.raises(CheckpointError, match="no such file"):
        read_workload(tmp_path / "none.jsonl")
    with pytest.raises(CheckpointError, match="LFS"):
        read_workload(written(tmp_path, "version https://git-lfs.github.com/spec/v1\n"))


def test_the_prompts_lie_beside_the_code() -> None:
    assert PROMPTS.is_relative_to(Path(__file__).parents[3] / "eagle_impl")
    assert Counter(PROMPTS.read_bytes())[ord("\n")] == 60
