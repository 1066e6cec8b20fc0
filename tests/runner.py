"""Plays the runner of GitHub Actions for ``action.yml``: checks out, and runs its shell steps.

What other actions do (setting up Python, uploading) is left out. Every shell step is run as it
stands, by bash with the options that the runner gives it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from past import PLAIN

ACTION: dict[str, Any] = yaml.safe_load(
    (Path(__file__).resolve().parents[1] / "action.yml").read_text("utf-8")
)
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")


def shell_step(name: str) -> dict[str, Any]:
    """The step of that name."""
    (step,) = (one for one in STEPS if one.get("name") == name)
    assert step["shell"] == "bash"
    return step


def substituted(text: str, contexts: Mapping[str, str]) -> str:
    """A text with its expressions replaced: names, and ``||`` between names."""

    def value(match: re.Match[str]) -> str:
        names = match[1].split(" || ")
        assert all(re.fullmatch(r"[\w.-]+", name) for name in names), match[0]
        return next((found for name in names if (found := contexts.get(name, ""))), "")

    return EXPRESSION.sub(value, text)


@dataclass(frozen=True)
class Outcome:
    """What a step did."""

    code: int
    log: str
    """What the runner reads, stdout and stderr, in which it looks for annotations."""
    summary: str
    outputs: dict[str, str]

    @property
    def annotations(self) -> list[str]:
        """The lines that the runner takes for commands."""
        return [line for line in self.log.splitlines() if line.lstrip().startswith("::")]

    @property
    def codes(self) -> list[str]:
        """The codes of findings that fail or warn."""
        told = (
            re.match(r"::(?:error|warning) .*title=([A-Z]{3}\d{3})::", a) for a in self.annotations
        )
        return [match[1] for match in told if match]


@dataclass
class Runner:
    """A machine with a checkout."""

    workspace: Path
    temporary: Path
    path: str
    """Folders in which commands are looked for."""
    action_path: Path

    def git(self, *words: str) -> str:
        """Run git in the checkout."""
        done = subprocess.run(
            ["git", *words],
            cwd=self.workspace,
            env=os.environ | PLAIN,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def check_out(self, origin: Path, ref: str, *, depth: int = 0) -> None:
        """Check out a ref that is no branch, as actions/checkout does: HEAD is detached."""
        self.workspace.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("remote", "add", "origin", origin.as_uri())
        local = ref.replace("refs/", "refs/remotes/", 1).replace("/heads/", "/origin/")
        how = [f"--depth={depth}"] if depth else []
        branches = [] if depth else ["+refs/heads/*:refs/remotes/origin/*"]
        options = ["--no-tags", "--prune", "--no-recurse-submodules", "--quiet"]
        self.git("fetch", *options, *how, "origin", *branches, f"+{ref}:{local}")
        self.git("checkout", "--quiet", "--force", local)
        assert self.git("rev-parse", "--abbrev-ref", "HEAD") == "HEAD"

    def run(
        self,
        step: dict[str, Any],
        inputs: Mapping[str, str] | None = None,
        *,
        contexts: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Run a shell step.

        Args:
            step: The step.
            inputs: The inputs that differ from their defaults.
            contexts: What expressions such as ``github.event_name`` are worth.
            environment: Further variables of the job, such as ``GITHUB_BASE_REF``.
        """
        defaults = {name: one["default"] for name, one in ACTION["inputs"].items()}
        assert not set(inputs or {}) - set(defaults)
        given = {f"inputs.{name}": text for name, text in (defaults | dict(inputs or {})).items()}
        known = {"github.action_path": str(self.action_path)} | dict(contexts or {}) | given
        folder = self.workspace
        if "working-directory" in step:
            folder = Path(substituted(step["working-directory"], known))
        self.temporary.mkdir(exist_ok=True)
        files = {name: self.temporary / name.lower() for name in _FILES}
        for file in files.values():
            file.write_text("")
        script = self.temporary / "step.sh"
        script.write_text(step["run"], "utf-8")
        kept = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("GIT_", "GITHUB_", "PIP_", "PYTHON"))
        }
        variables = {name: substituted(text, known) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=folder,
            env=kept
            | PLAIN
            | {name: str(file) for name, file in files.items()}
            | {"GITHUB_ACTIONS": "true", "RUNNER_TEMP": str(self.temporary), "PATH": self.path}
            | dict(environment or {})
            | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        added = files["GITHUB_PATH"].read_text().splitlines()
        self.path = os.pathsep.join([*reversed(added), self.path])
        outputs = files["GITHUB_OUTPUT"].read_text().splitlines()
        return Outcome(
            done.returncode,
            done.stdout,
            files["GITHUB_STEP_SUMMARY"].read_text("utf-8"),
            dict(line.split("=", 1) for line in outputs),
        )


_FILES = ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_PATH")
