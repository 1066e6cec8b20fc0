from __future__ import annotations

import gzip
import socket
import zlib

import pytest
from clock import FakeClock
from loopback import HOST, Says, ask, listening, playing, raw

from registry.sources.answers import Reply
from registry.sources.transport import Client, HostPolicy, Request

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
