from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save, save_file
from torch import Tensor

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.tensors import converted, fit, read_folder, read_tensors, write_tensors

GOOD = {
    "fc.weight": torch.arange(6.0).view(2, 3),
    "fc.bias": torch.tensor([0.5, -1.0], dtype=torch.bfloat16),
    "d2t": torch.tensor([0, 3], dtype=torch.int64),
    "t2d": torch.tensor([True, False, True]),
}
CPU = torch.device("cpu")


def refusal(path: Path) -> CheckpointError:
    """The complaint about a file: one line that names it."""
    with pytest.raises(CheckpointError) as caught:
        read_folder(path) if path.is_dir() else read_tensors(path)
    assert "\n" not in caught.value.message + caught.value.hint
    assert str(path) in caught.value.message
    return caught.value


def header(**entries: Any) -> bytes:
    text = json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text


def entry(dtype: str, shape: list[int], start: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def same(read: dict[str, Tensor], written: dict[str, Tensor]) -> bool:
    return read.keys() == written.keys() and all(
        read[name].dtype == tensor.dtype and torch.equal(read[name], tensor)
        for name, tensor in written.items()
    )


@pytest.mark.skipif(os.name == "nt", reason="this system has no masks of that kind")
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o007, 0o660), (0o077, 0o600)])
def test_what_is_written_may_be_read_by_whom_the_mask_lets(
    tmp_path: Path, mask: int, mode: int
) -> None:
    before = os.umask(mask)
    try:
        write_tensors(tmp_path / "model.safetensors", GOOD)
    finally:
        os.umask(before)
    assert (tmp_path / "model.safetensors").stat().st_mode & 0o777 == mode
    assert same(read_tensors(tmp_path / "model.safetensors"), GOOD)


def test_what_was_saved_is_read(tmp_path: Path) -> None:
    save_file(GOOD, tmp_path / "model.safetensors", {"format": "pt"})
    assert same(read_tensors(tmp_path / "model.safetensors"), GOOD)
    assert same(read_folder(tmp_path), GOOD)


# Files that are something else


