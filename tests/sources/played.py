"""A client that talks to plays instead of hosts, without a socket and without waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import httpx
from clock import FakeClock
from papers import Paper
from plays_interface import Asked, Play, Played

from registry.sources.interface import Source
from registry.sources.transport import Client

Script = Callable[[Asked], Played]


def client_for(
    source: Source, script: Script, *, budget: float = 10_000.0, clock: FakeClock | None = None
) -> Client:
    """A client whose requests are answered by a function."""
    return Client(
        source.policies,
        budget=budget,
        clock=clock or FakeClock(),
        transport=httpx.MockTransport(lambda request: answered(request, script)),
    )


def playing(play: Play, known: Sequence[Paper]) -> Script:
    """A play that knows some papers."""
    return lambda asked: play.answer(asked, known)


def in_turn(answers: Iterable[Played]) -> Script:
    """One answer after the other, whatever is asked."""
    left = iter(answers)
    return lambda asked: next(left)


def answered(request: httpx.Request, script: Script) -> httpx.Response:
    played = script(
        Asked(
            request.method,
            request.url.host,
            request.url.path,
            dict(request.url.params),
            {name.lower(): value for name, value in request.headers.items()},
            request.read(),
        )
    )
    size = str(len(played.body))
    headers = {"content-type": played.kind, "content-length": size, **played.headers}
    # A response with ready content could not be read piece by piece, as real ones are.
    return httpx.Response(played.status, headers=headers, stream=httpx.ByteStream(played.body))
