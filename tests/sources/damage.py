"""Answers that a host never promised: garbage, and valid ones with something wrong in them."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
"""Any JSON."""

BYTES = st.binary(max_size=60) | PLAIN.map(lambda data: json.dumps(data).encode())
"""Any body."""


@st.composite
def damaged(draw: st.DrawFn, data: Any) -> Any:
    """Valid JSON in which one or two places were deleted or hold something else."""
    data = copy.deepcopy(data)
    for _ in range(draw(st.integers(1, 2))):
        places = list(_places(data))
        if not places:
            return data
        holder, key = draw(st.sampled_from(places))
        if draw(st.booleans()):
            del holder[key]
        else:
            holder[key] = draw(PLAIN)
    return data


@st.composite
def torn(draw: st.DrawFn, text: str) -> str:
    """A valid document in which a piece is missing or was written over."""
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 80)))
    return text[:start] + draw(st.text(max_size=6) | st.just("")) + text[end:]


def _places(data: Any) -> Any:
    """Each place below ``data``, as what holds it and its key."""
    keys = data.keys() if isinstance(data, dict) else range(len(data))
    for key in list(keys):
        yield data, key
        if isinstance(data[key], (dict, list)):
            yield from _places(data[key])
