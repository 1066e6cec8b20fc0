from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft7Validator
from judges import EVERY_KIND, ROOT, schemas_in, shipped_records

from registry import schema
from registry.records import FOLDERS, KINDS, KindName
from registry.schema import Drift

DRAFT_07 = set(Draft7Validator.META_SCHEMA["properties"])  # every keyword there is


@EVERY_KIND
def test_is_a_draft_07_schema(kind: KindName) -> None:
    generated = schema.schema_for(kind)
    Draft7Validator.check_schema(generated)
    assert generated["$schema"] == "http://json-schema.org/draft-07/schema#"
    for node in schemas_in(generated):
        assert node.keys() <= DRAFT_07


@EVERY_KIND
def test_names_itself_and_its_kind(kind: KindName) -> None:
    generated = schema.schema_for(kind)
    assert generated["$id"] == f"{kind}.schema.json"
    assert generated["title"] == KINDS[kind].__name__
    assert generated["properties"]["kind"]["const"] == kind
    assert {"kind", "id"} <= set(generated["required"])


@EVERY_KIND
def test_objects_are_closed_and_nothing_is_null(kind: KindName) -> None:
    for node in schemas_in(schema.schema_for(kind)):
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
        assert node.get("type") != "null"
        assert "default" not in node


@EVERY_KIND
def test_references_resolve_and_nothing_that_validates_stands_beside_them(kind: KindName) -> None:
    generated = schema.schema_for(kind)
    targets = {f"#/definitions/{name}" for name in generated["definitions"]}
    references = [node for node in schemas_in(generated) if "$ref" in node]
    assert {node["$ref"] for node in references} == targets
    # Draft-07 ignores whatever stands beside a "$ref".
    assert all(node.keys() <= {"$ref", "description"} for node in references)


@EVERY_KIND
def test_every_property_and_definition_is_described_in_markdown(kind: KindName) -> None:
    generated = schema.schema_for(kind)
    assert generated["description"]
    for node in schemas_in(generated):
        for inner in (*node.get("properties", {}).values(), *node.get("definitions", {}).values()):
            text = inner["description"]
            assert re.fullmatch(r"\S+( \S+)*[.)]", text)
            assert "``" not in text


@EVERY_KIND
def test_patterns_are_read_alike_by_all_regular_expression_engines(kind: KindName) -> None:
    for node in schemas_in(schema.schema_for(kind)):
        pattern = node.get("pattern", r"\n")
        if pattern != r"\n":
            assert re.fullmatch(r"\^.*\$", pattern)
            assert node["not"] == {"pattern": r"\n"}
        # Classes such as \s differ between engines, and RE2 knows no look-around.
        assert not re.search(r"\\[a-mo-zA-Z]|\(\?", pattern)


def test_types_made_from_others_have_plain_names() -> None:
    assert set(schema.schema_for("accelerator")["definitions"]) == {
        "Assertion_Day",
        "Assertion_Quantity",
        "Assertion_Text",
        "Decision",
        "Overruled",
        "PeakRate",
        "Quantity",
        "Tracked_Day",
        "Tracked_Quantity",
        "Tracked_Text",
        "Withdrawal",
    }
    paper = schema.schema_for("paper")
    assert paper["properties"]["authors"]["$ref"] == "#/definitions/Tracked_Items_Author"
    assert paper["properties"]["venue"]["$ref"] == "#/definitions/Tracked_VenueId"


def test_a_reference_says_where_its_record_lies() -> None:
    paper, evidence = schema.schema_for("paper"), schema.schema_for("evidence")
    venue = paper["definitions"]["Assertion_VenueId"]["properties"]["value"]
    assert venue["description"] == "The value. Id of a record in data/venues."
    assert paper["properties"]["methods"]["description"] == (
        "Methods that the paper introduces. Ids of records in data/methods."
    )
    assert evidence["properties"]["about"]["description"] == (
        "The record that the source was asked about. Kind and id of a record, as `kind/id`."
    )


def test_editors_are_offered_what_a_field_may_hold() -> None:
    assertion = schema.schema_for("paper")["definitions"]["Assertion_Day"]["properties"]
    assert assertion["rank"]["enum"] == ["preferred", "normal", "deprecated"]
    assert assertion["value"]["format"] == "date"


@pytest.mark.parametrize("path", shipped_records())
def test_shipped_records_lead_editors_to_the_schema_of_their_kind(path: Path) -> None:
    with path.open(encoding="utf-8") as lines:
        first = next(lines).rstrip("\n")
    target = first.removeprefix("# yaml-language-server: $schema=")
    assert target != first
    found = json.loads((path.parent / target).read_text(encoding="utf-8"))
    assert FOLDERS[found["properties"]["kind"]["const"]] == path.parent.name


def test_checked_in_schemas_are_what_the_models_say() -> None:
    assert schema.check(ROOT / "schemas") == []


def test_written_schemas_are_not_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "schemas"
    assert schema.write(folder) == [f"{kind}.schema.json" for kind in KINDS]
    assert schema.check(folder) == []
    assert len(list(folder.iterdir())) == len(KINDS)
    text = (folder / "venue.schema.json").read_text(encoding="utf-8")
    assert json.loads(text) == schema.schema_for("venue")
    assert text.startswith('{\n  "$schema": ')
    assert text.endswith("}\n")
    (folder / "venue.schema.json").write_text(text.rstrip(), encoding="utf-8")
    assert schema.write(folder) == ["venue.schema.json"]
    assert schema.write(folder) == []


def test_what_differs_is_named(tmp_path: Path) -> None:
    schema.write(tmp_path)
    (tmp_path / "paper.schema.json").unlink()
    (tmp_path / "venue.schema.json").write_text("{}\n", encoding="utf-8")
    (tmp_path / "journal.schema.json").write_text("{}\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("Schemas.\n", encoding="utf-8")
    assert schema.check(tmp_path) == [
        Drift("journal.schema.json", "extra"),
        Drift("paper.schema.json", "missing"),
        Drift("venue.schema.json", "stale"),
    ]
    schema.write(tmp_path)
    assert schema.check(tmp_path) == [Drift("journal.schema.json", "extra")]


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "paper.schema.json"
    old.write_text("{}\n", encoding="utf-8")

    def refuse(draft: str, target: Path) -> None:
        raise PermissionError

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(PermissionError):
        schema.write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["paper.schema.json"]
    assert old.read_text(encoding="utf-8") == "{}\n"
