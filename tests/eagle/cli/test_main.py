"""What surrounds every command: threads, streams and exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from eagle.tiny import tiny_config, tiny_weights, write_model
from eagle.tiny_text import byte_level

from eagle_impl import cli

CONFIG = tiny_config(layers=1, vocab_size=261, eos_ids=(260,), bos_id=None)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_model(tmp_path_factory.mktemp("m"), CONFIG, tiny_weights(CONFIG))
    byte_level().save(str(folder / "tokenizer.json"))
    return folder


def to_nobody(*words: object) -> tuple[int, str]:
    """Exit code and stderr of a command whose output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "eagle_impl", *map(str, words)]
    try:
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)
    return done.returncode, done.stderr


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_reader_that_went_away_is_no_fault(model: Path, more: tuple[str, ...]) -> None:
    words = ("generate", "hello", "--target", model, "--method", "vanilla", "--max-new-tokens", 9)
    code, err = to_nobody(*words, *more)
    assert code == 0
    assert "ipe" not in err
    assert to_nobody("--help") == (0, "")


def test_a_reader_that_went_away_makes_no_fault_good() -> None:
    code, err = to_nobody("generate", "hello", "--target", "./absent")
    assert code == 2
    assert err.startswith("eagle_impl: './absent': no such folder")


@pytest.mark.parametrize("given", [None, "77"])
def test_threads_that_wait_leave_their_core_to_others(
    monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    seen = list[str]()

    def run(words: object) -> int:
        seen.append(os.environ["GOMP_SPINCOUNT"])
        return 0

    monkeypatch.setattr("eagle_impl.cli.app.run", run)
    monkeypatch.setattr("signal.signal", lambda *_: None)  # tests end as they always did
    monkeypatch.setenv("GOMP_SPINCOUNT", "")
    monkeypatch.delenv("GOMP_SPINCOUNT")
    if given is not None:
        monkeypatch.setenv("GOMP_SPINCOUNT", given)
    with pytest.raises(SystemExit):
        cli.main(["generate"])
    (count,) = seen
    # Measured: at 20000 a busy machine is eight times slower, at 1000 a quiet one loses a tenth.
    assert count == given or 1000 < int(count) < 3000
