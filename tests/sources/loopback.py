"""Talking to this machine over real sockets."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread

import httpx
from clock import FakeClock
from papers import Paper
from plays_interface import Asked, Played
from server import Server

from registry.sources.answers import NoReply, Reply
from registry.sources.transport import Client, Clock, HostPolicy, Request
from registry.sources.wire import Wire, within

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


def fetch(url: str, seconds: float = PATIENT) -> bytes:
    wire = Wire()
    try:
        with within(seconds, lambda: False):
            response = wire.handle_request(httpx.Request("GET", url))
            return response.read()
    finally:
        wire.close()
