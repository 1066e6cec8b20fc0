from __future__ import annotations

import ipaddress
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import httpx
import pytest
from papers import Paper, papers
from plays_interface import Asked, Played
from server import Server, main, plays
from stage import FAULTS, HUGE

HOST, OTHER = "api.alpha.example", "api.beta.example"
HERE = Path(__file__).parent


class Knows:
    """Tells how many papers it knows and what it was asked."""

    HOSTS: tuple[str, ...] = (HOST,)

    def answer(self, asked: Asked, known: Sequence[Paper]) -> Played:
        told = f"{len(known)} {asked.method} {asked.path} {dict(asked.query)} {asked.body.decode()}"
        return Played(told.encode(), kind="text/plain", headers={"X-Own": "yes"})


class Fails:
    HOSTS: tuple[str, ...] = (HOST,)

    def answer(self, asked: Asked, known: Sequence[Paper]) -> Played:
        raise KeyError("title")


def server(faults: dict[str, str] | None = None, count: int = 0) -> Server:
    return Server(papers(count), faults, played={HOST: Knows(), OTHER: Knows()}, drip=0.01)


def get(address: str, path: str, seconds: float = 60.0) -> httpx.Response:
    with httpx.Client(trust_env=False, timeout=seconds) as client:
        return client.get(f"{address}/{path}")


def test_a_host_is_played() -> None:
    with server(count=7) as running:
        answer = get(running.address, f"{HOST}/works/10.1%2Fx%20y?id=a%7Cb&empty=")
        assert answer.text == "7 GET /works/10.1/x y {'id': 'a|b', 'empty': ''} "
        assert answer.headers["content-type"] == "text/plain"
        assert answer.headers["x-own"] == "yes"


def test_a_body_arrives() -> None:
    with server() as running, httpx.Client(trust_env=False) as client:
        answer = client.post(f"{running.address}/{HOST}/batch", content=b'{"ids": []}')
    assert answer.text == '0 POST /batch {} {"ids": []}'


def test_every_request_is_remembered() -> None:
    with server({OTHER: "500"}) as running:
        get(running.address, f"{HOST}/a?b=1")
        get(running.address, f"{OTHER}/c")
        get(running.address, f"{HOST}/a?b=2")
        assert [(s.asked.host, s.asked.path, dict(s.asked.query)) for s in running.seen] == [
            (HOST, "/a", {"b": "1"}),
            (OTHER, "/c", {}),
            (HOST, "/a", {"b": "2"}),
        ]
        assert len(running.asked(HOST)) == 2
        assert running.seen[0].at <= running.seen[1].at <= running.seen[2].at
        assert "user-agent" in running.seen[0].asked.headers


def test_nobody_plays_an_unknown_host() -> None:
    with server() as running:
        assert get(running.address, "unknown.example/a").status_code == 404
        assert get(running.address, "").status_code == 404


def test_every_host_that_a_source_talks_to_is_played() -> None:
    from registry.sources import sources

    wanted = {policy.host for source in sources() for policy in source.policies}
    assert wanted <= plays().keys()


def test_only_this_machine_is_served() -> None:
    with server() as running:
        place = running._http.socket.getsockname()
        assert ipaddress.ip_address(place[0]).is_loopback
        port = place[1]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_faults_come_one_after_another_and_the_last_one_stays() -> None:
    with server({HOST: "503,404,none"}) as running:
        statuses = [get(running.address, f"{HOST}/a").status_code for _ in range(4)]
        assert statuses == [503, 404, 200, 200]
        running.spoil(HOST, "406")
        assert [get(running.address, f"{HOST}/a").status_code for _ in range(2)] == [406, 406]
        assert get(running.address, f"{OTHER}/a").status_code == 200


def test_an_unknown_fault_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="no fault is called 999, teapot"):
        server({HOST: "429,teapot,999"})


