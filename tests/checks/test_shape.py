from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from world import World


def replace(world: World, old: str, new: str, file: str = "papers/trees.yaml") -> None:
    """Write the world, then edit the text of one file, as a person would."""
    path = world.write() / "data" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    world.records.clear()


PAGES, VALUE = "value: 101-112", "pages.assertions[0].value"


@pytest.mark.parametrize(
    ("old", "new", "code", "field", "words"),
    [
        ("family: Abel", "family: No", "SHP002", "authors.assertions[0].value[0].family", '"No"'),
        (
            "value: 101-112",
            "value: 2401.15070",
            "SHP002",
            "pages.assertions[0].value",
            "2401.15070",
        ),
        (PAGES, "value: 010", "SHP002", VALUE, '"010"'),
        (PAGES, "value: 12:30", "SHP002", VALUE, '"12:30"'),
        (
            "value: 101-112",
            "value: 2024-07-08",
            "SHP002",
            "pages.assertions[0].value",
            "2024-07-08",
        ),
        (PAGES, "value: 1.10", "SHP002", VALUE, '"1.10"'),
        ("value: 2025", 'value: "2025"', "SHP001", "year.assertions[0].value", "whole number"),
        ("value: 2025", "value: 2025.5", "SHP001", "year.assertions[0].value", "whole number"),
        ("status: corroborated", "status: agreed", "SHP005", "title.status", "settled"),
        (
            "recorded: 2026-01-05",
            "recorded: January",
            "SHP005",
            "title.assertions[0].recorded",
            "day",
        ),
        ("rank: preferred", "ranks: preferred", "SHP004", "title.assertions[0].ranks", "rank"),
        ("    by: editor\n", "", "SHP003", "title.assertions[0]", "`by`"),
        ("methods:", "metods:", "SHP004", "metods", "methods"),
        ("kind: paper", "kind: papers", "SHP006", "kind", "`paper`"),
        ("id: trees", "id: Trees", "SHP006", "id", "`trees`"),
        ("methods:\n- trees", "methods: trees", "SHP001", "methods", "a list"),
    ],
)
def test_each_fault_is_named_with_its_place(
    world: World, old: str, new: str, code: str, field: str, words: str
) -> None:
    replace(world, old, new)
    text = (world.root / "data/papers/trees.yaml").read_text(encoding="utf-8").splitlines()
    found = [f for f in world.found() if f.file == "data/papers/trees.yaml"]
    chosen = [f for f in found if (f.code, f.field) == (code, field)]
    assert len(chosen) == 1, found
    assert words in chosen[0].message + chosen[0].hint
    if new and code != "SHP003":
        assert new.split("\n")[0].split(":")[0] in text[chosen[0].line - 1]


def test_the_true_text_of_an_unquoted_id_is_shown_never_a_changed_one(world: World) -> None:
    replace(world, "value: 101-112", "value: 2401.15070")
    said = " ".join(f.message + f.hint for f in world.found("SHP002"))
    assert '"2401.15070"' in said
    assert "2401.1507 " not in said
    assert "2401.1507`" not in said


def test_every_fault_of_a_record_comes_at_once(world: World) -> None:
    paper = world["paper/trees"]
    paper["year"]["assertions"][0]["value"] = "2025"
    paper["title"]["status"] = "agreed"
    paper["unknown"] = 1
    assert {f.code for f in world.found() if f.record == "paper/trees"} == {
        "SHP001",
        "SHP004",
        "SHP005",
    }


def test_one_bad_file_never_hides_the_others(world: World) -> None:
    root = world.write()
    (root / "data/papers/trees.yaml").write_bytes(b"\xff\xfe\x00")
    (root / "data/methods/trees.yaml").write_text("kind: [\n", encoding="utf-8")
    world.records.clear()
    files = {finding.file for finding in world.found() if finding.code.startswith("YML")}
    assert files == {"data/papers/trees.yaml", "data/methods/trees.yaml"}


Place = Callable[[World], Any]


def test_misplaced_files_are_told(world: World) -> None:
    root = world.write()
    (root / "data/papers/notes.txt").write_text("x", encoding="utf-8")
    (root / "data/papers/deep").mkdir()
    (root / "data/nonsense").mkdir()
    (root / "data/papers/.hidden").write_text("x", encoding="utf-8")
    found = world.found("FIL001")
    assert {finding.file for finding in found} == {
        "data/papers/notes.txt",
        "data/papers/deep",
        "data/nonsense",
    }


def test_a_link_out_of_the_root_is_not_followed(world: World) -> None:
    root = world.write()
    secret = root.parent / "secret.yaml"
    secret.write_text("kind: paper\nid: secret\n", encoding="utf-8")
    (root / "data/papers/secret.yaml").symlink_to(secret)
    (root / "data/models").symlink_to(root.parent)
    (root / "data/papers/nowhere.yaml").symlink_to(root / "data/papers/none.yaml")
    (root / "data/papers/twin.yaml").symlink_to(root / "data/papers/trees.yaml")
    report = world.report()
    outside = {finding.file for finding in report.findings if finding.code == "FIL002"}
    assert outside == {"data/papers/secret.yaml", "data/papers/nowhere.yaml", "data/models"}
    assert "secret" not in {finding.record for finding in report.findings}
    # A link that stays inside is read; its id then differs from its file name.
    twin = [f.code for f in report.findings if f.file == "data/papers/twin.yaml"]
    assert twin == ["SHP006"]


def test_a_key_that_stands_at_the_wrong_place_is_not_its_own_correction(world: World) -> None:
    world["method/trees"]["venue"] = "ict"
    (found,) = world.found("SHP004")
    assert found.message == "unknown key `venue`"
    assert "venue?" not in found.hint
    del world["method/trees"]["venue"]
    world["method/trees"]["summery"] = "Trees."
    (found,) = world.found("SHP004")
    assert found.hint == "did you mean summary?"
