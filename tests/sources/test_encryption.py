from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from clock import FakeClock
from loopback import HOST, IMPATIENT, Says, ask, fetch, listening, playing

from registry.errors import RegistryError
from registry.sources.answers import Reply
from registry.sources.transport import Client, HostPolicy, Request
from registry.sources.wire import proxy_of_environment

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
        look_up = socket.getaddrinfo

        def nowhere(host: str, *place: Any, **more: Any) -> object:
            if host == "127.0.0.1":
                return look_up(host, *place, **more)
            raise socket.gaierror(-2, "no such name")

        monkeypatch.setattr(socket, "getaddrinfo", nowhere)
        client = Client((HostPolicy("api.alpha.invalid"),), clock=FakeClock(), budget=1000)
        reply = client.get(Request("https://api.alpha.invalid/a", "json"), ())
        client.close()
    assert str(reply) == "unreachable: [Errno -2] no such name"
    assert not heard


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
