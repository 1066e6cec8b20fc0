"""One polite HTTP client for all sources.

It waits between requests as each host wants it, retries what may pass, gives up within a budget,
and hands back an answer or the reason why there is none. It talks to the hosts it was told of and
to no other, also where an answer redirects it, and it never trusts an answer for its size.

Credentials are taken from the environment by the sources and handed over apart from the address,
so that no address, error or recording can hold one.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from threading import BoundedSemaphore, Event, Lock
from typing import Protocol
from urllib.parse import urlencode, urljoin, urlsplit

import httpx

from registry._version import __version__
from registry.sources.answers import Kind, NoReply, Reply, Unpacker, judge

USER_AGENT = f"claims-registry/{__version__} (verifies bibliographic records)"

# httpx logs whole addresses, and some sources want their key in the address.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).addFilter(lambda record: False)


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """How a host wants to be treated."""

    host: str
    interval: float = 1.0
    """Seconds between the starts of two requests."""
    concurrency: int = 1
    """Requests under way at once."""
    largest: int = 8 << 20
    """Bytes that an answer may have."""
    patience: float = 30.0
    """Seconds that one request may take in all."""
    throttles: frozenset[int] = frozenset({429})
    """Statuses that mean: ask later."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to ask. Credentials stand apart, so that ``url`` can be shown and stored."""

    url: str
    expect: Kind
    accept: frozenset[int] = frozenset({200})
    """Statuses whose answer the source wants to judge itself, such as 404."""
    secret_parameters: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, object] | None = None
    """Sent as JSON with POST, if given."""
    secret_body: Mapping[str, str] | None = field(default=None, repr=False)
    """Credentials that are sent as JSON with POST in place of ``body``."""
    wait_hint: Callable[[bytes], float | None] | None = None
    """Reads out of a refusal how many seconds to wait, where the host says it in the body."""


class Clock(Protocol):
    """Time, so that tests need not wait for it."""

    def now(self) -> float:
        """Seconds since some fixed moment."""
        ...

    def today(self) -> float:
        """Seconds since the epoch."""
        ...

    def sleep(self, seconds: float) -> bool:
        """Wait; true if the run was stopped meanwhile."""
        ...

    def stop(self) -> None:
        """Make every ``sleep`` return at once, from now on."""
        ...


