from __future__ import annotations

import struct
from pathlib import Path

import pytest
import torch
from eagle.formats.gguf_file import FLOAT32, Q4_1, Q8_0, write_gguf
from eagle.formats.small_smollm import (
    CONFIG,
    SPECIAL,
    TOKENS,
    VALUES,
    WEIGHTS,
    write_small_smollm,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.gguf import (
    huggingface_config,
    huggingface_tensors,
    read_gguf,
    read_gguf_heading,
)
from eagle_impl.formats.gguf_tokenizer import tokenizer_config, tokenizer_of

NESTED = 5000 * struct.pack("<IQ", 9, 1)
"""Lists in lists."""


def refusal(path: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        read_gguf(path)
    assert "\n" not in caught.value.message
    assert str(path) in caught.value.message
    return caught.value.message


# The format


def test_values_of_every_kind_are_read(tmp_path: Path) -> None:
    values = {
        "text": "naïve \N{GRINNING FACE}",
        "whole": 4_000_000_000,
        "real": 0.1,
        "truth": True,
        "texts": ["a", ""],
        "numbers": [1, 2, 3],
        "nested": [[1], [2, 3]],
    }
    read = read_gguf(write_gguf(tmp_path / "x.gguf", values, {})).values
    assert read == values | {"real": pytest.approx(0.1, rel=1e-7)}


def test_numbers_of_every_size_are_read(tmp_path: Path) -> None:
    numbers: dict[str, tuple[int, float]] = {
        "B": (0, 200),
        "b": (1, -100),
        "H": (2, 60000),
        "h": (3, -30000),
        "i": (5, -7),
        "?": (7, False),
        "Q": (10, 2**63),
        "q": (11, -(2**62)),
        "d": (12, 0.1),
    }
    content = b"GGUF" + struct.pack("<IQQ", 3, 0, len(numbers))
    for form, (kind, value) in numbers.items():
        content += struct.pack(f"<Q1sI{form}", 1, form.encode(), kind, value)
    (tmp_path / "x.gguf").write_bytes(content)
    read = read_gguf(tmp_path / "x.gguf").values
    assert read == {form: value for form, (_, value) in numbers.items()}


def test_weights_of_four_bits(tmp_path: Path) -> None:
    # Scale 0.5 and minimum -2 in float16; byte i holds i in its low half and 15 - i in its high.
    block = struct.pack("<ee", 0.5, -2.0) + bytes(i | (15 - i) << 4 for i in range(16))
    other = struct.pack("<ee", -3.0, 1.0) + bytes(16 * [0x21])
    tensors = {"w": (Q4_1, [2, 32], block + other)}
    read = read_gguf(write_gguf(tmp_path / "x.gguf", {}, tensors)).tensors["w"]
    rising = [0.5 * i - 2.0 for i in range(16)]
    assert read.dtype == torch.float32
    assert read.tolist() == [rising + rising[::-1], 16 * [-2.0] + 16 * [-5.0]]


def test_weights_of_eight_bits(tmp_path: Path) -> None:
    numbers = [-128, 127, 0, 1, *range(-14, 14)]
    block = struct.pack("<e32b", 0.25, *numbers)
    tensors = {"w": (Q8_0, [1, 32], block), "v": (FLOAT32, [2], struct.pack("<2f", 1.5, -0.1))}
    read = read_gguf(write_gguf(tmp_path / "x.gguf", {}, tensors)).tensors
    assert read["w"].tolist() == [[0.25 * number for number in numbers]]
    assert torch.equal(read["v"], torch.tensor([1.5, -0.1]))


def test_weights_stand_where_the_files_alignment_says(tmp_path: Path) -> None:
    tensors = {
        name: (FLOAT32, [1], struct.pack("<f", value)) for name, value in (("a", 1.0), ("b", 2.0))
    }
    path = write_gguf(tmp_path / "x.gguf", {"general.alignment": 128}, tensors, alignment=128)
    assert {name: tensor.item() for name, tensor in read_gguf(path).tensors.items()} == {
        "a": 1.0,
        "b": 2.0,
    }


def test_what_a_file_says_of_itself_is_read_whatever_its_weights_are(tmp_path: Path) -> None:
    tensors = {
        "a": (2, [2, 32], bytes(36)),
        "b": (FLOAT32, [3], bytes(12)),
        "c": (2, [32], bytes(18)),
        "d": (99, [5], b""),
    }
    heading = read_gguf_heading(write_gguf(tmp_path / "x.gguf", {"legs": 2}, tensors))
    assert heading.values == {"legs": 2}
    assert heading.weights == {"Q4_0": 96, "F32": 3, "type 99": 5}


def test_what_a_file_says_of_its_sizes_is_not_trusted(tmp_path: Path) -> None:
    many = write_gguf(tmp_path / "x.gguf", {}, {"a": (FLOAT32, [2**63] * 9, b"")})
    with pytest.raises(CheckpointError, match="damaged GGUF file: 9 dimensions"):
        read_gguf_heading(many)
    long = write_gguf(tmp_path / "y.gguf", {"legs": [True]}, {})
    content = long.read_bytes()
    at = content.index(b"legs") + 4 + 4 + 4  # behind the types of the list and of its values
    long.write_bytes(content[:at] + (2**24 + 1).to_bytes(8, "little") + content[at + 8 :])
    with pytest.raises(CheckpointError, match="damaged GGUF file: a list of 16777217"):
        read_gguf_heading(long)


# Files that are damaged


def test_other_kinds_of_weights_are_refused(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "x.gguf", {}, {"w": (2, [32], bytes(18))})
    assert "w is of type 2" in refusal(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"PK\x03\x04" + bytes(40), "not a GGUF file"),
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "version 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 0), "damaged"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "damaged"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**62) + b"x", "damaged"),
        (b"GGUF" + struct.pack("<IQQQ1sII", 3, 0, 1, 1, b"k", 99, 0), "damaged"),
        (b"GGUF" + struct.pack("<IQQQ1sI", 3, 0, 1, 1, b"k", 9) + NESTED, "damaged"),
        (b"GGUF" + struct.pack("<IQQQ17sII", 3, 0, 1, 17, b"general.alignment", 4, 0), "damaged"),
        (b"GGUF" + struct.pack("<IQQQ1sII", 3, 0, 1, 1, b"\xff", 4, 0), "damaged"),
    ],
)
def test_nonsense_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    assert what in refusal(path)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_smollm(tmp_path_factory.mktemp("gguf") / "small.gguf")


