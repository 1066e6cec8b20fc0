from __future__ import annotations

import copy
from datetime import date
from typing import Any

import pytest
from library import sealed
from rich.cells import cell_len
from world import World, assertion, evidence, tracked

from registry.views.headlines import FIRST

from .reading import Show, flowing, frame, section


def test_authors_are_marked_as_in_an_author_block(show: Show) -> None:
    lines = show().splitlines()
    assert lines[0] == "Osprey: Diving Decoders [paper/osprey]"
    assert lines[1] == "Ida von Holm, Jr.¹ ², Jon Reed², The Otter Group"
    assert lines[2] == "¹ Holt Univ., ² Nest Lab"


def test_affiliations_tell_where_they_come_from_and_who_resolved_them(show: Show) -> None:
    text = flowing(show())
    assert "as the author block prints them" in text
    assert "none recorded for The Otter Group" in text
    assert "resolved by mira (“Holt Univ.” is Holt University)" in text
    assert "not resolved to an organization: “Nest Lab”" in text


def test_affiliations_from_profiles_are_not_called_printed(books: World, show: Show) -> None:
    held = books["paper/osprey"]["affiliations"]["assertions"][0]["value"]
    for affiliation in held:
        affiliation["origin"] = "profile"
    text = flowing(show())
    assert "Affiliations from profiles, not as printed" in text
    assert "as the author block prints them" not in text
    del held[0]["origin"]
    assert "but from a profile: “Nest Lab”" in flowing(show())


def test_a_contested_venue_stands_in_a_frame_before_all_facts(show: Show) -> None:
    text = show()
    assert text.index("┏━ CONTESTED: venue, venue_track") < text.index("── Facts")
    words = frame(text, "CONTESTED")
    assert "venue: preprints (arXiv), deprecated → ict (ICT), preferred" in words
    assert "deprecated 2026-02-02 by noor, inferred: Silence was taken for absence." in words
    assert "preferred 2026-03-09 by mira, stated: The printed volume has it." in words
    assert "contested Nobody has seen the programme of the conference." in words


def test_a_conclusion_is_shown_with_what_it_was_concluded_from(show: Show) -> None:
    words = frame(show(), "CONTESTED")
    assert "venue_track: main, preferred" in words
    assert "inferred: The page numbers are those of the volume." in words


def test_a_dispute_that_no_editor_explains_says_so(books: World, show: Show) -> None:
    del books["paper/osprey"]["venue_track"]["contested_because"]
    assert "contested no editor says why" in frame(show(), "CONTESTED")


def test_without_a_dispute_there_is_no_frame(books: World, show: Show) -> None:
    for field in ("venue", "venue_track"):
        books["paper/osprey"][field]["status"] = "asserted"
    assert "CONTESTED" not in show()
    assert "┏" not in show()


def test_of_a_contested_author_line_only_the_difference_is_repeated(
    books: World, show: Show
) -> None:
    authors = books["paper/osprey"]["authors"]
    authors["status"] = "contested"
    authors["assertions"].append(
        assertion(
            [{"given": "Jon", "family": "Reed"}, {"literal": "The Otters"}],
            rank="normal",
            because="On the poster.",
        )
    )
    words = frame(show(), "CONTESTED")
    assert (
        "authors: as above, preferred → without “Ida von Holm, Jr.”, "
        "without “The Otter Group”, with “The Otters”, normal"
    ) in words
    assert "On the poster." in words


def _two_author_lines(books: World, other: list[dict[str, str]]) -> None:
    authors = books["paper/osprey"]["authors"]
    authors["status"] = "contested"
    authors["assertions"].append(assertion(other, rank="normal", because="On the poster."))


def test_a_name_in_another_form_stands_beside_the_one_it_stands_for(
    books: World, show: Show
) -> None:
    line = [
        {"given": "Ida", "particle": "von", "family": "Holm", "suffix": "Jr."},
        {"given": "J.", "family": "Reed"},
        {"literal": "The Otter Group"},
    ]
    _two_author_lines(books, line)
    assert "authors: as above, preferred → “J. Reed” for “Jon Reed”, normal" in frame(
        show(), "CONTESTED"
    )


