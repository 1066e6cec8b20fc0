"""Real sockets. Every wait here ends by itself if the code is right, at whatever pace."""

from __future__ import annotations

import gzip
import shutil
import socket
import ssl
import subprocess
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import httpcore
import httpx
import pytest
from clock import FakeClock
from papers import Paper
from plays_interface import Asked, Played
from server import Server

from registry.errors import RegistryError
from registry.sources.answers import NoReply, Reply
from registry.sources.transport import Client, Clock, HostPolicy, RealClock, Request
from registry.sources.wire import StoppedError, Wire, proxy_of_environment, within

HOST, OTHER = "api.alpha.example", "api.beta.example"
PATIENT = 60.0
"""Seconds in which even a very busy machine gets an answer from itself."""
IMPATIENT = 0.3


class Says:
    """A host with one answer."""

    HOSTS: tuple[str, ...] = (HOST, OTHER)

    def __init__(self, body: bytes = b"[1]", **headers: str) -> None:
        self.played = Played(
            body, headers={name.replace("_", "-"): text for name, text in headers.items()}
        )

    def answer(self, asked: Asked, known: Sequence[Paper]) -> Played:
        return self.played


def ask(
    server: Server | str,
    path: str = "/a",
    *,
    patience: float = PATIENT,
    largest: int = 8 << 20,
    budget: float = 1000.0,
    clock: Clock | None = None,
) -> Reply | NoReply:
    address = server if isinstance(server, str) else server.address
    policy = HostPolicy(HOST, patience=patience, largest=largest)
    client = Client((policy,), clock=clock or FakeClock(), via=address, budget=budget)
    try:
        return client.get(Request(f"https://{HOST}{path}", "json"), ())
    finally:
        client.close()


def playing(says: Says, fault: str = "none") -> Server:
    return Server(faults={HOST: fault}, played=dict.fromkeys(Says.HOSTS, says), drip=0.02)


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """A port at which ``serve`` takes care of every connection."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        guests: list[Thread] = []

        def welcome() -> None:
            while True:
                try:
                    guest, _ = door.accept()
                except OSError:
                    return
                guests.append(Thread(target=_with, args=(guest, serve)))
                guests[-1].start()

        porter = Thread(target=welcome)
        porter.start()
        try:
            yield door.getsockname()[1]
        finally:
            door.shutdown(socket.SHUT_RDWR)
            porter.join()
            for guest in guests:
                guest.join()


def _with(guest: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    with guest:
        try:
            serve(guest)
        except OSError:  # the client has had enough
            return


def raw(answer: bytes) -> Callable[[socket.socket], None]:
    """Reads a question and sends some bytes."""

    def serve(guest: socket.socket) -> None:
        guest.recv(1 << 16)
        guest.sendall(answer)

    return serve


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


# Whole answers


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n[1]",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n[1]",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n[1]\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n[1]",
        b"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n[1]",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000,
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"[1]",
        b"\x16\x03\x01\x00\xa5",
        b"",
    ],
)
def test_what_is_cut_off_or_no_http_is_no_answer(answer: bytes) -> None:
    with listening(raw(answer)) as port:
        reply = ask(f"http://127.0.0.1:{port}")
    assert str(reply) == "broken answer: it is cut off or not HTTP"


def test_an_answer_in_pieces_is_put_together() -> None:
    answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n2\r\n1]\r\n0\r\n\r\n"
    with listening(raw(answer)) as port:
        reply = ask(f"http://127.0.0.1:{port}")
    assert isinstance(reply, Reply)
    assert reply.data == [1]


@pytest.mark.parametrize("expect", ["html", "yaml", "text"])
def test_a_text_whose_end_nothing_marks_may_be_cut_off(expect: str) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n<html>- one\n- two"
    with listening(raw(answer)) as port:
        client = Client(
            (HostPolicy(HOST),), clock=FakeClock(), via=f"http://127.0.0.1:{port}", budget=1000
        )
        reply = client.get(Request(f"https://{HOST}/a", expect), ())  # type: ignore[arg-type]
        client.close()
    assert str(reply) == "broken answer: nothing tells where it should end"


def test_of_json_the_end_shows_in_itself() -> None:
    with listening(raw(b"HTTP/1.1 200 OK\r\n\r\n[1, 2]")) as port:
        reply = ask(f"http://127.0.0.1:{port}")
    assert isinstance(reply, Reply)
    with listening(raw(b"HTTP/1.1 200 OK\r\n\r\n[1, ")) as port:
        reply = ask(f"http://127.0.0.1:{port}")
    assert str(reply) == "broken answer: it is not valid JSON"


# Size


def test_a_body_that_is_too_large_is_not_read_to_its_end() -> None:
    sent = 0

    def serve(guest: socket.socket) -> None:
        nonlocal sent
        guest.recv(1 << 16)
        guest.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
        while True:
            guest.sendall(b" " * (1 << 16))
            sent += 1 << 16

    with listening(serve) as port:
        reply = ask(f"http://127.0.0.1:{port}", largest=1 << 20)
    assert str(reply) == "too large: more than 1,048,576 bytes"
    # What the sockets of both sides hold was sent and not read.
    assert sent < 64 << 20


@pytest.mark.parametrize(("size", "fits"), [(1000, True), (1001, False)])
def test_the_largest_size_is_allowed(size: int, fits: bool) -> None:
    body = b"[" + b" " * (size - 2) + b"]"
    for says in (Says(body), Says(gzip.compress(body), content_encoding="gzip")):
        with playing(says) as server:
            assert isinstance(ask(server, largest=1000), Reply) is fits


def test_a_bomb_is_not_unpacked() -> None:
    """64 MiB of zeros in less than 128 KiB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    bomb = b"".join(packer.compress(b"\0" * (1 << 20)) for _ in range(64)) + packer.flush()
    assert len(bomb) < 1 << 17
    with playing(Says(bomb, content_encoding="gzip")) as server:
        assert str(ask(server, largest=1 << 20)) == "too large: more than 1,048,576 bytes"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(b"[1]")[:-9], "gzip"),
        (b"[1]", "gzip"),
        (gzip.compress(b"[1]"), "br"),
        (gzip.compress(gzip.compress(b"[1]")), "gzip, gzip"),
    ],
)
def test_what_is_packed_wrongly_is_no_answer(body: bytes, encoding: str) -> None:
    with playing(Says(body, content_encoding=encoding)) as server:
        assert str(ask(server)) == "broken answer: it is packed wrongly"


