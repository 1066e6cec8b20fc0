"""Options that several commands have, so that they mean and say the same everywhere."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from eagle_impl.errors import OptionError

DEFAULT_TARGET = "smollm2-135m-instruct"


class Method(StrEnum):
    """How tokens are drafted."""

    vanilla = "vanilla"
    eagle = "eagle"
    eagle_2 = "eagle-2"


class Dtype(StrEnum):
    """Number format of the weights."""

    fp32 = "fp32"
    bf16 = "bf16"
    fp16 = "fp16"


def path(given: str | Path) -> Path:
    """A path that is not empty: pathlib takes an empty one for the folder that one is in.

    Raises:
        BadParameter: It is empty.
    """
    if given == "":
        raise typer.BadParameter("a path is empty; the folder that you are in is written .")
    return Path(given)


def folder(given: str | Path) -> Path:
    """A path of a folder that is there, or could be made.

    Raises:
        BadParameter: It is empty.
        OptionError: There is a file at it, or on the way to it.
    """
    found = path(given)
    there = next((place for place in (found, *found.parents) if os.path.lexists(place)), found)
    if os.path.lexists(there) and not there.is_dir():
        raise OptionError(f"{there} is a file", "name a folder")
    return found


TargetOption: TypeAlias = Annotated[
    str,
    typer.Option("--target", help="A folder, smollm2-135m-instruct, or ORG/NAME of a hub."),
]
HeadOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--head",
        metavar="DIR",
        parser=path,
        help="Folder of an EAGLE head. Default: the one that is shipped for this target.",
        show_default=False,
    ),
]
MethodOption: TypeAlias = Annotated[
    Method | None,
    typer.Option(
        "--method",
        help="vanilla is decoding without drafts. Default: eagle-2 if there is a head, else"
        " vanilla.",
        show_default=False,
    ),
]
TreeOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--tree",
        help="For eagle-2, TOPK,DEPTH,NODES (4,3,7): the TOPK best tokens of each level get TOPK"
        " children each, DEPTH levels deep, and the best NODES of all are judged. For eagle, static"
        " (EAGLE's own tree of 25, the default) or chain:DEPTH (one token after the other).",
        show_default=False,
    ),
]
ChatOption: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--chat/--no-chat",
        help="Put prompts into the chat template. Default: if the model has one.",
        show_default=False,
    ),
]
TemplateOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--chat-template",
        metavar="FILE",
        parser=path,
        help="A chat template to use instead of the model's own.",
    ),
]
TemperatureOption: TypeAlias = Annotated[
    float, typer.Option("--temperature", help="0, which takes the likeliest token, or more.")
]
SeedOption: TypeAlias = Annotated[
    int, typer.Option("--seed", help="Decides all draws; 0 to 2^63 - 1.")
]
DtypeOption: TypeAlias = Annotated[
    Dtype,
    typer.Option(
        "--dtype",
        help="Number format. In bf16 and fp16, drafts leave the output alone only up to near-ties.",
    ),
]
DeviceOption: TypeAlias = Annotated[str, typer.Option("--device", help="cpu or cuda.")]
ThreadsOption: TypeAlias = Annotated[
    int | None, typer.Option("--threads", help="Threads on a CPU, 1 to 1024; all cores if absent.")
]
WorkloadOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--workload",
        metavar="FILE",
        parser=path,
        help="Prompts in the format of Spec-Bench's question.jsonl; own ones if absent.",
        show_default=False,
    ),
]


def judge_chat(chat: bool | None, template: Path | None) -> None:
    """Refuse a chat template where there is no chat.

    Raises:
        OptionError: There is one.
    """
    if chat is False and template is not None:
        raise OptionError("--no-chat uses no chat template", "leave out --chat-template")
