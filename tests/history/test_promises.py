"""Any number of legal additions keeps every promise; any single illegal change breaks one."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from library import library
from world import assertion, small_world

from registry.checks.base import judge
from registry.history.sides import Pair, Side
from registry.records import FOLDERS

Data = dict[str, Any]
Records = dict[str, Data]

START = date(2026, 1, 5)
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Records:
    """A paper with everything, its claims with tables, an accelerator, evidence."""
    return library(tmp_path_factory.mktemp("unused")).records


def side(key: str, data: Data | None) -> Side | None:
    if data is None:
        return None
    kind, _, name = key.partition("/")
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    return Side(key, f"data/{FOLDERS[kind]}/{name}.yaml", text.encode())  # type: ignore[index]


def codes(before: Records, after: Records) -> list[str]:
    pairs = [
        Pair(side(key, before.get(key)), side(key, after.get(key)))
        for key in {**before, **after}
        if before.get(key) != after.get(key) or key not in before
    ]
    return [finding.code for finding in judge(pairs)]


def fields(record: Data) -> list[Data]:
    found = [
        value for value in record.values() if isinstance(value, dict) and "assertions" in value
    ]
    return found + [peak["rate"] for peak in record.get("peaks", ())]


def some_field(records: Records, chance: random.Random) -> Data:
    return chance.choice([field for record in records.values() for field in fields(record)])


def some_evidence(records: Records, chance: random.Random) -> Data:
    return chance.choice([one for one in records.values() if one["kind"] == "evidence"])


def some_claims(records: Records, chance: random.Random) -> Data:
    return chance.choice([one for one in records.values() if one["kind"] == "claims"])


# What is legal.


def add_assertion(records: Records, chance: random.Random, step: int) -> None:
    field = some_field(records, chance)
    value = copy.deepcopy(field["assertions"][0]["value"])
    day = START + timedelta(days=step)
    more = assertion(value, rank="normal", recorded=day, because=f"Step {step}.")
    field["assertions"].insert(chance.randrange(len(field["assertions"]) + 1), more)


def cite_more(records: Records, chance: random.Random, step: int) -> None:
    held = chance.choice(some_field(records, chance)["assertions"])
    held.setdefault("evidence", []).insert(0, f"more-{step}")


def correct(records: Records, chance: random.Random, step: int) -> None:
    field = some_field(records, chance)
    held = chance.choice(field["assertions"])
    held["rank"] = chance.choice(["preferred", "normal", "deprecated"])
    held["because"] = f"Step {step}."


def decide(records: Records, chance: random.Random, step: int) -> None:
    field = some_field(records, chance)
    if "decision" in field:
        field.setdefault("past_decisions", []).append(field.pop("decision"))
    field["status"] = "settled"
    overruled = [{"source": "index", "value": str(step)}]
    day = START + timedelta(days=step)
    field["decision"] = {"decided": day, "by": "mira", "because": "So.", "overruled": overruled}


def contest(records: Records, chance: random.Random, step: int) -> None:
    field = some_field(records, chance)
    field |= {"status": "contested", "contested_because": f"Step {step}."}
    if "decision" in field:
        field.setdefault("past_decisions", []).append(field.pop("decision"))


def add_record(records: Records, chance: random.Random, step: int) -> None:
    like = some_evidence(records, chance)
    records[f"evidence/new-{step}"] = copy.deepcopy(like) | {"id": f"new-{step}"}


def withdraw(records: Records, chance: random.Random, step: int) -> None:
    record = chance.choice(list(records.values()))
    told = {"reason": "duplicate", "because": "Twice.", "by": "mira", "recorded": START}
    record.setdefault("withdrawn", told)


def turn_keys(records: Records, chance: random.Random, step: int) -> None:
    key = chance.choice(list(records))
    items = list(records[key].items())
    chance.shuffle(items)
    records[key] = dict(items)


def add_claim(records: Records, chance: random.Random, step: int) -> None:
    claims = some_claims(records, chance)["claims"]
    more = copy.deepcopy(chance.choice(claims)) | {"id": f"new-{step}"}
    claims.insert(chance.randrange(len(claims) + 1), more)


def know_more(records: Records, chance: random.Random, step: int) -> None:
    claim = chance.choice(some_claims(records, chance)["claims"])
    claim.setdefault("conditions", {}).setdefault("engine", "mill")
    claim["remark"] = f"Step {step}."


LEGAL: list[Callable[[Records, random.Random, int], None]] = [
    add_assertion,
    cite_more,
    correct,
    decide,
    contest,
    add_record,
    withdraw,
    turn_keys,
    add_claim,
    know_more,
]


def grown(records: Records, chance: random.Random, steps: int, first: int = 0) -> Records:
    after = copy.deepcopy(records)
    for step in range(first, first + steps):
        chance.choice(LEGAL)(after, chance, step)
    return after


# What is illegal, whatever legal things happen around it.


def drop_assertion(records: Records, chance: random.Random) -> None:
    field = some_field(records, chance)
    field["assertions"].pop(chance.randrange(len(field["assertions"])))


def change_value(records: Records, chance: random.Random) -> None:
    chance.choice(some_field(records, chance)["assertions"])["value"] = "something else"


def change_day(records: Records, chance: random.Random) -> None:
    chance.choice(some_field(records, chance)["assertions"])["recorded"] = date(2020, 1, 1)


def change_author(records: Records, chance: random.Random) -> None:
    chance.choice(some_field(records, chance)["assertions"])["by"] = "somebody else"


def drop_evidence(records: Records, chance: random.Random) -> None:
    cited = [
        held["evidence"]
        for record in records.values()
        for field in fields(record)
        for held in field["assertions"]
        if held.get("evidence")
    ]
    chosen = chance.choice(cited)
    chosen.pop(chance.randrange(len(chosen)))


def drop_field(records: Records, chance: random.Random) -> None:
    record = chance.choice([one for one in records.values() if fields(one) and "title" in one])
    name = chance.choice([key for key, value in record.items() if value in fields(record)])
    del record[name]


def drop_record(records: Records, chance: random.Random) -> None:
    del records[chance.choice(list(records))]


def edit_evidence(records: Records, chance: random.Random) -> None:
    some_evidence(records, chance)["retrieved"] = date(2020, 1, 1)


def edit_observation(records: Records, chance: random.Random) -> None:
    some_evidence(records, chance).setdefault("observation", {})["title"] = "Something else"


def drop_decision(records: Records, chance: random.Random) -> None:
    field = records["paper/osprey"]["pages"]
    if field.pop("decision", None) is None:
        field["past_decisions"].pop()


def change_number(records: Records, chance: random.Random) -> None:
    claims = some_claims(records, chance)["claims"]
    chance.choice([one for one in claims if "value" in one])["value"] = 99.5


def drop_claim(records: Records, chance: random.Random) -> None:
    claims = some_claims(records, chance)["claims"]
    claims.pop(chance.randrange(len(claims)))


def change_cell(records: Records, chance: random.Random) -> None:
    some_claims(records, chance)["tables"][0]["rows"][0]["cells"][0][0] = 99.5


def change_condition(records: Records, chance: random.Random) -> None:
    claims = some_claims(records, chance)["claims"]
    chance.choice([one for one in claims if "batch" in one.get("conditions", {})])["conditions"][
        "batch"
    ] = 2


ILLEGAL: list[Callable[[Records, random.Random], None]] = [
    drop_assertion,
    change_value,
    change_day,
    change_author,
    drop_evidence,
    drop_field,
    drop_record,
    edit_evidence,
    edit_observation,
    drop_decision,
    change_number,
    drop_claim,
    change_cell,
    change_condition,
]


@given(SEEDS, st.integers(0, 40))
def test_legal_changes_break_no_promise(shelf: Records, seed: int, steps: int) -> None:
    assert codes(shelf, grown(shelf, random.Random(seed), steps)) == []


@pytest.mark.parametrize("break_it", ILLEGAL)
@settings(max_examples=40)
@given(seed=SEEDS, steps=st.integers(0, 8))
def test_one_illegal_change_is_always_found(
    shelf: Records, break_it: Callable[[Records, random.Random], None], seed: int, steps: int
) -> None:
    chance = random.Random(seed)
    before = grown(shelf, chance, steps)
    after = copy.deepcopy(before)
    break_it(after, chance)
    assert codes(before, after)


def test_hardware_that_is_replaced_is_shown_as_a_warning(shelf: Records) -> None:
    after = copy.deepcopy(shelf)
    link = after["paper/osprey"]["hardware"][0]
    link["evidence"].append("osprey-index")
    assert codes(shelf, after) == []
    link["accelerator"] = "another"
    assert codes(shelf, after) == ["BAS010"]


def test_numbers_keep_their_decimals_and_cells_may_be_read_later(shelf: Records) -> None:
    after = copy.deepcopy(shelf)
    row = after["claims/osprey"]["tables"][0]["rows"][0]
    row["cells"][1][1] = 2.5
    assert codes(shelf, after) == []
    row["cells"][0][1] = 3
    assert codes(shelf, after) == ["BAS003"]


def test_a_column_that_is_added_moves_no_cell() -> None:
    claims = {
        "kind": "claims",
        "id": "trees",
        "paper": "trees",
        "claims": [],
        "tables": [
            {
                "id": "t",
                "columns": [{"id": "b", "metrics": ["tau"]}],
                "rows": [{"id": "r", "cells": [2.5]}],
            }
        ],
    }
    before = small_world() | {"claims/trees": claims}
    after = copy.deepcopy(before)
    table = after["claims/trees"]["tables"][0]
    table["columns"].insert(0, {"id": "a", "metrics": ["tau"]})
    table["rows"][0]["cells"].insert(0, 1.5)
    assert codes(before, after) == []
    table["rows"][0]["cells"].reverse()
    assert codes(before, after) == ["BAS003"]


STATEMENTS: dict[str, list[Data]] = {
    "arxiv_versions": [
        {"version": "v1", "submitted": date(2025, 1, 2), "evidence": ["a"], "changes": "First."},
        {"version": "v2", "submitted": date(2025, 2, 3), "evidence": ["a", "b"]},
    ],
    "related": [
        {"relation": "blog-post", "text": "A post", "date": date(2025, 1, 1), "evidence": ["a"]},
        {"relation": "confused-with", "text": "Another one", "paper": "osprey"},
    ],
    "hardware": [
        {"accelerator": "one", "used_for": "both", "recorded": START, "by": "mira"},
        {"accelerator": "two", "used_for": "both", "recorded": START, "by": "mira"},
    ],
}


@pytest.mark.parametrize("key", STATEMENTS)
def test_a_statement_that_cites_is_not_lost(key: str) -> None:
    before = small_world()
    before["paper/trees"][key] = copy.deepcopy(STATEMENTS[key])
    for place in range(2):
        after = copy.deepcopy(before)
        del after["paper/trees"][key][place]
        assert codes(before, after) == ["BAS012"]
    after = copy.deepcopy(before)
    del after["paper/trees"][key]
    assert codes(before, after) == ["BAS012", "BAS012"]
    after["paper/trees"][key] = "no list"
    assert codes(before, after) == ["BAS012", "BAS012"]
    after["paper/trees"][key] = list(reversed(copy.deepcopy(STATEMENTS[key])))
    assert codes(before, after) == []
    after["paper/trees"][key][0].setdefault("evidence", []).append("more")
    assert codes(before, after) == []


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("arxiv_versions", {"submitted": date(2025, 1, 3)}),
        ("arxiv_versions", {"evidence": ["b"]}),
        ("arxiv_versions", {"changes": ""}),
        ("related", {"text": "Another post"}),
        ("related", {"evidence": []}),
        ("hardware", {"accelerator": "three"}),
    ],
)
def test_a_statement_that_is_replaced_is_a_warning(key: str, change: Data) -> None:
    before = small_world()
    before["paper/trees"][key] = copy.deepcopy(STATEMENTS[key])
    after = copy.deepcopy(before)
    after["paper/trees"][key][0] |= change
    assert codes(before, after) == ["BAS010"]


def test_our_own_words_on_a_version_may_be_others() -> None:
    before = small_world()
    before["paper/trees"]["arxiv_versions"] = copy.deepcopy(STATEMENTS["arxiv_versions"])
    after = copy.deepcopy(before)
    after["paper/trees"]["arxiv_versions"][0]["changes"] = "The first one."
    assert codes(before, after) == []


def edited(records: Records, key: str, *steps: Any, to: Any) -> Records:
    """The records with another value at a path; None takes the key out."""
    after = copy.deepcopy(records)
    place: Any = after[key]
    for step in steps[:-1]:
        place = place[step]
    if to is None:
        del place[steps[-1]]
    else:
        place[steps[-1]] = to
    return after


@pytest.mark.parametrize(
    ("steps", "to"),
    [
        (("hash",), "0" * 64),
        (("raw",), {"sha256": "1" * 64, "lines": 3}),
        (("uncommitted",), True),
        (("seed",), 12),
        (("commit",), "a" * 40),
        (("measured",), date(2020, 1, 1)),
        (("results", 0, "median"), 99.5),
        (("results", 0, "count"), 99),
        (("results", 0), None),
        (("results", 0, "conditions", "batch"), 77),
        (("machine", "processor"), "Another"),
        (("methods",), ["osprey", "another"]),
    ],
)
def test_a_measurement_is_replaced_and_never_edited(
    shelf: Records, steps: tuple[Any, ...], to: Any
) -> None:
    (key,) = (one for one in shelf if one.startswith("benchmark/"))
    found = codes(shelf, edited(shelf, key, *steps, to=to))
    assert found
    assert set(found) == {"BAS003"}


def test_what_a_seal_leaves_open_may_change(shelf: Records) -> None:
    (key,) = (one for one in shelf if one.startswith("benchmark/"))
    for name, value in (("note", "Warm."), ("papers", ["osprey", "trees"]), ("beside", ["osprey"])):
        assert codes(shelf, edited(shelf, key, name, to=value)) == []
    after = copy.deepcopy(shelf)
    after[key]["withdrawn"] = {
        "reason": "entered-in-error",
        "because": "The machine was busy.",
        "by": "mira",
        "recorded": START,
    }
    after[f"{key}-again"] = copy.deepcopy(shelf[key]) | {"id": "again"}
    assert codes(shelf, after) == []


@pytest.mark.parametrize(
    ("key", "to"), [("cores", 9), ("memory", "32 GB"), ("processor", "Heron 3"), ("memory", None)]
)
def test_a_machine_stays_what_it_was(shelf: Records, key: str, to: Any) -> None:
    assert codes(shelf, edited(shelf, "machine/shed", key, to=to)) == ["BAS003"]
    assert codes(shelf, edited(shelf, "machine/shed", "name", to="The shed")) == []
    assert codes(shelf, edited(shelf, "machine/shed", "features", to=["wings"])) == []