# Encryption


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of this machine, which nobody vouches for."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is needed to make a certificate")
    folder = tmp_path_factory.mktemp("certificate")
    key, made = folder / "key.pem", folder / "made.pem"
    names = "subjectAltName=IP:127.0.0.1"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=test", "-addext", names, "-keyout", str(key), "-out", str(made)]
    subprocess.run(command, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes(key.read_bytes() + made.read_bytes())
    return both


def encrypted(
    certificate: Path, serve: Callable[[socket.socket], None]
) -> Callable[[socket.socket], None]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def answer(guest: socket.socket) -> None:
        with context.wrap_socket(guest, server_side=True) as safe:
            serve(safe)

    return answer


def fetch(url: str, seconds: float = PATIENT) -> bytes:
    wire = Wire()
    try:
        with within(seconds, lambda: False):
            response = wire.handle_request(httpx.Request("GET", url))
            return response.read()
    finally:
        wire.close()


def drops(guest: socket.socket) -> None:
    guest.recv(1 << 16)
    guest.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
    for byte in (b"[", b"1", b"]"):
        Event().wait(0.3)
        guest.sendall(byte)


def test_an_unknown_certificate_is_not_trusted(certificate: Path) -> None:
    with (
        listening(encrypted(certificate, drops)) as port,
        pytest.raises(httpx.ConnectError, match="certificate"),
    ):
        fetch(f"https://127.0.0.1:{port}/")


def test_a_certificate_may_be_vouched_for_by_the_environment(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And an encrypted answer that comes in drops is put together."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with listening(encrypted(certificate, drops)) as port:
        assert fetch(f"https://127.0.0.1:{port}/") == b"[1]"


def test_a_host_that_does_not_encrypt_is_not_asked() -> None:
    with playing(Says()) as server, pytest.raises(httpx.ConnectError):
        fetch(server.address.replace("http:", "https:"))
    assert not server.seen


def test_greeting_a_host_that_says_nothing_ends(certificate: Path) -> None:
    def silent(guest: socket.socket) -> None:
        while guest.recv(1 << 16):
            continue

    with listening(silent) as port, pytest.raises(httpx.TimeoutException):
        fetch(f"https://127.0.0.1:{port}/", IMPATIENT)


# Proxies


def gate(heard: list[bytes]) -> Callable[[socket.socket], None]:
    def serve(guest: socket.socket) -> None:
        heard.append(guest.recv(1 << 16))
        guest.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

    return serve


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name.upper()}_PROXY", raising=False)


@pytest.mark.usefixtures("no_proxies")
def test_a_proxy_is_told_the_host_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []
    with listening(gate(heard)) as port:
        monkeypatch.setenv("HTTPS_PROXY", f"http://somebody:word@127.0.0.1:{port}")
        client = Client((HostPolicy("api.alpha.invalid"),), clock=FakeClock(), budget=1000)
        reply = client.get(
            Request(
                "https://api.alpha.invalid/a",
                "json",
                secret_parameters={"api_key": "sesame-1"},
                secret_headers={"x-api-key": "sesame-2"},
            ),
            (),
        )
        client.close()
    assert str(reply) == "unreachable: the connection failed"
    assert heard[0].startswith(b"CONNECT api.alpha.invalid:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic " in heard[0]
    assert b"sesame" not in b"".join(heard)


@pytest.mark.usefixtures("no_proxies")
def test_a_host_may_be_asked_past_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []
    with listening(gate(heard)) as port:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("NO_PROXY", "alpha.invalid")
        monkeypatch.setattr(socket, "getaddrinfo", _nowhere)
        client = Client((HostPolicy("api.alpha.invalid"),), clock=FakeClock(), budget=1000)
        reply = client.get(Request("https://api.alpha.invalid/a", "json"), ())
        client.close()
    assert str(reply) == "unreachable: [Errno -2] no such name"
    assert not heard


def _nowhere(*place: object, **more: object) -> object:
    raise socket.gaierror(-2, "no such name")


@pytest.mark.usefixtures("no_proxies")
def test_a_mirror_is_asked_past_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid")
    with playing(Says()) as server:
        assert isinstance(ask(server), Reply)


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize(
    "address", ["socks5://somebody:word@127.0.0.1", "http://somebody:word@127.0.0.1:x", "http://"]
)
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", address)
    with pytest.raises(RegistryError, match="HTTPS_PROXY") as caught:
        Client((HostPolicy(HOST),))
    assert "word" not in caught.value.message + caught.value.hint


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("proxy.example:3128", "http://proxy.example:3128"),
        ("https://proxy.example", "https://proxy.example"),
        ("", ""),
    ],
)
def test_a_proxy_may_be_named_without_its_scheme(
    value: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", value)
    assert proxy_of_environment() == address


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
