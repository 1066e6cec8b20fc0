"""``eagle_impl generate``: what it writes, and one line for whatever cannot be done."""

from __future__ import annotations

import io
import json
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from eagle.drafters.head_target import random_head
from eagle.tiny import tiny_config, tiny_weights, write_model
from eagle.tiny_text import byte_level
from safetensors.torch import load_file, save_file

from eagle_impl.answer import DEFAULT_TREE
from eagle_impl.cli.app import run
from eagle_impl.cli.options import DEFAULT_TARGET
from eagle_impl.drafters.head import HeadConfig
from eagle_impl.formats.eagle import write_eagle
from eagle_impl.targets.packaged import NAME

CONFIG = tiny_config(layers=1, vocab_size=261, max_positions=64, eos_ids=(256,), bos_id=None)
TEMPLATE = "{% for message in messages %}<{{ message.content }}>{% endfor %}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model and a head for it."""
    home = tmp_path_factory.mktemp("home")
    write_model(home / "model", CONFIG, tiny_weights(CONFIG))
    byte_level().save(str(home / "model" / "tokenizer.json"))
    write_eagle(home / "head", random_head(HeadConfig.like(CONFIG)))
    return home


@pytest.fixture
def own(home: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    return tmp_path


@dataclass
class Shell:
    """Runs commands."""

    monkeypatch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    def __call__(
        self, *words: object, stdin: bytes | None = None, command: str = "generate"
    ) -> tuple[int, str, str]:
        """Exit code, stdout and stderr."""
        given = None if stdin is None else io.TextIOWrapper(io.BytesIO(stdin))
        self.monkeypatch.setattr(sys, "stdin", given)
        try:
            code: Any = run([command, *map(str, words)])
        except SystemExit as stopped:
            code = stopped.code
        out, err = self.capture.readouterr()
        return code, out, err

    def complaint(
        self, *words: object, stdin: bytes | None = None, command: str = "generate"
    ) -> str:
        """What is said of something that cannot be done: one line, and nothing else."""
        code, out, err = self(*words, stdin=stdin, command=command)
        assert (code, out) == (2, "")
        assert err.startswith("eagle_impl: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        return err.removeprefix("eagle_impl: ").strip()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    threads = torch.get_num_threads()
    yield Shell(monkeypatch, capsys)
    torch.set_num_threads(threads)


# What it writes


def test_a_head_changes_nothing_but_the_statistics(shell: Shell, home: Path) -> None:
    words = ["hello", "--target", home / "model", "--max-new-tokens", 20]
    plain = shell(*words)
    assert plain[::2] == (0, "")
    head = ["--head", home / "head"]
    assert shell(*words, *head) == plain
    assert shell(*words, *head, "--method", "eagle") == plain
    assert shell(*words, *head, "--method", "eagle", "--tree", "chain:2") == plain
    code, out, err = shell(*words, *head, "--tree", "3,2,5", "--compare")
    assert (code, out) == (0, plain[1])
    assert "with the same ids" in err
    assert "tau" in err


def test_ids_and_statistics_as_json(shell: Shell, home: Path) -> None:
    words = ["hello", "--target", home / "model", "--max-new-tokens", 7, "--json"]
    code, out, err = shell(*words, "--head", home / "head", "--compare", "--no-chat")
    told = json.loads(out)
    assert (code, told["same_ids"], told["method"]) == (0, True, "eagle-2")
    assert told["ids"] == told["plain"]["ids"]
    assert (told["statistics"]["tokens"], told["statistics"]["prompt_tokens"]) == (7, 3)
    assert "times as fast as vanilla, with the same ids" in err


def test_other_ids_are_an_exit_code_and_a_line(
    shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eagle_impl import answer as module

    right = module.answer

    def other(*given: Any, plainly: bool = False) -> module.Answer:
        got = right(*given, plainly=plainly)
        return replace(got, ids=(*got.ids[:2], 5, *got.ids[3:])) if plainly else got

    monkeypatch.setattr(module, "answer", other)
    words = ["hello", "--target", home / "model", "--max-new-tokens", 6, "--compare"]
    words += ["--head", home / "head"]
    code, _, err = shell(*words)
    assert code == 1
    assert "OTHER IDS" in err
    assert "they part after 2 tokens, where the target's two best logits are" in err
    assert "not comparable" in err
    code, out, _ = shell(*words, "--json")
    assert (code, json.loads(out)["first_difference"]["place"]) == (1, 2)


def test_ids_of_drafts_that_are_drawn_are_not_held_against_those_of_plain_decoding(
    shell: Shell, home: Path
) -> None:
    words = ["hello", "--target", home / "model", "--head", home / "head", "--method", "eagle"]
    code, _, err = shell(*words, "--temperature", "1", "--max-new-tokens", 24, "--compare")
    assert code == 0
    assert "drafts are drawn" in err
    assert "OTHER IDS" not in err


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        # (24 / 0.6) / (18 / 0.4), though the longer text took longer
        ((24, 18), "eagle-2 was 0.89 times as fast as vanilla, with the same ids"),
        ((0, 0), "eagle-2 gave the same ids"),
    ],
)
def test_speeds_are_compared_token_for_token(
    shell: Shell,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    tokens: tuple[int, int],
    said: str,
) -> None:
    from eagle_impl import answer as module

    right = module.answer

    def timed(*given: Any, plainly: bool = False) -> module.Answer:
        got = right(*given, plainly=plainly)
        took = replace(
            got.statistics, tokens=tokens[plainly], total_seconds=0.4 if plainly else 0.6
        )
        return replace(got, statistics=took)

    monkeypatch.setattr(module, "answer", timed)
    words = ["hello", "--target", home / "model", "--head", home / "head", "--compare"]
    assert said in shell(*words, "--max-new-tokens", 6)[2].splitlines()


def test_a_prompt_from_stdin_is_utf_8_whatever_the_terminal_is(shell: Shell, home: Path) -> None:
    words = ["--target", home / "model", "--max-new-tokens", 5, "--json"]
    given = shell("-", *words, stdin="Zoë".encode())[1]
    written = shell("Zoë", *words)[1]
    assert json.loads(given)["ids"] == json.loads(written)["ids"]
    assert json.loads(given)["statistics"]["prompt_tokens"] == 4


def test_a_byte_order_mark_on_stdin_is_no_part_of_the_prompt(shell: Shell, home: Path) -> None:
    words = ["-", "--target", home / "model", "--max-new-tokens", 5]
    assert shell(*words, stdin=b"\xef\xbb\xbfhello")[1] == shell(*words, stdin=b"hello")[1]


@pytest.mark.parametrize("dtype", ["fp32", "bf16", "fp16"])
def test_a_comparison_says_where_ids_are_equal_up_to_ties_only(
    shell: Shell, home: Path, dtype: str
) -> None:
    words = ["hello", "--target", home / "model", "--head", home / "head", "--max-new-tokens", 6]
    _, _, err = shell(*words, "--compare", "--dtype", dtype)
    assert ("only up to near-ties" in err) == (dtype != "fp32")
    assert "near-ties" not in shell(*words, "--stats", "--dtype", dtype)[2]


def test_the_help_says_what_is_asked_most(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    code, out, _ = shell("--help")
    assert code == 0
    default = f"{DEFAULT_TREE.top_k},{DEFAULT_TREE.depth},{DEFAULT_TREE.total}"
    assert f"TOPK,DEPTH,NODES ({default})" in out
    for words in ("up to near-ties", "tau, the mean", "acceptance by depth", "<|im_start|>"):
        assert words in out
    for words in ("Only where drafts are drawn", "does not count them as different"):
        assert words in out
    for words in (
        "0 to 2^63 - 1",
        "1 to 1024",
        "Mass of the nucleus, above 0",
        "likeliest, 0 to 1;",
    ):
        assert words in out


def test_a_terminal_that_knows_few_characters_shows_codes(
    shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["hello", "--target", home / "model", "--max-new-tokens", 8]
    text = shell(*words)[1]
    assert not text.isascii()
    plain = io.BytesIO()
    with io.TextIOWrapper(plain, encoding="ascii") as narrow:
        monkeypatch.setattr(sys, "stdout", narrow)
        code, _, err = shell(*words)
        assert (code, err) == (0, "")
        narrow.flush()
        assert plain.getvalue() == text.encode("ascii", "backslashreplace")


# Conversations


def test_a_model_with_a_template_is_talked_to_and_one_without_continues(
    shell: Shell, own: Path
) -> None:
    def read(*words: str) -> int:
        given = ["ab", "--target", own / "model", "--max-new-tokens", 1, "--json", *words]
        tokens: int = json.loads(shell(*given)[1])["statistics"]["prompt_tokens"]
        return tokens

    assert read() == read("--no-chat") == 2
    (own / "other.jinja").write_text("<<<{{ messages[0].content }}>>>")
    assert read("--chat-template", str(own / "other.jinja")) == 8
    (own / "model" / "chat_template.jinja").write_text(TEMPLATE)
    assert read() == read("--chat") == 4
    assert read("--no-chat") == 2


def test_a_conversation_needs_a_template(shell: Shell, home: Path) -> None:
    said = shell.complaint("hi", "--chat", "--target", home / "model")
    assert said.startswith(f"{home / 'model'} has no chat template (")
    assert "--chat-template" in said


# Options that cannot be


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--temperature -1", "temperature -1.0 is not a finite number of at least 0"),
        ("--temperature nan", "temperature nan is not"),
        ("--temperature inf", "temperature inf is not"),
        ("--top-p 0", "top-p 0.0 is not above 0 and at most 1"),
        ("--top-p 1.01", "top-p 1.01 is not"),
        ("--top-p -0.5", "top-p -0.5 is not"),
        ("--top-p nan", "top-p nan is not"),
        ("--top-k -1", "top-k -1 is less than 0"),
        ("--min-p 1.5", "min-p 1.5 is not between 0 and 1"),
        ("--repetition-penalty 0", "repetition penalty 0.0 is not"),
        ("--max-new-tokens -1", "-1 new tokens are too few"),
        ("--seed -1", "seed -1 is not between 0 and"),
        ("--seed 9223372036854775808", "seed 9223372036854775808 is not between 0 and"),
        ("--seed 1000000000000000000000000 --temperature 1", "seed 10000"),
        ("--stop=", "a stop string is empty"),
        ("--threads 0", "0 threads are too few"),
        ("--threads -2", "-2 threads are too few"),
        ("--threads 1000000", "1000000 threads are too many"),
        ("--threads 1000000000000000000000000", "threads are too many"),
        ("--device nonsense", "nonsense: no such device (use cpu or cuda)"),
        ("--device meta", "meta: not supported (use cpu or cuda)"),
        ("--device mps", "mps: not supported"),
        ("--device xpu", "xpu: not supported"),
        ("--device cpu:x", "cpu:x: no such device"),
        ("--device=", ": no such device"),
        ("--method eagle --head HEAD --tree nonsense", "'nonsense' is no tree of eagle "),
        ("--head HEAD --tree nonsense", "'nonsense' is no tree of eagle-2 "),
        ("--head HEAD --tree 4,3,1000", "no more than 36 nodes, so that 1000 cannot be kept"),
        ("--method eagle", "eagle needs a head"),
        ("--method eagle-2", "eagle-2 needs a head"),
        # Options that contradict each other
        ("--method vanilla --head HEAD", "vanilla uses no head"),
        ("--method vanilla --tree 4,3,7", "vanilla grows no tree"),
        ("--method vanilla --compare", "nothing to compare plain decoding with (leave out --comp"),
        ("--compare", "nothing to compare plain decoding with: no head comes with the project for"),
        ("--tree chain:3", "vanilla grows no tree"),
        ("--no-chat --chat-template HEAD/config.json", "--no-chat uses no chat template"),
        # Files that are none
        ("--head HEAD/config.json", "HEAD/config.json: is no folder (name the folder with"),
        ("--head HEAD/absent", "HEAD/absent: there is no such folder (name the folder with"),
        ("--head MODEL", "MODEL: holds no EAGLE-1/2 head: it is of the kind target model (name a"),
        ("--target HEAD", "HEAD/tokenizer.json: there is no such file (fetch it"),
        ("--target MODEL/config.json", "no such folder and no known model"),
        ("--target=", "no such folder and no known model"),
        ("--chat-template HEAD", "HEAD: cannot be read: Is a directory"),
        ("--chat-template HEAD/absent", "HEAD/absent: there is no such file"),
    ],
)
def test_an_option_that_cannot_be_is_one_line(
    shell: Shell, home: Path, words: str, said: str
) -> None:
    def placed(text: str) -> str:
        return text.replace("HEAD", str(home / "head")).replace("MODEL", str(home / "model"))

    given = ["hi", "--max-new-tokens", "4", "--target", str(home / "model")]
    assert placed(said) in shell.complaint(*given, *map(placed, words.split()))


@pytest.mark.parametrize(
    "words",
    [
        "--dtype int8",
        "--method medusa",
        "--seed x",
        "--top-p high",
        "--no-such-option",
        "more",
        "--head=",
        "--chat-template=",
    ],
)
def test_words_that_are_no_options_are_wrong_usage(shell: Shell, home: Path, words: str) -> None:
    code, out, err = shell("hi", "--target", home / "model", *words.split())
    assert (code, out) == (2, "")
    assert "Usage: eagle_impl generate" in err
    assert "Traceback" not in err


def test_the_default_target_is_the_packaged_model() -> None:
    assert DEFAULT_TARGET == NAME


# Prompts that cannot be


@pytest.mark.parametrize(
    ("prompt", "stdin", "said"),
    [
        ("", None, "the prompt is empty, and"),
        ("-", b"", "the prompt is empty, and"),
        ("-", b"good\xff", "the prompt on stdin is not UTF-8: byte 5 is 0xff"),
        ("-", "Zoë".encode("latin-1"), "not UTF-8: byte 3 is 0xeb"),
        ("-", "hi".encode("utf-16"), "not UTF-8: byte 1 is 0xff"),
        ("-", None, "stdin, which is closed"),
        ("a\udcff", None, "the prompt is not valid Unicode text"),
        ("x" * 5000, None, "the prompt has 5,000 characters, far more than fit into the model's"),
        ("x" * 65, None, "the prompt has 65 tokens, and the model's context ends at 64 (shorten"),
    ],
)
def test_a_prompt_that_cannot_be_is_one_line(
    shell: Shell, home: Path, prompt: str, stdin: bytes | None, said: str
) -> None:
    words = [prompt, "--no-chat", "--target", home / "model", "--head", home / "head"]
    assert said in shell.complaint(*words, stdin=stdin)


def test_a_prompt_that_fills_the_context_leaves_one_token(shell: Shell, home: Path) -> None:
    code, out, _ = shell("x" * 64, "--target", home / "model", "--head", home / "head", "--json")
    assert (code, len(json.loads(out)["ids"])) == (0, 1)


# Files that cannot be


class Probe:
    """Leaves a file when it is unpickled by a loader that runs what it reads."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.path), "w")


def weights_become(content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / "model.safetensors").write_bytes(content)


def cut(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-8])


def cut_within_the_header(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:100])


def one_weight_is_not_a_number(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    next(tensor for tensor in tensors.values() if tensor.dim() == 2)[3, 1] = torch.nan
    save_file(tensors, folder / "model.safetensors")


def one_weight_has_another_shape(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    name = next(name for name in tensors if name.endswith("o_proj.weight"))
    tensors[name] = tensors[name][1:].clone()
    save_file(tensors, folder / "model.safetensors")


def one_weight_is_missing(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    del tensors[next(name for name in tensors if name.endswith("o_proj.weight"))]
    save_file(tensors, folder / "model.safetensors")


def a_program(name: str) -> Callable[[Path], None]:
    def become(folder: Path) -> None:
        (folder / "model.safetensors").unlink()
        (folder / name).write_bytes(pickle.dumps({"fc.weight": Probe(folder / "was run")}))

    return become


def config_becomes(text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "config.json").write_text(text)


def config_says(**changes: object) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def becomes_a_link(name: str, to: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).symlink_to(to)

    return change


def becomes_a_pipe(name: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return change


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"1f" * 32 + b"\nsize 1048576\n"

DAMAGES = [
    (weights_become(b""), "empty file"),
    (weights_become(LFS), "is a Git LFS pointer, not the file itself (run `git lfs pull`)"),
    (weights_become(b"<!DOCTYPE html><title>Sign in</title>"), "is a web page"),
    (weights_become(b"\x10\0\0\0"), "truncated"),
    (cut, "truncated: its header promises"),
    (cut_within_the_header, "truncated: its header is not whole"),
    (one_weight_is_not_a_number, "holds NaN or infinity (the file is damaged)"),
    (one_weight_has_another_shape, "o_proj.weight has shape [47, 64], config.json asks for"),
    (one_weight_is_missing, "o_proj.weight"),
    (a_program("model.safetensors"), "holds a pickle, which is not opened (use a safetensors"),
    (a_program("pytorch_model.bin"), "could run code (use a safetensors"),
    (lambda folder: (folder / "model.safetensors").unlink(), "no weights here"),
    (lambda folder: (folder / "config.json").unlink(), "there is no such f"),
    (becomes_a_link("model.safetensors", "blobs/1f"), "is a link to blobs/1f, which is not there"),
    (becomes_a_link("model.safetensors", "model.safetensors"), "cannot be read: Too many levels"),
    (becomes_a_link("config.json", "../absent"), "is a link to ../absent, which is not there"),
    (becomes_a_link("config.json", "/dev/zero"), "config.json: is not a regular file"),
    (becomes_a_pipe("config.json"), "config.json: is not a regular file"),
    (becomes_a_pipe("model.safetensors"), "model.safetensors: is not a regular file"),
    (config_becomes(""), "config.json: empty file"),
    (config_becomes("{"), "config.json: "),
    (config_becomes("[]"), "config.json: "),
    (config_becomes("\xff"), "config.json: "),
    (config_says(hidden_size="48"), "config.json: Expected `int`"),
    (config_says(num_key_value_heads=3), "4 heads cannot share 3 key-value heads"),
    (config_says(hidden_size=2**30), "a size of 1073741824 is more than any model has"),
    (config_says(num_attention_heads=2**31, head_dim=2**31), "is more than any model has"),
]


@pytest.mark.parametrize("part", ["model", "head"])
@pytest.mark.parametrize(("damage", "said"), DAMAGES)
def test_a_damaged_checkpoint_is_one_line(
    shell: Shell, own: Path, part: str, damage: Callable[[Path], object], said: str
) -> None:
    damage(own / part)
    words = ["hi", "--target", own / "model", "--head", own / "head", "--max-new-tokens", 2]
    complaint = shell.complaint(*words)
    assert str(own / part) in complaint
    assert said in complaint
    assert not (own / part / "was run").exists()
    code, _, err = shell(own / part, command="inspect")
    assert code in (1, 2)
    assert "Traceback" not in err
    assert not (own / part / "was run").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hidden_size": 32}, "made for another target: hidden size 32, the target's is 48"),
        ({"vocab_size": 300}, "made for another target: vocabulary size 300, the target's is 261"),
    ],
)
def test_a_head_for_another_target_is_one_line(
    shell: Shell, own: Path, changes: dict[str, int], said: str
) -> None:
    write_eagle(own / "head", random_head(replace(HeadConfig.like(CONFIG), **changes)))
    words = ["hi", "--target", own / "model", "--head", own / "head"]
    assert said in shell.complaint(*words)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "tokenizer.json: there is no such file (fetch it from where the weights come from)"),
        (b"", "tokenizer.json: empty file"),
        (LFS, "tokenizer.json: is a Git LFS pointer"),
        (b"{}", "tokenizer.json: not a tokenizer"),
    ],
)
def test_a_model_without_a_tokenizer_is_one_line(
    shell: Shell, own: Path, content: bytes | None, said: str
) -> None:
    path = own / "model" / "tokenizer.json"
    path.unlink() if content is None else path.write_bytes(content)
    assert said in shell.complaint("hi", "--target", own / "model")


def test_a_tokenizer_of_another_model_is_one_line(shell: Shell, own: Path) -> None:
    small = replace(CONFIG, vocab_size=200, eos_ids=(2,))
    write_model(own / "model", small, tiny_weights(small))
    said = shell.complaint("hi", "--target", own / "model")
    assert "has token 260, but the model knows 200 (the tokenizer belongs to another" in said


@pytest.mark.filterwarnings("always::eagle_impl.formats.fitting.MisfitWarning")
def test_a_head_that_ends_early_is_a_warning_and_the_same_text(shell: Shell, own: Path) -> None:
    words = ["hello", "--target", own / "model", "--max-new-tokens", 40, "--json"]
    plain = json.loads(shell(*words)[1])["ids"]
    short = replace(HeadConfig.like(CONFIG), max_positions=16)
    write_eagle(own / "head", random_head(short))
    code, out, err = shell(*words, "--head", own / "head", "--stats")
    assert (code, json.loads(out)["ids"]) == (0, plain)
    first, *others = err.splitlines()
    assert first == (
        f"eagle_impl: warning: {own / 'head'}: drafts only in the first 16 positions, the target"
        " has 64"
    )
    assert any("decoded plainly from position" in line for line in others)


def test_more_tokens_than_there_is_memory_for_are_one_line(shell: Shell, own: Path) -> None:
    config_says(max_position_embeddings=2**31)(own / "model")
    said = shell.complaint("hi", "--target", own / "model", "--max-new-tokens", 2 * 10**9)
    assert said.startswith("there is no memory for a cache of 200000000")


# Output that cannot be written


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_disk_is_one_line(
    shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        code, _, err = shell("hi", "--target", home / "model", "--max-new-tokens", 3, *more)
    assert (code, err) == (2, "eagle_impl: No space left on device\n")


def test_a_closed_output_is_one_line(
    shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    code, _, err = shell("hi", "--target", home / "model")
    assert (code, err) == (2, "eagle_impl: stdout is closed\n")
    monkeypatch.setattr(sys, "stderr", None)
    assert shell("hi", "--target", home / "model")[0] == 2


def test_a_folder_that_cannot_be_made_is_one_line(shell: Shell, own: Path) -> None:
    (own / "model" / "chat_template.jinja").write_text(TEMPLATE)
    output = own / "head" / "config.json" / "below"
    words = ["--output", output, "--target", own / "model", "--preset", "smoke"]
    said = shell.complaint(*words, command="train")
    assert said == f"{output.parent} is a file (name a folder)"
    said = shell.complaint(*words[2:], "--output", output.parent, command="train")
    assert said == f"{output.parent} is a file (name a folder)"
    said = shell.complaint("any", "--output", output, command="plot")
    assert said == f"{output.parent} is a file (name a folder)"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--device nonsense", "nonsense: no such device"),
        ("--target HOME/absent", "no such folder and no known model"),
        ("--target HOME/model", "has no chat template (put a chat_template.jinja beside"),
    ],
)
def test_what_cannot_be_trained_for_is_one_line(
    shell: Shell, home: Path, tmp_path: Path, words: str, said: str
) -> None:
    given = ["--output", tmp_path / "new", "--target", home / "model"]
    complaint = shell.complaint(*given, *words.replace("HOME", str(home)).split(), command="train")
    assert said in complaint
    assert not (tmp_path / "new" / "model.safetensors").exists()


@pytest.mark.parametrize("words", ["--seed -1", f"--seed {2**63}", "--workers 0", "--preset huge"])
def test_wrong_usage_of_training(shell: Shell, home: Path, tmp_path: Path, words: str) -> None:
    given = ["--output", tmp_path / "new", "--target", home / "model", *words.split()]
    code, out, err = shell(*given, command="train")
    assert (code, out) == (2, "")
    assert "Usage: eagle_impl train" in err
    assert not (tmp_path / "new").exists()
