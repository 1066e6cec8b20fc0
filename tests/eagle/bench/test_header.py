from __future__ import annotations

import hashlib
import platform
import subprocess
from pathlib import Path

import pytest

from eagle_impl.bench import header
from eagle_impl.errors import CheckpointError


def git(root: Path, *words: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(
        ["git", "-C", str(root), *who, *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_commit_and_whether_files_have_changed(tmp_path: Path) -> None:
    (tmp_path / "eagle_impl").mkdir()
    file = tmp_path / "eagle_impl" / "__init__.py"
    file.write_text("")
    git(tmp_path, "init", "--quiet")
    # A checkout that does not know the package is somebody else's.
    assert str(header.commit(tmp_path)) == "not in a checkout"
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    head = git(tmp_path, "rev-parse", "HEAD")
    assert header.commit(tmp_path) == header.Commit(head)
    file.write_text("changed = True\n")
    first = header.commit(tmp_path)
    assert str(first) == f"commit {head}, changed since ({first.changes})"
    # Other changes are other code.
    file.write_text("changed = 2\n")
    assert header.commit(tmp_path).changes != first.changes


def checkout(tmp_path: Path) -> None:
    (tmp_path / "eagle_impl").mkdir()
    (tmp_path / "eagle_impl" / "__init__.py").write_text("")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")


def test_files_that_git_does_not_know_are_code_as_well(tmp_path: Path) -> None:
    checkout(tmp_path)
    (tmp_path / "eagle_impl/new.py").write_text("a = 1\n")
    first = header.commit(tmp_path).changes
    assert first
    (tmp_path / "eagle_impl/new.py").write_text("a = 2\n")
    assert header.commit(tmp_path).changes not in ("", first)


def test_where_git_does_not_tell_whether_files_changed_nobody_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout(tmp_path)
    asked = header._git

    def git_without_status(root: Path, *words: str) -> str | None:
        return None if words[0] == "status" else asked(root, *words)

    monkeypatch.setattr(header, "_git", git_without_status)
    assert header.commit(tmp_path).changes == "unknown"


def test_what_benchmarks_write_is_no_change(tmp_path: Path) -> None:
    checkout(tmp_path)
    (tmp_path / "bench.log").write_text("x")  # of which nothing is measured
    for folder in ("benchmarks", "machines", "models"):
        (tmp_path / "data" / folder).mkdir(parents=True)
    (tmp_path / "data/benchmarks/.mill.jsonl").write_text("x")
    (tmp_path / "data/machines/mill.yaml").write_text("x")
    assert header.commit(tmp_path).changes == ""
    (tmp_path / "data/models/mill.yaml").write_text("x")
    assert header.commit(tmp_path).changes


def test_no_checkout_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert str(header.commit(tmp_path)) == "not in a checkout"


def test_hashes(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"abc")
    # FIPS 180-2, appendix B.1.
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert header.sha256(tmp_path / "model.safetensors") == known
    assert header.sha256_of_weights(tmp_path) == known


def test_weights_in_several_files_have_the_hash_of_their_hashes(tmp_path: Path) -> None:
    (tmp_path / "b.safetensors").write_bytes(b"b")
    (tmp_path / "a.safetensors").write_bytes(b"a")
    told = "".join(
        f"{hashlib.sha256(name.encode()).hexdigest()}  {name}.safetensors\n" for name in "ab"
    )
    assert header.sha256_of_weights(tmp_path) == hashlib.sha256(told.encode()).hexdigest()
    (tmp_path / "a.safetensors").unlink()
    assert header.sha256_of_weights(tmp_path) == hashlib.sha256(b"b").hexdigest()
    (tmp_path / "b.safetensors").unlink()
    with pytest.raises(CheckpointError, match="there are no weights"):
        header.sha256_of_weights(tmp_path)


def test_all_that_times_depend_on_has_a_version() -> None:
    told = header.software("native avx2")
    names = [line.split()[0] for line in told[1:-1]]
    libraries = ["torch", "numpy", "tokenizers", "transformers"]
    assert names == [platform.python_implementation(), *libraries, "claims-registry"]
    assert told[-1] == "kernels native avx2"


def test_the_environment_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setenv("GOMP_SPINCOUNT", "20000")
    assert header.environment() == {"GOMP_SPINCOUNT": "20000"}
