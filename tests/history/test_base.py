"""What a change of a record may do, and what is found when it does more."""

from __future__ import annotations

import copy
import re
from datetime import date
from typing import Any

import pytest
import yaml
from history.held import codes, findings, venue
from past import Past
from world import assertion, evidence


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


def test_what_was_edited_is_shown_as_it_was_and_is(past: Past) -> None:
    seen = past.world["evidence/index-trees"]["observation"]
    seen["year"] = 1998
    seen["title"] = f"{'Draft Trees: A Study '}of many {'very ' * 20}tall trees"
    past.commit("Edit")
    past.git("branch", "edited")
    seen["year"] = 1999
    seen["title"] = seen["title"].replace("tall", "small")
    del seen["pages"]
    seen["volume"] = "7"
    past.commit("Edit again")
    told = {one.field: one.message for one in findings(past, "edited")}
    assert told == {
        "observation.year": "observation.year was `1998` and is `1999`",
        "observation.title": "observation.title was `...very very very very tall trees` and is "
        "`...very very very very small trees`",
        "observation.pages": "observation.pages was `101-112` and is gone",
        "observation.volume": "observation.volume was not there and is `7`",
    }


@pytest.mark.parametrize("word", [".inf", "2" * 29, "2026-02-31", "0x1F"])
def test_a_word_that_is_no_value_is_shown_as_it_stands(past: Past, word: str) -> None:
    past.edit("paper/trees", "value: 2025", f"value: {word}")
    (found,) = [one for one in findings(past) if one.code == "BAS003"]
    assert found.message.endswith(f"value was `2025` and is `{word}`")


def test_a_record_that_is_gone_comes_with_the_command_that_restores_it(past: Past) -> None:
    held = past.file("evidence/index-trees").read_bytes()
    past.file("evidence/index-trees").unlink()
    (found,) = [one for one in findings(past) if one.code == "BAS001"]
    command = re.search(
        r"`git (checkout [0-9a-f]{10} -- data/evidence/index-trees.yaml)`", found.hint
    )
    assert command is not None
    past.git(*command[1].split())
    assert past.file("evidence/index-trees").read_bytes() == held


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
