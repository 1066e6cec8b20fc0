from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eagle.bench.small import Small, write_small, write_workload

from eagle_impl.answer import Kit
from eagle_impl.bench import command
from eagle_impl.bench.__main__ import main
from eagle_impl.bench.methods import Method, Outcome, own_methods

OWN = ("plain", "eagle-2-7", "eagle-2-25", "eagle-1-chain", "eagle-1-tree")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return write_small(tmp_path_factory.mktemp("small"))


def words(small: Small, *more: object) -> list[str]:
    given = ("--target", small.target, "--head", small.head, "--workload", small.workload)
    return [*map(str, given), *map(str, more)]


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line with which a command is refused."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if "GOMP_SPINCOUNT" not in line]
    assert (out, len(lines)) == ("", 1)
    return lines[0]


def test_a_report_from_end_to_end(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.json"
    sizes = ("--prompts", 2, "--tokens", 12, "--repeats", 2, "--transformers", 0)
    assert main(words(small, *sizes, "--json", path)) == 0
    out, err = capsys.readouterr()
    assert max(map(len, out.splitlines())) <= 100
    assert "Every method of the own engine gave out the same ids as plain decoding." in out
    assert "Not compared with transformers: it was not asked for." in out
    assert "2 of 3 questions, first turns, 12 tokens at most" in " ".join(out.split())
    assert "repeat 2 of 2, prompt 2 of 2" in err

    told: dict[str, Any] = json.loads(path.read_text())
    assert tuple(told["methods"]) == OWN
    assert [(one["id"], one["category"]) for one in told["prompts"]] == [("7", "tea"), ("8", "tea")]
    # Byte for byte what the template makes of the question.
    assert bytes(told["prompts"][0]["ids"][:4]) == b"<How"
    runs = {(run["method"], run["question"], run["repeat"]): run for run in told["runs"]}
    assert runs.keys() == {(key, id, time) for key in OWN for id in "78" for time in (0, 1)}
    for (_, question, _), run in runs.items():
        assert run["ids"] == runs["plain", question, 0]["ids"]
        assert run["statistics"]["tokens"] == len(run["ids"]) <= 12
    # A round after each prompt, for every tree and every length of context.
    lengths = {one["length"] for one in told["forwards"]}
    assert len(told["forwards"]) == 2 * 2 * 4 * len(lengths)
    assert told["differing"] == {key: [] for key in OWN}


def test_methods_take_turns_in_an_order_that_the_seed_decides(small: Small, tmp_path: Path) -> None:
    def order(seed: int) -> list[str]:
        path = tmp_path / f"{seed}.json"
        sizes = ("--prompts", 3, "--tokens", 2, "--repeats", 1, "--transformers", 0)
        main(words(small, *sizes, "--seed", seed, "--json", path))
        return [run["method"] for run in json.loads(path.read_text())["runs"]]

    first = order(0)
    assert first == order(0) != order(1)
    assert all({*first[at : at + 5]} == {*OWN} for at in (0, 5, 10))


def test_an_output_that_drafts_changed_is_found(
    small: Small, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(kit: Kit) -> list[Method]:
        methods = own_methods(kit)

        def decode(prompt: Sequence[int], tokens: int) -> Outcome:
            outcome = methods[1].decode(prompt, tokens)
            return replace(outcome, ids=(*outcome.ids[:3], 257, *outcome.ids[4:]))

        return [methods[0], replace(methods[1], decode=decode), *methods[2:]]

    monkeypatch.setattr(command, "own_methods", wrong)
    sizes = ("--prompts", 1, "--tokens", 8, "--repeats", 1, "--transformers", 0)
    assert main(words(small, *sizes)) == 1
    out = capsys.readouterr().out
    assert "EAGLE-2, 7 nodes: not the output of plain decoding: questions 7 (from token 3)." in out
    assert "gave out the same ids" not in out


def test_other_engines_are_asked_for_the_first_prompts(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("transformers")
    path = tmp_path / "out.json"
    sizes = ("--prompts", 2, "--tokens", 10, "--repeats", 1, "--transformers", 1)
    assert main(words(small, *sizes, "--json", path)) == 0
    told = json.loads(path.read_text())
    assert told["missing"] == ""
    ids = {(run["method"], run["question"]): run["ids"] for run in told["runs"]}
    assert ids.keys() - {(key, id) for key in OWN for id in "78"} == {
        ("transformers", "7"),
        ("transformers-lookup", "7"),
    }
    assert ids["transformers", "7"] == ids["transformers-lookup", "7"] == ids["plain", "7"]


def test_that_transformers_is_not_there_is_told(
    small: Small, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert main(words(small, "--prompts", 1, "--tokens", 2, "--repeats", 1)) == 0
    assert (
        "Not compared with transformers: transformers is not installed" in capsys.readouterr().out
    )


def test_categories(small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.json"
    assert main(words(small, "--categories", 1, "--tokens", 6, "--json", path)) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 100
    assert "The outputs are the same with every tree." in out
    told = json.loads(path.read_text())
    assert [(one["name"], one["prompts"]) for one in told["categories"]] == [
        ("tea", 1),
        ("toast", 1),
        ("all", 2),
    ]
    assert [prompt["id"] for prompt in told["prompts"]] == ["7", "9"]


def test_workloads_that_cannot_be_used(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    none = replace(small, workload=tmp_path / "none.jsonl")
    assert "none.jsonl: there is no such file" in refusal(capsys, *words(none))
    (tmp_path / "bad.jsonl").write_text('{"question_id": 1, "category": "tea", "turns": []}\n')
    bad = replace(small, workload=tmp_path / "bad.jsonl")
    assert "bad.jsonl:1: " in refusal(capsys, *words(bad))
    twice = replace(small, workload=write_workload(tmp_path / "twice", [(1, "tea"), (1, "toast")]))
    assert "question 1 is there twice" in refusal(capsys, *words(twice))


def test_models_that_cannot_be_used(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = write_small(tmp_path / "plain", template=None)
    assert "no chat template" in refusal(capsys, *words(plain))
    assert "needs a head" in refusal(
        capsys, "--target", str(small.target), "--workload", str(small.workload)
    )
    nowhere = tmp_path / "none" / "out.json"
    assert "cannot be written" in refusal(capsys, *words(small, "--json", nowhere))


@pytest.mark.parametrize("option", ["--prompts", "--tokens", "--repeats", "--categories"])
def test_impossible_numbers(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([option, "0"])
    assert ended.value.code == 2
    assert "0 is less than 1" in capsys.readouterr().err


def test_waiting_threads_are_warned_of(
    small: Small,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    arguments = words(replace(small, workload=tmp_path / "none"))
    main(arguments)
    assert "GOMP_SPINCOUNT is not set" in capsys.readouterr().err
    monkeypatch.setenv("GOMP_SPINCOUNT", "20000")
    main(arguments)
    assert "GOMP_SPINCOUNT" not in capsys.readouterr().err
