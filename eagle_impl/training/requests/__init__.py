"""Requests of many kinds to a language model, put together from rules and words of our own.

The rules lie in the text files of this folder (``grammar.py`` says how they are written); each
request is one of many millions that they make. No benchmark's prompts are among them, so that a
head which is trained on their answers can be judged with any benchmark.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from eagle_impl.training.requests.grammar import Grammar

KINDS: dict[str, dict[str, int]] = {
    "writing": {
        "story": 5,
        "poem": 3,
        "letter": 4,
        "article": 4,
        "speech": 2,
        "advert": 2,
        "scene": 3,
    },
    "role-play": {"role": 12},
    "reading": {
        "summary": 3,
        "extraction": 5,
        "reading": 4,
        "rewrite": 4,
        "translation": 2,
        "data": 2,
    },
    "maths": {"word_problem": 10, "calculation": 4, "logic": 3},
    "code": {"function": 4, "complete_code": 5, "explain_code": 4, "program_question": 4},
    "knowledge": {"explain": 4, "compare": 3, "science_question": 5, "society_question": 5},
    "everyday": {"howto": 3, "advice": 3, "plan": 2, "list": 3, "chat": 2},
}
"""Rules by kind of request, and how often each is taken: a share of the sum of all."""

FOLLOW_UP, SYSTEM = "followup", "system"
"""Rules for what is said after an answer, and before the conversation."""

MANNERS = {"writing": "manner", "role-play": "manner", "knowledge": "manner", "everyday": "manner"}
MANNERS |= {"code": "manner_of_code", "maths": "manner"}
"""Rules for what may be asked of the answer besides, by kind of request."""

_PARTICULAR = 0.3
"""Share of requests that say it."""


@cache
def grammar() -> Grammar:
    """All rules."""
    return Grammar.read(sorted(Path(__file__).parent.glob("*.txt")))


def request(chance: random.Random) -> tuple[str, str]:
    """A request, and its kind; the same for the same state of chance."""
    rules = [(kind, rule) for kind, weights in KINDS.items() for rule in weights]
    at = chance.random() * sum(KINDS[kind][rule] for kind, rule in rules)
    for kind, rule in rules:
        at -= KINDS[kind][rule]
        if at < 0:
            break
    text = grammar().compose(rule, chance)
    if kind in MANNERS and chance.random() < _PARTICULAR:
        text += ("\n\n" if "\n" in text else " ") + grammar().compose(MANNERS[kind], chance)
    return text, kind
