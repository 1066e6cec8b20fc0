"""A network that says what a test tells it to, and remembers who asked when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock

import httpx
from clock import FakeClock

from registry.sources.answers import NoReply, Reply
from registry.sources.transport import Client, HostPolicy, Request

Answer = httpx.Response | Exception
Script = Callable[[httpx.Request], Answer]

HOST, OTHER = "api.alpha.example", "api.beta.example"
POLICIES = (HostPolicy(HOST), HostPolicy(OTHER))


def say(status: int = 200, body: bytes | str = b"{}", **headers: str) -> Script:
    """The same answer to everybody; ``retry_after`` is the header Retry-After."""
    named = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return lambda request: httpx.Response(status, content=body, headers=named)


def fail(error: Exception) -> Script:
    """No answer but an error."""
    return lambda request: error


def by_host(scripts: Mapping[str, Script]) -> Script:
    """Each host has its own."""
    return lambda request: scripts[request.url.host](request)


class Network(httpx.BaseTransport):
    """Plays one script after another; the last one stays."""

    def __init__(self, clock: FakeClock, *scripts: Script) -> None:
        self.clock = clock
        self.scripts = list(scripts)
        self.requests: list[httpx.Request] = []
        self.moments: list[float] = []
        """When each request was sent."""
        self._lock = Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.requests.append(request)
            self.moments.append(self.clock.now())
            script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        answer = script(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def urls(self) -> list[str]:
        """Every address that was asked."""
        return [str(request.url) for request in self.requests]


class Run:
    """A client on a scripted network."""

    def __init__(
        self,
        *scripts: Script,
        policies: tuple[HostPolicy, ...] = POLICIES,
        budget: float = 120.0,
        clock: FakeClock | None = None,
    ) -> None:
        self.clock = clock or FakeClock()
        self.network = Network(self.clock, *scripts)
        self.client = Client(policies, budget=budget, clock=self.clock, transport=self.network)

    def ask(self, path: str = "/a", host: str = HOST, **more: object) -> Reply | NoReply:
        """Put one question."""
        expect = more.pop("expect", "json")
        request = Request(f"https://{host}{path}", expect, **more)  # type: ignore[arg-type]
        return self.client.get(request, (HOST, OTHER))

    def reason(self, path: str = "/a", host: str = HOST, **more: object) -> NoReply:
        """Why one question was not answered."""
        reply = self.ask(path, host, **more)
        assert isinstance(reply, NoReply), reply
        return reply

    def reply(self, path: str = "/a", host: str = HOST, **more: object) -> Reply:
        """The answer to one question."""
        reply = self.ask(path, host, **more)
        assert isinstance(reply, Reply), reply
        return reply
