from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.equality.titles import canonical, compare_titles, display_text, says_something, words

TITLE_CHARACTERS = st.text(
    alphabet=st.one_of(
        st.sampled_from("abIVk019 :-+*.,&<>;/'\"{}$\\%~^_#\u00a0\u2013\u2014é\u0301ß𝑘ﬁ²İ"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)
PLAIN = st.text(alphabet="abcdefgXYZ 0123456789+*:", min_size=1, max_size=30)


def same(one: str, other: str) -> bool:
    return compare_titles(one, other, same_work=True).outcome == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"{$\lambda$-terms} in Practice", "λ-terms in Practice"),
        (r"$n$-{Gram} Models in {$O(\log n)$} Space", "n-Gram Models in O(log n) Space"),
        ("$n$-{Gram} Models", "𝑛-Gram Models"),
        (r"\textsc{Gadget}: A \textit{Small} Compiler", "Gadget: A Small Compiler"),
        (r"Bounding {$\ell_2$} Balls", "Bounding ℓ2 Balls"),
        (r"Bounding \ell_2 Balls", "Bounding l2 Balls"),
        (r"Savings of 12\% \& Counting", "Savings of 12% & Counting"),
        (r"Scaling $16\times16$ Grids", "Scaling 16x16 Grids"),
        (r"{\sc Lamp}: {\em Bright} Ideas", "LAMP: bright ideas"),
        (r"A$^*$ on Grids", r"A$^\ast$ on grids"),
        ("The {`}{`}Dark{''} Side --- a tale", "The “Dark” Side — A Tale"),
    ],
)
def test_tex_means_what_it_prints(one: str, other: str) -> None:
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"{$\lambda$-terms} in Practice", "l-terms in Practice"),
        (r"{$\omega$-terms} in Practice", "ømega-terms in Practice"),
        ("$k$-medoids", "$n$-medoids"),
        (r"Bounding {$\ell_2$} Balls", "Bounding ℓ3 Balls"),
        (r"Meet \gadget: Tools", r"Meet \gadgets: Tools"),
        (r"Meet \gadget{x}: Tools", r"Meet x: Tools"),
        (r"Meet \gadget{x}: Tools", r"Meet \gadget{y}: Tools"),
    ],
)
def test_different_symbols_stay_different(one: str, other: str) -> None:
    assert not same(one, other)
    assert not same(other, one)


@pytest.mark.parametrize(
    "pair",
    [
        ("Patches of 8x8 Pixels", "Patches of 4x4 Pixels"),
        ("Sorting Stones, Part I", "Sorting Stones, Part II"),
        ("Engine-4 Report", "Engine-5 Report"),
        ("Results of the 2021 Contest", "Results of the 2022 Contest"),
        ("B+ Trees", "B* Trees"),
        ("C++ Contracts", "C Contracts"),
        ("C# Contracts", "C Contracts"),
        ("Version 2.5 Explained", "Version 25 Explained"),
        ("Cooling to -5 Degrees", "Cooling to 5 Degrees"),
        ("Half of 50% Loss", "Half of 50 Loss"),
        ("If a < b", "If a > b"),
    ],
)
def test_numbers_and_signs_are_significant(pair: tuple[str, str]) -> None:
    assert not same(*pair)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A Rather Long Heading That\n  Was Wrapped", "A Rather Long Heading That Was Wrapped"),
        ("Signals of DEF and\u00a0qrs-7", "Signals of DEF and qrs-7"),
        ("Signals of DEF and&#xa0;qrs-7.", "Signals of DEF and qrs-7"),
        ("z9  measure ", "z9 measure"),
        ("soft\u00adened zero\u200bwidth", "softened zerowidth"),
    ],
)
def test_white_space_carries_no_meaning(one: str, other: str) -> None:
    assert same(one, other)
    assert "\n" not in display_text(one)


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        (
            'Tides in<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML">'
            '<mml:mi mathvariant="italic">K</mml:mi></mml:math>-Layer Seas',
            "Tides in K-Layer Seas",
        ),
        ("Some <i>Bufo</i> (<em>Rana</em>) of ponds", "Some Bufo (Rana) of ponds"),
        (
            r"$\less$p$\greater$Some $\less$i$\greater$Bufo$\less$/i$\greater$$\less$/p$\greater$",
            "Some Bufo",
        ),
        ("Rivers &amp;amp; Roads", "Rivers & Roads"),
        ("Roads &Amp; Rivers", "Roads & Rivers"),
        ("CO<sub>2</sub> at 10<sup>-6</sup>", "CO2 at 10-6"),
        ("If a < b and b > c", "If a < b and b > c"),
        ("If a<b and b>c", "If a<b and b>c"),
        ("&lt;b&gt;Bold&lt;/b&gt; Moves", "Bold Moves"),
        ("<title>Bold<br/>Moves</title>", "Bold Moves"),
        ("<fixed-case>W</fixed-case>ords", "Words"),
    ],
)
def test_mark_up_is_presentation(dirty: str, clean: str) -> None:
    assert same(dirty, clean)
    assert display_text(dirty) == clean


def test_a_space_lost_beside_a_formula_does_not_count() -> None:
    inline = "Bounds for<math><mi>x</mi></math>and <math><mi>y</mi></math>"
    assert same(inline, "Bounds for x and y")
    assert same("Bounds <math><mi>x</mi></math>- and up", "Bounds x-and up")
    assert not same("Bounds for x and y", "Boundsforx andy")


def test_a_comparison_between_angle_brackets_is_no_tag() -> None:
    assert not same("If a < b and b > c", "If a c")
    assert display_text("x<b>y") == "x<b>y"


