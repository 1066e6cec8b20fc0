"""Faults of YAML files met in the field, each kind in several shapes, with both parsers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from registry.findings import Finding, Position
from registry.store import parser
from registry.store.document import Document
from registry.store.reader import read
from registry.store.rules import RULES
from registry.store.scalars import Doubtful
from registry.verify import load

PARSERS = sorted({parser.PythonParser, parser.FastestParser}, key=lambda made: made.__name__)


@pytest.fixture(params=PARSERS, ids=lambda made: made.__name__, autouse=True)
def _each_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "FastestParser", request.param)


def reading(text: str | bytes) -> Document:
    raw = text.encode() if isinstance(text, str) else text
    return read(raw, "data/papers/kestrel.yaml")


def refused(text: str | bytes) -> Finding:
    """The one finding of a file that gives no data."""
    document = reading(text)
    assert document.data is None
    (finding,) = document.findings
    return finding


def place(finding: Finding) -> tuple[str, int, int]:
    return finding.code, finding.line, finding.column


def clean(text: str | bytes) -> dict[str, Any]:
    document = reading(text)
    assert document.findings == []
    assert document.data is not None
    return document.data


class TestIdsAndVersionsReadAsNumbers:
    """The text is lost in the data, and still there in the file."""

    @pytest.mark.parametrize("written", ["2403.10170", "2310.10000", "0704.0001", "2.10", "1.30"])
    def test_a_dotted_id_is_a_float_whose_text_is_kept(self, written: str) -> None:
        document = reading(f"arxiv_id: {written}\n")
        assert document.data == {"arxiv_id": float(written)}
        assert type(document.data["arxiv_id"]) is float
        assert document.source(("arxiv_id",)) == written

    def test_an_id_of_digits_is_a_number(self) -> None:
        document = reading("old: [{id: 9902017}]\n")
        assert document.data == {"old": [{"id": 9902017}]}
        assert document.source(("old", 0, "id")) == "9902017"

    @pytest.mark.parametrize("written", ['"2403.10170"', "'2403.10170'", "2403.10170v1"])
    def test_quotes_keep_the_text(self, written: str) -> None:
        assert clean(f"id: {written}\n") == {"id": written.strip("\"'")}

    def test_versions_with_two_points_are_text(self) -> None:
        assert clean("tool: 1.30.0\n") == {"tool": "1.30.0"}

    @pytest.mark.parametrize("written", ["048211", "012345", "08", "0o17", "0x1F", "0b1", "12:30"])
    def test_numbers_that_readers_disagree_on(self, written: str) -> None:
        document = reading(f"a: {{articleno: {written}}}\n")
        assert document.data is not None
        value = document.data["a"]["articleno"]
        assert isinstance(value, Doubtful)
        assert value.text == written == document.source(("a", "articleno"))


class TestWordsReadAsTrueOrFalse:
    @pytest.mark.parametrize(
        ("word", "value"), [("No", False), ("NO", False), ("On", True), ("Yes", True)]
    )
    def test_a_name_is_a_boolean_whose_text_is_kept(self, word: str, value: bool) -> None:
        document = reading(f"authors:\n  - {{given: Ida, family: {word}}}\n")
        assert document.data == {"authors": [{"given": "Ida", "family": value}]}
        assert document.source(("authors", 0, "family")) == word
        assert document.locate(("authors", 0, "family")).line == 2

    def test_single_letters_are_text(self) -> None:
        assert clean("initials: [y, n, Y, N]\n") == {"initials": ["y", "n", "Y", "N"]}


class TestKeyWrittenTwice:
    def test_both_lines_are_named(self) -> None:
        document = reading("id: x\nauthors:\n  - A\nyear: 2024\nauthors:\n  - B\n")
        (finding,) = document.findings
        assert place(finding) == ("YML011", 5, 1)
        assert "lines 2 and 5" in finding.message
        assert "`authors`" in finding.message
        assert document.data == {"id": "x", "authors": ["A"], "year": 2024}

    @pytest.mark.parametrize(
        ("text", "line", "column", "field"),
        [
            ("venue:\n  name: A\n  name: B\n", 3, 3, "venue.name"),
            ("venue: {name: A, name: B}\n", 1, 18, "venue.name"),
            ("list:\n  - x: 1\n  - y: 1\n    y: 2\n", 4, 5, "list[1].y"),
            ('a: 1\n"a": 2\n', 2, 1, "a"),
            ("a:\n  b: 1\na: 1\n", 3, 1, "a"),
        ],
    )
    def test_wherever_it_stands(self, text: str, line: int, column: int, field: str) -> None:
        (finding,) = reading(text).findings
        assert place(finding) == ("YML011", line, column)
        assert finding.field == field

    def test_each_repetition_is_found(self) -> None:
        second, third = reading("a: 1\na: 2\na: 3\n").findings
        assert "lines 1 and 2" in second.message
        assert "lines 1 and 3" in third.message

    def test_a_key_that_is_no_text_is_no_first_time(self) -> None:
        odd, twice = reading("1: a\n'1': b\n'1': c\n").findings
        assert (odd.code, twice.code) == ("YML012", "YML011")
        assert "lines 2 and 3" in twice.message


def _bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 [" + ",".join(["ha"] * width) + "]"]
    lines += [
        f"a{level}: &a{level} [" + ",".join([f"*a{level - 1}"] * width) + "]"
        for level in range(1, levels)
    ]
    return "\n".join(lines) + "\n"


class TestAliases:
    @pytest.mark.parametrize(("levels", "width"), [(9, 9), (30, 2), (5, 50), (3, 400)])
    def test_bombs(self, levels: int, width: int) -> None:
        finding = refused(_bomb(levels, width))
        assert finding.code == "YML017"
        assert "aliases" in finding.message

    def test_a_bomb_of_mappings(self) -> None:
        lines = ["a0: &a0 {x: 1}"]
        lines += [f"a{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}" for n in range(1, 20)]
        assert refused("\n".join(lines)).code == "YML017"

    @pytest.mark.parametrize(
        "text",
        [
            "team: &t [*t]\n",
            "a: &a {b: *a}\n",
            "a: &a\n  - b:\n      - *a\n",
            "&a x: &b [[*b]]\n",
        ],
    )
    def test_loops(self, text: str) -> None:
        finding = refused(text)
        assert finding.code == "YML017"
        assert "contain itself" in finding.message

    @pytest.mark.parametrize("length", [32, 40, 2000])
    def test_a_chain_deeper_than_any_nesting(self, length: int) -> None:
        lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, length))]
        assert refused("\n".join(lines)).code == "YML017"

    def test_a_chain_as_deep_as_nesting_may_be(self) -> None:
        lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 31))]
        clean("\n".join(lines))

    def test_a_fault_in_what_is_repeated_is_one_fault(self) -> None:
        (finding,) = reading("a: &a {b: ~}\nc: [*a, *a]\n").findings
        assert finding.field == "a.b"

    def test_a_few_honest_ones_work(self) -> None:
        text = (
            "team: &team [Ada, Bo]\nv1: *team\nv2: {authors: *team, lead: &lead Ada}\nby: *lead\n"
        )
        data = clean(text)
        assert data == {
            "team": ["Ada", "Bo"],
            "v1": ["Ada", "Bo"],
            "v2": {"authors": ["Ada", "Bo"], "lead": "Ada"},
            "by": "Ada",
        }
        assert json.loads(json.dumps(data)) == data


MARKED = """\
title: "Kestrel"
<<<<<<< HEAD
year: 2024
=======
year: 2025
>>>>>>> other
"""


class TestMergeConflicts:
    def test_between_keys(self) -> None:
        finding = refused(MARKED)
        assert place(finding) == ("YML004", 2, 1)
        assert "merge conflict marker" in finding.message

    @pytest.mark.parametrize("header", ["|", ">-"])
    def test_in_a_block_of_text_which_is_valid_yaml(self, header: str) -> None:
        inside = "".join(f"  {line}\n" for line in MARKED.splitlines())
        assert place(refused(f"note: {header}\n{inside}")) == ("YML004", 3, 3)

    @pytest.mark.parametrize("left", ["<<<<<<< ours", "<<<<<<<", ">>>>>>> theirs", "\t>>>>>>>"])
    def test_one_marker_that_was_left_over(self, left: str) -> None:
        assert refused(f"note: |\n  text\n  {left}\n").code == "YML004"

    @pytest.mark.parametrize("ends", ["\r\n", "\r"])
    def test_with_other_line_ends(self, ends: str) -> None:
        assert refused(MARKED.replace("\n", ends)).line == 2

    @pytest.mark.parametrize(
        "line", ["=======", "<<<<<<<<<<<<", "a <<<<<<< b", "<<<<<< six", "||||||| x"]
    )
    def test_innocent_lines(self, line: str) -> None:
        assert clean(f"note: |\n  Part one\n  {line}\n") == {"note": f"Part one\n{line}\n"}


class TestTags:
    @pytest.mark.parametrize(
        ("value", "tag"),
        [
            ("!Loud Results", "!Loud"),
            ("! Loud Results", "!"),
            ("!!python/tuple [Ada]", "!!python/tuple"),
            ("!!python/name:os.system ''", "!!python/name:os.system"),
            ("!!str 010", "!!str"),
            ("!!binary aGk=", "!!binary"),
            ('!important "text"', "!important"),
            ("!important", "!important"),
            ("!<tag:yaml.org,2002:int> 3", "!<tag:yaml.org"),
            ("!set {a, b}", "!set"),
            ("&anchor !x y", "!x"),
            ("!x &anchor y", "!x"),
        ],
    )
    def test_refused_whatever_they_are(self, value: str, tag: str) -> None:
        finding = refused(f"id: x\ntitle: {value}\n")
        assert finding.code == "YML010"
        assert (finding.line, finding.column) == (2, 8 + value.index("!"))
        assert f"`{tag}`" in finding.message

    @pytest.mark.parametrize(
        "text", ["a: [1, !x 2]\n", "a: {!x b: 1}\n", "- !x\n", "!x a: 1\n", "a: !e!x 1\n", "!x {}"]
    )
    def test_refused_wherever_they_stand(self, text: str) -> None:
        assert refused(text).code == "YML010"

    def test_nothing_is_called(self, tmp_path: Path) -> None:
        made = tmp_path / "made"
        finding = refused(f"title: !!python/object/apply:os.mkdir ['{made}']\n")
        assert finding.code == "YML010"
        assert not made.exists()

    def test_every_tag_of_a_file_is_found(self) -> None:
        findings = reading("a: !x 1\nb: [!y 2]\n").findings
        assert [(finding.line, finding.field) for finding in findings] == [(1, "a"), (2, "b[0]")]

    @pytest.mark.parametrize("text", ["Hello, World!", "All You Need! !x", "a!b", "-!", "(!)"])
    def test_exclamation_marks_in_text(self, text: str) -> None:
        assert clean(f"title: {text}\n") == {"title": text}
        assert clean(f"title: '{text}'\nnote: |\n  !{text}\n")["title"] == text


class TestTitlesThatAreNotPlainYaml:
    @pytest.mark.parametrize(
        ("title", "column"),
        [
            ("KESTREL: Drafting Ahead", 15),
            ("On Time: 12: 30", 15),
            ("Kestrel:", 15),
            ("[Re] Drafting Ahead", 8),
            ("{Deep} Drafting", 8),
            ('"Fast" Drafting Is Slow', 8),
            ("'Fast' Drafting Is Slow", 8),
            ("@scale: Drafting", 8),
            ("`draft` for Trees", 8),
            ("%100 of Tokens", 8),
            ("*args for Drafting", 8),
            ("**Bold** Drafts", 8),
            ("& Friends", 8),
            ("| Bars", 8),
            ("> Arrows", 8),
            ("- Dashes", 8),
            ("? Why", 8),
            ("] Left", 8),
            (", and More", 8),
        ],
    )
    def test_the_advice_is_to_quote(self, title: str, column: int) -> None:
        finding = refused(f"kind: paper\ntitle: {title}\nyear: 2024\n")
        assert place(finding) == ("YML008", 2, column)
        assert "single quotes" in finding.hint
        quoted = title.replace("'", "''")
        assert clean(f"title: '{quoted}'\n") == {"title": title}

    @pytest.mark.parametrize("item", ["[Re] Drafts", '"A" B', "A: B: C", "@x"])
    def test_in_a_list(self, item: str) -> None:
        assert refused(f"titles:\n  - {item}\n").code == "YML008"

    @pytest.mark.parametrize("value", ["", "#2 of Three Drafts", "# nothing", "~", "null", "&x"])
    def test_a_title_that_is_lost_as_a_comment_has_no_value(self, value: str) -> None:
        document = reading(f"id: x\ntitle: {value}\nyear: 2024\n")
        (finding,) = document.findings
        assert place(finding) == ("YML014", 2, 1)
        assert "`title` has no value" in finding.message
        assert finding.field == "title"
        assert "quotes" in finding.hint
        assert document.data == {"id": "x", "title": None, "year": 2024}

    def test_an_empty_item(self) -> None:
        document = reading("authors:\n  - Ada\n  -\n  - Bo\n")
        (finding,) = document.findings
        assert (finding.code, finding.line, finding.field) == ("YML014", 3, "authors[1]")
        assert document.data == {"authors": ["Ada", None, "Bo"]}

    def test_keys_in_braces_without_values(self) -> None:
        findings = reading("a: {b, c}\n").findings
        assert [finding.field for finding in findings] == ["a.b", "a.c"]


class TestTexInDoubleQuotes:
    @pytest.mark.parametrize(
        ("command", "made"),
        [
            (r"\alpha", "U+0007"),
            (r"\beta", "U+0008"),
            (r"\textbf{x}", "U+0009"),
            (r"\vec{x}", "U+000B"),
            (r"\frac12", "U+000C"),
            (r"\rho", "U+000D"),
            (r"\epsilon", "U+001B"),
            (r"\0", "U+0000"),
            (r"\Nu", "U+0085"),
            (r"\_i", "U+00A0"),
            (r"\Lambda", "U+2028"),
            (r"\Phi", "U+2029"),
            (r"\nabla f", "U+000A"),
            (r"\nu$", "U+000A"),
            (r"\x07", "U+0007"),
            (r"\u2028", "U+2028"),
        ],
    )
    def test_a_command_that_is_an_escape(self, command: str, made: str) -> None:
        document = reading(f'title: "Bounds on {command}"\n')
        (finding,) = document.findings
        assert place(finding) == ("YML016", 1, 19)
        assert made in finding.message
        assert finding.field == "title"
        assert "single quotes" in finding.hint
        # The data hold what was written, and no control character goes any further.
        assert document.data == {"title": f"Bounds on {command}"}

    def test_a_text_with_several_is_one_finding(self) -> None:
        document = reading('id: x\ntitle: "From $\\alpha$ to $\\beta$"\nnote: "\\tau"\n')
        assert [(finding.line, finding.field) for finding in document.findings] == [
            (2, "title"),
            (3, "note"),
        ]
        assert document.data == {"id": "x", "title": r"From $\alpha$ to $\beta$", "note": r"\tau"}

    @pytest.mark.parametrize("command", [r"\kappa", r"\xi", r"\upsilon", r"\delta", r"\Upsilon"])
    def test_a_command_that_is_no_escape(self, command: str) -> None:
        finding = refused(f'id: x\ntitle: "Bounds on {command} and more"\n')
        assert place(finding) == ("YML016", 2, 19)
        assert command in finding.message
        assert "single quotes" in finding.hint

    def test_a_key(self) -> None:
        document = reading('"\\alpha": 1\n')
        assert [finding.code for finding in document.findings] == ["YML016"]
        assert document.data == {"\\alpha": 1}

    @pytest.mark.parametrize(
        ("source", "text"),
        [
            (r"'Bounds on $\alpha$'", r"Bounds on $\alpha$"),
            (r"Bounds on \beta", r"Bounds on \beta"),
            (r'"Bounds on $\\alpha$"', r"Bounds on $\alpha$"),
            (r'"say \"no\""', 'say "no"'),
            (r'"two\nlines"', "two\nlines"),
            (r'"caf\xe9 \u00e9"', "café é"),
            ('"folded \\\n  line"', "folded line"),
        ],
    )
    def test_honest_texts(self, source: str, text: str) -> None:
        assert clean(f"title: {source}\n") == {"title": text}


class TestCharacters:
    def test_a_byte_order_mark(self) -> None:
        finding = refused(b"\xef\xbb\xbfid: x\n")
        assert place(finding) == ("YML002", 1, 1)
        assert finding.hint == "save it as UTF-8 without BOM"

    @pytest.mark.parametrize(
        "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
    )
    def test_other_unicode_encodings(self, encoding: str) -> None:
        finding = refused("title: Kestrel\n".encode(encoding))
        assert place(finding) == ("YML001", 1, 1)
        assert f"looks like {encoding[:6].upper()}" in finding.message

    @pytest.mark.parametrize(
        ("raw", "line", "column"),
        [
            (b"title: caf\xe9\n", 1, 11),
            (b"a: 1\r\nb: \xc3\xa9\xff\r\n", 2, 5),
            (b"a: 1\n\xed\xa0\x80", 2, 1),
            (b"a: \xf0\x9d\x94", 1, 4),
        ],
    )
    def test_bytes_that_are_not_utf8(self, raw: bytes, line: int, column: int) -> None:
        assert place(refused(raw)) == ("YML001", line, column)

    def test_latin1_is_recognised(self) -> None:
        assert "in Latin-1 it is `é`" in refused(b"a: \xe9\n").message

    @pytest.mark.parametrize(
        "character", ["\x00", "\x07", "\x0c", "\x1b", "\x7f", "\x9b", "\uffff"]
    )
    def test_control_characters(self, character: str) -> None:
        finding = refused(f"kind: paper\ntitle: 'Kes{character}trel'\n")
        assert place(finding) == ("YML003", 2, 12)
        assert f"U+{ord(character):04X}" in finding.message

    @pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"])
    def test_odd_line_ends_do_not_shift_what_follows(self, character: str) -> None:
        document = reading(f'title: "Kes{character}trel"\nyear: 2024\nyear: 2025\n')
        odd, twice = document.findings
        assert place(odd) == ("YML003", 1, 12)
        assert place(twice) == ("YML011", 3, 1)
        assert "lines 2 and 3" in twice.message
        assert document.locate(("year",)) == Position(2, 7)

    def test_odd_line_ends_do_not_shift_syntax_errors(self) -> None:
        document = reading("note: 'a\u2028b'\ntitle: @x\n")
        assert [place(finding) for finding in document.findings] == [
            ("YML003", 1, 9),
            ("YML008", 2, 8),
        ]

    def test_a_byte_order_mark_inside(self) -> None:
        document = reading("title: Kes\ufefftrel\nyear: ~\n")
        assert [place(finding) for finding in document.findings] == [
            ("YML002", 1, 11),
            ("YML014", 2, 1),
        ]

    def test_columns_count_characters(self) -> None:
        assert place(reading("x: {𝔸é: 1, b: ~}\n").findings[0]) == ("YML014", 1, 12)


class TestIndentation:
    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("venue:\n\tname: x\n", 2),
            ("\tid: x\n", 1),
            ("a: 1\n\tb: 2\n", 2),
            ("a:\n  b: 1\n\tc: 2\n", 3),
            ("a:\n- b\n\t- c\n", 3),
            ("note: |\n\ttext\n", 2),
            ("note: one\n\ttwo\n", 2),
            ("a: [1,\n\t2]\n", 2),
            ('a: "one\n\ttwo"\n', 2),
        ],
    )
    def test_tabs(self, text: str, line: int) -> None:
        (finding,) = reading(text).findings
        assert (finding.code, finding.line) == ("YML009", line)
        assert "tab" in finding.message

    def test_tabs_inside_text_are_text(self) -> None:
        text = "note: |\n  code:\n  \tindented\nother: 'a\tb'\n"
        assert clean(text) == {"note": "code:\n\tindented\n", "other": "a\tb"}

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("a:\n  b: 1\n c: 2\n", 3),
            ("a: 1\n  b: 2\n", 2),
            ("a: 1\n- b\n", 2),
            ("- a\nb: 1\n", 2),
        ],
    )
    def test_lines_that_do_not_fit(self, text: str, line: int) -> None:
        finding = refused(text)
        assert (finding.code, finding.line) == ("YML007", line)
        assert "indent" in finding.hint


class TestOtherSyntax:
    @pytest.mark.parametrize(
        ("text", "line", "column", "words"),
        [
            ('id: x\ntitle: "Kestrel\nyear: 2024\n', 2, 8, "quote that opens here"),
            ("title: 'Kestrel\n", 1, 8, "quote that opens here"),
            ("authors: [Ada, Bo\nyear: 2024\n", 1, 10, "`[` that opens here"),
            ("id: x\na: {b: 1\n", 2, 4, "`{` that opens here"),
            ("a: [b: c: d]\n", 1, 9, "commas"),
            ("a: 1\nKestrel\n", 2, 1, "`key: value`"),
            ("a: 1\nb:2\n", 2, 1, "`key: value`"),
            ("a: &x 1\nb: &x 2\n", 2, 4, "`&x` is given to two values"),
            ("%YAML 3.0\n---\na: 1\n", 1, 1, "`%YAML`"),
            ("a: 1\n...\nb: 2\n", 3, 1, "after the end of the record"),
        ],
    )
    def test_is_told_in_plain_words(self, text: str, line: int, column: int, words: str) -> None:
        finding = refused(text)
        assert place(finding) == ("YML007", line, column)
        assert words in finding.message
        assert finding.hint

    @pytest.mark.parametrize(
        ("text", "line"), [("a: 1\n---\nb: 2\n", 2), ("---\na: 1\n---\n", 3), ("a: 1\n--- b\n", 2)]
    )
    def test_a_second_document(self, text: str, line: int) -> None:
        assert place(refused(text)) == ("YML018", line, 1)

    @pytest.mark.parametrize(
        "text", ["", " \n\n", "\r\n", "# only a comment\n", "---\n", "---\n# c\n"]
    )
    def test_an_empty_file(self, text: str) -> None:
        assert place(refused(text)) == ("YML019", 1, 1)

    @pytest.mark.parametrize(
        ("text", "what"), [("- a\n", "a list"), ("[]", "a list"), ("Kestrel\n", "a single value")]
    )
    def test_no_mapping(self, text: str, what: str) -> None:
        finding = refused(text)
        assert place(finding) == ("YML020", 1, 1)
        assert what in finding.message

    @pytest.mark.parametrize(
        "text", ["---\na: 1\n", "a: 1\n...\n", "%YAML 1.2\n---\na: 1\n", "{a: 1}"]
    )
    def test_one_document_in_any_form(self, text: str) -> None:
        assert clean(text) == {"a": 1}


class TestKeys:
    @pytest.mark.parametrize(
        ("key", "what"),
        [
            ("1", "a number"),
            ("2.10", "a number"),
            ("on", "true or false"),
            ("No", "true or false"),
            ("null", "no value"),
            ("~", "no value"),
            ("2024-07-08", "a date"),
            ("010", "octal 8"),
            (".inf", "a number"),
            ("[a]", "a list"),
            ("{a: b}", "a mapping"),
            ("? [a]\n", "a list"),
        ],
    )
    def test_that_are_not_text(self, key: str, what: str) -> None:
        document = reading(f"id: x\n{key}: y\n")
        (finding,) = document.findings
        assert (finding.code, finding.line) == ("YML012", 2)
        assert what in finding.message
        assert document.data == {"id": "x"}

    @pytest.mark.parametrize("key", ["'1'", '"on"', "y", "<", "a b", "'<<'"])
    def test_that_are_text(self, key: str) -> None:
        assert clean(f"{key}: x\n") == {key.strip("\"'"): "x"}

    def test_the_merge_key(self) -> None:
        document = reading("base: &b {x: 1}\nuse:\n  <<: *b\n  y: 2\n")
        (finding,) = document.findings
        assert place(finding) == ("YML013", 3, 3)
        assert document.data == {"base": {"x": 1}, "use": {"y": 2}}


class TestNumbersThatEndNowhere:
    @pytest.mark.parametrize("written", [".nan", ".NaN", ".inf", "-.inf", "+.INF", "1.0e+999"])
    def test_are_found(self, written: str) -> None:
        document = reading(f"range: [1.5, {written}]\n")
        (finding,) = document.findings
        assert place(finding) == ("YML015", 1, 14)
        assert finding.field == "range[1]"
        assert document.data is not None
        assert isinstance(document.data["range"][1], Doubtful)


class TestDirection:
    @pytest.mark.parametrize("character", ["\u202a", "\u202e", "\u2066", "\u2069"])
    def test_what_turns_the_direction_of_reading_is_refused(self, character: str) -> None:
        document = read(f"title: 'abc{character}def'\n".encode(), "x")
        (finding,) = document.findings
        assert (finding.line, finding.column) == (1, 12)
        assert f"U+{ord(character):04X}" in finding.message
        assert finding.hint == "delete it"

    def test_names_that_run_from_right_to_left_are_fine(self) -> None:
        assert read("title: 'שלום 41'\n".encode(), "x").findings == []


class TestSize:
    def test_a_file_above_the_limit(self) -> None:
        finding = refused(b"a: '" + b"x" * (1 << 19) + b"'\n")
        assert place(finding) == ("YML005", 1, 1)
        assert "524,294" in finding.message
        assert "524,288" in finding.message

    def test_a_long_text_below_it(self) -> None:
        text = "x" * ((1 << 19) - 10)
        assert clean(f"a: '{text}'\n") == {"a": text}

    @pytest.mark.parametrize(
        ("start", "opening"),
        [
            ("", "["),
            ("top: ", "["),
            ("top: ", "{a: "),
            ("top:\n  ", "- "),
            ("top:\n  ", "? "),
            ("top:\n  - ", "[{a: "),
            ("top: ", "!x ["),
        ],
    )
    def test_a_hundred_thousand_levels(self, start: str, opening: str) -> None:
        assert refused(start + opening * 100_000).code == "YML006"

    @pytest.mark.parametrize("wrap", [lambda text: f"[{text}]", lambda text: f"{{k: {text}}}"])
    def test_the_limit_is_32_levels(self, wrap: Callable[[str], str]) -> None:
        inner = "x"
        for _ in range(31):
            inner = wrap(inner)
        clean(f"top: {inner}\n")
        finding = refused(f"top: {wrap(inner)}\n")
        assert finding.code == "YML006"
        assert "32 levels" in finding.message

    def test_indentation_counts_as_levels(self) -> None:
        lines = [" " * level + "k:" for level in range(40)]
        assert refused("\n".join(lines) + " x\n").code == "YML006"

    def test_a_long_list_of_faults_is_cut(self) -> None:
        findings = reading("".join(f"k{n}:\n" for n in range(500))).findings
        assert len(findings) == 101
        assert findings[-1].line == 101
        assert "400 more" in findings[-1].message


def test_codes_are_in_order_and_fully_explained() -> None:
    assert [rule.code for rule in RULES] == [f"YML{n:03}" for n in range(1, len(RULES) + 1)]
    for rule in RULES:
        assert rule.severity == "error"
        assert rule.title
        assert rule.meaning.endswith(".")
        assert rule.mend.endswith(".")


class TestTheFindingThatAPersonSees:
    """What becomes of a word once the record is held against the model of its kind."""

    @staticmethod
    def found(name: str, folder: Path) -> list[tuple[str, str, int, int]]:
        file = folder / "data" / "sources" / "river.yaml"
        file.parent.mkdir(parents=True)
        file.write_text(f"kind: source\nid: river\nname: {name}\ntype: index\n")
        findings = load(folder, use_cache=False).findings
        return [(found.code, found.field, found.line, found.column) for found in findings]

    @pytest.mark.parametrize("name", ["'No'", "'2403.10170'", "'010'", "'#1'", "'.inf'", "River"])
    def test_none_for_text(self, name: str, tmp_path: Path) -> None:
        assert self.found(name, tmp_path) == []

    @pytest.mark.parametrize(
        "name",
        ["No", "2403.10170", "010", "08", "0o17", "12:30", "1e3", "1_000", "2024-07-08", "="],
    )
    def test_one_for_a_word_that_is_no_text(self, name: str, tmp_path: Path) -> None:
        assert self.found(name, tmp_path) == [("SHP002", "name", 3, 7)]

    @pytest.mark.parametrize(
        ("name", "code", "column"),
        [("#1 of Rivers", "YML014", 1), ("~", "YML014", 1), (".nan", "YML015", 7)],
    )
    def test_one_where_there_is_no_value(
        self, name: str, code: str, column: int, tmp_path: Path
    ) -> None:
        assert self.found(name, tmp_path) == [(code, "name", 3, column)]
