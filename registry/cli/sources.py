"""``registry sources``: whom the registry can ask, what they can say, and whether they answer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_NOT_ASKED
from registry.cli.live import MaxWaitOption, SourceOption, chosen, client_for

if TYPE_CHECKING:
    from registry.sources.interface import Source


def sources(
    source: SourceOption = None,
    ping: Annotated[bool, typer.Option("--ping", help="Ask each whether it answers now.")] = False,
    max_wait: MaxWaitOption = 30.0,
) -> None:
    """List the sources: what each can say, how far it is trusted, its limits, and its key.

    Exit code 0: listed. 2: wrong usage. 3: a source did not answer a ping.
    """
    asked = chosen(source)
    for one in asked:
        typer.echo(_described(one))
    if not ping:
        raise typer.Exit(EXIT_CLEAN)
    silent = 0
    with client_for(asked, max_wait) as client:
        for one in asked:
            fault = one.ping(client)
            silent += bool(fault)
            typer.echo(f"{one.name:<18}{'does not answer: ' + fault if fault else 'answers'}")
    raise typer.Exit(EXIT_NOT_ASKED if silent else EXIT_CLEAN)


def _described(source: Source) -> str:
    lines = [source.name]
    for speech in source.speaks:
        because = f" ({speech.because})" if speech.because else ""
        lines.append(f"  {speech.trust:<14}{', '.join(speech.fields)}{because}")
    lines += [
        f"  {'host':<14}{policy.host}: a request every {policy.interval:g} s, "
        f"{policy.concurrency} at once, up to {policy.largest >> 20} MiB"
        for policy in source.policies
    ]
    state = {name: "set" if os.environ.get(name) else "not set" for name in source.key_variables}
    keys = [f"{name} {word}" for name, word in state.items()]
    lines.append(f"  {'key':<14}{', '.join(keys) or 'none needed'}")
    return "\n".join(lines) + "\n"
