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

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Tensor, nn

from eagle_impl.drafters.head import EagleHead


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


def product(x: Tensor, weight: Tensor) -> Tensor:
    """``x W^T``, differentiable. [..., inputs], [outputs, inputs] -> [..., outputs]."""
    if x.device.type == "cpu" and x.dtype == torch.float32 and torch._C._has_mkldnn:
        y: Tensor = _Product.apply(x, weight)  # type: ignore[no-untyped-call]
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
        return _onednn(x, weight)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        (gradient,) = gradients
        of_x = of_weight = None
        if ctx.needs_input_grad[0]:
            of_x = _onednn(gradient, weight.t())
        if ctx.needs_input_grad[1]:
            of_weight = _onednn(gradient.flatten(0, -2).t(), x.flatten(0, -2).t())
        return of_x, of_weight


def _onednn(x: Tensor, weight: Tensor) -> Tensor:
    """``x W^T``. [..., inputs], [outputs, inputs] -> [..., outputs]."""
    y: Tensor = torch.ops.mkldnn._linear_pointwise(
        x.contiguous(), weight.contiguous(), None, "none", [], ""
    )
    return y
