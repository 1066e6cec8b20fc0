"""One prompt, one answer: what the command line and the benchmarks ask the loop for."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from eagle_impl.computing import computed_by, tell_if_torch_computes
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.interface import Drafter
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.errors import Notice, OptionError
from eagle_impl.formats.fitting import load_eagle
from eagle_impl.generation import Statistics, generate
from eagle_impl.heads import shipped_head
from eagle_impl.losslessness.comparing import Difference
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import EAGLE_1_TREE, chain
from eagle_impl.streaming import StopScanner
from eagle_impl.targets.interface import Target
from eagle_impl.targets.loading import load_target, load_target_text
from eagle_impl.text import Text
from eagle_impl.trees import TreeShape
from registry.reports.wording import counted

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
METHODS = ("vanilla", "eagle", "eagle-2")

DEFAULT_TREE = DynamicTree(top_k=4, depth=3, total=7)
"""What EAGLE-2 grows unless told otherwise. Deeper and wider trees pay where heads are better, or
where a pass over more nodes costs less; on CPUs with AVX-512, up to 13 nodes and the root are one
block of the kernels."""

_MOST_DEPTH, _MOST_TOP_K, _MOST_NODES = 999, 999, 9999
"""Larger trees than any target judges in one pass to advantage."""

_NUMBER = "([0-9]{1,9})"


@dataclass(frozen=True, slots=True)
class Kit:
    """A target, its text, and what drafts for it."""

    target: Target
    text: Text
    drafter: Drafter | None
    method: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What to generate."""

    ids: tuple[int, ...]
    """The prompt."""
    sampler: Sampler
    seed: int = 0
    max_new_tokens: int = 128
    stops: tuple[str, ...] = ()
    """Texts that end the answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it."""

    method: str
    ids: tuple[int, ...]
    text: str
    """Up to a stop text, which is not part of it."""
    stop: str | None
    """The stop text that was met."""
    statistics: Statistics
    kernels: str = "torch"
    """What computed it, see ``eagle_impl.computing``."""


def shape_of(method: str, words: str) -> TreeShape:
    """The draft tree that a method grows, from the words of an option.

    Args:
        method: ``eagle`` or ``eagle-2``.
        words: ``chain:DEPTH`` or ``static``; ``TOPK,DEPTH,NODES``; or nothing for the default.

    Raises:
        OptionError: The words describe no tree of the method.
    """
    if method == "eagle" and words in ("", "static"):
        return EAGLE_1_TREE
    if method == "eagle" and (found := re.fullmatch(f"chain:{_NUMBER}", words)):
        depth = int(found[1])
        _judge_size(words, depth=(depth, _MOST_DEPTH))
        return chain(depth)
    if method == "eagle-2" and not words:
        return DEFAULT_TREE
    if method == "eagle-2" and (found := re.fullmatch(f"{_NUMBER},{_NUMBER},{_NUMBER}", words)):
        top_k, depth, total = map(int, found.groups())
        _judge_size(
            words,
            topk=(top_k, _MOST_TOP_K),
            depth=(depth, _MOST_DEPTH),
            nodes=(total, _MOST_NODES),
        )
        return DynamicTree(top_k=top_k, depth=depth, total=total)
    known = "static or chain:DEPTH" if method == "eagle" else "TOPK,DEPTH,NODES, such as 4,3,7"
    raise OptionError(f"'{words}' is no tree of {method}", f"write {known}")


def _judge_size(words: str, **sizes: tuple[int, int]) -> None:
    """Refuse a tree of which a size is beyond its limit."""
    for name, (size, most) in sizes.items():
        if size > most:
            raise OptionError(f"'{words}': {name.upper()} is at most {most}, not {size}")


