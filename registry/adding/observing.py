"""What a person read, typed on a command line, as the observation of an evidence record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, get_args
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import ValidationError

from registry.editing.author_lines import HINT, names_in
from registry.editing.fields import misfit, one_line, typed
from registry.errors import EditError
from registry.records.evidence import FieldName, Observation
from registry.records.outline import keys_at, types_at
from registry.store.nearest import did_you_mean

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_URL = re.compile(r"https?://[!-~]+")
_NONE = type(None)
_SECRET_WORDS = re.compile(
    r"key|token|secret|password|passwd|pwd|auth|authorization|signature|sig|credential|session|jwt"
    r"|sid|sessionid"
)
_PARTS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])")


def observation(fields: Sequence[str], silent: Sequence[str]) -> dict[str, Any]:
    """The values that were read, by field.

    Args:
        fields: Texts of the form ``NAME=VALUE``.
        silent: Names of fields that were looked for and are not there.

    Raises:
        EditError: a field is unknown, said twice or not of the right form.
    """
    found: dict[str, Any] = {}
    for text in fields:
        name, is_given, written = text.partition("=")
        name = name.strip()
        if not is_given or not name:
            raise EditError(f"--field {text!r} has no value", "write NAME=VALUE")
        if name not in Observation.model_fields:
            raise _unknown(name, Observation.model_fields)
        if name in found:
            raise EditError(f"{name} is said twice", "make two pieces of evidence of two readings")
        one_line(written, f"--field {name}", _type(name))
        found[name] = _value(name, written.strip())
    for name in silent:
        if name not in get_args(FieldName):
            raise _unknown(name, get_args(FieldName))
        if name in found:
            raise EditError(f"{name} has a value, so the source is not silent on it")
    return {key: found[key] for key in keys_at("evidence", ("observation",)) if key in found}


def is_address(text: str) -> bool:
    """Whether a text is a web address and not the name of a file."""
    return _ADDRESS.match(text) is not None


def address(text: str) -> str:
    """A web address that may be kept.

    Raises:
        EditError: it is none, or holds what gives somebody access. The message does not repeat it.
    """
    if not _URL.fullmatch(text):
        hint = "write http:// or https://, and characters beyond ASCII as they are sent"
        raise EditError("that is no web address", hint)
    try:
        parts = urlsplit(text)
        named = bool(parts.hostname)
        has_account = parts.username is not None or parts.password is not None
    except ValueError:
        named, has_account = False, False
    if not named:
        raise EditError("that is no web address", "it names no host")
    if has_account:
        raise EditError("the address holds an account", "give it without what stands before the @")
    pairs = [pair for part in (parts.query, parts.fragment) for pair in parse_qsl(part, True)]
    for name, _ in pairs:
        if _is_secret(unquote(name)):
            hint = "give the address as it is without it"
            raise EditError(f"the address holds a credential in `{name[:40]}`", hint)
    return text


def _is_secret(name: str) -> bool:
    """Whether a parameter's name speaks of access: ``api_key``, ``X-Amz-Signature``."""
    flat = re.sub(r"[^a-z0-9]", "", name.lower())
    words = _PARTS.split(name)
    joined = ("apikey", "accesstoken", "authtoken", "clientsecret", "privatekey", "accesskey")
    return any(_SECRET_WORDS.fullmatch(word.lower()) for word in words if word) or flat in joined


def _type(name: str) -> Any:
    (bare,) = (one for one in types_at("evidence", ("observation", name)) if one is not _NONE)
    return bare


def _value(name: str, text: str) -> Any:
    if name == "authors" and not text.startswith("["):
        value: Any = names_in(text)
    else:
        value = typed(text, _type(name), name)
    try:
        Observation.model_validate({name: value})
    except ValidationError as error:
        raise misfit(error, name, text) from None
    for one in value if name == "authors" else ():
        if len(names_in(one)) != 1:
            raise EditError(f"authors cannot be `{text}`: `{one}` is not one name", HINT)
    return value


def _unknown(name: str, known: Iterable[str]) -> EditError:
    names = list(known)
    return EditError(
        f"no field is called {name!r}", did_you_mean(name, names) or f"one of {', '.join(names)}"
    )
