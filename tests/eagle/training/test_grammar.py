from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.training.requests.grammar import Grammar


def read(folder: Path, *texts: str) -> Grammar:
    paths = [folder / f"{i}.txt" for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return Grammar.read(paths)


def every(grammar: Grammar, rule: str = "request", count: int = 300) -> set[str]:
    return {grammar.compose(rule, random.Random(seed)) for seed in range(count)}


def test_the_three_ways_to_write_alternatives(tmp_path: Path) -> None:
    grammar = read(
        tmp_path,
        "# a comment\n"
        "animal: badger, sea\n"
        "    lion, heron\n"
        "\n"
        "few: 8..10\n"
        "request:\n"
        "    What, again?\n"
        "    A second line.\n",
    )
    assert grammar.rules == {
        "animal": ("badger", "sea lion", "heron"),
        "few": ("8", "9", "10"),
        "request": ("What, again?", "A second line."),
    }
    assert every(grammar, "animal") == {"badger", "sea lion", "heron"}
    assert every(grammar) == {"What, again?", "A second line."}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("{Tell|Ask} me", {"Tell me", "Ask me"}),
        ("{Tell {me|us}|Go}", {"Tell me", "Tell us", "Go"}),
        ("f({x}) = {1, 2}", {"f({x}) = {1, 2}"}),
        ("$pet", {"owl", "cat"}),
        ("$Pet!", {"Owl!", "Cat!"}),
        ("a(n) $pet", {"an owl", "a cat"}),
        ('A(n) "$pet"', {'An "owl"', 'A "cat"'}),
        ("a(n) $age year old", {"an 8 year old", "an 80 year old", "a 9 year old"}),
        ("one\\n  two", {"one\n  two"}),
        ("Go {now|}.", {"Go now.", "Go."}),
        ("$pet1 and $pet1", {"owl and owl", "cat and cat"}),
        ("$pet1 and $pet2", {"owl and cat", "cat and owl"}),
        ("$pet and $pet", {"owl and cat", "cat and owl"}),
        ("$pet1, $both, $Pet1", {"owl, cat+owl, Owl", "cat, owl+cat, Cat"}),
        ("costs $5", {"costs $5"}),
    ],
)
def test_what_is_made_of_what_is_written(tmp_path: Path, written: str, meant: set[str]) -> None:
    rules = "pet: owl, cat\nage: 8, 80, 9\nboth:\n    $pet2+$pet1\n"
    assert every(read(tmp_path, rules, f"request:\n    {written}\n")) == meant


def test_more_slots_than_alternatives_are_filled_all_the_same(tmp_path: Path) -> None:
    grammar = read(tmp_path, "pet: owl, cat\nrequest:\n    $pet $pet $pet\n")
    assert all(len(text.split()) == 3 for text in every(grammar))


@given(st.integers())
def test_the_same_chance_makes_the_same_request(seed: int) -> None:
    grammar = Grammar({"a": tuple("abcdefgh"), "request": ("$a{$a|$a$a}$a1$a1",)})
    first, second = (grammar.compose("request", random.Random(seed)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (["request:\n    a $bird\n"], "rule request asks for bird, which is no rule"),
        (["bird:\n\nrequest: a, b\n"], "rule bird has no alternatives"),
        (["bird: a, b\n", "bird: c, d\n"], "rule bird is there twice"),
    ],
)
def test_wrong_rules_are_refused(tmp_path: Path, texts: list[str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read(tmp_path, *texts)
