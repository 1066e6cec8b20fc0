from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eagle.bench.small import CONFIG, Small, write_small, write_workload
from eagle.bench.small_llama_server import install, log, write_model

from eagle_impl.answer import Kit
from eagle_impl.bench import command
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.methods import Method, Outcome, own_methods
from eagle_impl.cli import app

OWN = ("plain", "eagle-2-7", "eagle-2-25", "eagle-1-chain", "eagle-1-tree")
SMALL = ("--tokens", 12, "--transformers", 0, "--batch", 0, "--temperature", 0, "--threads", 1)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return write_small(tmp_path_factory.mktemp("small"))


def main(arguments: Sequence[str]) -> int:
    """The exit code of the command."""
    try:
        return app.run(["bench", *arguments])
    except SystemExit as ended:
        return int(ended.code or 0)


def words(small: Small, *more: object) -> list[str]:
    given = ("--target", small.target, "--head", small.head, "--workload", small.workload)
    return [*map(str, given), *map(str, more)]


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line with which a command is refused."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    return err


def test_a_report_from_end_to_end(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.json"
    sizes = ("--prompts", 2, "--tokens", 12, "--repeats", 2, "--transformers", 0)
    assert main(words(small, *sizes, "--batch", 1, "--batch", 3, "--json", path)) == 0
    out, err = capsys.readouterr()
    assert max(map(len, out.splitlines())) <= 100
    # Of 2 prompts, twice: 5 methods greedily, 3 with drawn tokens but no drawn drafts.
    assert "All 32 outputs that must have the ids of plain decoding do so." in out
    assert "Not measured: transformers, since it was not asked for." in out
    assert "2 of 3 questions, first turns, 12 tokens at most, 2 times, temperature 0 and 1" in (
        " ".join(out.split())
    )
    assert "repeat 2 of 2, prompt 2 of 2" in err

    told: dict[str, Any] = json.loads(path.read_text())
    assert tuple(told["methods"]) == OWN
    assert [(one["id"], one["category"]) for one in told["prompts"]] == [("7", "tea"), ("8", "tea")]
    # Byte for byte what the template makes of the question.
    assert bytes(told["prompts"][0]["ids"][:4]) == b"<How"
    keys = ("method", "question", "repeat", "temperature")
    runs = {tuple(run[key] for key in keys): run for run in told["runs"]}
    assert runs.keys() == {(k, q, r, t) for k in OWN for q in "78" for r in (0, 1) for t in (0, 1)}
    for (key, question, _, temperature), run in runs.items():
        assert run["statistics"]["tokens"] == len(run["ids"]) <= 12
        if temperature == 0 or not key.startswith("eagle-1"):
            assert run["ids"] == runs["plain", question, 0, temperature]["ids"]
    # A round after each prompt, for every tree and every length of context.
    lengths = {one["length"] for one in told["forwards"]}
    assert len(told["forwards"]) == 2 * 2 * 4 * len(lengths)
    assert told["temperatures"]["0"]["differing"] == {key: [] for key in OWN}
    assert sorted((one["size"], one["tokens"]) for one in told["batches"]) == [
        *[(1, 12)] * 2,
        *[(3, 36)] * 2,
    ]
    assert told["header"]["command"].startswith("eagle_impl bench --target ")


def runs_of(raw: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, raw.read_text().splitlines())
    return [line["run"] for line in lines if "run" in line]


def test_methods_take_turns_in_an_order_that_the_seed_decides(small: Small, tmp_path: Path) -> None:
    def order(seed: int, name: str) -> list[str]:
        raw = tmp_path / name
        assert main(words(small, *SMALL, "--tokens", 2, "--seed", seed, "--raw", raw)) == 0
        return [run["method"] for run in runs_of(raw)]

    first = order(0, "a")
    assert first == order(0, "b") != order(1, "c")
    assert all({*first[at : at + 5]} == {*OWN} for at in range(0, 45, 5))


def test_only_what_was_chosen_is_compared(small: Small, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    chosen = ("--methods", "eagle-2-7, eagle-1-chain", "--repeats", 1)
    assert main(words(small, *SMALL, *chosen, "--raw", raw)) == 0
    assert {run["method"] for run in runs_of(raw)} == {"plain", "eagle-2-7", "eagle-1-chain"}


Break = Callable[[Method, Outcome], Outcome]


def breaking(monkeypatch: pytest.MonkeyPatch, place: int, broken: Break) -> None:
    """Let one of the own methods do something else."""

    def methods(kit: Kit, clock: Clock, keys: Sequence[str] = ()) -> list[Method]:
        found = own_methods(kit, clock, keys)
        right = found[place]

        def decode(
            prompt: Sequence[int], tokens: int, temperature: float = 0.0, seed: int = 0
        ) -> Outcome:
            return broken(right, right.decode(prompt, tokens, temperature, seed))

        return [*found[:place], replace(right, decode=decode), *found[place + 1 :]]

    monkeypatch.setattr(command, "own_methods", methods)


def test_nothing_is_reported_if_drafts_changed_an_output(
    small: Small,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(method: Method, outcome: Outcome) -> Outcome:
        return replace(outcome, ids=(*outcome.ids[:3], 257, *outcome.ids[4:]))

    breaking(monkeypatch, 1, wrong)
    path = tmp_path / "out.json"
    assert main(words(small, *SMALL, "--prompts", 1, "--repeats", 1, "--json", path)) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert not path.exists()
    where = "EAGLE-2, 7 nodes, temperature 0, question 7"
    assert f"{where}: not the output of plain decoding from token 3 on" in err


class Killed(BaseException):
    """No error that anybody handles."""


def test_a_killed_run_goes_on_where_it_ended(
    small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, raw, path = tmp_path / "whole", tmp_path / "raw", tmp_path / "out.json"
    assert main(words(small, *SMALL, "--raw", whole)) == 0
    left = [5]

    def killed(method: Method, outcome: Outcome) -> Outcome:
        left[0] -= 1
        if not left[0]:
            raise Killed
        return outcome

    with monkeypatch.context() as patched:
        breaking(patched, 0, killed)
        with pytest.raises(Killed):
            main(words(small, *SMALL, "--raw", raw))
    done = len(runs_of(raw))
    assert 0 < done < 45
    # It was writing.
    with raw.open("ab") as file:
        file.write(b'{"run":{"method":"pla')
    kept = raw.read_bytes()
    assert main(words(small, *SMALL, "--raw", raw, "--json", path)) == 0
    assert raw.read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])

    def said(raw: Path) -> list[tuple[str, str, int, list[int]]]:
        keys = ("method", "question", "repeat", "ids")
        return [tuple(run[key] for key in keys) for run in runs_of(raw)]  # type: ignore[misc]

    # The same in the same order as if nothing had happened.
    assert said(raw) == said(whole)
    assert len(json.loads(path.read_text())["runs"]) == 45
    # Once more: nothing is left to be measured.
    before = raw.read_bytes()
    assert main(words(small, *SMALL, "--raw", raw)) == 0
    assert raw.read_bytes() == before


def test_another_run_does_not_go_on_with_it(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "raw"
    assert main(words(small, *SMALL, "--repeats", 1, "--raw", raw)) == 0
    before = raw.read_bytes()
    capsys.readouterr()
    for other, named in (
        (("--seed", 3), "settings was"),
        (("--prompts", 1), "workload was"),
        (("--methods", "eagle-2-7"), "methods was"),
        (("--batch", 2), "batches was none, and is 2"),
        (("--temperature", 1), "workload was"),
    ):
        told = refusal(capsys, *words(small, *SMALL, "--repeats", 1, *other, "--raw", raw))
        assert f"begun under other conditions: {named}" in told
        assert raw.read_bytes() == before


def test_other_engines_are_asked_for_the_first_prompts(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("transformers")
    path = tmp_path / "out.json"
    sizes = ("--prompts", 2, "--tokens", 10, "--repeats", 1, "--transformers", 1, "--batch", 0)
    assert main(words(small, *sizes, "--json", path)) == 0
    told = json.loads(path.read_text())
    assert told["missing"] == {"plain decoding in batches": "no batch was asked for"}
    runs = [run for run in told["runs"] if run["method"] not in OWN]
    assert sorted((run["method"], run["question"], run["temperature"]) for run in runs) == [
        ("transformers", "7", 0),
        ("transformers-lookup", "7", 0),
    ]
    plain = next(run for run in told["runs"] if run["method"] == "plain" and not run["temperature"])
    assert all(run["ids"] == plain["ids"] for run in runs)


def test_that_transformers_is_not_there_is_told(
    small: Small, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    sizes = ("--prompts", 1, "--tokens", 2, "--repeats", 1, "--batch", 0)
    assert main(words(small, *sizes)) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Not measured: transformers, since transformers is not installed" in out


FEW = ("--prompts", 2, "--tokens", 10, "--repeats", 1, "--transformers", 0, "--batch", 0)


def test_llama_server_is_measured_among_the_others(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "out.json", write_model(tmp_path / "m.gguf")
    llama = ("--gguf", model, "--llama-server", install(tmp_path))
    assert main(words(small, *FEW, *llama, "--json", path)) == 0
    told = json.loads(path.read_text())
    assert told["missing"].keys() == {"transformers", "plain decoding in batches"}
    runs = [run for run in told["runs"] if run["method"] not in OWN]
    assert sorted(
        (run["method"], run["question"], run["temperature"], run["ids"]) for run in runs
    ) == [("llama-server", "7", 0, [7, 8]), ("llama-server", "8", 0, [7, 8])]
    # Once to warm up, then each prompt: the ids that the own engine has.
    asked = [one["prompt"] for one in log(tmp_path) if "prompt" in one]
    assert sorted(asked[1:]) == sorted(prompt["ids"] for prompt in told["prompts"])
    assert "llama.cpp 4321 (abcdef0), m.gguf (F32 100%)" in told["header"]["software"]
    assert f"--gguf {model} --llama-server " in told["header"]["command"]
    # Other outputs are told, and no fault.
    assert len(told["temperatures"]["0"]["differing"]["llama-server"]) == 2
    out = capsys.readouterr().out
    assert "llama.cpp, F32: not the output of plain decoding: questions " in out
    assert "llama.cpp, F32: time of the whole request, over HTTP on the loopback." in out
    assert max(map(len, out.splitlines())) <= 100


def test_why_there_is_no_llama_server_is_told(
    small: Small,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told(*more: object) -> str:
        assert main(words(small, *FEW, "--prompts", 1, *more)) == 0
        return " ".join(capsys.readouterr().out.split())

    program, model = install(tmp_path), write_model(tmp_path / "m.gguf")
    assert "llama-server" not in told("--temperature", 0)
    named = ("--llama-server", program)
    why = "Not measured: llama-server, since"
    assert f"{why} no file was named with --gguf." in told(*named, "--temperature", 0)
    warm = told(*named, "--gguf", model, "--temperature", 1)
    assert f"{why} its outputs are comparable at temperature 0 only." in warm
    install(tmp_path, "starts badly")
    ended = "llama-server ended with code 1: error: unknown model architecture: 'heron'."
    assert f"{why} {ended}" in told(*named, "--gguf", model, "--temperature", 0)


@pytest.mark.parametrize("behaviour", ["dies", "dies later"])
def test_a_llama_server_that_dies_is_left_out(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str], behaviour: str
) -> None:
    model, path = write_model(tmp_path / "m.gguf"), tmp_path / "out.json"
    llama = ("--gguf", model, "--llama-server", install(tmp_path, behaviour))
    assert main(words(small, *FEW, "--temperature", 0, *llama, "--json", path)) == 0
    out, _ = capsys.readouterr()
    ended = "llama-server ended with code 7: error: out of feathers"
    told = json.loads(path.read_text())
    assert told["missing"]["llama-server"] == ended
    assert {run["method"] for run in told["runs"]} == set(OWN)
    assert f"Not measured: llama-server, since {ended}." in " ".join(out.split())


def test_an_engine_is_measured_in_every_part_of_a_run_or_in_none(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw, path = tmp_path / "raw.jsonl", tmp_path / "out.json"
    model = write_model(tmp_path / "m.gguf")

    def run(behaviour: str) -> int:
        llama = ("--gguf", model, "--llama-server", install(tmp_path, behaviour))
        few = (*FEW, "--temperature", 0, *llama)
        return main(words(small, *few, "--raw", raw, "--json", path))

    assert run("starts badly") == 0
    # As if it had been killed when all was done but the last forward passes.
    lines = raw.read_bytes().splitlines(keepends=True)
    raw.write_bytes(b"".join(lines[:-1]))
    capsys.readouterr()
    assert run("") == 0
    assert json.loads(path.read_text())["missing"]["llama-server"] == (
        "a part of this run was measured without it"
    )
    assert b"llama-server" not in b"".join(raw.read_bytes().splitlines()[1:])


def test_llama_servers_that_cannot_be_used(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    none = (*SMALL, "--gguf", tmp_path / "none.gguf")
    assert "none.gguf: there is no such file" in refusal(capsys, *words(small, *none))
    other = (*SMALL, "--gguf", write_model(tmp_path / "m.gguf", replace(CONFIG, layers=3)))
    told = "m.gguf: block_count 3, and the target's is 2 (name a GGUF file of the same model)"
    assert told in refusal(capsys, *words(small, *other))


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
    assert "drafts need a head" in refusal(
        capsys, "--target", str(small.target), "--workload", str(small.workload)
    )
    nowhere = tmp_path / "none" / "out.json"
    assert "cannot be written" in refusal(capsys, *words(small, "--json", nowhere))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--temperature", "1e20"), "temperature 1e+20 is not between 0 and 1000"),
        (("--methods", ","), "--methods names none"),
        (("--id", "one"), "--id is of a record (give --record as well)"),
        (("--dataset", "one"), "--dataset is of a record"),
        (("--categories", 1, "--record"), "--categories knows no --record"),
        (("--categories", 1, "--raw", "x"), "--categories knows no --raw"),
        (("--categories", 1, "--temperature", 1), "--categories knows no --temperature"),
    ],
)
def test_options_that_would_be_left_unread(
    small: Small, capsys: pytest.CaptureFixture[str], more: Sequence[object], told: str
) -> None:
    assert told in refusal(capsys, *words(small, *more))


@pytest.mark.parametrize("categories", [(), ("--categories", 1)])
def test_prompts_that_do_not_fit_are_refused_before_others_are_decoded(
    small: Small,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    categories: Sequence[object],
) -> None:
    more = ("--tokens", 500, "--batch", 0, "--json", tmp_path / "out.json", *categories)
    told = (
        "question 7 has 20 tokens: with 500 more, it does not fit into the model's context of 512"
    )
    assert told in refusal(capsys, *words(small, *more))
    assert not [*tmp_path.iterdir()]


def test_nothing_that_is_read_is_written_over(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = small.workload.read_bytes()
    for option in ("--json", "--raw"):
        for taken in (small.workload, small.head / "model.safetensors"):
            told = refusal(capsys, *words(small, *SMALL, option, taken))
            assert "would take the place of" in told
    same = tmp_path / "out"
    both = ("--json", same, "--raw", tmp_path / ".." / tmp_path.name / "out")
    assert "would take the place of" in refusal(capsys, *words(small, *SMALL, *both))
    assert small.workload.read_bytes() == before


def test_what_was_measured_is_kept_although_nobody_reads_the_report(
    small: Small, tmp_path: Path
) -> None:
    path = tmp_path / "out.json"
    few = ("--prompts", 1, "--repeats", 1, "--methods", "eagle-2-7")
    line = shlex.join(
        [sys.executable, "-m", "eagle_impl", "bench", *words(small, *SMALL, *few, "--json", path)]
    )
    # Neither the progress nor the report has a reader any more.
    subprocess.run(["bash", "-c", f"{line} 2> >(true) | true"], check=True, timeout=120)
    assert len(json.loads(path.read_text())["runs"]) == 2


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"question": "99"}, "holds a run of question 99 that was not asked for"),
        ({"repeat": 7}, "holds a run of question 7 that was not asked for"),
        ({"temperature": 0.5}, "holds a run of question 7 that was not asked for"),
        ({"ids": []}, "holds a run of question 7 that was not asked for"),
        ({"statistics": None}, "holds a run of question 7 without its counts"),
    ],
)
def test_single_runs_that_were_edited(
    small: Small,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, Any],
    told: str,
) -> None:
    raw = tmp_path / "raw.jsonl"
    few = words(small, *SMALL, "--prompts", 1, "--repeats", 1, "--raw", raw)
    assert main(few) == 0
    lines = [json.loads(line) for line in raw.read_bytes().splitlines()]
    (run, *_) = (line["run"] for line in lines if "run" in line)
    run |= change
    raw.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    capsys.readouterr()
    assert told in refusal(capsys, *few)


def test_forward_passes_that_were_edited(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "raw.jsonl"
    few = words(small, *SMALL, "--prompts", 1, "--repeats", 1, "--raw", raw)
    assert main(few) == 0
    raw.write_text(
        raw.read_text().replace('{"method":"eagle-2-7","length"', '{"method":"x","length"')
    )
    capsys.readouterr()
    assert "holds forward passes after question 7 of other methods" in refusal(capsys, *few)


def test_another_tokenizer_is_another_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = write_small(tmp_path / "mine")
    few = words(mine, *SMALL, "--prompts", 1, "--repeats", 1, "--raw", tmp_path / "raw")
    assert main(few) == 0
    template = mine.target / "tokenizer_config.json"
    template.write_text(template.read_text().replace("<{{", "[{{"))
    capsys.readouterr()
    assert "was begun under other conditions: tokens was " in refusal(capsys, *few)


@pytest.mark.parametrize("option", ["--prompts", "--tokens", "--repeats", "--categories"])
def test_impossible_numbers(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([option, "0"]) == 2
    assert option in capsys.readouterr().err


def test_a_module_that_can_be_run_is_the_command(small: Small, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    asked = words(small, *SMALL, "--prompts", 1, "--repeats", 1, "--raw", raw)
    python = [sys.executable, "-m", "eagle_impl.bench", *asked]
    done = subprocess.run(python, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "plain decoding" in done.stdout
    assert len(runs_of(raw)) == 5
