"""Tables in documents that are the records' own, or are found out."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from eagle.bench.test_plots import run
from markdown_it import MarkdownIt
from measurements import benchmark, measured_world

BEGIN, END = "<!-- figures: benchmark/made-up -->", "<!-- end -->"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return measured_world(tmp_path / "world", benchmark()).write()


@pytest.fixture
def document(tmp_path: Path, root: Path) -> Path:
    """A document with one block, filled."""
    path = tmp_path / "read.md"
    path.write_text(f"# Nest\n\n{BEGIN}\nold\n{END}\n\nMore.\n", encoding="utf-8")
    assert run("figures", path, "--root", root) == 0
    return path


def test_the_block_holds_the_table_and_what_it_must_be_read_with(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert text.startswith(f"# Nest\n\n{BEGIN}\n\n| ")
    assert text.endswith(f"\n\n{END}\n\nMore.\n")
    assert "old" not in text
    assert "draws its drafts" not in text
    lines = text.splitlines()
    # 80 x 1.25 tokens a second; quartiles half of an eighth away; 1.25 of 1.5 is five sixths.
    chain = r"| EAGLE, chain of 3 | 0 | 100.0 | **1.25x** \[1.19 to 1.31\] | 1.75 | 83% | 0% |"
    assert chain in lines
    assert r"| transformers | 0 | 50.0 | **0.62x** \[0.59 to 0.66\] | – | – | 25% |" in lines
    assert "| plain decoding | 1 | 80.0 | – | – | – | – |" in lines
    assert "- benchmark/made-up, measured 2026-05-02, commit 0123456789ab" in lines
    assert any(line.startswith("- 432 of the 432 outputs that must be") for line in lines)
    assert MarkdownIt("gfm-like", {"linkify": False}).render(text).count("<tr>") == 1 + 6 + 5


def test_outputs_that_may_differ_are_explained(tmp_path: Path) -> None:
    results = benchmark()["results"]
    drawn = {"method": "eagle", "drafting": "chain of 3", "temperature": 1}
    (differing,) = (
        one
        for one in results
        if one["metric"]["name"] == "differing-outputs"
        and drawn.items() <= one["conditions"].items()
    )
    differing |= {"median": 0.004, "low": 0.004, "high": 0.004}  # too few to be seen in per cent
    root = measured_world(tmp_path / "world", benchmark(results=results)).write()
    path = tmp_path / "read.md"
    path.write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    assert run("figures", path, "--root", root) == 0
    told = [line for line in path.read_text(encoding="utf-8").splitlines() if "draws" in line]
    assert told == ["- EAGLE draws its drafts above temperature 0: other outputs, of the same law"]


def test_other_runs_of_the_same_are_named(tmp_path: Path) -> None:
    root = measured_world(tmp_path / "world", benchmark(), benchmark("made-up-2")).write()
    path = tmp_path / "read.md"
    path.write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    assert run("figures", path, "--root", root) == 0
    told = "- 1 more run of the same: all speedups within 0.0% \\[made-up-2\\]\n"
    assert told in path.read_text(encoding="utf-8")


def test_what_is_computed_or_timed_otherwise_is_told(tmp_path: Path) -> None:
    baselines = benchmark()["baselines"]
    for one in baselines:
        if one["name"] == "transformers":
            one["conditions"] |= {"precision": "Q2_K", "other": ["time of the whole dive"]}
    root = measured_world(tmp_path / "world", benchmark(baselines=baselines)).write()
    path = tmp_path / "read.md"
    path.write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    assert run("figures", path, "--root", root) == 0
    told = "- transformers: weights in Q2\\_K, time of the whole dive\n"
    assert told in path.read_text(encoding="utf-8")


def test_a_filled_document_passes_and_stays_as_it_is(document: Path, root: Path) -> None:
    before = document.read_bytes()
    assert run("figures", "--check", document, "--root", root) == 0
    assert run("figures", document, "--root", root) == 0
    assert document.read_bytes() == before


@pytest.mark.parametrize("line", ["| 0 | 100.0 |", "83%", "2026-05-02", "EAGLE-2"])
def test_a_block_that_says_something_else_is_found_and_not_changed(
    document: Path, root: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    text = document.read_text(encoding="utf-8")
    changed = text.replace(line, line.replace("0", "9").replace("3", "4").replace("-2", "-3"), 1)
    assert changed != text
    document.write_text(changed, encoding="utf-8")
    assert run("figures", "--check", document, "--root", root) == 1
    assert "does not say what the records say" in capsys.readouterr().err
    assert document.read_text(encoding="utf-8") == changed


def test_a_record_that_changes_is_noticed(document: Path, root: Path, tmp_path: Path) -> None:
    measured_world(tmp_path / "world", benchmark(commit="f" * 40)).write()
    assert run("figures", "--check", document, "--root", root) == 1


def test_a_document_without_blocks_needs_no_record(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "plain.md"
    path.write_bytes(b"Text\r\n<!-- end -->\r\nwithout an end of line")
    assert run("figures", "--check", path, "--root", root) == 0
    assert run("figures", path, "--root", root) == 0
    assert path.read_bytes() == b"Text\r\n<!-- end -->\r\nwithout an end of line"


def test_a_block_in_an_example_is_none(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "read.md"
    text = f"````md\n```\n{BEGIN}\n```\n````\n~~~\n<!-- figures: x -->\n~~~\n"
    path.write_text(text)
    assert run("figures", path, "--root", root) == 0
    assert path.read_text() == text
    path.write_text(f"{text}{BEGIN}\n{END}\n")
    assert run("figures", path, "--root", root) == 0
    assert "| plain decoding | 1 |" in path.read_text()


def test_line_ends_and_the_byte_order_mark_stay(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "read.md"
    path.write_bytes(b"\xef\xbb\xbf" + f"{BEGIN}\r\n{END}\r\nMore.\n".encode())
    assert run("figures", path, "--root", root) == 0
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf<!-- figures")
    block = content.removesuffix(b"More.\n")
    assert block.count(b"\n") == block.count(b"\r\n") > 10
    assert run("figures", "--check", path, "--root", root) == 0


@pytest.mark.parametrize("change", ["withdrawn", "edited"])
def test_a_record_that_does_not_count_is_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    record = benchmark()
    if change == "edited":
        record["seed"] += 1
    else:
        record["withdrawn"] = {
            "reason": "entered-in-error",
            "because": "The wheel slipped.",
            "by": "mira",
            "recorded": date(2026, 6, 2),
        }
    root = measured_world(tmp_path / "world", record).write()
    path = tmp_path / "read.md"
    path.write_text(f"{BEGIN}\n{END}\n")
    told = {
        "withdrawn": "benchmark/made-up was withdrawn: The wheel slipped.",
        "edited": "benchmark/made-up is not what was measured: it was edited by hand",
    }[change]
    assert run("figures", path, "--root", root) == 2
    assert f"read.md:1: {told}" in capsys.readouterr().err
    assert run("plot", "made-up", "--output", tmp_path, "--root", root) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("One.\n<!-- figure: benchmark/made-up -->\n", "2: this begins no block"),
        (f"One.\n {BEGIN} x\n{END}\n", "2: this begins no block"),
        (f"One.\n{BEGIN}\n", "2: the block of benchmark/made-up has no end"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", "1: the block of benchmark/made-up has no end"),
        (f"{BEGIN.replace('up', 'down')}\n{END}\n", "1: there is no usable benchmark/made-down"),
    ],
)
def test_what_cannot_be_filled_is_one_line(
    tmp_path: Path, root: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    path = tmp_path / "read.md"
    path.write_text(text, encoding="utf-8")
    assert run("figures", path, "--root", root) == 2
    err = capsys.readouterr().err
    assert told in err
    assert len(err.splitlines()) == 1
    assert path.read_text(encoding="utf-8") == text


def test_what_is_no_text_is_told_with_its_line(
    tmp_path: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "read.md"
    path.write_bytes(b"One.\nTw\xff\n")
    assert run("figures", path, "--root", root) == 2
    assert "read.md:2: is not UTF-8" in capsys.readouterr().err
    assert run("figures", "/dev/null", "--root", root) == 2
    assert "/dev/null: is not a regular file" in capsys.readouterr().err
