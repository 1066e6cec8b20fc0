"""Edits of a file's text: what changes, and that nothing else does."""

from __future__ import annotations

import copy
import difflib
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from judges import EXAMPLES

from registry.errors import EditError
from registry.records import FOLDERS, KindName
from registry.records.outline import tracked_fields
from registry.store import style
from registry.store.edit import Append, Change, Put, Remove, apply, edit, same
from registry.store.parser import compose
from registry.store.reader import read

ROOT = Path(__file__).resolve().parent.parent.parent
DAY = date(2026, 3, 1)


def edited(text: str, *changes: Change, kind: KindName = "paper") -> str:
    return edit(text.encode(), changes, kind).decode()


RECORD = """\
# A heading.
kind: paper  # always
id: otters   # never changed

# What it is called.
title:
  status: asserted   # so far
  assertions:
    - value: "Otters"
      rank: preferred
      recorded: 2026-01-02
      by: mira
      basis: stated
      evidence: [one, two]  # both
      # A last word.

# Who wrote it.
note: >-
  Two words
  here.
# The end.
"""


def test_a_scalar_changes_on_its_line_and_keeps_its_comment() -> None:
    expected = RECORD.replace("status: asserted   # so far", "status: contested   # so far")
    assert edited(RECORD, Put(("title", "status"), "contested")) == expected


def test_a_new_key_goes_where_its_kind_has_it() -> None:
    after = edited(RECORD, Put(("title", "contested_because"), "Why."))
    expected = RECORD.replace("# so far\n", "# so far\n  contested_because: Why.\n")
    assert after == expected
    after = edited(RECORD, Put(("title", "assertions", 0, "because"), "Why."))
    assert after == RECORD.replace("# both\n", "# both\n      because: Why.\n")


def test_an_item_is_added_behind_the_comments_of_the_last_and_before_all_others() -> None:
    item = {"value": "Seals", "rank": "normal", "recorded": DAY, "evidence": ["three"]}
    lines = (
        '    - value: "Seals"\n      rank: normal\n      recorded: 2026-03-01\n'
        "      evidence: [three]\n"
    )
    after = edited(RECORD, Append(("title", "assertions"), item))
    last = "      # A last word.\n"
    assert after == RECORD.replace(last, f"{last}{lines}")


@pytest.mark.parametrize(
    ("comments", "others"),
    [
        ("      # deeper\n", ""),
        ("    # at the dash\n", ""),
        ("      # one\n\n      # two\n", ""),
        ("", "  # of the status\n"),
        ("    # of the item\n", "\n  # of the status\n"),
    ],
)
def test_a_comment_as_far_in_as_an_item_stays_with_it(comments: str, others: str) -> None:
    start = "kind: paper\nid: otters\ntitle:\n  assertions:\n    - value: Otters\n      by: mira\n"
    end = "  status: asserted\n"
    after = edited(f"{start}{comments}{others}{end}", Append(("title", "assertions"), {"by": "jo"}))
    assert after == f"{start}{comments}    - by: jo\n{others}{end}"


def test_a_comment_beside_a_list_that_is_not_indented_is_about_what_follows() -> None:
    start = "kind: paper\nid: otters\nmethods:\n- one\n  # of one\n"
    end = "# Anything else.\nnote: Wet.\n"
    after = edited(start + end, Append(("methods",), "two"))
    assert after == f"{start}- two\n{end}"


def test_a_new_key_stands_behind_the_comments_of_the_one_before_it() -> None:
    start = "kind: paper\nid: otters\ntitle:\n  status: asserted\n  # so far\n"
    end = "# Who.\nauthors: {status: asserted}\n"
    after = edited(start + end, Put(("note",), "Wet."))
    assert after == f"kind: paper\nid: otters\nnote: Wet.\n{(start + end)[23:]}"
    after = edited(start + end, Put(("venue",), "ict"))
    assert after == f"{start}{end}venue: ict\n"
    after = edited(start, Put(("venue",), "ict"))
    assert after == f"{start}venue: ict\n"


