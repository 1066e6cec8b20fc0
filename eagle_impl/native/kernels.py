"""Kernels for float32 on CPUs, compiled from the sources beside this file when first needed.

They are worth a compiler for three reasons. One reading of the weights serves up to a dozen tokens,
and what takes torch ten small steps takes one call. A machine that is busy with other things slows
them down no more than it must (``pool.h``). And a token's result is the same to the last bit
however many tokens are computed together, in a row or in a tree, so that greedy decoding with
drafts cannot differ from plain decoding. Without a compiler ``kernels()`` is None, and torch does
the same work.
"""

from __future__ import annotations

import ctypes
import functools

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Tensor

from eagle_impl.attention import Heads
from eagle_impl.native.library import Library, Missing, load

LANES = 16
"""Sizes of heads, norms and gates must be multiples of it."""
PANEL = 32
"""Outputs of a linear, or keys of a head, that lie together in panels."""

_INTEGER, _POINTER, _REAL = ctypes.c_int64, ctypes.c_void_p, ctypes.c_float


def kernels() -> Kernels | None:
    """The kernels, or None where they cannot be compiled.

    They use as many threads as torch does when they are asked for first. Torch itself may then be
    left with one, since the steps that remain for it are small: ``torch.set_num_threads(1)``.
    """
    found = found_kernels()
    return found if isinstance(found, Kernels) else None


@functools.cache
def found_kernels() -> Kernels | Missing:
    """``kernels``, or why there are none."""
    library = load()
    return Kernels(library) if isinstance(library, Library) else library


class _Pass(ctypes.Structure):
    """``struct Pass`` of the source."""

    _fields_ = (
        *((name, _INTEGER) for name in ("tokens", "heads", "kv_heads", "head_dim", "capacity")),
        ("scale", _REAL),
        *((name, _POINTER) for name in ("cos", "sin", "slots", "columns", "seen", "mask")),
        ("width", _INTEGER),
    )


