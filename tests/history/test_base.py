"""``registry verify --base`` on repositories as people have them."""

from __future__ import annotations

import copy
import os
import subprocess
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from past import PLAIN, Past
from world import World, assertion, evidence

from registry.checks.base import against
from registry.cli.app import run
from registry.errors import HistoryError
from registry.findings import Finding


@pytest.fixture(autouse=True)
def _plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def past(world: World) -> Past:
    """The small world on main, and a branch ``work`` that has begun there."""
    begun = Past.begin(world)
    begun.git("switch", "--quiet", "--create", "work")
    return begun


def findings(past: Past, base: str = "main") -> list[Finding]:
    return list(against(past.world.root, base).findings)


def codes(past: Past, base: str = "main") -> list[str]:
    return [finding.code for finding in findings(past, base)]


def venue(past: Past) -> dict[str, Any]:
    field = past.world["paper/trees"]["venue"]
    assert isinstance(field, dict)
    return field


def test_nothing_changed_is_nothing_found(past: Past) -> None:
    assert codes(past) == []


def test_what_is_added_is_no_finding(past: Past) -> None:
    first = venue(past)["assertions"][0]
    first |= {"rank": "deprecated", "because": "The volume says otherwise."}
    first["evidence"].append("index-trees-2")
    venue(past)["assertions"].append(
        assertion("preprints", "index-trees", because="It does.", supersedes="ict")
    )
    venue(past)["status"] = "contested"
    past.world["paper/trees"]["note"] = "New."
    past.world.records["evidence/index-trees-2"] = evidence("paper/trees", "index") | {
        "id": "index-trees-2"
    }
    past.world.write()
    assert codes(past) == []
    past.commit("Add")
    assert codes(past) == []


def test_layout_order_of_keys_and_comments_mean_nothing(past: Past) -> None:
    file = past.file("paper/trees")
    data = yaml.safe_load(file.read_text("utf-8"))
    turned = dict(reversed(list(data.items())))
    text = yaml.safe_dump(turned, sort_keys=False, default_flow_style=True, width=60)
    file.write_text(f"# another layout\n{text}", "utf-8")
    assert codes(past) == []


def test_a_value_edited_in_place_is_found_where_it_stands(past: Past) -> None:
    past.edit("paper/trees", "value: ict", "value: preprints")
    (found,) = findings(past)
    line = past.file("paper/trees").read_text("utf-8").splitlines()[found.line - 1]
    assert (found.code, found.severity, found.record) == ("BAS003", "error", "paper/trees")
    assert found.field == "venue.assertions[0].value"
    assert line.strip() == "- value: preprints"
    assert line[found.column - 1 :] == "preprints"
    assert "`ict`" in found.message
    assert "`preprints`" in found.message


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"recorded": date(2026, 1, 6)}, "BAS003"),
        ({"by": "nobody"}, "BAS003"),
        ({"basis": "inferred", "inferred_from": "the cover"}, "BAS003"),
        ({"evidence": ["index-trees"]}, "BAS003"),
        ({"rank": "deprecated"}, "BAS004"),
        ({"rank": "normal"}, "BAS004"),
        ({"rank": "deprecated", "because": ""}, "BAS004"),
    ],
)
def test_a_part_of_an_assertion_that_changed(past: Past, change: dict[str, Any], code: str) -> None:
    venue(past)["assertions"][0] |= change
    past.world.write()
    assert codes(past) == [code]


def test_an_old_reason_explains_no_new_rank(past: Past) -> None:
    venue(past)["assertions"][0]["because"] = "Read in the volume."
    past.commit("Say why")
    venue(past)["assertions"][0]["rank"] = "deprecated"
    past.world.write()
    assert codes(past, "work") == ["BAS004"]
    venue(past)["assertions"][0]["because"] = "It was the volume of another year."
    past.world.write()
    assert codes(past, "work") == []


