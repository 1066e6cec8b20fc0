"""What can be wrong with a host: each fault is a way not to give the answer that is due."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from socket import SO_LINGER, SOL_SOCKET
from threading import Event

from plays_interface import Asked, Played

HUGE = 50 << 20
"""Bytes of an answer that is too large for everybody."""
AN_HOUR = 3600
ELSEWHERE = "https://elsewhere.invalid/"

UPKEEP = b"""<!DOCTYPE html>
<html><head><title>Back soon</title></head>
<body><h1>Down for maintenance</h1><p>We will be back shortly.</p></body></html>
"""
GATEWAY = """<html>
<head><title>{status}</title></head>
<body><center><h1>{status}</h1></center><hr><center>gateway</center></body>
</html>
"""


@dataclass(frozen=True)
class Stage:
    """One exchange: what was asked, what is due, and the connection to answer on."""

    handler: BaseHTTPRequestHandler
    asked: Asked
    truth: Played
    closing: Event
    """Set when the server closes, so that an endless answer ends."""
    drip: float
    """Seconds between dripped bytes."""

    def head(self, played: Played, headers: Mapping[str, str]) -> None:
        """Send the head of an answer."""
        self.handler.send_response(played.status)
        for name, value in {"Content-Type": played.kind, **played.headers, **headers}.items():
            self.handler.send_header(name, value)
        self.handler.end_headers()

    def send(self, played: Played) -> None:
        """Send a whole answer."""
        self.head(played, {"Content-Length": str(len(played.body))})
        self.handler.wfile.write(played.body)

    def hang_up(self, *, rudely: bool = False) -> None:
        """End the connection; rudely means a reset, as of a process that was killed."""
        self.handler.close_connection = True
        if rudely:
            connection = self.handler.connection
            connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            self.handler.rfile.close()
            connection.close()


def _page(status: int, name: str, headers: Mapping[str, str] | None = None) -> Fault:
    body = GATEWAY.format(status=f"{status} {name}").encode()
    return lambda stage: stage.send(Played(body, status, "text/html", headers or {}))


def _try_later_at(stage: Stage) -> None:
    date = formatdate(time.time() + AN_HOUR, usegmt=True)
    _page(429, "Too Many Requests", {"Retry-After": date})(stage)


def _never_answer(stage: Stage) -> None:
    stage.closing.wait()
    stage.hang_up()


def _refuse(stage: Stage) -> None:
    """The nearest thing to a closed port that a server for many hosts can do for one of them."""
    stage.hang_up(rudely=True)


def _half(stage: Stage) -> None:
    body = stage.truth.body
    stage.head(stage.truth, {"Content-Length": str(len(body) + 1)})
    stage.handler.wfile.write(body[: len(body) // 2])


def _reset(stage: Stage) -> None:
    """Half an answer, unless the reset overtakes it."""
    _half(stage)
    stage.hang_up(rudely=True)


def _truncate(stage: Stage) -> None:
    _half(stage)
    stage.hang_up()


def _huge(stage: Stage) -> None:
    """The true answer with blanks after it, so that only its size is wrong."""
    stage.head(stage.truth, {"Content-Length": str(len(stage.truth.body) + HUGE)})
    stage.handler.wfile.write(stage.truth.body)
    for _ in range(HUGE >> 16):
        stage.handler.wfile.write(b" " * (1 << 16))


def _charset(stage: Stage) -> None:
    body = stage.truth.body
    at = len(body) // 2
    kind = stage.truth.kind.partition(";")[0] + "; charset=utf-8"
    stage.send(Played(body[:at] + b"\xe9\xff" + body[at:], kind=kind))


def _redirect(place: Callable[[Stage], str]) -> Fault:
    def answer(stage: Stage) -> None:
        stage.send(Played(UPKEEP, 302, "text/html", {"Location": place(stage)}))

    return answer


def _drip(stage: Stage) -> None:
    stage.head(stage.truth, {"Content-Length": str(HUGE)})
    _trickle(stage, stage.truth.body)


def _drip_head(stage: Stage) -> None:
    _trickle(stage, b"HTTP/1.1 200 OK\r\nX-Long: ")


def _trickle(stage: Stage, start: bytes) -> None:
    """Send one byte after another, for ever."""
    place = 0
    while not stage.closing.wait(stage.drip):
        stage.handler.wfile.write(start[place : place + 1] or b" ")
        place += 1
    stage.hang_up()


Fault = Callable[[Stage], None]

FAULTS: dict[str, Fault] = {
    "timeout": _never_answer,
    "refused": _refuse,
    "reset": _reset,
    "403": _page(403, "Forbidden"),
    "404": _page(404, "Not Found"),
    "406": _page(406, "Not Acceptable"),
    "429": _page(429, "Too Many Requests"),
    "429-seconds": _page(429, "Too Many Requests", {"Retry-After": str(AN_HOUR)}),
    "429-date": _try_later_at,
    "500": _page(500, "Internal Server Error"),
    "503": _page(503, "Service Unavailable"),
    "html": lambda stage: stage.send(Played(UPKEEP, 200, "text/html; charset=utf-8")),
    "empty": lambda stage: stage.send(Played(b"", kind=stage.truth.kind)),
    "truncated": _truncate,
    "huge": _huge,
    "charset": _charset,
    "redirect-away": _redirect(lambda stage: ELSEWHERE),
    "redirect-down": _redirect(lambda stage: f"http://{stage.asked.host}{stage.asked.path}"),
    "redirect-loop": _redirect(lambda stage: stage.asked.path),
    "drip": _drip,
    "drip-head": _drip_head,
}
"""Name to fault."""
