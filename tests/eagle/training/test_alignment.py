from __future__ import annotations

import pytest
import torch
from eagle.training.talkative import conversation, talkative

from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.static_trees import chain
from eagle_impl.training.alignment import align

# Eight tokens; the answer stands at positions 4 to 6, what ends it at 7.
IDS = torch.tensor([1, 2, 3, 4, 50, 51, 52, 9])
RESPONSE = torch.tensor([0, 0, 0, 0, 1, 1, 1, 0], dtype=torch.bool)
FEATURES = torch.arange(8.0)[:, None].repeat(1, 3)  # the feature of position i is i


@pytest.mark.parametrize("row", range(7))
def test_row_i_is_feature_i_beside_token_i_plus_1_and_wants_feature_i_plus_1(row: int) -> None:
    pairs = align(IDS, FEATURES, RESPONSE)
    assert pairs.features[row].tolist() == [row, row, row]
    assert pairs.ids[row] == IDS[row + 1]
    assert pairs.wanted[row].tolist() == [row + 1, row + 1, row + 1]


def test_there_is_no_row_after_the_last_token() -> None:
    pairs = align(IDS, FEATURES, RESPONSE)
    assert len(pairs.ids) == len(pairs.features) == len(pairs.wanted) == len(pairs.counts) == 7


def test_rows_count_that_predict_a_position_of_the_answer() -> None:
    assert align(IDS, FEATURES, RESPONSE).counts.nonzero().flatten().tolist() == [3, 4, 5]


def test_gradients_flow_from_these_rows_alone() -> None:
    predicted = torch.zeros(7, 3, requires_grad=True)
    pairs = align(IDS, FEATURES, RESPONSE)
    (pairs.wanted - predicted)[pairs.counts].square().mean().backward()
    assert predicted.grad is not None
    assert predicted.grad.abs().sum(dim=1).bool().tolist() == [False] * 3 + [True] * 3 + [False]


def test_an_answer_that_is_not_ended_counts_to_its_last_token() -> None:
    cut = torch.tensor([0, 0, 0, 0, 0, 1, 1, 1], dtype=torch.bool)
    assert align(IDS, FEATURES, cut).counts.nonzero().flatten().tolist() == [4, 5, 6]


def test_what_is_not_of_one_length_is_refused() -> None:
    with pytest.raises(ValueError, match="8 ids, 7 features, 8 in the mask"):
        align(IDS, FEATURES[1:], RESPONSE)


def test_rows_are_what_a_drafter_is_given_in_use() -> None:
    """Whatever way a text becomes certain, a drafter predicts what the trained rows predict."""
    target = talkative()
    torch.manual_seed(0)
    head = EagleHead(HeadConfig.like(target.config))
    one = conversation(target, seed=3, prompt=7, answer=12)
    features = target.prefill(one.ids, target.new_cache(19)).features.clone()
    pairs = align(one.ids, features, one.in_response)
    embeddings = target.embedding_weight[pairs.ids]
    trained = head(embeddings[None], pairs.features[None])[0]

    drafter = EagleDrafter(head, target, chain(1))
    drafter.begin(19)
    text = one.ids.tolist()
    certain = 7  # the prompt and, from reading it, one token more
    drafter.observe(torch.tensor(text[1:8]), features[:7])
    for accepted in (1, 3, 1, 2, 4):
        predicted = target.lm_head(trained[certain - 1 : certain].detach())
        assert drafter.draft(text[certain], None).tokens[1] == predicted.argmax()
        drafter.observe(
            torch.tensor(text[certain + 1 : certain + accepted + 1]),
            features[certain : certain + accepted],
        )
        certain += accepted
