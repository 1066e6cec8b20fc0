from __future__ import annotations

import codecs
import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stage import GATEWAY, UPKEEP

from registry.sources.answers import Kind, NoReply, Reply, Unpacker, judge

JSON, XML, HTML, TEXT = "application/json", "application/atom+xml", "text/html", "text/plain"
KINDS: tuple[Kind, ...] = ("json", "xml", "html", "yaml", "text")


def judged(body: bytes | str, expect: Kind, kind: str = "", status: int = 200) -> Reply | NoReply:
    raw = body.encode() if isinstance(body, str) else body
    return judge(status, raw, {"content-type": kind} if kind else {}, "https://a.example/", expect)


def reply(body: bytes | str, expect: Kind, kind: str = "", status: int = 200) -> Reply:
    found = judged(body, expect, kind, status)
    assert isinstance(found, Reply), found
    return found


def broken(body: bytes | str, expect: Kind, kind: str = "", status: int = 200) -> str:
    found = judged(body, expect, kind, status)
    assert isinstance(found, NoReply), found
    assert found.why == "broken answer"
    return found.detail


@pytest.mark.parametrize(
    ("body", "data"),
    [
        ('{"title": "Zoë"}', {"title": "Zoë"}),
        ("[]", []),
        ("null", None),
        (' \n"x" ', "x"),
        ("0", 0),
        ('"<html>"', "<html>"),
    ],
)
def test_json(body: str, data: Any) -> None:
    assert reply(body, "json", JSON).data == data


def test_xml() -> None:
    found = reply('<?xml version="1.0"?><feed><entry>1</entry></feed>', "xml", XML)
    assert [entry.text for entry in found.data.iter("entry")] == ["1"]
    assert found.text.startswith("<?xml")


@pytest.mark.parametrize("expect", ["yaml", "text"])
def test_text(expect: Kind) -> None:
    found = reply("- title: A < B\n", expect, TEXT)
    assert (found.text, found.data) == ("- title: A < B\n", None)


# Not what was asked for

PAGES = [
    UPKEEP.decode(),
    GATEWAY.format(status="502 Bad Gateway"),
    "\n\n  <!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n<p>Sign in",
    "<!-- a wall -->\n<!-- and another -->\n<html lang='en'>",
    "<?xml version='1.0'?><!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'></html>",
    "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body/></html>",
    "<head><title>Checking your browser</title></head>",
    "<title>Busy</title>",
    "<body>Busy</body>",
    "\ufeff<html></html>",
]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("kind", [HTML, "application/json; charset=utf-8", ""])
@pytest.mark.parametrize("expect", ["json", "xml", "yaml", "text"])
def test_a_page_is_no_answer_whatever_it_is_called(page: str, kind: str, expect: Kind) -> None:
    assert broken(page, expect, kind) == f"a web page came where {expect} was expected"


@pytest.mark.parametrize("expect", ["yaml", "text"])
def test_what_is_called_a_page_and_looks_like_one_is_one(expect: Kind) -> None:
    page = "<div>Please wait</div>"
    assert broken(page, expect, "Text/HTML; charset=utf-8").startswith("a web page came")
    assert reply(page, expect, TEXT).text == page


def test_what_is_called_a_page_and_is_none_counts_as_what_it_is() -> None:
    """Servers give this type to whatever they know nothing better for."""
    assert reply("[1]", "json", HTML).data == [1]
    assert reply("<feed/>", "xml", HTML).data.tag == "feed"
    assert reply("a: b", "yaml", HTML).text == "a: b"


def test_a_page_where_one_is_expected() -> None:
    assert reply(UPKEEP, "html", HTML).text == UPKEEP.decode()
    assert broken("Rate exceeded.", "html", TEXT) == "no web page came where one was expected"
    assert broken('{"error": 1}', "html", JSON) == "no web page came where one was expected"


def test_a_long_row_of_comments_takes_no_long_time() -> None:
    assert "JSON" in broken("<!---->" * 2000 + "<p", "json")


@pytest.mark.parametrize("expect", KINDS)
@pytest.mark.parametrize("body", [b"", b" \r\n\t ", b"\n"])
def test_nothing_is_no_answer(body: bytes, expect: Kind) -> None:
    assert broken(body, expect) == "it is empty"
    assert broken(body, expect, status=404) == "it is empty"


