from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
import typer
from eagle.tiny import write_model
from eagle.tiny_text import END, byte_level
from eagle.training.talkative import CONFIG, TEMPLATE, weights
from typer.testing import CliRunner

from eagle_impl.cli.train import train as command
from eagle_impl.errors import CheckpointError, EagleError, MismatchError, OptionError, PromptError
from eagle_impl.formats.fitting import load_eagle
from eagle_impl.targets.loading import load_target
from eagle_impl.training import recipe as recipes
from eagle_impl.training.progress import Progress
from eagle_impl.training.recipe import PRESETS, Recipe, preset
from eagle_impl.training.run import train

RECIPE = Recipe(
    1500,
    3,
    script_batch=8,
    slots=8,
    context=500,
    lane_tokens=1000,
    held_out=3,
    judged=2,
    judgements=2,
)


def target(folder: Path, **settings: Any) -> Path:
    """A model's folder as the hub has them."""
    write_model(folder, CONFIG, weights())
    byte_level().save(str(folder / "tokenizer.json"))
    settings = {"eos_token": END, "chat_template": TEMPLATE} | settings
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def make(model: Path, output: Path, *, seed: int = 0, resume: bool = False, **changes: Any) -> None:
    recipe = msgspec.structs.replace(RECIPE, **changes)
    progress = Progress(quiet=True)
    train(str(model), recipe, output, seed=seed, resume=resume, workers=1, progress=progress)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return target(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def output(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("heads") / "head"
    make(model, folder)
    return folder


def weights_of(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


def record(folder: Path) -> Any:
    return json.loads((folder / "training.json").read_text())


def test_the_head_fits_its_target(model: Path, output: Path) -> None:
    """A warning, of which load_eagle gives one for all that does not fit, would fail the test."""
    head, vocabulary = load_eagle(output, load_target(str(model)))
    assert vocabulary is not None
    assert len(vocabulary) == 272
    assert head(torch.randn(1, 3, 48), torch.randn(1, 3, 48)).isfinite().all()


def test_it_is_written_in_float16(output: Path) -> None:
    assert json.loads((output / "config.json").read_text())["torch_dtype"] == "float16"


def test_the_record_says_what_was_done(model: Path, output: Path) -> None:
    found = record(output)
    assert (found["target"], found["seed"]) == (str(model), 0)
    assert msgspec.convert(found["recipe"], Recipe) == RECIPE
    learnt, held_out = found["data"]["learnt"], found["data"]["held_out"]
    assert learnt["response_tokens"] + held_out["response_tokens"] >= 1500
    assert sum(learnt["response_tokens_by_kind"].values()) == learnt["response_tokens"]
    assert 0 < held_out["conversations"] < learnt["conversations"]
    assert found["data"]["draft_vocabulary"]["coverage_learnt"] >= 0.98
    assert set(found["held_out"]) > {"all"}
    assert 1.0 <= found["held_out"]["all"]["tau"] <= 6.0
    assert found["bytes"] == len(weights_of(output))


def test_the_log_ends_with_the_last_step(output: Path) -> None:
    lines = [json.loads(line) for line in (output / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == sorted(line["step"] for line in lines)
    last = [line for line in lines if line["step"] == record(output)["steps"]]
    assert {line.get("held_out") for line in last} == {None, *record(output)["held_out"]}


def test_the_same_seed_gives_the_same_head(model: Path, output: Path, tmp_path: Path) -> None:
    make(model, tmp_path / "again")
    assert weights_of(tmp_path / "again") == weights_of(output)
    make(model, tmp_path / "other", seed=1)
    assert weights_of(tmp_path / "other") != weights_of(output)


def test_a_run_is_not_overwritten(model: Path, output: Path) -> None:
    before = weights_of(output)
    with pytest.raises(OptionError, match="holds a run already"):
        make(model, output)
    assert weights_of(output) == before


def test_a_finished_run_can_be_resumed(model: Path, output: Path) -> None:
    before, log = weights_of(output), (output / "log.jsonl").read_text()
    make(model, output, resume=True)
    assert (weights_of(output), (output / "log.jsonl").read_text()) == (before, log)


def test_a_run_that_was_never_begun_is_not_resumed(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mistyped"
    with pytest.raises(OptionError, match=f"{folder} holds no run to go on with"):
        make(model, folder, resume=True)
    assert not folder.exists()


def test_a_head_without_its_run_is_not_overwritten(
    model: Path, output: Path, tmp_path: Path
) -> None:
    shutil.copytree(output, tmp_path / "head", ignore=shutil.ignore_patterns("work"))
    before = weights_of(tmp_path / "head")
    with pytest.raises(OptionError, match="is not empty, and holds no run"):
        make(model, tmp_path / "head")
    assert weights_of(tmp_path / "head") == before


def test_a_folder_of_somebody_elses_is_not_begun_in(model: Path, tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(OptionError, match="is not empty, and holds no run"):
        make(model, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_a_run_is_not_resumed_as_another_one(model: Path, output: Path) -> None:
    for changes in ({"seed": 1}, {"epochs": 4}):
        with pytest.raises(MismatchError, match="another target, preset or seed"):
            make(model, output, resume=True, **changes)


def test_lines_of_the_log_that_are_made_again_stand_there_once(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    folder = tmp_path / "head"
    with monkeypatch.context() as patch:
        patch.setattr("eagle_impl.training.trainer.Trainer.save", killed)
        with pytest.raises(Killed):
            make(model, folder)
    assert (folder / "log.jsonl").read_text()
    make(model, folder, resume=True)
    steps = [json.loads(line)["step"] for line in (folder / "log.jsonl").read_text().splitlines()]
    assert steps == sorted(steps)
    assert steps.count(min(steps)) == len(
        {line.get("held_out") for line in _lines(folder) if line["step"] == min(steps)}
    )


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_a_target_without_a_chat_template_is_refused(tmp_path: Path) -> None:
    plain = target(tmp_path / "plain", chat_template=None)
    with pytest.raises(PromptError, match="no chat template"):
        make(plain, tmp_path / "head")
    assert not (tmp_path / "head").exists()


def test_an_unknown_target_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such folder"):
        make(tmp_path / "nothing", tmp_path / "head")


# Presets and the command


def test_presets_are_of_the_promised_sizes() -> None:
    assert preset("base").response_tokens >= 10**6
    assert preset("full").response_tokens == 3 * 10**6
    assert preset("smoke").response_tokens <= 20_000
    with pytest.raises(OptionError, match="no preset 'huge'"):
        preset("huge")


def invoke(*arguments: str) -> Any:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, arguments)


def test_the_command(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(recipes.PRESETS, "smoke", RECIPE)
    arguments = ["--target", str(model), "--preset", "smoke", "--output", str(tmp_path / "head")]
    result = invoke(*arguments, "--seed", "3", "--workers", "1")
    assert result.exit_code == 0, result.output
    assert record(tmp_path / "head")["seed"] == 3
    kinds = [line.split()[0] for line in result.stdout.splitlines()]
    assert set(kinds) == set(record(tmp_path / "head")["held_out"])
    assert f"{tmp_path / 'head'}: head written" in result.stderr
    again = invoke(*arguments)
    assert isinstance(again.exception, EagleError)


@pytest.mark.parametrize("end", [KeyboardInterrupt(), SystemExit(143)])
@pytest.mark.parametrize("place", ["harvest", "load_target"])
def test_whoever_ends_a_run_is_told_how_it_goes_on(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: BaseException, place: str
) -> None:
    def ended(*_: object, **__: object) -> None:
        raise end

    monkeypatch.setattr(f"eagle_impl.training.run.{place}", ended)
    output = tmp_path / "head"
    result = invoke("--target", str(model), "--preset", "smoke", "--output", str(output))
    assert result.exit_code == (130 if isinstance(end, KeyboardInterrupt) else 143)
    # Before a target is loaded, nothing is begun.
    said = f"{output}: interrupted; the same command with --resume goes on\n"
    assert (said in result.stderr) == (place == "harvest")


def test_an_output_has_a_name(model: Path) -> None:
    result = invoke("--target", str(model), "--preset", "smoke", "--output", "")
    assert result.exit_code == 2
    assert "'--output': a path is empty" in result.output


def test_a_folder_that_cannot_be_gone_on_in_is_said_before_a_target_is_loaded(
    tmp_path: Path,
) -> None:
    absent = ["--target", str(tmp_path / "nothing"), "--output", str(tmp_path / "head")]
    assert "holds no run" in str(invoke(*absent, "--resume").exception)


def test_every_preset_can_be_asked_for(tmp_path: Path) -> None:
    for name in PRESETS:
        result = invoke(
            "--target", str(tmp_path / "nothing"), "--preset", name, "--output", str(tmp_path)
        )
        assert isinstance(result.exception, CheckpointError)
    assert invoke("--preset", "huge", "--output", str(tmp_path)).exit_code == 2