def test_an_assertion_that_is_gone(past: Past) -> None:
    venue(past)["assertions"].append(assertion("preprints", rank="normal", because="Heard."))
    past.commit("Hear")
    venue(past)["assertions"].pop(0)
    past.world.write()
    (found,) = findings(past, "work")
    assert found.code == "BAS002"
    assert "`ict`, entered 2026-01-05 by editor" in found.message


def test_a_field_that_is_gone(past: Past) -> None:
    del past.world["paper/trees"]["pages"]
    past.world.write()
    (found,) = findings(past)
    assert found.code == "BAS002"
    assert "`101-112`" in found.message


def test_a_decision_stays_and_may_become_a_past_one(past: Past) -> None:
    ruling = {
        "decided": date(2026, 2, 1),
        "by": "mira",
        "because": "Seen.",
        "overruled": [{"source": "index", "value": "CoRR"}],
    }
    venue(past).update({"status": "settled", "decision": ruling})
    past.commit("Decide")
    before = copy.deepcopy(venue(past))
    del venue(past)["decision"]
    venue(past).update({"status": "contested", "contested_because": "Seen again."})
    past.world.write()
    assert codes(past, "work") == ["BAS005"]
    venue(past)["past_decisions"] = [ruling]
    past.world.write()
    assert codes(past, "work") == []
    past.world["paper/trees"]["venue"] = before
    before["decision"]["because"] = "Seen twice."
    past.world.write()
    assert codes(past, "work") == ["BAS005"]


def test_a_contest_keeps_a_reason(past: Past) -> None:
    venue(past).update({"status": "contested", "contested_because": "Nobody has the volume."})
    past.commit("Contest")
    venue(past)["contested_because"] = "Nobody found the volume."
    past.world.write()
    assert codes(past, "work") == []
    del venue(past)["contested_because"]
    past.world.write()
    (found,) = findings(past, "work")
    assert (found.code, found.field) == ("BAS004", "venue.status")
    assert "Nobody has the volume." in found.message


def test_a_note_is_free(past: Past) -> None:
    past.world["paper/trees"]["note"] = "Seen."
    past.commit("Note")
    past.world["paper/trees"]["note"] = "Seen twice."
    past.world.write()
    assert codes(past, "work") == []
    del past.world["paper/trees"]["note"]
    past.world.write()
    assert codes(past, "work") == []


def test_a_contest_does_not_end_by_itself(past: Past) -> None:
    venue(past).update({"status": "contested", "contested_because": "Nobody has the volume."})
    past.commit("Contest")
    venue(past).pop("contested_because")
    venue(past)["status"] = "corroborated"
    past.world.write()
    assert codes(past, "work") == ["BAS004"]


@pytest.mark.parametrize(
    "change",
    [
        {"observation": {"title": "Draft Trees: A Study", "year": 2024}},
        {"retrieved": date(2026, 1, 5)},
        {"locator": "another page"},
        {"sha256": "0" * 64},
        {"outcome": "no-such-record"},
        {"confirmed": False},
        {"standing": "active"},
    ],
)
def test_evidence_is_never_edited(past: Past, change: dict[str, Any]) -> None:
    past.world["evidence/index-trees"].update(change)
    past.world.write()
    assert set(codes(past)) == {"BAS006"}


@pytest.mark.parametrize(
    "change",
    [
        {"confirmed": False, "unconfirmed_because": "Nobody finds the page."},
        {"standing": "retracted"},
        {"note": "See the other one."},
        {
            "withdrawn": {
                "reason": "entered-in-error",
                "because": "Of another paper.",
                "by": "mira",
                "recorded": date(2026, 2, 2),
            }
        },
    ],
)
def test_evidence_may_lose_its_support(past: Past, change: dict[str, Any]) -> None:
    past.world["evidence/index-trees"].update(change)
    past.world.write()
    assert codes(past) == []


def test_a_withdrawal_is_not_taken_back(past: Past) -> None:
    past.world["method/trees"]["withdrawn"] = {
        "reason": "duplicate",
        "because": "Twice.",
        "by": "mira",
        "recorded": date(2026, 2, 2),
    }
    past.commit("Withdraw")
    assert codes(past) == []
    del past.world["method/trees"]["withdrawn"]
    past.world.write()
    assert codes(past, "work") == ["BAS003"]