@pytest.mark.parametrize("text", ["note: |+\n  Wet.\n\n", "note: >+\n  Wet.\n"])
def test_the_last_line_break_of_a_file_stays(text: str) -> None:
    start = "kind: paper\nid: otters\n"
    after = edited(start + text, Put(("note",), "Dry."))
    assert after.startswith(f"{start}note: Dry.\n")
    assert after.strip() == f"{start}note: Dry."
    assert edited(start + text, Put(("venue",), "ict")) == f"{start}{text}venue: ict\n"


def test_a_short_list_stays_in_brackets_while_it_fits() -> None:
    after = edited(RECORD, Append(("title", "assertions", 0, "evidence"), "three"))
    assert after == RECORD.replace("[one, two]  # both", "[one, two, three]  # both")
    name = "n" * 80
    after = edited(RECORD, Append(("title", "assertions", 0, "evidence"), name))
    block = f"evidence: # both\n        - one\n        - two\n        - {name}\n"
    assert after == RECORD.replace("evidence: [one, two]  # both\n", block)


def test_a_list_in_brackets_over_lines_takes_one_more_on_its_last_line() -> None:
    text = "kind: paper\nmethods: [\n    one, two,  # so far\n  ]\n"
    after = edited(text, Append(("methods",), "three"))
    assert after == text.replace("two,", "two, three,")
    long = "n" * 90
    after = edited(text, Append(("methods",), long))
    assert after == text.replace("two,", f"two,\n    {long},")


def test_a_folded_text_goes_on_where_it_ended() -> None:
    more = "Two words here. " + "More of them. " * 8
    after = edited(RECORD, Put(("note",), more.strip()))
    assert after == RECORD.replace(
        "  here.\n",
        "  here." + 6 * " More of them." + " More of\n  them. More of them.\n",
    )


def test_another_folded_text_is_written_at_100_columns() -> None:
    words = " ".join(["word"] * 40)
    after = edited(RECORD, Put(("note",), words))
    lines = ["  " + " ".join(["word"] * 19), "  " + " ".join(["word"] * 19), "  word word"]
    assert after == RECORD.replace("  Two words\n  here.\n", "\n".join([*lines, ""]))


def test_a_key_is_taken_out_and_its_comments_stay() -> None:
    after = edited(RECORD, Remove(("note",)))
    assert after == RECORD.replace("note: >-\n  Two words\n  here.\n", "")
    after = edited(RECORD, Remove(("title", "assertions", 0, "evidence")))
    assert after == RECORD.replace("      evidence: [one, two]  # both\n", "      # both\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("ended", [True, False])
def test_line_ends_stay(newline: str, ended: bool) -> None:
    text = "kind: paper\nid: otters\nmethods:\n- one\n".replace("\n", newline)
    text = text if ended else text.removesuffix(newline)
    expected = text.removesuffix(newline) + f"{newline}- two" + (newline if ended else "")
    assert edited(text, Append(("methods",), "two")) == expected
    expected = text.replace("- one", f"- one{newline}- two").replace("id:", f"note: x{newline}id:")
    both = edited(text, Append(("methods",), "two"), Remove(("id",)), Put(("note",), "x"))
    assert both == f"kind: paper{newline}note: x{newline}methods:{newline}- one{newline}- two" + (
        newline if ended else ""
    )
    assert edited(text, Remove(("methods",))) == f"kind: paper{newline}id: otters" + (
        newline if ended else ""
    )


def test_quotes_and_brackets_follow_what_stands_there() -> None:
    text = (
        "kind: paper\npages:\n  assertions:\n    - value: '1-9'\n"
        "authors:\n  assertions:\n    - value:\n        - {given: Ada, family: Abel}\n"
    )
    item = {"value": "1-19", "supersedes": "1-9"}
    after = edited(text, Append(("pages", "assertions"), item))
    assert "    - value: '1-19'\n      supersedes: '1-9'\n" in after
    people = [{"given": "Bo, the", "family": "Berg"}, {"family": "Cao"}]
    after = edited(text, Append(("authors", "assertions"), {"value": people}))
    lines = '    - value:\n        - {given: "Bo, the", family: Berg}\n        - {family: Cao}\n'
    assert after == text + lines


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain words", "plain words"),
        ("no", '"no"'),
        ("2401.15070", '"2401.15070"'),
        ("010", '"010"'),
        ("12:30", '"12:30"'),
        ("2026-03-01", '"2026-03-01"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("a#b:c", "a#b:c"),
        ("- a", '"- a"'),
        ("-a", "-a"),
        ("{EAGLE}", '"{EAGLE}"'),
        ('say "yes"', 'say "yes"'),
        ('"yes"', '"\\"yes\\""'),
        ("one\ntwo", '"one\\ntwo"'),
        (" a", '" a"'),
        ("", '""'),
        ("https://example.org/a?b#c", "https://example.org/a?b#c"),
        (7, "7"),
        (7.0, "7.0"),
        (1e22, "1.0e+22"),
        (True, "true"),
        (DAY, "2026-03-01"),
        ([], "[]"),
        ([1, "a, b"], '[1, "a, b"]'),
        ({"value": 40, "unit": "GB"}, "{value: 40, unit: GB}"),
    ],
)
def test_the_house_style_of_a_value(value: Any, written: str) -> None:
    assert style.entry("key", value, 0) == [f"key: {written}"]
    assert same(read(f"key: {written}\n".encode(), "").data, {"key": value})