def test_authors_in_another_order_are_told_also_where_one_is_missing(
    books: World, show: Show
) -> None:
    _two_author_lines(books, [{"literal": "The Otter Group"}, {"given": "Jon", "family": "Reed"}])
    assert (
        "authors: as above, preferred → without “Ida von Holm, Jr.”, "
        "the others in another order, normal"
    ) in frame(show(), "CONTESTED")


def test_of_contested_affiliations_the_authors_are_named_that_have_others(
    books: World, show: Show
) -> None:
    field = books["paper/osprey"]["affiliations"]
    field["status"] = "contested"
    profile = {"author": 1, "printed": "Holt Univ. and Nest Lab", "origin": "profile"}
    field["assertions"].append(assertion([profile], rank="normal", because="From profiles."))
    assert (
        "affiliations: as above, preferred → Ida von Holm, Jr.: “Holt Univ. and Nest Lab”; "
        "none for Jon Reed, normal"
    ) in frame(show(), "CONTESTED")


def test_affiliations_that_differ_only_in_where_they_come_from_say_so(
    books: World, show: Show
) -> None:
    field = books["paper/osprey"]["affiliations"]
    field["status"] = "contested"
    same = [dict(one, origin="profile") for one in field["assertions"][0]["value"]]
    field["assertions"].append(assertion(same, rank="normal", because="From profiles."))
    words = frame(show(), "CONTESTED")
    assert "affiliations: as above, preferred → the same words, normal" in words


def test_a_settled_author_line_is_not_repeated(books: World, show: Show) -> None:
    authors = books["paper/osprey"]["authors"]
    loser = [{"given": "Jon", "family": "Reed"}] * 30
    authors["status"] = "settled"
    authors["decision"] = {
        "decided": date(2026, 4, 1),
        "by": "mira",
        "because": "The poster repeats itself.",
        "overruled": [
            {"source": "index", "value": ", ".join(["Jon Reed"] * 30)},
            {"source": "forum", "value": "Jon Reed"},
        ],
    }
    authors["assertions"].append(assertion(loser, rank="deprecated", because="A slip."))
    words = section(show(), "Settled")
    assert "authors as above since 2026-04-01 by mira: The poster repeats itself." in words
    assert "Overruled: index; forum said Jon Reed." in words


@pytest.mark.parametrize("stop", ["", ".", "?", "!”"])
def test_a_reason_ends_once_before_what_follows_it(books: World, show: Show, stop: str) -> None:
    field = books["paper/osprey"]["pages"]
    field["decision"]["because"] = f"I asked her{stop}"
    field["decision"]["overruled"] = [{"source": "index", "value": f"11-30{stop}"}]
    words = section(show(), "Settled by a decision")
    assert f"I asked her{stop or '.'} Overruled: index said 11-30{stop or '.'}" in words
    assert ".." not in words


def test_the_grid_has_every_field_with_value_status_and_signs(show: Show) -> None:
    lines = show().partition("── Facts")[2].partition("── ")[0].splitlines()
    rows = {line.split()[0]: line.split() for line in lines[2:12] if line}
    sources = lines[1].split()[3:]
    assert sources == ["archive", "forum", "index", "proceedings"]
    assert rows["venue"] == ["venue", "ict", "(ICT)", "CONTESTED", "–", "?", "·", "✓"]
    assert rows["venue_track"][1:] == ["main", "(inferred)", "CONTESTED", "·", "?", "·", "–"]
    assert rows["pages"] == ["pages", "11-29", "settled", "·", "?", "✗", "✓"]
    assert rows["doi"] == ["doi", "10.5555/osprey.1", "asserted", "·", "?", "✓", "·"]


def test_signs_are_explained_and_contradictions_quoted(show: Show) -> None:
    words = section(show(), "Facts")
    assert "✓ confirmed ✗ contradicted – silent · not-asked ? could-not-ask" in words
    assert "? forum, every field: throttled for a day" in words
    assert "✗ index, pages: “11-20”" in words
    assert "[evidence/osprey-index]" in words