def test_a_record_that_is_gone_is_named_with_its_file(past: Past) -> None:
    past.file("evidence/index-trees").unlink()
    (found,) = findings(past)
    assert (found.code, found.record, found.file, found.line) == (
        "BAS001",
        "evidence/index-trees",
        "data/evidence/index-trees.yaml",
        1,
    )
    past.commit_files("Delete")
    assert codes(past) == ["BAS001"]


@pytest.mark.parametrize("kept", [True, False])
def test_a_rename_is_followed_and_is_a_finding(past: Past, kept: bool) -> None:
    """What the record lost on the way is found as well."""
    new = past.file("paper/bushes")
    past.edit("paper/trees", "id: trees\n", "id: bushes\n")
    past.edit("paper/trees", "value: ict", "value: preprints")
    past.file("paper/trees").rename(new)
    if kept:
        past.commit_files("Rename")
    found = {finding.code: finding for finding in findings(past)}
    assert set(found) == {"BAS003", "BAS007"}
    assert found["BAS007"].file == "data/papers/bushes.yaml"
    assert "paper/trees was renamed to paper/bushes" in found["BAS007"].message


def test_another_id_needs_the_old_one_withdrawn_and_evidence_of_its_own(past: Past) -> None:
    """What CONTRIBUTING tells to do keeps every promise and verifies clean."""
    old = past.world["paper/trees"]
    new = copy.deepcopy(old) | {"id": "bushes"}
    past.world.records["paper/bushes"] = new
    old["withdrawn"] = {
        "reason": "duplicate",
        "because": "The title was misread.",
        "by": "mira",
        "recorded": date(2026, 2, 2),
        "successor": "paper/bushes",
    }
    past.world["method/trees"]["introduced_by"] = "bushes"
    past.commit("Replace")
    assert codes(past) == []
    assert "EVD005" in [finding.code for finding in past.world.found()]
    for name in ("proceedings-trees", "index-trees"):
        copied = copy.deepcopy(past.world[f"evidence/{name}"])
        copied |= {"id": f"{name}-of-bushes", "about": "paper/bushes"}
        past.world.records[f"evidence/{copied['id']}"] = copied
    for field in new.values():
        for held in field["assertions"] if isinstance(field, dict) else ():
            held["evidence"] = [f"{one}-of-bushes" for one in held["evidence"]]
    past.commit("Copy the evidence")
    assert codes(past) == []
    assert past.world.found() == []


def test_an_id_given_to_something_else(past: Past) -> None:
    past.edit("organization/maker", "id: maker\n", "id: baker\n")
    assert codes(past) == ["BAS007"]


def test_main_that_moved_on_is_not_held_against_the_branch(past: Past) -> None:
    past.world["paper/trees"]["note"] = "On the branch."
    past.commit("Work")
    past.git("switch", "--quiet", "main")
    later = assertion("preprints", "index-trees", rank="normal", because="Later, on main.")
    del past.world["paper/trees"]["note"]
    venue(past)["assertions"].append(later)
    past.world.records["evidence/later"] = evidence("paper/trees", "index") | {"id": "later"}
    past.commit("Move on")
    past.git("switch", "--quiet", "work")
    past.file("evidence/later").unlink(missing_ok=True)
    assert codes(past) == []
    past.git("merge", "--quiet", "main")
    assert codes(past) == []
    # What the merge brought may not be thrown away after it.
    past.edit("paper/trees", "Later, on main.", "Whatever.")
    past.file("evidence/later").unlink()
    assert codes(past) == ["BAS001"]


def test_a_merge_that_drops_what_main_added(past: Past) -> None:
    past.git("switch", "--quiet", "main")
    past.world.records["evidence/later"] = evidence("paper/trees", "index") | {"id": "later"}
    past.commit("Move on")
    past.git("switch", "--quiet", "work")
    past.git("merge", "--quiet", "--no-ff", "--strategy=ours", "main")
    assert codes(past) == ["BAS001"]


