from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Lock

import httpx
import pytest
from clock import FakeClock
from scripted import HOST, OTHER, Run, Script, by_host, fail, say

from registry.errors import RegistryError
from registry.sources.answers import NoReply, Reply
from registry.sources.transport import Client, HostPolicy, Request

CALM = (HostPolicy(HOST, interval=0.0), HostPolicy(OTHER, interval=0.0))
"""Hosts that want no pause, so that every wait is one after a failure."""


def test_an_answer_comes_with_its_hash_and_its_address() -> None:
    reply = Run(say(body=b'{"title": "Draft Trees"}')).reply("/a?b=1")
    assert reply.data == {"title": "Draft Trees"}
    assert (reply.status, reply.url) == (200, f"https://{HOST}/a?b=1")
    # $ printf '{"title": "Draft Trees"}' | sha256sum
    assert reply.sha256 == "be1b4e680b0f4ea115b47d8fe63cf711647f4ba8359b861f8bc716b200a1809e"


def test_requests_say_who_asks_and_carry_no_cookies() -> None:
    run = Run(say(set_cookie="a=1"))
    run.ask("/a")
    run.ask("/b")
    headers = run.network.requests[1].headers
    assert headers["user-agent"].startswith("claims-registry/")
    assert headers["accept-encoding"] == "gzip"
    assert "cookie" not in headers


def test_a_question_with_a_body_is_posted() -> None:
    run = Run(say())
    run.ask(body={"ids": ["ARXIV:2401.00001"]})
    sent = run.network.requests[0]
    assert (sent.method, sent.content) == ("POST", b'{"ids":["ARXIV:2401.00001"]}')
    assert sent.headers["content-type"] == "application/json"


# How often


def test_requests_to_a_host_keep_their_distance() -> None:
    run = Run(say(), policies=(HostPolicy(HOST, interval=3.0), HostPolicy(OTHER, interval=1.0)))
    for path in "abc":
        run.ask(f"/{path}")
    assert run.network.moments == [0.0, 3.0, 6.0]
    run.ask("/a", OTHER)
    assert run.network.moments[-1] == 6.0, "a host waited for another"
    assert run.client.asked == {HOST: 3, OTHER: 1}


def test_the_distance_is_kept_also_after_a_long_exchange() -> None:
    """Those who waited for the only connection do not all start at once when it is free."""
    clock = FakeClock()
    everybody_waits = Barrier(4)

    def first_is_slow(request: httpx.Request) -> httpx.Response:
        clock.advance(10.0)
        return httpx.Response(200, content=b"{}")

    run = Run(first_is_slow, say(), policies=(HostPolicy(HOST, interval=3.0),), clock=clock)

    def ask(path: str) -> Reply | NoReply:
        everybody_waits.wait(30)
        return run.ask(path)

    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(ask, ["/a", "/b", "/c", "/d"]))
    assert all(isinstance(reply, Reply) for reply in replies)
    assert run.network.moments == [0.0, 10.0, 13.0, 16.0]


def test_no_more_requests_are_under_way_than_a_host_allows() -> None:
    lock, under_way, most = Lock(), 0, 0

    def count(request: httpx.Request) -> httpx.Response:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        Event().wait(0.005)
        with lock:
            under_way -= 1
        return httpx.Response(200, content=b"{}")

    run = Run(count, policies=(HostPolicy(HOST, interval=0.0, concurrency=2),))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(run.ask, [f"/{number}" for number in range(16)]))
    assert most <= 2
    assert len(run.network.requests) == 16


def test_as_many_requests_as_a_host_allows_may_be_under_way() -> None:
    both = Barrier(2, timeout=30)

    def meet(request: httpx.Request) -> httpx.Response:
        both.wait()
        return httpx.Response(200, content=b"{}")

    run = Run(meet, policies=(HostPolicy(HOST, interval=0.0, concurrency=2),))
    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(run.ask, ["/a", "/b"]))
    assert all(isinstance(reply, Reply) for reply in replies)