def prepare(
    *,
    target: str,
    head: Path | None,
    method: str | None,
    tree: str,
    sampler: Sampler,
    template: Path | None = None,
    dtype: str = "fp32",
    device: str = "cpu",
    threads: int | None = None,
) -> Kit:
    """Load what is needed.

    Args:
        target: A folder, a name, or ``ORG/NAME`` of a hub.
        head: Folder of a head; the one that comes with the project for this target if absent.
        method: ``vanilla``, ``eagle`` or ``eagle-2``; the last if there is a head, else the first.
        tree: As ``shape_of`` reads it.
        sampler: How tokens will be chosen.
        template: A chat template to use instead of the target's own.
        dtype: One of ``DTYPES``.
        device: Where to compute.
        threads: Threads on a CPU; all cores if absent.

    Raises:
        EagleError: A model or head cannot be read, does not fit, or is not given.
    """
    head = head or shipped_head(target)
    chosen = method or ("eagle-2" if head is not None else "vanilla")
    if chosen != "vanilla" and head is None:
        raise OptionError(
            f"{chosen} needs a head, and none comes with the project for {target}",
            "name its folder with --head",
        )
    if chosen == "vanilla" and tree:
        raise OptionError("vanilla grows no tree", "leave out --tree, or name a head with --head")
    shape = shape_of(chosen, tree) if chosen != "vanilla" else None
    text = load_target_text(target, template)
    model = load_target(target, device, DTYPES[dtype], threads)
    tell_if_torch_computes(model)
    if method is None and head is None:
        warnings.warn(
            f"no head is known for {target}, which is decoded plainly (--head names the folder of"
            " one, and `eagle_impl train` makes one)",
            Notice,
            stacklevel=2,
        )
    drafter: Drafter | None = None
    if shape is not None and head is not None:
        loaded, vocabulary = load_eagle(head, model)
        drafter = EagleDrafter(loaded, model, shape, vocabulary, sampler)
    return Kit(model, text, drafter, chosen)


def answer(kit: Kit, asked: Asked, show: Callable[[str], None], *, plainly: bool = False) -> Answer:
    """Generate, showing text as soon as it is certain that no stop text begins in it.

    Args:
        kit: What to generate with.
        asked: What to generate.
        show: Told of each piece of text.
        plainly: Whether to leave the drafter out.
    """
    told, ids, pieces = Statistics(), list[int](), list[str]()
    stream, scanner = kit.text.stream(), StopScanner(asked.stops)
    tokens = generate(
        kit.target,
        asked.ids,
        drafter=None if plainly else kit.drafter,
        sampler=asked.sampler,
        max_new_tokens=asked.max_new_tokens,
        seed=asked.seed,
        statistics=told,
    )
    stop: str | None = None
    for token in tokens:
        ids.append(token)
        scanned = scanner.feed(stream.push(token))
        _tell(scanned.text, pieces, show)
        if scanned.stop is not None:
            stop = scanned.stop
            tokens.close()  # type: ignore[attr-defined]  # what generate returns is a generator
            break
    else:
        last = scanner.feed(stream.finish())
        stop = last.stop
        _tell(last.text if stop is not None else last.text + scanner.finish(), pieces, show)
    method = "vanilla" if plainly else kit.method
    return Answer(method, tuple(ids), "".join(pieces), stop, told, computed_by(kit.target))


def _tell(piece: str, pieces: list[str], show: Callable[[str], None]) -> None:
    if piece:
        pieces.append(piece)
        show(piece)


def lines(told: Answer) -> list[str]:
    """What an answer took, in lines for a person."""
    one = told.statistics
    written = [
        f"{counted(one.tokens, 'token')} after {one.prompt_tokens} of the prompt, ended by "
        f"{'a stop text' if told.stop is not None else one.end}",
        f"{one.tokens_per_second:.1f} tokens/s, {one.total_seconds:.2f} s: prompt "
        f"{one.prefill_seconds:.2f}, draft {one.draft_seconds:.2f}, verify "
        f"{one.verify_seconds:.2f}, accept {one.accept_seconds:.2f}",
        f"{counted(one.cycles, 'forward pass', 'forward passes')} after the prompt's, tau "
        f"{one.tau:.2f} (the target's own token counted)",
        f"kernels: {told.kernels}",
    ]
    if one.tried:
        rates = ", ".join(f"{rate:.2f}" for rate in one.acceptance)
        written.append(f"acceptance by depth, given all above: {rates}")
    if one.tried and not any(one.held):
        written.append("no draft was accepted; `eagle_impl inspect` tells whether the head fits")
    if one.fell_back_at is not None:
        written.append(f"decoded plainly from position {one.fell_back_at} on: the head ends there")
    return written


def as_document(told: Answer, plain: Answer | None, parted: Difference | None) -> str:
    """An answer, the plain one it is compared with, and where they part, as JSON."""

    def one(answered: Answer) -> dict[str, object]:
        more = {"tau": answered.statistics.tau, "acceptance": answered.statistics.acceptance}
        return {
            "method": answered.method,
            "ids": list(answered.ids),
            "text": answered.text,
            "stop": answered.stop,
            "kernels": answered.kernels,
            "statistics": asdict(answered.statistics) | more,
        }

    document: dict[str, object] = one(told)
    if plain is not None:
        document |= {"plain": one(plain), "same_ids": plain.ids == told.ids}
    if parted is not None:
        document["first_difference"] = asdict(parted) | {"gap": parted.gap}
    return json.dumps(document, indent=2, sort_keys=True) + "\n"
