"""What git may do to a comparison with the base: merges, settings, odd trees."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from history.held import codes, findings, venue
from past import Past
from world import World, assertion, evidence

from registry.checks.base import against
from registry.cli.app import run
from registry.errors import HistoryError


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


def test_a_shallow_clone_says_how_to_mend_it(past: Past, tmp_path: Path) -> None:
    past.commit("Work")
    past.git("switch", "--quiet", "main")
    past.commit("Move on")
    shallow = tmp_path / "shallow"
    past.clone(shallow, "--depth=1", "--no-single-branch", "--branch=work")
    with pytest.raises(HistoryError, match="shallow") as caught:
        against(shallow, "origin/main")
    assert "--unshallow" in caught.value.hint
    assert "fetch-depth: 0" in caught.value.hint
    alone = tmp_path / "alone"
    past.clone(alone, "--depth=1", "--branch=work")
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