def test_too_many_sources_are_numbered(books: World, show: Show) -> None:
    for number in range(12):
        books.records[f"source/almanac-{number}"] = {
            "kind": "source",
            "id": f"almanac-{number}",
            "name": f"Almanac {number}",
            "type": "index",
        }
        books.records[f"evidence/osprey-almanac-{number}"] = evidence(
            "paper/osprey", f"almanac-{number}", observation={"year": 2025}
        ) | {"id": f"osprey-almanac-{number}"}
    words = section(show(), "Facts")
    assert "field record status 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 title" in words
    assert "1 almanac-0 2 almanac-1 3 almanac-10" in words
    assert "16 proceedings" in words


def test_more_sources_than_a_line_holds_are_listed(books: World, show: Show) -> None:
    for number in range(40):
        books.records[f"source/almanac-{number}"] = {
            "kind": "source",
            "id": f"almanac-{number}",
            "name": f"Almanac {number}",
            "type": "index",
        }
        books.records[f"evidence/osprey-almanac-{number}"] = evidence(
            "paper/osprey", f"almanac-{number}", observation={"year": 2025}
        ) | {"id": f"osprey-almanac-{number}"}
    words = section(show(), "Facts")
    assert "• year: 2025 · asserted ✓ almanac-0, almanac-1, almanac-10" in words
    assert "• pages: 11-29 · settled ✓ proceedings ✗ index ? forum" in words


def test_a_decision_is_shown_with_who_was_overruled(show: Show) -> None:
    words = section(show(), "Settled by a decision")
    assert "pages 11-29 since 2026-04-01 by mira: The volume is at hand." in words
    assert "Overruled: index said 11-20." in words


def test_values_of_uncontested_fields_that_were_given_up_stay_visible(show: Show) -> None:
    words = section(show(), "Other values that are held")
    assert "pages 11-20, deprecated, 2026-01-05 by editor, stated: Cut short." in words


def test_unconfirmed_evidence_is_named_and_supports_nothing(show: Show) -> None:
    text = show()
    assert "── Evidence that could not be confirmed, and supports nothing" in text
    words = section(text, "Evidence that could not be confirmed")
    assert "evidence/osprey-lost: notes.tex beside the volume" in words
    assert "(proceedings, transcribed, on title): There is no such file." in words


def test_stated_and_inferred_hardware_stand_apart(show: Show) -> None:
    words = section(show(), "Hardware")
    assert "Kestrel 48 GB module [accelerator/kestrel-48gb]: the link is INFERRED" in words
    stated, _, inferred = words.partition("inferred: ")
    assert "training “Kestrel (48G)”, memory 48G, count 2, no form factor" in stated
    assert inferred == "training form factor module, from: Two stood in one case"


def test_a_stated_link_is_not_called_inferred(books: World, show: Show) -> None:
    link = books["paper/osprey"]["hardware"][0]
    link["basis"] = "stated"
    del link["inferred"]
    words = section(show(), "Hardware")
    assert "the link is stated" in words
    assert "INFERRED" not in words
    assert "inferred:" not in words


def test_claims_have_number_conditions_origin_and_derivation(show: Show) -> None:
    words = section(show(), "Claims of the authors [claims/osprey]")
    assert "2.4x-3.1x speedup, Pond 7B, batch 1, hardware UNKNOWN" in words
    assert "v2 Abstract · range of 2 cells of table-1 over temperature" in words
    assert "up to 90 tokens/s speed, temperature 0, on “one Kestrel” (count 1)" in words
    assert "3.0 tokens tau v2 Abstract · Counted by hand." in words


def test_unknown_hardware_is_named_only_where_it_matters(show: Show) -> None:
    words = section(show(), "Claims")
    assert words.count("hardware UNKNOWN") == 1
    assert "3.0 tokens tau v2" in words


def test_what_is_not_shown_is_counted_by_whose_it_is(show: Show) -> None:
    assert FIRST == 3
    words = section(show(), "Claims")
    assert (
        "2 more claims, 1 by the authors, 1 by third parties; 2 tables: registry show claims/osprey"
    ) in words
    assert "1.2x" not in words
    assert "The text stays the same." not in words


def test_withdrawn_claims_are_marked(books: World, show: Show) -> None:
    books["claims/osprey"]["withdrawn"] = {
        "reason": "retracted",
        "because": "The otters were seals.",
        "by": "mira",
        "recorded": date(2026, 4, 4),
    }
    assert "── Claims of the authors [claims/osprey]; WITHDRAWN" in show()


