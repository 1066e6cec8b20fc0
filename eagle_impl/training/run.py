"""From a target and a seed to a head, in one go that can be interrupted anywhere.

The output folder holds, besides the head itself,

    training.json     recipe, seed, target, what was learnt from, and how good the head is
    log.jsonl         losses as they fell, and judgements on held-out conversations
    work/             conversations and the last checkpoint; of no use once the head is there
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import torch

from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import OptionError
from eagle_impl.fingerprint import TrainedFor
from eagle_impl.formats.eagle import write_eagle
from eagle_impl.formats.files import write_json
from eagle_impl.formats.tensors import SAFETENSORS
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.targets.loading import load_target, load_target_text
from eagle_impl.text import Text
from eagle_impl.training.claim import Origin, claimed, judge_output
from eagle_impl.training.conversations import Conversation
from eagle_impl.training.corpus import Corpus, draft_vocabulary, occurrences
from eagle_impl.training.harvest import harvest
from eagle_impl.training.judging import Judgement
from eagle_impl.training.progress import Progress
from eagle_impl.training.recipe import Recipe
from eagle_impl.training.scripts import Scripts
from eagle_impl.training.trainer import Trainer


def train(
    name: str,
    recipe: Recipe,
    output: Path,
    *,
    seed: int,
    resume: bool = False,
    device: str = "cpu",
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Judgement]:
    """Train a head for a target that is loaded by its name; see ``train_for``.

    Raises:
        CheckpointError: The target cannot be loaded.
        OptionError: There is no such device, or the folder is not one to begin or go on in.
    """
    judge_output(output, resume=resume)  # before a target is loaded
    # One thread each: threads that wait for each other cost more than they bring.
    target = load_target(name, device, threads=1)
    if not isinstance(target, LlamaTarget):
        raise OptionError(f"heads are trained for Llama-shaped targets, which {name} is not")
    return train_for(
        target,
        load_target_text(name),
        name,
        recipe,
        output,
        seed=seed,
        resume=resume,
        workers=workers,
        progress=progress or Progress(),
    )


def train_for(
    target: LlamaTarget,
    text: Text,
    name: str,
    recipe: Recipe,
    output: Path,
    *,
    seed: int,
    resume: bool,
    workers: int | None,
    progress: Progress,
) -> dict[str, Judgement]:
    """Train a head.

    Args:
        target: Answers, and is learnt from.
        text: Its tokenizer and chat template.
        name: What it is called.
        recipe: How much to learn from, and how.
        output: Folder for the head.
        seed: Of everything that is drawn.
        resume: Go on with what is in the folder.
        workers: Cores to use; all if absent. They change nothing but the time.
        progress: Shows how far it is.

    Returns:
        How good the head is on held-out conversations, by their kind and, under "all", together.

    Raises:
        CheckpointError: Something in the folder is damaged.
        MismatchError: What is in the folder was begun with something else.
        OptionError: The folder is not one to begin or go on in, or another training is in it.
        PromptError: The target has no chat template.
    """
    text.render_chat([{"role": "user", "content": "?"}])  # or it is refused, before it is begun
    trained_for = TrainedFor.of(target, name)
    with claimed(output, Origin(recipe, seed, trained_for), resume=resume) as work:
        lanes = (workers or cores()) if target.device.type == "cpu" else 1
        conversations = harvest(
            target,
            Scripts(text, target.config.eos_ids, seed),
            recipe,
            work / "conversations",
            workers=lanes,
            progress=progress,
        )
        corpus = Corpus.of(conversations, recipe.held_out)
        vocabulary, coverage = draft_vocabulary(
            corpus.counts(target.config.vocab_size), recipe.coverage
        )
        trainer = Trainer(target, corpus, vocabulary, recipe, seed, work / "checkpoint.pt")
        with _log(output / "log.jsonl", trainer.step) as write, _pool(lanes) as pool:
            verdict = trainer.run(pool, write, progress)
        head = trainer.head.half()
        write_eagle(output, head, vocabulary, trained_for)
        record = {
            "target": name,
            "seed": seed,
            "recipe": msgspec.to_builtins(recipe),
            "data": _described(corpus, vocabulary, coverage),
            "steps": trainer.steps,
            "held_out": {kind: asdict(judgement) for kind, judgement in verdict.items()},
            "bytes": (output / SAFETENSORS).stat().st_size,
        }
        write_json(output / "training.json", record)
        return verdict


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def _log(path: Path, step: int) -> Iterator[Any]:
    """Appends lines to the log, without those of steps after the checkpoint, made once more."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = [line for line in lines if json.loads(line)["step"] <= step]
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in kept)

        def write(fields: dict[str, Any]) -> None:
            file.write(json.dumps(fields) + "\n")
            file.flush()

        yield write


def _pool(workers: int) -> Executor:
    return ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,))


def _described(corpus: Corpus, vocabulary: DraftVocabulary, coverage: float) -> dict[str, Any]:
    """What was learnt from, in figures."""

    def figures(conversations: Sequence[Conversation]) -> dict[str, Any]:
        tokens = Counter[str]()
        for one in conversations:
            tokens[one.kind] += one.response_tokens
        return {
            "conversations": len(conversations),
            "tokens": sum(len(one.ids) for one in conversations),
            "response_tokens": sum(tokens.values()),
            "response_tokens_by_kind": dict(sorted(tokens.items())),
        }

    held = occurrences(corpus.held_out, vocabulary.vocab_size)
    return {
        "learnt": figures(corpus.learnt),
        "held_out": figures(corpus.held_out),
        "draft_vocabulary": {
            "ids": len(vocabulary),
            "coverage_learnt": round(coverage, 5),
            "coverage_held_out": round(
                (held[vocabulary.ids].sum() / held.sum().clamp(min=1)).item(), 5
            ),
        },
    }
