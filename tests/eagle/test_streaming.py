from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from eagle.tiny_text import byte_level, sentence_piece
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from eagle_impl.errors import OptionError
from eagle_impl.streaming import Detokenizer, StopScanner

BYTES, PIECES = byte_level(), sentence_piece()
KINDS = {"bytes": BYTES, "pieces": PIECES}
TEXTS = st.text(st.sampled_from("he lo wé \n€😀日\u0301") | st.characters(codec="utf-8"))


def specials(tokenizer: Tokenizer) -> set[int]:
    return set(tokenizer.get_added_tokens_decoder())


def streamed(tokenizer: Tokenizer, ids: Sequence[int]) -> list[str]:
    stream = Detokenizer(tokenizer, specials(tokenizer))
    return [*map(stream.push, ids), stream.finish()]


# Detokenising


@pytest.mark.parametrize("kind", KINDS)
@given(text=TEXTS)
def test_pieces_are_whole_characters_and_add_up_to_the_text(kind: str, text: str) -> None:
    tokenizer = KINDS[kind]
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    pieces = streamed(tokenizer, ids)
    assert "".join(pieces) == tokenizer.decode(ids)
    if "\N{REPLACEMENT CHARACTER}" not in text:
        assert not any("\N{REPLACEMENT CHARACTER}" in piece for piece in pieces)
        assert pieces[-1] == ""


@given(content=st.lists(st.integers(0, 255) | st.sampled_from([0xF0, 0x9F, 0x98, 0x80, 0x41])))
def test_broken_bytes_become_what_utf_8_decoders_agree_on(content: list[int]) -> None:
    assert "".join(streamed(BYTES, content)) == bytes(content).decode(errors="replace")


@given(st.integers(0, 60), st.binary(max_size=9))
def test_many_broken_bytes_do_not_hide_what_follows(count: int, tail: bytes) -> None:
    content = bytes([0xFF]) * count + tail + "é😀.".encode()
    assert "".join(streamed(BYTES, list(content))) == content.decode(errors="replace")


@pytest.mark.parametrize(
    ("tokenizer", "ids", "pieces"),
    [
        (BYTES, list("aé".encode()), ["a", "", "é", ""]),
        (BYTES, list("😀".encode()), ["", "", "", "😀", ""]),
        (BYTES, [0xE2, 0x82], ["", "", "\ufffd"]),
        (BYTES, [0x61, 256, 0x62], ["a", "", "b", ""]),
        (BYTES, [0xC3, 256, 0xA9], ["", "", "é", ""]),
        (PIECES, PIECES.encode("he he").ids, ["", "he", " he", ""]),
        (PIECES, [3 + byte for byte in "é😀".encode()], ["", "é", "", "", "", "😀", ""]),
    ],
)
def test_characters_come_when_they_are_whole(
    tokenizer: Tokenizer, ids: list[int], pieces: list[str]
) -> None:
    assert streamed(tokenizer, ids) == pieces


@pytest.mark.parametrize(
    "ids", [[0x61] * 3000, [0xFF] * 3000, list("😀".encode()) * 750, [256] * 3000]
)
def test_time_does_not_grow_with_what_came_before(
    ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = 0

    class Counted:
        def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
            nonlocal decoded
            decoded += len(ids)
            return BYTES.decode(ids, skip_special_tokens)

    stream = Detokenizer(Counted(), {256})  # type: ignore[arg-type]
    for id in ids:
        stream.push(id)
    assert decoded <= 20 * len(ids)


# Stop strings


def plainly(text: str, stops: Sequence[str]) -> tuple[str, str | None]:
    """What is shown and what stopped it, judged letter by letter with nothing held back."""
    for end in range(1, len(text) + 1):
        found = [stop for stop in stops if text[:end].endswith(stop)]
        if found:
            longest = max(found, key=len)
            return text[: end - len(longest)], longest
    return text, None


def scanned(pieces: Sequence[str], stops: Sequence[str]) -> tuple[str, str | None]:
    scanner, shown = StopScanner(stops), ""
    for piece in pieces:
        found = scanner.feed(piece)
        shown += found.text
        if found.stop is not None:
            return shown, found.stop
    return shown + scanner.finish(), None


LETTERS = st.text("ab#", max_size=12)


@given(
    pieces=st.lists(LETTERS, max_size=6),
    stops=st.lists(st.text("ab#", min_size=1, max_size=4), max_size=3),
)
def test_stops_are_found_wherever_the_text_is_cut(pieces: list[str], stops: list[str]) -> None:
    assert scanned(pieces, stops) == plainly("".join(pieces), stops)


@given(text=LETTERS, stops=st.lists(st.text("ab#", min_size=1, max_size=4), max_size=3))
def test_no_more_is_held_back_than_a_stop_can_begin_with(text: str, stops: list[str]) -> None:
    found = StopScanner(stops).feed(text)
    held = text[len(found.text) :]
    if found.stop is None:
        assert held == "" or any(stop.startswith(held) for stop in stops)


@pytest.mark.parametrize(
    ("pieces", "stops", "shown", "stop"),
    [
        (["ab", "EN", "D", "cd"], ["END"], ["ab", "", ""], "END"),
        (["abENDcd"], ["END"], ["ab"], "END"),
        (["abEN", "Ecd"], ["END"], ["ab", "ENEcd"], None),
        (["a\n", "\nb"], ["\n\n"], ["a", ""], "\n\n"),
        (["xabc"], ["abc", "b"], ["xa"], "b"),  # it ends first
        (["xabc"], ["c", "abc"], ["x"], "abc"),  # they end together
        (["ab"], [], ["ab"], None),
        (["aab"], ["ab"], ["a"], "ab"),
        (["aa", "ab"], ["aab"], ["", "a"], "aab"),
    ],
)
def test_what_is_shown_after_each_piece(
    pieces: list[str], stops: list[str], shown: list[str], stop: str | None
) -> None:
    scanner = StopScanner(stops)
    found = []
    for piece in pieces:
        found.append(scanner.feed(piece))
        if found[-1].stop is not None:
            break
    assert [one.text for one in found] == shown
    assert found[-1].stop == stop


def test_what_was_held_back_is_shown_in_the_end() -> None:
    scanner = StopScanner(["END"])
    assert scanner.feed("the EN").text == "the "
    assert scanner.finish() == "EN"
    assert scanner.finish() == ""


def test_an_empty_stop_would_stop_everything() -> None:
    with pytest.raises(OptionError, match="stop string is empty"):
        StopScanner(["END", ""])


def test_a_stop_that_spans_tokens_is_found_in_streamed_text() -> None:
    stream, scanner = Detokenizer(BYTES, specials(BYTES)), StopScanner(["é!"])
    feed: Callable[[int], str] = lambda id: scanner.feed(stream.push(id)).text  # noqa: E731
    shown = [feed(id) for id in "hié!".encode()]
    assert shown == ["h", "i", "", "", ""]
