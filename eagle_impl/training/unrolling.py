"""What a head predicts when it goes on from its own predictions, at all places of a text at once.

To draft some tokens after a place, a head first reads the target's features up to there, then its
own. Done for every place i of a sequence together: at depth 0 row i reads the pair (f[i], e[i+1])
and predicts f[i+1]; at depth d it reads its own prediction of f[i+d] beside e[i+d+1], at position
i + d, and sees the target's pairs up to i and its own of depths 1 to d. These are a diagonal of the
attention: no row sees another row's own pairs.

Tokens are the text's own: what a draft is that has been right so far.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Tensor

from eagle_impl.drafters.head import EagleHead


def unrolled(head: EagleHead, embeddings: Tensor, features: Tensor, depths: int) -> list[Tensor]:
    """Predicted features by depth; differentiable.

    Args:
        head: Any.
        embeddings: Of the tokens one position after the features. [batch, rows, hidden]
        features: The target's. [batch, rows, hidden]
        depths: How many, the first with the target's features alone.

    Returns:
        At depth d row i is what is predicted of feature i + 1 + d; the last d rows mean nothing.
        [batch, rows, hidden] each
    """
    rows, groups = features.shape[-2], head.config.heads // head.config.kv_heads
    attention = head.layer.self_attn
    cos, sin = head.rotation(torch.arange(rows + depths, device=features.device))
    fused = head.fuse(embeddings, features)
    keys, values = attention.keys_values(fused, (cos[:rows], sin[:rows]))
    attended = F.scaled_dot_product_attention(
        attention.queries(fused, (cos[:rows], sin[:rows])),
        keys,
        values,
        is_causal=True,
        enable_gqa=True,
    )
    predicted = [head.layer.finish(fused, attended)]
    later = torch.ones(rows, rows, dtype=torch.bool, device=features.device).triu(1)
    own_keys, own_values = list[Tensor](), list[Tensor]()
    for depth in range(1, depths):
        rotation = cos[depth : rows + depth], sin[depth : rows + depth]
        fused = head.fuse(embeddings.roll(-depth, dims=-2), predicted[-1])
        for kept, new in zip(
            (own_keys, own_values), attention.keys_values(fused, rotation), strict=True
        ):
            kept.append(new)
        queries = attention.queries(fused, rotation)
        queries = queries.view(-1, attention.kv_heads, groups, rows, queries.shape[-1])
        queries = queries * queries.shape[-1] ** -0.5  # [batch, kv_heads, groups, rows, head_dim]
        shared = queries @ keys.unsqueeze(2).mT  # [batch, kv_heads, groups, rows, rows]
        own = [(queries * key.unsqueeze(2)).sum(-1, keepdim=True) for key in own_keys]
        scores = torch.cat((shared.masked_fill(later, -torch.inf), *own), dim=-1)
        shares = scores.softmax(dim=-1)
        gathered = shares[..., :rows] @ values.unsqueeze(2)
        for at, value in enumerate(own_values, start=rows):
            gathered = gathered + shares[..., at : at + 1] * value.unsqueeze(2)
        predicted.append(head.layer.finish(fused, gathered.flatten(1, 2)))
    return predicted
