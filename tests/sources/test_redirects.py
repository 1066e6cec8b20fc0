from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import HOST, OTHER, Run, Script, by_host, fail, say

from registry.sources.answers import NoReply
from registry.sources.redirects import host_of, redirected
from registry.sources.transport import HostPolicy, Request

KEY = "s3cr3t-K3y/+="
QUOTED = "s3cr3t-K3y%2F%2B%3D"


def to(location: str, status: int = 302) -> Script:
    return say(status, b"moved", location=location)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b", f"https://{HOST}/b"),
        ("b?c=d#e", f"https://{HOST}/x/b?c=d"),
        ("?page=2", f"https://{HOST}/x/a?page=2"),
        (f"//{HOST}/b", f"https://{HOST}/b"),
        (f"https://{HOST}/b", f"https://{HOST}/b"),
        (f"https://{HOST.upper()}/b", f"https://{HOST}/b"),
        (f"https://{HOST}:443/b", f"https://{HOST}/b"),
        (f"https://{HOST}", f"https://{HOST}/"),
        (f"https://{OTHER}/b", f"https://{OTHER}/b"),
        ("../../../b", f"https://{HOST}/b"),
    ],
)
def test_redirects_that_are_followed(status: int, location: str, target: str) -> None:
    run = Run(to(location, status), say(body=b"[1]"))
    assert run.reply("/x/a").data == [1]
    assert run.network.urls == [f"https://{HOST}/x/a", target]


@pytest.mark.parametrize(
    "location",
    [
        "https://evil.example/b",
        f"http://{HOST}/b",
        f"http://{OTHER}/b",
        f"https://{HOST}@evil.example/b",
        f"https://{HOST}:443@evil.example/b",
        f"https://evil.example\\@{HOST}/b",
        f"https://somebody:word@{HOST}/b",
        f"https://@{HOST}/b",
        f"https://{HOST}:8443/b",
        f"https://{HOST}:0/b",
        f"https://{HOST}:99999/b",
        f"https://{HOST}:x/b",
        f"https://{HOST}./b",
        f"https://{HOST}.evil.example/b",
        f"https://evil-{HOST}/b",
        f"https://evil.example/?{HOST}",
        "//evil.example/b",
        "\\\\evil.example/b/../..//evil",
        "https:evil.example/b",
        "https:///b",
        "ftp://evil.example/b",
        "javascript:alert(1)",
        "data:text/plain,x",
        "file:///etc/passwd",
        "https://[::1]/b",
        "https://[::1/b",
        "https://127.0.0.1/b",
        "https://ⓐpi.alpha.example.evil/b",
    ],
)
def test_redirects_that_leave_the_known_hosts(location: str) -> None:
    run = Run(to(location), say(body=b"[1]"))
    run.ask()
    hosts = {request.url.host for request in run.network.requests}
    schemes = {request.url.scheme for request in run.network.requests}
    assert (hosts, schemes) == ({HOST}, {"https"})
    assert all(request.url.port is None for request in run.network.requests)


def test_a_redirect_that_is_not_followed_says_where_it_went() -> None:
    reason = Run(to("https://evil.example/b")).reason()
    assert reason == NoReply("redirected away", "to https://evil.example, which is not followed")


@pytest.mark.parametrize("host", ["evil\x9b31m.example", "a" * 300, "b\u202eelpmaxe"])
def test_what_a_host_names_cannot_upset_a_terminal(host: str) -> None:
    reason = Run(to(f"https://{host}/b")).reason()
    assert reason.detail == "to somewhere else, which is not followed"


def test_a_host_without_a_policy_is_not_known() -> None:
    run = Run(to(f"https://{OTHER}/b"), say(), policies=(HostPolicy(HOST),))
    assert run.reason().why == "redirected away"


def test_only_the_hosts_of_the_source_are_followed() -> None:
    run = Run(to(f"https://{OTHER}/b"), say())
    reply = run.client.get(Request(f"https://{HOST}/a", "json"), (HOST,))
    assert isinstance(reply, NoReply)
    assert reply.why == "redirected away"


@pytest.mark.parametrize("location", [None, "", "  "])
def test_a_redirect_to_nowhere(location: str | None) -> None:
    run = Run(say(302) if location is None else to(location))
    assert str(run.reason()) == "broken answer: it redirects to nowhere"


def test_circles_end() -> None:
    run = Run(to("/a"))
    assert str(run.reason()) == "redirected away: in a circle"
    assert len(run.network.requests) == 1
    run = Run(by_host({HOST: to(f"https://{OTHER}/b"), OTHER: to(f"https://{HOST}/a")}))
    assert str(run.reason()) == "redirected away: in a circle"
    assert len(run.network.requests) == 2


def test_ever_longer_ways_end() -> None:
    def further(request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"location": f"{request.url.path}x"})

    run = Run(further)
    assert run.reason().why == "redirected away"
    assert len(run.network.requests) == 6


def test_a_redirect_is_a_request_like_any_other() -> None:
    policies = (HostPolicy(HOST, interval=3.0), HostPolicy(OTHER, interval=5.0))
    run = Run(to("/b"), say(), to(f"https://{OTHER}/b"), say(), say(), policies=policies)
    run.reply("/a")
    run.reply("/c")
    run.reply("/d", OTHER)
    assert run.network.moments == [0.0, 3.0, 6.0, 6.0, 11.0]
    assert run.client.asked == {HOST: 3, OTHER: 2}


