"""Judges answers before anybody reads meaning into them.

A page of HTML with status 200, an empty body or half a document says nothing about a paper. Each
becomes a reason why a source could not be asked, never a "no such record".
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
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
    "not sent",
]
"""Why there is no answer. ``throttled`` is the host's doing, ``budget spent`` is ours."""

_MAY_PASS = ("throttled", "unreachable", "timed out", "server error", "broken answer")


@dataclass(frozen=True, slots=True)
class NoReply:
    """There is no answer that could be read."""

    why: Why
    detail: str = ""
    final: bool = field(default=False, compare=False, repr=False)
    """Whether asking once more is out of the question for the rest of the run."""

    def __str__(self) -> str:
        """The reason on one line."""
        return f"{self.why}: {self.detail}" if self.detail else self.why

    @property
    def may_pass(self) -> bool:
        """Whether asking once more can help."""
        return not self.final and self.why in _MAY_PASS


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
    """The parsed document, for JSON (plain data) and XML (an element).

    None where the status is not 200 and the answer has another form, as error pages often do.
    """

    @property
    def sha256(self) -> str:
        """Hash of the body."""
        return sha256(self.body).hexdigest()


def judge(
    status: int, body: bytes, headers: Mapping[str, str], url: str, expect: Kind
) -> Reply | NoReply:
    """The answer as a reply, or what is wrong with its form.

    Args:
        status: Of the answer. An error may come in another form; the source reads it as text.
        body: Unpacked.
        headers: With names in lower case.
        url: What was asked, without credentials.
        expect: What the answer should be.
    """
    if not body.strip():
        return NoReply("broken answer", "it is empty")
    kind, _, parameters = headers.get("content-type", "").lower().partition(";")
    text = _decoded(body, parameters)
    if text is None:
        return NoReply("broken answer", "its characters cannot be decoded")
    data = None
    if expect in ("json", "xml"):
        data = _plain(text) if expect == "json" else _element(body)
    if status == 200:
        wrong = _wrong_form(text, kind.strip(), data, expect)
        if wrong:
            return NoReply("broken answer", wrong)
    return Reply(status, body, url, text, None if data is _NOTHING else data)


_NOTHING = object()
"""What comes of parsing something else than was expected. JSON has a null of its own."""

_PAGE = re.compile(
    r"(?:\s+|<\?xml.*?\?>|<!--.*?-->)*+<(?:!doctype\s+html|html|head|title|body)\b",
    re.DOTALL | re.IGNORECASE,
)
_PAGES = ("text/html", "application/xhtml+xml")


def _wrong_form(text: str, kind: str, data: Any, expect: Kind) -> str:
    """What is wrong with an answer that should hold what was asked for; empty if nothing is."""
    is_markup = text.lstrip().startswith("<")
    if expect == "html":
        return "" if is_markup else "no web page came where one was expected"
    # Servers call many things HTML; of what is not JSON or XML the content type decides.
    is_called_page = expect in ("yaml", "text") and kind in _PAGES and is_markup
    if is_called_page or _PAGE.match(text[:4000]):
        return f"a web page came where {expect} was expected"
    if data is _NOTHING:
        return "it is not valid JSON" if expect == "json" else "it is not XML without entities"
    return ""


_DECODERS = ("utf-8", "iso8859-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "ascii")
"""Python knows many more codecs, and some do other things than decode characters."""


def _decoded(body: bytes, parameters: str) -> str | None:
    """The body as text without a byte order mark, or None. UTF-8 is tried whatever is declared."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        names = ["utf-16"]
    else:
        names = ["utf-8-sig", *_declared(parameters)]
    for name in names:
        try:
            text = body.decode(name)
        except UnicodeDecodeError:
            continue
        # No format that is asked for has this character; in UTF-16 read as UTF-8 it is the half.
        if "\0" not in text:
            return text
    return None


def _declared(parameters: str) -> list[str]:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            try:
                found = codecs.lookup(value.strip(" \"'")).name
            except (LookupError, ValueError):
                return []
            return [found] if found in _DECODERS else []
    return []


def _plain(text: str) -> Any:
    """The data of a JSON document, in which every text can be written."""
    try:
        data = json.loads(text, parse_constant=_refuse)
        if "\\ud" in text.lower():
            # Half a character is allowed by JSON's grammar and by no encoding.
            whole = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
            data = json.loads(whole)
    except (ValueError, RecursionError):
        return _NOTHING
    return data


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _element(body: bytes) -> Any:
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        return fromstring(body)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return _NOTHING


class Unpacker:
    """Collects a body as it arrives, unpacking it, and never beyond a given size."""

    def __init__(self, encoding: str, largest: int) -> None:
        """Start with nothing.

        Args:
            encoding: The content encoding. Only gzip is asked for, so no other should come.
            largest: Bytes that the unpacked body may have.

        Raises:
            ValueError: the encoding is none that can be unpacked.
        """
        encoding = encoding.strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise ValueError("unknown content encoding")
        self._packed = encoding in ("gzip", "x-gzip")
        self._zip = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._largest = largest
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> bool:
        """Take in a piece; false as soon as there is more than is allowed.

        Raises:
            ValueError: the piece is packed wrongly.
        """
        while chunk and self._size <= self._largest:
            part, chunk = self._unpacked(chunk) if self._packed else (chunk, b"")
            self._parts.append(part)
            self._size += len(part)
        return self._size <= self._largest

    def _unpacked(self, chunk: bytes) -> tuple[bytes, bytes]:
        """What could be unpacked, and what is left to unpack."""
        if self._zip.eof:
            # A body may consist of several packed members, one after another.
            self._zip = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            part = self._zip.decompress(chunk, self._largest + 1 - self._size)
        except zlib.error as error:
            raise ValueError("packed wrongly") from error
        return part, self._zip.unused_data or self._zip.unconsumed_tail

    def body(self) -> bytes:
        """All of it.

        Raises:
            ValueError: the end is missing.
        """
        if self._packed and self._parts and not self._zip.eof:
            raise ValueError("the end is missing")
        return b"".join(self._parts)
