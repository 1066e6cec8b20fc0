"""What each command does to a record, and what it refuses."""

from __future__ import annotations

import subprocess
from datetime import date
from pathlib import Path

import pytest
from editing.desk import SIGNED, Desk, cited, undone
from library import library
from world import evidence

from registry.trial import Trial, judge_change

DAY = date(2026, 5, 2)


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    world = library(tmp_path / "library")
    pages = {"pages": "101-113", "volume": "7", "doi": "10.5555/trees"}
    more = [
        evidence("paper/trees", "archive", observation=pages) | {"id": "archive-trees"},
        evidence("paper/osprey", "archive", observation={"pages": "11-21", "volume": "7"})
        | {"id": "osprey-scan"},
        evidence("paper/osprey", "copycat", observation={"doi": "10.5555/osprey.1"})
        | {"id": "osprey-copy"},
        evidence("paper/osprey", "archive", observation={"doi": "10.5555/OSPREY.1"})
        | {"id": "osprey-registered"},
        evidence("accelerator/kestrel-48gb", "archive", observation={"released": DAY})
        | {"id": "kestrel-archive"},
    ]
    for record in more:
        world.records[f"evidence/{record['id']}"] = record
    desk = Desk(world.write(), capsys)
    assert desk.run("verify").code == 0
    return desk


def test_a_correction_that_a_source_contradicts_is_contested(desk: Desk) -> None:
    before = desk.data("paper/trees")
    done = desk.done("correct", "trees", "pages", "101-113", *cited("archive-trees"), *SIGNED)
    after = desk.data("paper/trees")
    assert after.pop("pages") == {
        "status": "contested",
        "assertions": [
            {
                "value": "101-112",
                "rank": "deprecated",
                "recorded": date(2026, 1, 5),
                "by": "editor",
                "basis": "stated",
                "evidence": ["proceedings-trees", "index-trees"],
                "because": "Superseded: It says so.",
            },
            {
                "value": "101-113",
                "rank": "preferred",
                "recorded": DAY,
                "by": "mira",
                "basis": "stated",
                "evidence": ["archive-trees"],
                "because": "It says so.",
                "supersedes": "101-112",
            },
        ],
    }
    before.pop("pages")
    assert after == before
    assert done.err.splitlines() == [
        "paper/trees: pages is now `101-113` instead of `101-112`, contested",
        f"{len(list(desk.root.rglob('*.yaml')))} records checked: no errors, no warnings",
    ]


def test_a_first_value_enters_a_field_that_the_record_does_not_have(desk: Desk) -> None:
    desk.done("correct", "trees", "volume", "7", *cited("archive-trees"), *SIGNED)
    data = desk.data("paper/trees")
    assert data["volume"] == {
        "status": "asserted",
        "assertions": [
            {
                "value": "7",
                "rank": "preferred",
                "recorded": DAY,
                "by": "mira",
                "basis": "stated",
                "evidence": ["archive-trees"],
                "because": "It says so.",
            }
        ],
    }
    assert list(data) == [
        *("kind", "id", "title", "authors", "venue", "year", "volume", "pages", "methods")
    ]


def test_what_two_independent_sources_say_is_corroborated(desk: Desk) -> None:
    words = cited("osprey-copy", "osprey-registered")
    done = desk.done("correct", "osprey", "doi", "10.5555/osprey.1", *words, *SIGNED)
    field = desk.data("paper/osprey")["doi"]
    assert field["status"] == "corroborated"
    (held,) = field["assertions"]
    assert held["evidence"] == ["osprey-index", "osprey-copy", "osprey-registered"]
    assert held["because"] == "It says so. (mira, 2026-05-02)"
    assert held["recorded"] == date(2026, 1, 5)
    assert "2 more pieces of evidence" in done.err
    again = desk.run("correct", "osprey", "doi", "10.5555/osprey.1", *words, *SIGNED)
    assert again.code == 2
    assert "and cites this evidence" in again.err


def test_a_value_that_was_held_before_comes_back_with_what_is_known_of_it(desk: Desk) -> None:
    words = ("correct", "osprey", "pages", "11-20", *cited("osprey-index"), *SIGNED)
    desk.done(*words)
    field = desk.data("paper/osprey")["pages"]
    old, former = field["assertions"]
    assert (old["rank"], old["because"]) == (
        "preferred",
        "Cut short. It says so. (mira, 2026-05-02)",
    )
    assert (former["rank"], former["because"]) == ("deprecated", "Superseded: It says so.")
    assert field["status"] == "contested"
    assert "decision" not in field
    assert field["past_decisions"] == [
        {
            "decided": date(2026, 4, 1),
            "by": "mira",
            "because": "The volume is at hand.",
            "overruled": [{"source": "index", "value": "11-20"}],
        }
    ]
    # ... and the next decision ends up beside the first.
    desk.done("settle", "osprey", "pages", "--source", "proceedings", *SIGNED)
    desk.done("contest", "osprey", "pages", *SIGNED)
    field = desk.data("paper/osprey")["pages"]
    assert [one["decided"] for one in field["past_decisions"]] == [date(2026, 4, 1), DAY]


