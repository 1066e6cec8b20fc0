"""Where the output of a command goes: in which characters, and never over what is on record."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from library import library

from registry.cli import main
from registry.store import root as store_root

FORMATS = ["bibtex", "csl-json", "cff", "json-ld", "csv"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    world = library(tmp_path / "library")
    world["paper/osprey"]["title"]["assertions"][0]["value"] = "Ösprey: Dïving Decoders"
    world["evidence/osprey-pages"]["observation"]["title"] = "Ösprey: Dïving Decoders"
    return world.write()


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as caught:
        main([*map(str, arguments)])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def in_ascii(*arguments: str | Path) -> bytes:
    """What a command writes to stdout under a locale that knows nothing but ASCII."""
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "registry", *map(str, arguments)],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("form", FORMATS)
def test_an_export_is_utf_8_whatever_the_locale(
    root: Path, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("export", "osprey", "--format", form, "--root", root)
    assert run(*words, "-o", tmp_path / "file") == 0
    assert in_ascii(*words) == (tmp_path / "file").read_bytes()


@pytest.mark.parametrize("words", [("show", "paper/osprey"), ("list", "papers"), ("verify",)])
def test_json_is_json_whatever_the_locale(root: Path, words: tuple[str, ...]) -> None:
    out = in_ascii(*words, "--format", "json", "--root", root)
    assert json.loads(out.decode("utf-8"))
    assert b"\\xd6" not in out


def test_a_page_to_read_shows_the_codes_of_what_a_terminal_does_not_know(root: Path) -> None:
    page = in_ascii("show", "paper/osprey", "--root", root)
    assert page.isascii()
    assert b"\\xd6sprey" in page


@pytest.mark.parametrize("command", ["export", "verify"])
def test_the_file_of_a_record_is_not_written_over(
    root: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = root / "data/papers/osprey.yaml"
    before = file.read_bytes()
    assert run(command, "--root", root, "-o", file) == 2
    assert capsys.readouterr().err.endswith("is the file of a record (name another file)\n")
    assert run(command, "--root", root, "-o", root / "data/papers/new.yaml") == 2
    assert file.read_bytes() == before


def test_a_file_is_not_emptied_where_nothing_is_exported(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "data/papers/osprey.yaml").write_text("kind: paper\n", "utf-8")
    file = tmp_path / "refs.bib"
    file.write_text("@misc{kept}\n", "utf-8")
    assert run("export", "osprey", "--root", root, "-o", file) == 1
    assert file.read_text("utf-8") == "@misc{kept}\n"
    assert f"nothing was exported; {file} stays as it is" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["stats", "list", "export"])
def test_what_cannot_be_read_is_told_and_fails_the_run(
    root: Path,
    command: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert run(command, "--root", root) == 0
    scandir = os.scandir

    def refuse(folder: str) -> object:
        if str(folder).endswith("methods"):
            raise PermissionError(errno.EACCES, "Permission denied", folder)
        return scandir(folder)

    monkeypatch.setattr(store_root.os, "scandir", refuse)
    assert run(command, "--root", root) == 1
    said = "registry: data/methods cannot be read: permission denied; it is left out\n"
    assert said in capsys.readouterr().err


def test_an_error_of_the_system_names_the_path(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/somewhere/else")

    monkeypatch.setattr("registry.verify.scan", refuse)
    assert run("stats", "--root", root) == 2
    assert capsys.readouterr().err == "registry: /somewhere/else: Permission denied\n"


INTERRUPTED = """
import builtins, sys
genuine = builtins.__import__
def interrupted(name, *rest):
    if name == {module!r}:
        raise KeyboardInterrupt
    return genuine(name, *rest)
from {package}.cli import main
builtins.__import__ = interrupted
sys.argv = [{package!r}, "--help"]
main()
"""


@pytest.mark.parametrize(
    ("package", "module"),
    [
        ("registry", "registry.cli.app"),
        ("registry", "typer"),
        ("eagle_impl", "eagle_impl.cli.app"),
        ("eagle_impl", "typer"),
    ],
)
def test_an_interruption_while_modules_are_imported_is_silent(package: str, module: str) -> None:
    code = INTERRUPTED.format(package=package, module=module)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
