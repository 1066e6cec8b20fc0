from __future__ import annotations

import functools

import pytest
import torch
from eagle.tiny import tiny_config, tiny_weights
from hypothesis import given, settings
from hypothesis import strategies as st

from eagle_impl.errors import CapacityError
from eagle_impl.linears import usable
from eagle_impl.targets.batched import BatchCache, step
from eagle_impl.targets.llama import LlamaTarget

WAYS = [(torch.device("cpu"), kind) for kind in usable(torch.device("cpu"), torch.float32)]
if torch.cuda.is_available():
    WAYS.append((torch.device("cuda"), "plain"))
each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[1]} on {way[0]}")


@functools.cache
def target(way: tuple[torch.device, str]) -> LlamaTarget:
    config = tiny_config()
    return LlamaTarget(config, tiny_weights(config), device=way[0], linears=way[1])


@each_way
@settings(max_examples=30)
@given(st.data())
def test_every_sequence_is_as_if_alone(way: tuple[torch.device, str], data: st.DataObject) -> None:
    """Sequences begin, pause and end at any step, and their slots are used again."""
    of = target(way)
    slots, capacity = data.draw(st.integers(1, 6)), 9
    cache = BatchCache(of, slots, capacity)
    read: list[list[int]] = [[] for _ in range(slots)]
    for _ in range(data.draw(st.integers(1, 16))):
        taking_part = data.draw(
            st.lists(st.integers(0, slots - 1), min_size=1, max_size=slots, unique=True)
        )
        for slot in taking_part:
            if len(read[slot]) == capacity or (data.draw(st.booleans()) and len(read[slot]) > 4):
                read[slot] = []
                cache.lengths[slot] = 0
            read[slot].append(data.draw(st.integers(0, of.config.vocab_size - 1)))
        ids = torch.tensor([read[slot][-1] for slot in taking_part], device=of.device)
        got = step(of, ids, torch.tensor(taking_part, device=of.device), cache)
        assert cache.lengths.tolist() == [len(tokens) for tokens in read]
        for row, slot in enumerate(taking_part):
            tokens = torch.tensor(read[slot], device=of.device)
            alone = of.prefill(tokens, of.new_cache(capacity))
            for mine, right in (
                (got.features[row], alone.features[-1]),
                (got.logits[row], alone.logits[0]),
            ):
                if of.kernels:
                    assert torch.equal(mine, right)
                else:
                    assert torch.allclose(mine, right, rtol=1e-4, atol=1e-5)


@each_way
def test_a_full_slot(way: tuple[torch.device, str]) -> None:
    of = target(way)
    cache = BatchCache(of, 3, 2)
    everyone = torch.arange(3, device=of.device)
    step(of, everyone, everyone, cache)
    step(of, everyone[1:], everyone[1:], cache)
    held = cache.storage.keys.clone()
    with pytest.raises(CapacityError, match="no room for one more token in slot 1, which holds"):
        step(of, everyone, everyone, cache)
    assert cache.lengths.tolist() == [1, 2, 2]
    assert torch.equal(cache.storage.keys, held)
    step(of, everyone[:1], everyone[:1], cache)
    assert cache.lengths.tolist() == [2, 2, 2]
