from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from eagle.drafters.head_target import CONFIG, SIXTEENS, HeadTarget, random_head, reference
from eagle.drafters.reference_head import Pair, softmax
from eagle.tiny import tiny_config, tiny_weights
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.acceptance import Accepted, accept_greedy
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import HeadConfig
from eagle_impl.drafters.interface import Drafter
from eagle_impl.drafters.native import kernels_for
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.errors import CapacityError, MismatchError
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import EAGLE_1_TREE, StaticTree, chain
from eagle_impl.targets.interface import Target
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.trees import DraftTree, Frontier, Growth, TreeShape

PROMPT = (3, 14, 15, 9, 26, 5)


def decode(
    target: Target, drafter: Drafter, prompt: tuple[int, ...], cycles: int
) -> list[Accepted]:
    """Greedy decoding, cycle by cycle."""
    cache = target.new_cache(200)
    judged = target.prefill(torch.tensor(prompt), cache)
    root = int(judged.logits[-1].argmax())
    drafter.begin(200)
    drafter.observe(torch.tensor([*prompt[1:], root]), judged.features)
    taken = []
    for _ in range(cycles):
        tree = drafter.draft(root, None)
        assert tree.tokens[0] == root
        judged = target.verify(tree.tokens, cache.length + tree.depths, tree.mask, cache)
        accepted = accept_greedy(tree, judged.logits.argmax(dim=-1))
        target.keep(torch.tensor(accepted.path), cache)
        drafter.observe(torch.tensor(accepted.tokens), judged.features[list(accepted.path)])
        root = accepted.tokens[-1]
        taken.append(accepted)
    return taken


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [chain(1), chain(4), EAGLE_1_TREE], ids=["1", "4", "25 nodes"])
@pytest.mark.parametrize("prompt", [PROMPT, PROMPT[:1]], ids=["prompt", "one token"])
def test_drafts_of_a_perfect_head_are_all_accepted(
    shape: StaticTree, seed: int, prompt: tuple[int, ...]
) -> None:
    head = random_head(seed=seed)
    target = HeadTarget(head, seed)
    taken = decode(target, EagleDrafter(head, target, shape), prompt, cycles=8)
    assert [len(accepted.path) - 1 for accepted in taken] == [shape.depth] * 8
    # Else a drafter that always drafts one token would pass.
    assert len({token for accepted in taken for token in accepted.tokens}) > 2


def test_a_perfect_head_is_right_within_its_draft_vocabulary() -> None:
    head = random_head()
    target = HeadTarget(head)
    taken = decode(target, EagleDrafter(head, target, chain(3)), PROMPT, cycles=3)
    text = [token for accepted in taken for token in accepted.tokens]
    absent = next(token for token in range(31) if token not in text)
    vocabulary = DraftVocabulary.of([t for t in range(31) if t != absent], 31)
    drafter = EagleDrafter(head, target, chain(3), vocabulary)
    again = decode(target, drafter, PROMPT, cycles=3)
    assert [token for accepted in again for token in accepted.tokens] == text
    assert [len(accepted.path) - 1 for accepted in again] == [3, 3, 3]


def test_nothing_outside_the_draft_vocabulary_is_drafted() -> None:
    head = random_head()
    target = HeadTarget(head)
    vocabulary = DraftVocabulary.of([29, 2, 5, 9, 30], 31)
    drafter = EagleDrafter(head, target, DynamicTree(top_k=3, depth=3, total=15), vocabulary)
    drafter.begin(10)
    drafter.observe(torch.tensor([1, 2]), torch.randn(2, 24))
    drafted = drafter.draft(2, None).tokens[1:]
    assert set(drafted.tolist()) <= {2, 5, 9, 29, 30}
    assert len(drafted) == 15


