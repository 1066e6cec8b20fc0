"""``eagle_impl generate``: text to stdout as it comes, statistics to stderr."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from eagle_impl.answer import Answer
    from eagle_impl.losslessness.comparing import Difference


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


def generate(
    prompt: Annotated[
        str, typer.Argument(help="The prompt, or - to read it from stdin.", show_default=False)
    ],
    target: Annotated[
        str, typer.Option(help="A folder, smollm2-135m-instruct, or ORG/NAME of a hub.")
    ] = "smollm2-135m-instruct",
    head: Annotated[
        Path | None,
        typer.Option(
            help="Folder of an EAGLE head. Default: the one that is shipped for this target.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        Method | None,
        typer.Option(help="Default: eagle-2 if there is a head, else vanilla.", show_default=False),
    ] = None,
    tree: Annotated[
        str,
        typer.Option(help="For eagle: chain:DEPTH or static. For eagle-2: TOPK,DEPTH,NODES."),
    ] = "",
    chat: Annotated[
        bool | None,
        typer.Option(
            "--chat/--no-chat",
            help="Put the prompt into the chat template. Default: if the model has one.",
            show_default=False,
        ),
    ] = None,
    chat_template: Annotated[
        Path | None, typer.Option(help="A chat template to use instead of the model's own.")
    ] = None,
    temperature: Annotated[float, typer.Option(help="0 takes the likeliest token.")] = 0.0,
    top_p: Annotated[float, typer.Option(help="Mass of the nucleus; 1 keeps all.")] = 1.0,
    top_k: Annotated[int, typer.Option(help="Tokens to keep; 0 keeps all.")] = 0,
    min_p: Annotated[float, typer.Option(help="Least share of the likeliest; 0: all.")] = 0.0,
    repetition_penalty: Annotated[float, typer.Option(help="1 changes nothing.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Decides all draws.")] = 0,
    max_new_tokens: Annotated[int, typer.Option(help="Tokens after which to stop.")] = 128,
    stop: Annotated[
        list[str] | None, typer.Option(help="Text that ends the answer; may be repeated.")
    ] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Say on stderr what it took.")] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Decode plainly, too, and compare ids and times.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Ids and statistics as JSON.")] = False,
    dtype: Annotated[Dtype, typer.Option(help="Number format.")] = Dtype.fp32,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    threads: Annotated[
        int | None, typer.Option(help="Threads on a CPU; all cores if absent.")
    ] = None,
) -> None:
    """Generate text with exactly the output of the target alone.

    Exit code 0: done. 1: --compare found ids that differ and must not. 2: wrong usage, or a model
    that cannot be read.
    """
    from eagle_impl.answer import Asked, answer, as_document, prepare
    from eagle_impl.errors import OptionError
    from eagle_impl.losslessness.comparing import first_difference
    from eagle_impl.losslessness.frequencies import drafts_are_drawn
    from eagle_impl.sampling import Sampler

    if chat is False and chat_template is not None:
        raise OptionError("--no-chat uses no chat template", "leave out --chat-template")
    if method is Method.vanilla and head is not None:
        raise OptionError("vanilla uses no head", "leave out --head, or choose eagle or eagle-2")
    text = _stdin() if prompt == "-" else prompt
    sampler = Sampler(
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        min_p=min_p,
        repetition_penalty=repetition_penalty,
    )
    kit = prepare(
        target=target,
        head=head,
        method=method.value if method is not None else None,
        tree=tree,
        sampler=sampler,
        template=chat_template,
        dtype=dtype.value,
        device=device,
        threads=threads,
    )
    in_chat = kit.text.template is not None if chat is None else chat
    asked = Asked(
        ids=tuple(kit.text.encode(text, chat=in_chat)),
        sampler=sampler,
        seed=seed,
        max_new_tokens=max_new_tokens,
        stops=tuple(stop or ()),
    )
    show = _silent if as_json else _shown
    told = answer(kit, asked, show)
    plain = answer(kit, asked, _silent, plainly=True) if compare else None
    parted, drawn = None, False
    if plain is not None:
        drafter = None if sampler.greedy else kit.drafter
        drawn = drafter is not None and drafts_are_drawn(kit.target, drafter)
        if not drawn:
            parted = first_difference(kit.target, asked.ids, plain.ids, told.ids, sampler, seed)
    if as_json:
        sys.stdout.write(as_document(told, plain, parted))
    else:
        sys.stdout.write("\n")
    if stats or compare:
        sys.stderr.write(_summary(told, plain, parted, drawn=drawn))
    raise typer.Exit(0 if parted is None else 1)


def _stdin() -> str:
    """What is on stdin, whatever the terminal's own encoding is."""
    from eagle_impl.errors import PromptError

    if sys.stdin is None:
        raise PromptError("the prompt is to be read from stdin, which is closed")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        strange = f"byte {error.start + 1} is {error.object[error.start]:#04x}"
        raise PromptError(
            f"the prompt on stdin is not UTF-8: {strange}",
            "convert it, for example with iconv",
        ) from None


def _shown(piece: str) -> None:
    sys.stdout.write(piece)
    sys.stdout.flush()


def _silent(piece: str) -> None:
    pass


def _summary(told: Answer, plain: Answer | None, parted: Difference | None, *, drawn: bool) -> str:
    from eagle_impl.answer import lines

    written = [f"{told.method}: {line}" for line in lines(told)]
    if plain is not None:
        same = "the same ids" if plain.ids == told.ids else "OTHER IDS"
        if drawn:
            same = "ids of its own: drafts are drawn, and `eagle_impl lossless` tests their law"
        ratio = plain.statistics.total_seconds / max(told.statistics.total_seconds, 1e-9)
        written += [f"vanilla: {line}" for line in lines(plain)]
        written.append(f"{told.method} was {ratio:.2f} times as fast as vanilla, with {same}")
    if parted is not None:
        written.append(
            f"they part after {parted.place} tokens, where the target's two best logits are"
            f" {parted.gap:.3g} apart; the times are not comparable"
        )
    return "\n".join(written) + "\n"
