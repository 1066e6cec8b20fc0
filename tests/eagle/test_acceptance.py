from __future__ import annotations

import pytest
import torch
from eagle.tables import Words, distribution, grown, imitation, judged, table
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.acceptance import accept, accept_greedy, accept_sampled, outcomes
from eagle_impl.draws import Draw, pick, token_draws, uniform
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.errors import EagleError
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import EAGLE_1_TREE, StaticTree, chain
from eagle_impl.trees import DraftTree, TreeShape

NO_PREFIX = torch.tensor([], dtype=torch.int64)


def tree_of(tokens: list[int], parents: list[int], rows: Tensor | None = None) -> DraftTree:
    return DraftTree(torch.tensor(tokens), torch.tensor(parents), rows)


#      9
#    1   2
#   3 4   3
SMALL = tree_of([9, 1, 2, 3, 4, 3], [-1, 0, 0, 1, 1, 2])


def never(weights: Tensor) -> int:
    raise AssertionError("nothing is to be drawn")


# Greedy


@pytest.mark.parametrize(
    ("choices", "path", "tokens"),
    [
        ([7, 3, 3, 0, 0, 0], (0,), (7,)),
        ([2, 3, 7, 0, 0, 0], (0, 2), (2, 7)),
        ([1, 4, 3, 5, 6, 8], (0, 1, 4), (1, 4, 6)),
        ([2, 4, 3, 5, 6, 8], (0, 2, 5), (2, 3, 8)),
        ([3, 3, 3, 3, 3, 3], (0,), (3,)),  # 3 is drafted, but not here
    ],
)
def test_greedy_walks_the_path_of_the_choices(
    choices: list[int], path: Words, tokens: Words
) -> None:
    accepted = accept_greedy(SMALL, torch.tensor(choices))
    assert (accepted.path, accepted.tokens) == (path, tokens)


def test_only_the_likeliest_sibling_is_accepted_however_near_the_other_is() -> None:
    siblings = tree_of([0, 6, 3], [-1, 0, 0])
    logits = torch.zeros(3, 9)
    logits[:, 3], logits[:, 6] = 1.5, 1.5001
    assert accept(siblings, logits, Sampler(), NO_PREFIX, never).path == (0, 1)
    logits[:, 6] = 1.5  # exactly as likely: the lower id, which is also what plain decoding takes
    assert accept(siblings, logits, Sampler(), NO_PREFIX, never).tokens[0] == 3
    assert accept(siblings, logits, Sampler(), NO_PREFIX, never).path == (0, 2)


def test_of_children_with_one_token_the_first_goes_on() -> None:
    #    9
    #   1 1
    #   5 6
    twice = tree_of([9, 1, 1, 5, 6], [-1, 0, 0, 1, 2])
    choices = torch.tensor([1, 6, 6, 0, 0])
    assert accept_greedy(twice, choices).path == (0, 1)
    assert accept_greedy(twice, choices).tokens == (1, 6)
    always_1_then_6 = iter([1, 6])
    accepted = accept_sampled(twice, lambda node: torch.ones(9), lambda _: next(always_1_then_6))
    assert (accepted.path, accepted.tokens) == ((0, 1), (1, 6))


# Sampling from drafts without randomness


def test_one_draw_for_each_emitted_token_from_the_rows_of_the_path_alone() -> None:
    rows = torch.eye(6)
    asked: list[int] = []

    def target(node: int) -> Tensor:
        asked.append(node)
        return rows[node]

    script, weights = iter([2, 3, 5]), list[Tensor]()

    def draw(given: Tensor) -> int:
        weights.append(given)
        return next(script)

    accepted = accept_sampled(SMALL, target, draw)
    assert (accepted.path, accepted.tokens) == ((0, 2, 5), (2, 3, 5))
    assert asked == [0, 2, 5]
    assert all(torch.equal(given, rows[node]) for given, node in zip(weights, asked, strict=True))


SHAPES = [
    chain(3),
    EAGLE_1_TREE,
    StaticTree(((0,), (1,), (0, 0), (0, 1), (1, 0))),
    DynamicTree(top_k=3, depth=3, total=7),
]

SAMPLERS = [
    Sampler(),
    Sampler(temperature=1.0),
    Sampler(temperature=0.7, top_k=4, top_p=0.8),
    Sampler(temperature=1.2, min_p=0.1, repetition_penalty=1.4),
    Sampler(repetition_penalty=1.4),
]


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("shape", SHAPES, ids=["chain", "eagle-1", "static", "dynamic"])
def test_text_is_the_same_with_drafts_and_without(shape: TreeShape, sampler: Sampler) -> None:
    target = table(6, seed=1)
    drafter = imitation(target, 6, seed=2)
    longest = 0
    for seed in range(6):
        plain: Words = (0, 5)
        for place in range(12):
            weights = distribution(target, sampler, plain)
            plain += (pick(weights, uniform(seed, place)),)
        drafted: Words = (0, 5)
        while len(drafted) < len(plain):
            tree = grown(
                shape.plant(drafted[-1]), drafted, lambda words: drafter(words).log_softmax(0)
            )
            accepted = accept(
                tree,
                judged(target, tree, drafted),
                sampler,
                torch.tensor(drafted[:-1]),
                token_draws(seed, len(drafted) - 2),
            )
            drafted += accepted.tokens
            longest = max(longest, len(accepted.tokens))
        assert drafted[: len(plain)] == plain
    assert longest >= 3  # or nothing was tried


