"""What a checkpoint is, whether it is whole, and whether it fits a target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
from torch import Tensor

from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import CheckpointError, OptionError
from eagle_impl.formats.eagle import D2T, T2D, EagleFiles, read_eagle
from eagle_impl.formats.files import read_json
from eagle_impl.formats.fitting import Misfit, described, misfits
from eagle_impl.formats.huggingface import read_config, read_weights
from eagle_impl.formats.kinds import Kind, kind_of
from eagle_impl.formats.tensors import read_folder, require_finite
from eagle_impl.targets.interface import ModelConfig
from eagle_impl.targets.loading import find_folder
from eagle_impl.targets.packaged import NAME, packaged_folder
from eagle_impl.text import load_text


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found."""

    folder: Path
    kind: Kind
    facts: Mapping[str, str]
    """What it is like, in words."""
    problems: tuple[str, ...]
    """What is missing or wrong in the checkpoint itself."""
    target: str | None = None
    """What it was held against."""
    misfits: tuple[Misfit, ...] = ()
    """In what it and the target differ."""

    @property
    def fits(self) -> bool:
        """Whether it is whole and was made for the target; other settings alone do no harm."""
        return not self.problems and all(misfit.weight == "different" for misfit in self.misfits)


class _Sizes(msgspec.Struct):
    """What is asked of any other head's config.json."""

    vocab_size: int | None = None


def inspect(folder: Path, target: str | Path | None = None) -> Inspection:
    """Inspect a checkpoint.

    Args:
        folder: Of the checkpoint; or the packaged model's name.
        target: A folder or a model's name, to hold a head against.

    Raises:
        CheckpointError: The checkpoint or the target cannot be read, or the target is no model.
        OptionError: A whole model is held against a target.
    """
    if str(folder) == NAME:
        folder = packaged_folder()
    if not folder.is_dir():
        raise CheckpointError(
            f"{folder}: no such folder", f"name one with config.json and weights, or {NAME}"
        )
    tensors = read_folder(folder)
    kind = kind_of(tensors)
    if kind is Kind.EAGLE:
        return _eagle(read_eagle(folder), target)
    if kind is Kind.TARGET and target is not None:
        raise OptionError(
            f"{folder} is a whole model, and only heads fit a target",
            "leave out --target, or name a head's folder",
        )
    facts, problems = _common_facts(tensors.values()), list[str]()
    config = None if target is None else _target(target)[1]
    differ: list[Misfit] = []
    if kind is Kind.UNKNOWN:
        problems.append(f"none of the known layouts; it holds {_first(tensors)}")
    elif kind is Kind.TARGET:
        _whole_model(folder, facts, problems)
    else:
        reads = _features_read(kind, folder, tensors, facts, problems)
        if config and reads is not None and reads != config.hidden_size:
            differ.append(_other("hidden size", reads, config.hidden_size))
        if config and T2D in tensors and tensors[T2D].numel() != config.vocab_size:
            differ.append(_other("vocabulary size", tensors[T2D].numel(), config.vocab_size))
    named = None if target is None else str(target)
    return Inspection(folder, kind, facts, tuple(problems), named, tuple(differ))


def _eagle(files: EagleFiles, target: str | Path | None) -> Inspection:
    config = files.config
    biases = [
        name for name, has in (("fc", config.fc_bias), ("q, k, v", config.attention_bias)) if has
    ]
    facts = _common_facts(files.weights.values())
    facts["geometry"] = (
        f"hidden {config.hidden_size}, intermediate {config.intermediate_size},"
        f" {config.heads} heads, {config.kv_heads} key-value heads of {config.head_dim}"
    )
    facts["biases"] = " and ".join(biases) or "none"
    facts["rotary"] = described(config.rope)
    facts["positions"] = str(config.max_positions)
    facts["vocabulary"] = str(config.vocab_size)
    if files.d2t is not None:
        facts["vocabulary"] += f", of which {files.d2t.numel()} are drafted"
    if files.trained_for is not None:
        facts["trained for"] = files.trained_for.target
    problems = tuple(_said(files.folder, problem) for problem in files.problems())
    if target is None:
        return Inspection(files.folder, Kind.EAGLE, facts, problems)
    folder, model = _target(target)
    weights = read_weights(folder, model)
    embedding = weights["model.embed_tokens.weight"]
    lm_head = embedding if model.tied else weights["lm_head.weight"]
    differ = tuple(misfits(files, model, embedding, lm_head))
    return Inspection(files.folder, Kind.EAGLE, facts, problems, str(target), differ)


