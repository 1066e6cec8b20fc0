"""Plays llama.cpp's server: ``played_llama_server.py LOG BEHAVIOUR OPTIONS...``.

What it is started with, and what it is asked, goes to the log, a line each. Asked to complete, it
says 7, 8, unless it is to behave otherwise.
"""

from __future__ import annotations

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer
from typing import Any

STARTED_BADLY = "loading\nerror: unknown model architecture: 'heron'\nexiting\n"


def main(log: str, behaviour: str, *options: str) -> None:
    if "--version" in options:
        if behaviour == "is never done":
            time.sleep(600)
        sys.stderr.write("" if behaviour == "has no version" else "version: 4321 (abcdef0)\nx\n")
        return

    def note(what: Any) -> None:
        with open(log, "a") as file:
            file.write(json.dumps(what) + "\n")

    asked_for = 0

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.path == "/health"
            self.answer(503 if behaviour == "loads for ever" else 200, b'{"status":"ok"}')

        def do_POST(self) -> None:
            assert self.path == "/completion"
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            note(asked)
            nonlocal asked_for
            asked_for += 1
            if behaviour == "dies" or (behaviour == "dies later" and asked_for > 2):
                sys.stderr.write("error: out of feathers\n")
                sys.stderr.flush()
                os._exit(7)
            if behaviour == "is silent":
                time.sleep(600)
            if behaviour == "drips":
                self.send_response(200)
                self.send_header("Content-Length", "100000")
                self.end_headers()
                while True:
                    self.wfile.write(b" ")
                    time.sleep(0.02)
            if behaviour == "breaks off":
                return  # and closes the connection
            ids = [7, 8][: asked["n_predict"]]
            good = {"tokens": ids, "tokens_evaluated": len(asked["prompt"])}
            self.answer(
                *{
                    "is a web page": (200, b"<html>"),
                    "floods": (200, b"[" + b"1," * 5000),
                    "refuses": (400, b'{"error": {"message": "no \x1b[31m"}}'),
                    "says nothing": (200, json.dumps(good | {"tokens": []}).encode()),
                    "says words": (200, json.dumps(good | {"tokens": ["tea"]}).encode()),
                    "gives more": (200, json.dumps(good | {"tokens": [8] * 10}).encode()),
                    "gives others": (200, json.dumps(good | {"tokens": [8, 261]}).encode()),
                    "has less": (200, json.dumps(good | {"tokens_evaluated": 2}).encode()),
                }.get(behaviour, (200, json.dumps(good).encode()))
            )

        def answer(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *words: object) -> None:
            pass

    set_for_it = {name: value for name, value in os.environ.items() if name.startswith("LLAMA_")}
    note({"pid": os.getpid(), "options": options, "environment": set_for_it})
    if behaviour == "starts badly":
        sys.stderr.write(STARTED_BADLY)
        sys.exit(1)
    told = dict(zip(options[::2], options[1::2], strict=True))
    with TCPServer((told["--host"], int(told["--port"])), Handler) as server:
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