def test_own_measurements_stand_beside_the_claims(show: Show) -> None:
    words = section(show(), "Measured here, to be read beside the claims; it supports none of them")
    assert "Pond 7B [benchmark/osprey-here] · measured 2026-05-02 on The machine in the" in words
    assert "The machine in the shed, 4 threads" in words
    assert "12 prompts of Ripples, 5 times, at most 64 tokens each" in words
    assert "60 of 60 outputs are those of plain decoding" in words
    assert "2 of 12 outputs end in a loop · commit 000000000000 · Pond 7B, temperature 0" in words
    assert "speedup 1.50x (1.40-1.62) brackets: all of 5 repeats (speedup)" in words
    assert "1.50x" not in section(show(), "Claims")


def result(metric: str, unit: str, median: float, **more: Any) -> dict[str, Any]:
    return {
        "metric": {"name": metric, "unit": unit, "decimals": 2},
        "conditions": {"method": "osprey", "temperature": 0},
        "median": median,
        "low": median,
        "high": median,
        "count": 1,
    } | more


def test_measurements_of_one_way_of_decoding_share_a_line(books: World, show: Show) -> None:
    record = books["benchmark/osprey-here"]
    record["results"] = [
        result("tau", "tokens", 2.25),
        result("acceptance-1", "fraction", 0.5),
        result("roofline-share", "fraction", 0.75),
        result("speedup", "x", 1.5, count=3, low=1.25, high=1.75, over="repeats"),
        result("speedup", "x", 9.0, conditions={"method": "osprey", "temperature": 1}),
    ]
    words = section(show(), "Measured here")
    # A tau of the same in every repeat has no spread.
    assert "temperature speedup tau of roofline 0 1.50x (1.25-1.75) 2.25 75% 1 9.00x" in words
    assert "brackets: all of 3 repeats (speedup) · 1 more in the record" in words


def test_brackets_are_quartiles_where_they_are_known(books: World, show: Show) -> None:
    spread = {"low": 1.0, "lower_quartile": 1.25, "upper_quartile": 1.75, "high": 2.0}
    books["benchmark/osprey-here"]["results"] = [
        result("speedup", "x", 1.5, count=3, over="repeats", **spread),
        result("speed", "tokens/s", 1.5, count=36, over="runs", **spread),
    ]
    words = section(show(), "Measured here")
    assert "1.50x (1.25-1.75) 1.50 (1.25-1.75)" in words
    assert "brackets: quartiles of 3 repeats (speedup), 36 runs (tokens/s)" in words


def test_conditions_that_all_measurements_share_stand_above_them(books: World, show: Show) -> None:
    shared = {"method": "osprey", "batch": 1, "precision": "fp32"}
    books["benchmark/osprey-here"]["results"] = [
        result("speedup", "x", 1.5, conditions=shared | {"drafting": "chain", "temperature": 0}),
        result("speedup", "x", 1.75, conditions=shared | {"drafting": "tree", "temperature": 0}),
    ]
    words = section(show(), "Measured here")
    assert "commit 000000000000 · temperature 0, batch 1, fp32 drafting speedup" in words
    assert "chain 1.50x tree 1.75x" in words


def test_measurements_of_other_methods_stand_on_their_own_pages(books: World, show: Show) -> None:
    record = books["benchmark/osprey-here"]
    record["methods"] = ["osprey", "osprey-two"]
    other = result("speedup", "x", 3.0, conditions={"method": "osprey-two"})
    record["results"] = [result("speedup", "x", 1.5), other]
    record["baselines"] = [result("speed", "tokens/s", 40.0, name="plain", conditions={})]
    words = section(show(), "Measured here")
    assert "speedup 1.50x" in words
    assert "3.00x" not in words
    assert "2 more in the record" in words


def test_measurements_that_do_not_count_or_cannot_be_repeated_say_so(
    books: World, show: Show
) -> None:
    record = books["benchmark/osprey-here"]
    record["uncommitted"] = True
    record["machine"]["device"] = "Kestrel 48GB, driver 3"
    record["withdrawn"] = {
        "reason": "entered-in-error",
        "because": "The wheel slipped.",
        "by": "mira",
        "recorded": date(2026, 6, 2),
    }
    words = section(show(), "Measured here")
    assert "WITHDRAWN: The wheel slipped." in words
    assert "code not committed, near 000000000000" in words
    assert "measured 2026-05-02 on Kestrel 48GB, driver 3 in The machine in the shed" in words


