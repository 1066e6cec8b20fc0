"""The README, run: every command in a ``console`` block, and every excerpt of a record.

A line ``...`` in a block stands for lines left out, and ``...`` within a line for what changes with
every new record. ``<!-- run: COMMAND -->`` between two blocks does what the text around it tells
the reader to do.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[list[str]]:
    found = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [block.splitlines() for block in found]


def commands() -> Iterator[tuple[str, list[str]]]:
    """Each command with the lines that the README says it prints, in order."""
    parts = re.findall(
        r"^<!-- run: (.*?) -->$|^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL
    )
    for hidden, block in parts:
        if hidden:
            yield hidden, ["..."]
        for text in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *printed = text.rstrip("\n").splitlines()
            yield command, printed


def agrees(expected: list[str], printed: list[str]) -> bool:
    """Whether lines are as expected, where ``...`` stands for any lines, or any part of a line."""
    patterns = [
        r"(?:.*\n)*?"
        if line in ("...", "# ...")
        else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in expected
    ]
    return re.fullmatch("".join(patterns), "".join(f"{line}\n" for line in printed)) is not None


def lines(text: str) -> list[str]:
    """Lines as they are compared."""
    return [line.rstrip() for line in text.rstrip("\n").splitlines()]


def test_lines_agree_only_if_nothing_is_missing_and_nothing_is_more() -> None:
    assert agrees(["a", "...", "d"], ["a", "b", "c", "d"])
    assert agrees(["a", "...", "b"], ["a", "b"])
    assert not agrees(["a", "d"], ["a", "b", "d"])
    assert not agrees(["a"], ["a", "b"])
    assert not agrees(["a", "...", "e"], ["a", "b"])
    assert agrees(["... records: 0 errors"], ["9 records: 0 errors"])
    assert not agrees(["... records: 0 errors"], ["9 records: 1 error"])
    assert not agrees(["... records: 0 errors"], ["9", "records: 0 errors"])
    assert not agrees(["6 records: 0 errors"], ["7 records: 0 errors"])


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_commands_print_what_the_readme_says(tmp_path: Path) -> None:
    # The environment that runs the tests is there already. Make knows no names with spaces in them.
    environment = tmp_path / "venv"
    environment.mkdir()
    (environment / "bin").symlink_to(Path(sys.prefix) / "bin")
    for purpose in ("run", "generate"):  # or make would install into what is in use
        (environment / f".installed-to-{purpose}").touch()
    folder = tmp_path
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    outer = ("MAKE", "ARGS")  # what a make that runs these tests hands down
    kept = {name: text for name, text in os.environ.items() if not name.startswith(outer)}
    run = 0
    for command, expected in commands():
        if command.startswith("cd "):
            folder /= shlex.split(command)[1]
            continue
        if command.startswith("make "):
            command = shlex.join([*command.split(), f"VENV={environment}"])
        done = subprocess.run(
            command,
            shell=True,
            cwd=ROOT if command.startswith("make ") else folder,
            env=kept | {"PATH": path, "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        printed = lines(done.stdout.replace(str(environment), ".venv"))
        if not agrees(lines("\n".join(expected)), printed):
            pytest.fail(f"`{command}` prints:\n{done.stdout}\nThe README says:\n{expected}")
        run += 1
    assert run >= 5


def test_every_command_has_its_line() -> None:
    from registry.cli.app import app

    lines_of_table = re.findall(r"^\| `registry ([\w-]+)", README, re.MULTILINE)
    assert set(lines_of_table) == {command.name for command in app.registered_commands}


def test_yaml_in_the_readme_is_an_excerpt_of_a_file() -> None:
    found = blocks("yaml")
    assert found
    for first, *excerpt in found:
        file = ROOT / first.removeprefix("# ")
        assert agrees(["...", *excerpt, "..."], file.read_text(encoding="utf-8").splitlines())


def test_figures_in_documents_are_those_of_the_records() -> None:
    from eagle_impl.bench.blocks import filled
    from eagle_impl.bench.shown import open_benchmark

    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    assert ROOT / "README.md" in documents
    for path in documents:
        text = path.read_text(encoding="utf-8")
        assert filled(text, lambda name: open_benchmark(name, ROOT), path.name) == text


def test_the_readme_has_figures_and_plots_of_one_record() -> None:
    # A block whose marks were lost would never differ from anything.
    assert README.count("figures: ") == 1
    (record,) = re.findall(r"^<!-- figures: benchmark/(\S+) -->$", README, re.MULTILINE)
    plots = re.findall(r"\(figures/([\w-]+)-[a-z]+\.svg\)", README)
    assert set(plots) == {record}


def test_files_that_the_readme_links_to_exist() -> None:
    for text in (README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
        assert targets
        assert [target for target in targets if not (ROOT / target).exists()] == []