def test_a_host_that_hangs_holds_up_no_other() -> None:
    release = Event()

    def hang(request: httpx.Request) -> httpx.Response:
        release.wait(30)
        return httpx.Response(200, content=b"{}")

    run = Run(by_host({HOST: hang, OTHER: say()}))
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(run.ask)
        run.reply("/a", OTHER)
        assert not hanging.done()
        release.set()


# Nothing twice


def test_nothing_is_asked_twice() -> None:
    run = Run(say())
    assert run.ask("/a") is run.ask("/a")
    run.ask("/a", body={"ids": [1]})
    run.ask("/a", body={"ids": [2]})
    run.ask("/b")
    assert len(run.network.requests) == 4


def test_a_refusal_is_an_answer_too() -> None:
    run = Run(say(404))
    assert run.reason() == run.reason() == NoReply("refused", "HTTP 404")
    assert len(run.network.requests) == 1


def test_nothing_is_asked_twice_at_the_same_time() -> None:
    run = Run(say(), policies=(HostPolicy(HOST, concurrency=8),))
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(run.ask, ["/a"] * 8))
    assert len(run.network.requests) == 1
    assert all(reply is replies[0] for reply in replies)


# Once more


def test_what_may_pass_is_asked_again_at_growing_distances() -> None:
    run = Run(say(503), say(502), say(body=b"<html>"), say(body=b"[1]"), policies=CALM)
    assert run.reply().data == [1]
    assert run.network.moments == [0.0, 1.0, 3.0, 7.0]


@pytest.mark.parametrize(
    ("script", "why", "requests"),
    [
        (say(429), "throttled", 4),
        (say(500), "server error", 4),
        (say(body=b""), "broken answer", 4),
        (fail(httpx.ConnectError("Name or service not known")), "unreachable", 4),
        (fail(httpx.ReadError("")), "unreachable", 4),
        (fail(httpx.RemoteProtocolError("")), "broken answer", 4),
        # Whoever waits for a slow host keeps others waiting.
        (fail(httpx.ReadTimeout("")), "timed out", 2),
        (say(403), "refused", 1),
        (say(400), "refused", 1),
        (say(204), "refused", 1),
        (say(304), "refused", 1),
    ],
)
def test_what_does_not_pass_is_given_up(script: Script, why: str, requests: int) -> None:
    run = Run(script)
    assert run.reason().why == why
    assert len(run.network.requests) == requests


def test_a_status_that_the_source_wants_to_see_is_a_reply() -> None:
    run = Run(say(404, b"Resource not found.", content_type="text/plain"))
    reply = run.reply(accept=frozenset({200, 404}))
    assert (reply.status, reply.text, reply.data) == (404, "Resource not found.", None)


def test_each_host_has_its_own_way_to_say_later() -> None:
    policies = (HostPolicy(HOST, throttles=frozenset({429, 406})), HostPolicy(OTHER))
    run = Run(say(406), policies=policies)
    assert run.reason("/a", HOST).why == "throttled"
    assert run.reason("/a", OTHER).why == "refused"


# When to leave off


def test_a_host_that_keeps_failing_is_left_alone() -> None:
    run = Run(by_host({HOST: say(500), OTHER: say()}), policies=CALM)
    for path in "abc":
        assert str(run.reason(f"/{path}")) == "server error: HTTP 500"
    assert len(run.network.requests) == 12
    reason = run.reason("/d")
    assert reason.why == "server error"
    assert "not asked again after 3 failures in a row" in reason.detail
    assert len(run.network.requests) == 12
    run.reply("/a", OTHER)


def test_an_answer_in_between_clears_the_host() -> None:
    broken = [say(500)] * 4
    run = Run(*broken, *broken, say(), *broken, *broken, say(), policies=CALM)
    whys = [getattr(run.ask(f"/{path}"), "why", "") for path in "abcdef"]
    assert whys == ["server error", "server error", "", "server error", "server error", ""]


def test_what_a_host_does_not_have_is_not_its_fault() -> None:
    run = Run(*[say(404)] * 5, say())
    for path in "abcde":
        assert run.reason(f"/{path}").detail == "HTTP 404"
    run.reply("/f")


