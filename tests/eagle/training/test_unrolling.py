from __future__ import annotations

import pytest
import torch
from eagle.training.talkative import CONFIG, conversation, talkative

from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.drafters.interface import Drafter
from eagle_impl.static_trees import chain
from eagle_impl.training.trainable import trainable
from eagle_impl.training.unrolling import unrolled


def new(seed: int = 0) -> EagleHead:
    torch.manual_seed(seed)
    return EagleHead(HeadConfig.like(CONFIG))


def test_depth_0_is_what_the_head_gives() -> None:
    head = new()
    embeddings, features = torch.randn(2, 3, 11, 48)
    (found,) = unrolled(head, embeddings, features, 1)
    assert torch.allclose(found, head(embeddings, features), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("root", [6, 7, 12, 18])
def test_each_row_is_what_a_drafter_drafts_there(root: int) -> None:
    """A chain of the drafter goes on with its own tokens, so that these are put into the text."""
    target, depth = talkative(), 4
    head = new()
    one = conversation(target, seed=1, prompt=7, answer=20)
    features = target.prefill(one.ids, target.new_cache(27)).features.clone()
    drafter: Drafter = EagleDrafter(head, target, chain(depth))
    drafter.begin(27)
    drafter.observe(one.ids[1 : root + 1], features[:root])
    drafts = drafter.draft(int(one.ids[root]), None).tokens

    text = torch.cat((one.ids[:root], drafts))[: len(one.ids)]
    embeddings = target.embedding_weight[text[1:]]
    # What stands after the root must not matter: these features are the old text's.
    predicted = unrolled(head, embeddings[None], features[None, : len(text) - 1], depth)
    found = [target.lm_head(p[0, root - 1 : root].detach()).argmax().item() for p in predicted]
    assert found == drafts[1:].tolist()
    assert len(set(found)) > 1


def test_no_row_sees_a_later_one() -> None:
    head = new()
    embeddings, features = torch.randn(2, 1, 9, 48)
    before = unrolled(head, embeddings, features, 3)
    features[:, 5:] += 1.0
    after = unrolled(head, embeddings, features, 3)
    for first, second in zip(before, after, strict=True):
        assert torch.equal(first[:, :5], second[:, :5])
        assert not torch.equal(first[:, 5], second[:, 5])


def test_it_can_be_learnt_from() -> None:
    head = trainable(new(), 1.0, 1.0)
    embeddings, features = torch.randn(2, 1, 9, 48)
    unrolled(head, embeddings, features, 3)[-1].sum().backward()
    assert all(w.grad is not None and w.grad.isfinite().all() for w in head.parameters())
