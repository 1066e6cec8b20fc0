"""One polite HTTP client for all sources.

It waits between requests as each host wants it, retries what may pass, gives up within a budget,
and hands back an answer or the reason why there is none. It talks to the hosts it was told of and
to no other, also where an answer redirects it, and it never trusts an answer for its size.

Credentials are taken from the environment by the sources and handed over apart from the address,
so that no address, error or recording can hold one. They are sent to the host that is asked, and
not to the one that it redirects to. httpx's own client is passed by: it logs whole addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import cast
from urllib.parse import quote, urlencode, urlsplit

import httpx

from registry._version import __version__
from registry.errors import RegistryError
from registry.sources.answers import NoReply, Reply, Unpacker, judge
from registry.sources.clock import Clock, RealClock
from registry.sources.hosts import Host
from registry.sources.redirects import KEEP_METHOD, STATUSES, host_of, redirected
from registry.sources.request import HostPolicy, Request
from registry.sources.retrying import pause, retry_after, tries
from registry.sources.wire import StoppedError, Wire, proxy_of_environment, within

__all__ = ["USER_AGENT", "Client", "Clock", "HostPolicy", "RealClock", "Request"]

USER_AGENT = f"claims-registry/{__version__} (verifies bibliographic records)"

_REDIRECTS = 5
_BLAMED = frozenset({401, 403, 406})
"""Refusals that are meant for whoever asks. Others, such as 404, are about what was asked."""
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SHORTEST_SECRET = 6
"""Characters below which a text is no secret and may well stand in an answer by chance."""


class Client:
    """Asks hosts, politely and within a budget. It may be used from several threads."""

    def __init__(
        self,
        policies: Iterable[HostPolicy],
        *,
        budget: float = 120.0,
        clock: Clock | None = None,
        via: str = "",
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Prepare to talk to the hosts of ``policies`` and to no other.

        Args:
            policies: The hosts.
            budget: Seconds that the whole run may take.
            clock: Time.
            via: Base address of a mirror on this machine that stands in for all hosts.
            transport: What carries the requests instead of the network.

        Raises:
            RegistryError: the mirror is not on this machine, or the proxy that the environment
                names cannot be used.
        """
        if via and urlsplit(via).hostname not in _LOOPBACK:
            hint = "use an address such as http://127.0.0.1:8000"
            raise RegistryError("a mirror of the sources must be on this machine", hint)
        self.clock: Clock = clock or RealClock()
        self.via = via.rstrip("/")
        self._end = self.clock.now() + budget
        self._hosts = {policy.host: Host(policy, self.clock, self._end) for policy in policies}
        proxy = "" if via or transport else proxy_of_environment()
        self._transport = transport or Wire(proxy=proxy)
        self._lock = Lock()
        self._asking: dict[tuple[str, str], Lock] = {}
        self._answers: dict[tuple[str, str], Reply | NoReply] = {}

    def stop(self) -> None:
        """End all waiting; requests that were not sent yet answer ``stopped``."""
        self.clock.stop()

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    @property
    def asked(self) -> dict[str, int]:
        """Host to the number of requests that were sent to it."""
        return {name: host.asked for name, host in self._hosts.items() if host.asked}

    def get(self, request: Request, hosts: Iterable[str]) -> Reply | NoReply:
        """An answer whose status is accepted and whose form is right, or why there is none.

        Nothing is asked twice in one run: the same question gets the same answer.

        Args:
            request: What to ask.
            hosts: The hosts that this source may be redirected to.
        """
        name = host_of(request.url)
        if name not in self._hosts:
            return NoReply("not sent", "its address is not one that may be asked")
        allowed = self._hosts.keys() & {name, *hosts}
        question = request.identity
        with self._lock:
            asking = self._asking.setdefault(question, Lock())
        with asking:
            if question not in self._answers:
                self._answers[question] = self._persist(request, self._hosts[name], allowed)
            return self._answers[question]

    def _persist(self, request: Request, first: Host, allowed: set[str]) -> Reply | NoReply:
        """Ask until there is an answer or no use in asking."""
        attempt, before = 0, None
        while True:
            host, found = self._follow(request, first, allowed)
            outcome = self._outcome(found, request, host.policy)
            if isinstance(outcome, Reply):
                host.remember(outcome, blame=False)
                return outcome
            if outcome.final:
                # What the host did before says more than that no time was left to ask once more.
                return before if before and outcome.why == "budget spent" else outcome
            attempt += 1
            if attempt >= tries(outcome):
                refused = isinstance(found, _Raw) and found.status in _BLAMED
                host.remember(outcome, blame=refused or outcome.may_pass)
                return outcome
            before = outcome
            host.put_off(self._pause(found, request, attempt - 1), outcome)

    def _follow(
        self, request: Request, host: Host, allowed: set[str]
    ) -> tuple[Host, _Raw | NoReply]:
        """The answer at the end of all redirects, and the host that gave it."""
        url, seen = request.url, {request.url}
        while True:
            with host.places:
                found = host.take_turn() or self._exchange(request, url, host.policy)
            if isinstance(found, NoReply) or found.status not in STATUSES - request.accept:
                return host, found
            target = redirected(url, found.headers.get("location", ""), request, allowed)
            if isinstance(target, NoReply):
                return host, target
            name = host_of(target)
            if request.posts and (found.status not in KEEP_METHOD or name != host.policy.host):
                return host, NoReply("redirected away", "where its question cannot be taken")
            if target in seen or len(seen) > _REDIRECTS:
                return host, NoReply("redirected away", "in a circle")
            url, host = target, self._hosts[name]
            seen.add(url)

    def _exchange(self, request: Request, url: str, policy: HostPolicy) -> _Raw | NoReply:
        """One request and its answer, within the policy's patience and the budget."""
        try:
            sent = self._written(request, url)
        except (httpx.InvalidURL, ValueError):
            return NoReply("not sent", "its address or its key cannot be written")
        left = self._end - self.clock.now()
        arriving = False
        try:
            with within(min(policy.patience, left), lambda: self.clock.sleep(0.0)):
                response = self._transport.handle_request(sent)
                arriving = True
                try:
                    return _read(response, request, policy)
                finally:
                    response.close()
        except StoppedError:
            return NoReply("stopped", final=True)
        except httpx.TimeoutException:
            if left < policy.patience:
                return NoReply("budget spent", "while it was waited for", final=True)
            return NoReply("timed out", f"no whole answer within {policy.patience:g} s")
        except httpx.LocalProtocolError:
            return NoReply("not sent", "its address or its key cannot be written")
        except httpx.TransportError as error:
            if arriving or isinstance(error, httpx.RemoteProtocolError):
                return NoReply("broken answer", "it is cut off or not HTTP")
            # Other errors than this one may hold the address with its credentials.
            why = str(error) if isinstance(error, httpx.ConnectError) else ""
            return NoReply("unreachable", " ".join(why.split()) or "the connection failed")

    def _written(self, request: Request, url: str) -> httpx.Request:
        """The request as it is sent to the host of ``url``."""
        asked = host_of(url) == host_of(request.url)
        headers = {"User-Agent": USER_AGENT, "Accept": "*/*", "Accept-Encoding": "gzip"}
        if asked:
            headers |= request.secret_headers
        if self.via:
            parts = urlsplit(url)
            query = f"?{parts.query}" if parts.query else ""
            url = f"{self.via}/{parts.hostname}{parts.path}{query}"
        if asked and request.secret_parameters:
            url += ("&" if "?" in url else "?") + urlencode(dict(request.secret_parameters))
        body = request.secret_body if request.secret_body is not None else request.body
        return httpx.Request("POST" if request.posts else "GET", url, headers=headers, json=body)

    def _outcome(
        self, found: _Raw | NoReply, request: Request, policy: HostPolicy
    ) -> Reply | NoReply:
        if isinstance(found, NoReply):
            return found
        status = f"HTTP {found.status}"
        if found.status in request.accept:
            if request.expect in ("html", "yaml", "text") and not found.has_an_end:
                return NoReply("broken answer", "nothing tells where it should end")
            return judge(found.status, found.body, found.headers, request.url, request.expect)
        if found.status in policy.throttles:
            return NoReply("throttled", status)
        if found.status >= 500:
            return NoReply("server error", status)
        return NoReply("refused", status)

    def _pause(self, found: _Raw | NoReply, request: Request, attempt: int) -> float:
        """Seconds to wait before the next attempt."""
        asked_for = None
        if isinstance(found, _Raw):
            asked_for = retry_after(found.headers, self.clock.today())
            if asked_for is None and request.wait_hint is not None:
                asked_for = request.wait_hint(found.body)
        return pause(attempt, asked_for)


@dataclass(frozen=True, slots=True)
class _Raw:
    """An answer that arrived and was not judged yet."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    @property
    def has_an_end(self) -> bool:
        """Whether an answer that was cut off would have been noticed."""
        marks = ("content-length", "transfer-encoding", "content-encoding")
        return any(self.headers.get(mark, "identity") != "identity" for mark in marks)


def _read(response: httpx.Response, request: Request, policy: HostPolicy) -> _Raw | NoReply:
    """The answer with its body, as far as it is not too large."""
    try:
        unpack = Unpacker(response.headers.get("content-encoding", ""), policy.largest)
        # Not iter_raw, which refuses the ready-made answers of a transport that plays one.
        for chunk in cast(httpx.SyncByteStream, response.stream):
            if not unpack.feed(chunk):
                return NoReply("too large", f"more than {policy.largest:,} bytes")
        body = unpack.body()
    except ValueError:
        return NoReply("broken answer", "it is packed wrongly")
    for secret in request.secrets:
        # A host that repeats the question in its answer must not get the key into a recording.
        if len(secret) >= _SHORTEST_SECRET:
            for written in {secret, quote(secret, safe="")}:
                body = body.replace(written.encode(), b"[credential]")
    return _Raw(response.status_code, body, dict(response.headers))