@pytest.mark.parametrize(
    ("fault", "status", "header", "value"),
    [
        ("403", 403, "content-type", "text/html"),
        ("404", 404, "content-type", "text/html"),
        ("406", 406, "content-type", "text/html"),
        ("429", 429, "retry-after", None),
        ("429-seconds", 429, "retry-after", r"3600"),
        ("429-date", 429, "retry-after", r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT"),
        ("500", 500, "retry-after", None),
        ("503", 503, "retry-after", None),
        ("html", 200, "content-type", "text/html; charset=utf-8"),
        ("empty", 200, "content-length", "0"),
        ("redirect-away", 302, "location", r"https://elsewhere\.invalid/"),
        ("redirect-down", 302, "location", rf"http://{HOST}/a"),
        ("redirect-loop", 302, "location", "/a"),
    ],
)
def test_faults_that_are_whole_answers(
    fault: str, status: int, header: str, value: str | None
) -> None:
    with server({HOST: fault}) as running:
        answer = get(running.address, f"{HOST}/a")
    assert answer.status_code == status
    if value is None:
        assert header not in answer.headers
    else:
        assert re.fullmatch(value, answer.headers[header])


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("timeout", httpx.ReadTimeout),
        ("refused", httpx.TransportError),
        ("reset", httpx.TransportError),
        ("truncated", httpx.RemoteProtocolError),
    ],
)
def test_faults_that_are_none(fault: str, error: type[Exception]) -> None:
    seconds = 0.2 if fault == "timeout" else 60.0
    with server({HOST: fault}) as running, pytest.raises(error):
        get(running.address, f"{HOST}/a", seconds)


def test_a_huge_answer_is_not_held() -> None:
    with server({HOST: "huge"}) as running, httpx.Client(trust_env=False) as client:
        with client.stream("GET", f"{running.address}/{HOST}/a") as answer:
            size = sum(map(len, answer.iter_raw(1 << 20)))
        truth = client.get(f"{running.address}/{OTHER}/a").content
    assert size == HUGE + len(truth)
    assert HUGE == 50 * 1024 * 1024


def test_wrong_characters() -> None:
    with server({HOST: "charset"}) as running:
        answer = get(running.address, f"{HOST}/a")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    with pytest.raises(UnicodeDecodeError):
        answer.content.decode("utf-8")


@pytest.mark.parametrize(("fault", "head"), [("drip", b"HTTP/1.1 200 OK"), ("drip-head", b"HTTP")])
def test_a_drip_never_ends(fault: str, head: bytes) -> None:
    with server({HOST: fault}) as running:
        port = int(running.address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as guest:
            guest.sendall(f"GET /{HOST}/a HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            heard = b""
            while len(heard) < len(head) + 300 if fault == "drip" else len(heard) < 8:
                heard += guest.recv(1)
        assert heard.startswith(head)


def test_closing_ends_what_would_never_end() -> None:
    running = server({HOST: "timeout", OTHER: "drip"})
    port = int(running.address.rpartition(":")[2])
    guests = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
    for guest, host in zip(guests, (HOST, OTHER), strict=False):
        guest.sendall(f"GET /{host}/a HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    running.close()
    for guest in guests:
        guest.close()


def test_a_play_that_fails_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="title"), Server(played={HOST: Fails()}) as running:
        assert get(running.address, f"{HOST}/a").status_code == 500


def test_the_command_plays_until_it_is_interrupted() -> None:
    command = [sys.executable, str(HERE / "server.py"), "--papers", "3", "--fault", f"{HOST}=429"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        # No proxy stands between this machine and itself.
        with pytest.raises(Exception, match="429"):
            build_opener(ProxyHandler({})).open(f"{address}/{HOST}/a", timeout=60)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_the_command_knows_its_faults(capsys: pytest.CaptureFixture[str]) -> None:
    for fault in (f"{HOST}=teapot", HOST):
        with pytest.raises(SystemExit) as ended:
            main(["--fault", fault])
        assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "no fault is called teapot" in error
    assert f"{HOST}: write HOST=NAME" in error


def test_every_fault_has_a_test_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [fault for fault in FAULTS if f'"{fault}"' not in text] == []
