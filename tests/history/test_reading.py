"""``registry diff`` and ``registry log``: what changed in meaning, and how a fact came about."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt
from past import Past
from world import World, assertion, evidence

from registry.cli.app import run

Tell = Callable[..., str]


@pytest.fixture
def past(world: World) -> Past:
    """A correction like the one of EAGLE's venue, committed on a branch."""
    world["paper/trees"]["venue"] = {
        "status": "asserted",
        "assertions": [
            assertion("preprints", because="No index names another.", recorded=date(2026, 1, 3))
        ],
    }
    begun = Past.begin(world)
    begun.git("switch", "--quiet", "--create", "work")
    field = world["paper/trees"]["venue"]
    field["assertions"][0] |= {"rank": "deprecated", "because": "Silence was taken for absence."}
    field["assertions"].append(
        assertion(
            "ict",
            "proceedings-trees",
            "index-trees",
            because="The volume has it.",
            recorded=date(2026, 2, 1),
            supersedes="preprints",
        )
    )
    field |= {"status": "contested", "contested_because": "One editor only."}
    begun.commit("Correct the venue", day="2026-02-03")
    return begun


@pytest.fixture
def tell(past: Past, capsys: pytest.CaptureFixture[str]) -> Tell:
    """What a command prints about the registry of ``past``."""

    def told(*words: str, code: int = 0) -> str:
        capsys.readouterr()
        try:
            ended = run([*words, "--root", str(past.world.root)])
        except SystemExit as end:
            ended = int(end.code or 0)
        said = capsys.readouterr()
        assert ended == code, said.err
        return said.out if code == 0 else said.err

    return told


def test_a_correction_is_one_line(tell: Tell) -> None:
    printed = tell("diff", "main..work")
    assert printed.splitlines() == [
        "  paper/trees  Draft Trees: A Study",
        "    venue  preprints -> ict, status asserted -> contested, evidence +2",
        "1 record: 1 changed.",
    ]


def test_every_way_to_name_two_states(tell: Tell, past: Past) -> None:
    same = tell("diff", "main..work")
    assert tell("diff") == same  # main is the default branch
    assert tell("diff", "main") == same
    assert tell("diff", "main...work") == same
    assert tell("diff", "main..") == same
    assert tell("diff", "work..main") != same
    assert tell("diff", "HEAD") == "Nothing changed in meaning.\n"
    past.git("switch", "--quiet", "main")
    past.edit("method/trees", "Drafts trees.", "Drafts more trees.")
    past.commit_files("Move on")
    assert "method/trees" in tell("diff", "main..work")
    assert tell("diff", "main...work") == same


def test_another_layout_is_no_change(tell: Tell, past: Past) -> None:
    for file in (past.world.root / "data").rglob("*.yaml"):
        data = yaml.safe_load(file.read_text("utf-8"))
        turned = dict(reversed(list(data.items())))
        text = yaml.safe_dump(turned, sort_keys=False, default_flow_style=True, width=50)
        file.write_text(f"# another layout\n\n{text}", "utf-8")
    assert tell("diff", "HEAD") == "Nothing changed in meaning.\n"
    past.commit_files("Lay out anew")
    assert "no change in meaning" in tell("log", "paper/trees")
    assert "Lay out anew" not in tell("log", "paper/trees", "venue")


def test_records_that_come_and_go(tell: Tell, past: Past) -> None:
    records = past.world.records
    records["evidence/more"] = evidence("paper/trees", "index") | {"id": "more"}
    records["method/trees"]["withdrawn"] = {
        "reason": "duplicate",
        "because": "Twice.",
        "by": "mira",
        "recorded": date(2026, 2, 2),
        "successor": "method/trees-two",
    }
    records["method/trees-two"] = copy.deepcopy(records["method/trees"]) | {"id": "trees-two"}
    del records["method/trees-two"]["withdrawn"]
    past.world.write()
    past.file("source/copycat").unlink()
    past.file("organization/maker").rename(past.file("organization/makers"))
    past.file("venue/ict").write_text("name: [", "utf-8")
    printed = tell("diff", "HEAD")
    for line in (
        "+ evidence/more  index on paper/trees  (new)",
        "+ method/trees-two  Trees  (new)",
        "x method/trees  Trees  (withdrawn)\n    duplicate: Twice.\n    use method/trees-two inst",
        "- source/copycat  Copycat  (gone)",
        "~ organization/makers  Maker  (was organization/maker)",
        "? venue/ict  International Conference on Trees  (unreadable)",
        "6 records: 2 new, 1 withdrawn, 1 renamed, 1 gone, 1 unreadable.",
    ):
        assert line in printed