def test_a_detached_head_and_another_working_tree(past: Past, tmp_path: Path) -> None:
    past.git("switch", "--quiet", "--detach")
    past.edit("paper/trees", "value: ict", "value: preprints")
    assert codes(past) == ["BAS003"]
    other = tmp_path / "other"
    past.git("worktree", "add", "--quiet", str(other), "work")
    assert against(other, "main").findings == ()
    (other / "data" / "papers" / "trees.yaml").unlink()
    assert [found.code for found in against(other, "main").findings] == ["BAS001"]


@pytest.fixture
def inner(tmp_path: Path, world: World) -> Past:
    world.root = tmp_path / "top" / "some [odd] * folder"
    return Past.begin(world, tmp_path / "top")


def test_a_registry_in_a_folder_of_the_repository(inner: Past) -> None:
    inner.edit("paper/trees", "value: ict", "value: preprints")
    (found,) = findings(inner)
    assert found.code == "BAS003"
    assert found.file == "data/papers/trees.yaml"


def test_a_registry_that_moves_as_a_whole_keeps_its_records(inner: Past) -> None:
    moved = inner.folder / "moved"
    inner.world.root.rename(moved)
    inner.world.root = moved
    inner.commit_files("Move")
    assert codes(inner, "HEAD~1") == []
    inner.edit("paper/trees", "value: ict", "value: preprints")
    inner.commit_files("Edit")
    assert codes(inner, "HEAD~2") == ["BAS003"]


def test_files_that_git_does_not_keep_are_new(past: Past) -> None:
    (past.folder / ".gitignore").write_text("index-new.yaml\n", "utf-8")
    for name in ("index-new", "index-other"):
        past.world.records[f"evidence/{name}"] = evidence("paper/trees", "index") | {"id": name}
    past.world.write()
    assert codes(past) == []
    past.git("rm", "--quiet", "--cached", "data/papers/trees.yaml")
    assert codes(past) == []


def test_a_file_that_became_unreadable(past: Past) -> None:
    past.file("paper/trees").write_text("title: [\n", "utf-8")
    assert codes(past) == ["BAS009"]
    past.file("paper/trees").write_bytes(b"\xff\xfe")
    assert codes(past) == ["BAS009"]


def test_a_file_that_was_unreadable_may_be_mended(past: Past) -> None:
    good = past.file("paper/trees").read_text("utf-8")
    past.file("paper/trees").write_text("title: [\n", "utf-8")
    past.commit_files("Break")
    past.file("paper/trees").write_text(good, "utf-8")
    (found,) = findings(past, "work")
    assert (found.code, found.severity) == ("BAS008", "warning")


def test_a_record_that_became_a_link(past: Past) -> None:
    file = past.file("paper/trees")
    file.rename(past.folder / "elsewhere.yaml")
    file.symlink_to("../../elsewhere.yaml")
    assert codes(past) == ["BAS009"]
    past.commit_files("Link")
    assert codes(past) == ["BAS009"]


def test_odd_names_of_files(past: Past) -> None:
    folder = past.world.root / "data" / "papers"
    for name in (b"a\nb.yaml", b'q"u\to.yaml', b"-x.yaml", b"\xff.yaml", "é.yaml".encode()):
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(b"kind: paper\n")
    past.commit_files("Odd")
    assert codes(past) == []
    for file in folder.iterdir():
        if file.name != "trees.yaml":
            file.unlink()
    found = findings(past, "work")
    assert {one.code for one in found} == {"BAS001"}
    assert len(found) == 5


def test_a_submodule_among_the_records_is_none(past: Past, tmp_path: Path) -> None:
    other = Past.begin(World({}, tmp_path / "other"))
    (other.folder / "x").write_text("x", "utf-8")
    other.commit_files("Begin")
    allow = ("-c", "protocol.file.allow=always")
    past.git(*allow, "submodule", "--quiet", "add", str(other.folder), "data/papers/sub.yaml")
    past.commit_files("Add a submodule")
    assert codes(past) == []
    past.git("rm", "--quiet", "data/papers/sub.yaml")
    assert codes(past, "work") == []