def test_the_machine_reading_of_a_formula_is_left_out() -> None:
    formula = (
        "<math><semantics><mi>N</mi><annotation encoding='tex'>N</annotation></semantics></math>"
    )
    assert display_text(f"On {formula} things") == "On N things"


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (r"\omega", "ω"),
        (r"\o re", "øre"),
        (r"\textit{x}", "x"),
        (r"Meet \gadget{x} here", r"Meet \gadget x here"),
        (r"\gadget{}-based", r"\gadget-based"),
        (r"100% of $5 to $10 {TeX}", "100% of $5 to $10 TeX"),
        (r"50% {Off} R&D", "50% Off R&D"),
        (r"\LaTeX{} and \TeX", "LaTeX and TeX"),
        (r"\href{https://example.org}{Here}", "Here"),
        (r"{\'E}lan vital", "Élan vital"),
        (r"pages 3--7 {X}", "pages 3–7 X"),
        ("{unfinished", "unfinished"),
        ("plain ~ text", "plain ~ text"),
    ],
)
def test_display_never_mangles(text: str, printed: str) -> None:
    assert display_text(text) == printed


@pytest.mark.parametrize("text", [r"\frac", r"\braket{a}", r"\verb", "{" * 5000 + r"\'e", "\\"])
def test_broken_tex_is_kept_as_written(text: str) -> None:
    assert display_text(text) == text


def test_reading_tex_asks_neither_clock_nor_disk() -> None:
    assert display_text(r"Made \today") == r"Made \today"
    assert display_text(r"\input{titles.py}") == r"\input titles.py"


@pytest.mark.parametrize(
    ("recorded", "observed", "same_work", "outcome", "kind"),
    [
        ("Swift Hedges: Notes on Pruning", "Swift Hedges", True, "same", "subtitle missing"),
        ("Swift Hedges", "Swift Hedges: Notes on Pruning", True, "same", "subtitle missing"),
        ("Swift Hedges?", "Swift Hedges? Notes on Pruning", True, "same", "subtitle missing"),
        ("Swift Hedges", "Swift Hedges: Notes on Mowing", False, "cannot-tell", "not confirmed"),
        ("Ships at Night", "Ships in Fog: A Night Log", True, "different", "title changed"),
        ("Ships at Night", "Ships in Fog: A Night Log", False, "different", "another title"),
        (
            "Memory Palaces in Bees",
            "Unstable Prices from Auctions",
            True,
            "different",
            "wrong paper or identifier",
        ),
        ("swift hedges notes on pruning", "Swift Hedges: Notes on Pruning", True, "same", None),
        ("Swift Hedges - Notes on Pruning", "Swift Hedges: Notes on Pruning", True, "same", ""),
        ("Swift Hedges", "", True, "cannot-tell", "not given"),
    ],
)
def test_changed_and_shortened_titles(
    recorded: str, observed: str, same_work: bool, outcome: str, kind: str | None
) -> None:
    result = compare_titles(recorded, observed, same_work=same_work)
    assert result.outcome == outcome
    assert kind is None or result.kind == kind


def test_a_changed_title_is_reported_with_both_texts() -> None:
    result = compare_titles(r"Ships at {N}ight", "Ships in Fog: A Night Log", same_work=True)
    assert "“Ships at Night”" in result.note
    assert "“Ships in Fog: A Night Log”" in result.note


def test_the_missing_subtitle_is_said_of_the_right_side() -> None:
    in_source = compare_titles("Swift Hedges: Notes", "Swift Hedges", same_work=True)
    in_record = compare_titles("Swift Hedges", "Swift Hedges: Notes", same_work=True)
    assert in_source.note == "subtitle missing in the source"
    assert in_record.note == "subtitle missing in the record"


@pytest.mark.parametrize("pair", [("Café Society", "Cafe Society"), ("On, and Off", "On and Off")])
def test_accents_and_commas_are_noted(pair: tuple[str, str]) -> None:
    result = compare_titles(*pair, same_work=True)
    assert (result.outcome, result.kind) == ("same", "punctuation")


def test_a_publisher_s_title_equals_its_tex_title() -> None:
    plain = "EAGLE: Speculative Sampling Requires Rethinking Feature Uncertainty"
    tex = "{EAGLE}: Speculative Sampling Requires Rethinking Feature Uncertainty"
    assert compare_titles(plain, tex, same_work=True).kind == ""


@given(TITLE_CHARACTERS)
def test_canonical_is_idempotent(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)


@given(TITLE_CHARACTERS)
def test_words_are_idempotent(text: str) -> None:
    assert words(words(text)) == words(text)


@given(TITLE_CHARACTERS)
def test_a_title_is_itself(text: str) -> None:
    result = compare_titles(text, text, same_work=True)
    assert result.outcome == ("same" if says_something(text) else "cannot-tell")


@given(TITLE_CHARACTERS, TITLE_CHARACTERS, st.booleans())
def test_comparing_titles_is_symmetric(one: str, other: str, same_work: bool) -> None:
    there = compare_titles(one, other, same_work=same_work)
    back = compare_titles(other, one, same_work=same_work)
    assert (there.outcome, there.kind) == (back.outcome, back.kind)


@given(PLAIN)
def test_case_and_spacing_never_count(title: str) -> None:
    loud = f"  {title.upper()}\n "
    assert canonical(loud) == canonical(title)


@given(st.text(alphabet="abcXYZ 0123456789", min_size=1, max_size=20))
def test_braces_never_count(title: str) -> None:
    braced = "".join(f"{{{char}}}" for char in title)
    assert canonical(braced) == canonical(title)
