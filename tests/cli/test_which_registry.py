"""Which registry a command works on: one's own, or the one that comes with the package."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest
from past import Past
from world import World

from registry.cli.app import run
from registry.errors import NoRegistryError
from registry.starter import start
from registry.store.root import find_own_root, find_root, own_root, shipped_root

FALLEN_BACK = "using the one that comes with the package"


def verify(*words: str) -> int:
    try:
        return run(["verify", "--no-cache", *words])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    start(tmp_path / "mine", date(2026, 5, 1))
    monkeypatch.chdir(tmp_path / "mine")
    return tmp_path / "mine"


def test_a_registry_whose_examples_were_taken_away_stays_the_one_that_is_meant(
    started: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for example in started.glob("data/*/example-*"):
        example.unlink()
    assert find_root() == find_own_root() == started
    assert verify() == 0
    assert capsys.readouterr() == ("0 records checked: 0 errors, 0 warnings, 0 notes\n", "")
    for kept in started.glob("data/*/.gitkeep"):
        kept.unlink()
    assert own_root() == started


@pytest.mark.parametrize(
    ("paths", "is_one"),
    [
        (["papers/"], True),
        (["papers/", "evidence/.gitkeep", ".DS_Store"], True),
        (["papers/trees.yml"], True),
        (["papers/", "raw/numbers.csv"], False),
        (["models/weights.bin", "processed/"], False),
        (["papers/trees.yaml", "raw/numbers.csv"], True),
        ([".gitkeep"], False),
        (["README.md"], False),
    ],
)
def test_what_marks_a_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str], is_one: bool
) -> None:
    for path in paths:
        place = tmp_path / "data" / path
        (place if path.endswith("/") else place.parent).mkdir(parents=True, exist_ok=True)
        if not path.endswith("/"):
            place.touch()
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert own_root() == (tmp_path if is_one else None)


@pytest.mark.parametrize("away", ["deleted", "moved"])
def test_a_repository_that_has_lost_its_records_does_not_pass(
    world: World, away: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    past = Past.begin(world)
    past.git("switch", "--quiet", "-c", "work")
    monkeypatch.chdir(past.folder)
    if away == "deleted":
        past.git("rm", "-r", "--quiet", "data")
    else:
        past.git("mv", "data", "records")
    for words in ((), ("--base", "main"), ("--format", "github"), ("--root", ".")):
        assert verify(*words) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert "registry: " in told.err
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    assert verify() == 2
    assert "there is no registry at or above this folder in its git rep" in capsys.readouterr().err


def test_a_repository_inside_of_another_registry_is_not_taken_for_it(
    world: World, started: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = started / "inner"
    (inner / "src").mkdir(parents=True)
    monkeypatch.chdir(inner / "src")
    assert find_own_root() == started
    (inner / ".git").write_text("gitdir: ../elsewhere\n")  # as a worktree or a submodule has it
    with pytest.raises(NoRegistryError):
        find_own_root()
    assert verify() == 2


def test_outside_of_a_repository_verify_says_that_it_falls_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_root() == shipped_root()
    assert verify("eagle", "--select", "YML") == 0
    assert FALLEN_BACK in capsys.readouterr().err
    assert verify("--root", str(shipped_root()), "eagle", "--select", "YML") == 0
    assert FALLEN_BACK not in capsys.readouterr().err


def test_records_that_are_named_are_looked_up_in_any_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    survey = tmp_path / "survey"
    (survey / ".git").mkdir(parents=True)
    monkeypatch.chdir(survey)
    assert verify("eagle", "--select", "YML") == 0
    assert FALLEN_BACK in capsys.readouterr().err
    assert verify() == 2
    shutil.rmtree(survey / ".git")
    assert find_root() == shipped_root()
