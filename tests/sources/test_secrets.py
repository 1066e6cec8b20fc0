from __future__ import annotations

import json
import logging
import logging.config
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass

import httpcore
import httpx
import pytest
from clock import FakeClock
from papers import Paper
from plays_interface import Asked, Played
from scripted import HOST, Run, fail, say
from server import Server

from registry.sources.answers import NoReply, Reply
from registry.sources.transport import Client, HostPolicy, Request

KEY = "k-s3cr3t-0123456789"
PASSWORD = "p4ss w0rd/+"
REQUEST = Request(
    f"https://{HOST}/a",
    "json",
    secret_parameters={"api_key": KEY},
    secret_headers={"Authorization": f"Bearer {KEY}"},
)


class Parrot:
    """A host that repeats all that it was told wherever it can."""

    HOSTS: tuple[str, ...] = (HOST,)

    def __init__(self, status: int = 200) -> None:
        self.status = status

    def answer(self, asked: Asked, known: Sequence[Paper]) -> Played:
        if asked.path == "/a":
            place = f"/b?{'&'.join(f'{name}={value}' for name, value in asked.query.items())}"
            return Played(b"moved", 301, headers={"Location": place, "Set-Cookie": f"k={KEY}"})
        heard = {"query": asked.query, "headers": asked.headers, "body": asked.body.decode()}
        return Played(json.dumps(heard).encode(), self.status, headers={"X-Echo": KEY})


def everything_in(thing: object) -> str:
    """All texts that somebody could print or store, without what a class keeps to itself."""
    assert is_dataclass(thing)
    assert not isinstance(thing, type)
    texts = [str(thing), repr(thing)]
    if isinstance(thing, (Reply, NoReply)):
        texts.append(repr(asdict(thing)))
    return "\n".join(texts)


def ask_over_a_socket(request: Request, status: int = 200) -> Reply | NoReply:
    with Server(played={HOST: Parrot(status)}) as server:
        client = Client((HostPolicy(HOST),), clock=FakeClock(), via=server.address)
        reply = client.get(request, ())
        client.close()
        assert server.seen[-1].asked.query.get("api_key") == KEY, "the key did not arrive"
    return reply


@pytest.mark.parametrize("status", [200, 403, 429, 500])
def test_no_log_holds_a_key(caplog: pytest.LogCaptureFixture, status: int) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "httpcore.http11", "httpcore.connection"):
        caplog.set_level(logging.DEBUG, logger=name)
    reply = ask_over_a_socket(REQUEST, status)
    assert KEY not in caplog.text
    assert KEY not in everything_in(reply)


def test_no_way_of_setting_up_logs_brings_a_key_out(caplog: pytest.LogCaptureFixture) -> None:
    """As a program does that sets its logs up after the client was imported."""
    settings = {
        "version": 1,
        "disable_existing_loggers": False,
        "loggers": {
            name: {"level": "DEBUG", "propagate": True, "filters": []}
            for name in ("httpx", "httpcore", "httpcore.http11", "httpcore.connection")
        },
    }
    logging.config.dictConfig(settings)
    try:
        caplog.set_level(logging.DEBUG)
        ask_over_a_socket(REQUEST)
    finally:
        for name in ("httpx", "httpcore", "httpcore.http11", "httpcore.connection"):
            logging.getLogger(name).setLevel(logging.NOTSET)
    assert KEY not in caplog.text


def test_others_who_use_the_same_library_keep_their_logs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="httpcore.http11")
    with Server() as server, httpcore.ConnectionPool() as pool:
        pool.request("GET", f"{server.address}/nobody/")
    assert "receive_response_headers" in caplog.text


def test_a_host_that_repeats_a_key_does_not_bring_it_into_a_recording() -> None:
    reply = ask_over_a_socket(REQUEST)
    assert isinstance(reply, Reply)
    assert KEY.encode() not in reply.body
    assert reply.data["query"]["api_key"] == "[credential]"
    assert reply.data["headers"]["authorization"] == "Bearer [credential]"
    assert reply.url == f"https://{HOST}/a"


def test_nor_one_that_was_sent_in_the_body() -> None:
    def echo(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=request.content)

    secrets = {"id": "somebody@example.org", "password": PASSWORD}
    run = Run(echo)
    reply = run.reply(secret_body=secrets)
    assert json.loads(run.network.requests[0].content) == secrets
    assert reply.data == {"id": "[credential]", "password": "[credential]"}


def test_a_text_too_short_to_be_a_secret_does_not_spoil_the_answer() -> None:
    reply = Run(say(body=b'{"a": "null a"}')).reply(secret_parameters={"x": "a"})
    assert reply.data == {"a": "null a"}


def test_a_question_does_not_show_its_credentials() -> None:
    request = Request("https://x.example/", "json", secret_body={"password": PASSWORD})
    for text in (repr(request), str(request), repr(request.identity), repr(REQUEST)):
        assert KEY not in text
        assert PASSWORD not in text


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectTimeout(f"https://{HOST}/a?api_key={KEY}"),
        httpx.ReadError(f"https://{HOST}/a?api_key={KEY}"),
        httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'"),
        httpx.RemoteProtocolError(f"https://{HOST}/a?api_key={KEY}"),
        httpx.ProxyError(f"http://somebody:{KEY}@proxy.example"),
        httpx.UnsupportedProtocol(f"https://{HOST}/a?api_key={KEY}"),
    ],
)
def test_no_error_holds_a_key(error: Exception) -> None:
    run = Run(fail(error))
    reply = run.client.get(REQUEST, ())
    assert KEY not in everything_in(reply)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\nX-Other: 1", f"{KEY}é", f"{KEY}\x00"])
def test_a_key_that_no_header_can_hold_is_not_sent(key: str) -> None:
    with Server(played={HOST: Parrot()}) as server:
        client = Client((HostPolicy(HOST),), clock=FakeClock(), via=server.address)
        request = Request(f"https://{HOST}/b", "json", secret_headers={"x-api-key": key})
        reply = client.get(request, ())
        client.close()
        assert not server.seen
    assert reply == NoReply("not sent", "its address or its key cannot be written")
