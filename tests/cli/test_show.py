from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from library import library
from measurements import SHED, benchmark
from rich.cells import cell_len
from world import World

from registry.cli import main


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(tmp_path_factory.mktemp("library")).write()


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["show", *map(str, arguments)])
    assert isinstance(caught.value.code, int)
    return caught.value.code


class Terminal(io.StringIO):
    """A terminal that remembers what it got."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path, **environment: str) -> str:
    """What a terminal of 90 columns that knows colours gets."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"TERM": "xterm-256color", "COLUMNS": "90"} | environment).items():
        monkeypatch.setenv(name, value)
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    assert run(*arguments) == 0
    return out.getvalue()


@pytest.mark.parametrize(
    "name",
    [
        "osprey",
        "paper/osprey",
        "papers/osprey",
        "OSPREY",
        "arXiv:2501.01234v2",
        "https://arxiv.org/abs/2501.01234",
        "10.5555/OSPREY.1",
        "https://doi.org/10.5555/osprey.1",
        "data/papers/osprey.yaml",
        "paper/osp",
    ],
)
def test_a_record_has_many_names(root: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run(name, "--root", root) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "Osprey: Diving Decoders [paper/osprey]"


def test_the_kind_chooses_between_records_of_one_id(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("claims/osprey", "--root", root) == 0
    assert "[claims/osprey]" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ospray", "no record is called 'ospray' (did you mean osprey"),
        ("paper/tree", "trees"),
        ("osprey-", "'osprey-' is the beginning of several ids (osprey-here, osprey-two)"),
        ("zebra", "no record is called 'zebra' (`registry list` shows all records)"),
        ("", "no record is called ''"),
    ],
)
def test_an_unknown_name_gets_one_line_with_near_ids(
    root: Path, capsys: pytest.CaptureFixture[str], name: str, told: str
) -> None:
    code = run(name, "--root", root)
    captured = capsys.readouterr()
    if name == "paper/tree":
        assert code == 0
        assert "[paper/trees]" in captured.out
        return
    assert code == 2
    assert captured.out == ""
    assert told in captured.err
    assert len(captured.err.splitlines()) == 1


def test_formats_and_history(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("osprey", "--root", root, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["record"]["id"] == "osprey"
    assert run("osprey", "--root", root, "--format", "yaml") == 0
    assert capsys.readouterr().out == (root / "data/papers/osprey.yaml").read_text("utf-8")
    assert run("osprey", "--root", root, "--format", "markdown", "--history") == 0
    assert capsys.readouterr().out.startswith("# History of Osprey: Diving Decoders\n")


def test_a_broken_record_is_not_shown_as_if_it_were_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    books = library(tmp_path)
    books["paper/osprey"]["year"]["status"] = "guessed"
    books.write()
    assert run("osprey", "--root", tmp_path) == 1
    out = capsys.readouterr().out
    assert "NO USABLE RECORD" in out
    assert "data/papers/osprey.yaml:" in out
    assert "SHP005" in out


def test_a_pipe_gets_100_columns_without_colours(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run("osprey", "--root", root) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert max(map(cell_len, out.splitlines())) == 100


def test_a_terminal_gets_its_width_and_colours(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = on_terminal(monkeypatch, "osprey", "--root", root)
    assert re.search("\x1b\\[[0-9;]*3[0-7]m", out)
    assert max(cell_len(re.sub("\x1b[^m]*m", "", line)) for line in out.splitlines()) == 90


def test_no_color_is_honoured(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = on_terminal(monkeypatch, "osprey", "--root", root, NO_COLOR="1")
    assert not re.search("\x1b\\[[0-9;]*[34][0-7]", out)
    assert "CONTESTED" in out


def test_a_terminal_that_knows_no_check_marks_shows_the_rest(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "registry", "show", "osprey", "--root", str(root)],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert "CONTESTED: venue, venue_track" in done.stdout
    assert "\\u2713 confirmed" in done.stdout


def test_a_root_without_a_registry_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("osprey", "--root", tmp_path) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


# The shipped record of EAGLE


@pytest.fixture
def eagle(shipped: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert run("eagle", "--root", shipped) == 0
    return capsys.readouterr().out


def test_eagle_fits_a_screen(eagle: str) -> None:
    lines = eagle.splitlines()
    assert max(map(cell_len, lines)) <= 100
    assert len(lines) <= 110


def test_eagle_fits_a_screen_with_measurements_of_its_own(
    shipped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(shipped / "data", tmp_path / "data", ignore=_no_benchmarks)
    model, papers = "smollm2-135m-instruct", ["eagle", "eagle-2"]
    record = benchmark(f"{model}-on-shed", model=model, papers=papers, beside=papers)
    World({f"benchmark/{record['id']}": record, "machine/shed": SHED}, tmp_path).write()
    assert run("eagle", "--root", tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= 100
    assert len(lines) <= 110
    heads = [place for place, line in enumerate(lines) if line.startswith("── ")]
    (begin,) = (place for place in heads if "Measured here" in lines[place])
    block = lines[begin + 1 : next(place for place in heads if place > begin)]
    assert len(block) <= 10
    # The made-up speedup of its chain, which no other part of the page has.
    (chain,) = (line for line in lines if "1.25x" in line)
    assert chain in block


def _no_benchmarks(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in ("benchmarks", "machines")]


@pytest.mark.parametrize(
    "truth",
    [
        "EAGLE: Speculative Sampling Requires Rethinking Feature Uncertainty",
        "¹ Peking University",
        "CONTESTED: venue, venue_track",
        "venue: arxiv-preprint (arXiv), deprecated → icml (ICML), preferred",
        "To call a preprint an ICML paper changes a peer-reviewed attribution",
        "venue_track: main, preferred",
        "28935-28948",
        "2401.15077",
        "throttled: api2 answers 429 under load",
        "med_list.tex, a file said to lie beside the index of volume 235",
        "No trace of such a file was found",
        "the link is INFERRED",
        "stated: training “A100 (40G)”, memory 40G, count 4, no form factor",
        "inferred: training form factor SXM4",
        "2.7x-3.5x speedup, LLaMA2-Chat 70B",
        "hardware UNKNOWN",
        "range of 8 cells of table-1",
        "about 2.0x throughput-ratio",
        "The distribution of the generated text stays that of the target",
        "EAGLE in vLLM",
        "EAGLE in SGLang",
        "EAGLE in vLLM pull request 6830, merged by 2024-08-30 no yes yes",
        "EAGLE-3, built upon it [method/eagle-3]: trees yes: SafeAILab/EAGLE, SGLang",
        "trees no: vLLM, llama.cpp",
        "EAGLE and Medusa are NOT INTERCHANGEABLE",
        "reuses the target's LM head",
        "successor EAGLE-2",
    ],
)
def test_the_key_truths_about_eagle_are_on_the_screen(eagle: str, truth: str) -> None:
    assert truth in " ".join(eagle.replace("┃", " ").split())


def test_the_dispute_about_eagle_comes_before_anything_it_could_be_missed_in(eagle: str) -> None:
    assert eagle.index("CONTESTED: venue") < eagle.index("── ")
