"""What holds for every file that is read."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from datetime import date
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from registry.findings import Finding, Position, path_text
from registry.store import parser
from registry.store.document import Document
from registry.store.reader import read
from registry.store.rules import RULES
from registry.store.scalars import Doubtful

PARSERS = sorted({parser.PythonParser, parser.FastestParser}, key=lambda made: made.__name__)
CODES = {rule.code for rule in RULES}


def read_with(made: type[Any], raw: bytes) -> Document:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "FastestParser", made)
        return read(raw, "data/papers/kestrel.yaml")


RECORD = b"""\
kind: paper
id: kestrel
title:
  assertions:
    - {value: 'KESTREL: On $\\alpha$', rank: preferred, recorded: 2026-03-02}
    - value: "Kestrel"
      rank: deprecated
year: 2024
speedup: 2.70
reviewed: yes
note: |
  One.
  Two.
"""


class TestOneRecord:
    def test_data(self) -> None:
        document = read(RECORD, "data/papers/kestrel.yaml")
        assert document.findings == []
        assert document.data == {
            "kind": "paper",
            "id": "kestrel",
            "title": {
                "assertions": [
                    {
                        "value": "KESTREL: On $\\alpha$",
                        "rank": "preferred",
                        "recorded": date(2026, 3, 2),
                    },
                    {"value": "Kestrel", "rank": "deprecated"},
                ]
            },
            "year": 2024,
            "speedup": 2.7,
            "reviewed": True,
            "note": "One.\nTwo.\n",
        }

    def test_file_and_digest(self) -> None:
        document = read(RECORD, "data/papers/kestrel.yaml")
        assert document.file == "data/papers/kestrel.yaml"
        assert document.digest == hashlib.sha256(RECORD).hexdigest()

    @pytest.mark.parametrize(
        ("path", "value", "key", "source"),
        [
            (("kind",), (1, 7), (1, 1), "paper"),
            (("title", "assertions", 0, "recorded"), (5, 66), (5, 56), "2026-03-02"),
            (("title", "assertions", 1, "value"), (6, 14), (6, 7), "Kestrel"),
            (("title", "assertions", 1), (6, 7), (6, 7), ""),
            (("speedup",), (9, 10), (9, 1), "2.70"),
            (("note",), (11, 7), (11, 1), "One.\nTwo.\n"),
            (("title", "missing"), (4, 3), (3, 1), ""),
            ((), (1, 1), (1, 1), ""),
        ],
    )
    def test_places(
        self,
        path: tuple[str | int, ...],
        value: tuple[int, int],
        key: tuple[int, int],
        source: str,
    ) -> None:
        document = read(RECORD, "x")
        assert document.locate(path) == Position(*value)
        assert document.locate(path, key=True) == Position(*key)
        assert document.source(path) == source

    def test_a_file_that_does_not_parse_still_has_a_digest(self) -> None:
        document = read(b"a: @x\n", "x")
        assert document.digest == hashlib.sha256(b"a: @x\n").hexdigest()
        assert document.locate(("a",)) == Position(1, 1)


def test_all_faults_of_a_file_are_found_in_its_order() -> None:
    document = read(b'b:\na: "\\alpha"\nc: .inf\nb: 1\n2: x\nd: [~]\n', "x")
    assert [(finding.line, finding.code, finding.field) for finding in document.findings] == [
        (1, "YML014", "b"),
        (2, "YML016", "a"),
        (3, "YML015", "c"),
        (4, "YML011", "b"),
        (5, "YML012", "2"),
        (6, "YML014", "d[0]"),
    ]
    assert {finding.record for finding in document.findings} == {""}
    assert {finding.file for finding in document.findings} == {"x"}


def test_without_libyaml_the_parser_of_pyyaml_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    spec = importlib.util.find_spec("registry.store.parser")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.FastestParser is module.PythonParser
    assert module.compose(b"a: 1\n").value[0][1].value == "1"


# Characters that the reader refuses, and the no-break space, which PyYAML writes as \_ if it is
# told to write ASCII only: in a file written by hand that is TeX.
_refused = re.compile("[\x00-\x09\x0b-\x1f\x7f-\xa0\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
# A line break before certain letters is written "\nu" by PyYAML, which is a command of TeX.
_texts = (
    st.text(max_size=30)
    .map(lambda text: _refused.sub("", text))
    .map(lambda text: re.sub("\n(?=[a-z])", "\n ", text))
    # PyYAML leaves text without quotes that readers of YAML 1.2 take for a number.
    .map(lambda text: re.sub(r"\A(?=[-+.]*[0-9])", "v", text))
    .filter(lambda text: not re.search(r"(?m)^[ \t]*(<{7}|>{7})", text))
)
_scalars = (
    _texts
    | st.integers(-(10**18) + 1, 10**18 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.dates()
    | st.sampled_from(["no", "on", "null", "~", "010", "12:30", "2024-07-08", ".inf", "<<", "1.5"])
    | st.sampled_from(["!x", "&a", "*a", "[Re] x", "a: b", "#1", "", " ", "=", "- a", "? b", "@c"])
)
_records = st.dictionaries(
    _texts,
    st.recursive(
        _scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
        max_leaves=20,
    ),
    max_size=5,
)


def _same(one: object, other: object) -> bool:
    """Equality that tells 1 from 1.0 and from True."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