@pytest.mark.parametrize("status", [401, 403, 406])
def test_a_host_that_refuses_whoever_asks_is_left_alone(status: int) -> None:
    run = Run(say(status))
    for path in "abcde":
        assert run.reason(f"/{path}").why == "refused"
    assert len(run.network.requests) == 3


def test_after_a_few_throttled_questions_the_rest_are_not_asked() -> None:
    """A library of five papers, of which the host answers one before it throttles."""
    run = Run(say(body=b"[1]"), say(429, retry_after="2"), say(429))
    replies = [run.ask(f"/{paper}") for paper in range(5)]
    assert isinstance(replies[0], Reply)
    assert [reply.why for reply in replies[1:] if isinstance(reply, NoReply)] == ["throttled"] * 4
    assert len(run.network.requests) == 1 + 3 * 4
    assert run.clock.moment < 120.0


# Within the budget


def test_when_the_time_is_over_nothing_more_is_asked() -> None:
    run = Run(say(), policies=(HostPolicy(HOST, interval=50.0),), budget=120.0)
    for path in "abc":
        run.reply(f"/{path}")
    assert run.reason("/d").why == "budget spent"
    assert run.network.moments == [0.0, 50.0, 100.0]
    assert run.clock.moment == 100.0, "it waited in vain"


def test_no_wait_is_begun_that_the_budget_does_not_allow() -> None:
    run = Run(say(500), budget=6.0, policies=CALM)
    reason = run.reason()
    # After 1 and 2 seconds of waiting 3 are left, and the next wait would be 4.
    assert reason.why == "server error"
    assert reason.detail == "HTTP 500; to be asked again in 4 s, 3 s are left"
    assert run.clock.moment == 3.0


def test_a_budget_that_ends_is_not_blamed_on_the_host() -> None:
    clock = FakeClock()

    def slow(request: httpx.Request) -> httpx.Response:
        clock.advance(100.0)
        return httpx.Response(200, content=b"{}")

    run = Run(slow, clock=clock, budget=90.0)
    run.reply("/a")
    assert run.reason("/b").why == "budget spent"


def test_a_request_is_given_no_more_time_than_is_left() -> None:
    clock = FakeClock()

    def lose_patience(request: httpx.Request) -> Exception:
        clock.advance(30.0)
        return httpx.ReadTimeout("")

    run = Run(lose_patience, clock=clock, budget=50.0)
    assert run.reason().why == "timed out", "the host let us wait before the budget ended"
    run = Run(lose_patience, clock=FakeClock(), budget=20.0)
    assert run.reason().why == "budget spent"


# When somebody stops the run


def test_a_stopped_run_asks_nothing() -> None:
    run = Run(say())
    run.client.stop()
    assert run.reason().why == "stopped"
    assert not run.network.requests
    assert run.client.asked == {}


def test_a_wait_ends_when_the_run_is_stopped() -> None:
    run = Run(say(500), clock=FakeClock(stop_after=1))
    assert run.reason().why == "stopped"
    assert len(run.network.requests) == 2


# Whom not to ask


@pytest.mark.parametrize(
    "url",
    [
        f"http://{HOST}/a",
        "https://evil.example/a",
        f"https://{HOST}:8443/a",
        f"https://{HOST}@evil.example/a",
        f"https://somebody@{HOST}/a",
        f"https://{HOST}.evil.example/a",
        f"https://{HOST}\\@evil.example/a",
        f"ftp://{HOST}/a",
        "file:///etc/passwd",
        f"//{HOST}/a",
        "https://[::1/a",
        f"https://{HOST}:port/a",
        "",
    ],
)
def test_addresses_that_nobody_may_ask(url: str) -> None:
    run = Run(say())
    reply = run.client.get(Request(url, "json"), ("evil.example",))
    assert isinstance(reply, NoReply)
    assert reply.why == "not sent"
    assert not run.network.requests


@pytest.mark.parametrize("via", ["http://mirror.example", "https://127.0.0.1.evil.example", "x"])
def test_a_mirror_must_be_on_this_machine(via: str) -> None:
    with pytest.raises(RegistryError, match="on this machine"):
        Client((), via=via)
