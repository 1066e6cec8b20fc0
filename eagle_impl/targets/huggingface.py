"""Any causal language model that transformers implements, where ``llama`` does not apply.

The model's own code runs, and its own attention; what is ours is which token sees which, and where
keys and values lie (``huggingface_attention``). A model that does not work that way is refused when
it is loaded: a short tree is judged, and has to come out as its paths one by one.

A feature is what the LM head receives. Logits are what the model's ``forward`` gives, with the soft
cap of Gemma 2 and the factor of Cohere or Granite. ``embed`` gives what the model's embedding
gives, with Gemma's scale, and that is what a head reads beside a feature. Heads do not see what a
model does to it later: a factor in Granite, learned positions in GPT-2 and OPT.

The last bits of what torch computes depend on how many tokens it computes together. Text is
that of plain decoding as long as no two tokens are as likely as each other to within these bits.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForCausalLM
from transformers.modeling_utils import PreTrainedModel

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import one_line
from eagle_impl.targets.cache import TreeCache
from eagle_impl.targets.huggingface_attention import NAME, HuggingFaceCache, seeing
from eagle_impl.targets.huggingface_config import CHOOSE, model_config, pretrained_config, quiet
from eagle_impl.targets.passes import TreeTarget


class HuggingFaceTarget(TreeTarget):
    """A model of transformers; implements ``eagle_impl.targets.interface.Target``."""

    def __init__(self, model: PreTrainedModel) -> None:
        """Take a model over: its attention is exchanged, and it is no longer trained.

        Args:
            model: With its LM head, on its device and in its number format.

        Raises:
            CheckpointError: It cannot judge trees, or its logits are not only its LM head's.
        """
        _refuse_what_cannot_branch(model)
        model.set_attn_implementation(NAME)
        self.device = model.device
        self.dtype = model.dtype
        self._model = model.eval().requires_grad_(False)
        self._base: Any = model.get_decoder()
        self._embedding: Any = model.get_input_embeddings()
        self._head: Any = model.get_output_embeddings()
        self.embedding_weight = _weight(self._embedding)
        self.lm_head_weight = _weight(self._head)
        config = model_config(model.config, model.generation_config)
        # In some of OPT features are narrower than what flows through the layers.
        self.config = replace(config, hidden_size=self.lm_head_weight.shape[1])
        text = model.config.get_text_config(decoder=True)
        self._factor = getattr(text, "logit_scale", 1.0) / getattr(text, "logits_scaling", 1.0)
        self._cap: float | None = getattr(text, "final_logit_softcapping", None)
        self._try_out()

    def new_cache(self, capacity: int) -> HuggingFaceCache:
        """An empty cache with room for ``capacity`` tokens."""
        return HuggingFaceCache(self.config.layers, capacity)

    @torch.inference_mode()
    def lm_head(self, features: Tensor) -> Tensor:
        """Logits of features. [tokens, hidden] -> [tokens, vocab]."""
        logits: Tensor = self._head(features)
        if self._factor != 1:
            logits = logits * self._factor
        return logits if self._cap is None else torch.tanh(logits / self._cap) * self._cap

    @torch.inference_mode()
    def embed(self, ids: Tensor) -> Tensor:
        """Input embeddings, scaled where the model's embedding scales. [tokens] -> [.., hidden]."""
        embedded: Tensor = self._embedding(ids)
        return embedded

    def _pass(
        self, ids: Tensor, positions: Tensor, mask: Tensor | None, cache: TreeCache
    ) -> Tensor:
        """See ``TreeTarget._pass``."""
        assert isinstance(cache, HuggingFaceCache)
        if mask is None:
            mask = torch.ones((len(ids), len(ids)), dtype=torch.bool, device=self.device).tril()
        with seeing(positions, mask, cache.length):
            told = self._base(
                input_ids=ids[None], position_ids=positions[None], cache=cache.past, use_cache=True
            )
        features: Tensor = told.last_hidden_state[0]
        return features

    @torch.inference_mode()
    def _try_out(self) -> None:
        """Judge a tree of two branches, and hold it against what ``forward`` says of each.

        Raises:
            CheckpointError: They differ.
        """
        name = type(self._model).__name__
        ids = torch.arange(5, device=self.device)  # two that are kept, a root and its two children
        mask = ids.new_tensor([[1, 0, 0], [1, 1, 0], [1, 0, 1]]).bool()
        try:
            cache = self.new_cache(5)
            self.prefill(ids[:2], cache)
            judged = self.verify(ids[2:], ids.new_tensor([2, 3, 3]), mask, cache).logits
            first, second = (self._model(ids[None, [0, 1, 2, i]]).logits[0] for i in (3, 4))
        except Exception as error:  # whatever a model's code has against being run so
            raise CheckpointError(
                f"{name} cannot judge trees of tokens: {one_line(error)[:200]}", CHOOSE
            ) from error
        expected = torch.stack([first[2], first[3], second[3]])
        if not expected.isfinite().all():
            raise CheckpointError(f"{name}: its logits are not finite", "use another number format")
        # Far more than rounding makes of it, and less than another mask or another position.
        most = 1e-3 if self.dtype in (torch.float32, torch.float64) else 0.1
        if (judged - expected).float().norm() > most * expected.float().norm():
            raise CheckpointError(f"{name} does not judge a tree of tokens as its paths", CHOOSE)


def _weight(layer: Any) -> Tensor:
    """Of an embedding, without its scale, or of a linear."""
    weight: Tensor = layer.weight
    return weight.detach()


def load_huggingface(folder: Path, device: torch.device, dtype: torch.dtype) -> HuggingFaceTarget:
    """A model from a folder with config.json and safetensors. No code of the folder's is run.

    Raises:
        CheckpointError: transformers cannot read it, or it cannot judge trees.
    """
    config = pretrained_config(folder)
    with quiet():
        try:
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                folder,
                config=config,
                dtype=dtype,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
        except Exception as error:  # of transformers, of safetensors, or of the model's own code
            raise CheckpointError(
                f"{folder}: transformers cannot read it: {one_line(error)[:300]}",
                "there must be whole safetensors files that are those of config.json",
            ) from None
    model, told = loaded
    # transformers makes up what is missing.
    for what in ("missing", "unexpected"):
        for weight in sorted(told[f"{what}_keys"]):
            raise CheckpointError(
                f"{folder}: {what} {weight}",
                "weights and config.json describe different architectures",
            )
    return HuggingFaceTarget(model.to(device))


def _refuse_what_cannot_branch(model: PreTrainedModel) -> None:
    """Refuse models in which a token has one past only, or is placed by where it lies."""
    takes = inspect.signature(model.get_decoder().forward).parameters
    for reason, holds in (
        ("keeps a state instead of keys and values", model._is_stateful),
        ("has an attention of its own kind", not model._can_set_attn_implementation()),
        ("takes no positions", not {"position_ids", "cache"} <= takes.keys()),
        ("has no LM head", model.get_output_embeddings() is None),
    ):
        if holds:
            raise CheckpointError(
                f"{type(model).__name__} cannot judge trees of tokens: it {reason}", CHOOSE
            )