@dataclass
class Watched(Growth):
    """Grows as it is told, and remembers what the drafter said."""

    levels: list[list[tuple[int, int]]]
    """Of each level, the source row and the token of each node of its frontier."""
    said: list[Tensor] = field(default_factory=list)
    ancestors: list[list[list[int]]] = field(default_factory=list)
    """Of each level, each node's ancestors and itself among all nodes so far."""

    def grow(self, logits: Tensor) -> Frontier | None:
        self.said.append(logits)
        level = len(self.said) - 1
        if level == len(self.levels):
            return None
        before = sum(map(len, self.ancestors))
        above = self.ancestors[-1] if self.ancestors else [[]]
        nodes = [[*above[source], before + i] for i, (source, _) in enumerate(self.levels[level])]
        self.ancestors.append(nodes)
        mask = torch.zeros(len(nodes), before + len(nodes), dtype=torch.bool)
        for row, seen in enumerate(nodes):
            mask[row, seen] = True
        return Frontier(
            torch.tensor([token for _, token in self.levels[level]]),
            torch.tensor([source for source, _ in self.levels[level]]),
            mask,
        )

    def tree(self) -> DraftTree:
        return DraftTree(torch.tensor([0]), torch.tensor([-1]))


@dataclass
class Told(TreeShape):
    """A shape that plants what it is told to."""

    depth: int = 4
    total: int = 16
    expansions: int = 16
    next: Growth | None = None

    def plant(self, root: int, vocabulary: Tensor | None = None) -> Growth:
        assert self.next is not None
        return self.next


@st.composite
def told_levels(draw: st.DrawFn) -> list[list[tuple[int, int]]]:
    levels, rows = list[list[tuple[int, int]]](), 1
    for _ in range(draw(st.integers(0, 3))):
        node = st.tuples(st.integers(0, rows - 1), st.integers(0, 30))
        levels.append(draw(st.lists(node, min_size=1, max_size=4)))
        rows = len(levels[-1])
    return levels


@pytest.mark.parametrize("config", [CONFIG, SIXTEENS], ids=["torch", "kernels"])
@given(
    seed=st.integers(0, 1000),
    cycles=st.lists(
        st.tuples(st.lists(st.integers(0, 30), min_size=1, max_size=4), told_levels()),
        min_size=1,
        max_size=3,
    ),
    vocabulary=st.none() | st.sets(st.integers(0, 30), min_size=1),
)
@settings(max_examples=25)
def test_the_cache_changes_nothing(
    config: HeadConfig,
    seed: int,
    cycles: list[tuple[list[int], list[list[tuple[int, int]]]]],
    vocabulary: set[int] | None,
) -> None:
    """Whatever is observed and however trees grow: the drafter says what the whole history says."""
    head = random_head(config, seed)
    plain = reference(head)
    target = HeadTarget(head, seed)
    embeddings = target.embedding_weight.double().numpy()
    ids = sorted(vocabulary or range(31))
    drafted = None if vocabulary is None else DraftVocabulary.of(ids, 31)
    shape = Told()
    drafter = EagleDrafter(head, target, shape, drafted, exact=True)
    drafter.begin(sum(len(tokens) for tokens, _ in cycles))
    certain = list[Pair]()
    for tokens, levels in cycles:
        generator = torch.Generator().manual_seed(seed)
        features = torch.randn(len(tokens), config.hidden_size, generator=generator)
        drafter.observe(torch.tensor(tokens), features)
        for token, feature in zip(tokens, features.double().numpy(), strict=True):
            certain.append(Pair(embeddings[token], feature, len(certain)))
        shape.next = grown = Watched(levels)
        drafter.draft(tokens[-1], None)

        guesses = [plain.predict(certain)]  # by row of what was said last
        paths: list[list[Pair]] = [[]]
        for level, said in enumerate(grown.said):
            logits = np.stack(guesses) @ target.lm_head_weight.double().numpy()[ids].T
            expected = np.log([softmax(row) for row in logits])
            got = said.log_softmax(dim=-1).numpy()
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
            if level < len(levels):
                paths = [
                    [*paths[source], Pair(embeddings[token], guesses[source], len(certain) + level)]
                    for source, token in levels[level]
                ]
                guesses = [plain.predict([*certain, *path]) for path in paths]