class Kernels:
    """The functions of the library. Tensors are float32 and contiguous."""

    def __init__(self, library: Library) -> None:
        def function(name: str, *types: type) -> ctypes._NamedFuncPointer:
            found = library.functions[f"eagle_{name}"]
            found.argtypes, found.restype = types, None
            return found

        self.vectors = library.vectors
        """What they compute with, such as ``avx512``."""
        function("start", _INTEGER)(torch.get_num_threads())
        self._linear = function("linear", *[_POINTER] * 3, _INTEGER, _POINTER, *[_INTEGER] * 3)
        self._linear_int8 = function(
            "linear_int8", *[_POINTER] * 4, _INTEGER, _POINTER, *[_INTEGER] * 3
        )
        self._rms_norm = function(
            "rms_norm", _POINTER, _POINTER, _REAL, _POINTER, _INTEGER, _INTEGER
        )
        self._swiglu = function("swiglu", _POINTER, _POINTER, _INTEGER, _INTEGER)
        self._attend = function("attend", *[_POINTER] * 5)
        self._argmax = function("argmax", _POINTER, _INTEGER, _INTEGER, _POINTER)
        self._likeliest = function("likeliest", _POINTER, *[_INTEGER] * 3, _POINTER, _POINTER)

    @staticmethod
    def pack(weight: Tensor) -> Tensor:
        """Weights in the order in which they are read, be they float32 or int8.

        [outputs, inputs] -> [outputs / 32, inputs, 32], filled up with zeros.
        """
        outputs, inputs = weight.shape
        padded = F.pad(weight, (0, 0, 0, -outputs % PANEL))
        return padded.view(-1, PANEL, inputs).transpose(1, 2).contiguous()

    @staticmethod
    def quantise(weight: Tensor) -> tuple[Tensor, Tensor]:
        """Weights as whole numbers from -127 to 127 times one scale for each output.

        [outputs, inputs] -> packed [outputs / 32, inputs, 32], int8, and scales, as many as there
        are outputs in all panels
        """
        scales = weight.abs().amax(dim=1) / 127  # [outputs]
        whole = (weight / scales.clamp(min=torch.finfo(scales.dtype).tiny)[:, None]).round()
        return Kernels.pack(whole.to(torch.int8)), F.pad(scales, (0, -len(scales) % PANEL))

    def linear(self, x: Tensor, packed: Tensor, onto: Tensor | None, outputs: int) -> Tensor:
        """``x W^T + onto``. [..., inputs] -> [..., outputs].

        Args:
            x: [..., inputs]
            packed: As ``pack`` gives it.
            onto: A bias [outputs], or what shall be added to all [..., outputs].
            outputs: How many there are.

        Raises:
            ValueError: Inputs are not as many as weights, or not float32.
        """
        return self._apply(self._linear, x, packed, (packed.data_ptr(),), onto, outputs)

    def linear_int8(
        self, x: Tensor, packed: Tensor, scales: Tensor, onto: Tensor | None, outputs: int
    ) -> Tensor:
        """``linear`` with weights as ``quantise`` gives them; all else is float32."""
        weights = packed.data_ptr(), scales.data_ptr()
        return self._apply(self._linear_int8, x, packed, weights, onto, outputs)

    @staticmethod
    def _apply(
        function: ctypes._NamedFuncPointer,
        x: Tensor,
        packed: Tensor,
        weights: tuple[int, ...],
        onto: Tensor | None,
        outputs: int,
    ) -> Tensor:
        inputs = x.shape[-1]
        if inputs != packed.shape[1] or x.dtype is not torch.float32:
            raise ValueError(f"not {packed.shape[1]} inputs in float32: {inputs} in {x.dtype}")
        y = x.new_empty(*x.shape[:-1], outputs)
        function(
            x.data_ptr(),
            *weights,
            None if onto is None else onto.data_ptr(),
            0 if onto is None or onto.dim() == 1 else outputs,
            y.data_ptr(),
            x.numel() // inputs,
            inputs,
            outputs,
        )
        return y

    def rms_norm(self, x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
        """Root mean square norm. [tokens, size] -> [tokens, size]."""
        y = torch.empty_like(x)
        self._rms_norm(x.data_ptr(), weight.data_ptr(), epsilon, y.data_ptr(), *x.shape)
        return y

    def swiglu(self, gate_up: Tensor) -> Tensor:
        """``silu(gate) * up``. [tokens, 2 * size] -> [tokens, size]."""
        tokens, size = gate_up.shape[0], gate_up.shape[1] // 2
        y = gate_up.new_empty(tokens, size)
        self._swiglu(gate_up.data_ptr(), y.data_ptr(), tokens, size)
        return y

    def argmax(self, logits: Tensor) -> list[int]:
        """The column of the largest of each row, the lowest among equals; -1 if one is NaN.

        [rows, columns] -> rows
        """
        chosen = torch.empty(len(logits), dtype=torch.int64)
        self._argmax(logits.data_ptr(), *logits.shape, chosen.data_ptr())
        return chosen.tolist()

    def likeliest(self, logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """The columns of the largest of each row, the lowest first among equals.

        Args:
            logits: [rows, columns]
            count: How many; no more than there are columns.

        Returns:
            Columns, the largest first, and their log-probabilities. [rows, count] each
        """
        rows, columns = logits.shape
        assert count <= columns
        best = torch.empty((rows, count), dtype=torch.int64)
        scores = torch.empty((rows, count))
        self._likeliest(logits.data_ptr(), rows, columns, count, best.data_ptr(), scores.data_ptr())
        return best, scores

    def attend(self, of: _Pass, qkv: Tensor, keys: Tensor, values: Tensor, size: int) -> Tensor:
        """Attention of one pass in one layer; see ``NativeAttention``."""
        out = qkv.new_empty(qkv.shape[0], size)
        self._attend(
            ctypes.addressof(of),
            qkv.data_ptr(),
            keys.data_ptr(),
            values.data_ptr(),
            out.data_ptr(),
        )
        return out


class NativeAttention:
    """Attention of the tokens of one pass, whose keys lie in one cache or in the slots of one.

    Keys lie in panels, [..., kv_heads, capacity / 32, head_dim, 32]; values as everywhere.
    """

    def __init__(
        self,
        of: Kernels,
        heads: Heads,
        rotation: tuple[Tensor, Tensor],
        columns: Tensor,
        seen: Tensor,
        *,
        capacity: int,
        slots: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> None:
        """Say where the tokens stand.

        Args:
            of: Compiled kernels.
            heads: Geometry.
            rotation: Cosines and sines of the tokens' positions. [tokens, head_dim] each
            columns: Column of the cache that a token's own key goes to. [tokens]
            seen: How many columns, from the first on, a token sees. [tokens]
            capacity: Columns of the cache; a multiple of ``PANEL``.
            slots: Slot of the cache that a token belongs to; one for all if absent. [tokens]
            mask: Whether a token sees each of the last columns too, up to that of the last token.
                [tokens, width], bool
        """
        assert capacity % PANEL == 0
        offsets = None
        if slots is not None:
            offsets = slots.long() * (heads.kv_heads * capacity * heads.head_dim)
        cos, sin = rotation
        self._kernels = of
        self._size = heads.heads * heads.head_dim
        self._alive = tuple(
            None if tensor is None else tensor.contiguous()
            for tensor in (cos, sin, offsets, columns.long(), seen.long(), mask)
        )
        self._pass = _Pass(
            columns.numel(),
            *heads,
            capacity,
            heads.head_dim**-0.5,
            *(None if tensor is None else tensor.data_ptr() for tensor in self._alive),
            0 if mask is None else mask.shape[1],
        )

    def __call__(self, qkv: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """See ``eagle_impl.attention.Attend``."""
        return self._kernels.attend(self._pass, qkv, keys, values, self._size)
