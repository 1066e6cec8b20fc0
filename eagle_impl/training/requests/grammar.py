r"""A small language for requests that differ in wording and in what they are about.

A file holds rules. A rule has a name and alternatives: short ones between commas on one line (or
more, if indented), long ones on an indented line each, whole numbers as a range::

    animal: badger, heron, sea lion
    few: 2..9
    story:
        {Write|Tell me} a {short |}story about a(n) $animal that is $few years old.
        $person1 met a(n) $animal.\nWhat did $person1 say?

One alternative is chosen, all being equally likely, and filled in until nothing is left to fill:

- ``{a|b|}`` becomes one of the parts; braces without a bar stand for themselves.
- ``$name`` becomes an alternative of a rule, ``$Name`` the same with a capital letter; in one
  request a different one each time, as far as there are enough. With a digit behind the name it is
  the same one wherever that stands in the request.
- ``a(n)`` becomes "a" or "an", and ``\n`` a new line.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

_PARTS = re.compile(r"\{([^{}]*\|[^{}]*)\}")
_SLOT = re.compile(r"\$([A-Za-z_]+)(\d?)")
_ARTICLE = re.compile(r"\b([Aa])\(n\)(?=\W*(\w))")
_LOOSE = re.compile(r" +(?=[.,?!](\s|$))")  # before a full stop, where a part was left out
_RANGE = re.compile(r"(\d+)\.\.(\d+)")


class Grammar:
    """Rules by name."""

    def __init__(self, rules: dict[str, tuple[str, ...]]) -> None:
        """Take rules.

        Raises:
            ValueError: A rule is empty, or asks for one that is not there.
        """
        for name, alternatives in rules.items():
            if not alternatives:
                raise ValueError(f"rule {name} has no alternatives")
            for wanted, _ in _SLOT.findall("\n".join(alternatives)):
                if wanted.lower() not in rules:
                    raise ValueError(f"rule {name} asks for {wanted}, which is no rule")
        self.rules = rules

    @classmethod
    def read(cls, paths: Iterable[Path]) -> Grammar:
        """The rules of some files together.

        Raises:
            ValueError: A rule is there twice, is empty, or asks for one that is not there.
        """
        rules: dict[str, tuple[str, ...]] = {}
        for path in paths:
            for name, alternatives in _parse(path.read_text(encoding="utf-8")):
                if name in rules:
                    raise ValueError(f"{path}: rule {name} is there twice")
                rules[name] = alternatives
        return cls(rules)

    def compose(self, rule: str, chance: random.Random) -> str:
        """One of the requests that a rule stands for; the same for the same state of chance."""
        return _Composition(self.rules, chance).fill(f"${rule}").strip()


class _Composition:
    """One request while it is filled in."""

    def __init__(self, rules: dict[str, tuple[str, ...]], chance: random.Random) -> None:
        self._rules = rules
        self._chance = chance
        self._used: set[tuple[str, str]] = set()  # rule and alternative
        self._same: dict[str, str] = {}  # by rule with its digit

    def fill(self, text: str) -> str:
        filled = self._expand(text)
        filled = _ARTICLE.sub(lambda found: found[1] + "n" * (found[2] in "aeiouAEIOU8"), filled)
        return _LOOSE.sub("", filled.replace("\\n", "\n"))

    def _expand(self, text: str) -> str:
        while found := _PARTS.search(text):
            text = text[: found.start()] + self._one(found[1].split("|")) + text[found.end() :]
        return _SLOT.sub(lambda found: self._slot(found[1], found[2]), text)

    def _slot(self, name: str, digit: str) -> str:
        rule = name.lower()
        if not digit:
            chosen = self._expand(self._alternative(rule))
        elif rule + digit in self._same:
            chosen = self._same[rule + digit]
        else:
            chosen = self._same[rule + digit] = self._expand(self._alternative(rule))
        return chosen[:1].upper() + chosen[1:] if name[0].isupper() else chosen

    def _alternative(self, rule: str) -> str:
        every = self._rules[rule]
        chosen = self._one([one for one in every if (rule, one) not in self._used] or every)
        self._used.add((rule, chosen))
        return chosen

    def _one(self, choices: Sequence[str]) -> str:
        # Only random() promises the same numbers in every release of Python.
        return choices[int(self._chance.random() * len(choices))]


def _parse(text: str) -> Iterable[tuple[str, tuple[str, ...]]]:
    lines = [line for line in text.splitlines() if line.strip() and line[0] != "#"]
    starts = [at for at, line in enumerate(lines) if not line[0].isspace()] + [len(lines)]
    for start, end in pairwise(starts):
        name, _, first = lines[start].partition(":")
        rest = tuple(line.strip() for line in lines[start + 1 : end])
        yield name, _alternatives(first.strip(), rest)


def _alternatives(first: str, rest: tuple[str, ...]) -> tuple[str, ...]:
    if not first:
        return rest
    if limits := _RANGE.fullmatch(first):
        return tuple(map(str, range(int(limits[1]), int(limits[2]) + 1)))
    return tuple(word.strip() for word in " ".join((first, *rest)).split(","))