def test_a_head_that_knows_nothing_changes_nothing() -> None:
    """With a real target: the text is that of plain decoding, whatever is drafted."""
    model = tiny_config(vocab_size=31, hidden_size=24)
    target = LlamaTarget(model, tiny_weights(model))
    text: list[int] = []
    for _ in range(24):
        judged = target.prefill(torch.tensor([*PROMPT, *text]), target.new_cache(200))
        text.append(int(judged.logits[-1].argmax()))
    for shape in (chain(3), EAGLE_1_TREE, DynamicTree(top_k=4, depth=3, total=12)):
        drafter = EagleDrafter(random_head(), target, shape)
        taken = decode(target, drafter, PROMPT, cycles=23)
        drafted = [token for accepted in taken for token in accepted.tokens]
        assert drafted[:23] == text[1:]


def test_to_begin_is_to_forget() -> None:
    head = random_head()
    target = HeadTarget(head)
    drafter = EagleDrafter(head, target, EAGLE_1_TREE)
    first = decode(target, drafter, PROMPT, cycles=2)
    decode(target, drafter, PROMPT[::-1], cycles=3)
    assert decode(target, drafter, PROMPT, cycles=2) == first


def test_a_draft_leaves_no_trace() -> None:
    head = random_head()
    drafter = EagleDrafter(head, HeadTarget(head), EAGLE_1_TREE)
    drafter.begin(20)
    drafter.observe(torch.tensor([1, 2, 3]), torch.randn(3, 24))
    drafter.observe(torch.tensor([], dtype=torch.int64), torch.empty(0, 24))
    trees = [drafter.draft(3, None) for _ in range(2)]
    assert torch.equal(trees[0].tokens, trees[1].tokens)
    assert torch.equal(trees[0].parents, trees[1].parents)


def test_drafts_are_drawn_from_what_the_sampler_makes_of_the_logits() -> None:
    head = random_head()
    target = HeadTarget(head)
    sampler = Sampler(temperature=3.0, repetition_penalty=1.5)
    vocabulary = DraftVocabulary.of([*range(0, 31, 2)], 31)
    drafter = EagleDrafter(head, target, StaticTree(((0,), (1,), (0, 0))), vocabulary, sampler)
    features = torch.randn(2, 24, generator=torch.Generator().manual_seed(1))
    drafter.begin(20)
    drafter.observe(torch.tensor([7, 8]), features)
    tree = drafter.draft(8, torch.Generator().manual_seed(2))

    embeddings = target.embedding_weight.double().numpy()
    pairs = [
        Pair(embeddings[token], feature, i)
        for i, (token, feature) in enumerate(zip((7, 8), features.double().numpy(), strict=True))
    ]
    guess = reference(head).predict(pairs)
    logits = target.lm_head_weight.double().numpy() @ guess / 3.0
    expected = np.zeros(31)
    expected[::2] = softmax(logits[::2])
    assert tree.probabilities is not None
    np.testing.assert_allclose(tree.probabilities[1].numpy(), expected, rtol=1e-4, atol=1e-6)
    first = int(tree.tokens[1])
    expected[first] = 0.0  # its sibling is another token
    np.testing.assert_allclose(
        tree.probabilities[2].numpy(), expected / expected.sum(), rtol=1e-4, atol=1e-6
    )
    assert tree.parents.tolist() == [-1, 0, 0, 1]

    same = drafter.draft(8, torch.Generator().manual_seed(2))
    assert torch.equal(same.tokens, tree.tokens)
    others = {
        tuple(drafter.draft(8, torch.Generator().manual_seed(seed)).tokens.tolist())
        for seed in range(3, 9)
    }
    assert len(others) > 1


@pytest.mark.parametrize(
    ("shape", "sampler", "generator"),
    [
        (chain(2), Sampler(temperature=1.0), None),
        (chain(2), Sampler(temperature=0.0), torch.Generator()),
        (chain(2), None, torch.Generator()),
        (DynamicTree(2, 2, 4), Sampler(temperature=1.0), torch.Generator()),
    ],
    ids=["no generator", "greedy", "no sampler", "dynamic tree"],
)
def test_else_the_likeliest_tokens_are_drafted(
    shape: TreeShape, sampler: Sampler | None, generator: torch.Generator | None
) -> None:
    head = random_head()
    drafter = EagleDrafter(head, HeadTarget(head), shape, sampler=sampler)
    drafter.begin(20)
    drafter.observe(torch.tensor([7, 8]), torch.ones(2, 24))
    assert drafter.draft(8, generator).probabilities is None


