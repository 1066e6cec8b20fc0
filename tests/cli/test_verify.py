from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from world import World

from registry.cli.app import run
from registry.cli.live import MIRROR


def verify(*words: str) -> int:
    """Exit code of ``registry verify``."""
    try:
        return run(["verify", *words])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.fixture
def root(world: World) -> str:
    return str(world.write())


@pytest.fixture
def broken(world: World) -> str:
    world["method/trees"]["introduced_by"] = "treees"
    return str(world.write())


def test_clean_is_zero_and_says_so(root: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--root", root, "--today", "2026-06-01") == 0
    assert "10 records checked: 0 errors, 0 warnings, 1 note" in capsys.readouterr().out


def test_an_error_is_one_and_names_its_place(
    broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify("--root", broken, "--today", "2026-06-01") == 1
    out = capsys.readouterr().out
    assert "data/methods/trees.yaml:4:16" in out
    assert "LNK001" in out
    assert "did you mean trees?" in out


def test_each_format_can_be_read_by_its_readers(
    broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for form in ("json", "sarif", "junit", "github", "markdown"):
        assert verify("--root", broken, "--format", form, "--today", "2026-06-01") == 1
        out = capsys.readouterr().out
        assert "LNK001" in out
        if form in ("json", "sarif"):
            assert json.loads(out)
        if form == "junit":
            assert ElementTree.fromstring(out).tag == "testsuites"
        if form == "github":
            assert out.startswith("::")


def test_a_report_is_written_whole(broken: str, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    target.write_text("old", encoding="utf-8")
    assert verify("--root", broken, "--format", "json", "--output", str(target)) == 1
    assert json.loads(target.read_text("utf-8"))["findings"]
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["report.json"]
    assert stat.S_IMODE(target.stat().st_mode) & 0o400


def test_one_run_writes_several_reports(
    broken: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    also = [f"--also=sarif={tmp_path}/a=b.sarif", f"--also=markdown={tmp_path}/c.md"]
    assert verify("--root", broken, "--today", "2026-06-01", "--format", "github", *also) == 1
    assert capsys.readouterr().out.startswith("::error ")
    (run,) = json.loads((tmp_path / "a=b.sarif").read_text("utf-8"))["runs"]
    assert "LNK001" in {result["ruleId"] for result in run["results"]}
    assert "| LNK001 | error |" in (tmp_path / "c.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("here", "file"),
    [("..", "world/data/methods/trees.yaml"), ("data", "data/methods/trees.yaml")],
)
def test_files_are_named_from_where_the_reader_is(
    broken: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    here: str,
    file: str,
) -> None:
    monkeypatch.chdir(Path(broken) / here)
    assert verify("--root", broken, "--format", "github", "--today", "2026-06-01") == 1
    assert f"::error file={file},line=4," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing-like-it"], "no record is called 'nothing-like-it'"),
        (["treez"], "did you mean"),
        (["--select", "XYZ"], "XYZ"),
        (["--ignore", "EVD001,NOPE"], "NOPE"),
        (["--today", "yesterday"], "--today"),
        (["--format", "pdf"], "pdf"),
        (["--record"], "--live"),
        (["--source", "arxiv"], "--live"),
        (["--live", "--today", "2026-01-01"], "--today"),
        (["--live", "--source", "arxive"], "arxiv"),
        (["--output", "/no/such/folder/x", "--format", "json"], "cannot write"),
        (["--also", "json=/no/such/folder/x"], "cannot write"),
        (["--max-wait", "5"], "--source, --record and --max-wait go with"),
        (["--also", "json"], "--also"),
        (["--also", "json="], "--also"),
        (["--also", "pdf=x"], "--also"),
    ],
)
def test_wrong_usage_is_two_and_one_clear_message(
    root: str, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert verify("--root", root, *words) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err


def test_a_folder_without_records_is_no_registry(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify("--root", str(tmp_path)) == 2
    assert "registry init" in capsys.readouterr().err


def test_codes_can_be_chosen(broken: str) -> None:
    assert verify("--root", broken, "--ignore", "lnk001") == 0
    assert verify("--root", broken, "--select", "EVD,CTR") == 0
    assert verify("--root", broken, "--select", "LNK") == 1


@pytest.mark.parametrize("name", ["trees", "paper/trees", "data/papers/trees.yaml", "tre"])
def test_records_are_named_in_many_ways(
    root: str, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert verify("--root", root, name, "--format", "json") == 0
    matrices = json.loads(capsys.readouterr().out)["matrices"]
    assert [matrix["record"] for matrix in matrices] == ["paper/trees"]


def test_a_mirror_is_on_this_machine(
    root: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(MIRROR, "https://example.org")
    assert verify("--root", root, "--live") == 2
    assert MIRROR in capsys.readouterr().err


def test_the_version_needs_nothing_heavy() -> None:
    code = "import sys; from registry.cli import main; sys.argv[1:] = ['--version']; main()"
    names = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, sep='\\n')); {code}"
    done = subprocess.run(
        [sys.executable, "-c", names], capture_output=True, text=True, check=True, env=os.environ
    )
    loaded = set(done.stdout.split("\n"))
    assert done.stdout.startswith("registry 0.")
    assert not loaded & {"pydantic", "yaml", "typer", "rich", "httpx", "torch"}


def test_help_and_offline_runs_load_no_network_and_no_torch() -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, sep='\\n'))\n"
        "from registry.cli.app import run; run(['verify', '--format', 'json'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert not set(done.stdout.split("\n")) & {"httpx", "torch", "matplotlib"}
