"""Other engines, where they are installed: what is measured of them, or why nothing is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from eagle_impl.answer import DTYPES, Kit
from eagle_impl.bench.asked import Asked
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.huggingface import TRANSFORMERS, transformers_methods
from eagle_impl.bench.llama_server import (
    LLAMA_SERVER,
    LlamaServer,
    find_llama_server,
    llama_methods,
)
from eagle_impl.bench.measuring import Plan
from eagle_impl.bench.methods import Method
from eagle_impl.errors import EngineError
from eagle_impl.targets.loading import find_folder

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Others:
    """Other engines, ready to decode."""

    methods: list[Method]
    missing: dict[str, str]
    """What cannot be measured of them, and why."""


def chosen_llama(asked: Asked, kit: Kit) -> LlamaServer | str:
    """What decodes a GGUF file, or why nothing does; an empty text if nobody asked for it.

    Raises:
        CheckpointError: The file cannot be read, or holds no model.
        OptionError: It is another model, or there is no such program.
    """
    if asked.gguf is None:
        return "no file was named with --gguf" if asked.llama_server else ""
    if kit.target.device.type != "cpu":
        return "it is measured on CPUs only"
    return find_llama_server(asked.llama_server, asked.gguf, kit.target.config)


@contextmanager
def other_engines(
    asked: Asked,
    kit: Kit,
    plan: Plan,
    threads: int,
    clock: Clock,
    llama: LlamaServer | str,
    say: Say,
) -> Iterator[Others]:
    """Load and start the other engines, of which nothing runs in the end.

    Args:
        asked: The options.
        kit: What the own engine decodes with.
        plan: What is measured.
        threads: To compute with, as for the own engine.
        clock: Seconds.
        llama: What ``chosen_llama`` gave.
        say: Shows progress.
    """
    others = Others([], {})
    with ExitStack() as running:
        for name, found in (
            (TRANSFORMERS, _transformers(asked, kit, plan, threads, clock, say)),
            (LLAMA_SERVER, _llama(llama, plan, threads, clock, say, running)),
        ):
            if isinstance(found, str):
                others.missing[name] = found
                say(f"{name} is left out: {found}")
            else:
                others.methods.extend(found)
        yield others


def _transformers(
    asked: Asked, kit: Kit, plan: Plan, threads: int, clock: Clock, say: Say
) -> list[Method] | str:
    if not asked.transformers:
        return "it was not asked for"
    if why := _incomparable(plan):
        return why
    say("transformers: loading")
    found = transformers_methods(
        find_folder(asked.target),
        kit.target.config.eos_ids,
        threads,
        clock,
        kit.target.device,
        DTYPES[asked.dtype],
    )
    if isinstance(found, str):
        return found
    return [replace(method, prompts=asked.transformers) for method in found]


def _llama(
    llama: LlamaServer | str,
    plan: Plan,
    threads: int,
    clock: Clock,
    say: Say,
    running: ExitStack,
) -> list[Method] | str:
    if isinstance(llama, str):
        return llama or []
    if why := _incomparable(plan):
        return why
    say("llama-server: starting")
    context = max(len(prompt.ids) for prompt in plan.prompts) + plan.tokens
    try:
        return running.enter_context(llama_methods(llama, context, threads, clock))
    except EngineError as error:
        return error.message


def _incomparable(plan: Plan) -> str:
    return "" if 0 in plan.temperatures else "its outputs are comparable at temperature 0 only"
