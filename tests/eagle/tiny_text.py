"""Tokenizers of the two kinds that targets have, small enough for tests."""

from __future__ import annotations

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

END = "<|end|>"


def _letters() -> dict[int, str]:
    """The letter that stands for each byte in GPT-2's vocabularies."""
    kept = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in kept]
    return {byte: chr(byte) for byte in kept} | {
        byte: chr(256 + number) for number, byte in enumerate(others)
    }


def byte_level() -> Tokenizer:
    """GPT-2's kind: id i is byte i, id 256 ends a text, and a few merges follow."""
    letters = _letters()
    merges = [("h", "e"), ("l", "l"), ("Ġ", "w"), ("Ã", "©")]
    tokens = [*(letters[byte] for byte in range(256)), END, *map("".join, merges)]
    tokenizer = Tokenizer(models.BPE({token: id for id, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(END, normalized=False)])
    return tokenizer


def sentence_piece() -> Tokenizer:
    """Llama 2's kind: spaces are letters, unknown characters are bytes, BOS goes before."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokens += ["▁", *"abcdehilorstw", "▁h", "he", "▁he"]
    merges = [("▁", "h"), ("h", "e"), ("▁h", "e")]
    vocabulary = {token: id for id, token in enumerate(tokens)}
    tokenizer = Tokenizer(
        models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    specials = [AddedToken(token, normalized=False) for token in ("<unk>", "<s>", "</s>")]
    tokenizer.add_special_tokens(specials)
    return tokenizer