def test_a_value_of_a_claim(tell: Tell, past: Past) -> None:
    claim = {
        "id": "speedup",
        "statement": "Twice as fast.",
        "metric": "speedup",
        "value": 2.0,
        "unit": "x",
        "version": "v1",
        "locator": "Abstract",
        "origin": "authors",
        "evidence": ["index-trees"],
    }
    claims = {"kind": "claims", "id": "trees", "paper": "trees", "claims": [claim]}
    past.world.records["claims/trees"] = claims
    past.commit("Claim")
    claim["value"] = 3.0
    claims["claims"] = [claim | {"id": "other", "statement": "Thrice."}, claim]
    past.world.write()
    printed = tell("diff", "HEAD")
    assert "claims[speedup].value  2 -> 3" in printed
    assert "claims[other]          Thrice. (new)" in printed


def test_json_for_programs(tell: Tell) -> None:
    document = json.loads(tell("diff", "main..work", "--format", "json"))
    assert document["compared"] == "main -> work"
    (record,) = document["records"]
    assert (record["record"], record["state"]) == ("paper/trees", "changed")
    (field,) = record["fields"]
    assert (field["field"], field["before"], field["after"]) == ("venue", "preprints", "ict")
    assert "evidence +2" in field["notes"]


def test_markdown_shows_a_value_and_never_obeys_it(tell: Tell, past: Past) -> None:
    evil = "<img src=x onerror=alert(1)> | [x](javascript:y) `code` @everyone **b** \x1b[31m\nx"
    held = past.world["paper/trees"]["title"]["assertions"]
    held[0] |= {"rank": "deprecated", "because": "Misread."}
    held.append(assertion(evil, because="<script>"))
    past.world.write()
    printed = tell("diff", "HEAD", "--format", "markdown")
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(printed)
    assert html.count("<table>") == 1
    assert html.count("<tr>") == 2
    for tag in ("<img", "<script", "<a ", "<strong", "<code", "\x1b", "@everyone"):
        assert tag not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert "\x1b" not in tell("diff", "HEAD")


def test_a_comment_holds_no_more_than_it_can(tell: Tell, past: Past) -> None:
    for number in range(2000):
        name = f"more-{number:04}-{'x' * 30}"
        past.world.records[f"evidence/{name}"] = evidence("paper/trees", "index") | {"id": name}
    past.world.write()
    printed = tell("diff", "HEAD", "--format", "markdown")
    assert len(printed) < 65_536
    assert "Left out, because a comment holds no more" in printed


def test_a_life_in_order_from_the_record_and_from_git(tell: Tell, past: Past) -> None:
    events = json.loads(tell("log", "trees", "venue", "--format", "json"))["events"]
    told = [(event["day"], event["told_by"], event["what"]) for event in events]
    assert told == [
        ("2026-01-03", "record", "venue: preprints entered (now deprecated)"),
        ("2026-02-01", "record", "venue: ict entered, supersedes preprints (now preferred)"),
        ("2026-02-03", "git", "Correct the venue"),
        ("2026-03-01", "git", "Begin"),
    ]
    assert events[1]["by"] == "editor"
    assert events[1]["details"] == [
        "because: The volume has it.",
        "evidence: proceedings-trees, index-trees",
    ]
    assert events[2]["by"] == "Mira Editor"
    assert events[2]["commit"] == past.git("rev-parse", "work")[:10]
    assert events[2]["details"][0].startswith("venue: preprints -> ict, status asserted -> contest")


def test_a_life_goes_on_through_a_rename_and_what_is_not_committed(tell: Tell, past: Past) -> None:
    past.file("paper/trees").rename(past.file("paper/bushes"))
    past.edit("paper/bushes", "id: trees\n", "id: bushes\n")
    past.commit_files("Rename", day="2026-04-01")
    past.edit("paper/bushes", "value: 2025", "value: 2024")
    printed = tell("log", "bushes")
    assert "renamed from data/papers/trees.yaml" in printed
    assert "the record is new" in printed
    assert "now         git  not committed yet\n" in printed
    assert "year: 2025 -> 2024, edited in place" in printed


def test_decisions_and_withdrawals_belong_to_a_life(tell: Tell, past: Past) -> None:
    paper = past.world["paper/trees"]
    paper["venue"]["past_decisions"] = [
        {
            "decided": date(2026, 1, 20),
            "by": "noor",
            "because": "Asked the chair.",
            "overruled": [{"source": "index", "value": "CoRR"}],
        }
    ]
    paper["withdrawn"] = {
        "reason": "duplicate",
        "because": "Twice.",
        "by": "mira",
        "recorded": date(2026, 2, 2),
    }
    past.world.write()
    lines = [line[:45].rstrip() for line in tell("log", "paper/trees").splitlines()]
    heads = [line for line in lines if line[:1].isdigit()]
    assert heads.index("2026-01-20  record  venue: decided, by noor") < heads.index(
        "2026-02-02  record  withdrawn: duplicate, by"
    )
    assert "2026-02-02" not in tell("log", "paper/trees", "venue")


