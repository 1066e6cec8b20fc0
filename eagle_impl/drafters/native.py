"""Reading pairs with the kernels of ``eagle_impl.native``: as ``TorchReader`` does, but quicker.

Weights that read the same input are one, and all that follows a product is done by it or by one
call, as in ``eagle_impl.targets.llama``.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from eagle_impl.attention import Heads
from eagle_impl.drafters.head import EagleHead
from eagle_impl.linears import Kind, linear
from eagle_impl.native.kernels import LANES, PANEL, Kernels, NativeAttention, kernels


def kernels_for(head: EagleHead) -> Kernels | None:
    """Compiled kernels, where the head is such as they can compute."""
    config = head.config
    sizes = (config.hidden_size, config.intermediate_size, config.head_dim)
    fits = all(size % LANES == 0 for size in sizes)
    if not fits or head.device.type != "cpu" or head.dtype is not torch.float32:
        return None
    return kernels()


class NativeReader:
    """Reads with kernels of our own; implements ``eagle_impl.drafters.reading.Reader``."""

    def __init__(self, head: EagleHead, of: Kernels, kind: Kind) -> None:
        """Lay the weights out.

        Args:
            head: In float32 on the CPU.
            of: What ``kernels_for`` gave for it.
            kind: How weights are applied, see ``eagle_impl.linears``: ``native``, or ``int8``,
                which rounds them. Nothing but the drafts is the worse for it.
        """
        config, attention, mlp = head.config, head.layer.self_attn, head.layer.mlp
        self._kernels = of
        self._heads = Heads(config.heads, config.kv_heads, config.head_dim)
        self._rotation = head.rotation
        self._fc = _together(kind, head.fc)
        self._qkv = _together(kind, attention.q_proj, attention.k_proj, attention.v_proj)
        self._out = _together(kind, attention.o_proj)
        self._gate_up = _together(kind, mlp.gate_proj, mlp.up_proj)
        self._down = _together(kind, mlp.down_proj)
        self._norm = head.layer.post_attention_layernorm.weight.detach().contiguous()
        self._epsilon = config.norm_epsilon

    def begin(self, room: int) -> None:
        """See ``Reader.begin``."""
        panels, (_, kv_heads, head_dim) = -(-room // PANEL), self._heads
        self._columns = panels * PANEL
        self._keys = torch.zeros(kv_heads, panels, head_dim, PANEL)
        self._values = torch.zeros(kv_heads, self._columns, head_dim)
        self._cos, self._sin = self._rotation(torch.arange(room))

    def read(self, embeddings: Tensor, features: Tensor, start: int) -> Tensor:
        """See ``Reader.read``."""
        end = start + embeddings.shape[0]
        columns = torch.arange(start, end)
        rotation = self._cos[start:end], self._sin[start:end]
        x, gathered = self._attend(embeddings, features, rotation, columns, columns + 1, None)
        return self._finish(x[-1:], gathered[-1:])

    def read_level(
        self, embeddings: Tensor, features: Tensor, start: int, position: int, mask: Tensor
    ) -> Tensor:
        """See ``Reader.read_level``."""
        nodes = embeddings.shape[0]
        columns = torch.arange(start, start + nodes)
        seen = torch.full_like(columns, start + nodes - mask.shape[1])
        cos, sin = (part[position].expand(nodes, -1) for part in (self._cos, self._sin))
        x, gathered = self._attend(embeddings, features, (cos, sin), columns, seen, mask)
        return self._finish(x, gathered)

    def _attend(
        self,
        embeddings: Tensor,
        features: Tensor,
        rotation: tuple[Tensor, Tensor],
        columns: Tensor,
        seen: Tensor,
        mask: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        """What the layer receives of pairs, [pairs, hidden], and what each query head gathers."""
        attend = NativeAttention(
            self._kernels, self._heads, rotation, columns, seen, capacity=self._columns, mask=mask
        )
        x = self._fc(torch.cat((embeddings, features), dim=-1))
        return x, attend(self._qkv(x), self._keys, self._values)

    def _finish(self, x: Tensor, gathered: Tensor) -> Tensor:
        """All that follows the attention. [pairs, hidden]."""
        x = self._out(gathered, onto=x)
        normed = self._kernels.rms_norm(x, self._norm, self._epsilon)
        return self._down(self._kernels.swiglu(self._gate_up(normed)), onto=x)


def _together(kind: Kind, *parts: nn.Linear) -> Callable[..., Tensor]:
    """Linears that read the same, as one: its ``forward``, without what modules do around it."""
    weight = torch.cat([part.weight.detach() for part in parts])
    bias = None
    if parts[0].bias is not None:
        bias = torch.cat([part.bias.detach() for part in parts])
    return linear(weight, bias, kind).forward
