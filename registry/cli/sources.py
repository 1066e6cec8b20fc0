"""``registry sources``: whom the registry can ask, what they can say, and whether they answer."""

from __future__ import annotations

import os
from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_NOT_ASKED
from registry.cli.common import columns
from registry.cli.live import MaxWaitOption, SourceOption, chosen, client_for

if TYPE_CHECKING:
    from registry.sources.interface import Source, Speech
    from registry.sources.request import HostPolicy

_INDENT = 16
"""Columns before what is told."""


def sources(
    source: SourceOption = None,
    ping: Annotated[bool, typer.Option("--ping", help="Ask each whether it answers now.")] = False,
    max_wait: MaxWaitOption = 30.0,
) -> None:
    """List the sources: what each can say, how far it is trusted, its limits, and its key.

    Exit code 0: listed. 2: wrong usage. 3: a source did not answer a ping.
    """
    from registry.reports.terminal import WIDTH

    asked = chosen(source)
    width = columns(WIDTH)
    for one in asked:
        typer.echo(_described(one, width))
    if not ping:
        raise typer.Exit(EXIT_CLEAN)
    silent = 0
    with client_for(asked, max_wait) as client:
        for one in asked:
            fault = one.ping(client)
            silent += bool(fault)
            typer.echo(f"{one.name:<18}{'does not answer: ' + fault if fault else 'answers'}")
    raise typer.Exit(EXIT_NOT_ASKED if silent else EXIT_CLEAN)


def _described(source: Source, width: int) -> str:
    state = {name: "set" if os.environ.get(name) else "not set" for name in source.key_variables}
    keys = ", ".join(f"{name} {word}" for name, word in state.items())
    told = [
        *((speech.trust, _said(speech)) for speech in source.speaks),
        *(("host", _limits(policy)) for policy in source.policies),
        ("key", keys or "none needed"),
    ]
    lines = (
        wrap(text, max(width, 2 * _INDENT), initial_indent=head, subsequent_indent=" " * _INDENT)
        for head, text in ((f"  {name:<{_INDENT - 2}}", text) for name, text in told)
    )
    return "\n".join((source.name, *chain.from_iterable(lines))) + "\n"


def _said(speech: Speech) -> str:
    because = f" ({speech.because})" if speech.because else ""
    return f"{', '.join(speech.fields)}{because}"


def _limits(policy: HostPolicy) -> str:
    return (
        f"{policy.host}: a request every {policy.interval:g} s, "
        f"{policy.concurrency} at once, up to {policy.largest >> 20} MiB"
    )
