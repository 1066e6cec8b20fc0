"""Single forward passes: what a cycle would take if nothing else took time.

They are measured among the runs that they explain, a cycle at a time: the target over one token,
the target over a tree, then the head's steps. The order matters, since the weights that were read
last are those that a CPU still has at hand.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from eagle_impl.bench.methods import Method
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.targets.interface import Target
from eagle_impl.trees import DraftTree, Frontier, Growth, TreeShape


@dataclass(frozen=True, slots=True)
class Forwards:
    """Forward passes of one cycle."""

    method: str
    """Key of the method whose cycle it is."""
    length: int
    """Tokens in the caches."""
    one: float
    """Seconds of the target over one token."""
    verify: float
    """Seconds of the target over the method's tree."""
    draft: float
    """Seconds of all steps of the head, each with the draft's LM head."""
    steps: int
    """How many these are."""


@dataclass(frozen=True, slots=True)
class Round:
    """What was measured after a prompt."""

    repeat: int
    question: str
    forwards: tuple[Forwards, ...]


@dataclass(frozen=True, slots=True)
class Typical:
    """Medians of forward passes at one length, in seconds."""

    one: float
    """Of the target over one token, in the cycles of all methods."""
    verify: float
    steps: int
    step: float
    """Of one step of the head."""


def typical(cycles: Iterable[Forwards], method: str, length: int) -> Typical:
    """What the forward passes of a method take at a length."""
    everyone = [cycle for cycle in cycles if cycle.length == length]
    own = [cycle for cycle in everyone if cycle.method == method]
    steps = own[0].steps
    return Typical(
        one=statistics.median(cycle.one for cycle in everyone),
        verify=statistics.median(cycle.verify for cycle in own),
        steps=steps,
        step=statistics.median(cycle.draft for cycle in own) / steps,
    )


def lengths(prompts: Sequence[int], tokens: int, longest: int) -> tuple[int, ...]:
    """Lengths of context that runs meet: the shortest, one in the middle, the longest.

    Args:
        prompts: Tokens of each prompt.
        tokens: That are generated at most.
        longest: Where the context must end.
    """
    middle = int(statistics.median(prompts)) + tokens // 2
    met = (min(prompts), middle, max(prompts) + tokens)
    return tuple(sorted({max(1, min(length, longest)) for length in met}))


class Outline(TreeShape):
    """Frontiers of a shape that are known beforehand, so that a draft is nothing but its steps."""

    def __init__(self, shape: TreeShape, device: torch.device | str = "cpu") -> None:
        """Grow a tree of the shape. Which tokens it has does not matter: they are drawn."""
        generator = torch.Generator().manual_seed(0)

        def drawn(rows: int) -> Tensor:
            return torch.randn(rows, 32, generator=generator).log_softmax(dim=-1).to(device)

        self._shape = shape
        self.frontiers = list[Frontier]()
        growth = shape.plant(0)
        rows = 1
        while (frontier := growth.grow(drawn(rows))) is not None:
            self.frontiers.append(frontier)
            rows = frontier.tokens.numel()
        self.tree = growth.tree()

    @property
    def steps(self) -> int:
        """Steps of the head: one over what has become certain, and one for each frontier."""
        return 1 + len(self.frontiers)

    @property
    def depth(self) -> int:
        """See ``TreeShape``."""
        return self._shape.depth

    @property
    def total(self) -> int:
        """See ``TreeShape``."""
        return self._shape.total

    @property
    def expansions(self) -> int:
        """See ``TreeShape``."""
        return self._shape.expansions

    def plant(self, root: int, vocabulary: Tensor | None = None) -> Growth:
        """See ``TreeShape``."""
        return _Known(self)


class _Known(Growth):
    def __init__(self, outline: Outline) -> None:
        super().__init__(0)
        self._outline, self._left = outline, iter(outline.frontiers)

    def grow(self, log_probs: Tensor) -> Frontier | None:
        return next(self._left, None)

    def tree(self) -> DraftTree:
        return self._outline.tree


class Bench:
    """Where single forward passes are measured."""

    def __init__(
        self,
        target: Target,
        methods: Iterable[Method],
        ids: Sequence[int],
        sizes: Sequence[int],
        clock: Callable[[], float],
    ) -> None:
        """Read contexts.

        Args:
            target: Whose forward passes are measured.
            methods: Those with a drafter count.
            ids: What stands in the contexts, over and over.
            sizes: Their lengths.
            clock: Seconds.
        """
        drafting = [(method.key, method.drafter) for method in methods if method.drafter]
        self._cycles = [
            _Cycle(key, drafter, target, (list(ids) * (size // len(ids) + 1))[:size], clock)
            for size in sizes
            for key, drafter in drafting
        ]

    def round(self) -> list[Forwards]:
        """One cycle of every method at every length."""
        return [cycle.measure() for cycle in self._cycles]


class _Cycle:
    """A method's cycle after some context."""

    def __init__(
        self,
        method: str,
        drafter: EagleDrafter,
        target: Target,
        context: list[int],
        clock: Callable[[], float],
    ) -> None:
        self._method, self._target, self._clock = method, target, clock
        self._outline = Outline(drafter.shape, target.device)
        self._drafter = drafter.with_shape(self._outline)
        self._cache = target.new_cache(len(context) + drafter.widest)
        self._ids = torch.tensor(context, device=target.device)
        self._root = DraftTree(self._ids[:1], torch.full_like(self._ids[:1], -1))
        self._features = target.prefill(self._ids, self._cache).features.clone()

    def measure(self) -> Forwards:
        """Time one cycle; nothing of it is kept."""
        self._drafter.begin(self._ids.numel())
        self._drafter.observe(self._ids[:-1], self._features[:-1])
        one, verify = self._judge(self._root), self._judge(self._outline.tree)
        began = self._clock()
        self._drafter.observe(self._ids[-1:], self._features[-1:])
        self._drafter.draft(0, None)
        draft = self._clock() - began
        return Forwards(self._method, self._cache.length, one, verify, draft, self._outline.steps)

    def _judge(self, tree: DraftTree) -> float:
        """Seconds of the target over a tree."""
        positions, mask = self._cache.length + tree.depths, tree.mask
        began = self._clock()
        self._target.verify(tree.tokens, positions, mask, self._cache)
        return self._clock() - began
