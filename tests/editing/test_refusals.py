"""What the editing commands take for a record and for a value, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
from editing.desk import SIGNED, Desk, cited
from library import library
from world import evidence

from registry.cli.app import run


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    world = library(tmp_path / "library")
    record = evidence("paper/trees", "archive", observation={"pages": "101-113", "volume": "7"})
    world.records["evidence/archive-trees"] = record | {"id": "archive-trees"}
    desk = Desk(world.write(), capsys)
    assert desk.run("verify").code == 0
    return desk


def refusal(desk: Desk, *words: str) -> str:
    """The one line with which a command refuses what it was asked for."""
    before = {path: path.read_bytes() for path in desk.root.rglob("*.yaml")}
    refused = desk.run(*words)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("registry: ")
    assert refused.err.count("\n") == 1
    assert {path: path.read_bytes() for path in desk.root.rglob("*.yaml")} == before
    return refused.err


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("authors", ";", "authors cannot be `;`: the list is empty (write `Given Family; Given"),
        ("authors", " ; ;", "the list is empty"),
        ("authors", "[]", "the list is empty"),
        ("authors", "{}", "the list is empty"),
        ("authors", "{--}; Ada Abel", "`–` has no letter or digit"),
        ("authors", "[{family: '~'}]", "`~` has no letter or digit"),
        ("authors", "Ada Abel; ~; Bo Berg", "`~` has no letter or digit"),
        ("authors", "Ada Abel and others", "it ends before the line does (name them all)"),
        (
            "authors",
            "{family: Abel}",
            "authors cannot be `{family: Abel}`: a list is wanted (write",
        ),
        ("title", "~", "title cannot be `~`: `~` has no letter or digit"),
        ("title", "$$", "has no letter or digit"),
        ("title", r"\textbf{}", "has no letter or digit"),
        ("title", "\u200b", "has no letter or digit"),
        ("title", "Draft\nTrees", "the value of title has a line break in it (put a space"),
        ("title", "Draft\tTrees", "the value of title has a tab in it (put a space in its place)"),
        ("pages", "1\t2", "the value of pages has a tab in it"),
        ("title", "", "the value of title is empty (write the value)"),
        ("venue", "ICT 2025", "does not have the form of one (name the id of a record in data/ve"),
        ("doi", "https://doi.org/10.5555/x", "(write it as `10.18653/v1/...`, without an address"),
        ("affiliations", "{author: 1}", "a list is wanted (write `[{author: 1, printed: Its Na"),
        ("year", "soon", "(write four digits, such as `2024`)"),
        ("pages", "1-", "pages cannot be `1-`: they lack an end (write a range such as"),
        ("pages", "–112", "they lack an end"),
        ("authors", "Ada Abel, Bo Berg, Cy Cole", "`Ada Abel, Bo Berg, Cy Cole` is not one name"),
        ("authors", "Ada Abel, Bo Berg, Cy Cole, Di Dunn", "commas do not part names"),
        ("authors", "Ada Abel, Bo Berg and Cy Cole", "`Ada Abel, Bo Berg` is not one name like"),
        ("authors", "Ada Abel, Bo Berg, and Cy Cole", "a comma beside which nothing stands"),
        ("authors", "Ada Abel & Bo Berg", "`Ada Abel & Bo Berg` is not a name"),
        ("authors", "and and and", "`and` is not a name"),
        ("authors", "and Bo Berg", "`and Bo Berg` is not a name"),
    ],
)
def test_a_value_that_is_none_is_refused_with_how_to_write_it(
    desk: Desk, field: str, value: str, said: str
) -> None:
    words = ("paper/trees", field, value, *cited("archive-trees"), *SIGNED)
    assert said in refusal(desk, "correct", *words)


@pytest.mark.parametrize("value", ["1e999 W", "9" * 400 + " W", "9" * 5000 + " W", "1.5e400W"])
def test_a_number_may_be_too_large(desk: Desk, value: str) -> None:
    words = ("kestrel-48gb", "power", value, *cited("kestrel-index"), *SIGNED)
    assert "the number is too large" in refusal(desk, "correct", *words)


@pytest.mark.parametrize(
    "line",
    [
        *("Ada Abel and Bo van Berg", "Abel, Ada; van Berg, Bo", "Ada Abel and van Berg, Bo;"),
        *("Ada Abel; van Berg, Bo", "Abel, Ada and Bo van Berg"),
    ],
)
def test_names_are_told_apart_by_semicolons_and_by_and(desk: Desk, line: str) -> None:
    words = ("paper/trees", "authors", line, *cited("proceedings-trees"), *SIGNED)
    # It is what the record holds already, so nothing but the evidence could be added.
    assert "cites this evidence" in refusal(desk, "correct", *words)


def test_a_group_keeps_what_stands_in_its_braces(desk: Desk) -> None:
    words = ("paper/trees", "authors", "{Trees and Woods; Inc.}; Ada Abel")
    ground = ("--inferred-from", "A guess.")
    done = desk.run("correct", *words, *cited("archive-trees"), *SIGNED, *ground, "--dry-run")
    assert "literal: Trees and Woods; Inc." in done.out
    assert "family: Abel" in done.out


def test_an_empty_rival_is_not_taken_for_none(desk: Desk) -> None:
    words = ("contest", "paper/trees", "pages", "--value", "", *SIGNED)
    assert "the value of pages is empty" in refusal(desk, *words)


@pytest.mark.parametrize("command", ["correct", "contest", "settle", "withdraw"])
def test_no_beginning_of_an_id_is_enough_to_change_a_record(desk: Desk, command: str) -> None:
    words = {
        "correct": ("pages", "101-113", *cited("archive-trees")),
        "contest": ("pages",),
        "settle": ("pages", "--source", "index"),
        "withdraw": ("--reason", "not-a-paper"),
    }[command]
    said = refusal(desk, command, "paper/tre", *words, *SIGNED)
    assert (
        "no record is called 'paper/tre' (to change a record, write its whole id: paper/tr" in said
    )


def test_of_several_kinds_the_one_with_the_field_is_meant(desk: Desk) -> None:
    assert desk.path("method/trees").exists()
    words = ("pages", "101-113", *cited("archive-trees"), *SIGNED)
    assert "a/data/papers/trees.yaml" in desk.run("correct", "trees", *words, "--dry-run").out
    for name in ("paper/trees", "papers/trees", "data/papers/trees.yaml"):
        assert desk.run("correct", name, *words, "--dry-run").code == 0
    assert "no tracked field 'pagis'" in refusal(desk, "contest", "trees", "pagis", *SIGNED)


def test_a_withdrawal_names_one_record(desk: Desk) -> None:
    words = ("--reason", "superseded", *SIGNED, "--successor")
    said = refusal(desk, "withdraw", "trees", *words, "paper/osprey")
    assert "'trees' means several records (write one of paper/trees, method/trees)" in said
    assert "whole id: paper/osprey" in refusal(desk, "withdraw", "paper/trees", *words, "paper/osp")


def test_a_withdrawal_tells_of_whom_the_record_was_to_succeed(desk: Desk) -> None:
    words = ("--reason", "superseded", "--successor", "osprey", *SIGNED)
    assert "\nwarning: " not in f"\n{desk.done('withdraw', 'paper/trees', *words).err}"
    gone = desk.run("withdraw", "paper/osprey", "--reason", "retracted", *SIGNED)
    assert (
        "warning: paper/trees was withdrawn in favour of paper/osprey, which no longer counts "
        "either\n"
    ) in gone.err


def test_days_in_quotes_are_days(desk: Desk) -> None:
    path = desk.path("paper/osprey")
    text = path.read_text("utf-8")
    for key in ("recorded", "decided"):
        text = text.replace(f"{key}: 2026", f'{key}: "2026')
    quoted = "\n".join(
        f'{line}"' if ': "2026' in line and not line.endswith('"') else line
        for line in text.split("\n")
    )
    assert quoted.count('"2026') > 5
    path.write_text(quoted, "utf-8")
    assert desk.run("verify").code == 0
    desk.done("contest", "paper/osprey", "pages", *SIGNED)
    desk.done("settle", "paper/osprey", "pages", "--source", "index", *SIGNED)
    before = desk.run("contest", "paper/osprey", "pages", *SIGNED, day="2025-01-01")
    assert "is before the last entry of pages" in before.err


def test_what_was_said_once_is_not_said_again(desk: Desk) -> None:
    settled = ("settle", "paper/osprey", "pages", "--source", "index", *SIGNED)
    desk.done(*settled)
    assert "pages is settled so already" in refusal(desk, *settled)
    other = ("--because", "Another reason.", "--by", "mira")
    desk.done("settle", "paper/osprey", "pages", "--source", "index", *other)
    contested = ("contest", "paper/osprey", "venue", *SIGNED)
    desk.done(*contested)
    assert "contested for this reason already" in refusal(desk, *contested)
    later = desk.run(*contested, day="2026-05-03")
    assert (later.code, "for this reason already" in later.err) == (2, True)
    rival = ("contest", "paper/trees", "pages", "--value", "101-113", *cited("archive-trees"))
    desk.done(*rival, *SIGNED)
    once = desk.data("paper/trees")["pages"]
    assert "contested for this reason already" in refusal(desk, *rival, *SIGNED)
    desk.done(*rival, "--because", "It says so still.", "--by", "mira")
    twice = desk.data("paper/trees")["pages"]
    assert twice["assertions"] == once["assertions"]
    assert twice["contested_because"] == (
        "It says so. (mira, 2026-05-02); It says so still. (mira, 2026-05-02)"
    )


@pytest.mark.parametrize(
    ("option", "said"),
    [("--by", "--by is empty (say who, such as a name)"), ("--because", "(say it in a sentence)")],
)
def test_an_empty_option_says_what_it_wants(desk: Desk, option: str, said: str) -> None:
    assert said in refusal(desk, "contest", "paper/trees", "pages", *SIGNED, option, " ")


def test_a_line_that_may_be_two_names_is_told(desk: Desk) -> None:
    words = ("correct", "paper/trees", "authors", "--inferred-from", "A guess.", "--dry-run")
    proof = cited("archive-trees")
    for line, name in (
        ("Soto Lara, Ana Mia", "Ana Mia Soto Lara"),
        ("Bo Berg, Ada Abel", "Ada Abel Bo Berg"),
    ):
        told = desk.run(*words, line, *proof, *SIGNED)
        assert told.code == 0
        assert told.err == (
            f"warning: `{line}` is read as one author, `{name}`; of two, write `;` between them\n"
        )
    for line in ("van der Berg, Bo Ben", "{Soto Lara}, Ana Mia", "Abel, Ada", "Abel, Jr., Ada"):
        told = desk.run(*words, line, *proof, *SIGNED)
        assert (told.code, told.err) == (0, "")


def test_a_record_is_succeeded_by_one_of_its_kind(desk: Desk) -> None:
    words = ("withdraw", "method/trees", "--reason", "superseded", "--successor", "paper/osprey")
    assert "paper/osprey is no method, and cannot succeed one" in refusal(desk, *words, *SIGNED)


def test_a_contest_that_no_source_shares_is_settled_without_one(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("settle", "paper/trees", "title", *SIGNED)
    assert "is not contested, and no source says anything else" in refusal(desk, *words)
    desk.done("contest", "paper/trees", "title", *SIGNED)
    named = refusal(desk, *words, "--source", "index")
    assert "index agrees with title (no source says anything else, so that none is" in named
    done = desk.done(*words)
    assert "paper/trees: title is settled\n" in done.err
    field = desk.data("paper/trees")["title"]
    assert field["status"] == "settled"
    assert field["decision"]["overruled"] == []
    assert field["contested_because"] == "It says so. (mira, 2026-05-02)"
    assert "title is settled so already" in refusal(desk, *words)
    capsys.readouterr()
    run(["show", "paper/trees", "--root", str(desk.root)])
    assert "Overruled" not in capsys.readouterr().out
    # Where a source says something else, it is named.
    desk.done("correct", "trees", "pages", "101-113", *cited("archive-trees"), *SIGNED)
    said = refusal(desk, "settle", "paper/trees", "pages", *SIGNED)
    assert "(name it with --source index)" in said
