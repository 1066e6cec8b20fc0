from __future__ import annotations

import time
from datetime import UTC, datetime
from math import inf, nan

import pytest
from clock import FakeClock
from hypothesis import given
from hypothesis import strategies as st
from scripted import HOST, OTHER, Run, by_host, say

from registry.sources.answers import NoReply
from registry.sources.retrying import pause, retry_after
from registry.sources.transport import HostPolicy

TODAY = datetime(2026, 11, 6, 8, 49, 37, tzinfo=UTC).timestamp()
CALM = (HostPolicy(HOST, interval=0.0), HostPolicy(OTHER, interval=0.0))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("0", 0),
        ("1.5", 1.5),
        ("86400", 86_400),
        # The three forms of a date that HTTP knows, half a minute after TODAY.
        ("Fri, 06 Nov 2026 08:50:07 GMT", 30),
        ("Friday, 06-Nov-26 08:50:07 GMT", 30),
        ("Fri Nov  6 08:50:07 2026", 30),
        ("Fri, 06 Nov 2026 08:50:07 -0000", 30),
        ("Fri, 06 Nov 2026 09:50:07 +0100", 30),
        ("Fri, 06 Nov 2026 08:49:07 GMT", -30),
    ],
)
def test_what_a_host_asks_for(text: str, seconds: float) -> None:
    assert retry_after({"retry-after": text}, TODAY) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-5",
        "soon",
        "1e3",
        "0x10",
        "²",
        "١",
        "1,5",
        "inf",
        "nan",
        "Fri, 06 Nov 99999",
        "1 2",
        "+1",
    ],
)
def test_what_cannot_be_understood_asks_for_nothing(text: str) -> None:
    assert retry_after({"retry-after": text}, TODAY) is None


def test_a_date_is_not_in_this_machine_s_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "JST-9")
        time.tzset()
        assert retry_after({"retry-after": "Fri Nov  6 08:50:07 2026"}, TODAY) == 30
    time.tzset()


@given(st.text(max_size=40) | st.from_regex(r"[A-Z][a-z]{2}, \d+ [A-Z][a-z]{2} \d+ [\d:]+ GMT"))
def test_no_text_is_too_strange(text: str) -> None:
    found = retry_after({"retry-after": text, "date": text}, TODAY)
    assert found is None or -inf < found < inf


def test_the_host_s_own_clock_counts() -> None:
    """This machine's clock is a day ahead."""
    headers = {
        "date": "Thu, 05 Nov 2026 12:00:00 GMT",
        "retry-after": "Thu, 05 Nov 2026 12:01:00 GMT",
    }
    assert retry_after(headers, TODAY) == 60


@given(st.integers(0, 10), st.none() | st.floats())
def test_a_pause_is_as_long_as_asked_for_and_ends_some_day(attempt: int, asked: float) -> None:
    found = pause(attempt, asked)
    assert 2**attempt <= found <= 1e9
    if asked is not None and 0 <= asked <= 1e9:
        assert found >= asked


@pytest.mark.parametrize("asked", [None, nan, inf, -inf, -5.0, 0.0])
def test_without_a_usable_wish_the_pause_doubles(asked: float | None) -> None:
    assert [pause(attempt, asked) for attempt in range(4)] == [1, 2, 4, 8]


@pytest.mark.parametrize("status", [429, 503])
def test_the_wait_that_a_host_asks_for_is_kept(status: int) -> None:
    run = Run(say(status, retry_after="42"), say(), policies=CALM)
    run.reply()
    assert run.network.moments == [0.0, 42.0]


def test_a_date_is_counted_from_today() -> None:
    clock = FakeClock(today=TODAY)
    run = Run(
        say(429, retry_after="Fri, 06 Nov 2026 08:50:07 GMT"), say(), policies=CALM, clock=clock
    )
    run.reply()
    assert run.network.moments == [0.0, 30.0]


def test_a_wait_of_nothing_does_not_hammer_the_host() -> None:
    run = Run(say(429, retry_after="0"), policies=CALM)
    run.reason()
    assert run.network.moments == [0.0, 1.0, 3.0, 7.0]


@pytest.mark.parametrize("absurd", ["3600", "99999999999", "9" * 5000])
def test_a_wait_beyond_the_end_ends_the_questions_to_that_host_only(absurd: str) -> None:
    run = Run(by_host({HOST: say(429, retry_after=absurd), OTHER: say()}), policies=CALM)
    first, second = run.reason("/a"), run.reason("/b")
    assert first.why == second.why == "throttled"
    assert first.detail.startswith("HTTP 429; to be asked again in ")
    assert len(run.network.requests) == 1
    assert run.clock.moment == 0.0
    run.reply("/a", OTHER)


def test_a_throttled_question_makes_the_next_one_wait_too() -> None:
    run = Run(*[say(429, retry_after="9")] * 4, say(), policies=CALM)
    run.reason("/a")
    run.reply("/b")
    assert run.network.moments == [0.0, 9.0, 18.0, 27.0, 27.0]


def test_the_wait_may_stand_in_the_body() -> None:
    def hint(body: bytes) -> float | None:
        return float(body.removeprefix(b"wait ")) if body.startswith(b"wait ") else None

    run = Run(say(429, b"wait 25"), say(429, b"later"), say(), policies=CALM)
    run.reply(wait_hint=hint)
    assert run.network.moments == [0.0, 25.0, 27.0]


def test_the_header_counts_before_the_body() -> None:
    run = Run(say(429, b"x", retry_after="5"), say(), policies=CALM)
    run.reply(wait_hint=lambda body: 50.0)
    assert run.network.moments == [0.0, 5.0]


def test_an_hour_in_the_body_is_throttling_and_no_lack_of_time() -> None:
    run = Run(say(429, b"x"), policies=CALM)
    reason = run.reason(wait_hint=lambda body: 3613.0)
    assert reason == NoReply("throttled", "HTTP 429; to be asked again in 3613 s, 120 s are left")
