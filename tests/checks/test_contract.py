from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from world import World, assertion, tracked

OLD = assertion(
    "preprints", rank="deprecated", because="Was a preprint.", recorded=date(2025, 9, 1)
)
NEW = assertion("ict", "proceedings-trees", "index-trees", supersedes="preprints")


def contested(*assertions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return tracked("contested", *assertions, **more)


def test_the_small_world_is_clean(world: World) -> None:
    assert world.found() == []


def test_a_contested_field_with_both_values_is_only_information(world: World) -> None:
    world["paper/trees"]["venue"] = contested(OLD, NEW)
    report = world.report()
    assert not report.failed
    assert [finding.code for finding in report.findings if "venue" in finding.message] == ["EVD002"]


@pytest.mark.parametrize(
    ("field", "code", "place"),
    [
        (contested(NEW | {"supersedes": "ict"}), "CTR003", "venue.status"),
        (contested(NEW), "CTR007", "venue.assertions[0].supersedes"),
        (
            contested({k: v for k, v in OLD.items() if k != "because"}, NEW),
            "CTR002",
            "venue.assertions[0]",
        ),
        (contested(OLD, NEW | {"rank": "normal"}), "CTR001", "venue.assertions"),
        (contested(OLD | {"rank": "preferred"}, NEW), "CTR001", "venue.assertions[1].rank"),
        (tracked("settled", OLD, NEW), "CTR004", "venue.status"),
        (contested(NEW, OLD), "CTR005", "venue.assertions[1].recorded"),
        (
            contested(OLD, {k: v for k, v in NEW.items() if k != "evidence"}),
            "CTR006",
            "venue.assertions[1]",
        ),
        (contested(OLD, NEW | {"basis": "inferred"}), "CTR008", "venue.assertions[1]"),
        (
            tracked("asserted", assertion("ict")),
            "CTR009",
            "venue.assertions[0]",
        ),
        (tracked("asserted", OLD | {"rank": "normal"}, NEW), "CTR010", "venue.status"),
        (
            tracked("corroborated", NEW | {"supersedes": "ict"}, NEW | {"rank": "normal"}),
            "CTR011",
            "venue.assertions[1].value",
        ),
        (
            tracked("corroborated", assertion("ict", "index-trees", recorded=date(2026, 6, 3))),
            "CTR012",
            "venue.assertions[0].recorded",
        ),
    ],
)
def test_each_breach_is_named_at_its_place(
    world: World, field: dict[str, Any], code: str, place: str
) -> None:
    world["paper/trees"]["venue"] = field
    found = world.found(code)
    assert [finding.field for finding in found] == [place]
    assert found[0].file == "data/papers/trees.yaml"
    text = (world.root / found[0].file).read_text(encoding="utf-8").splitlines()
    assert text[found[0].line - 1].strip()
    assert 1 <= found[0].column <= len(text[found[0].line - 1])


def test_a_value_entered_twice_is_mended_without_a_loss(world: World) -> None:
    first = NEW | {"supersedes": "ict"}
    again = NEW | {"rank": "deprecated", "because": "Entered twice; the first cites the evidence."}
    world["paper/trees"]["venue"] = tracked("corroborated", first, again)
    assert world.found("CTR011") == []


def test_an_editor_may_contest_a_single_value_with_a_reason(world: World) -> None:
    reason = "The change alters a peer-reviewed attribution."
    world["paper/trees"]["venue"] = contested(NEW | {"supersedes": "ict"}, contested_because=reason)
    assert world.found("CTR003") == []


def test_a_decision_belongs_to_a_settled_field_only(world: World) -> None:
    decision = {
        "decided": date(2026, 2, 1),
        "by": "editor",
        "because": "The proceedings are the publisher's own.",
        "overruled": [{"source": "index", "value": "arXiv"}],
    }
    world["paper/trees"]["venue"] = tracked("settled", OLD, NEW, decision=decision)
    assert world.found("CTR004") == []
    world["paper/trees"]["venue"] = contested(OLD, NEW, decision=decision)
    assert [finding.field for finding in world.found("CTR004")] == ["venue.status"]


def test_a_decision_is_not_older_than_what_it_judges(world: World) -> None:
    decision = {"decided": date(2025, 2, 1), "by": "e", "because": "b", "overruled": []}
    world["paper/trees"]["venue"] = tracked("settled", OLD, NEW, decision=decision)
    assert [finding.field for finding in world.found("CTR005")] == ["venue.decision.decided"]


def test_all_breaches_of_a_record_come_at_once(world: World) -> None:
    world["paper/trees"]["venue"] = tracked("settled", assertion("ict"))
    world["paper/trees"]["year"] = tracked("contested", assertion(2025, "index-trees"))
    assert {finding.code for finding in world.found()} == {"CTR003", "CTR004", "CTR009"}


@pytest.mark.parametrize(
    ("field", "code", "place"),
    [
        (tracked("corroborated", NEW | {"supersedes": "ict"}), "CTR007", "supersedes"),
        (
            tracked("corroborated", assertion("ict", "index-trees", "proceedings-trees"))
            | {"contested_because": "Left behind."},
            "CTR003",
            "contested_because",
        ),
        (
            tracked(
                "corroborated",
                assertion("ict", "index-trees", "proceedings-trees", inferred_from="The page."),
            ),
            "CTR008",
            "assertions[0]",
        ),
    ],
)
def test_what_is_left_behind_is_seen(
    world: World, field: dict[str, Any], code: str, place: str
) -> None:
    world["paper/trees"]["venue"] = field
    (found,) = world.found()
    assert found.code == code
    assert place in found.field


def test_past_decisions_stand_in_their_order(world: World) -> None:
    def ruling(month: int) -> dict[str, object]:
        day = date(2026, month, 1)
        return {"decided": day, "by": "editor", "because": "Seen.", "overruled": []}

    field = tracked("settled", assertion("101-112", "proceedings-trees", "index-trees"))
    world["paper/trees"]["pages"] = field | {
        "decision": ruling(4),
        "past_decisions": [ruling(2), ruling(3)],
    }
    assert world.found("CTR005") == []
    field = world["paper/trees"]["pages"]
    field["past_decisions"] = [ruling(5), ruling(3)]
    (found,) = world.found("CTR005")
    assert found.field == "pages.past_decisions[0].decided"
