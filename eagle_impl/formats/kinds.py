"""What a checkpoint is, told by the names of its tensors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum


class Kind(StrEnum):
    """Kinds of checkpoints."""

    EAGLE = "EAGLE-1/2 head"
    EAGLE_3 = "EAGLE-3 head"
    MEDUSA = "Medusa heads"
    TARGET = "target model"
    UNKNOWN = "unknown"


def kind_of(names: Iterable[str]) -> Kind:
    """What has tensors of these names."""
    plain = {name.removeprefix("model.") for name in names}
    parts = {name.split(".")[0] for name in plain}
    layer = {name.removeprefix("layers.0.") for name in plain if name.startswith("layers.0.")}
    if "midlayer" in parts or "hidden_norm.weight" in layer:
        return Kind.EAGLE_3
    if any(re.fullmatch(r"(medusa_head\.)?\d+\.\d+\.(linear\.)?(weight|bias)", n) for n in plain):
        return Kind.MEDUSA
    if "fc.weight" in plain:
        return Kind.EAGLE
    if "input_layernorm.weight" in layer:
        return Kind.TARGET
    return Kind.EAGLE if layer else Kind.UNKNOWN
