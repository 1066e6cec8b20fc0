"""What computes a target's passes: the kernels of ``eagle_impl.native``, or torch.

Only the speed tells one from the other. Whoever waits for torch where the kernels could compute
should know it, and what would bring them.
"""

from __future__ import annotations

import warnings

import torch

from eagle_impl.errors import Notice
from eagle_impl.native.kernels import LANES, found_kernels
from eagle_impl.native.library import Missing
from eagle_impl.targets.interface import Target
from eagle_impl.targets.llama import LlamaTarget


def computed_by(target: Target) -> str:
    """``native`` with the CPU's vectors, such as ``native avx512``; or ``torch``."""
    kernels = target.kernels if isinstance(target, LlamaTarget) else None
    return f"native {kernels.vectors}" if kernels is not None else "torch"


def tell_if_torch_computes(target: Target) -> None:
    """Warn, with a ``Notice``, that it is torch, why, and how that can be changed if it can."""
    if computed_by(target) == "torch":
        why, mend = _why_torch(target)
        hint = f" ({mend})" if mend else ""
        said = f"torch computes, not the kernels that come with the project: {why}{hint}"
        warnings.warn(said, Notice, stacklevel=2)


def _why_torch(target: Target) -> tuple[str, str]:
    """Why no kernels compute, and how to mend it. What cannot be changed comes first."""
    if target.device.type != "cpu":
        return f"they are for CPUs, and this is {target.device}", ""
    if not isinstance(target, LlamaTarget):
        return "they are for models of Llama's shape", ""
    if target.dtype is not torch.float32:
        given = str(target.dtype).removeprefix("torch.")
        return f"they are for float32, and this is {given}", "--dtype fp32 uses them"
    found = found_kernels()
    if isinstance(found, Missing):
        return found.why, found.mend
    return f"they are for sizes that are multiples of {LANES}, and a size of this model is not", ""