def test_a_head_may_have_its_own_number_format() -> None:
    head = random_head()
    target = HeadTarget(head)
    drafter = EagleDrafter(random_head().to(torch.bfloat16), target, chain(3))
    taken = decode(target, drafter, PROMPT, cycles=2)
    assert all(len(accepted.path) > 1 for accepted in taken)


def test_the_longest_context_leaves_room_for_the_tree() -> None:
    head = random_head()  # knows 64 positions
    drafter = EagleDrafter(head, HeadTarget(head), chain(4))
    # The deepest token drafted after 60 tokens is the 64th.
    assert drafter.max_positions == 60
    assert EagleDrafter(head, HeadTarget(head), chain(70)).max_positions == 0


def test_what_there_is_no_room_for_is_refused() -> None:
    head = random_head()
    drafter = EagleDrafter(head, HeadTarget(head), chain(1))
    drafter.begin(3)
    drafter.observe(torch.tensor([1, 2]), torch.randn(2, 24))
    with pytest.raises(CapacityError, match="2 more tokens do not fit into a drafter that holds 2"):
        drafter.observe(torch.tensor([1, 2]), torch.randn(2, 24))


def test_nothing_breaks_beyond_the_longest_context() -> None:
    head = random_head()
    drafter = EagleDrafter(head, HeadTarget(head), chain(4))
    drafter.begin(100)
    drafter.observe(torch.arange(100) % 31, torch.randn(100, 24))
    assert drafter.draft(99 % 31, None).tokens.numel() == 5


def test_a_head_for_another_target_is_refused() -> None:
    head = random_head()
    target = HeadTarget(head)
    wide = random_head(
        HeadConfig(
            vocab_size=31,
            hidden_size=32,
            intermediate_size=40,
            heads=4,
            kv_heads=2,
            head_dim=8,
            max_positions=64,
        )
    )
    with pytest.raises(MismatchError, match="hidden size 32, the target's is 24"):
        EagleDrafter(wide, target, chain(1))
    with pytest.raises(MismatchError, match="size of the target 32, the target's is 31"):
        EagleDrafter(head, target, chain(1), DraftVocabulary.of([1], 32))


@pytest.mark.parametrize("vocabulary", [None, DraftVocabulary.of([*range(1, 31, 2)], 31)])
def test_rounded_weights_draft_nearly_the_same(vocabulary: DraftVocabulary | None) -> None:
    head = random_head(SIXTEENS)
    target = HeadTarget(head)
    shape = Told()
    said = []
    for exact in (True, False):
        drafter = EagleDrafter(head, target, shape, vocabulary, exact=exact)
        shape.next = grown = Watched([[(0, 4), (0, 9)], [(1, 3)]])
        drafter.begin(5)
        drafter.observe(torch.tensor([4, 7]), torch.ones(2, 32))
        drafter.draft(7, None)
        said.append(grown.said)
    assert [len(logits) for logits in said[1]] == [1, 2, 1]
    for right, rounded in zip(*said, strict=True):
        assert rounded.shape == right.shape
        assert (rounded - right).abs().max() < 0.05 * right.abs().max()
    if kernels_for(head) is not None:
        assert not torch.equal(said[0][0], said[1][0])


@pytest.mark.parametrize("shape", [chain(3), EAGLE_1_TREE, DynamicTree(top_k=4, depth=3, total=7)])
def test_rounded_weights_change_no_text(shape: TreeShape) -> None:
    model = tiny_config(vocab_size=31, hidden_size=32)
    target = LlamaTarget(model, tiny_weights(model))
    text: list[int] = []
    for _ in range(13):
        judged = target.prefill(torch.tensor([*PROMPT, *text]), target.new_cache(200))
        text.append(int(judged.logits[-1].argmax()))
    drafter = EagleDrafter(random_head(SIXTEENS), target, shape)
    taken = decode(target, drafter, PROMPT, cycles=12)
    assert [token for accepted in taken for token in accepted.tokens][:12] == text[1:]
