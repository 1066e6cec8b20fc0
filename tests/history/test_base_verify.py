"""``registry verify --base`` as a command, and in a pull request."""

from __future__ import annotations

from pathlib import Path

import pytest
from past import Past
from world import World

from registry.cli.app import run


def verify(*words: str) -> int:
    try:
        return run(["verify", "--today", "2026-06-01", *words])
    except SystemExit as end:
        return int(end.code or 0)


def test_verify_takes_the_findings_like_all_others(
    past: Past, capsys: pytest.CaptureFixture[str]
) -> None:
    past.file("method/trees").unlink()
    root = str(past.world.root)
    for form in ("terminal", "json", "github", "sarif", "junit", "markdown"):
        assert verify("--root", root, "--base", "main", "--format", form) == 1
        assert "BAS001" in capsys.readouterr().out
    assert verify("--root", root, "--base", "main", "--select", "CTR") == 0
    assert verify("--root", root, "--base", "main", "--ignore", "BAS,LNK") == 0
    capsys.readouterr()
    verify("--root", root, "--base", "main", "--select", "BAS")
    assert "; compared with main (at " in capsys.readouterr().out
    assert verify("--root", root, "--base", "main", "--no-base") == 2
    assert verify("--root", root, "--base", "nothing") == 2
    assert capsys.readouterr().err.endswith(
        "name a branch, a tag or a commit that `git log` knows)\n"
    )


@pytest.mark.parametrize("variable", ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"])
def test_a_pull_request_is_compared_without_being_asked(
    past: Past,
    variable: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    past.file("method/trees").unlink()
    past.commit_files("Delete")
    fork = tmp_path / "fork"
    past.clone(fork, "--branch=work")
    monkeypatch.setenv(variable, "main")
    assert verify("--root", str(fork), "--select", "BAS") == 1
    told = capsys.readouterr()
    assert f"comparing with origin/main, named by {variable}" in told.err
    assert "method/trees was there" in told.out
    assert verify("--root", str(fork), "--select", "BAS", "--no-base") == 0
    told = capsys.readouterr()
    assert "not compared with a base" in told.out
    assert told.err == ""


def test_records_outside_of_the_pull_request_are_only_told_about(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    assert verify("--root", str(world.write())) == 0
    assert "not compared" in capsys.readouterr().err


def test_a_clone_that_is_too_shallow_fails_a_pull_request(
    past: Past,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shallow = tmp_path / "shallow"
    past.clone(shallow, "--depth=1", "--branch=work")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    assert verify("--root", str(shallow)) == 2
    assert "fetch-depth: 0" in capsys.readouterr().err