def test_the_host_that_fails_is_blamed_and_not_the_one_that_led_there() -> None:
    scripts = {HOST: to(f"https://{OTHER}/b"), OTHER: fail(httpx.ConnectError("refused"))}
    run = Run(by_host(scripts))
    for path in "abc":
        assert run.reason(f"/{path}").why == "unreachable"
    asked = run.client.asked[OTHER]
    assert "not asked again" in run.reason("/x", OTHER).detail
    assert run.client.asked[OTHER] == asked
    run.network.scripts = [say()]
    run.reply("/y", HOST)


def test_a_status_that_the_source_wants_to_see_is_not_followed() -> None:
    run = Run(to("/b", 301))
    assert run.reply(accept=frozenset({200, 301})).status == 301


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_body_is_not_lost_on_the_way(status: int) -> None:
    run = Run(to("/b", status), say())
    assert run.reason(body={"ids": []}).why == "redirected away"
    assert len(run.network.requests) == 1


@pytest.mark.parametrize("status", [307, 308])
def test_a_body_goes_along_within_the_host_only(status: int) -> None:
    run = Run(to("/b", status), say())
    run.reply(secret_body={"password": KEY})
    assert [request.method for request in run.network.requests] == ["POST", "POST"]
    run = Run(to(f"https://{OTHER}/b", status), say())
    assert run.reason(secret_body={"password": KEY}).why == "redirected away"
    assert len(run.network.requests) == 1


# Credentials on the way


def test_credentials_go_along_within_the_host() -> None:
    run = Run(to("/b?page=2"), say())
    run.reply(secret_parameters={"api_key": KEY}, secret_headers={"x-api-key": KEY})
    first, second = run.network.requests
    assert str(first.url) == f"https://{HOST}/a?api_key={QUOTED}"
    assert str(second.url) == f"https://{HOST}/b?page=2&api_key={QUOTED}"
    assert first.headers["x-api-key"] == second.headers["x-api-key"] == KEY


def test_credentials_stay_with_the_host_they_are_for() -> None:
    run = Run(to(f"https://{OTHER}/b?page=2"), say())
    run.reply(secret_parameters={"api_key": KEY}, secret_headers={"x-api-key": KEY})
    away = run.network.requests[1]
    assert str(away.url) == f"https://{OTHER}/b?page=2"
    assert "x-api-key" not in away.headers


def test_credentials_are_back_when_the_way_leads_back() -> None:
    run = Run(to(f"https://{OTHER}/b"), to(f"https://{HOST}/c"), say())
    run.reply(secret_headers={"x-api-key": KEY})
    assert ["x-api-key" in request.headers for request in run.network.requests] == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize("host", [HOST, OTHER])
def test_a_key_that_the_host_repeats_is_taken_out(host: str) -> None:
    """As hosts do that move a record: the new address holds the whole old question."""
    run = Run(to(f"https://{host}/b?api_key={QUOTED}&page=2", 301), say())
    run.reply("/a?page=2", secret_parameters={"api_key": KEY})
    mine = f"&api_key={QUOTED}" if host == HOST else ""
    assert run.network.urls[1] == f"https://{host}/b?page=2{mine}"


@pytest.mark.parametrize(
    "location",
    [
        f"https://{OTHER}/b?other={QUOTED}",
        f"https://{OTHER}/{QUOTED}/b",
        f"https://{OTHER}/b?x=%73{QUOTED[1:]}",
        f"https://{OTHER}/b?x={KEY}",
        f"https://{OTHER}/b?x={KEY.replace('/', '%2F')}",
        f"https://{OTHER}/b?x={QUOTED.replace('%', '%25')}",
    ],
)
def test_a_key_in_an_unexpected_place_is_not_carried_away(location: str) -> None:
    run = Run(to(location), say())
    reason = run.reason(secret_parameters={"api_key": KEY})
    assert str(reason) == "redirected away: to an address that holds a credential"
    assert len(run.network.requests) == 1


def test_a_key_in_the_name_of_a_host_is_not_repeated() -> None:
    reason = Run(to("https://abcdef123.evil.example/")).reason(
        secret_parameters={"api_key": "ABCDEF123"}
    )
    assert reason.detail == "to somewhere else, which is not followed"


# Laws

ADDRESSES = st.text(
    st.sampled_from("htps:/@\\?#[].%0123456789abc\u00e9 \t") | st.characters(), max_size=40
) | st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["https://", "http://", "//", "https:", "https:\\\\", "HTTPS://"]),
    st.sampled_from(["", "u@", "u:p@", f"{HOST}@", f"{HOST}:443@", "@"]),
    st.sampled_from([HOST, OTHER, "evil.example", f"{HOST}.", f"{HOST}\\@evil.example"]),
    st.sampled_from(["", ":443", ":80", ":", "/b", "/b?api_key=1", "?x", "#x", "\\b", "//x"]),
)


@given(ADDRESSES)
def test_wherever_it_leads_it_is_a_known_host(location: str) -> None:
    request = Request(f"https://{HOST}/a", "json", secret_parameters={"api_key": KEY})
    found = redirected(request.url, location, request, {HOST, OTHER})
    if isinstance(found, NoReply):
        assert found.why in ("redirected away", "broken answer")
    else:
        try:
            # What is asked is read by another parser than the one that judged it.
            read = httpx.URL(found)
        except (httpx.InvalidURL, UnicodeEncodeError):  # as the client does, which sends nothing
            return
        assert read.scheme == "https"
        assert read.host in (HOST, OTHER)
        assert read.port is None
        assert not read.userinfo


@given(ADDRESSES)
def test_an_address_that_may_be_asked_is_read_alike_by_all(url: str) -> None:
    host = host_of(url)
    if host in (HOST, OTHER):
        assert httpx.URL(url).host == host
