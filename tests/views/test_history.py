from __future__ import annotations

from datetime import date

from world import World, assertion

from .reading import Show, section


def test_assertions_stand_in_the_order_of_their_days(books: World, show: Show) -> None:
    books["paper/osprey"]["venue"]["assertions"].reverse()
    words = section(show(history=True), "venue: CONTESTED")
    assert words.index("2026-02-02 preprints (arXiv)") < words.index("2026-03-09 ict (ICT)")


def test_an_assertion_has_rank_author_basis_reason_and_what_it_corrects(show: Show) -> None:
    words = section(show(history=True), "venue: CONTESTED")
    assert "2026-02-02 preprints (arXiv) · deprecated · by noor" in words
    assert "inferred from: The archive named no conference." in words
    assert "because: Silence was taken for absence. It should not have been." in words
    assert "2026-03-09 ict (ICT) · preferred · by mira stated by the evidence" in words
    assert "supersedes preprints (arXiv)" in words
    assert "why contested: Nobody has seen the programme of the conference." in words


def test_evidence_tells_how_it_was_obtained_and_what_it_says(show: Show) -> None:
    words = section(show(history=True), "pages: settled")
    assert (
        "evidence/osprey-index: index, its page · reported by a librarian on 2026-01-04 "
        "· says “11-20”"
    ) in words
    assert (
        "evidence/osprey-pages: proceedings, its page · transcribed on 2026-01-04 · says “11-29”"
    ) in words


def test_a_decision_stands_where_it_was_taken(books: World, show: Show) -> None:
    pages = books["paper/osprey"]["pages"]
    words = section(show(history=True), "pages: settled")
    assert "2026-04-01 decision by mira because: The volume is at hand." in words
    assert "overruled: index with “11-20”" in words
    assert words.index("11-29 · preferred") < words.index("2026-04-01 decision")
    pages["assertions"].append(
        assertion("11-30", rank="normal", because="Later.", recorded=date(2026, 4, 30))
    )
    words = section(show(history=True), "pages: settled")
    assert words.index("2026-04-01 decision") < words.index("2026-04-30 11-30")


def test_evidence_that_cannot_support_anything_says_so(books: World, show: Show) -> None:
    held = books["paper/osprey"]["title"]["assertions"][0]
    held["evidence"] = ["osprey-lost", "osprey-forum", "osprey-nowhere"]
    words = section(show(history=True), "title: asserted")
    assert "says “Osprey: Diving Decoders” · could not be confirmed" in words
    assert "osprey-forum: forum, its page · transcribed on 2026-01-04 · could-not-ask" in words
    assert "could-not-ask throttled for a day" in words
    assert "evidence/osprey-nowhere: no usable record" in words


def test_withdrawn_evidence_says_so(books: World, show: Show) -> None:
    books["evidence/osprey-pages"]["withdrawn"] = {
        "reason": "entered-in-error",
        "because": "Another paper.",
        "by": "mira",
        "recorded": date(2026, 4, 2),
    }
    assert "says “2025” · withdrawn" in section(show(history=True), "year: asserted")


def test_an_assertion_without_evidence_says_so(show: Show) -> None:
    assert "no evidence" in section(show(history=True), "authors: asserted")


def test_names_as_sources_write_them_stay_apart(books: World, show: Show) -> None:
    names = ["von Holm, Jr., Ida", "Reed, Jon", "{The Otter Group}"]
    books["evidence/osprey-pages"]["observation"]["authors"] = names
    books["paper/osprey"]["authors"]["assertions"][0]["evidence"] = ["osprey-pages"]
    words = section(show(history=True), "authors: asserted")
    assert "says “von Holm, Jr., Ida; Reed, Jon; {The Otter Group}”" in words


def test_kinds_without_tracked_fields_have_no_history(show: Show) -> None:
    text = show("method/osprey", history=True)
    assert "Records of this kind have no tracked fields." in text
    assert "──" not in text


def test_the_history_tells_of_a_withdrawal(books: World, show: Show) -> None:
    books["paper/osprey"]["withdrawn"] = {
        "reason": "retracted",
        "because": "The otters were seals.",
        "by": "mira",
        "recorded": date(2026, 4, 2),
    }
    text = show(history=True)
    assert text.splitlines()[1].startswith("┏━ WITHDRAWN")
    assert "The otters were seals. (2026-04-02, mira)" in text


def test_peak_rates_have_a_history_of_their_own(show: Show) -> None:
    words = section(
        show("accelerator/kestrel-48gb", history=True), "peaks.fp16-2:4-matrix-acc-fp32-die"
    )
    assert "250.5 TFLOP/s" in words
