"""What computes a target, and that it is said where it is torch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from eagle.scripted import Told
from eagle.tiny import tiny_config, tiny_weights, write_model
from eagle.tiny_text import byte_level

from eagle_impl.answer import Asked, answer, as_document, lines, prepare
from eagle_impl.computing import computed_by, tell_if_torch_computes
from eagle_impl.errors import Notice
from eagle_impl.native import kernels as native
from eagle_impl.sampling import Sampler
from eagle_impl.targets.llama import LlamaTarget

CONFIG = tiny_config(layers=1, vocab_size=261)
needs_kernels = pytest.mark.skipif(native.kernels() is None, reason="no compiler here")


def target(dtype: torch.dtype = torch.float32, **changes: int) -> LlamaTarget:
    config = tiny_config(layers=1, **changes)
    return LlamaTarget(config, tiny_weights(config), dtype=dtype)


@pytest.fixture
def _no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    native.found_kernels.cache_clear()
    yield
    native.found_kernels.cache_clear()


@needs_kernels
@pytest.mark.filterwarnings("error::eagle_impl.errors.Notice")
def test_kernels_are_told_in_the_statistics_alone() -> None:
    one = target()
    tell_if_torch_computes(one)
    kind, vectors = computed_by(one).split()
    assert kind == "native"
    assert vectors in ("avx512", "avx2", "sse2", "sve", "neon", "scalar")


@needs_kernels
@pytest.mark.parametrize(
    ("one", "why"),
    [
        (target(torch.bfloat16), "they are for float32, and this is bfloat16 (--dtype fp32 uses"),
        (target(torch.float16), "they are for float32, and this is float16 (--dtype fp32 uses"),
        (target(intermediate_size=72), "for sizes that are multiples of 16, and a size of this"),
        (Told([1], 1), "they are for models of Llama's shape"),
    ],
)
def test_it_is_said_why_torch_computes(one: LlamaTarget | Told, why: str) -> None:
    assert computed_by(one) == "torch"
    with pytest.warns(Notice, match="^torch computes, not the kernels that") as said:
        tell_if_torch_computes(one)
    (line,) = (str(one.message) for one in said)
    assert why in line


@pytest.mark.usefixtures("_no_compiler")
def test_without_a_compiler_it_is_said_once_and_stands_in_the_statistics(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model", CONFIG, tiny_weights(CONFIG))
    byte_level().save(str(folder / "tokenizer.json"))
    threads = torch.get_num_threads()
    with pytest.warns(Notice) as said:
        kit = prepare(
            target=str(folder), head=None, method="vanilla", tree="", sampler=Sampler(), threads=1
        )
    torch.set_num_threads(threads)
    assert [str(one.message) for one in said] == [
        "torch computes, not the kernels that come with the project: there is no C++ compiler"
        " (install g++ or clang++, or name one in CXX)"
    ]
    told = answer(kit, Asked((5,), Sampler(temperature=0), max_new_tokens=2), lambda _: None)
    assert "kernels: torch" in lines(told)
    assert json.loads(as_document(told, None, None))["kernels"] == "torch"


def test_that_no_head_is_known_is_said_where_none_was_asked_for(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model", CONFIG, tiny_weights(CONFIG))
    byte_level().save(str(folder / "tokenizer.json"))

    def notices(method: str | None) -> list[str]:
        with pytest.warns() as said:
            # One more, so that there is one in any case.
            prepare(
                target=str(folder),
                head=None,
                method=method,
                tree="",
                sampler=Sampler(),
                dtype="bf16",
            )
        return [str(one.message) for one in said]

    assert len(notices("vanilla")) == 1
    _, line = notices(None)
    assert line.startswith(f"no head is known for {folder}, which is decoded plainly (--head names")
