from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from eagle.tiny import tiny_config
from eagle.tiny_text import END, byte_level, sentence_piece
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from eagle_impl.errors import CheckpointError, PromptError
from eagle_impl.text import Text, load_text

BYTES = tiny_config(vocab_size=300, bos_id=None)
PIECES = tiny_config(vocab_size=300, bos_id=1)
TURNS = (
    "{{ bos_token }}{% for message in messages %}\n"
    "[{{ message.role }}] {{ message.content }}</s>\n"
    "{% endfor %}\n"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)


def write(folder: Path, tokenizer: Tokenizer, **settings: Any) -> Path:
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def complaint(folder: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        load_text(folder, BYTES)
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"])
def test_files_that_are_links_to_nothing_or_pipes_are_named(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, byte_level()) / name
    path.unlink(missing_ok=True)
    path.symlink_to("absent")
    assert complaint(tmp_path) == f"{path}: is a link to absent, which is not there"
    path.unlink()
    os.mkfifo(path)
    assert complaint(tmp_path) == f"{path}: is not a regular file"


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    write(tmp_path, byte_level(), eos_token=END)
    (tmp_path / "chat_template.jinja").write_text("hi")
    for path in tmp_path.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_text(tmp_path, BYTES).template == "hi"


def test_a_template_that_is_named_may_come_through_a_pipe(tmp_path: Path) -> None:
    write(tmp_path, byte_level())
    reader, writer = os.pipe()
    os.write(writer, b"hi")
    os.close(writer)
    try:
        text = load_text(tmp_path, BYTES, template=Path(f"/dev/fd/{reader}"))
    finally:
        os.close(reader)
    assert text.template == "hi"


# Prompts as they stand


def test_a_tokenizer_without_bos_adds_none(tmp_path: Path) -> None:
    text = load_text(write(tmp_path, byte_level(), eos_token=END), BYTES)
    assert text.encode("hey") == [257, ord("y")]
    assert text.encode("é") == [260]


@pytest.mark.parametrize(
    ("settings", "prompt", "first"),
    [
        ({"bos_token": "<s>"}, "he", [1]),  # the tokenizer adds it
        ({"bos_token": {"content": "<s>", "lstrip": False}}, "he", [1]),
        ({"bos_token": "<s>", "add_bos_token": True}, "he", [1]),
        ({"bos_token": "<s>"}, "<s>he", [1]),  # the prompt brings its own
        ({"bos_token": "<s>", "add_bos_token": False}, "he", []),
    ],
)
def test_bos_is_there_once(
    tmp_path: Path, settings: dict[str, Any], prompt: str, first: list[int]
) -> None:
    text = load_text(write(tmp_path, sentence_piece(), **settings), PIECES)
    assert text.encode(prompt) == [*first, PIECE_HE]


PIECE_HE = sentence_piece().token_to_id("▁he")


def test_bos_is_added_where_the_settings_say_so(tmp_path: Path) -> None:
    folder = write(tmp_path, byte_level(), bos_token=END, add_bos_token=True)
    assert load_text(folder, BYTES).encode("a") == [256, 97]


def test_an_empty_prompt_is_bos_or_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, byte_level())
    with pytest.raises(PromptError, match="empty, and small has no BOS"):
        load_text(folder, BYTES, name="small").encode("")
    assert load_text(folder, tiny_config(vocab_size=300, bos_id=7)).encode("") == [7]
    write(tmp_path, sentence_piece(), bos_token="<s>")
    assert load_text(folder, PIECES).encode("") == [1]


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(PromptError, match="not valid Unicode"):
        Text(byte_level()).encode("a\ud800")


def test_settings_for_batches_are_switched_off(tmp_path: Path) -> None:
    tokenizer = byte_level()
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=8)
    text = load_text(write(tmp_path, tokenizer), BYTES)
    assert text.encode("abcde") == list(b"abcde")


@given(st.text(st.characters(codec="utf-8")))
def test_text_survives_both_ways(prompt: str) -> None:
    text = Text(byte_level())
    if prompt and END not in prompt:
        assert text.decode(text.encode(prompt)) == prompt