def test_more_evidence_does_not_unsettle_a_field(desk: Desk) -> None:
    record = evidence("paper/osprey", "forum", observation={"pages": "11-29"}) | {"id": "seen"}
    desk.path("evidence/seen").write_text(
        "\n".join(f"{key}: {value}" for key, value in record.items() if key != "confirmed")
        .replace("'", "")
        .replace("True", "true")
        .replace("{pages: 11-29}", '{pages: "11-29"}')
        .replace("{name: editor}", "{name: editor}")
        + "\nconfirmed: true\n",
        encoding="utf-8",
    )
    desk.done("correct", "osprey", "pages", "11-29", *cited("seen"), *SIGNED)
    field = desk.data("paper/osprey")["pages"]
    assert (field["status"], field["decision"]["by"]) == ("settled", "mira")


def test_a_value_that_no_evidence_states_says_what_it_was_concluded_from(desk: Desk) -> None:
    words = ("correct", "trees", "venue_track", "main", *cited("proceedings-trees"), *SIGNED)
    refused = desk.run(*words)
    assert refused.code == 2
    assert "none of the evidence says that venue_track is `main`" in refused.err
    desk.done(*words, "--inferred-from", "Its page numbers.")
    (held,) = desk.data("paper/trees")["venue_track"]["assertions"]
    assert (held["basis"], held["inferred_from"]) == ("inferred", "Its page numbers.")
    words = ("correct", "trees", "pages", "101-113", *cited("archive-trees"), *SIGNED)
    refused = desk.run(*words, "--inferred-from", "A dream.")
    assert refused.code == 2
    assert "evidence/archive-trees states `101-113`" in refused.err


def test_a_correction_can_be_contested_all_the_same(desk: Desk) -> None:
    words = ("correct", "trees", "volume", "7", *cited("archive-trees"), *SIGNED)
    desk.done(*words, "--contested-because", "Two volumes\n  share the number.")
    field = desk.data("paper/trees")["volume"]
    assert field["status"] == "contested"
    assert field["contested_because"] == "Two volumes share the number."
    assert list(field) == ["status", "contested_because", "assertions"]


@pytest.mark.parametrize(
    ("key", "field", "value", "held"),
    [
        ("trees", "authors", "Ada Abel; van Berg, Bo", "authors"),
        ("trees", "authors", '[{"given": "Ada", "family": "Abel"}]', "authors"),
        ("trees", "year", "2024", "year"),
        ("trees", "published", "2025-02-03", "published"),
        ("kestrel-48gb", "power", "305.5 W", "power"),
        ("kestrel-48gb", "peaks[0].rate", "{value: 251, unit: TFLOP/s}", "peaks"),
        ("kestrel-48gb", "released", "2026-05-02", "released"),
    ],
)
def test_a_value_is_read_by_the_type_of_its_field(
    desk: Desk, key: str, field: str, value: str, held: str
) -> None:
    source = "archive-trees" if key == "trees" else "kestrel-archive"
    words = ["correct", key, field, value, *cited(source), *SIGNED]
    if field != "released":
        words += ["--inferred-from", "A guess."]
    before = {
        "authors": [{"given": "Ada", "family": "Abel"}],
        "year": 2024,
        "published": date(2025, 2, 3),
        "power": {"value": 305.5, "unit": "W"},
        "peaks": {"value": 251, "unit": "TFLOP/s"},
        "released": DAY,
    }[held]
    if "Berg" in value:
        before = [*before, {"given": "Bo", "particle": "van", "family": "Berg"}]  # type: ignore[misc]
        words[3] = "Abel, Ada; van Berg, Bo; {The Otter Group}"
        before.append({"literal": "The Otter Group"})  # type: ignore[union-attr]
    outcome = desk.run(*words, "--contested-because", "It is a guess.")
    kind = "paper" if key == "trees" else "accelerator"
    data = desk.data(f"{kind}/{key}")
    found = data["peaks"][0]["rate"] if held == "peaks" else data[held]
    assert outcome.code == 0 or "EVD010" in outcome.err, outcome
    if outcome.code == 0:
        assert found["assertions"][-1]["value"] == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("trees", "venu", "ict"), "no tracked field 'venu' (did you mean venue"),
        (("trees", "note", "x"), "no tracked field 'note'"),
        (("method/trees", "name", "x"), "has no tracked field 'name' (it has none)"),
        (("trees", "year", "soon"), "year cannot be `soon`: input should be a valid integer"),
        (("trees", "published", "2025-02-30"), "published cannot be `2025-02-30`: expected a"),
        (
            ("trees", "doi", "doi.org"),
            "doi cannot be `doi.org`: it does not have the form of one (write it as `10.",
        ),
        (("trees", "authors", "[{given: Ada}]"), "cannot be `[{given: Ada}]` at [0].family"),
        (("trees", "authors", "[{given: Ada"), "authors cannot be `[{given: Ada`: "),
        (("trees", "affiliations", "Holt"), "write YAML"),
        (("kestrel-48gb", "power", "much"), "write an amount such as `300 W`"),
        (("kestrel-48gb", "power", "300 horses"), "at unit: input should be"),
        (("trees", "pages", "1-\x1b[31m2"), "the value of pages has the character U+001B"),
        (("trees", "pages", " "), "the value of pages is empty (write the value)"),
        (("treees", "pages", "1-2"), "no record is called 'treees' (did you mean"),
    ],
)
def test_what_is_no_field_or_no_value_is_told_on_one_line(
    desk: Desk, words: tuple[str, ...], said: str
) -> None:
    refused = desk.run("correct", *words, *cited("archive-trees"), *SIGNED)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert refused.err.count("\n") == 1