class TestWhatPyyamlWrites:
    @pytest.mark.parametrize("made", PARSERS)
    @given(
        record=_records,
        unicode=st.booleans(),
        flow=st.sampled_from([None, False, True]),
        width=st.sampled_from([20, 80, 10_000]),
    )
    @settings(deadline=None, max_examples=150)
    @example(record={"a": 1e20, "b": 1e-7, "c": -0.0}, unicode=True, flow=False, width=80)
    @example(record={"k" * 200: ["é\nb" * 9]}, unicode=False, flow=None, width=20)
    def test_is_read_back(
        self, made: type[Any], record: dict[str, Any], unicode: bool, flow: bool | None, width: int
    ) -> None:
        text = yaml.safe_dump(
            record, allow_unicode=unicode, default_flow_style=flow, width=width, sort_keys=False
        )
        document = read_with(made, text.encode())
        assert document.findings == []
        assert _same(document.data, record)

    @pytest.mark.parametrize("text", ["08", "1e3", "0o17", "-.5"])
    def test_is_doubtful_where_readers_of_yaml_1_2_read_a_number(self, text: str) -> None:
        document = read(yaml.safe_dump({"a": text}).encode(), "x")
        assert document.data is not None
        assert isinstance(document.data["a"], Doubtful)
        assert document.data["a"].text == text

    @given(record=_records)
    @settings(deadline=None, max_examples=100)
    def test_line_ends_make_no_difference(self, record: dict[str, Any]) -> None:
        raw = yaml.safe_dump(record, allow_unicode=True).encode()
        unix, windows = read(raw, "x"), read(raw.replace(b"\n", b"\r\n"), "x")
        assert windows.findings == []
        assert _same(windows.data, unix.data)
        for path in _paths(unix.data, ()):
            assert windows.locate(path) == unix.locate(path)
            assert windows.source(path) == unix.source(path)


def _paths(value: object, path: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [path, *(p for key in value for p in _paths(value[key], (*path, key)))]
    if isinstance(value, list):
        return [path, *(p for at, item in enumerate(value) for p in _paths(item, (*path, at)))]
    return [path]


_PIECES = (
    *("a", "b: ", ": ", ":", "\n", "\n  ", "- ", "? ", "[", "]", "{", "}", ", ", "#", " # c"),
    *(
        '"',
        "'",
        "|\n",
        ">-\n",
        "&a ",
        "*a",
        "!x",
        "!!str ",
        "! ",
        "%",
        "@",
        "`",
        "\t",
        "\r\n",
        "\r",
    ),
    *("~", "null", "no", "010", "1.5", ".inf", "2024-01-02", "---", "\n---\n", "\n...\n", "<<: "),
    *("\\", "\\a", "\\n", "\\U00110000", "\\ud800", "\\x", "é", "𝔸", "\u2028", "\x85", "\ufeff"),
    *("%YAML 1.1\n---\n", "%TAG !e! x\n", "<<<<<<< a\n", "\n>>>>>>> b\n", "\x07", "\xa0"),
)
_yaml_like = st.lists(st.sampled_from(_PIECES), max_size=20).map(
    lambda parts: "".join(parts).encode()
)
_broken = st.tuples(_yaml_like, st.binary(max_size=3), _yaml_like).map(b"".join)


class TestAnyBytes:
    @pytest.mark.parametrize("made", PARSERS)
    @given(raw=st.binary(max_size=200) | _yaml_like | _broken)
    @settings(deadline=None, max_examples=400)
    @example(raw=b'a: "\\U00110000"')
    @example(raw=b'a: "\\UFFFFFFFF"')
    @example(raw=b"? a")
    @example(raw=b"a: \xa0")
    @example(raw=b'a: "\\ud800"')
    @example(raw="[. #\u2028\ue000".encode())
    def test_never_raise_and_every_place_is_in_the_file(self, made: type[Any], raw: bytes) -> None:
        document = read_with(made, raw)
        lines = re.split("\r\n|\r|\n", raw.decode(errors="replace"))
        for finding in document.findings:
            _is_well_formed(finding)
            assert 1 <= finding.line <= len(lines)
            assert 1 <= finding.column <= len(lines[finding.line - 1]) + 1
        if document.data is None:
            assert document.findings
            return
        for path in _paths(document.data, ()):
            place = document.locate(path)
            assert 1 <= place.line <= len(lines)
            assert 1 <= place.column <= len(lines[place.line - 1]) + 1
        for text in _all_text(document.data):
            assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]", text)

    @given(raw=_yaml_like)
    @settings(deadline=None, max_examples=400)
    def test_both_parsers_read_the_same(self, raw: bytes) -> None:
        one, *others = (read_with(made, raw) for made in PARSERS)
        for other in others:
            if not one.findings and not other.findings:
                assert _same(other.data, one.data) or repr(other.data) == repr(one.data)

    @given(raw=_yaml_like)
    @settings(deadline=None, max_examples=200)
    def test_a_missing_value_is_always_a_finding(self, raw: bytes) -> None:
        document = read(raw, "x")
        fields = {finding.field for finding in document.findings if finding.code == "YML014"}
        for path in _paths(document.data, ()) if document.data is not None else []:
            value: Any = document.data
            for step in path:
                value = value[step]
            if value is None and all(str(step).isprintable() for step in path):
                assert path_text(path) in fields


def _is_well_formed(finding: Finding) -> None:
    assert finding.code in CODES
    assert finding.severity == "error"
    assert finding.message
    assert (finding.message + finding.hint + finding.field).isprintable()


def _all_text(value: object) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(text for inner in value.values() for text in _all_text(inner))]
    if isinstance(value, list):
        return [text for inner in value for text in _all_text(inner)]
    return [value] if isinstance(value, str) else []
