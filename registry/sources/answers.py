"""Judges answers before anybody reads meaning into them.

A page of HTML with status 200, an empty body or half a document says nothing about a paper. Each
becomes a reason why a source could not be asked, never a "no such record".
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

Kind = Literal["json", "xml", "html", "yaml", "text"]
"""What an answer should be."""

Why = Literal[
    "throttled",
    "budget spent",
    "stopped",
    "unreachable",
    "timed out",
    "refused",
    "server error",
    "broken answer",
    "too large",
    "redirected away",
    "not asked again",
]
"""Why there is no answer. ``throttled`` is the host's doing, ``budget spent`` is ours."""

_MAY_PASS = ("throttled", "unreachable", "timed out", "server error", "broken answer")


@dataclass(frozen=True, slots=True)
class NoReply:
    """There is no answer that could be read."""

    why: Why
    detail: str = ""

    def __str__(self) -> str:
        """The reason on one line."""
        return f"{self.why}: {self.detail}" if self.detail else self.why

    @property
    def may_pass(self) -> bool:
        """Whether asking once more can help."""
        return self.why in _MAY_PASS


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that arrived whole and has the form that was expected."""

    status: int
    body: bytes
    url: str
    """Address without credentials."""
    text: str
    """The body, decoded."""
    data: Any = None
    """The parsed document, for JSON (plain data) and XML (an element)."""

    @property
    def sha256(self) -> str:
        """Hash of the body."""
        return sha256(self.body).hexdigest()


def judge(
    status: int, body: bytes, headers: Mapping[str, str], url: str, expect: Kind
) -> Reply | NoReply:
    """The answer as a reply, or what is wrong with its form."""
    if not body.strip():
        return NoReply("broken answer", "it is empty")
    text = _decoded(body, headers.get("content-type", ""))
    if text is None:
        return NoReply("broken answer", "its characters cannot be decoded")
    start = text.lstrip("\ufeff \t\r\n")[:200].lower()
    is_page = start.startswith(("<!doctype html", "<html", "<head"))
    if is_page and expect != "html" and status == 200:
        return NoReply("broken answer", f"a web page came where {expect} was expected")
    if expect == "html" and not start.startswith("<"):
        return NoReply("broken answer", "no web page came where one was expected")
    data: Any = None
    # An error may come in another form than an answer; the source reads it as text.
    if status == 200 and expect == "json":
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return NoReply("broken answer", "it is not valid JSON")
    if status == 200 and expect == "xml":
        data = _element(body)
        if data is None:
            return NoReply("broken answer", "it is not well-formed XML without entities")
    return Reply(status, body, url, text, data)


def _decoded(body: bytes, content_type: str) -> str | None:
    _, _, charset = content_type.partition("charset=")
    for name in ("utf-8", charset.split(";")[0].strip(" \"'")):
        try:
            return body.decode(name)
        except (UnicodeDecodeError, LookupError, ValueError):
            continue
    return None


def _element(body: bytes) -> Any:
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        return fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return None


class Unpacker:
    """Collects a body as it arrives, unpacking it, and never beyond a given size."""

    def __init__(self, encoding: str, largest: int) -> None:
        encoding = encoding.strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ValueError(f"unknown content encoding {encoding}")
        packed = encoding in ("gzip", "x-gzip", "deflate")
        self._zip = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed else None
        self._largest = largest
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> bool:
        """Take in a piece; false as soon as there is more than is allowed.

        Raises:
            ValueError: the piece is packed wrongly.
        """
        if self._zip is not None:
            try:
                chunk = self._zip.decompress(chunk, self._largest + 1 - self._size)
            except zlib.error as error:
                raise ValueError("not unpackable") from error
        self._parts.append(chunk)
        self._size += len(chunk)
        return self._size <= self._largest

    def body(self) -> bytes:
        """All of it.

        Raises:
            ValueError: the end is missing.
        """
        if self._zip is not None and self._parts and not self._zip.eof:
            raise ValueError("truncated")
        return b"".join(self._parts)
