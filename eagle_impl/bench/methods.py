"""What is compared: plain decoding, and trees of several shapes that one head drafts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias

from eagle_impl.answer import Kit, shape_of
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.generation import Statistics, generate
from eagle_impl.targets.interface import Target
from eagle_impl.trees import TreeShape

PLAIN = "plain"
"""Key of plain decoding, with which the others are compared."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What decoding one prompt gave, and took."""

    ids: tuple[int, ...]
    """What was generated, the end token included if there was one."""
    seconds: float
    """From the prompt's ids to the last generated id, reading the prompt included."""
    statistics: Statistics | None = None
    """Of the own engine."""


Decode: TypeAlias = Callable[[Sequence[int], int], Outcome]
"""Decodes a prompt greedily, so many tokens at most."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way of decoding."""

    key: str
    """In JSON."""
    title: str
    """For people."""
    decode: Decode
    drafter: EagleDrafter | None = None
    own: bool = True
    """Whether it must give out what plain decoding does. Other engines round otherwise."""


def small_tree() -> tuple[str, str, TreeShape]:
    """The default: as many nodes as cost a CPU little more than one."""
    return "eagle-2-7", "EAGLE-2, 7 nodes", shape_of("eagle-2", "")


def large_tree() -> tuple[str, str, TreeShape]:
    """As many nodes as EAGLE-1's tree has."""
    return "eagle-2-25", "EAGLE-2, 25 nodes", shape_of("eagle-2", "8,5,25")


def plain(target: Target) -> Method:
    """Plain decoding."""
    return Method(PLAIN, "plain decoding", decoder(target, None))


def drafted(kit: Kit, *trees: tuple[str, str, TreeShape]) -> list[Method]:
    """Decoding with the kit's head and some trees, the weights shared by all."""
    assert isinstance(kit.drafter, EagleDrafter), "prepared with an EAGLE method"
    methods = []
    for key, title, shape in trees:
        drafter = kit.drafter.with_shape(shape)
        methods.append(Method(key, title, decoder(kit.target, drafter), drafter))
    return methods


def own_methods(kit: Kit) -> list[Method]:
    """All that the own engine is measured with, plain decoding first."""
    chain = ("eagle-1-chain", "EAGLE-1, chain of 3", shape_of("eagle", "chain:3"))
    static = ("eagle-1-tree", "EAGLE-1, tree of 25", shape_of("eagle", "static"))
    return [plain(kit.target), *drafted(kit, small_tree(), large_tree(), chain, static)]


def decoder(target: Target, drafter: EagleDrafter | None) -> Decode:
    """Greedy decoding by the own engine."""

    def decode(prompt: Sequence[int], tokens: int) -> Outcome:
        told = Statistics()
        began = perf_counter()
        ids = tuple(
            generate(target, prompt, drafter=drafter, max_new_tokens=tokens, statistics=told)
        )
        return Outcome(ids, perf_counter() - began, told)

    return decode