def test_nothing_that_is_set_up_for_git_is_run(past: Past, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    script = tmp_path / "run"
    script.write_text(f"#!/bin/sh\ntouch {trap}\n", "utf-8")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "diff.odd.textconv", "diff.odd.command"):
        past.git("config", key, str(script))
    past.git("config", "diff.orderFile", str(tmp_path / "absent"))
    past.git("config", "diff.renames", "false")
    (past.folder / ".gitattributes").write_text("*.yaml diff=odd\n", "utf-8")
    past.edit("paper/trees", "value: ict", "value: preprints")
    trap.unlink(missing_ok=True)
    assert codes(past) == ["BAS003"]
    assert not trap.exists()


SETTINGS = {
    "diff.relative": "true",
    "diff.renames": "false",
    "diff.renameLimit": "1",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.orderFile": "/nowhere/order",
    "diff.ignoreSubmodules": "all",
    "diff.external": "false",
    "diff.context": "0",
    "status.relativePaths": "true",
    "status.showUntrackedFiles": "no",
    "core.quotePath": "true",
    "core.ignoreCase": "true",
    "core.fileMode": "false",
    "core.checkStat": "minimal",
    "core.abbrev": "4",
    "core.untrackedCache": "true",
    "log.showRoot": "false",
    "log.follow": "true",
    "log.diffMerges": "first-parent",
    "log.date": "relative",
    "format.pretty": "oneline",
    "color.ui": "always",
}


@pytest.mark.parametrize("where", ["file", "environment"])
def test_no_setting_of_git_changes_what_is_found(
    past: Past, where: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    past.edit("paper/trees", "value: ict", "value: preprints")
    past.file("method/trees").unlink()
    root = ("--root", str(past.world.root))

    def told() -> str:
        for words in (["diff", "main"], ["diff", "main..work"], ["log", "paper/trees"]):
            with suppress(SystemExit):
                run([*words, *root])
        return capsys.readouterr().out

    plain = told()
    assert "the record is new" in plain
    assert codes(past) == ["BAS001", "BAS003"]
    if where == "file":
        for key, value in SETTINGS.items():
            past.git("config", key, value)
    else:
        monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(SETTINGS)))
        for number, (key, value) in enumerate(SETTINGS.items()):
            monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
            monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    assert codes(past) == ["BAS001", "BAS003"]
    assert told() == plain


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_files_that_git_is_told_not_to_look_at_are_compared(past: Past, mark: str) -> None:
    past.git("update-index", mark, "data/papers/trees.yaml")
    past.git("update-index", mark, "data/methods/trees.yaml")
    past.edit("paper/trees", "value: ict", "value: preprints")
    past.file("method/trees").unlink()
    assert past.git("status", "--porcelain") == ""
    assert codes(past) == ["BAS001", "BAS003"]


def test_filters_of_git_do_not_hide_what_the_registry_reads(past: Past) -> None:
    past.git("config", "filter.old.clean", "sed s/preprints/ict/")
    (past.folder / ".gitattributes").write_text("*.yaml filter=old\n", "utf-8")
    past.edit("paper/trees", "value: ict", "value: preprints")
    assert codes(past) == ["BAS003"]


