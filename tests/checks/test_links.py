from __future__ import annotations

from datetime import date

import pytest
from world import World, assertion, tracked


def test_a_dangling_reference_names_the_nearest_ids(world: World) -> None:
    world["method/trees"]["introduced_by"] = "treees"
    (found,) = world.found()
    assert (found.code, found.field, found.line) == ("LNK001", "introduced_by", 4)
    assert "`treees`" in found.message
    assert found.hint == "did you mean trees?"


def test_a_reference_of_the_wrong_kind_is_told_apart(world: World) -> None:
    world["paper/trees"]["methods"] = ["maker"]
    (found,) = world.found("LNK001", "LNK002")
    assert found.code == "LNK002"
    assert found.message == (
        "`methods[0]` wants method/maker, which does not exist; "
        "there is `maker` of kind organization"
    )


def test_a_successor_is_of_the_same_kind(world: World) -> None:
    gone = {"reason": "duplicate", "because": "Twice.", "by": "mira", "recorded": date(2026, 2, 1)}
    world["method/trees"]["withdrawn"] = gone | {"successor": "paper/trees"}
    (found,) = world.found("LNK002")
    assert (found.record, found.field) == ("method/trees", "withdrawn.successor")
    assert found.message == "paper/trees is no method, and cannot succeed one"


def test_evidence_about_a_kind_that_does_not_exist(world: World) -> None:
    world["evidence/index-trees"]["about"] = "papers/trees"
    found = world.found("LNK001")
    assert [finding.field for finding in found] == ["about"]
    assert "paper," in found[0].hint


def test_orphans_are_information(world: World) -> None:
    (found,) = world.found("LNK003")
    # Nor does anything refer to source/copycat and venue/preprints, which serve all the same.
    assert found.record == "organization/maker"
    assert found.severity == "info"


def test_a_reference_to_a_withdrawn_record_is_a_warning(world: World) -> None:
    world["method/trees"]["withdrawn"] = {
        "reason": "duplicate",
        "because": "Entered twice.",
        "by": "editor",
        "recorded": date(2026, 2, 2),
    }
    (found,) = world.found()
    assert (found.code, found.severity, found.record) == ("LNK005", "warning", "paper/trees")


def test_a_track_must_be_one_of_the_venue(world: World) -> None:
    field = tracked("asserted", assertion("findings", because="Read on the programme."))
    world["paper/trees"]["venue_track"] = field
    (found,) = world.found()
    assert (found.code, found.field) == ("LNK006", "venue_track.assertions[0].value")
    assert "main" in found.hint


@pytest.mark.parametrize(
    ("inferred", "place"),
    [
        (None, "hardware[0].basis"),
        ([{"property": "form_factor", "value": "SXM9"}], "hardware[0].inferred[0]"),
    ],
)
def test_an_inferred_link_says_from_what(
    world: World, inferred: list[dict[str, str]] | None, place: str
) -> None:
    world.records["accelerator/x1"] = {
        "kind": "accelerator",
        "id": "x1",
        "name": "X1",
        "vendor": "maker",
        "memory_size": tracked(
            "asserted", assertion({"value": 40.0, "unit": "GB"}, because="Data sheet.")
        ),
    }
    link = {
        "accelerator": "x1",
        "used_for": "training",
        "basis": "inferred",
        "stated": {"text": "X1 (40G)", "memory_size": "40G"},
        "locator": "section 1",
        "evidence": ["proceedings-trees"],
        "recorded": date(2026, 1, 1),
        "by": "editor",
    }
    world["paper/trees"]["hardware"] = [link | ({"inferred": inferred} if inferred else {})]
    (found,) = world.found()
    assert (found.code, found.field) == ("LNK004", place)


def test_evidence_about_a_withdrawn_record_stays_about_it(world: World) -> None:
    world["paper/trees"]["withdrawn"] = {
        "reason": "retracted",
        "because": "The volume says so.",
        "by": "editor",
        "recorded": date(2026, 2, 3),
    }
    found = [finding.file for finding in world.found("LNK005")]
    assert found == ["data/methods/trees.yaml"]


def _withdrawn(successor: str = "") -> dict[str, object]:
    said = {
        "reason": "superseded",
        "because": "There is another.",
        "by": "editor",
        "recorded": date(2026, 2, 2),
    }
    return said | ({"successor": successor} if successor else {})


def test_successors_that_lead_back_are_told_of_each_that_is_led_back_to(world: World) -> None:
    keys = ["paper/trees", "method/trees", "venue/ict", "source/copycat"]
    assert set(keys) <= set(world.records)
    for key, other in zip(keys, [*keys[1:3], keys[0], keys[0]], strict=True):
        world[key]["withdrawn"] = _withdrawn(other)
    found = world.found("LNK007")
    assert {one.record for one in found} == set(keys[:3])  # the fourth leads there, not back
    assert {one.field for one in found} == {"withdrawn.successor"}
    (first,) = (one for one in found if one.record == keys[0])
    assert first.message == (
        "the successors lead back: paper/trees -> method/trees -> venue/ict -> paper/trees"
    )
    world[keys[2]]["withdrawn"] = _withdrawn()
    assert world.found("LNK007") == []  # whatever the run before remembers
    world[keys[2]]["withdrawn"] = _withdrawn(keys[2])
    assert [one.record for one in world.found("LNK007")] == [keys[2]]


def test_a_reference_to_a_withdrawn_record_is_told_where_to_lead(world: World) -> None:
    world["method/trees"]["withdrawn"] = _withdrawn()
    (found,) = world.found("LNK005")
    assert found.hint.startswith("it has no successor; ")
    world["method/trees"]["withdrawn"] = _withdrawn("paper/trees")
    (found,) = world.found("LNK005")
    assert found.hint == "use its successor, paper/trees"
