"""A server on this machine that plays every host a source talks to, well or badly.

``http://127.0.0.1:PORT/HOST/PATH`` answers what ``https://HOST/PATH`` would. To try the command
line by hand::

    python tests/sources/server.py --papers 100 --fault export.arxiv.org=429
    REGISTRY_SOURCES_VIA=http://127.0.0.1:PORT registry verify --live
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from socket import SHUT_RDWR, socket
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import parse_qsl, unquote

from papers import Paper, papers
from plays_interface import Asked, Play, Played
from stage import FAULTS, Stage

TRUTH = "none"
"""The fault of a host that answers as it should."""


def plays() -> dict[str, Play]:
    """Host to what plays it, for every module in ``plays/``."""
    found: dict[str, Play] = {}
    for module in iter_modules([str(Path(__file__).parent / "plays")]):
        play = cast(Play, import_module(f"plays.{module.name}"))
        found |= dict.fromkeys(play.HOSTS, play)
    return found


@dataclass(frozen=True)
class Seen:
    """A request that came in."""

    asked: Asked
    at: float
    """Seconds since some fixed moment."""


class Server:
    """Plays all hosts at once; a context manager."""

    def __init__(
        self,
        known: Sequence[Paper] = (),
        faults: Mapping[str, str] | None = None,
        *,
        played: Mapping[str, Play] | None = None,
        port: int = 0,
        drip: float = 1.0,
    ) -> None:
        """Start answering.

        Args:
            known: The papers that every host knows.
            faults: Host to what is wrong with it: a name in ``FAULTS``, or several with commas
                between them, one for each request, of which the last one stays.
            played: Host to what plays it; by default every play there is.
            port: Where to listen; 0 is any free port.
            drip: Seconds between the bytes of a host that drips.
        """
        self.known = known
        self.played = plays() if played is None else played
        self.drip = drip
        self.closing = Event()
        self.seen: list[Seen] = []
        """Every request, in the order in which they came."""
        self.problems: list[str] = []
        """What went wrong in a play."""
        self.lock = Lock()
        self._faults: dict[str, list[str]] = {}
        for host, names in (faults or {}).items():
            self.spoil(host, names)
        self._http = _Http(("127.0.0.1", port), self)
        self.address = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()

    def spoil(self, host: str, names: str) -> None:
        """Give a host a fault, or several in turn, in place of the one it has."""
        script = names.split(",")
        unknown = set(script) - {TRUTH, *FAULTS}
        if unknown:
            raise ValueError(f"no fault is called {', '.join(sorted(unknown))}")
        with self.lock:
            self._faults[host] = script

    def fault_of(self, host: str) -> str:
        """What is wrong with the next answer of a host."""
        with self.lock:
            script = self._faults.get(host, [TRUTH])
            return script.pop(0) if len(script) > 1 else script[0]

    def asked(self, host: str) -> list[Asked]:
        """The requests that a host got."""
        with self.lock:
            return [seen.asked for seen in self.seen if seen.asked.host == host]

    def truth(self, asked: Asked) -> Played:
        """What the host would answer if nothing were wrong with it."""
        play = self.played.get(asked.host)
        if play is None:
            return Played(f"Nobody plays {asked.host}.".encode(), 404, "text/plain")
        try:
            return play.answer(asked, self.known)
        except Exception as error:
            with self.lock:
                self.problems.append(f"{asked.host}{asked.path}: {error!r}")
            return Played(b"The play failed.", 500, "text/plain")

    def close(self) -> None:
        """End all exchanges, also those that would never end by themselves."""
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.hang_up()
        self._http.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if error is None:
            assert not self.problems, self.problems


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, place: tuple[str, int], plays_on: Server) -> None:
        self.plays_on = plays_on
        self.connections: set[socket] = set()
        super().__init__(place, _Handler)

    def hang_up(self) -> None:
        """Wake the threads that wait on a connection, so that they can be joined."""
        with self.plays_on.lock:
            for connection in self.connections:
                try:
                    connection.shutdown(SHUT_RDWR)
                except OSError:  # the other side was faster
                    continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exception()
        if not isinstance(error, OSError):  # a client may leave whenever it has had enough
            with self.plays_on.lock:
                self.plays_on.problems.append(repr(error))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def setup(self) -> None:
        super().setup()
        with self.server.plays_on.lock:
            self.server.connections.add(self.connection)
        if self.server.plays_on.closing.is_set():  # nobody will hang this one up any more
            self.server.hang_up()

    def finish(self) -> None:
        with self.server.plays_on.lock:
            self.server.connections.discard(self.connection)
        super().finish()

    def do_GET(self) -> None:
        server = self.server.plays_on
        asked = self._asked()
        with server.lock:
            server.seen.append(Seen(asked, time.monotonic()))
        fault = server.fault_of(asked.host)
        stage = Stage(self, asked, server.truth(asked), server.closing, server.drip)
        if fault == TRUTH:
            stage.send(stage.truth)
        else:
            FAULTS[fault](stage)

    do_POST = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _asked(self) -> Asked:
        place, _, query = self.path.partition("?")
        host, _, path = place.removeprefix("/").partition("/")
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        fields = dict(parse_qsl(query, keep_blank_values=True))
        return Asked(self.command, host, "/" + unquote(path), fields, headers, body)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play until interrupted."""
    parser = argparse.ArgumentParser(description="Plays all hosts that the sources talk to.")
    parser.add_argument("--papers", type=int, default=100, help="how many papers they know")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--drip", type=float, default=1.0, help="seconds between dripped bytes")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="HOST=NAME[,NAME...]",
        help=f"what is wrong with a host, request after request: {TRUTH}, {', '.join(FAULTS)}",
    )
    given = parser.parse_args(arguments)
    faults = {}
    for text in given.fault:
        host, is_given, names = text.partition("=")
        if not is_given:
            parser.error(f"{text}: write HOST=NAME")
        faults[host] = names
    try:
        server = Server(papers(given.papers), faults, port=given.port, drip=given.drip)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    print(server.address, flush=True)  # noqa: T201
    try:
        server.closing.wait()
    except KeyboardInterrupt:
        server.close()


if __name__ == "__main__":
    main()
