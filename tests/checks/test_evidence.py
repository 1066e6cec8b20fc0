from __future__ import annotations

import copy
from datetime import date
from typing import Any

import pytest
from world import World, assertion, evidence, tracked


def observe(world: World, source: str, **values: Any) -> dict[str, Any]:
    observation: dict[str, Any] = world[f"evidence/{source}-trees"]["observation"]
    observation.update(values)
    return observation


def test_a_contradiction_is_an_error_at_the_value(world: World) -> None:
    for assertion_ in world["paper/trees"]["pages"]["assertions"]:
        assertion_["value"] = "101-113"
    found = world.found("EVD001")
    assert {finding.field for finding in found} == {"pages.assertions[0].value"}
    assert [("Index" in f.message, "Proceedings" in f.message) for f in found] in (
        [(True, False), (False, True)],
        [(False, True), (True, False)],
    )
    line = (world.root / found[0].file).read_text(encoding="utf-8").splitlines()
    assert "101-113" in line[found[0].line - 1]


def test_a_contested_field_holds_the_value_of_each_source(world: World) -> None:
    observe(world, "index", year=2024)
    field = tracked("contested", assertion(2025, "proceedings-trees"), contested_because="Differ.")
    world["paper/trees"]["year"] = field
    (found,) = world.found()
    assert (found.code, found.field) == ("EVD010", "year")
    assert found.hint == (
        "`registry contest paper/trees year --value ... --evidence index-trees` enters it"
    )
    before = assertion(
        2024,
        "index-trees",
        rank="deprecated",
        because="The index is wrong.",
        recorded=date(2025, 1, 1),
    )
    field["assertions"].insert(0, before)
    assert world.found() == []
    assert "`2025`, beside `2024` (deprecated)" in world.found("EVD002")[0].message


def test_a_settled_field_is_quiet_until_the_source_changes(world: World) -> None:
    observe(world, "index", year=2024)
    decision = {
        "decided": date(2026, 2, 1),
        "by": "editor",
        "because": "The index repeats the preprint's year.",
        "overruled": [{"source": "index", "value": "2024"}],
    }
    field = tracked("settled", assertion(2025, "proceedings-trees"), decision=decision)
    world["paper/trees"]["year"] = field
    assert world.found() == []
    world.records["evidence/index-trees-later"] = evidence(
        "paper/trees", "index", observation={"year": 2023}, retrieved=date(2026, 3, 1)
    ) | {"id": "index-trees-later"}
    (found,) = world.found()
    assert (found.code, found.field) == ("EVD009", "year.decision")
    assert "2023" in found.message
    assert "2024" in found.message


def test_corroboration_needs_two_independent_sources(world: World) -> None:
    del world.records["evidence/proceedings-trees"]
    copied = evidence("paper/trees", "copycat", observation={"year": 2025}) | {
        "id": "copycat-trees"
    }
    world.records["evidence/copycat-trees"] = copied
    field = tracked("corroborated", assertion(2025, "index-trees", "copycat-trees"))
    world["paper/trees"]["year"] = field
    found = [finding for finding in world.found("EVD003") if finding.field == "year.status"]
    assert len(found) == 1
    assert "the 2 sources that confirm it are not independent" in found[0].message
    # Nor are two that copy the same source, which has not been asked.
    del world.records["evidence/index-trees"]
    other = copy.deepcopy(world.records["source/copycat"]) | {"id": "parrot"}
    world.records["source/parrot"] = other
    said = evidence("paper/trees", "parrot", observation={"year": 2025}) | {"id": "parrot-trees"}
    world.records["evidence/parrot-trees"] = said
    field = tracked("corroborated", assertion(2025, "copycat-trees", "parrot-trees"))
    world["paper/trees"]["year"] = field
    assert [one.field for one in world.found("EVD003")].count("year.status") == 1


def test_agreement_that_the_status_does_not_admit_is_information(world: World) -> None:
    world["paper/trees"]["year"]["status"] = "asserted"
    (found,) = world.found("EVD004")
    assert (found.severity, found.field) == ("info", "year.status")


