"""A model with a tokenizer, a head and a workload, all small enough for tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from eagle.drafters.head_target import random_head
from eagle.tiny import settings_of, tiny_config, tiny_weights, write_model
from eagle.tiny_text import END, byte_level

from eagle_impl.drafters.head import HeadConfig
from eagle_impl.formats.eagle import write_eagle

CONFIG = tiny_config(vocab_size=261, hidden_size=64, layers=2, eos_ids=(256,), max_positions=512)
TEMPLATE = "{% for message in messages %}<{{ message['content'] }}>{% endfor %}"


@dataclass(frozen=True)
class Small:
    """Where they are."""

    target: Path
    head: Path
    workload: Path


def write_small(folder: Path, template: str | None = TEMPLATE) -> Small:
    target = write_model(folder / "target", CONFIG, tiny_weights(CONFIG))
    (target / "config.json").write_text(json.dumps(settings_of(CONFIG) | {"model_type": "llama"}))
    byte_level().save(str(target / "tokenizer.json"))
    settings = {"eos_token": END} | ({"chat_template": template} if template else {})
    (target / "tokenizer_config.json").write_text(json.dumps(settings))
    write_eagle(folder / "head", random_head(HeadConfig.like(CONFIG)))
    workload = write_workload(folder / "questions.jsonl", [(7, "tea"), (8, "tea"), (9, "toast")])
    return Small(target, folder / "head", workload)


def write_workload(path: Path, questions: list[tuple[int, str]]) -> Path:
    lines = (
        json.dumps({"question_id": id, "category": kind, "turns": [f"How is {kind} {id} made?"]})
        for id, kind in questions
    )
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