class Probe:
    """Leaves a file behind when it is unpickled by whoever runs what a pickle says."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self.path),))


def zipped(content: object) -> bytes:
    stream = io.BytesIO()
    torch.save(content, stream)
    return stream.getvalue()


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"7" * 64 + b"\nsize 9123\n"


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize(
    ("content", "what", "hint"),
    [
        (b"", "empty file", "download"),
        (POINTER, "Git LFS pointer", "git lfs pull"),
        (b"<!DOCTYPE html>\n<html><body>Not found</body></html>", "web page", "download"),
        (b"<html>\n<head></head></html>", "web page", "download"),
        (b"<?xml version='1.0'?><Error/>", "web page", "download"),
    ],
)
def test_a_stand_in_for_weights_is_called_what_it_is(
    tmp_path: Path, name: str, content: bytes, what: str, hint: str
) -> None:
    (tmp_path / name).write_bytes(content)
    complaint = refusal(tmp_path / name)
    assert what in complaint.message
    assert hint in complaint.hint


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize("saved", [pickle.dumps, zipped], ids=["plain", "zipped"])
def test_no_pickle_is_run_under_any_name(tmp_path: Path, name: str, saved: Any) -> None:
    probe = tmp_path / "ran"
    content = saved({"fc.weight": Probe(probe)})
    pickle.loads(pickle.dumps(Probe(probe)))
    assert probe.exists()  # the probe works
    probe.rmdir()
    (tmp_path / name).write_bytes(content)
    assert "safetensors" in refusal(tmp_path / name).hint
    assert not probe.exists()


def test_a_pickle_is_read_once_and_by_the_loader_that_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    load = torch.load

    def recorded(*words: Any, **options: Any) -> Any:
        asked.append(options["weights_only"])
        return load(*words, **options)

    monkeypatch.setattr(torch, "load", recorded)
    (tmp_path / "pytorch_model.bin").write_bytes(zipped({"fc.weight": Probe(tmp_path / "ran")}))
    refusal(tmp_path / "pytorch_model.bin")
    assert asked == [True]


def test_a_pickle_of_nothing_but_weights_is_read(tmp_path: Path) -> None:
    torch.save(GOOD, tmp_path / "pytorch_model.bin")
    assert same(read_folder(tmp_path), GOOD)
    torch.save(GOOD, tmp_path / "pytorch_model.bin", _use_new_zipfile_serialization=False)
    assert same(read_folder(tmp_path), GOOD)


@pytest.mark.parametrize(
    "held",
    [
        torch.zeros(2),
        [torch.zeros(2)],
        {"state_dict": {"fc.weight": torch.zeros(2)}},
        {0: torch.zeros(2)},
        {"fc.weight": torch.eye(3).to_sparse()},
        {"fc.weight": torch.zeros(2, device="meta")},
    ],
)
def test_a_pickle_of_other_things_is_refused(tmp_path: Path, held: object) -> None:
    torch.save(held, tmp_path / "head.pt")
    assert "safetensors" in refusal(tmp_path / "head.pt").hint


def test_a_folder_under_the_name_of_a_file_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").mkdir()
    assert "cannot be read" in _complaint(tmp_path / "model.safetensors")
    assert "no such file" in _complaint(tmp_path / "other.safetensors")
    assert "no weights" in refusal(tmp_path / "model.safetensors").message


def _complaint(path: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        read_tensors(path)
    return caught.value.message


# Files that are damaged


def test_a_file_cut_anywhere_is_called_truncated(tmp_path: Path) -> None:
    whole = save(GOOD)
    path = tmp_path / "model.safetensors"
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length])
        assert "truncated" in refusal(path).message


def test_a_file_with_less_than_its_header_promises(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(header(w=entry("F32", [16, 4], 0, 256)) + bytes(100))
    assert "promises 256 bytes of weights, 100 are there" in refusal(path).message


@pytest.mark.parametrize("length", [100_000_001, 2**40, 2**63, 2**64 - 1])
def test_a_header_of_absurd_size_is_not_read(tmp_path: Path, length: int) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(length.to_bytes(8, "little") + b"{}" + bytes(50))
    assert "not a safetensors file" in refusal(path).message


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (header(w=entry("F8_E4M3", [4], 0, 4)) + bytes(4), "F8_E4M3"),
        (header(w=entry("F32", [4], 0, 8)) + bytes(8), "w takes 8 bytes"),
        (header(w=entry("F32", [-4], 0, 16)) + bytes(16), "broken header"),
        (header(w=entry("F32", [4], 16, 0)) + bytes(16), "w takes -16 bytes"),
        (header(w=entry("F32", [2**62, 4], 0, 16)) + bytes(16), "w takes 16 bytes"),
        (header(w=entry("F32", [2**80], 0, 16)) + bytes(16), "w takes 16 bytes"),
        (header(w={"dtype": "F32", "shape": [4]}) + bytes(16), "broken header"),
        (header(w=entry("F32", [4], 0, 16), v=entry("F32", [4], 0, 16)) + bytes(16), ""),
        (header(w=entry("F32", [4], 16, 32)) + bytes(32), ""),
        (header(w=entry("F32", [4], 0, 16)) + bytes(20), ""),
        ((6).to_bytes(8, "little") + b'{"w":}', "broken header"),
        ((4).to_bytes(8, "little") + b"{}\xff ", "broken header"),
        ((200_000).to_bytes(8, "little") + b'{"w":' + b"[" * 199_995, "broken header"),
    ],
)
def test_a_header_that_lies_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    assert what in refusal(path).message


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    one = json.dumps(entry("F32", [1], 0, 4))
    two = json.dumps(entry("F32", [1], 4, 8))
    text = f'{{"w": {one}, "w": {two}}}'.encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
    assert "w is there twice" in refusal(path).message


WHOLE = save(GOOD)


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_nonsense_is_refused_with_one_line(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "nonsense.safetensors"
    path.write_bytes(content)
    refusal(path)


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
@settings(max_examples=300)
def test_a_changed_byte_is_refused_or_changes_no_more_than_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.safetensors"
    path.write_bytes(WHOLE[:place] + bytes([byte]) + WHOLE[place + 1 :])
    with contextlib.suppress(CheckpointError):
        assert sum(tensor.nbytes for tensor in read_tensors(path).values()) <= len(WHOLE)


# Weights in several files


def parts(folder: Path, places: dict[str, str], files: dict[str, dict[str, Tensor]]) -> Path:
    for name, tensors in files.items():
        save_file(tensors, folder / name)
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


A, B = {"a": torch.ones(2)}, {"b": torch.zeros(3)}


def test_parts_are_put_together(tmp_path: Path) -> None:
    places = {"a": "model-1-of-2.safetensors", "b": "model-2-of-2.safetensors"}
    files = {"model-1-of-2.safetensors": A, "model-2-of-2.safetensors": B}
    assert same(read_folder(parts(tmp_path, places, files)), A | B)


def test_parts_may_be_links_as_in_the_cache_of_a_hub(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "snapshot").mkdir()
    save_file(A, tmp_path / "blobs" / "0f3c")
    (tmp_path / "snapshot" / "part.safetensors").symlink_to("../blobs/0f3c")
    assert same(read_folder(parts(tmp_path / "snapshot", {"a": "part.safetensors"}, {})), A)


@pytest.mark.parametrize(
    "part", ["../x.safetensors", "/tmp/x.safetensors", "sub/x.safetensors", "..", "", "a\\b", "."]
)
def test_an_index_cannot_name_files_elsewhere(tmp_path: Path, part: str) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    save_file(A, tmp_path / "x.safetensors")
    (folder / "sub").mkdir()
    save_file(A, folder / "sub" / "x.safetensors")
    with pytest.raises(CheckpointError, match="outside its folder") as caught:
        read_folder(parts(folder, {"a": part}, {}))
    assert "index.json" in caught.value.message


def test_parts_that_do_not_hold_what_the_index_says(tmp_path: Path) -> None:
    one, two = "one.safetensors", "two.safetensors"
    parts(tmp_path, {"a": one, "b": one}, {one: A})
    with pytest.raises(CheckpointError, match=r"lack b$"):
        read_folder(tmp_path)
    parts(tmp_path, {"a": one, "b": two}, {one: A, two: A | B})
    with pytest.raises(CheckpointError, match=r"two\.safetensors: a is in another file as well"):
        read_folder(tmp_path)
    parts(tmp_path, {"a": one, "b": "three.safetensors"}, {one: A})
    with pytest.raises(CheckpointError, match=r"three\.safetensors: there is no such file"):
        read_folder(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"weight_map": [1]}', '{"weight_map": {"a": 1}}'])
def test_an_index_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(text)
    assert re.search(r"index\.json: \S", refusal(tmp_path).message)


# Weights that are not what they must be


SHAPES = {"fc.weight": (2, 3), "fc.bias": (2,)}


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({}, ""),
        ({"fc.bias": None}, "missing fc.bias"),
        ({"norm.weight": torch.ones(2)}, "unexpected norm.weight"),
        ({"fc.weight": torch.ones(3, 2)}, r"fc.weight has shape \[3, 2\], .* asks for \[2, 3\]"),
        ({"fc.weight": torch.ones(6)}, r"fc.weight has shape \[6\]"),
        ({"fc.bias": torch.tensor([1, 2])}, "fc.bias holds int64"),
        ({"fc.bias": torch.tensor([True, False])}, "fc.bias holds bool"),
    ],
)
def test_weights_fit_only_if_nothing_is_missing_or_more_or_other(
    changes: dict[str, Tensor | None], what: str
) -> None:
    good: dict[str, Tensor | None] = {name: GOOD[name] for name in SHAPES}
    tensors = {name: tensor for name, tensor in (good | changes).items() if tensor is not None}
    if not what:
        fit(tensors, SHAPES, "here")
        return
    with pytest.raises(CheckpointError, match=f"^here: {what}"):
        fit(tensors, SHAPES, "here")


def test_many_missing_weights_are_counted() -> None:
    with pytest.raises(CheckpointError, match=r"missing w0, w1, w2 and 7 more$"):
        fit({}, {f"w{number}": (1,) for number in range(10)}, "here")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_one_weight_that_is_no_number_is_found(bad: float, dtype: torch.dtype) -> None:
    weights = {"a": torch.ones(3, dtype=dtype), "b": torch.zeros(40, 50, dtype=dtype)}
    assert same(converted(weights, CPU, dtype, "here"), weights)
    weights["b"][17, 31] = bad
    with pytest.raises(CheckpointError, match="here: b holds NaN or infinity"):
        converted(weights, CPU, dtype, "here")


def test_a_weight_too_large_for_the_number_format_is_told_from_damage() -> None:
    weights = {"a": torch.tensor([1.0, 70_000.0])}  # float16 ends at 65,504
    assert converted(weights, CPU, torch.bfloat16, "here")["a"].dtype == torch.bfloat16
    with pytest.raises(CheckpointError, match="a is too large for float16"):
        converted(weights, CPU, torch.float16, "here")