def test_special_tokens_are_not_shown() -> None:
    assert Text(byte_level()).decode([104, 256, 105, 299]) == "hi"


# Conversations


def test_a_conversation_is_written_by_the_template(tmp_path: Path) -> None:
    folder = write(tmp_path, sentence_piece(), bos_token="<s>", chat_template=TURNS)
    text = load_text(folder, PIECES)
    messages = [
        {"role": "user", "content": "he"},
        {"role": "assistant", "content": "ho"},
        {"role": "user", "content": "w"},
    ]
    # Jinja drops the line break after a block, as transformers has it do.
    turns = "<s>[user] he</s>\n[assistant] ho</s>\n[user] w</s>\n"
    assert text.render_chat(messages) == turns + "[assistant]"
    assert text.render_chat(messages, answer=False) == turns
    ids = text.encode("he", chat=True)
    assert ids == text.encode_chat(messages[:1])
    assert ids[:1] == [1]
    assert ids.count(1) == 1


def test_a_template_beside_the_tokenizer_goes_first_and_a_given_one_before(tmp_path: Path) -> None:
    folder = write(tmp_path, byte_level(), chat_template="settings")
    assert load_text(folder, BYTES).render_chat([]) == "settings"
    (folder / "chat_template.jinja").write_text("béside", encoding="utf-8")
    assert load_text(folder, BYTES).render_chat([]) == "béside"
    (tmp_path / "mine.jinja").write_text("mine")
    assert load_text(folder, BYTES, template=tmp_path / "mine.jinja").render_chat([]) == "mine"
    with pytest.raises(CheckpointError, match=r"absent\.jinja: there is no such file"):
        load_text(folder, BYTES, template=tmp_path / "absent.jinja")
    (folder / "chat_template.jinja").write_bytes(b"b\xe9side")
    assert "chat_template.jinja: not UTF-8" in complaint(folder)


def test_of_several_templates_the_default_one_is_used(tmp_path: Path) -> None:
    several = [{"name": name, "template": name} for name in ("tool_use", "default")]
    folder = write(tmp_path, byte_level(), chat_template=several)
    assert load_text(folder, BYTES).render_chat([]) == "default"
    write(tmp_path, byte_level(), chat_template=several[:1])
    assert load_text(folder, BYTES).template is None


def test_without_template_a_raw_prompt_works_and_a_conversation_does_not(tmp_path: Path) -> None:
    folder = write(tmp_path, byte_level(), model_max_length=64, eos_token="</s>")
    text = load_text(folder, BYTES, name="org/base")
    assert text.encode("hi") == list(b"hi")
    with pytest.raises(PromptError) as caught:
        text.encode("hi", chat=True)
    assert caught.value.message == "org/base has no chat template"
    assert "--chat-template" in caught.value.hint


@pytest.mark.parametrize(
    ("template", "what"),
    [
        ("{% if %}", "chat template of small: "),
        ("{{ raise_exception('no system turns, please') }}", "small: no system turns, please"),
        ("{{ messages[0].content.missing.more }}", "chat template of small: "),
        ("{{ 1 / 0 }}", "small: division by zero"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "chat template of small: "),
        ("{{ messages.append('x') }}", "chat template of small: "),
        ("{{ messages[0].update(content='x') }}", "chat template of small: "),
        ("{% for i in range(10000000) %}{% endfor %}", "chat template of small: "),
        ("{% include '/etc/hostname' %}", "chat template of small: "),
    ],
)
def test_a_template_that_fails_or_reaches_out_is_one_line(template: str, what: str) -> None:
    text = Text(byte_level(), name="small", template=template)
    with pytest.raises(PromptError) as caught:
        text.encode("hi", chat=True)
    assert caught.value.message.startswith("chat template of small: ")
    assert what in caught.value.message
    assert "\n" not in caught.value.message