def test_citing_evidence_about_another_record(world: World) -> None:
    world["evidence/index-trees"]["about"] = "method/trees"
    found = world.found("EVD005")
    assert {finding.field.split(".")[0] for finding in found} == {
        "title",
        "authors",
        "venue",
        "year",
        "pages",
    }


def test_citing_evidence_that_says_something_else(world: World) -> None:
    old = assertion("preprints", "index-trees", rank="normal", recorded=date(2025, 9, 1))
    new = assertion("ict", "proceedings-trees")
    world["paper/trees"]["venue"] = tracked("contested", old, new)
    (found,) = world.found("EVD006")
    assert found.field == "venue.assertions[0].evidence[0]"
    assert "International Conference on Trees" in found.message


def test_a_deprecated_value_may_have_been_misquoted(world: World) -> None:
    # Nothing of it may be changed any more, so there would be no way to mend it.
    old = assertion("preprints", "index-trees", rank="deprecated", because="It was misread.")
    new = assertion("ict", "proceedings-trees", supersedes="preprints")
    world["paper/trees"]["venue"] = tracked("contested", old, new)
    assert world.found() == []


def test_citing_evidence_that_is_silent_is_a_warning(world: World) -> None:
    del world["evidence/index-trees"]["observation"]["pages"]
    found = world.found()
    assert {finding.code for finding in found} == {"EVD003", "EVD007"}
    assert {finding.severity for finding in found} == {"error", "warning"}


def test_unconfirmed_evidence_supports_nothing(world: World) -> None:
    item = world["evidence/index-trees"]
    item["confirmed"] = False
    item["unconfirmed_because"] = "Nobody found the page."
    codes = {finding.code for finding in world.found()}
    assert codes == {"EVD003", "EVD008"}
    report = world.report(ids=("paper/trees",))
    assert report.matrices[0].unconfirmed == ("index-trees",)
    assert report.matrices[0].sources == ("proceedings",)


def test_the_five_verdicts_stay_apart(world: World) -> None:
    observation = world["evidence/index-trees"]["observation"]
    observation["year"] = 2024
    del observation["pages"]
    world["evidence/index-trees"]["silent_on"] = ["pages"]
    throttled = evidence(
        "paper/trees", "copycat", outcome="could-not-ask", reason="throttled (429)"
    ) | {"id": "copycat-trees"}
    world.records["evidence/copycat-trees"] = throttled
    del world["evidence/proceedings-trees"]["observation"]["title"]
    (matrix,) = world.report(ids=("paper/trees",)).matrices
    verdicts = {(cell.field, cell.source): cell.verdict for cell in matrix.cells}
    assert verdicts["year", "proceedings"] == "confirmed"
    assert verdicts["year", "index"] == "contradicted"
    assert verdicts["pages", "index"] == "silent"
    assert verdicts["title", "proceedings"] == "not-asked"
    assert verdicts["title", "copycat"] == "could-not-ask"
    assert [c.note for c in matrix.cells if c.source == "copycat"] == ["throttled (429)"] * 5


def test_not_being_able_to_ask_takes_back_nothing_that_was_heard(world: World) -> None:
    late = evidence(
        "paper/trees",
        "index",
        outcome="could-not-ask",
        reason="offline",
        retrieved=date(2026, 5, 1),
    ) | {"id": "index-late"}
    world.records["evidence/index-late"] = late
    assert world.found() == []


def test_a_preprint_server_is_no_contradiction_of_a_published_venue(world: World) -> None:
    observe(world, "index", venue="arXiv preprint arXiv:2501.00001")
    world["paper/trees"]["venue"] = tracked("asserted", assertion("ict", "proceedings-trees"))
    assert world.found() == []
    (matrix,) = world.report(ids=("paper/trees",)).matrices
    cell = next(c for c in matrix.cells if (c.field, c.source) == ("venue", "index"))
    assert cell.verdict == "silent"
    assert "preprint" in cell.note