def test_the_notes_of_a_shipped_record_are_folded_as_they_stand() -> None:
    raw = (ROOT / "data/papers/eagle.yaml").read_bytes()
    folded = re.findall(r"(?m)^( *)(?:- )?(\w+): >-\n((?:\1 {2,}.*\n)+)", raw.decode())
    assert len(folded) > 15
    for spaces, key, lines in folded:
        text = " ".join(lines.split())
        assert style.entry(key, text, len(spaces))[1:] == lines.splitlines() or key == (
            "inferred_from"  # one that would fit on its line
        )


@pytest.mark.parametrize(
    "text",
    [
        "kind: paper\nnote: |\n  a",  # one more line would change the text above it
        "? kind\n: paper\n",
        "kind: &a paper\nid: *a\n",
        "kind: [\n",
    ],
)
def test_what_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        edited(text, Put(("kind",), "method"), Put(("title",), "x"))


def test_numbers_and_flags_are_not_the_same() -> None:
    assert not same({"a": 1}, {"a": True})
    assert not same([1], [1.0])
    assert same({"a": [1, {"b": DAY}], "c": "x"}, {"c": "x", "a": [1, {"b": DAY}]})


# Any record of any kind, written by hand or by a program, and any edit.

FILES = [
    (kind, path)
    for kind, folder in FOLDERS.items()
    for path in (
        *sorted((ROOT / "data" / folder).glob("*.yaml"))[:6],
        *sorted((EXAMPLES / "valid" / kind).glob("*.yaml")),
    )
]
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cf")), max_size=12
)
TEXTS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=30).map(" ".join),
    st.sampled_from(
        ["no", "1.5e3", "a: b", "x #y", "'", '"', "~", "2401.15070", "---", "- ", "? "]
    ),
)
SCALARS = st.one_of(TEXTS, st.integers(-(10**9), 10**9), st.booleans(), st.dates(date(1900, 1, 1)))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["value", "unit", "because", "given"]), inner, max_size=4),
    ),
    max_leaves=8,
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path]
    if isinstance(value, (dict, list)):
        for step, one in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(one, (*path, step))
    return found


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@st.composite
def files(draw: st.DrawFn) -> tuple[KindName, bytes]:
    kind, path = draw(st.sampled_from(FILES))
    text = path.read_text(encoding="utf-8")
    if draw(st.booleans()):
        text = yaml.safe_dump(
            read(text.encode(), "").data,
            sort_keys=draw(st.booleans()),
            allow_unicode=True,
            width=draw(st.sampled_from([40, 80, 1000])),
            default_flow_style=draw(st.sampled_from([False, None, True])),
        )
    lines = text.splitlines(keepends=True)
    for number in draw(st.lists(st.integers(0, len(lines) - 1), max_size=3)):
        # A comment may stand at the margin unless a folded or quoted text goes on below it.
        trial = [*lines[:number], "# a comment\n", *lines[number:]]
        if same(read("".join(trial).encode(), "").data, read(text.encode(), "").data):
            lines = trial
    text = "".join(lines)
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return kind, text.encode()