@given(st.data())
@settings(max_examples=60)
def test_a_file_cut_anywhere_is_refused(small: Path, data: st.DataObject) -> None:
    whole = small.read_bytes()
    cut = small.with_name("cut.gguf")
    cut.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    refusal(cut)


@given(st.data())
@settings(max_examples=100)
def test_a_changed_byte_raises_nothing_else(small: Path, data: st.DataObject) -> None:
    whole = bytearray(small.read_bytes())
    whole[data.draw(st.integers(0, 3000))] = data.draw(st.integers(0, 255))
    changed = small.with_name("changed.gguf")
    changed.write_bytes(whole)
    try:
        read_gguf(changed)
    except CheckpointError:
        refusal(changed)


# The model in it


def test_weights_get_the_names_and_the_order_of_hugging_face(small: Path) -> None:
    tensors = huggingface_tensors(read_gguf(small))
    assert tensors.keys() == WEIGHTS.keys()
    for name, weight in WEIGHTS.items():
        assert torch.equal(tensors[name], weight), name
        assert tensors[name].is_contiguous()


def test_settings_get_the_names_of_hugging_face(small: Path) -> None:
    config = huggingface_config(read_gguf(small))
    assert config == {
        "architectures": ["LlamaForCausalLM"],
        "attention_bias": False,
        "bos_token_id": 1,
        "dtype": "float32",
        "eos_token_id": 2,
        "head_dim": 16,
        "hidden_act": "silu",
        "hidden_size": 64,
        "intermediate_size": 80,
        "max_position_embeddings": 256,
        "mlp_bias": False,
        "model_type": "llama",
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "num_key_value_heads": 2,
        "pad_token_id": 2,
        "rms_norm_eps": 2.0**-16,
        "rope_parameters": {"rope_theta": 50000.0, "rope_type": "default"},
        "rope_theta": 50000.0,
        "tie_word_embeddings": True,
        "vocab_size": CONFIG.vocab_size,
    }


# The tokenizer in it


@pytest.mark.parametrize(
    ("prompt", "tokens"),
    [
        ("hello", ["hello"]),
        ("hello world", ["hello", "Ġw", "o", "r", "l", "d"]),
        ("12", ["1", "2"]),  # in spite of the merge: digits are cut apart before
        ("x 12", ["x", "Ġ", "1", "2"]),
        ("a\n\n1", ["a", "ĊĊ", "1"]),
        ("a\n\nb", ["a", "Ċ", "Ċ", "b"]),  # the last space of several belongs to what follows
        ("é", ["Ã", "©"]),
        ("<|im_start|>he<|im_end|>", ["<|im_start|>", "he", "<|im_end|>"]),
    ],
)
def test_text_is_cut_as_smollm_cuts_it(small: Path, prompt: str, tokens: list[str]) -> None:
    tokenizer = tokenizer_of(read_gguf(small))
    encoding = tokenizer.encode(prompt)
    assert encoding.tokens == tokens
    assert encoding.ids == [TOKENS.index(token) for token in tokens]
    assert tokenizer.decode(encoding.ids, skip_special_tokens=False) == prompt


def test_special_tokens_are_kept_apart(small: Path) -> None:
    gguf = read_gguf(small)
    tokenizer = tokenizer_of(gguf)
    assert tokenizer.get_vocab_size() == len(TOKENS)
    added = tokenizer.get_added_tokens_decoder()
    assert {id: token.content for id, token in added.items()} == dict(enumerate(SPECIAL))
    assert all(token.special for token in added.values())
    assert tokenizer_config(gguf) == {
        "add_bos_token": False,
        "bos_token": "<|im_start|>",
        "chat_template": VALUES["tokenizer.chat_template"],
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|im_end|>",
        "model_max_length": 256,
        "pad_token": "<|im_end|>",
        "tokenizer_class": "PreTrainedTokenizerFast",
        "unk_token": "<|endoftext|>",
    }


def test_another_kind_of_tokenizer_is_refused(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "x.gguf", VALUES | {"tokenizer.ggml.pre": "llama-bpe"}, {})
    with pytest.raises(CheckpointError, match="gpt2/llama-bpe"):
        tokenizer_of(read_gguf(path))
