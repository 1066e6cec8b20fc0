"""The Makefile, run with a stand-in for Python that writes down what it was asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")

STAND_IN = """#!/bin/sh
echo "python $*" >> asked
[ "$1" = --version ] && echo "Python 3.11.0"
if [ "$2" = venv ]; then
    mkdir -p "$3/bin"
    for name in python registry eagle_impl; do cp "$0" "$3/bin/$name"; done
fi
[ "$PIP_CONSTRAINT" ] && echo "pins $PIP_CONSTRAINT $PIP_BUILD_CONSTRAINT" >> asked
exit "${ANSWER:-0}"
"""

RUNTIME, ENGINE = "--quiet --editable .", "--quiet --editable .[eagle]"
TOOLS = "--quiet --editable .[dev,eagle,huggingface,plot]"


class Clone:
    """A clean clone, as far as make can see."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        for name in ("Makefile", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, folder)
        (folder / "stand-in").write_text(STAND_IN)
        (folder / "stand-in").chmod(0o755)

    def make(self, *words: str, **variables: str) -> tuple[int, list[str]]:
        """Run make and return its exit code and what Python was asked for."""
        outer = ("MAKE", "VENV", "PYTHON", "ARGS")  # what a make that runs these tests hands down
        kept = {name: text for name, text in os.environ.items() if not name.startswith(outer)}
        (self.folder / "asked").write_text("")
        done = subprocess.run(
            ["make", "PYTHON=./stand-in", *words],
            cwd=self.folder,
            env=kept | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, (self.folder / "asked").read_text().splitlines()

    def installs(self, *words: str) -> list[str]:
        """What one run of make that succeeds installs."""
        code, asked = self.make(*words)
        assert code == 0
        return [line.partition(" install ")[2] for line in asked if " install " in line]

    def change(self, name: str) -> None:
        """Give a file a date after that of all others, and before now."""
        for path in self.folder.rglob("*"):
            os.utime(path, (1000, 1000))
        os.utime(self.folder / name, (2000, 2000))


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "my clone")


def test_run_makes_an_environment_with_the_pinned_versions_and_uses_it(clone: Clone) -> None:
    _, asked = clone.make("run")
    assert "python -m venv .venv" in asked
    assert "pins constraints.txt constraints.txt" in asked
    used = [line for line in asked if line.startswith(("python verify", "python show"))]
    assert used == ["python verify", "python show eagle"]
    assert asked[-1].startswith("python generate --compare")


def test_the_records_need_nothing_that_only_generating_needs(clone: Clone) -> None:
    _, asked = clone.make("run")
    engine = next(at for at, line in enumerate(asked) if line.endswith(ENGINE))
    assert asked.index("python show eagle") < engine


def test_nothing_is_installed_twice_until_what_is_needed_changes(clone: Clone) -> None:
    assert clone.installs("run") == [RUNTIME, ENGINE]
    assert clone.installs("run") == []
    clone.change("constraints.txt")
    assert clone.installs("run") == [RUNTIME, ENGINE]
    clone.change("pyproject.toml")
    assert clone.installs("run") == [RUNTIME, ENGINE]


def test_tests_install_the_tools_which_suffice_to_run(clone: Clone) -> None:
    assert clone.installs("test") == [TOOLS]
    assert clone.installs("test") == []
    assert clone.installs("run") == []
    clone.change("constraints.txt")
    assert clone.installs("test", "run") == [TOOLS]


def test_an_environment_that_only_runs_gets_the_tools_for_tests(clone: Clone) -> None:
    assert clone.installs("run") == [RUNTIME, ENGINE]
    assert clone.installs("test") == [TOOLS]


def test_what_could_not_be_installed_is_tried_again(clone: Clone) -> None:
    assert clone.installs("run") == [RUNTIME, ENGINE]
    clone.change("constraints.txt")
    code, _ = clone.make("run", ANSWER="1")
    assert code != 0
    assert clone.installs("run") == [RUNTIME, ENGINE]


def test_a_python_that_is_too_old_is_refused_before_anything_is_made(clone: Clone) -> None:
    code, asked = clone.make("run", ANSWER="1")
    assert code != 0
    assert len(asked) == 1
    assert "version_info < (3, 11)" in asked[0]
    assert not (clone.folder / ".venv").exists()


def test_cleaning_leaves_what_is_not_made_by_make(clone: Clone) -> None:
    for name in ("registry", "eagle_impl", "tests"):
        (clone.folder / name / "__pycache__").mkdir(parents=True)
    before = sorted(path.name for path in clone.folder.iterdir())
    clone.make("run")
    code, _ = clone.make("clean")
    assert code == 0
    assert sorted(path.name for path in clone.folder.iterdir() if path.name != "asked") == before
    assert not list(clone.folder.rglob("__pycache__"))
