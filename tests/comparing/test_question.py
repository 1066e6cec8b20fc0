"""What is meant by the names that somebody gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import World, small_world

from registry.comparing.formats import FORMATS, as_text
from registry.comparing.number import natural
from registry.errors import ComparisonError, RegistryError, UnknownRecordError

from .worlds import compared, grown, table, told, values, without


@pytest.fixture
def sized(wood: World) -> World:
    """Numbers for two targets, two datasets and two temperatures; one states no temperature."""
    tables = []
    for place, conditions in enumerate(
        (
            without(),
            without(model="oak-13b"),
            without(dataset="sums"),
            without(temperature=1),
            without("temperature"),
        )
    ):
        tables.append(
            table({"trees": place + 0.5, "bushes": place + 1.5}, conditions, id=f"table-{place}")
        )
    told(wood, "trees", *tables)
    return wood


@pytest.mark.parametrize(
    "names",
    [
        ("trees", "bushes"),
        ("bushes", "trees", "trees"),
        ("method/trees", "paper/bushes"),
        ("papers/trees", "data/methods/bushes.yaml"),
        ("tree", "bush"),
    ],
)
def test_methods_and_papers_have_many_names(wood: World, names: tuple[str, ...]) -> None:
    assert compared(wood, *names).question.names == (("bushes", "Bushes"), ("trees", "Trees"))


def test_a_method_goes_before_a_paper_of_the_same_id(wood: World) -> None:
    wood["paper/trees"]["methods"] = ["trees", "bushes"]
    assert compared(wood, "paper/trees").question.methods == ("bushes", "trees")
    with pytest.raises(ComparisonError, match="trees alone cannot be compared"):
        compared(wood, "trees")


@pytest.mark.parametrize(
    ("names", "asked", "told_of"),
    [
        (("treas", "bushes"), {}, "no method or paper is called 'treas' (did you mean trees?)"),
        (("xyz", "bushes"), {}, "no method or paper is called 'xyz'"),
        (("riddles", "bushes"), {}, "riddles is of kind dataset (methods and papers"),
        (("trees", "paper/trees"), {}, "trees alone cannot be compared"),
        (
            ("trees", "bushes"),
            {"model": "oak 7"},
            "no model is called 'oak 7' (did you mean oak-7b",
        ),
        (("trees", "bushes"), {"dataset": "zzz"}, "no dataset is called 'zzz'"),
    ],
)
def test_a_name_that_means_nothing_gets_one_line(
    wood: World, names: tuple[str, ...], asked: dict[str, Any], told_of: str
) -> None:
    with pytest.raises(RegistryError) as caught:
        compared(wood, *names, **asked)
    assert told_of in f"{caught.value.message} ({caught.value.hint})"


def test_a_paper_without_methods_compares_with_nothing(wood: World) -> None:
    del wood["paper/bushes"]["methods"]
    with pytest.raises(ComparisonError, match="paper/bushes introduces no method"):
        compared(wood, "trees", "paper/bushes")


@pytest.mark.parametrize("name", ["oak-13b", "Oak 13B", "OAK-13b", "model/oak-13b", "oak_13b"])
def test_a_target_has_many_names_and_13b_is_not_13b_v1_3(sized: World, name: str) -> None:
    found = compared(sized, model=name)
    assert found.question.model == "oak-13b"
    assert values(found) == [{"bushes": [2.5], "trees": [1.5]}]


def test_an_alias_of_two_targets_is_refused(sized: World) -> None:
    sized["model/oak-13b"]["aliases"] = ["O 7B"]
    with pytest.raises(UnknownRecordError) as caught:
        compared(sized, model="o 7b")
    assert caught.value.hint == "oak-13b, oak-7b"


def test_what_was_asked_for_narrows_and_the_unstated_is_counted(sized: World) -> None:
    found = compared(sized, temperature=0.0, model="O 7B", dataset="riddles")
    assert values(found) == [{"bushes": [1.5], "trees": [0.5]}]
    assert found.unstated == 2
    assert found.question.conditions == ("model Oak 7B", "dataset Riddles", "temperature 0")


def test_a_metric_that_nobody_has_is_refused(sized: World) -> None:
    with pytest.raises(ComparisonError) as caught:
        compared(sized, metric="spedup")
    assert caught.value.hint == "did you mean speedup?"
    with pytest.raises(ComparisonError) as caught:
        compared(sized, metric="xyz")
    assert caught.value.hint == "there are speedup"


def test_7b_comes_before_13b() -> None:
    assert sorted(["Oak 13B", "Oak 7B", "oak 7B v2"], key=natural) == [
        "Oak 7B",
        "oak 7B v2",
        "Oak 13B",
    ]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """What each format shows of one world, whose files may be written in any order."""

    def show(names: Sequence[str], chance: random.Random | None = None) -> list[str]:
        world = grown(World(small_world(), tmp_path_factory.mktemp("wood")))
        world.records["paper/ferns"] = world["paper/trees"] | {"id": "ferns", "methods": ["ferns"]}
        world.records["method/ferns"] = world["method/trees"] | {"id": "ferns", "name": "Ferns"}
        tables = [
            table({"trees": 1, "bushes": 2}, without("batch"), id="table-1"),
            table({"ferns": 3, "bushes": 4, "trees": 5}, without(model="oak-13b"), id="table-2"),
            table({"ferns": 6, "bushes": 7}, id="table-3"),
            table({"ferns": 8}, without("engine"), id="table-4"),
        ]
        if chance is not None:
            chance.shuffle(tables)
            for one in tables:
                chance.shuffle(one["rows"])
        told(world, "trees", *tables)
        told(world, "bushes", table({"bushes": 9}, id="table-9"))
        return [as_text(compared(world, *names), form) for form in FORMATS]

    return show


@pytest.fixture(scope="module")
def in_order(shown: Callable[..., list[str]]) -> list[str]:
    return shown(["bushes", "ferns", "trees"])


@settings(max_examples=8)
@given(st.permutations(["trees", "bushes", "ferns"]), st.randoms(use_true_random=False))
def test_no_order_changes_what_is_shown(
    shown: Callable[..., list[str]],
    in_order: list[str],
    names: list[str],
    chance: random.Random,
) -> None:
    assert shown(names, chance) == in_order
