"""Real sockets. Every wait here ends by itself if the code is right, at whatever pace."""

from __future__ import annotations

import socket
from threading import Event, Thread

import httpcore
import httpx
import pytest
from clock import FakeClock
from loopback import HOST, IMPATIENT, PATIENT, Says, ask, fetch, listening, playing, raw

from registry.sources.answers import NoReply, Reply
from registry.sources.transport import Client, HostPolicy, RealClock, Request
from registry.sources.wire import StoppedError, Wire

# Time


@pytest.mark.parametrize("fault", ["timeout", "drip", "drip-head"])
def test_one_byte_after_another_does_not_make_a_host_quick(fault: str) -> None:
    with playing(Says(), fault) as server:
        assert str(ask(server, patience=IMPATIENT)) == "timed out: no whole answer within 0.3 s"


@pytest.mark.parametrize("fault", ["timeout", "drip", "drip-head"])
def test_a_request_does_not_outlive_the_budget(fault: str) -> None:
    with playing(Says(), fault) as server:
        reply = ask(server, patience=PATIENT, budget=IMPATIENT)
        assert isinstance(reply, NoReply)
        assert reply.why == "budget spent"


@pytest.mark.parametrize("fault", ["timeout", "drip", "drip-head"])
def test_a_request_under_way_ends_when_the_run_is_stopped(fault: str) -> None:
    clock, replies = RealClock(), []
    with playing(Says(), fault) as server:
        asking = Thread(
            target=lambda: replies.append(ask(server, patience=3600, budget=3600, clock=clock))
        )
        asking.start()
        while asking.is_alive() and not server.seen:
            Event().wait(0.01)
        clock.stop()
        asking.join(PATIENT)
        assert not asking.is_alive()
    assert replies == [NoReply("stopped")]


def test_a_slow_answer_that_is_whole_in_time_is_read() -> None:
    """Longer than a step of reading takes, shorter than patience."""

    def serve(guest: socket.socket) -> None:
        guest.recv(1 << 16)
        for part in (b"HTTP/1.1 200 OK\r\n", b"Content-Length: 3\r\n\r\n", b"[", b"1]"):
            Event().wait(0.3)
            guest.sendall(part)

    with listening(serve) as port:
        reply = ask(f"http://127.0.0.1:{port}")
    assert isinstance(reply, Reply)
    assert reply.data == [1]


def test_looking_up_a_name_may_not_take_longer_than_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release, looked_up = Event(), Event()
    look_up = socket.getaddrinfo

    def hang(*place: object, **more: object) -> object:
        release.wait(PATIENT)
        looked_up.set()
        return look_up(*place, **more)  # type: ignore[arg-type]

    with playing(Says()) as server:
        with monkeypatch.context() as patched:
            patched.setattr(socket, "getaddrinfo", hang)
            reply = ask(server, patience=IMPATIENT)
        assert isinstance(reply, NoReply)
        assert reply.why == "timed out"
        # Whoever was left behind ends quietly, and nothing was asked.
        release.set()
        assert looked_up.wait(PATIENT)
    assert not server.seen


def test_a_wire_without_a_limit_is_not_to_be_used() -> None:
    with playing(Says()) as server, pytest.raises(LookupError):
        Wire().handle_request(httpx.Request("GET", server.address))


# Connections


def test_a_closed_port_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    reply = ask(f"http://127.0.0.1:{port}")
    assert isinstance(reply, NoReply)
    assert reply.why == "unreachable"
    assert "refused" in reply.detail.lower()


def test_a_connection_is_kept_for_the_next_question() -> None:
    connections = []

    def serve(guest: socket.socket) -> None:
        connections.append(guest)
        while guest.recv(1 << 16):
            guest.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]")

    with listening(serve) as port:
        client = Client(
            (HostPolicy(HOST),), clock=FakeClock(), via=f"http://127.0.0.1:{port}", budget=1000
        )
        for path in "abc":
            assert isinstance(client.get(Request(f"https://{HOST}/{path}", "json"), ()), Reply)
        client.close()
    assert len(connections) == 1


def test_a_connection_that_the_host_closed_is_opened_again() -> None:
    with listening(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]")) as port:
        client = Client(
            (HostPolicy(HOST),), clock=FakeClock(), via=f"http://127.0.0.1:{port}", budget=1000
        )
        for path in "abc":
            assert isinstance(client.get(Request(f"https://{HOST}/{path}", "json"), ()), Reply)
        client.close()


# Errors


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (httpcore.ConnectTimeout, httpx.TimeoutException),
        (httpcore.PoolTimeout, httpx.TimeoutException),
        (httpcore.ReadError, httpx.ReadError),
        (httpcore.WriteError, httpx.TransportError),
        (httpcore.LocalProtocolError, httpx.LocalProtocolError),
        (httpcore.RemoteProtocolError, httpx.RemoteProtocolError),
        (httpcore.ProxyError, httpx.ProxyError),
        (StoppedError, StoppedError),
    ],
)
def test_errors_speak_httpx(
    inner: type[Exception], outer: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, request: object) -> None:
        raise inner

    monkeypatch.setattr(httpcore.ConnectionPool, "handle_request", fail)
    with pytest.raises(outer):
        fetch("http://127.0.0.1/")
