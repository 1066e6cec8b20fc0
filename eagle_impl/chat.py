"""Chat templates: the small programs by which a checkpoint says how turns become one text."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from eagle_impl.errors import PromptError
from eagle_impl.formats.files import one_line

Messages: TypeAlias = Sequence[Mapping[str, str]]
"""Turns, each with a ``role`` (system, user, assistant) and a ``content``."""


def render(
    template: str, messages: Messages, special_tokens: Mapping[str, str], *, answer: bool, name: str
) -> str:
    """Turns as one text.

    The template came with the checkpoint and is not trusted: it can neither reach into Python nor
    change what it is given. What it is offered is what transformers offers.

    Args:
        template: Its source.
        messages: The turns.
        special_tokens: Text of ``bos_token``, ``eos_token`` and the like.
        answer: Whether to end with what opens the assistant's next turn.
        name: What complaints call the template.

    Raises:
        PromptError: The template is broken, or refuses these turns.
    """
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _now
    try:
        return environment.from_string(template).render(
            messages=messages, add_generation_prompt=answer, **special_tokens
        )
    except Exception as error:  # a template is a program: it can raise anything
        raise PromptError(f"{name}: {one_line(error)}") from None


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.datetime.now().strftime(form)


def _to_json(value: Any, indent: int | None = None) -> str:
    """Unlike Jinja's own filter, which writes for web pages, this one escapes nothing."""
    return json.dumps(value, ensure_ascii=False, indent=indent)
