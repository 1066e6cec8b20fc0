"""Braces that keep the capitals of a title, worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.bibliography.titles import protected
from registry.equality.markup import display_text

NAMES = frozenset({"Medusa", "Vicuna"})


@pytest.mark.parametrize(
    ("title", "tex"),
    [
        ("EAGLE-2: Faster Inference", "{EAGLE}-2: Faster Inference"),
        ("OT-Spec: Faster Otters", "{OT}-{Spec}: Faster Otters"),
        ("Serving LLMs on H100", "Serving {LLMs} on {H100}"),
        ("Judging with MT-bench", "Judging with {MT}-bench"),
        ("SpecOtter: a Study of iPhone Owners", "{SpecOtter}: a Study of {iPhone} Owners"),
        ("Hydrangea: Draft Heads for Medusa Decoding",
         "{Hydrangea}: Draft Heads for {Medusa} Decoding"),
        ("Q-Learning and Vitamin C: A Survey", "{Q}-Learning and Vitamin {C}: A Survey"),
        ("Draft & Verify", r"Draft \& Verify"),
        ("“Attention” Is Not Enough",
         r"{\textquotedblleft}{Attention}{\textquotedblright} Is Not Enough"),
        ("The École Normale Method", r"The {\'E}cole Normale Method"),
        ("The ÉCOLE Method", r"The {{\'E}COLE} Method"),
        # In sentence case a capital inside a sentence is a name's, whoever knows the name.
        ("Fast decoding after Markov: a study", "Fast decoding after {Markov}: a study"),
        ("Is drafting worth the trouble? Yes, in Vienna",
         "Is drafting worth the trouble? {Yes}, in {Vienna}"),
    ],
)  # fmt: skip
def test_capitals_with_a_meaning_are_kept(title: str, tex: str) -> None:
    assert protected(title, NAMES) == tex


@given(st.text(st.sampled_from("abAB 12-:'’.&%$#_{}~^\\éÉñŁ“?"), max_size=40).map(str.split))
def test_braces_change_no_title(words: list[str]) -> None:
    title = " ".join(words)
    assert display_text(protected(title, NAMES)) == title
