from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.native import kernels as native
from eagle_impl.native.library import Missing

KERNELS = native.kernels()
needs_kernels = pytest.mark.skipif(KERNELS is None, reason="no compiler here")


@needs_kernels
@given(st.integers(1, 20), st.integers(1, 6), st.integers(0, 99), st.floats(0.01, 100.0))
def test_norm(tokens: int, sixteens: int, seed: int, scale: float) -> None:
    assert KERNELS is not None
    generator = torch.Generator().manual_seed(seed)
    x = scale * torch.randn(tokens, 16 * sixteens, generator=generator)
    weight = torch.randn(16 * sixteens, generator=generator)
    got = KERNELS.rms_norm(x, weight, 1e-3)
    root = (x.double().square().mean(dim=1, keepdim=True) + 1e-3).sqrt()
    assert torch.allclose(got.double(), x.double() / root * weight.double(), rtol=1e-5, atol=1e-6)
    alone = torch.cat([KERNELS.rms_norm(row, weight, 1e-3) for row in x.split(1)])
    assert torch.equal(got, alone)


@needs_kernels
def test_gate() -> None:
    assert KERNELS is not None
    gate = torch.linspace(-200.0, 200.0, 64 * 100).view(100, 64)
    up = torch.linspace(1.0, 2.0, 64 * 100).view(100, 64)
    got = KERNELS.swiglu(torch.cat((gate, up), dim=1))
    exact = F.silu(gate.double()) * up.double()
    assert torch.allclose(got.double(), exact, rtol=1e-6, atol=1e-30)


@pytest.fixture
def anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache directory, and kernels that nobody has asked for yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    native.found_kernels.cache_clear()
    yield tmp_path / "eagle_impl"
    native.found_kernels.cache_clear()


@needs_kernels
def test_it_is_compiled_once(anew: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert native.kernels() is not None
    made = {file.name: file.stat().st_mtime_ns for file in anew.iterdir()}
    assert {Path(name).suffix for name in made} == {".so", ".sha256"}
    native.found_kernels.cache_clear()
    assert native.kernels() is not None
    assert {file.name: file.stat().st_mtime_ns for file in anew.iterdir()} == made


@needs_kernels
@pytest.mark.parametrize("left", [0, 5000])
def test_a_library_that_was_cut_off_is_made_anew(anew: Path, left: int) -> None:
    assert native.kernels() is not None
    (library,) = anew.glob("*.so")
    whole = library.read_bytes()
    library.unlink()  # the one that is loaded stays as it is
    library.write_bytes(whole[:left])
    native.found_kernels.cache_clear()
    assert native.kernels() is not None
    assert library.stat().st_size > left


def test_no_compiler(anew: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(anew))
    assert native.kernels() is None
    assert native.found_kernels() == Missing(
        "there is no C++ compiler", "install g++ or clang++, or name one in CXX"
    )


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 1", "does not compile them: exit status 1"),
        (
            "printf 'In a file:\\nlanes.h:7: error: no vectors\\n1 error\\n' >&2; exit 1",
            "does not compile them: lanes.h:7: error: no vectors",
        ),
        ("exit 0", "makes none that can be kept and loaded: "),
        (
            'for last; do :; done; echo "not a library" > "$last"',
            "makes none that can be kept and loaded: ",
        ),
    ],
    ids=["that fails", "that says why", "that makes nothing", "that makes nonsense"],
)
def test_a_compiler(anew: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str) -> None:
    anew.mkdir()
    compiler = anew / "compiler"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    assert native.kernels() is None
    found = native.found_kernels()
    assert isinstance(found, Missing)
    assert found.why.startswith(f"{compiler} {why}")
    assert "CXX names" in found.mend
    assert ".making-" not in found.why
    assert [path.name for path in anew.iterdir()] == ["compiler"]  # nothing is kept


@pytest.mark.parametrize("named", ["/absent/c++", "no-such-compiler -O1", " "])
def test_a_compiler_that_is_not_there(
    anew: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setenv("CXX", named)
    said = f"CXX names {named}, and there is no such compiler"
    assert native.found_kernels() == Missing(said, "name another")
    assert not anew.exists()


@needs_kernels
def test_a_compiler_may_lie_in_a_folder_with_a_space(
    anew: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    found = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if found is None:
        pytest.skip("the compiler is named by CXX alone")
    folder = anew.parent / "my tools"
    folder.mkdir()
    (folder / "c++").symlink_to(found)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    assert native.kernels() is not None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_cache_that_cannot_be_written(anew: Path) -> None:
    anew.parent.chmod(0o555)
    assert native.kernels() is None


@needs_kernels
def test_threads_of_python_that_call_at_once(anew: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    kernels = native.kernels()
    assert kernels is not None
    generator = torch.Generator().manual_seed(0)
    weight = torch.randn(300, 40, generator=generator)
    packed = kernels.pack(weight)

    def right(seed: int) -> bool:
        x = torch.randn(5, 40, generator=torch.Generator().manual_seed(seed))
        expected = x.double() @ weight.double().T
        got = [kernels.linear(x, packed, None, 300) for _ in range(300)]
        return all(torch.allclose(one.double(), expected, atol=1e-4) for one in got)

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(right, range(8)))


@needs_kernels
@pytest.mark.parametrize(
    ("x", "line"),
    [
        (torch.zeros(2, 5), "not 4 inputs in float32: 5 in torch.float32"),
        (torch.zeros(2, 4).double(), "not 4 inputs in float32: 4 in torch.float64"),
    ],
)
def test_inputs_that_do_not_fit(x: torch.Tensor, line: str) -> None:
    assert KERNELS is not None
    with pytest.raises(ValueError, match=line):
        KERNELS.linear(x, KERNELS.pack(torch.zeros(3, 4)), None, 3)
