"""A tiny target that answers, with a tokenizer of bytes and a chat template."""

from __future__ import annotations

from dataclasses import replace

import torch
from eagle.tiny import tiny_config, tiny_weights
from eagle.tiny_text import END, byte_level
from torch import Tensor

from eagle_impl.targets.interface import ModelConfig
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.text import Text
from eagle_impl.training.conversations import Conversation

EOS = 256
CONFIG = replace(
    tiny_config(layers=2, vocab_size=272, max_positions=1024), eos_ids=(EOS,), bos_id=None
)
TEMPLATE = (
    "{% for message in messages %}"
    "{% if loop.first and message.role != 'system' %}{system}Be kind.<|end|>\n{% endif %}"
    "{{ '{' + message.role + '}' + message.content }}<|end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '{assistant}' }}{% endif %}"
)


def weights(config: ModelConfig = CONFIG, seed: int = 0) -> dict[str, Tensor]:
    """Random, but inclined to come to an end."""
    found = tiny_weights(config, seed)
    found["lm_head.weight"][EOS] *= 1.5
    return found


def talkative(seed: int = 0) -> LlamaTarget:
    return LlamaTarget(CONFIG, weights(seed=seed))


def tiny_text(template: str | None = TEMPLATE) -> Text:
    return Text(byte_level(), special_tokens={"eos_token": END}, template=template)


def conversation(
    target: LlamaTarget,
    seed: int,
    *,
    prompt: int = 7,
    answer: int = 24,
    kind: str = "story",
    keeps: bool = False,
) -> Conversation:
    """A random prompt and the greedy answer to it, in which EOS means nothing."""
    random = torch.Generator().manual_seed(seed)
    ids = torch.randint(target.config.vocab_size, (prompt,), generator=random).tolist()
    cache = target.new_cache(prompt + answer)
    judged = target.prefill(torch.tensor(ids), cache)
    features = [judged.features]
    for _ in range(answer):
        ids.append(int(judged.logits[-1].argmax()))
        judged = target.prefill(torch.tensor(ids[-1:]), cache)
        features.append(judged.features)
    return Conversation(
        seed,
        kind,
        True,
        torch.tensor(ids),
        ((prompt, prompt + answer),),
        torch.cat(features).half().clone() if keeps else None,
    )
