from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from eagle.bench.small import CONFIG
from eagle.bench.small_llama_server import install, log, settings, write_model
from eagle.formats.gguf_file import FLOAT32, Q4_1, Q8_0, write_gguf

from eagle_impl.bench import llama_server, serving
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.llama_server import LlamaServer, find_llama_server, llama_methods
from eagle_impl.bench.methods import Method
from eagle_impl.errors import CheckpointError, EngineError, OptionError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="this system has no process groups")

PROMPT = (3, 1, 4)
STATES = Path("/proc/self/stat").exists()


def found(folder: Path, behaviour: str = "", *, within_a_script: bool = False) -> LlamaServer:
    program = install(folder, behaviour, within_a_script=within_a_script)
    llama = find_llama_server(str(program), write_model(folder / "m.gguf"), CONFIG)
    assert isinstance(llama, LlamaServer)
    return llama


@contextmanager
def started(
    folder: Path, behaviour: str = "", *, within_a_script: bool = False
) -> Iterator[Method]:
    llama = found(folder, behaviour, within_a_script=within_a_script)
    with llama_methods(llama, 20, 3, Clock()) as (method,):
        yield method


def state(pid: int) -> str:
    """What the system says of a process: T if it is stopped, Z or X if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def comes(pid: int, states: str) -> bool:
    """Whether a process gets into one of some states; ending and stopping take a moment."""
    until = time.monotonic() + 60
    while state(pid) not in states:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def test_the_server_is_asked_for_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_ARG_HOST", "0.0.0.0")
    monkeypatch.setenv("LLAMA_API_KEY", "secret")
    with started(tmp_path) as method:
        outcome, shorter = method.decode(PROMPT, 9), method.decode(PROMPT, 1)
    assert (outcome.ids, shorter.ids) == ((7, 8), (7,))
    assert outcome.seconds > 0
    assert outcome.statistics is None
    begun, first, second = log(tmp_path)
    options = dict(zip(begun["options"][::2], begun["options"][1::2], strict=True))
    assert int(options.pop("--port")) > 1023
    # Prompt and output of 20 tokens, and a little more.
    assert 20 < int(options.pop("--ctx-size")) < 40
    assert options == {
        "--model": str(tmp_path / "m.gguf"),
        "--threads": "3",
        "--threads-batch": "3",
        "--parallel": "1",
        "--device": "none",
        "--host": "127.0.0.1",
    }
    # Nothing that was set for other servers, and nothing kept of earlier prompts.
    assert begun["environment"] == {"LLAMA_ARG_CACHE_RAM": "0"}
    assert first == {
        "prompt": [3, 1, 4],
        "n_predict": 9,
        "temperature": 0,
        "samplers": ["temperature"],
        "cache_prompt": False,
        "return_tokens": True,
        "response_fields": ["tokens", "tokens_evaluated"],
    }
    assert second == first | {"n_predict": 1}


def test_what_it_is_is_told(tmp_path: Path) -> None:
    with started(tmp_path) as method:
        assert (method.key, method.title, method.own) == ("llama-server", "llama.cpp, F32", False)
        engine = method.engine
    assert (engine.record, engine.precision) == ("llama-cpp", "F32")
    assert engine.timed == "time of the whole request, over HTTP on the loopback"
    size, model = (tmp_path / "m.gguf").stat().st_size, tmp_path / "m.gguf"
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    file = f"m.gguf (F32 100%), {size} bytes, sha256 {digest}"
    assert engine.software == f"llama.cpp 4321 (abcdef0), {file}"


def test_most_weights_name_the_type(tmp_path: Path) -> None:
    tensors = {
        "a": (Q8_0, [1, 32], bytes(34)),
        "b": (Q4_1, [5, 32], bytes(100)),
        "c": (FLOAT32, [1], bytes(4)),
    }
    model = write_gguf(tmp_path / "m.gguf", settings(CONFIG), tensors)
    llama = find_llama_server(str(install(tmp_path)), model, CONFIG)
    assert isinstance(llama, LlamaServer)
    # 160, 32 and 1 of 193.
    assert llama.weights == "Q4_1"
    assert "(Q4_1 83%, Q8_0 17%)" in llama.file


@pytest.mark.skipif(not STATES, reason="this system does not tell how processes are")
@pytest.mark.parametrize("within_a_script", [False, True])
def test_it_runs_only_while_it_is_asked(tmp_path: Path, within_a_script: bool) -> None:
    with started(tmp_path, within_a_script=within_a_script) as method:
        pid = log(tmp_path)[0]["pid"]
        for _ in range(2):
            assert comes(pid, "T")
            assert method.decode(PROMPT, 9).ids == (7, 8)
        assert comes(pid, "T")
    assert comes(pid, "XZ")


@pytest.mark.skipif(not STATES, reason="this system does not tell how processes are")
def test_it_ends_with_whatever_it_is_for(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), started(tmp_path):
        _ = 1 / 0
    assert comes(log(tmp_path)[0]["pid"], "XZ")


AT_WORK = """
import sys, time
from eagle_impl import cli
from eagle_impl.bench.serving import serving