@pytest.mark.parametrize(
    ("people", "word"),
    [
        (["Bo van Berg", "Ada Abel"], "order"),
        (["Ada Abel"], "missing"),
        (["Ada Abel", "Bo van Berg", "Cy Cole"], "added"),
    ],
)
def test_author_lines_are_compared_in_order(world: World, people: list[str], word: str) -> None:
    observe(world, "index", authors=people)
    found = world.found("EVD001")
    assert [finding.field for finding in found] == ["authors.assertions[0].value"]
    assert word in found[0].message


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"how": "reported"}, "reported_by"),
        ({"outcome": "could-not-ask", "observation": None}, "reason"),
        ({"confirmed": False}, "unconfirmed_because"),
        ({"observation": None}, "silent_on"),
        ({"outcome": "no-such-record"}, "observed"),
    ],
)
def test_evidence_says_enough(world: World, change: dict[str, Any], key: str) -> None:
    item = world["evidence/index-trees"]
    world.records["evidence/index-trees"] = {
        name: value for name, value in (item | change).items() if value is not None
    }
    found = world.found("EVD011")
    assert len(found) == 1
    assert key in found[0].message


def test_evidence_cannot_be_silent_on_what_it_says(world: World) -> None:
    world["evidence/index-trees"]["silent_on"] = ["year", "doi"]
    (found,) = world.found()
    assert (found.code, found.field) == ("EVD011", "silent_on")
    assert "year" in found.message
    assert "doi" not in found.message


def test_a_wrong_year_is_not_held_against_the_venue_too(world: World) -> None:
    observe(world, "index", venue="ICT 2024", year=2024)
    found = world.found()
    assert {finding.field.split(".")[0] for finding in found} == {"year"}


def verdict(world: World, field: str) -> tuple[str, str]:
    """What the index says of a field, with its note."""
    (matrix,) = world.report(ids=("paper/trees",)).matrices
    cell = next(one for one in matrix.cells if (one.field, one.source) == (field, "index"))
    return cell.verdict, cell.note


@pytest.mark.parametrize(
    ("seen", "word"),
    [
        ({}, "silent"),
        ({"doi": "10.5555/other"}, "silent"),
        ({"doi": "https://doi.org/10.5555/TREES"}, "confirmed"),
        ({"arxiv_id": "arXiv:2401.00001v2"}, "confirmed"),
    ],
)
def test_half_a_title_confirms_nothing_without_an_identifier(
    world: World, seen: dict[str, str], word: str
) -> None:
    world["paper/trees"]["doi"] = tracked("asserted", assertion("10.5555/trees", because="Read."))
    arxiv = assertion("2401.00001", because="Read.")
    world["paper/trees"]["arxiv_id"] = tracked("asserted", arxiv)
    observe(world, "index", title="Draft Trees", **seen)
    found, note = verdict(world, "title")
    assert found == word
    assert "subtitle missing in the source" in note


def test_an_identifier_in_the_address_of_an_answer_counts(world: World) -> None:
    arxiv = assertion("2401.00001", because="Read.")
    world["paper/trees"]["arxiv_id"] = tracked("asserted", arxiv)
    observe(world, "index", title="Draft Trees")
    world["evidence/index-trees"]["url"] = "https://arxiv.org/abs/2401.00001v1"
    assert verdict(world, "title")[0] == "confirmed"


@pytest.mark.parametrize(
    ("number", "year", "word"),
    [
        ("7", 2025, "confirmed"),
        ("8", 2025, "contradicted"),
        ("8", None, "contradicted"),
        ("8", 2024, "silent"),
    ],
)
def test_another_volume_of_a_series_is_another_venue(
    world: World, number: str, year: int | None, word: str
) -> None:
    world.records["venue/forestry"] = world["venue/ict"] | {
        "id": "forestry",
        "name": "Papers in Forestry",
        "short_name": "PIF",
        "type": "series",
    }
    volume = {"series": "forestry", "number": "7", "year": 2025, "title": "Proceedings of 2025"}
    world["venue/ict"]["volumes"] = [volume]
    seen = observe(world, "index", venue="PIF", volume=number)
    seen.pop("year")
    seen.update({"year": year} if year else {})
    assert verdict(world, "venue")[0] == word