class RealClock:
    """The clock on the wall."""

    def __init__(self) -> None:
        self.stopped = Event()

    def now(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    def today(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def sleep(self, seconds: float) -> bool:
        """Wait; true if the run was stopped meanwhile."""
        return self.stopped.wait(max(0.0, seconds))

    def stop(self) -> None:
        """Make every ``sleep`` return at once, from now on."""
        self.stopped.set()


_ATTEMPTS = 4
_REDIRECTS = 5
_FAILURES = 3
"""Requests in a row that may fail before a host is left alone for the rest of the run."""


class _Host:
    """A host during one run."""

    def __init__(self, policy: HostPolicy) -> None:
        self.policy = policy
        self.lock = Lock()
        self.places = BoundedSemaphore(policy.concurrency)
        self.next_start = 0.0
        self.failed = 0
        self.asked = 0
        self.asking: dict[tuple[str, str], Lock] = {}
        self.answers: dict[tuple[str, str], Reply | NoReply] = {}


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
        """
        self.clock: Clock = clock or RealClock()
        self.via = via.rstrip("/")
        self._hosts = {policy.host: _Host(policy) for policy in policies}
        self._end = self.clock.now() + budget
        self._http = httpx.Client(
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": "gzip"},
            timeout=httpx.Timeout(10.0),
            follow_redirects=False,
            trust_env=False,
            transport=transport,
        )

    def stop(self) -> None:
        """End all waiting; requests that were not sent yet answer ``stopped``."""
        self.clock.stop()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    @property
    def asked(self) -> dict[str, int]:
        """Host to the number of requests that were sent to it."""
        return {name: host.asked for name, host in self._hosts.items() if host.asked}

    def get(self, request: Request, hosts: Iterable[str]) -> Reply | NoReply:
        """An answer whose status is accepted and whose form is right, or why there is none.

        Args:
            request: What to ask.
            hosts: The hosts that this source may be redirected to.
        """
        name = urlsplit(request.url).hostname or ""
        host = self._hosts[name]
        allowed = frozenset(hosts) | {name}
        asked = (request.url, json.dumps(request.body, sort_keys=True))
        with host.asking.setdefault(asked, Lock()):
            # Several papers may need the same answer; nothing is asked twice in one run.
            if asked not in host.answers:
                host.answers[asked] = self._get(request, host, allowed)
            return host.answers[asked]

    def _get(self, request: Request, host: _Host, allowed: frozenset[str]) -> Reply | NoReply:
        name = host.policy.host
        if host.failed >= _FAILURES:
            return NoReply("not asked again", f"{name} failed {host.failed} times in a row")
        outcome = self._persist(request, host, allowed)
        with host.lock:
            ours = isinstance(outcome, NoReply) and outcome.why in ("stopped", "budget spent")
            if isinstance(outcome, Reply):
                host.failed = 0
            elif not ours:
                host.failed += 1
        return outcome

    def _persist(self, request: Request, host: _Host, allowed: frozenset[str]) -> Reply | NoReply:
        outcome: Reply | NoReply = NoReply("budget spent")
        for attempt in range(_ATTEMPTS):
            blocked = self._wait_turn(host)
            if blocked is not None:
                return blocked if attempt == 0 else outcome
            with host.places:
                found = self._follow(request, host.policy, allowed)
            outcome = self._outcome(found, request, host.policy)
            if isinstance(outcome, Reply) or not outcome.may_pass or attempt == _ATTEMPTS - 1:
                return outcome
            wait = self._pause(found, request, attempt)
            left = self._end - self.clock.now()
            if wait > left:
                spare = f"it asks to wait {wait:.0f} s, {max(left, 0):.0f} s are left"
                return NoReply(outcome.why, f"{outcome.detail}; {spare}")
            if self.clock.sleep(wait):
                return NoReply("stopped")
        return outcome

    def _wait_turn(self, host: _Host) -> NoReply | None:
        with host.lock:
            now = self.clock.now()
            start = max(now, host.next_start)
            if start >= self._end:
                return NoReply("budget spent")
            host.next_start = start + host.policy.interval
            host.asked += 1
        if self.clock.sleep(start - now):
            return NoReply("stopped")
        return None

    def _outcome(
        self, found: _Raw | NoReply, request: Request, policy: HostPolicy
    ) -> Reply | NoReply:
        if isinstance(found, NoReply):
            return found
        status = f"HTTP {found.status}"
        if found.status in request.accept:
            return judge(found.status, found.body, found.headers, request.url, request.expect)
        if found.status in policy.throttles:
            return NoReply("throttled", status)
        if found.status >= 500:
            return NoReply("server error", status)
        return NoReply("refused", status)

    def _pause(self, found: _Raw | NoReply, request: Request, attempt: int) -> float:
        """Seconds to wait before the next attempt."""
        asked = None
        if isinstance(found, _Raw):
            asked = self._retry_after(found.headers.get("retry-after", ""))
            if asked is None and request.wait_hint is not None:
                asked = request.wait_hint(found.body)
        return float(2**attempt) if asked is None else max(0.0, asked)

    def _retry_after(self, text: str) -> float | None:
        if text.strip().isdigit():
            return float(text)
        try:
            return parsedate_to_datetime(text).timestamp() - self.clock.today()
        except (TypeError, ValueError, IndexError):
            return None

    def _follow(
        self, request: Request, policy: HostPolicy, allowed: frozenset[str]
    ) -> _Raw | NoReply:
        url = request.url
        for _ in range(_REDIRECTS + 1):
            found = self._once(request, url, policy)
            if isinstance(found, NoReply) or found.status not in (301, 302, 303, 307, 308):
                return found
            url = urljoin(url, found.headers.get("location", ""))
            target = urlsplit(url)
            if target.scheme != "https" or target.hostname not in allowed:
                where = f"{target.scheme}://{target.hostname}"
                return NoReply("redirected away", f"to {where}, which is not followed")
        return NoReply("broken answer", "it redirects in a circle")

    def _once(self, request: Request, url: str, policy: HostPolicy) -> _Raw | NoReply:
        """One exchange, within the patience and the size that the policy allows."""
        deadline = self.clock.now() + policy.patience
        body = request.body if request.secret_body is None else request.secret_body
        try:
            with self._http.stream(
                "POST" if body is not None else "GET",
                self._address(url, request),
                headers=dict(request.secret_headers),
                json=body,
            ) as response:
                unpack = Unpacker(response.headers.get("content-encoding", ""), policy.largest)
                for chunk in response.iter_raw():
                    if not unpack.feed(chunk):
                        size = f"more than {policy.largest >> 20} MiB"
                        return NoReply("too large", size)
                    if self.clock.now() > deadline:
                        return NoReply("timed out", f"after {policy.patience:.0f} s")
                return _Raw(response.status_code, unpack.body(), dict(response.headers))
        except httpx.TimeoutException:
            return NoReply("timed out", "no answer")
        except (httpx.RemoteProtocolError, httpx.ReadError) as error:
            return NoReply("broken answer", f"it ended early ({type(error).__name__})")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            # The text of the error may hold the address with its credentials.
            return NoReply("unreachable", type(error).__name__)
        except ValueError:
            return NoReply("broken answer", "it is packed wrongly")

    def _address(self, url: str, request: Request) -> str:
        if self.via:
            parts = urlsplit(url)
            query = f"?{parts.query}" if parts.query else ""
            url = f"{self.via}/{parts.hostname}{parts.path}{query}"
        if request.secret_parameters:
            url += ("&" if "?" in url else "?") + urlencode(dict(request.secret_parameters))
        return url


@dataclass(frozen=True, slots=True)
class _Raw:
    """An answer that arrived whole and was not judged yet."""

    status: int
    body: bytes
    headers: Mapping[str, str]
