"""What is compared: plain decoding, and trees of several shapes that one head drafts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from eagle_impl.answer import Kit, shape_of
from eagle_impl.bench.clock import Clock
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.errors import OptionError
from eagle_impl.generation import Statistics, generate
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import StaticTree
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
    readings: int = 0
    """Of the clock."""


class Decode(Protocol):
    """Decodes a prompt."""

    def __call__(
        self, prompt: Sequence[int], tokens: int, temperature: float = 0.0, seed: int = 0
    ) -> Outcome:
        """Decode ``tokens`` tokens at most; other engines do so greedily whatever is asked."""
        ...


@dataclass(frozen=True, slots=True)
class Engine:
    """What decodes. Other engines than the own one do so greedily, and round in their own ways."""

    record: str = ""
    """Id of its record; the own one has none."""
    software: str = ""
    """Versions and files that only its times depend on."""
    precision: str = ""
    """Number format of its weights, if they are not those of the own one."""
    timed: str = ""
    """What its time holds besides decoding."""


OWN = Engine()


@dataclass(frozen=True, slots=True)
class Method:
    """One way of decoding."""

    key: str
    """In JSON, and on the command line."""
    title: str
    """For people."""
    decode: Decode
    drafter: EagleDrafter | None = None
    record: str = ""
    """Id of the method's record; plain decoding has none."""
    drafting: str = ""
    """Shape of the draft, in the words of the records."""
    engine: Engine = OWN
    prompts: int | None = None
    """How many it decodes, the first ones; all if None."""

    @property
    def own(self) -> bool:
        """Whether the own engine decodes, whose methods must give out what plain decoding does."""
        return self.engine == OWN

    @property
    def is_chain(self) -> bool:
        """Whether its trees have one node a level."""
        return self.drafter is not None and self.drafter.depth == self.drafter.shape.total

    def same_ids(self, temperature: float) -> bool:
        """Whether the ids must be those of plain decoding, with the same seed.

        Where a static tree's nodes are drawn, only the law of the output is the same.
        """
        static = self.drafter is not None and isinstance(self.drafter.shape, StaticTree)
        return self.own and not (static and temperature > 0)


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree to draft, and what it is called."""

    key: str
    title: str
    shape: TreeShape
    record: str
    drafting: str


def small_tree() -> Tree:
    """The default: as many nodes as cost a CPU little more than one."""
    shape = shape_of("eagle-2", "")
    words = "dynamic tree of 7 nodes, depth 3, top-k 4"
    return Tree("eagle-2-7", "EAGLE-2, 7 nodes", shape, "eagle-2", words)


def large_tree() -> Tree:
    """As many nodes as EAGLE-1's tree has."""
    shape = shape_of("eagle-2", "8,5,25")
    words = "dynamic tree of 25 nodes, depth 5, top-k 8"
    return Tree("eagle-2-25", "EAGLE-2, 25 nodes", shape, "eagle-2", words)


def _trees() -> tuple[Tree, ...]:
    chain, static = shape_of("eagle", "chain:3"), shape_of("eagle", "static")
    return (
        small_tree(),
        large_tree(),
        Tree("eagle-1-chain", "EAGLE-1, chain of 3", chain, "eagle", "chain of 3"),
        Tree("eagle-1-tree", "EAGLE-1, tree of 25", static, "eagle", "static tree of 25 nodes"),
    )


def plain(target: Target, clock: Clock) -> Method:
    """Plain decoding."""
    return Method(PLAIN, "plain decoding", decoder(target, lambda sampler: None, clock))


def drafted(kit: Kit, clock: Clock, *trees: Tree) -> list[Method]:
    """Decoding with the kit's head and some trees, the weights shared by all."""
    assert isinstance(kit.drafter, EagleDrafter), "prepared with an EAGLE method"
    first, methods = kit.drafter, []
    for tree in trees:
        drafter = first.with_shape(tree.shape)
        decode = decoder(kit.target, _for_samplers(drafter), clock)
        methods.append(Method(tree.key, tree.title, decode, drafter, tree.record, tree.drafting))
    return methods


def own_methods(kit: Kit, clock: Clock, keys: Sequence[str] = ()) -> list[Method]:
    """What the own engine is measured with, plain decoding first.

    Args:
        kit: Prepared with an EAGLE method.
        clock: Seconds.
        keys: Those to take besides plain decoding; all if empty.

    Raises:
        OptionError: There is no method of that key.
    """
    return [plain(kit.target, clock), *drafted(kit, clock, *trees_of(keys))]


def trees_of(keys: Sequence[str]) -> list[Tree]:
    """The trees of some methods; all if ``keys`` is empty.

    Raises:
        OptionError: There is no method of that key.
    """
    trees = _trees()
    known = [tree.key for tree in trees]
    for key in keys:
        if key not in (*known, PLAIN):
            raise OptionError(f"there is no method '{key}'", f"known are {', '.join(known)}")
    return [tree for tree in trees if not keys or tree.key in keys]


def software_of(methods: Sequence[Method]) -> list[str]:
    """What the times of other engines depend on besides ``header.software``."""
    return list(dict.fromkeys(one.engine.software for one in methods if one.engine.software))


def _for_samplers(drafter: EagleDrafter) -> Callable[[Sampler], EagleDrafter]:
    made: dict[Sampler, EagleDrafter] = {}

    def with_sampler(sampler: Sampler) -> EagleDrafter:
        if sampler not in made:
            made[sampler] = drafter.with_shape(drafter.shape, sampler)
        return made[sampler]

    return with_sampler


def decoder(
    target: Target, drafter: Callable[[Sampler], EagleDrafter | None], clock: Clock
) -> Decode:
    """Decoding by the own engine."""

    def decode(
        prompt: Sequence[int], tokens: int, temperature: float = 0.0, seed: int = 0
    ) -> Outcome:
        sampler = Sampler(temperature=temperature)
        drafts, told = drafter(sampler), Statistics()
        before = clock.readings
        began = clock()
        ids = tuple(
            generate(
                target,
                prompt,
                drafter=drafts,
                sampler=sampler,
                max_new_tokens=tokens,
                seed=seed,
                statistics=told,
                clock=clock,
            )
        )
        return Outcome(ids, clock() - began, told, clock.readings - before)

    return decode