@pytest.mark.parametrize(
    "body",
    [
        '{"title": "Draft',
        '{"title": "Draft"',
        "[1, 2",
        "[1],",
        "{'a': 1}",
        "Rate exceeded.",
        "NaN",
        "[Infinity]",
        '{"a": -Infinity}',
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        "1" * 5000,
        '"\t"',
    ],
)
def test_what_is_no_json(body: str) -> None:
    assert broken(body, "json", JSON) == "it is not valid JSON"


def test_a_document_type_alone_does_no_harm() -> None:
    text = '<!DOCTYPE dblp SYSTEM "dblp.dtd"><dblp>Zo&#235;</dblp>'
    assert reply(text, "xml", XML).data.text == "Zoë"
    # Without the document type's own file nobody knows what this letter is.
    assert "XML" in broken(text.replace("&#235;", "&euml;"), "xml", XML)


BOMB = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><a>&b;</a>"""
OUTSIDE = """<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>"""


@pytest.mark.parametrize(
    "body",
    ["<feed><entry>", "<feed/><feed/>", "<feed>&nbsp;</feed>", "{}", BOMB, OUTSIDE, "<a><b></a>"],
)
def test_what_is_no_xml(body: str) -> None:
    assert broken(body, "xml", XML) == "it is not XML without entities"


def test_deep_xml_is_read_or_refused() -> None:
    judged("<a>" * 100_000 + "</a>" * 100_000, "xml", XML)


def test_half_a_character_can_be_written_down() -> None:
    """Abstracts that are cut after a number of UTF-16 units end like this."""
    data = reply('{"abstract": "cut \\ud83d", "title": "\\ud83d\\ude00"}', "json").data
    assert data == {"abstract": "cut ?", "title": "😀"}
    json.dumps(data, ensure_ascii=False).encode()


# Characters


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("Zoë".encode(), "text/plain"),
        ("Zoë".encode(), "text/plain; charset=utf-8"),
        ("Zoë".encode(), "text/plain; charset=iso-8859-1"),
        (codecs.BOM_UTF8 + "Zoë".encode(), "text/plain"),
        ("Zoë".encode("latin-1"), "text/plain; charset=ISO-8859-1"),
        ("Zoë".encode("latin-1"), 'text/plain; format=flowed; charset="latin1"'),
        ("Zoë".encode("cp1252"), "text/plain;charset=windows-1252"),
        ("Zoë".encode("utf-16"), "text/plain"),
        ("Zoë".encode("utf-16"), "text/plain; charset=utf-8"),
        (codecs.BOM_UTF16_BE + "Zoë".encode("utf-16-be"), "text/plain; charset=utf-16"),
        ("Zoë".encode("utf-16-le"), "text/plain; charset=utf-16le"),
    ],
)
def test_characters_are_read_as_they_were_written(body: bytes, kind: str) -> None:
    assert reply(body, "text", kind).text == "Zoë"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("Zoë".encode("latin-1"), "text/plain"),
        ("Zoë".encode("latin-1"), "text/plain; charset=utf-8"),
        ("Zoë".encode("latin-1"), "text/plain; charset=no-such-thing"),
        ("Zoë".encode("latin-1"), "text/plain; charset=\0"),
        ("Zoë".encode("utf-16-le"), "text/plain"),
        ("Zoë".encode("utf-32"), "text/plain; charset=utf-32"),
        # Python would take these as well.
        (b"Zo\\xeb\xff", "text/plain; charset=unicode_escape"),
        (b"Zo+AOs-\xff", "text/plain; charset=utf-7"),
        (b"\xff", "text/plain; charset=rot13"),
        (codecs.BOM_UTF16_LE + b"x", "text/plain"),
        (b"\xf0\x9f\x98", "text/plain"),
        (b"a\0b", "text/plain"),
    ],
)
def test_characters_that_cannot_be_read(body: bytes, kind: str) -> None:
    assert broken(body, "text", kind) == "its characters cannot be decoded"


def test_a_byte_order_mark_is_not_part_of_the_answer() -> None:
    body = codecs.BOM_UTF8 + b'{"a": 1}'
    found = reply(body, "json", JSON)
    assert (found.data, found.body) == ({"a": 1}, body)
    assert reply('{"a": 1}'.encode("utf-16"), "json", JSON).data == {"a": 1}
    assert reply("<?xml version='1.0'?><a/>".encode("utf-16"), "xml", XML).data.tag == "a"


# Errors that a source wants to see


def test_an_error_may_have_another_form() -> None:
    page = GATEWAY.format(status="404 Not Found")
    found = reply(page, "json", HTML, status=404)
    assert (found.status, found.text, found.data) == (404, page, None)
    assert reply("Resource not found.", "json", TEXT, status=404).data is None
    assert reply("Rate exceeded.", "xml", TEXT, status=400).data is None


def test_an_error_in_the_form_of_an_answer_is_read_like_one() -> None:
    error = '{"error": "Paper with id 0 not found"}'
    assert reply(error, "json", JSON, status=404).data == json.loads(error)
    assert reply("<feed><title>Error</title></feed>", "xml", XML, status=400).data.tag == "feed"


@given(st.binary(max_size=200), st.sampled_from(KINDS), st.text(max_size=30), st.integers(200, 599))
def test_nothing_is_too_strange_to_judge(body: bytes, expect: Kind, kind: str, status: int) -> None:
    found = judged(body, expect, kind, status)
    assert isinstance(found, (Reply, NoReply))
    if isinstance(found, Reply):
        assert found.body == body
        found.text.encode()


@given(st.recursive(st.none() | st.booleans() | st.text(), st.lists, max_leaves=20))
def test_any_json_comes_through(data: Any) -> None:
    assert reply(json.dumps(data), "json").data == data
    assert reply(json.dumps(data, ensure_ascii=False), "json").data == data


# Packing


def unpacked(body: bytes, encoding: str, largest: int, step: int) -> bytes | None:
    unpack = Unpacker(encoding, largest)
    for start in range(0, len(body), step):
        if not unpack.feed(body[start : start + step]):
            return None
    return unpack.body()


@given(st.lists(st.binary(max_size=300), max_size=4), st.integers(1, 64), st.integers(0, 600))
def test_what_was_packed_is_unpacked(parts: list[bytes], step: int, largest: int) -> None:
    """In pieces of any size, in one or several members, and never beyond the limit."""
    whole = b"".join(parts)
    expected = whole if len(whole) <= largest else None
    packed = b"".join(map(gzip.compress, parts))
    assert unpacked(packed, "gzip", largest, step) == expected
    assert unpacked(whole, "", largest, step) == expected
    assert unpacked(whole, "identity", largest, step) == expected


@given(st.binary(max_size=300), st.data())
def test_what_is_cut_off_is_noticed(whole: bytes, data: st.DataObject) -> None:
    packed = gzip.compress(whole)
    cut = data.draw(st.integers(1, len(packed) - 1))
    with pytest.raises(ValueError, match="end is missing"):
        unpacked(packed[:cut], "gzip", 1000, 16)


@given(st.binary(min_size=1, max_size=100))
def test_what_is_not_packed_is_noticed(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"packed wrongly|end is missing"):
        unpacked(b"x" + body, "gzip", 1000, 16)


def test_a_bomb_does_not_go_off_in_one_piece() -> None:
    unpack = Unpacker("gzip", 1000)
    assert not unpack.feed(gzip.compress(b"\0" * 50_000_000))
    assert len(b"".join(unpack._parts)) == 1001


@pytest.mark.parametrize("encoding", ["br", "deflate", "zstd", "gzip, gzip", "x"])
def test_only_what_was_asked_for_is_unpacked(encoding: str) -> None:
    with pytest.raises(ValueError, match="unknown content encoding"):
        Unpacker(encoding, 1000)


# Words


def test_a_reason_is_one_line() -> None:
    assert str(NoReply("throttled")) == "throttled"
    assert str(NoReply("refused", "HTTP 403")) == "refused: HTTP 403"


def test_only_what_may_pass_is_worth_another_try() -> None:
    passing = {"throttled", "unreachable", "timed out", "server error", "broken answer"}
    for why in passing:
        assert NoReply(why).may_pass  # type: ignore[arg-type]
        assert not NoReply(why, final=True).may_pass  # type: ignore[arg-type]
    for why in ("budget spent", "stopped", "refused", "too large", "redirected away", "not sent"):
        assert not NoReply(why).may_pass  # type: ignore[arg-type]