def another_run(record: dict[str, Any], number: int, **changes: Any) -> dict[str, Any]:
    return sealed(copy.deepcopy(record) | {"id": f"osprey-here-{number}"} | changes)


def test_runs_of_one_measurement_are_one_block(books: World, show: Show) -> None:
    first = books["benchmark/osprey-here"]
    first["results"] = [result("speedup", "x", 1.5), result("tau", "tokens", 2.25)]
    again = another_run(first, 2, commit="1" * 40, results=[result("speedup", "x", 1.6)])
    last = another_run(first, 3, measured=date(2026, 5, 3))
    # An edited one is no run of anything.
    edited = another_run(first, 4) | {"seed": 8}
    for one in (sealed(first), again, last, edited):
        books.records[f"benchmark/{one['id']}"] = one
    words = section(show(), "Measured here")
    assert words.count("measured 2026-05-0") == 2
    assert "[benchmark/osprey-here-3] · measured" in words
    assert "[benchmark/osprey-here-4] · EDITED BY HAND: these are not the numbers" in words
    # 1.6 is a fifteenth more than 1.5.
    told = "2 more runs of the same: all speedups within 6.7% [osprey-here, osprey-here-2]"
    assert told in words


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "reed-7b"},
        {"uncommitted": True},
        {"seed": 8},
        {"machine": {"threads": 2}},
        {"machine": {"device": "Kestrel 48GB, driver 3"}},
        {"workload": {"tokens": 65}},
        {"workload": {"sha256": "2" * 64}},
        {"heads": [{"path": "x", "sha256": "3" * 64}]},
        {"results": [result("speedup", "x", 1.5, conditions={"method": "osprey", "batch": 2})]},
        {"results": [result("tau", "x", 1, conditions={"method": "osprey", "precision": "bf16"})]},
        {
            "withdrawn": {
                "reason": "entered-in-error",
                "because": "The wheel slipped.",
                "by": "mira",
                "recorded": date(2026, 6, 2),
            }
        },
    ],
    ids=repr,
)
def test_what_was_measured_otherwise_is_another_block(
    books: World, show: Show, changes: dict[str, Any]
) -> None:
    first = books["benchmark/osprey-here"]
    books.records["benchmark/osprey-here"] = sealed(first)
    books.records["model/reed-7b"] = {"kind": "model", "id": "reed-7b", "name": "Reed 7B"}
    changes = {
        key: first[key] | value if isinstance(value, dict) and key in first else value
        for key, value in changes.items()
    }
    books.records["benchmark/osprey-here-2"] = another_run(first, 2, **changes)
    words = section(show(), "Measured here")
    assert words.count("measured 2026-05-02") == 2
    assert "of the same" not in words


def test_adoption_has_its_scope(show: Show) -> None:
    words = section(show(), "Adoption, engine by method; limits: registry show engine/ID")
    assert "since trees batches sampling limits" in words
    assert "Osprey in Mill 0.4, merged 2025-08 no yes unknown 2" in words
    assert "Osprey Two, built upon it [method/osprey-two]: trees yes: Mill" in words


def test_later_methods_have_their_engines_by_what_they_draft(books: World, show: Show) -> None:
    for name, answer in (("Press", "no"), ("Loom", "yes")):
        adopted = books["engine/mill"]["adoption"][1] | {"tree_drafting": answer}
        engine = books["engine/mill"] | {"id": name.lower(), "name": name, "adoption": [adopted]}
        books.records[f"engine/{name.lower()}"] = engine
    assert "[method/osprey-two]: trees yes: Mill, Loom; trees no: Press" in section(
        show(), "Adoption"
    )


def test_adoption_whose_beginning_is_unknown_says_so(books: World, show: Show) -> None:
    adopted = books["engine/mill"]["adoption"][0]
    del adopted["since"], adopted["limits"]
    words = section(show(), "Adoption")
    assert "Osprey in Mill unknown, merged 2025-08 no yes unknown none recorded" in words


