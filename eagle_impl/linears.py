"""How a weight is applied: ``y = x W^T + b`` by the quickest way that the machine offers.

All ways take and give the same; what differs is how the weights lie in memory. Generating is bound
by reading them, and judging a tree pays only if a few tokens cost little more than one:

- ``native``: own kernels (``eagle_impl.native``). With AVX-512, a dozen tokens cost little more
  than one; and a token's result does not depend on how many are computed together.
- ``onednn``, ``mkl``: weights packed once by the libraries that torch brings. Which is quicker
  depends on the CPU; on AMD's Zen 5 it is oneDNN by far.
- ``int8``: the same with weights rounded to whole numbers from -127 to 127 times a scale for each
  output, of which four times as many are read in the same time. The inputs and all sums stay in
  float32. For drafting only: it is another model, if nearly the same one.
- ``plain``: torch's own product; on CPUs, a few tokens cost twice as much as one. The only one for
  GPUs and for other number formats than float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Tensor, nn

from eagle_impl.errors import OptionError
from eagle_impl.native import kernels as native

Kind: TypeAlias = Literal["native", "int8", "onednn", "mkl", "plain"]


class Linear(nn.Module):
    """A weight and a bias, ready to be applied."""

    def forward(self, x: Tensor, onto: Tensor | None = None) -> Tensor:
        """Apply.

        Args:
            x: [..., inputs]
            onto: What shall be added. [..., outputs]

        Returns:
            [..., outputs]
        """
        y = self.product(x)
        return y if onto is None else onto + y

    def product(self, x: Tensor) -> Tensor:
        """[..., inputs] -> [..., outputs]."""
        raise NotImplementedError


class Plain(Linear):
    """The weight as it is."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self._weight, self._bias = weight, bias

    def product(self, x: Tensor) -> Tensor:
        """[..., inputs] -> [..., outputs]."""
        return F.linear(x, self._weight, self._bias)


class OneDnn(Linear):
    """The weight packed by oneDNN."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        # Packed for 16 tokens, but any number can be computed.
        self._packed = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), 16)
        self._bias = bias

    def product(self, x: Tensor) -> Tensor:
        """[..., inputs] -> [..., outputs]."""
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x, self._packed, self._bias, "none", [], "")
        return y


class Mkl(Linear):
    """The weight packed by MKL."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self._packed = torch.ops.mkl._mkl_reorder_linear_weight(weight.contiguous(), 16)
        # The dense weight is asked only for its shape, as long as the number of tokens is given.
        self._shape = weight.new_empty(1).expand(weight.shape)
        self._bias = bias

    def product(self, x: Tensor) -> Tensor:
        """[..., inputs] -> [..., outputs]."""
        y: Tensor = torch.ops.mkl._mkl_linear(
            x, self._packed, self._shape, self._bias, x.numel() // x.shape[-1]
        )
        return y


class Native(Linear):
    """The weight in panels for the own kernels."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        found = native.kernels()
        assert found is not None, "chosen only where there are kernels"
        self._kernels, self._outputs, self._bias = found, weight.shape[0], bias
        self._pack(weight)

    def forward(self, x: Tensor, onto: Tensor | None = None) -> Tensor:
        """See ``Linear.forward``; the kernel adds by itself."""
        if onto is None:
            onto = self._bias
        elif self._bias is not None:
            onto = onto + self._bias
        else:
            onto = onto.contiguous()
        return self._onto(x.contiguous(), onto)

    def _pack(self, weight: Tensor) -> None:
        self._packed = self._kernels.pack(weight)

    def _onto(self, x: Tensor, onto: Tensor | None) -> Tensor:
        return self._kernels.linear(x, self._packed, onto, self._outputs)


class Int8(Native):
    """The weight rounded to whole numbers, in panels for the own kernels."""

    def _pack(self, weight: Tensor) -> None:
        self._packed, self._scales = self._kernels.quantise(weight)

    def _onto(self, x: Tensor, onto: Tensor | None) -> Tensor:
        return self._kernels.linear_int8(x, self._packed, self._scales, onto, self._outputs)


_WAYS: dict[Kind, Callable[[Tensor, Tensor | None], Linear]] = {
    "native": Native,
    "int8": Int8,
    "onednn": OneDnn,
    "mkl": Mkl,
    "plain": Plain,
}


def usable(device: torch.device, dtype: torch.dtype) -> tuple[Kind, ...]:
    """The ways that this machine offers for exact products, the best one first."""
    packed: list[Kind] = []
    if device.type == "cpu" and dtype == torch.float32:
        if native.kernels() is not None:
            packed.append("native")
        if torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
            packed.append("onednn")
        if torch.backends.mkl.is_available():  # type: ignore[no-untyped-call]
            packed.append("mkl")
    return (*packed, "plain")


def choose(wanted: str, device: torch.device, dtype: torch.dtype) -> Kind:
    """The way that is meant by a name, or by ``auto``.

    Raises:
        OptionError: There is no such way, or not here.
    """
    offered = usable(device, dtype)
    if wanted == "auto":
        return offered[0]
    for kind in offered:
        if kind == wanted:
            return kind
    raise OptionError(
        f"no linears {wanted!r} for {str(dtype).removeprefix('torch.')} on {device}",
        f"use one of: auto, {', '.join(offered)}",
    )


def linear(weight: Tensor, bias: Tensor | None, kind: Kind) -> Linear:
    """A weight [outputs, inputs] and a bias [outputs], ready to be applied."""
    return _WAYS[kind](weight, bias)