def test_seeds_repeat_and_differ_except_where_nothing_is_drawn() -> None:
    logits = torch.zeros(1, 1000)
    root = tree_of([0], [-1])

    def first(sampler: Sampler, seed: int) -> Words:
        return accept(root, logits, sampler, NO_PREFIX, token_draws(seed)).tokens

    before = torch.random.get_rng_state()
    sampler = Sampler(temperature=1.0)
    assert first(sampler, 7) == first(sampler, 7)
    assert len({first(sampler, seed) for seed in range(5)}) == 5
    assert {first(Sampler(), seed) for seed in range(5)} == {(0,)}
    assert torch.equal(torch.random.get_rng_state(), before)


def test_logits_that_are_not_numbers_are_refused() -> None:
    logits = torch.full((6, 10), float("nan"))
    for sampler in (Sampler(), Sampler(temperature=1.0)):
        with pytest.raises(EagleError):
            accept(SMALL, logits, sampler, NO_PREFIX, token_draws(0))


# Sampling from drafts that were drawn


def test_chances_by_hand() -> None:
    target = torch.tensor([0.3, 0.1, 0.6])
    draft = torch.tensor([0.5, 0.25, 0.25])
    # Token 0 was drawn: accepted with .3/.5; else what is left is (0, 0, .35), which is all of 2.
    chances = outcomes(target, [0], draft[None])
    assert chances.tolist() == pytest.approx([0.6, 0, 0, 0.4])
    # Token 2 was drawn: p exceeds q, so that it is accepted for certain.
    assert outcomes(target, [2], draft[None]).tolist() == pytest.approx([1, 0, 0, 0])
    # Nothing was drafted: the target itself.
    assert outcomes(target, [], draft[:0]).tolist() == pytest.approx([0.3, 0.1, 0.6])


def test_chances_of_two_children_by_hand() -> None:
    target = torch.tensor([0.1, 0.5, 0.4])
    first = torch.tensor([0.4, 0.4, 0.2])
    # 0 is rejected with 3/4; then (0, .1, .2) is left, normalised (0, 1/3, 2/3). 1 was drawn from
    # (0, 2/3, 1/3) next: accepted with 1/2; then (0, 0, 1/3) is left, all of 2.
    second = torch.tensor([0.0, 2 / 3, 1 / 3])
    chances = outcomes(target, [0, 1], torch.stack([first, second]))
    assert chances.tolist() == pytest.approx([1 / 4, 3 / 8, 0, 0, 3 / 8])


def test_acceptance_is_the_overlap_of_target_and_draft() -> None:
    # Known from the field: min(.3, .4) + min(.5, .35) + min(.2, .25) = .85.
    target, draft = torch.tensor([0.3, 0.5, 0.2]), torch.tensor([0.4, 0.35, 0.25])
    accepted = sum(
        float(draft[token] * outcomes(target, [token], draft[None])[0]) for token in range(3)
    )
    assert accepted == pytest.approx(0.85)


def test_the_likeliest_draft_held_against_the_whole_draft_is_another_law() -> None:
    # The draft is always 1, yet it stands in the ratio with 0.6: accepted with .4 / .6, else what
    # is left of the target, (.1, 0, .1), is drawn from. 1 comes out with 2/3 and not with .4.
    target, draft = torch.tensor([0.3, 0.4, 0.3]), torch.tensor([0.2, 0.6, 0.2])
    chances = outcomes(target, [1], draft[None])
    assert chances.tolist() == pytest.approx([2 / 3, 1 / 6, 0, 1 / 6])
    # Drawn from the draft, all comes right again.
    law = torch.zeros(3, dtype=torch.float64)
    for token in range(3):
        found = outcomes(target, [token], draft[None])
        law[token] += draft[token] * found[0]
        law += draft[token] * found[1:]
    assert law.tolist() == pytest.approx([0.3, 0.4, 0.3])


def test_a_draft_from_the_target_itself_is_always_accepted() -> None:
    weights = table(50, seed=4)(()).softmax(0)
    for token in range(50):
        assert outcomes(weights, [token], weights[None])[0] == 1.0


