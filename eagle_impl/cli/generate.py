"""``eagle_impl generate``: text to stdout as it comes, statistics to stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from eagle_impl.cli.options import (
    DEFAULT_TARGET,
    ChatOption,
    DeviceOption,
    Dtype,
    DtypeOption,
    HeadOption,
    Method,
    MethodOption,
    SeedOption,
    TargetOption,
    TemperatureOption,
    TemplateOption,
    ThreadsOption,
    TreeOption,
    judge_chat,
)

if TYPE_CHECKING:
    from pathlib import Path

    from eagle_impl.answer import Answer
    from eagle_impl.losslessness.comparing import Difference


def generate(
    prompt: Annotated[
        str, typer.Argument(help="The prompt, or - to read it from stdin.", show_default=False)
    ],
    target: TargetOption = DEFAULT_TARGET,
    head: HeadOption = None,
    method: MethodOption = None,
    tree: TreeOption = "",
    chat: ChatOption = None,
    chat_template: TemplateOption = None,
    temperature: TemperatureOption = 0.0,
    top_p: Annotated[float, typer.Option(help="Mass of the nucleus, above 0; 1 keeps all.")] = 1.0,
    top_k: Annotated[int, typer.Option(help="Tokens to keep, 1 or more; 0 keeps all.")] = 0,
    min_p: Annotated[
        float, typer.Option(help="Least share of the likeliest, 0 to 1; 0: all.")
    ] = 0.0,
    repetition_penalty: Annotated[float, typer.Option(help="Above 0; 1 changes nothing.")] = 1.0,
    seed: SeedOption = 0,
    max_new_tokens: Annotated[
        int, typer.Option(help="Tokens after which to stop, 0 or more.")
    ] = 128,
    stop: Annotated[
        list[str] | None, typer.Option(help="Text that ends the answer; may be repeated.")
    ] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Say on stderr what it took.")] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Decode plainly, too, and compare ids and times.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Ids and statistics as JSON.")] = False,
    dtype: DtypeOption = Dtype.fp32,
    device: DeviceOption = "cpu",
    threads: ThreadsOption = None,
) -> None:
    """Generate the text of the target alone, sooner.

    In fp32 the ids are those of plain decoding; with the project's own kernels results are equal
    bit for bit. Only where drafts are drawn (eagle, temperature above 0) are they others, of the
    same distribution, and --compare does not count them as different.

    In bf16 and fp16 the ids are equal up to near-ties: of two tokens that are about as likely,
    rounding chooses, and it depends on how many tokens are computed together.

    In a prompt, special tokens that are written out, such as <|im_start|>, are control tokens.

    --stats and --compare tell tau, the mean number of tokens that a forward pass of the target
    gives (plain decoding: 1), and the acceptance by depth: of the tokens that were drafted one,
    two, three ahead, the share that the target took, given that it took those before.

    Exit code 0: done. 1: --compare found ids that differ. 2: wrong usage, or a model that cannot be
    read.
    """
    from eagle_impl.answer import Asked, answer, as_document, prepare
    from eagle_impl.errors import OptionError
    from eagle_impl.losslessness.comparing import first_difference
    from eagle_impl.losslessness.frequencies import drafts_are_drawn
    from eagle_impl.sampling import Sampler

    judge_chat(chat, chat_template)
    if method is Method.vanilla and head is not None:
        raise OptionError("vanilla uses no head", "leave out --head, or choose eagle or eagle-2")
    if compare:
        _judge_compare(method, head, target)
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
        sys.stderr.write(_summary(told, plain, parted, dtype, drawn=drawn))
    raise typer.Exit(0 if parted is None else 1)


def _judge_compare(method: Method | None, head: Path | None, target: str) -> None:
    """Refuse to compare plain decoding with itself."""
    from eagle_impl.errors import OptionError
    from eagle_impl.heads import shipped_head

    nothing = "there is nothing to compare plain decoding with"
    if method is Method.vanilla:
        raise OptionError(nothing, "leave out --compare, or choose eagle or eagle-2")
    if head is None and shipped_head(target) is None:
        raise OptionError(
            f"{nothing}: no head comes with the project for {target}",
            "leave out --compare, or name a head's folder with --head",
        )


def _stdin() -> str:
    """What is on stdin, whatever the terminal's own encoding is."""
    from eagle_impl.errors import PromptError

    if sys.stdin is None:
        raise PromptError("the prompt is to be read from stdin, which is closed")
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        strange = f"byte {error.start + 1} is {error.object[error.start]:#04x}"
        raise PromptError(
            f"the prompt on stdin is not UTF-8: {strange}",
            "convert it, for example with iconv",
        ) from None
    return text.removeprefix("\N{BYTE ORDER MARK}")


def _shown(piece: str) -> None:
    sys.stdout.write(piece)
    sys.stdout.flush()


def _silent(piece: str) -> None:
    pass


def _summary(
    told: Answer, plain: Answer | None, parted: Difference | None, dtype: Dtype, *, drawn: bool
) -> str:
    from eagle_impl.answer import lines
    from eagle_impl.losslessness.comparing import UP_TO_TIES
    from registry.reports.wording import counted

    written = [f"{told.method}: {line}" for line in lines(told)]
    if plain is not None:
        same = "the same ids" if plain.ids == told.ids else "OTHER IDS"
        if drawn:
            same = "ids of its own: drafts are drawn, and `eagle_impl lossless` tests their law"
        written += [f"vanilla: {line}" for line in lines(plain)]
        fast, slow = told.statistics.tokens_per_second, plain.statistics.tokens_per_second
        compared = f"was {fast / slow:.2f} times as fast as vanilla, with" if slow else "gave"
        written.append(f"{told.method} {compared} {same}")
    if parted is not None:
        written.append(
            f"they part after {counted(parted.place, 'token')}, where the target's two best logits"
            f" are {parted.gap:.3g} apart{', a near-tie' if parted.near else ''}; the times are not"
            " comparable"
        )
    if plain is not None and not drawn and dtype is not Dtype.fp32:
        written.append(UP_TO_TIES)
    return "\n".join(written) + "\n"
