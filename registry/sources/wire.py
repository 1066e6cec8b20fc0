"""Carries one request over the network, within a time that holds for the whole exchange.

httpx limits the time of each step. A host that sends one byte a second may go on for ever, and
looking up a host's name has no limit at all. Here every step gets only what is left of the whole,
and gives up when the run is stopped.

Of the environment it takes ``HTTPS_PROXY`` and ``NO_PROXY``, without which nobody behind a proxy
could ask anything, and ``SSL_CERT_FILE`` and ``SSL_CERT_DIR``. The proxy sees names of hosts, and
neither questions nor credentials. A ``.netrc`` is not read.
"""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from registry.errors import RegistryError

_LOOK_UP = 0.2
"""Seconds after which a step that waits looks whether the run was stopped."""


class StoppedError(Exception):
    """The run was stopped while a request was under way."""


@dataclass(frozen=True, slots=True)
class _Limit:
    end: float
    stopped: Callable[[], bool]

    def left(self) -> float:
        """Seconds that the next step may take."""
        if self.stopped():
            raise StoppedError
        left = self.end - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


_LIMIT: ContextVar[_Limit] = ContextVar("limit")


@contextmanager
def within(seconds: float, stopped: Callable[[], bool]) -> Iterator[None]:
    """Give the exchange in the block so many seconds in all, or less if the run is stopped.

    Sockets know no other time than the real one, so neither does this.
    """
    token = _LIMIT.set(_Limit(time.monotonic() + seconds, stopped))
    try:
        yield
    finally:
        _LIMIT.reset(token)


def _not_ours(record: logging.LogRecord) -> bool:
    return _LIMIT.get(None) is None


# httpcore logs headers, and a host may repeat the address with the key in one. A filter holds for
# one logger and not for those below it, hence all of them; other users of httpcore keep their logs.
for _name in [name for name in logging.root.manager.loggerDict if name.startswith("httpcore")]:
    logging.getLogger(_name).addFilter(_not_ours)


class Wire(httpx.BaseTransport):
    """The network. Only to be used ``within`` a time."""

    def __init__(self, *, proxy: str = "") -> None:
        """Prepare for connections; none is made yet.

        Args:
            proxy: Address of a proxy for https.

        Raises:
            RegistryError: the proxy's address cannot be used.
        """
        tls = httpx.create_ssl_context()
        self._direct = httpcore.ConnectionPool(
            ssl_context=tls, max_connections=None, keepalive_expiry=5.0, network_backend=_Network()
        )
        self._proxied = _through(proxy, tls) if proxy else self._direct

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and wait for the head of the answer."""
        url = request.url
        by_proxy = url.scheme == "https" and not proxy_bypass(url.host)
        pool = self._proxied if by_proxy else self._direct
        target = httpcore.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        )
        sent = httpcore.Request(
            request.method, target, headers=request.headers.raw, content=request.content
        )
        with _as_httpx():
            answer = pool.handle_request(sent)
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer))

    def close(self) -> None:
        """Close all connections."""
        self._direct.close()
        self._proxied.close()


def proxy_of_environment() -> str:
    """The proxy for https that the user's environment names; empty if it names none."""
    address = getproxies().get("https", "")
    return f"http://{address}" if address and "://" not in address else address


def _through(address: str, tls: ssl.SSLContext) -> httpcore.ConnectionPool:
    try:
        proxy = httpx.Proxy(address)
        if proxy.url.scheme in ("http", "https") and proxy.url.host:
            return httpcore.HTTPProxy(
                str(proxy.url),
                proxy_auth=proxy.raw_auth,
                ssl_context=tls,
                max_connections=None,
                keepalive_expiry=5.0,
                network_backend=_Network(),
            )
    except (ValueError, httpx.InvalidURL):
        pass
    # The address may hold a password, so it is not shown.
    hint = "write it like http://proxy.example:3128, or unset HTTPS_PROXY"
    raise RegistryError("the proxy that HTTPS_PROXY names cannot be used", hint)


class _Network(httpcore.NetworkBackend):
    """Connections that keep to the limit."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(_awaited(partial(httpcore.SyncBackend().connect_tcp, host, port)))


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        limit = _LIMIT.get()
        while True:
            step = min(limit.left(), _LOOK_UP)
            with suppress(httpcore.ReadTimeout):
                return self._inner.read(max_bytes, step)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _LIMIT.get().left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        start = partial(self._inner.start_tls, ssl_context, server_hostname)
        return _Stream(_awaited(start))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _awaited(work: Callable[[float], httpcore.NetworkStream]) -> httpcore.NetworkStream:
    """What ``work`` makes in the time that is left.

    Looking up a name cannot be interrupted, so it is left behind in a thread of its own when the
    time is over; a connection that it still makes is closed.
    """
    limit = _LIMIT.get()
    left = limit.left()
    made: Future[httpcore.NetworkStream] = Future()
    Thread(target=_make, args=(made, partial(work, left)), daemon=True).start()
    try:
        while True:
            step = min(limit.left(), _LOOK_UP)
            with suppress(TimeoutError):
                return made.result(step)
    except BaseException:
        if not made.cancel() and made.exception() is None:
            made.result().close()
        raise


def _make(made: Future[httpcore.NetworkStream], work: Callable[[], httpcore.NetworkStream]) -> None:
    try:
        stream = work()
    except Exception as error:
        if made.set_running_or_notify_cancel():
            made.set_exception(error)
    else:
        if made.set_running_or_notify_cancel():
            made.set_result(stream)
        else:
            stream.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        with _as_httpx():
            self._answer.close()


_ERRORS: dict[type[Exception], type[httpx.TransportError]] = {
    httpcore.TimeoutException: httpx.ReadTimeout,
    httpcore.ConnectError: httpx.ConnectError,
    httpcore.NetworkError: httpx.ReadError,
    httpcore.RemoteProtocolError: httpx.RemoteProtocolError,
    httpcore.ProtocolError: httpx.LocalProtocolError,
    httpcore.ProxyError: httpx.ProxyError,
}
"""Errors of httpcore in httpx's words; the first that fits holds."""


@contextmanager
def _as_httpx() -> Iterator[None]:
    try:
        yield
    except tuple(_ERRORS) as error:
        known = next(kind for kind in _ERRORS if isinstance(error, kind))
        raise _ERRORS[known](str(error)) from error