def test_a_template_that_fails_is_named_by_its_file(tmp_path: Path) -> None:
    broken = "{{ 1 / 0 }}"
    folder = write(tmp_path, byte_level(), chat_template=broken)
    beside, given_path = folder / "chat_template.jinja", tmp_path / "mine.jinja"

    def said(template: Path | None = None) -> str:
        with pytest.raises(PromptError) as caught:
            load_text(folder, BYTES, name="small", template=template).encode("hi", chat=True)
        return caught.value.message

    assert said() == f"chat template {folder / 'tokenizer_config.json'}: division by zero"
    beside.write_text(broken)
    assert said() == f"chat template {beside}: division by zero"
    given_path.write_text(broken)
    assert said(given_path) == f"chat template {given_path}: division by zero"


# Prompts that are far too long


class Counting:
    """A tokenizer, and how much it was given to cut."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer, self.lengths = tokenizer, list[int]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tokenizer, name)

    def encode(self, text: str, **more: Any) -> Any:
        self.lengths.append(len(text))
        return self.tokenizer.encode(text, **more)


def long_words(length: int) -> Tokenizer:
    """Words of one letter, however many there are of it."""
    tokens = {"a" * size: size for size in range(1, length + 1)}
    tokenizer = Tokenizer(models.WordLevel({"[unk]": 0, **tokens}, unk_token="[unk]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def test_a_prompt_that_is_far_too_long_is_not_cut_into_tokens() -> None:
    tokenizer: Any = Counting(byte_level())
    text = Text(tokenizer, context=50)
    tokenizer.lengths.clear()
    with pytest.raises(PromptError, match=r"1,000,000 characters, far .* of 50 tokens"):
        text.encode("x" * 1_000_000)
    assert sum(tokenizer.lengths) < 10_000


def test_long_tokens_make_no_long_prompt() -> None:
    # 50 tokens of 100 letters and their spaces: more characters than 50 tokens usually have.
    prompt = " ".join(["a" * 100] * 50)
    text = Text(long_words(100), context=50)
    assert text.encode(prompt) == [100] * 50
    # More than fit in are counted by whoever reads them, unless they are far too many.
    assert len(text.encode(" ".join(["a" * 100] * 60))) == 60
    with pytest.raises(PromptError, match="far more than fit"):
        text.encode(" ".join(["a" * 100] * 1000))


def test_templates_get_what_transformers_gives_them() -> None:
    template = (
        "{%- for message in messages %}{% if loop.index > 1 %}{% break %}{% endif %}"
        "{{ message | tojson }}{% endfor %} {{ eos_token }}{{ strftime_now('%%') }}"
    )
    text = Text(byte_level(), template=template, special_tokens={"eos_token": END})
    assert (
        text.render_chat([{"content": "<é>"}, {"content": "no"}]) == f'{{"content": "<é>"}} {END}%'
    )


# Files that are not what they must be


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "is a Git LFS pointer"),
        (b"{}", "not a tokenizer"),
        (b"{", "not a tokenizer"),
        (b'{"version": "1.0", "model": {"type": "Unheard"}}', "not a tokenizer"),
        (b"\xff\xfe", "not a tokenizer"),
    ],
)
def test_a_tokenizer_that_is_none(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "tokenizer.json").write_bytes(content)
    assert f"tokenizer.json: {what}" in complaint(tmp_path)


def test_a_folder_without_tokenizer_or_with_another_kind(tmp_path: Path) -> None:
    assert "tokenizer.json: there is no such file" in complaint(tmp_path)
    (tmp_path / "tokenizer.model").write_bytes(b"\n\x0e")
    assert "only tokenizer.model" in complaint(tmp_path)


@pytest.mark.parametrize("text", ["[]", "{", '{"bos_token": 1}', '{"chat_template": {"a": "b"}}'])
def test_settings_that_are_none(tmp_path: Path, text: str) -> None:
    byte_level().save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(text)
    assert "tokenizer_config.json: " in complaint(tmp_path)


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, byte_level())
    load_text(folder, tiny_config(vocab_size=261))  # 256 bytes, one end, four merges
    with pytest.raises(CheckpointError, match=r"has token 260, but the model knows 260"):
        load_text(folder, tiny_config(vocab_size=260))
    tokenizer = byte_level()
    tokenizer.add_tokens(["more"])
    write(tmp_path, tokenizer)
    with pytest.raises(CheckpointError, match=r"has token 261"):
        load_text(folder, tiny_config(vocab_size=261))