def test_what_is_not_interchangeable_is_named_with_the_reason(show: Show) -> None:
    words = section(show(), "Method")
    assert "Osprey and Trees are NOT INTERCHANGEABLE [method/trees]" in words
    assert "Osprey dives; Trees only climb." in words
    assert "taken for it: Trees, of the same volume. [paper/trees]" in words


def test_the_other_method_may_declare_it(books: World, show: Show) -> None:
    del books["method/osprey"]["not_interchangeable_with"]
    books["method/trees"]["not_interchangeable_with"] = [
        {"method": "osprey", "because": "Trees do not fly."}
    ]
    words = section(show(), "Method")
    assert "Osprey and Trees are NOT INTERCHANGEABLE [method/trees]: Trees do not fly." in words


def test_the_bundled_implementation_tells_how_to_run_it(books: World, show: Show) -> None:
    assert "available in nest/: nest generate --method osprey" in section(show(), "Method")
    books["method/osprey"]["implementation"] = {"path": "nest/", "state": "planned"}
    assert "planned: nest/ cannot run it yet" in section(show(), "Method")
    del books["method/osprey"]["implementation"]
    assert "no implementation is bundled" in section(show(), "Method")


def test_versions_and_related_work_are_named(show: Show) -> None:
    words = section(show(), "Notes, versions and related work")
    assert "preprint v2 2025-01-20: A table was added." in words
    assert "blog-post A post about diving. · 2024-12-01" in words


def test_a_withdrawn_record_says_so_first(books: World, show: Show) -> None:
    books["paper/osprey"]["withdrawn"] = {
        "reason": "duplicate",
        "because": "It was entered twice.",
        "by": "mira",
        "recorded": date(2026, 4, 2),
        "successor": "paper/trees",
    }
    text = show()
    assert text.splitlines()[1].startswith("┏━ WITHDRAWN")
    words = frame(text, "WITHDRAWN")
    assert words == "duplicate: It was entered twice. (2026-04-02, mira); use paper/trees instead"


def test_a_paper_that_a_source_calls_retracted_says_so_first(books: World, show: Show) -> None:
    books["evidence/osprey-index"]["standing"] = "retracted"
    text = show()
    assert text.splitlines()[1].startswith("┏━ RETRACTED, as a source says")
    words = frame(text, "RETRACTED")
    assert words == "index says retracted (read 2026-01-04) [evidence/osprey-index]"


@pytest.mark.parametrize("change", [{"confirmed": False}, {"standing": "active"}])
def test_standing_that_nothing_supports_is_no_alarm(
    books: World, show: Show, change: dict[str, object]
) -> None:
    books["evidence/osprey-index"].update({"standing": "withdrawn"} | change)
    assert "as a source says" not in show()


def test_a_paper_with_nothing_but_a_title_has_a_page(books: World, show: Show) -> None:
    authors = tracked("asserted", assertion([{"family": "Suharto"}], because="Printed so."))
    books.records["paper/bare"] = {
        "kind": "paper",
        "id": "bare",
        "title": tracked("asserted", assertion("Bare", because="Printed so.")),
        "authors": authors,
    }
    text = show("paper/bare")
    assert "No affiliations are recorded." in text
    assert "No source has been asked." in text
    assert "No accelerator is linked." in text
    assert "No claims of this paper are recorded." in text
    assert "No engine is recorded as shipping it." in text


def test_without_a_preferred_value_none_is_made_up(books: World, show: Show) -> None:
    books["paper/osprey"]["year"]["assertions"][0]["rank"] = "normal"
    assert "(no value is preferred)" in show()


def test_dangling_references_are_seen(books: World, show: Show) -> None:
    del books.records["accelerator/kestrel-48gb"]
    del books.records["venue/preprints"]
    text = flowing(show())
    assert "kestrel-48gb (no usable record)" in text
    assert "preprints (no such venue), deprecated" in text


def test_faults_of_the_file_are_announced(books: World, show: Show) -> None:
    assert "in this file" not in show()
    books["paper/osprey"]["year"]["assertions"][0]["evidence"] = []
    assert "1 fault in this file: `registry verify paper/osprey` tells" in show()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
@pytest.mark.parametrize("history", [False, True])
def test_no_line_is_wider_than_the_terminal(show: Show, width: int, history: bool) -> None:
    for line in show(width=width, history=history).splitlines():
        assert cell_len(line) <= width
