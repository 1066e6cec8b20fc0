"""Servers of other engines: they answer on the loopback, and nothing is left of them in the end.

A server that has answered goes on for a while: its threads spin, waiting for more work. So it is
stopped whenever nothing is asked of it, and takes no time from what is measured meanwhile. Stopping
and ending is done to its whole group, since what is called like the server may be a script that
starts it. A stopped program would stay for ever if the one that started it were killed, so a shell
waits for that as well.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from tempfile import TemporaryFile
from threading import Event, Timer
from typing import IO

from eagle_impl.errors import EngineError
from eagle_impl.formats.files import one_line
from registry.reports.wording import visible

HOST = "127.0.0.1"
_LOADING = 600.0
"""Seconds within which a server must be ready."""
_ENDING = 30.0
"""Seconds within which a program that only has to say something must have ended."""
_MOST = 2**24
"""Bytes that an answer may have."""
_TAIL = 2**14
"""Bytes at the end of what a program wrote in which the reason is looked for why it ended."""
_WORDS = 200
"""Characters of what others say that are passed on."""
_ENDED = (ProcessLookupError, PermissionError)
"""What systems say of a signal for a group that has ended."""


class Server:
    """A program that answers on a port of the loopback."""

    def __init__(
        self, name: str, process: subprocess.Popen[bytes], port: int, log: IO[bytes]
    ) -> None:
        self._name, self._process, self._port, self._log = name, process, port, log

    def wait_until_ready(self) -> None:
        """Wait until its ``/health`` is good, and stop it.

        Raises:
            EngineError: It ends, or it takes too long.
        """
        with self._in_time(_LOADING, "was not ready"):
            while not self._is_healthy():
                time.sleep(0.05)
        self._signal(signal.SIGSTOP)

    @contextmanager
    def awake(self) -> Iterator[None]:
        """Let it work for as long as something is asked of it."""
        self._signal(signal.SIGCONT)
        try:
            yield
        finally:
            self._signal(signal.SIGSTOP)

    def post(self, path: str, body: bytes, patience: float) -> bytes:
        """What it answers, while it is awake.

        Args:
            path: Where it is asked.
            body: JSON.
            patience: Seconds within which it must have answered.

        Raises:
            EngineError: It ends, says nothing, says too much, refuses, or takes too long.
        """
        with self._in_time(patience, "did not answer"):
            try:
                status, answer = self._ask("POST", path, body, patience)
            except (OSError, http.client.HTTPException) as error:
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(1)
                    raise EngineError(self._end()) from None
                raise EngineError(f"{self._name} breaks off: {one_line(error)}") from None
        self._check_running()
        if len(answer) > _MOST:
            raise EngineError(f"{self._name} answers with more than {_MOST} bytes")
        if status != http.client.OK:
            said = _shown(answer.decode(errors="replace"))
            raise EngineError(f"{self._name} answers with status {status}: {said}")
        return answer

    def _is_healthy(self) -> bool:
        try:
            status, _ = self._ask("GET", "/health", b"", patience=5)
        except (OSError, http.client.HTTPException):
            status = 0
        self._check_running()
        return status == http.client.OK

    def _check_running(self) -> None:
        """Refuse what came from another program, which took the port when this one had ended."""
        if self._process.poll() is not None:
            raise EngineError(self._end())

    def _ask(self, method: str, path: str, body: bytes, patience: float) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(HOST, self._port, timeout=patience)
        with closing(connection):
            connection.request(method, path, body, {"Content-Type": "application/json"})
            with connection.getresponse() as response:
                return response.status, response.read(_MOST + 1)

    @contextmanager
    def _in_time(self, seconds: float, what: str) -> Iterator[None]:
        """Kill it if it takes longer, even if it says a byte now and then."""
        late = Event()

        def kill() -> None:
            late.set()
            self._signal(signal.SIGKILL)

        watch = Timer(seconds, kill)
        watch.daemon = True
        watch.start()
        try:
            yield
        except EngineError:
            if not late.is_set():
                raise
        finally:
            watch.cancel()
        # Of an answer that was cut off, what came may be taken for all of it.
        if late.is_set():
            why = f"{self._name} {what} within {seconds:g} s"
            raise EngineError(f"{why}: {_last_words(self._log)}")

    def _signal(self, number: signal.Signals) -> None:
        with suppress(*_ENDED):  # whoever asks for something next learns why
            os.killpg(self._process.pid, number)

    def _end(self) -> str:
        """How it ended."""
        return f"{self._name} ended with code {self._process.returncode}: {_last_words(self._log)}"


@contextmanager
def serving(name: str, command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Server]:
    """Start a server, wait until it is ready, and end it.

    Args:
        name: What it is called.
        command: It must take ``--host`` and ``--port`` as well.
        environment: Its variables.

    Raises:
        EngineError: It cannot be started.
    """
    with TemporaryFile() as log:
        port = _free_port()
        words = [*command, "--host", HOST, "--port", str(port)]
        with _running(name, words, environment, log) as process:
            server = Server(name, process, port, log)
            server.wait_until_ready()
            yield server


def output_of(name: str, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The end of what a program says, whether as its output or as its errors.

    Raises:
        EngineError: It cannot be run, or does not end.
    """
    with TemporaryFile() as log, _running(name, command, environment, log) as process:
        try:
            process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            words = " ".join(command[1:])
            raise EngineError(f"{name} {words} took more than {_ENDING:g} s") from None
        return _tail(log)


@contextmanager
def _running(
    name: str, words: Sequence[str], environment: Mapping[str, str], log: IO[bytes]
) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a group of its own, which is killed in the end."""
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment,
            process_group=0,
        )
    except OSError as error:
        raise EngineError(f"{name} cannot be run: {error.strerror}") from None
    try:
        with _killed_with_this(process.pid):
            yield process
    finally:
        with suppress(*_ENDED):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def _killed_with_this(group: int) -> Iterator[None]:
    """Have a group killed if this program is, which nothing within it could do then."""
    command = ["/bin/sh", "-c", 'read -r _; kill -s KILL -- "-$1"', "sh", str(group)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, process_group=0) as watching:
        try:
            yield
        finally:
            watching.kill()


def _free_port() -> int:
    with socket.socket() as held:
        held.bind((HOST, 0))
        port: int = held.getsockname()[1]
        return port


def _last_words(log: IO[bytes]) -> str:
    """The first line at the end of a log that speaks of an error, or else the last one."""
    lines = [line for line in _tail(log).splitlines() if line.strip()]
    wrong = (line for line in lines if "error" in line.lower())
    return _shown(next(wrong, lines[-1] if lines else "it gives no reason"))


def _tail(log: IO[bytes]) -> str:
    """The end of a log, read without moving the place at which the program writes on."""
    size = os.fstat(log.fileno()).st_size
    return os.pread(log.fileno(), _TAIL, max(0, size - _TAIL)).decode(errors="replace")


def _shown(text: str) -> str:
    return visible(" ".join(text.split()))[:_WORDS]