def test_what_else_is_refused_on_one_line(desk: Desk) -> None:
    words = ("correct", "trees", "volume", "7")
    for more, said in (
        ((*cited("archive-tree"), *SIGNED), "no evidence is called 'archive-tree' (did you mean"),
        ((*cited("archive-trees"), "--because", " ", "--by", "x"), "--because is empty"),
        ((*cited("archive-trees"), "--because", "x", "--by", "a\x07"), "U+0007"),
    ):
        refused = desk.run(*words, *more)
        assert refused.code == 2
        assert said in refused.err
    words = ("correct", "trees", "pages", "101-113", *cited("archive-trees"), *SIGNED)
    refused = desk.run(*words, day="2026-01-04")
    assert refused.code == 2
    assert "2026-01-04 is before the last entry of pages, which is of 2026-01-05" in refused.err


def test_an_edit_that_would_bring_an_error_is_not_written(desk: Desk) -> None:
    before = desk.path("paper/trees").read_bytes()
    # The evidence is about another paper.
    refused = desk.run("correct", "trees", "volume", "7", *cited("osprey-scan"), *SIGNED)
    assert refused.code == 1
    assert "data/papers/trees.yaml:" in refused.err
    assert "error EVD005: evidence `osprey-scan` is about paper/osprey" in refused.err
    assert refused.err.endswith("nothing was written\n")
    assert desk.path("paper/trees").read_bytes() == before


def test_an_error_that_was_there_before_keeps_nobody_from_editing(desk: Desk) -> None:
    path = desk.path("paper/trees")
    path.write_text(path.read_text(encoding="utf-8").replace("2025", "2023"), encoding="utf-8")
    assert desk.run("verify").code == 1
    words = ("correct", "trees", "year", "2025", *cited("proceedings-trees"), *SIGNED)
    done = desk.run(*words, "--contested-because", "It stood otherwise.")
    assert done.code == 0
    assert "no errors" in done.err


def test_a_dry_run_prints_the_diff_and_changes_nothing(desk: Desk) -> None:
    path = desk.path("paper/trees")
    before = path.read_bytes()
    words = ("correct", "trees", "pages", "101-113", *cited("archive-trees"), *SIGNED)
    shown = desk.run(*words, "--dry-run")
    assert (shown.code, shown.err) == (0, "")
    assert path.read_bytes() == before
    assert desk.run(*words).out == shown.out
    after = path.read_bytes()
    assert undone(shown.out, after) == before
    subprocess.run(
        ["git", "apply", "-R", "-p1"], cwd=desk.root, input=shown.out, text=True, check=True
    )
    assert path.read_bytes() == before


