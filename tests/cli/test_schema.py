from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from registry.cli import schema as command
from registry.errors import UnreadableError
from registry.records import KINDS
from registry.schema import schema_for


def run(root: Path, *, write: bool = False, check: bool = False, kind: str | None = None) -> int:
    return command.schema(write, check, root, kind)


def test_the_command_lists_the_schemas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(KINDS)
    assert "venue         schemas/venue.schema.json" in lines
    assert list(tmp_path.iterdir()) == []


def test_the_command_prints_a_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, kind="venue") == 0
    assert json.loads(capsys.readouterr().out) == schema_for("venue")


def test_the_command_writes_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, write=True) == 0
    assert "schemas/venue.schema.json\n" in capsys.readouterr().out
    assert run(tmp_path, check=True) == 0
    assert capsys.readouterr() == ("", "")
    (tmp_path / "schemas" / "venue.schema.json").write_text("{}\n", encoding="utf-8")
    (tmp_path / "schemas" / "journal.schema.json").write_text("{}\n", encoding="utf-8")
    assert run(tmp_path, check=True) == 1
    assert capsys.readouterr() == (
        "",
        "schemas/journal.schema.json: belongs to no kind of record (remove it)\n"
        "schemas/venue.schema.json: stale (`registry schema --write` writes it)\n",
    )


def test_the_command_refuses_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, kind="venues") == 2
    assert capsys.readouterr() == ("", "registry: no kind venues (did you mean venue?)\n")
    assert run(tmp_path, write=True, check=True) == 2
    assert run(tmp_path, write=True, kind="venue") == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", ["write", "check"])
def test_the_command_names_a_folder_it_cannot_use(tmp_path: Path, how: str) -> None:
    (tmp_path / "schemas").write_text("in the way", encoding="utf-8")
    with pytest.raises(UnreadableError, match="schemas"):
        run(tmp_path, write=how == "write", check=how == "check")


def test_the_command_imports_nothing_heavy_until_it_runs() -> None:
    code = "import sys, registry.cli.schema; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