@st.composite
def changes(draw: st.DrawFn, kind: KindName, data: dict[str, Any]) -> Change:
    every = places(data)
    mappings = [path for path in every if isinstance(at(data, path), dict)]
    lists = [path for path in every if isinstance(at(data, path), list)]
    keys = [path for path in every if path and isinstance(path[-1], str)]
    scalars = [path for path in every if not isinstance(at(data, path), (dict, list))]
    fields = [path for path, _ in tracked_fields(kind, data)]
    kinds = ["put", "new", "remove", *(["append"] if lists else []), *(["field"] if fields else [])]
    which = draw(st.sampled_from(kinds))
    if which == "put":
        return Put(draw(st.sampled_from(scalars)), draw(VALUES))
    if which == "new":
        path = draw(st.sampled_from(mappings))
        key = draw(st.sampled_from(["note", "because", "past_decisions", "doi", "zebra"]))
        return Put((*path, key), draw(VALUES))
    if which == "remove":
        return Remove(draw(st.sampled_from(keys)))
    if which == "append":
        return Append(draw(st.sampled_from(lists)), draw(VALUES))
    place = (*draw(st.sampled_from(fields)), "assertions")
    return Append(place, copy.deepcopy(at(data, place)[-1]))


@settings(max_examples=150)
@given(st.data())
def test_any_edit_of_any_record(data: st.DataObject) -> None:
    kind, raw = data.draw(files())
    before = read(raw, "").data
    assert before is not None
    wanted = data.draw(changes(kind, before))
    try:
        after = edit(raw, [wanted], kind)
    except EditError:
        # The last text of a file without a line end, which one more line would change.
        assert not raw.endswith(b"\n")
        return
    assert same(read(after, "").data, apply(before, [wanted]))
    old, new = raw.decode().splitlines(), after.decode().splitlines()
    assert raw.count(b"# a comment") == after.count(b"# a comment")
    assert after.endswith(b"\n") == raw.endswith(b"\n")
    assert (b"\r\n" in raw) == (b"\r\n" in after)
    first, last = own_lines(raw, wanted)
    same_above = shared(old, new)
    same_below = shared(old[::-1], new[::-1])
    if old != new:
        assert same_above >= min(first, len(old))
        assert len(old) - same_below <= last + 1
    diff = list(difflib.ndiff(old, new))
    assert list(difflib.restore(diff, 1)) == old


def shared(one: list[str], other: list[str]) -> int:
    """How many lines are the same from the first on."""
    pairs = zip(one, other, strict=False)
    differ = (number for number, (mine, yours) in enumerate(pairs) if mine != yours)
    return next(differ, min(len(one), len(other)))


def own_lines(raw: bytes, change: Change) -> tuple[int, int]:
    """First and last line, from 0, that may change: those of the innermost thing edited.

    Inside brackets that is the whole of the outermost ones.
    """
    path = change.path
    node: Any = compose(raw)
    pairs: list[tuple[Any, Any]] = [(node, node)]
    for step in path:
        if isinstance(node, yaml.MappingNode):
            pair = next((p for p in node.value if p[0].value == step), None)
            if pair is None:  # a new key, anywhere between the lines of its mapping
                break
        else:
            pair = (node.value[step], node.value[step])
        node = pair[1]
        pairs.append(pair)
    if isinstance(change, Remove):
        container = pairs[-2][1]
        if len(container.value) == 1 or container.value[0][0] is pairs[-1][0]:
            pairs.pop()
    flow = next((p for p in pairs if getattr(p[1], "flow_style", False)), pairs[-1])
    return flow[0].start_mark.line, end_line(raw, flow[1])


def end_line(raw: bytes, node: Any) -> int:
    """The line, from 0, on which the last character of a value stands."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style:
        node = node.value[-1]
        node = node[1] if isinstance(node, tuple) else node
    text = raw.decode()[: node.end_mark.index]
    return (
        text.rstrip().count("\n") if getattr(node, "style", "") in ("|", ">") else text.count("\n")
    )
