"""Where a redirect may lead: to a host that is known, encrypted, and without anybody's key."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote, unquote_plus, urljoin, urlsplit, urlunsplit

from registry.sources.answers import NoReply
from registry.sources.request import Request

STATUSES = frozenset({301, 302, 303, 307, 308})
KEEP_METHOD = frozenset({307, 308})
"""Redirects after which the same question is put with the same body."""

_NAME = re.compile(r"[a-z0-9.-]{1,100}")


def host_of(url: str) -> str:
    """The host of an address that may be asked; empty for any other.

    Such an address is https, on the standard port, and names no user.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme != "https" or "@" in parts.netloc or port not in (None, 443):
        return ""
    return parts.hostname or ""


def redirected(
    url: str, location: str, request: Request, allowed: Collection[str]
) -> str | NoReply:
    """The address that ``url`` redirects to, or why it is not followed.

    The address is put together anew from its parts, so that what was judged is what is asked.

    Args:
        url: Address that answered.
        location: What it names as the place to ask.
        request: The question, with the credentials that must not travel.
        allowed: The hosts that may be asked.
    """
    if not location.strip():
        return NoReply("broken answer", "it redirects to nowhere")
    try:
        joined = urljoin(url, location)
        target = urlsplit(joined)
    except ValueError:
        return NoReply("broken answer", "it redirects to something that is no address")
    host = host_of(joined)
    if host not in allowed:
        where = f"to {_shown(target.scheme, target.hostname, request)}, which is not followed"
        return NoReply("redirected away", where)
    # Hosts repeat the question in the new address; the key is added anew where it may go.
    pairs = (pair for pair in target.query.split("&") if not _is_secret(pair, request))
    clean = urlunsplit(("https", host, target.path or "/", "&".join(pairs), ""))
    if any(secret in read for secret in request.secrets for read in _readings(clean)):
        return NoReply("redirected away", "to an address that holds a credential")
    return clean


def _readings(url: str) -> Iterator[str]:
    """An address in the ways in which servers may read it; some decode more than once."""
    for unquoted in (unquote, unquote_plus):
        text = url
        for _ in range(4):
            yield text
            text = unquoted(text)


def _is_secret(pair: str, request: Request) -> bool:
    return unquote_plus(pair.partition("=")[0]) in request.secret_parameters


def _shown(scheme: str, host: str | None, request: Request) -> str:
    """A host in words; never one that holds a credential or could upset a terminal."""
    known = host is not None and _NAME.fullmatch(host) and scheme in ("http", "https")
    if not known or any(secret.lower() in str(host) for secret in request.secrets):
        return "somewhere else"
    return f"{scheme}://{host}"
