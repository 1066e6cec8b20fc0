"""The shipped claims, beside the tables of the papers that they were read from."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.comparing import Comparison, ask, compare, gather
from registry.comparing.apart import apart_among
from registry.comparing.formats import as_text
from registry.verify import load
from registry.views.shelf import Shelf

ROOT = Path(__file__).resolve().parents[2]
EAGLES = ("eagle", "eagle-2", "eagle-3")


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf(load(ROOT, use_cache=False))


def asked(
    shelf: Shelf, *names: str, metric: str, dataset: str = "mt-bench", temperature: float = 0
) -> Comparison:
    question = ask(
        names,
        shelf,
        metric=metric,
        model="Vicuna 13B",
        dataset=dataset,
        temperature=temperature,
    )
    found = gather(shelf, question.methods)
    return compare(question, found, apart_among(question.methods, shelf))


def by_paper(comparison: Comparison) -> dict[str, dict[str, float | None]]:
    """Paper to method to value, for rows whose numbers all stand in one paper."""
    found: dict[str, dict[str, float | None]] = {}
    for row in comparison.rows:
        (paper,) = {number.source.paper for number in row.numbers}
        assert paper not in found
        found[paper] = {number.method: number.value for number in row.numbers}
    return found


@pytest.mark.parametrize(
    ("metric", "dataset", "temperature", "eagle_2", "eagle_3"),
    [
        # EAGLE-2, v2, table 1; EAGLE-3, v3, table 1; Vicuna 13B.
        ("speedup", "mt-bench", 0, (3.07, 4.26), (3.07, 4.26, 5.58)),
        ("tau", "mt-bench", 0, (3.98, 4.83), (3.98, 4.83, 6.65)),
        ("speedup", "HumanEval", 0, (3.58, 4.96), (3.58, 4.96, 6.47)),
        ("speedup", "mt-bench", 1, (2.32, 3.80), (2.32, 3.80, 4.57)),
        ("tau", "mt-bench", 1, (3.20, 4.40), (3.20, 4.40, 5.42)),
    ],
)
def test_each_paper_s_own_table_is_a_row(
    shelf: Shelf,
    metric: str,
    dataset: str,
    temperature: float,
    eagle_2: tuple[float, ...],
    eagle_3: tuple[float, ...],
) -> None:
    found = asked(shelf, *EAGLES, metric=metric, dataset=dataset, temperature=temperature)
    assert by_paper(found) == {
        "eagle-2": dict(zip(EAGLES, eagle_2, strict=False)),
        "eagle-3": dict(zip(EAGLES, eagle_3, strict=True)),
    }


def test_a_competitor_s_number_is_the_claim_of_the_paper_that_states_it(shelf: Shelf) -> None:
    found = asked(shelf, *EAGLES, metric="speedup")
    own = {
        (number.source.paper, number.method): number.own
        for row in found.rows
        for number in row.numbers
    }
    assert own == {
        ("eagle-2", "eagle"): False,
        ("eagle-2", "eagle-2"): True,
        ("eagle-3", "eagle"): False,
        ("eagle-3", "eagle-2"): False,
        ("eagle-3", "eagle-3"): True,
    }


def test_eagle_s_own_figure_stays_outside_for_what_no_paper_states(shelf: Shelf) -> None:
    found = asked(shelf, *EAGLES, metric="speedup")
    (alone,) = (one for one in found.left_out if one.number.source.part == "figure-1")
    assert alone.number.value == 3.07
    assert alone.nearest is not None
    assert {one.key for one in alone.differences} == {"batch", "precision", "engine", "hardware"}
    assert {one.kind for one in alone.differences} == {"unknown"}


def test_an_independent_leaderboard_has_a_row_of_its_own(shelf: Shelf) -> None:
    question = ask(EAGLES, shelf, metric="speedup", model="Vicuna 13B v1.3", dataset="spec-bench")
    found = compare(question, gather(shelf, question.methods), ())
    three = [row for row in found.rows if len(row.cells) == 3]
    # Spec-Bench, Leaderboard.md at fd2c1cd7, Vicuna 13B on one A100 with 80 GB, over all groups.
    best = {tuple(number.value for number in row.numbers) for row in three}
    assert (2.16, 2.46, 3.02) in best
    assert {row.origin for row in found.rows} == {"third-party"}


@pytest.mark.parametrize("eagle", EAGLES)
def test_eagle_and_medusa_are_refused_with_the_records_reasons(shelf: Shelf, eagle: str) -> None:
    found = asked(shelf, eagle, "medusa", metric="speedup")
    assert found.refused
    text = " ".join(as_text(found, "terminal").replace("┃", " ").split())
    assert "Medusa predicts tokens" in text
    assert "reuses the target's LM head" in text
    assert "--allow-not-interchangeable" in text