def test_without_git_the_record_still_tells(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_code("log", "trees", "venue", "--root", str(world.write())) == 0
    said = capsys.readouterr()
    assert said.out.startswith(
        "2026-01-05  record  venue: ict entered (now preferred), by editor\n"
    )
    assert "only what the record tells" in said.err
    assert run_code("diff", "--root", str(world.root)) == 2
    assert "in no git repository" in capsys.readouterr().err


def run_code(*words: str) -> int:
    try:
        return run(list(words))
    except SystemExit as end:
        return int(end.code or 0)


def test_what_is_asked_wrongly_is_one_line(tell: Tell) -> None:
    assert "did you mean venue" in tell("log", "trees", "vanue", code=2)
    assert "no record is called" in tell("log", "tree-house", code=2)
    assert "no commit called 'nothing'" in tell("diff", "nothing..work", code=2)
    assert "cannot be the name of a commit" in tell("diff", "main..--output=x", code=2)


@pytest.fixture
def sides(past: Past) -> Past:
    """Two branches, of which one corrects the year and the other the pages."""
    past.git("switch", "--quiet", "main")
    past.git("switch", "--quiet", "--create", "pages")
    past.edit("paper/trees", "value: 101-112", "value: 101-113")
    past.commit_files("Correct the pages", day="2026-04-01")
    past.git("switch", "--quiet", "main")
    past.git("switch", "--quiet", "--create", "year")
    past.edit("paper/trees", "value: 2025", "value: 2024")
    past.commit_files("Correct the year", day="2026-04-02")
    return past


def test_an_ordinary_merge_is_no_event_and_leaves_nothing_uncommitted(
    tell: Tell, sides: Past
) -> None:
    sides.git("merge", "--quiet", "--no-ff", "-m", "Join", "pages", day="2026-04-03")
    assert sides.git("status", "--porcelain") == ""
    printed = tell("log", "paper/trees")
    for subject in ("Begin", "Correct the pages", "Correct the year"):
        assert printed.count(subject) == 1
    assert "Join" not in printed
    assert "not committed" not in printed


def test_a_merge_that_drops_a_side_tells_it(tell: Tell, sides: Past) -> None:
    words = ("--no-ff", "--strategy=ours", "-m", "Join by ours")
    sides.git("merge", "--quiet", *words, "pages", day="2026-04-03")
    events = json.loads(tell("log", "paper/trees", "--format", "json"))["events"]
    told = [(event["what"], event["details"]) for event in events if event["told_by"] == "git"]
    assert told[-1] == ("Join by ours", ["pages: 101-113 -> 101-112, edited in place"])
    assert "not committed" not in tell("log", "paper/trees")


def test_a_merge_that_changes_a_record_itself_tells_it(tell: Tell, sides: Past) -> None:
    sides.git("merge", "--quiet", "--no-ff", "--no-commit", "pages")
    sides.edit("paper/trees", "value: 'Draft Trees: A Study'", "value: Trees")
    sides.git("commit", "--quiet", "--all", "-m", "Join and more", day="2026-04-03")
    lines = tell("log", "paper/trees", "title").splitlines()
    joined = next(at for at, line in enumerate(lines) if "Join and more" in line)
    assert lines[joined + 1].strip() == "title: Draft Trees: A Study -> Trees, edited in place"
    assert "Join and more" not in tell("log", "paper/trees", "year")


def test_what_is_not_committed_is_held_against_head(tell: Tell, sides: Past) -> None:
    sides.git("merge", "--quiet", "--no-ff", "-m", "Join", "pages")
    sides.edit("paper/trees", "value: 101-113", "value: 101-114")
    printed = tell("log", "paper/trees", "pages")
    assert printed.endswith("pages: 101-113 -> 101-114, edited in place\n")
    sides.world.records["evidence/more"] = evidence("paper/trees", "index") | {"id": "more"}
    sides.world.write()
    assert tell("log", "evidence/more").splitlines()[-2:] == [
        "now         git  not committed yet",
        "                    the record is new",
    ]


def test_a_shallow_clone_does_not_take_its_end_for_a_beginning(
    past: Past, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shallow = tmp_path / "shallow"
    past.git("clone", "--quiet", "--depth=1", past.folder.as_uri(), str(shallow))
    assert run_code("log", "paper/trees", "--root", str(shallow)) == 0
    said = capsys.readouterr()
    assert "this clone is shallow" in said.err
    assert "fetch --unshallow" in said.err
    assert "the record is new" not in said.out
    assert "the history of this clone begins here" in said.out


def test_a_field_of_a_record_that_cannot_be_read(tell: Tell, past: Past) -> None:
    past.file("paper/trees").write_text("title: [\n", "utf-8")
    said = tell("log", "paper/trees", "nope", code=2)
    assert "cannot be read as a record" in said
    assert "registry verify paper/trees" in said
    assert "it has )" not in said