def _target(name: str | Path) -> tuple[Path, ModelConfig]:
    """What a head is held against: a folder that holds a whole model, and the model's geometry."""
    folder = find_folder(name)
    config, kind = read_config(folder), kind_of(read_folder(folder))
    if kind is not Kind.TARGET:
        raise CheckpointError(
            f"{folder}: holds no whole model: it is of the kind {kind}", "name a model's folder"
        )
    return folder, config


def _whole_model(folder: Path, facts: dict[str, str], problems: list[str]) -> None:
    """Look at a target."""
    try:
        config = read_config(folder)
        facts["geometry"] = _geometry(config)
        facts["rotary"] = described(config.rope)
        facts["positions"] = str(config.max_positions)
        facts["vocabulary"] = str(config.vocab_size)
        require_finite(read_weights(folder, config), folder)
        load_text(folder, config)
    except CheckpointError as error:
        problems.append(_said(folder, error))


def _features_read(
    kind: Kind,
    folder: Path,
    tensors: Mapping[str, Tensor],
    facts: dict[str, str],
    problems: list[str],
) -> int | None:
    """Look at an EAGLE-3 head or Medusa heads. Returns the size of the features that they read."""
    if kind is Kind.MEDUSA:
        heads = {name.removeprefix("medusa_head.").split(".")[0] for name in tensors}
        facts["heads"] = str(len(heads))
        return next((t.shape[-1] for t in tensors.values() if t.dim() == 2), None)
    fused = tensors.get("fc.weight")
    if fused is None or fused.dim() != 2 or fused.shape[1] % 3:
        problems.append("fc.weight does not read three features beside each other")
        return None
    facts["geometry"] = f"hidden {fused.shape[0]}, three features of {fused.shape[1] // 3}"
    if D2T in tensors:
        facts["draft vocabulary"] = str(tensors[D2T].numel())
        try:
            t2d, sizes = tensors.get(T2D), read_json(folder / "config.json", _Sizes)
            vocab_size = sizes.vocab_size if t2d is None else t2d.numel()
            if vocab_size is not None:
                DraftVocabulary.from_tables(tensors[D2T], t2d, vocab_size)
        except CheckpointError as error:
            problems.append(_said(folder, error))
    return fused.shape[1] // 3


def _common_facts(tensors: Iterable[Tensor]) -> dict[str, str]:
    weights = [tensor for tensor in tensors if tensor.is_floating_point()]
    formats = sorted({str(tensor.dtype).removeprefix("torch.") for tensor in weights})
    return {
        "parameters": f"{sum(tensor.numel() for tensor in weights):,}",
        "number format": ", ".join(formats) or "none",
    }


def _geometry(config: ModelConfig) -> str:
    return (
        f"{config.layers} layers, hidden {config.hidden_size}, intermediate"
        f" {config.intermediate_size}, {config.heads} heads, {config.kv_heads} key-value heads"
        f" of {config.head_dim}"
    )


def _other(name: str, ours: int, theirs: int) -> Misfit:
    return Misfit("impossible", f"made for another target: {name} {ours}, the target's is {theirs}")


def _said(folder: Path, error: CheckpointError) -> str:
    """A complaint without the folder, which the inspection names already."""
    message = error.message.removeprefix(f"{folder}: ")
    return f"{message} ({error.hint})" if error.hint else message


def _first(names: Iterable[str]) -> str:
    some = [*names][:3]
    return ", ".join(some) or "no tensors"