def test_a_file_that_is_changed_meanwhile_is_left_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.path("paper/trees")

    def slow(*arguments: object) -> Trial:
        path.write_bytes(path.read_bytes() + b"# somebody else\n")
        return judge_change(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("registry.trial.judge_change", slow)
    before = path.read_bytes()
    refused = desk.run("contest", "trees", "pages", *SIGNED)
    assert refused.code == 2
    assert "was changed meanwhile" in refused.err
    assert path.read_bytes() == before + b"# somebody else\n"


def test_the_packaged_registry_is_not_changed(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.store.root._PACKAGE", tmp_path)
    shipped = tmp_path / "_shipped"
    desk.root.rename(shipped)
    refused = Desk(shipped, desk._capsys).run("contest", "trees", "pages", *SIGNED)
    assert refused.code == 2
    assert "the registry that comes with the package is not to be changed" in refused.err


def test_a_contest_says_who_and_when_and_keeps_earlier_reasons(desk: Desk) -> None:
    desk.done("contest", "osprey", "venue", *SIGNED)
    field = desk.data("paper/osprey")["venue"]
    assert field["contested_because"] == (
        "Nobody has seen the programme of the conference. It says so. (mira, 2026-05-02)"
    )
    assert [one["rank"] for one in field["assertions"]] == ["deprecated", "preferred"]


def test_a_rival_stands_beside_the_value_in_use(desk: Desk) -> None:
    rival = ("--value", "101-113", *cited("archive-trees"))
    refused = desk.run("contest", "trees", "pages", "--value", "101-113", *SIGNED)
    assert (refused.code, "a rival value needs evidence" in refused.err) == (2, True)
    refused = desk.run("contest", "trees", "pages", *cited("archive-trees"), *SIGNED)
    assert (refused.code, "evidence belongs to a value" in refused.err) == (2, True)
    desk.done("contest", "trees", "pages", *rival, *SIGNED)
    field = desk.data("paper/trees")["pages"]
    assert [(one["value"], one["rank"]) for one in field["assertions"]] == [
        ("101-112", "preferred"),
        ("101-113", "normal"),
    ]
    assert field["status"] == "contested"
    refused = desk.run("contest", "trees", "pages", "--value", "101-112", *SIGNED)
    assert (refused.code, "is the value in use" in refused.err) == (2, True)
    refused = desk.run("contest", "trees", "code", *SIGNED)
    assert (refused.code, "says nothing of code yet" in refused.err) == (2, True)


def test_a_decision_overrules_what_a_source_says(desk: Desk) -> None:
    desk.done("correct", "trees", "pages", "101-113", *cited("archive-trees"), *SIGNED)
    words = ("settle", "trees", "pages", *SIGNED)
    for sources, said in (
        (("--source", "archive"), "archive agrees with pages"),
        (("--source", "forum"), "forum was never asked about pages"),
        (("--source", "indx"), "no source is called 'indx' (did you mean index?)"),
        (("--source", "index"), "proceedings says `101--112` as well"),
    ):
        refused = desk.run(*words, *sources)
        assert refused.code == 2
        assert said in refused.err
    desk.done(*words, "--source", "index", "--source", "proceedings")
    field = desk.data("paper/trees")["pages"]
    assert field["status"] == "settled"
    assert field["decision"] == {
        "decided": DAY,
        "by": "mira",
        "because": "It says so.",
        "overruled": [
            {"source": "index", "value": "101-112"},
            {"source": "proceedings", "value": "101--112"},
        ],
    }
    assert [one["rank"] for one in field["assertions"]] == ["deprecated", "preferred"]
    for source, said in (("proceedings", "says nothing about"), ("forum", "could not be asked")):
        refused = desk.run("settle", "osprey", "venue_track", "--source", source, *SIGNED)
        assert refused.code == 2
        assert said in refused.err or "was never asked" in refused.err


def test_a_withdrawn_record_stays_and_names_its_successor(desk: Desk) -> None:
    words = ("withdraw", "paper/trees", *SIGNED)
    for more, said in (
        (("--reason", "duplicate"), "a record that is a duplicate has a successor"),
        (("--reason", "duplicate", "--successor", "trees"), "cannot be its own successor"),
        (("--reason", "duplicate", "--successor", "osprei"), "did you mean osprey"),
    ):
        refused = desk.run(*words, *more)
        assert refused.code == 2
        assert said in refused.err
    other = desk.path("paper/osprey").read_bytes()
    desk.done(*words, "--reason", "duplicate", "--successor", "osprey")
    assert desk.data("paper/trees")["withdrawn"] == {
        "reason": "duplicate",
        "because": "It says so.",
        "by": "mira",
        "recorded": DAY,
        "successor": "paper/osprey",
    }
    assert list(desk.data("paper/trees"))[:4] == ["kind", "id", "withdrawn", "title"]
    assert desk.path("paper/osprey").read_bytes() == other
    for again in (
        desk.run("contest", "paper/trees", "pages", *SIGNED),
        desk.run(*words, "--reason", "retracted"),
        desk.run(
            "withdraw", "paper/osprey", *SIGNED, "--reason", "superseded", "--successor", "trees"
        ),
    ):
        assert again.code == 2
        assert "withdrawn" in again.err


def test_every_reason_of_the_model_is_a_reason_of_the_command() -> None:
    from typing import get_args

    from registry.cli.withdraw import Reason
    from registry.records.base import WithdrawalReason

    assert tuple(get_args(WithdrawalReason)) == tuple(Reason)
