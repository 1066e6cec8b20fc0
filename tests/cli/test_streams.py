"""Where the output of a command goes: in which characters, and never over what is on record."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from library import library
from rich.cells import cell_len

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


@pytest.mark.parametrize(
    "words",
    [("export", "osprey"), ("verify",), ("compare", "method/osprey", "trees", "--format", "json")],
)
def test_a_dash_is_stdout(
    root: Path,
    tmp_path: Path,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    code = run(*words, "--root", root)
    shown = capsys.readouterr().out
    assert run(*words, "--root", root, "-o", "-") == code
    assert capsys.readouterr().out == shown != ""
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "out", "--also", "sarif=out"),
        ("--also", "json=here/../out", "--also", "sarif=out"),
    ],
)
def test_no_report_is_written_over_another(
    root: Path,
    tmp_path: Path,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run("verify", "--root", root, *words) == 2
    assert capsys.readouterr().err == (
        "registry: two reports would be written to out (`registry verify --help` tells more)\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("verify", "--format", "xml"),
            "Invalid value for '--format': 'xml' is not one of 'terminal', 'json', 'github', "
            "'sarif', 'junit', 'markdown' (`registry verify --help` tells more)",
        ),
        (("verify", "--source", "nobody"), "--source"),
        (("compare", "trees", "osprey", "--temperature", "warm"), "'--temperature'"),
        (("verify", "--also", "sarif=-"), "'sarif=-' is not FORMAT=FILE"),
        (("export", "--output"), "requires an argument"),
        (("show",), "Missing argument 'ID' (`registry show --help` tells more)"),
        (("shwo",), "No such command 'shwo'"),
    ],
)
def test_wrong_usage_is_one_line(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("registry: ")
    assert told in captured.err
    assert "Value error" not in captured.err
    assert captured.err.count("\n") == 1


def test_without_a_command_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 2
    captured = capsys.readouterr()
    assert "Usage: registry" in captured.out + captured.err
    assert "registry: " not in captured.err


@pytest.mark.parametrize("command", ["--help", "explain", "sources", "schema"])
def test_a_reader_that_goes_away_is_no_fault(command: str) -> None:
    code = f"import sys; sys.argv[1:] = [{command!r}]; from registry.cli import main; main()"
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


class Terminal(io.StringIO):
    """A terminal that remembers what it got."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "words", [("list",), ("list", "papers"), ("stats",), ("log", "paper/osprey"), ("sources",)]
)
def test_a_terminal_is_filled_and_not_overfilled(
    root: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if words != ("sources",):
        words = (*words, "--root", str(root))
    widest: list[int] = []
    for width in (60, 80, 140):
        monkeypatch.setenv("COLUMNS", f"{width}")
        monkeypatch.setenv("TERM", "xterm")
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        assert run(*words) == 0
        shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
        assert "…" not in shown
        widest.append(max(map(cell_len, shown.splitlines())))
        assert widest[-1] <= width
    assert widest == sorted(widest)
    assert widest[0] < widest[-1]


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
    said = "registry: data/methods: cannot be read: permission denied; it is left out\n"
    assert said in capsys.readouterr().err


def a_link_that_leads_nowhere(path: Path) -> None:
    path.symlink_to(path.with_name("nothing"))


@pytest.mark.parametrize("command", ["stats", "list", "export"])
@pytest.mark.parametrize("put", [a_link_that_leads_nowhere, Path.mkdir, os.mkfifo])
def test_what_only_looks_like_a_record_is_told_and_fails_the_run(
    root: Path, command: str, put: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    put(root / "data/papers/heron.yaml")
    assert run(command, "--root", root) == 1
    captured = capsys.readouterr()
    assert re.search(r"^registry: data/papers/heron\.yaml: .*; it is left out$", captured.err, re.M)
    assert "heron" not in captured.out
    assert command != "stats" or "Not counted: 1 file without a usable record" in captured.out


@pytest.mark.parametrize("command", ["stats", "list", "export"])
@pytest.mark.parametrize("text", ["kind: paper\n", "title: [\n"])
def test_a_file_without_a_usable_record_fails_the_run(
    root: Path, command: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "data/papers/heron.yaml").write_text(text, "utf-8")
    assert run(command, "--root", root) == 1
    captured = capsys.readouterr()
    assert "usable record" in captured.out or "not exported" in captured.err


def test_what_a_list_cannot_place_is_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "data/papers/heron.yaml").write_text("title: [\n", "utf-8")
    assert run("list", "methods", "--root", root) == 0
    assert run("list", "papers", "--status", "contested", "--root", root) == 1
    said = "registry: 1 file holds no usable record (`registry verify` tells why)\n"
    assert capsys.readouterr().err == said


def test_an_error_of_the_system_names_the_path(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/somewhere/else")

    monkeypatch.setattr("registry.verify.scan", refuse)
    assert run("stats", "--root", root) == 2
    assert capsys.readouterr().err == "registry: /somewhere/else: Permission denied\n"


@pytest.mark.parametrize("words", [["--help"], ["explain", "LNK001"], ["show", "paper/osprey"]])
def test_a_reader_that_went_away_is_no_fault(root: Path, words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "registry", *words]
    try:
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, cwd=root)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


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