def work(words):
    with serving("llama-server", words, {}) as server:
        print("ready", flush=True)
        time.sleep(600)

cli._run = work
cli.main(sys.argv[1:])
"""


@pytest.mark.skipif(not STATES, reason="this system does not tell how processes are")
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)],
    ids=["interrupt", "end", "kill"],
)
def test_it_ends_with_the_command_that_started_it(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    command = [sys.executable, "-c", AT_WORK, str(install(tmp_path))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as told:
        assert told.readline() == "ready\n"
    pid = log(tmp_path)[0]["pid"]
    process.send_signal(number)
    assert process.wait(60) == code
    assert comes(pid, "XZ")


# What it may do instead


def refusal(fail: Callable[[], object]) -> str:
    with pytest.raises(EngineError) as caught:
        fail()
    assert "\n" not in caught.value.message
    return caught.value.message


def test_a_server_that_does_not_start(tmp_path: Path) -> None:
    def start() -> None:
        with started(tmp_path, "starts badly"):
            pass

    told = "llama-server ended with code 1: error: unknown model architecture: 'heron'"
    assert refusal(start) == told


def test_a_server_that_is_never_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_LOADING", 1.0)

    def start() -> None:
        with started(tmp_path, "loads for ever"):
            pass

    assert refusal(start) == "llama-server was not ready within 1 s: it gives no reason"


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("dies", "ended with code 7: error: out of feathers"),
        ("is silent", "did not answer within 0.5 s"),
        ("drips", "did not answer within 0.5 s"),
        ("breaks off", "breaks off: Remote end closed connection without response"),
        ("floods", "answers with more than 4000 bytes"),
        ("refuses", 'answers with status 400: {"error": {"message": "no '),
        ("is a web page", "answers with no ids: "),
        ("says nothing", "answers with no ids: Expected `array` of length >= 1"),
        ("says words", "answers with no ids: Expected `int`, got `str`"),
        ("gives more", "gives 10 ids of up to 8"),
        ("gives others", "gives 2 ids of up to 261"),
        ("has less", "has read 2 tokens of a prompt of 3"),
    ],
)
def test_answers_that_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str, told: str
) -> None:
    monkeypatch.setattr(serving, "_MOST", 4000)
    if behaviour in ("is silent", "drips"):
        monkeypatch.setattr(llama_server, "_PATIENCE", 0.5)
        monkeypatch.setattr(llama_server, "_PER_TOKEN", 0.0)
    with started(tmp_path, behaviour) as method:
        said = refusal(lambda: method.decode(PROMPT, 9))
    assert said.startswith(f"llama-server {told}")
    assert said.isprintable()
    assert len(said) < 300
    assert not STATES or comes(log(tmp_path)[0]["pid"], "XZ")


def test_a_program_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = write_model(tmp_path / "m.gguf")
    with pytest.raises(OptionError, match="there is no program heron"):
        find_llama_server("heron", model, CONFIG)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_llama_server("", model, CONFIG) == "there is no llama-server on the PATH"
    install(tmp_path)
    assert isinstance(find_llama_server("", model, CONFIG), LlamaServer)


def test_a_program_that_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = write_model(tmp_path / "m.gguf")
    program = install(tmp_path, "has no version")
    told = f"{program} does not tell its version as llama-server does"
    assert find_llama_server(str(program), model, CONFIG) == told
    monkeypatch.setattr(serving, "_ENDING", 0.5)
    install(tmp_path, "is never done")
    told = "llama-server --version took more than 0.5 s"
    assert find_llama_server(str(program), model, CONFIG) == told
    program.write_text("no program")
    assert find_llama_server(str(program), model, CONFIG) == (
        "llama-server cannot be run: Exec format error"
    )


def test_models_that_cannot_be_used(tmp_path: Path) -> None:
    program = str(install(tmp_path))
    for name in ("vocab_size", "hidden_size", "intermediate_size", "layers", "heads", "kv_heads"):
        other = replace(CONFIG, **{name: getattr(CONFIG, name) + 1})
        with pytest.raises(OptionError, match=f"and the target's is {getattr(other, name)}$"):
            find_llama_server(program, write_model(tmp_path / "m.gguf"), other)
    wordless = write_gguf(tmp_path / "n.gguf", {}, {"a": (FLOAT32, [1], bytes(4))})
    with pytest.raises(OptionError, match="number of tokens not told, and the target's is 261"):
        find_llama_server(program, wordless, CONFIG)
    with pytest.raises(CheckpointError, match="no weights in it"):
        find_llama_server(program, write_gguf(tmp_path / "o.gguf", {}, {}), CONFIG)
    with pytest.raises(CheckpointError, match="there is no such file"):
        find_llama_server(program, tmp_path / "none.gguf", CONFIG)
    (tmp_path / "p.gguf").write_bytes(b"GGUF, it says, and no more than that")
    with pytest.raises(CheckpointError, match="damaged GGUF file"):
        find_llama_server(program, tmp_path / "p.gguf", CONFIG)
