from __future__ import annotations

import pytest
from world import World, assertion, evidence, tracked

from .reading import Show, flowing, frame, section


def test_an_accelerator_has_each_number_with_what_it_is_a_number_of(show: Show) -> None:
    words = section(show("accelerator/kestrel-48gb"), "Numbers")
    assert "memory size: 48 GB · asserted" in words
    assert "power: about 300 W · CONTESTED" in words
    assert "peak fp16 2:4 sparse matrix into fp32 per die: 250.5 TFLOP/s · asserted" in words


def test_an_accelerator_has_what_each_source_says(books: World, show: Show) -> None:
    books["accelerator/kestrel-48gb"]["power"]["assertions"][0]["value"].pop("qualifier")
    words = section(show("accelerator/kestrel-48gb"), "Numbers")
    assert "✓ 300 W: datasheet; ✗ 310 W: index" in words


def test_sources_with_one_value_share_it(books: World, show: Show) -> None:
    books.records["evidence/kestrel-index"]["observation"]["power"]["value"] = 300
    words = section(show("accelerator/kestrel-48gb"), "Numbers")
    assert "✓ 300 W: datasheet, index" in words


def test_a_contested_number_has_all_its_values_in_the_frame(show: Show) -> None:
    words = frame(show("accelerator/kestrel-48gb"), "CONTESTED: power")
    assert "power: 300 W, preferred → 310 W, normal" in words
    assert "A module and its board are two things." in words


def test_any_kind_shows_its_fields(show: Show) -> None:
    words = section(show("dataset/ripples"), "Fields")
    assert words == "name Ripples task conversation"


def test_lists_of_mappings_stand_under_their_own_heading(books: World, show: Show) -> None:
    long = "It needs a dam, which nobody has built so far."
    books["engine/mill"]["adoption"][0]["limits"].append(long)
    words = section(show("engine/mill"), "adoption")
    assert "method osprey, since 0.4, merged 2025-08, tree_drafting no, batching yes" in words
    assert "limits: Chains of three tokens; nothing longer." in words
    assert f"limits: One wheel. limits: {long}" in words


def test_mappings_are_named_key_by_key(show: Show) -> None:
    words = section(show("evidence/osprey-pages"), "Fields")
    assert "confirmed yes" in words
    assert "observation.venue International Conference on Trees" in words
    assert "observation.year 2025" in words


def test_an_amount_stays_together(books: World, show: Show) -> None:
    books["model/pond-7b"]["parameters"] = {"value": 7.0e9, "unit": "parameters"}
    books["model/pond-7b"]["mixture_of_experts"] = False
    words = section(show("model/pond-7b"), "Fields")
    assert "parameters 7,000,000,000 parameters" in words
    assert "mixture_of_experts no" in words


def test_references_are_followed_in_both_directions(show: Show) -> None:
    text = show("method/osprey")
    assert section(text, "Refers to") == "paper osprey method trees"
    into = section(text, "Referred to by")
    for words in ("benchmark osprey-here", "claims osprey", "engine mill", "method osprey-two"):
        assert words in into


def test_dangling_references_are_named(books: World, show: Show) -> None:
    books["method/osprey"]["builds_on"] = ["nothing"]
    assert "nothing (no usable record)" in section(show("method/osprey"), "Refers to")


def test_many_referrers_are_counted(books: World, show: Show) -> None:
    for number in range(12):
        books.records[f"model/pond-{number:02}"] = {
            "kind": "model",
            "id": f"pond-{number:02}",
            "name": "Pond",
            "organization": "maker",
        }
    words = section(show("organization/maker"), "Referred to by")
    assert "pond-09 and 2 more" in words
    assert "pond-10" not in words


def test_unconfirmed_evidence_is_alarming(show: Show) -> None:
    text = show("evidence/osprey-lost")
    assert frame(text, "COULD NOT BE CONFIRMED") == "There is no such file."
    assert "┏" not in show("evidence/osprey-pages")


def test_a_note_is_shown(books: World, show: Show) -> None:
    books["dataset/ripples"]["note"] = "Never use it\nalone."
    assert "Never use it alone." in flowing(show("dataset/ripples").partition("──")[0])


@pytest.mark.parametrize(
    "key",
    ["source/index", "venue/ict", "organization/holt", "benchmark/osprey-here", "method/trees"],
)
def test_every_kind_has_a_page(show: Show, key: str) -> None:
    text = show(key)
    assert f"[{key}]" in text.splitlines()[0]
    assert "── Fields" in text


def test_tracked_fields_of_any_kind_that_has_them_are_shown_with_all_values(
    books: World, show: Show
) -> None:
    books["accelerator/kestrel-48gb"]["released"] = tracked(
        "asserted",
        assertion("2024-01-01", rank="deprecated", because="A placeholder."),
        assertion("2024-05-06", because="On the box."),
    )
    books.records["evidence/kestrel-box"] = evidence(
        "accelerator/kestrel-48gb", "forum", observation={"released": "2024-05-06"}
    ) | {"id": "kestrel-box"}
    text = show("accelerator/kestrel-48gb")
    assert "released: 2024-05-06 · asserted ✓ 2024-05-06: forum" in section(text, "Numbers")
    assert "released 2024-01-01, deprecated" in section(text, "Other values")
