"""``eagle_impl train``: from a target to a draft head, by one command."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eagle_impl.cli.options import DEFAULT_TARGET, DeviceOption, folder


class Preset(StrEnum):
    """Recipes; see ``eagle_impl.training.recipe``."""

    smoke = "smoke"
    base = "base"
    full = "full"


def train(
    output: Annotated[
        Path,
        typer.Option(
            "--output", metavar="DIR", parser=folder, help="New folder for the head and its log."
        ),
    ],
    target: Annotated[
        str,
        typer.Option("--target", metavar="MODEL", help="Model to train for: a folder or a name."),
    ] = DEFAULT_TARGET,
    preset: Annotated[
        Preset,
        typer.Option(
            "--preset",
            help="How much to learn. On two cores: smoke, only a check, some minutes; base, the"
            " shipped head, 100 minutes; full, about twice that.",
        ),
    ] = Preset.base,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**63 - 1, help="Of everything that is drawn.")
    ] = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what an interrupted run left in DIR.")
    ] = False,
    device: DeviceOption = "cpu",
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", min=1, help="Cores to use; all if not given.", show_default=False
        ),
    ] = None,
) -> None:
    """Train a draft head on the target's own answers, from requests of this project's own.

    The target first answers requests of many kinds, some of them its own; then the head learns to
    predict its features. Both can be killed at any moment and resumed. The same seed gives the same
    head, however often it was interrupted.
    """
    from eagle_impl.training.claim import is_begun
    from eagle_impl.training.recipe import preset as recipe
    from eagle_impl.training.run import train as run

    try:
        verdict = run(
            target,
            recipe(preset.value),
            output,
            seed=seed,
            resume=resume,
            device=device,
            workers=workers,
        )
    except (KeyboardInterrupt, SystemExit):  # the latter is how SIGTERM ends a command
        if is_begun(output):
            sys.stderr.write(f"{output}: interrupted; the same command with --resume goes on\n")
        raise
    for kind, judgement in verdict.items():
        acceptance = " ".join(f"{share:.2f}" for share in judgement.acceptance)
        sys.stdout.write(
            f"{kind:<12}loss {judgement.loss:.3f}  chain {judgement.tau:.2f} tokens a cycle"
            f"  acceptance by depth {acceptance}\n"
        )
    sys.stderr.write(f"{output}: head written\n")