def test_what_the_target_excludes_is_never_emitted() -> None:
    target, draft = torch.tensor([0.0, 1.0, 0.0]), torch.tensor([0.5, 0.0, 0.5])
    assert outcomes(target, [0], draft[None]).tolist() == [0, 0, 1, 0]
    both = torch.tensor([[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]])
    assert outcomes(target, [0, 2], both).tolist() == [0, 0, 0, 1, 0]


def test_a_draft_that_its_distribution_excludes_does_no_harm() -> None:
    target = torch.tensor([0.25, 0.75])
    assert outcomes(target, [0], torch.zeros(1, 2)).tolist() == [0, 0.25, 0.75]
    chances = outcomes(target, [0], torch.tensor([[0.0, 1.0]]))
    assert chances.isfinite().all()
    assert chances.tolist() == [0, 1, 0]


def test_nothing_is_divided_by_nothing() -> None:
    # p is q to the last bit or but for the last bits, so that p - q has no mass or hardly any.
    half = torch.tensor([0.5, 0.5], dtype=torch.float64)
    nearly = torch.tensor([[0.5 - 1e-16, 0.5 + 1e-16]], dtype=torch.float64)
    for token in range(2):
        assert outcomes(half, [token], half[None]).tolist() == [1, 0, 0]
        assert outcomes(half, [token], nearly).tolist() == pytest.approx([1, 0, 0])
    one = torch.tensor([0.0, 1.0])
    assert outcomes(one, [0, 0, 1], torch.stack([one] * 3)).tolist() == [0, 0, 1, 0, 0]


def test_siblings_drawn_with_replacement_may_be_alike() -> None:
    target = torch.tensor([0.2, 0.8])
    draft = torch.tensor([[0.6, 0.4]] * 2)
    # Rejected with 2/3, after which token 0 has no probability left.
    assert outcomes(target, [0, 0], draft).tolist() == pytest.approx([1 / 3, 0, 0, 2 / 3])


@st.composite
def shares(draw: st.DrawFn, size: int) -> Tensor:
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return torch.tensor(weights, dtype=torch.float64) / sum(weights)


@given(data=st.data(), size=st.integers(1, 5), children=st.integers(0, 3), replaced=st.booleans())
def test_over_all_drafts_what_is_emitted_has_the_law_of_the_target(
    data: st.DataObject, size: int, children: int, replaced: bool
) -> None:
    target, draft = data.draw(shares(size)), data.draw(shares(size))
    law = torch.zeros(size, dtype=torch.float64)

    def drawn(tokens: list[int], rows: list[Tensor], rest: Tensor, chance: float) -> None:
        if len(tokens) == children or rest.sum() == 0:
            found = outcomes(target, tokens, torch.stack(rows) if rows else target[None][:0])
            assert (found >= 0).all()
            assert found.sum().item() == pytest.approx(1.0)
            for token, accepted in zip(tokens, found.tolist(), strict=False):
                law[token] += chance * accepted
            law.add_(chance * found[len(tokens) :])
            return
        row = rest / rest.sum()
        for token, share in enumerate(row.tolist()):
            if share > 0:
                left = row if replaced else row.scatter(0, torch.tensor(token), 0.0)
                drawn([*tokens, token], [*rows, row], left, chance * share)

    drawn([], [], draft, 1.0)
    assert law.tolist() == pytest.approx(target.tolist(), abs=1e-9)


def test_the_walk_goes_down_an_accepted_child_and_emits_after_the_last() -> None:
    rows = torch.tensor([[0.0, 0.0], [0.5, 0.5], [1.0, 0.0], [0.5, 0.5]])
    tree = tree_of([0, 0, 1, 1], [-1, 0, 0, 1], rows)
    target = torch.tensor([0.5, 0.5])

    def walk(*indices: int) -> tuple[Words, Words]:
        script = iter(indices)
        accepted = accept_sampled(tree, lambda node: target, lambda weights: next(script))
        return accepted.path, accepted.tokens

    assert walk(0, 0, 1) == ((0, 1, 3), (0, 1, 1))  # both accepted, then a token of the target's
    assert walk(0, 1) == ((0, 1), (0, 0))  # behind the one child come the tokens: 0
    assert walk(1, 1) == ((0, 2), (1, 1))  # the second child, a leaf
    assert walk(3) == ((0,), (1,))  # neither: behind both children come the tokens


def test_drawn_drafts_repeat_with_their_seeds() -> None:
    target = table(5, seed=1)(()).softmax(0)
    draft = table(5, seed=2)(()).softmax(0)
    tree = tree_of([0, 3], [-1, 0], torch.stack([draft, draft]))

    def run(draw: Draw) -> Words:
        return accept_sampled(tree, lambda node: target, draw).tokens

    assert [run(token_draws(seed)) for seed in range(20)] == [
        run(token_draws(seed)) for seed in range(20)
    ]
    assert len({run(token_draws(seed)) for seed in range(20)}) > 1
