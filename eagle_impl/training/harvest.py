"""Gathering enough conversations, on all cores, with a kill at any moment in mind.

Scripts are taken in shards, shards in order, each by one worker from beginning to end; which worker
takes which makes no difference. What is learnt from is the shortest row of shards, from the first
on, that holds enough: it depends on the seed alone. A worker is a thread, since what takes time
happens outside of Python, and threads share the target's weights.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

import torch

from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.training.conversations import Conversation, read_shard, write_shard
from eagle_impl.training.progress import Progress
from eagle_impl.training.recipe import Recipe
from eagle_impl.training.scripts import Scripts
from eagle_impl.training.selfplay import converse

FEATURE_BYTES = 12 << 30
"""Features are kept if those of all conversations take no more."""


class _Stopped(Exception):  # noqa: N818 (nothing is wrong)
    """Somebody asked to stop."""


def harvest(
    target: LlamaTarget,
    scripts: Scripts,
    recipe: Recipe,
    folder: Path,
    *,
    workers: int,
    progress: Progress,
) -> list[Conversation]:
    """Conversations that hold enough answers, of which those are made that are not there yet.

    Args:
        target: Who speaks.
        scripts: What is said to it.
        recipe: How much is enough.
        folder: Where shards are kept.
        workers: Shards to make at once.
        progress: Told of tokens.

    Raises:
        CheckpointError: A shard that is there is damaged.
        PromptError: The target has no chat template.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shards: dict[int, list[Conversation]] = {}
    stop = threading.Event()

    def path(number: int) -> Path:
        return folder / f"{number:05}.npz"

    def make(number: int) -> list[Conversation]:
        if not path(number).exists():
            _make(path(number), number, target, scripts, recipe, stop=stop, progress=progress)
            return read_shard(path(number))
        found = read_shard(path(number))
        progress.advance(sum(one.response_tokens for one in found), counts=False)
        return found

    progress.begin("conversations", "tokens", recipe.response_tokens)
    running: dict[Future[list[Conversation]], int] = {}
    with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        try:
            while (enough := _enough(shards, recipe.response_tokens)) is None:
                while len(running) < workers:
                    number = len(shards) + len(running)
                    running[pool.submit(make, number)] = number
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    shards[running.pop(done)] = done.result()
        finally:
            stop.set()
    progress.end()
    return [one for number in range(enough) for one in shards[number]]


def _enough(shards: dict[int, list[Conversation]], wanted: int) -> int | None:
    """How many shards from the first on hold enough, if it is known yet."""
    number = tokens = 0
    while tokens < wanted:
        if number not in shards:
            return None
        tokens += sum(one.response_tokens for one in shards[number])
        number += 1
    return number


def _make(
    path: Path,
    number: int,
    target: LlamaTarget,
    scripts: Scripts,
    recipe: Recipe,
    *,
    stop: threading.Event,
    progress: Progress,
) -> None:
    def tick(tokens: int) -> None:
        if stop.is_set():
            raise _Stopped
        progress.advance(tokens)

    first = number * recipe.script_batch
    bytes_expected = 2 * recipe.response_tokens * 2 * target.config.hidden_size
    held = converse(
        target,
        map(scripts.__getitem__, range(first, first + recipe.script_batch)),
        slots=recipe.slots,
        capacity=min(recipe.context, target.config.max_positions),
        keep_features=bytes_expected <= FEATURE_BYTES,
        tick=tick,
    )
    conversations = sorted(held, key=lambda one: one.number)
    write_shard(path, conversations, target.config.vocab_size)