def test_a_working_tree_elsewhere_is_refused(past: Past, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    past.git("config", "core.worktree", str(elsewhere))
    with pytest.raises(HistoryError) as caught:
        against(past.world.root, "main")
    assert "core.worktree" in caught.value.hint


def test_a_link_that_stays_is_no_finding_and_a_linked_folder_is(past: Past) -> None:
    file = past.file("paper/trees")
    file.rename(past.folder / "elsewhere.yaml")
    file.symlink_to("../../elsewhere.yaml")
    past.commit_files("Link")
    assert codes(past, "work") == []
    folder = past.file("method/trees").parent
    folder.rename(past.folder / "methods")
    folder.symlink_to("../methods")
    assert codes(past, "work") == ["BAS009"]


def test_every_merge_base_counts(past: Past) -> None:
    """Two branches that were merged into each other share two last commits."""
    for branch in ("main", "work"):
        past.git("switch", "--quiet", branch)
        name = f"of-{branch}"
        record = evidence("paper/trees", "index", observation={"year": 2025}) | {"id": name}
        if branch == "main":
            # So unlike the other one that neither is taken for the other under another name.
            record |= {"source": "proceedings", "observation": {"pages": "1", "volume": "2"}}
            record |= {"locator": "another", "retrieved": date(2026, 2, 1), "how": "fetched"}
            record |= {"reader": {"name": "mira"}, "confirmed": False, "unconfirmed_because": "No."}
        past.world.records[f"evidence/{name}"] = record
        past.commit(f"Begin on {branch}")
        past.git("tag", f"first-{branch}")
        del past.world.records[f"evidence/{name}"]
    past.git("switch", "--quiet", "main")
    past.git("merge", "--quiet", "--no-ff", "-m", "One way", "first-work")
    past.git("switch", "--quiet", "work")
    past.git("merge", "--quiet", "--no-ff", "-m", "The other way", "first-main")
    assert len(past.git("merge-base", "--all", "main", "work").split()) == 2
    assert codes(past) == []
    for name in ("of-main", "of-work"):
        past.file(f"evidence/{name}").unlink()
        (found,) = findings(past)
        assert (found.code, found.record) == ("BAS001", f"evidence/{name}")
        past.git("checkout", "--quiet", "--", "data")
    past.edit("paper/trees", "value: ict", "value: preprints")
    assert codes(past) == ["BAS003"]
    base = against(past.world.root, "main").base
    assert all(past.git("rev-parse", f"first-{one}")[:10] in base for one in ("main", "work"))


def test_the_environment_of_a_hook_leads_nowhere_else(
    past: Past, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    past.edit("paper/trees", "value: ict", "value: preprints")
    assert codes(past) == ["BAS003"]


def clone(past: Past, target: Path, *words: str) -> None:
    command = ["git", "clone", "--quiet", *words, past.folder.as_uri(), str(target)]
    subprocess.run(command, check=True, env=os.environ | PLAIN)


def test_a_shallow_clone_says_how_to_mend_it(past: Past, tmp_path: Path) -> None:
    past.commit("Work")
    past.git("switch", "--quiet", "main")
    past.commit("Move on")
    shallow = tmp_path / "shallow"
    clone(past, shallow, "--depth=1", "--no-single-branch", "--branch=work")
    with pytest.raises(HistoryError, match="shallow") as caught:
        against(shallow, "origin/main")
    assert "--unshallow" in caught.value.hint
    assert "fetch-depth: 0" in caught.value.hint
    alone = tmp_path / "alone"
    clone(past, alone, "--depth=1", "--branch=work")
    with pytest.raises(HistoryError, match="no commit called 'origin/main'") as caught:
        against(alone, "origin/main")
    assert "fetch-depth: 0" in caught.value.hint


def test_a_tree_without_its_past_in_common(past: Past) -> None:
    past.git("switch", "--quiet", "--orphan", "alone")
    past.commit("Begin again")
    with pytest.raises(HistoryError, match="no commit in common"):
        against(past.world.root, "main")


@pytest.mark.parametrize(
    "ref", ["", "-x", "--output=x", "nothing", "a b", "main\nx", "main:data", "a\0b"]
)
def test_what_is_no_commit_is_one_line(past: Past, ref: str) -> None:
    with pytest.raises(HistoryError) as caught:
        against(past.world.root, ref)
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_no_repository_and_no_git(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    root = world.write()
    with pytest.raises(HistoryError, match="in no git repository") as caught:
        against(root, "main")
    assert "git init" in caught.value.hint
    monkeypatch.setenv("PATH", "")
    with pytest.raises(HistoryError, match="no git"):
        against(root, "main")


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
    clone(past, fork, "--branch=work")
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
    clone(past, shallow, "--depth=1", "--branch=work")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    assert verify("--root", str(shallow)) == 2
    assert "fetch-depth: 0" in capsys.readouterr().err
