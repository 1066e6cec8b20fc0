"""A head in the form in which it learns, and back.

Its weights are the same parameters under the same names; two linears compute differently.

A target's embeddings are far smaller than its features (in the packaged model 40 times), and a
linear that reads both side by side learns the large ones first. So the first linear scales each
half to unit size before it multiplies. An exported head has the scales in its weight, and is an
ordinary EAGLE-1 head.

torch multiplies float32 matrices on CPUs with MKL, which on those by AMD has half the speed of
oneDNN, whose linear only knows the way forward. Backwards, too, everything is such a linear: with
y = x W^T the gradient of x is g (W^T)^T, and that of W is g^T (x^T)^T.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Tensor, nn

from eagle_impl.drafters.head import EagleHead

STEP = 64
"""Numbers of rows are made multiples of this: oneDNN compiles code for every new shape."""


def trainable(head: EagleHead, embedding_scale: float, feature_scale: float) -> EagleHead:
    """Bring a new head into the form in which it learns; the head itself is changed.

    Args:
        head: Its first linear's weight is from now on that for scaled inputs.
        embedding_scale: What embeddings are multiplied by first.
        feature_scale: What features are multiplied by first.
    """
    for name, module in list(head.named_modules()):
        if type(module) is nn.Linear:
            swift = _Linear(module.in_features, module.out_features, bias=False, device="meta")
            swift.weight, swift.bias = module.weight, module.bias
            head.set_submodule(name, swift)
    assert isinstance(head.fc, _Linear)
    scales = torch.tensor([embedding_scale, feature_scale], device=head.device)
    head.fc.scales = scales.repeat_interleave(head.config.hidden_size)
    return head


def exported(head: EagleHead) -> EagleHead:
    """An ordinary head that computes the same; a copy."""
    plain = EagleHead(head.config).to(head.device)
    plain.load_state_dict(head.state_dict())
    assert isinstance(head.fc, _Linear)
    if head.fc.scales is not None:
        with torch.no_grad():
            plain.fc.weight *= head.fc.scales
    return plain


def answered(
    head: EagleHead, embeddings: Tensor, features: Tensor, counts: Sequence[Tensor]
) -> Tensor:
    """What a head predicts where it counts; differentiable.

    The same as ``head(...)[counts]`` of one conversation after the other. Rows that do not count,
    those of questions, are only looked back at: they need no more than keys and values.

    Args:
        head: Any.
        embeddings: Of all conversations, one behind the other, and of as much padding as there may
            be. [tokens, hidden]
        features: [tokens, hidden]
        counts: Which rows of each conversation count. [tokens of it] each, bool

    Returns:
        [rows that count, hidden], then rows that mean nothing to the next multiple of ``STEP``.
    """
    attention, device = head.layer.self_attn, features.device
    places = [one.nonzero().squeeze(1).to(device) for one in counts]  # in their conversations
    begins = list(accumulate((len(one) for one in counts), initial=0))
    chosen = torch.cat([begin + at for begin, at in zip(begins, places, strict=False)])
    chosen = F.pad(chosen, (0, -len(chosen) % STEP))
    positions = torch.zeros(len(features), dtype=torch.int64, device=device)
    for begin, one in zip(begins, counts, strict=False):
        positions[begin : begin + len(one)] = torch.arange(len(one), device=device)
    cos, sin = head.rotation(positions)
    fused = head.fuse(embeddings, features)
    keys, values = attention.keys_values(fused, (cos, sin))  # [kv_heads, tokens, head_dim]
    fused = fused.index_select(0, chosen)
    queries = attention.queries(fused, (cos[chosen], sin[chosen]))
    attended: Tensor = _Attended.apply(queries, keys, values, begins, places)  # type: ignore[no-untyped-call]
    return head.layer.finish(fused, attended)


def product(x: Tensor, weight: Tensor) -> Tensor:
    """``x W^T``, differentiable. [..., inputs], [outputs, inputs] -> [..., outputs]."""
    y: Tensor = _Product.apply(x, weight)  # type: ignore[no-untyped-call]
    return y


def times(x: Tensor, weight: Tensor) -> Tensor:
    """``x W^T``, not differentiable. [rows, inputs], [outputs, inputs] -> [rows, outputs]."""
    if x.device.type == "cpu" and x.dtype == torch.float32 and torch._C._has_mkldnn:
        # It reads a transposed matrix as it stands, as fast as any other.
        y: Tensor = torch.ops.mkldnn._linear_pointwise(
            _dense(x), _dense(weight), None, "none", [], ""
        )
        return y
    return F.linear(x, weight)


class _Linear(nn.Linear):
    scales: Tensor | None = None  # [inputs]

    def forward(self, x: Tensor) -> Tensor:
        """[..., inputs] -> [..., outputs]."""
        y = product(x if self.scales is None else x * self.scales, self.weight)
        return y if self.bias is None else y + self.bias


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return times(x.flatten(0, -2), weight).view(*x.shape[:-1], len(weight))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        gradient = gradients[0].flatten(0, -2)
        of_x = of_weight = None
        if ctx.needs_input_grad[0]:
            of_x = times(gradient, weight.t()).view(x.shape)
        if ctx.needs_input_grad[1]:
            of_weight = times(gradient.t(), x.flatten(0, -2).t())
        return of_x, of_weight


class _Attended(torch.autograd.Function):
    """Softmax attention of some rows of some texts that stand one behind the other.

    torch's own takes two to three times as long on CPUs.
    """

    @staticmethod
    def forward(
        ctx: Any,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        begins: Sequence[int],
        places: Sequence[Tensor],
    ) -> Tensor:
        """Attend.

        Args:
            ctx: Keeps what the way back needs.
            queries: Of the rows of all texts, and padding. [heads, rows, head_dim]
            keys: [kv_heads, tokens, head_dim]
            values: [kv_heads, tokens, head_dim]
            begins: First token of each text.
            places: Of the rows in each text, in ascending order.
        """
        kv_heads, _, size = keys.shape
        groups = len(queries) // kv_heads
        # Products read on behind a text's end, which the mask hides.
        keys, values = (F.pad(x, (0, 0, 0, STEP)) for x in (keys, values))
        gathered = torch.zeros_like(queries, memory_format=torch.contiguous_format)
        kept, row = [], 0
        for begin, of_text in zip(begins, places, strict=False):
            if not len(of_text):
                continue
            rows = slice(row, row := row + len(of_text))
            seen = slice(begin, begin + _rounded(int(of_text[-1]) + 1))
            later = torch.arange(seen.stop - begin, device=keys.device) > of_text[:, None]
            bias = torch.zeros(later.shape, dtype=keys.dtype, device=keys.device)
            bias.masked_fill_(later, -torch.inf)
            for at in range(kv_heads):
                heads = slice(at * groups, (at + 1) * groups)
                query = _flat(queries[heads, rows]).mul_(size**-0.5)
                scores = times(query, keys[at, seen])
                scores.view(groups, -1, bias.shape[1])[:, : len(bias)].add_(bias)
                shares = scores.softmax(dim=-1)  # [groups * rows, seen]
                found = times(shares, values[at, seen].t())
                gathered[heads, rows] = found.view(groups, -1, size)[:, : len(bias)]
                kept.append((heads, rows, at, seen, query, shares))
        ctx.kept = kept
        ctx.save_for_backward(keys, values)
        return gathered

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        (gradient,) = gradients
        keys, values = ctx.saved_tensors
        size = keys.shape[-1]
        of_queries = torch.zeros_like(gradient, memory_format=torch.contiguous_format)
        of_keys, of_values = torch.zeros_like(keys), torch.zeros_like(values)
        for heads, rows, at, seen, query, shares in ctx.kept:
            here = _flat(gradient[heads, rows])
            of_values[at, seen] += times(shares.t(), here.t())
            of_shares = times(here, values[at, seen])
            of_scores = torch._softmax_backward_data(of_shares, shares, -1, shares.dtype)
            of_keys[at, seen] += times(of_scores.t(), query.t())
            found = times(of_scores, keys[at, seen].t()).view(heads.stop - heads.start, -1, size)
            of_queries[heads, rows] = found[:, : rows.stop - rows.start]
        of_queries.mul_(size**-0.5)
        return of_queries, of_keys[:, :-STEP], of_values[:, :-STEP], None, None


def _rounded(rows: int) -> int:
    return rows + -rows % STEP


def _flat(x: Tensor) -> Tensor:
    """A padded copy. [groups, rows, head_dim] -> [groups * more rows, head_dim]."""
    return F.pad(x, (0, 0, 0, STEP - 1 - (x.shape[1] - 1) % STEP)).flatten(0, 1)


def _dense(matrix: Tensor) -> Tensor:
    return matrix if matrix.is_contiguous() or matrix.t().is_contiguous() else matrix.contiguous()
