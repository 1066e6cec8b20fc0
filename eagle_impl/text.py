"""From prompts to token ids and back.

Every way of decoding gets its ids from here, so that they cannot differ before the first token.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from tokenizers import Tokenizer

from eagle_impl.chat import Messages, render
from eagle_impl.errors import CheckpointError, PromptError
from eagle_impl.formats.files import one_line, read_json, read_utf8
from eagle_impl.streaming import Detokenizer
from eagle_impl.targets.interface import ModelConfig


class _Token(msgspec.Struct):
    """A special token with settings that matter to training alone."""

    content: str


class _Named(msgspec.Struct):
    """One of several chat templates."""

    name: str
    template: str


class _Settings(msgspec.Struct):
    """tokenizer_config.json."""

    bos_token: str | _Token | None = None
    eos_token: str | _Token | None = None
    unk_token: str | _Token | None = None
    pad_token: str | _Token | None = None
    add_bos_token: bool | None = None
    chat_template: str | list[_Named] | None = None


_USUAL = 16
"""More characters than a token has in most texts; some tokens are longer."""


class Text:
    """A model's tokenizer and chat template."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        name: str = "the model",
        special_tokens: dict[str, str] | None = None,
        bos_id: int | None = None,
        adds_bos: bool | None = None,
        template: str | None = None,
        template_name: str = "",
        context: int | None = None,
    ) -> None:
        """Put together what ``load_text`` reads.

        Args:
            tokenizer: Its settings for batches are switched off.
            name: What complaints call the model.
            special_tokens: Text of ``bos_token``, ``eos_token`` and the like.
            bos_id: What an empty prompt becomes, where the tokenizer has no BOS of its own.
            adds_bos: Whether prompts begin with BOS; what the tokenizer does itself, if absent.
            template: Source of the chat template.
            template_name: What complaints call it, such as its file's name.
            context: Tokens that the model can read. Texts that are far longer are not cut into
                tokens at all, which takes minutes and gigabytes where they are long enough.
        """
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.name = name
        self.tokenizer = tokenizer
        self.special_tokens = special_tokens or {}
        self.template = template
        self.template_name = template_name or f"chat template of {name}"
        self._context = context
        bos = tokenizer.token_to_id(self.special_tokens.get("bos_token", ""))
        self._bos_id = bos_id if bos is None else bos
        self._adds_bos = tokenizer.encode("").ids[:1] == [bos] if adds_bos is None else adds_bos
        self._special_ids = {
            id for id, token in tokenizer.get_added_tokens_decoder().items() if token.special
        }

    def encode(self, prompt: str, *, chat: bool = False) -> list[int]:
        """The ids of a prompt as it stands, or of a conversation that it opens.

        BOS is there once, if the model wants one at all: also where the prompt brings its own.

        Raises:
            PromptError: It has no ids, is no valid text, or there is no chat template.
        """
        if chat:
            return self.encode_chat([{"role": "user", "content": prompt}])
        ids = self._ids(prompt)
        if self._bos_id is not None and (not ids or (self._adds_bos and ids[0] != self._bos_id)):
            return [self._bos_id, *ids]
        if not ids:
            raise PromptError(
                f"the prompt is empty, and {self.name} has no BOS token to begin with",
                "give it some text",
            )
        return ids

    def encode_chat(self, messages: Messages, *, answer: bool = True) -> list[int]:
        """The ids of a conversation, BOS included where the template writes it.

        Args:
            messages: The turns.
            answer: Whether to end with what opens the assistant's next turn.

        Raises:
            PromptError: There is no chat template, or it refuses these turns.
        """
        return self._ids(self.render_chat(messages, answer=answer))

    def render_chat(self, messages: Messages, *, answer: bool = True) -> str:
        """A conversation as the text that the model was trained on; as ``encode_chat``."""
        if self.template is None:
            raise PromptError(
                f"{self.name} has no chat template",
                "put a chat_template.jinja beside its tokenizer, or, to generate, leave out --chat"
                " or name a template with --chat-template",
            )
        return render(
            self.template, messages, self.special_tokens, answer=answer, name=self.template_name
        )

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids without special tokens: what ``stream`` would have shown."""
        stream = self.stream()
        return "".join(map(stream.push, ids)) + stream.finish()

    def stream(self) -> Detokenizer:
        """Turns ids into text one by one."""
        return Detokenizer(self.tokenizer, self._special_ids)

    def _ids(self, text: str) -> list[int]:
        if self._context is not None:
            self._judge_length(text, self._context)
        return self._cut(text)

    def _judge_length(self, text: str, context: int) -> None:
        """Refuse a text whose beginning alone is far too long, looking no further than need be."""
        size = _USUAL * context
        while size < len(text):
            # Where a text is cut off, the last tokens are others: twice as many leave no doubt.
            if len(self._cut(text[:size])) > 2 * context:
                raise PromptError(
                    f"the prompt has {len(text):,} characters, far more than fit into the model's"
                    f" context of {context:,} tokens",
                    "shorten the prompt",
                )
            size *= 4

    def _cut(self, text: str) -> list[int]:
        try:
            return self.tokenizer.encode(text, add_special_tokens=False).ids
        except (TypeError, UnicodeError):  # half a surrogate pair
            raise PromptError("the prompt is not valid Unicode text") from None


def load_text(
    folder: Path, config: ModelConfig, *, name: str = "", template: Path | None = None
) -> Text:
    """A checkpoint's tokenizer and chat template.

    Args:
        folder: With tokenizer.json, and tokenizer_config.json and chat_template.jinja if any.
        config: The model's geometry.
        name: What complaints call the model; the folder if empty.
        template: A chat template to use instead of the checkpoint's.

    Raises:
        CheckpointError: A file cannot be read, or the tokenizer is another model's.
    """
    path = folder / "tokenizer.json"
    there = os.path.lexists(path)
    if not there and (folder / "tokenizer.model").exists():
        raise CheckpointError(
            f"{folder}: there is only tokenizer.model, no tokenizer.json",
            "AutoTokenizer.from_pretrained(...).save_pretrained(...) of transformers writes it",
        )
    if not there:
        raise CheckpointError(
            f"{path}: there is no such file", "fetch it from where the weights come from"
        )
    content = read_utf8(path)
    try:
        tokenizer = Tokenizer.from_buffer(content)
    except Exception as error:  # the library has no error of its own
        raise CheckpointError(f"{path}: not a tokenizer: {one_line(error)}") from None
    known = max(
        tokenizer.get_vocab_size(with_added_tokens=False) - 1,
        *tokenizer.get_added_tokens_decoder(),
        -1,
    )
    if known >= config.vocab_size:
        raise CheckpointError(
            f"{path}: has token {known}, but the model knows {config.vocab_size}",
            "the tokenizer belongs to another model",
        )
    settings_path = folder / "tokenizer_config.json"
    given = os.path.lexists(settings_path)
    settings = read_json(settings_path, _Settings) if given else _Settings()
    source, where = _template(folder, settings, template)
    return Text(
        tokenizer,
        name=name or str(folder),
        special_tokens=_special_tokens(settings),
        bos_id=config.bos_id,
        adds_bos=settings.add_bos_token,
        template=source,
        template_name=f"chat template {where}",
        context=config.max_positions,
    )


def _special_tokens(settings: _Settings) -> dict[str, str]:
    tokens = {
        "bos_token": settings.bos_token,
        "eos_token": settings.eos_token,
        "unk_token": settings.unk_token,
        "pad_token": settings.pad_token,
    }
    return {
        name: token.content if isinstance(token, _Token) else token
        for name, token in tokens.items()
        if token is not None
    }


def _template(folder: Path, settings: _Settings, given: Path | None) -> tuple[str | None, Path]:
    """The chat template, if there is one, and the file that it is from."""
    beside = folder / "chat_template.jinja"
    path = given or (beside if os.path.lexists(beside) else None)
    if path is not None:
        try:
            return read_utf8(path, piped=path == given).decode(), path
        except UnicodeDecodeError:
            raise CheckpointError(f"{path}: not UTF-8 text") from None
    source = settings.chat_template
    if isinstance(source, list):
        source = next((one.template for one in source if one.name == "default"), None)
    return source, folder / "tokenizer_config.json"
