"""The codes that reading a file may use: everything that is wrong with it as YAML.

What a value means is not judged here; a value that YAML reads as something else than its field
wants is found when the record is held against the model of its kind.
"""

from __future__ import annotations

from dataclasses import dataclass

from yaml import Node

from registry.findings import Rule


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a file, before it is known which place that is in lines."""

    rule: Rule
    index: int
    """Characters of the file before the place."""
    message: str
    hint: str
    node: Node | None = None
    """The value it is about, if it is about one."""


def shown(text: str, most: int = 60) -> str:
    """``text`` as it can stand in a message: on one line, printable, and not too long."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * most]).split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"


NOT_UTF8 = Rule(
    "YML001",
    "error",
    "not UTF-8",
    "The bytes of the file are not UTF-8. Guessing another encoding would turn names into other "
    "names without a word.",
    "Save the file as UTF-8, without a byte order mark.",
)
BYTE_ORDER_MARK = Rule(
    "YML002",
    "error",
    "byte order mark",
    "An invisible U+FEFF stands at the beginning of the file, where some readers take it for a "
    "part of the first key, or inside it, where it becomes a part of some text.",
    "Save the file as UTF-8 without BOM; inside a text, delete the character.",
)
CHARACTER = Rule(
    "YML003",
    "error",
    "character that does not belong into a record",
    "The file holds a control character or an invisible line separator. Such characters come from "
    "copying out of PDF files or terminals; readers of YAML disagree on where a line with them "
    "ends, and two texts that look the same are then not the same.",
    "Delete the character, or replace it with a space.",
)
CONFLICT = Rule(
    "YML004",
    "error",
    "merge conflict marker",
    "A line begins with <<<<<<< or >>>>>>>. Version control left it there, and inside a block of "
    "text it is valid YAML: the marker and both sides of the conflict would become data.",
    "Keep the right side of the conflict and delete the lines with the markers.",
)
TOO_LARGE = Rule(
    "YML005",
    "error",
    "file too large",
    "A record is a few kilobytes. A file beyond the limit is a wrong file, and is not read.",
    "Move what does not belong into the record elsewhere, or split it into several records.",
)
TOO_DEEP = Rule(
    "YML006",
    "error",
    "nested too deeply",
    "Values stand inside more mappings and lists than any record needs. Such files are usually "
    "made to exhaust a reader, and are not read any further.",
    "Remove brackets or levels of indentation that are not meant.",
)
SYNTAX = Rule(
    "YML007",
    "error",
    "not valid YAML",
    "The file cannot be read as YAML, so none of its facts can be used.",
    "Mend the place that the message names: often a quote or bracket that is not closed, a colon "
    "that is missing, or indentation that fits no line above.",
)
QUOTES = Rule(
    "YML008",
    "error",
    "text that needs quotes",
    "A text without quotes holds a colon followed by a space, or begins with a character that YAML "
    "gives a meaning to: [ { \" ' @ ` % & * | > - ? and some others. Titles often do.",
    "Put the whole text in single quotes, and write a single quote inside it twice.",
)
TAB = Rule(
    "YML009",
    "error",
    "tab as indentation",
    "YAML is indented with spaces only: how far a tab goes depends on the editor.",
    "Replace the tab with spaces.",
)
TAG = Rule(
    "YML010",
    "error",
    "tag",
    "A word that begins with ! tells YAML to build an object of another type, with some readers by "
    "running code. Records hold plain data only; nothing is built or run.",
    "Remove the tag. If it is the beginning of a text, put the text in quotes.",
)
DUPLICATE = Rule(
    "YML011",
    "error",
    "key written twice",
    "A mapping holds the same key more than once. Most readers keep the last value and drop the "
    "others silently, so a fact would be lost.",
    "Keep one of them. Several values of a tracked field are several assertions under one key.",
)
KEY = Rule(
    "YML012",
    "error",
    "key that is not text",
    "A key is a number, a date, true or false, empty, a list or a mapping. Words such as on, yes "
    "and no are read as true or false.",
    "Write the key as a word, or put it in quotes.",
)
MERGE = Rule(
    "YML013",
    "error",
    "merge key",
    "The key << copies the keys of another mapping. Only some readers know it, and what a record "
    "says must not depend on the reader.",
    "Write the keys out.",
)
NO_VALUE = Rule(
    "YML014",
    "error",
    "key without a value",
    "Nothing stands after a key or a list mark, or only null or ~. Usually a text begins with #: "
    "without quotes it is a comment, and is lost silently.",
    "Put a text that begins with # in quotes. If there is no value, remove the key.",
)
NOT_FINITE = Rule(
    "YML015",
    "error",
    "number that is not finite",
    "A value is infinite, not a number, or larger than a floating-point number can be. No "
    "measurement is, and JSON cannot write it.",
    "Write the number, or remove the key and say why in a note.",
)
ESCAPE = Rule(
    "YML016",
    "error",
    "backslash in double quotes",
    r"In double quotes a backslash begins an escape: \alpha is read as a bell and lpha, \beta as a "
    r"backspace and eta, \textbf as a tab and extbf. TeX is damaged that way without a word.",
    "Use single quotes, in which a backslash is a backslash.",
)
ALIASES = Rule(
    "YML017",
    "error",
    "aliases that loop or explode",
    "Aliases (*name) repeat a value that was given a name with &name. Here they make a value "
    "contain itself, or multiply into far more values than are written in the file.",
    "Write the values out.",
)
SECOND = Rule(
    "YML018",
    "error",
    "second document",
    "The file holds more than one YAML document. A file holds one record, and its name is the id.",
    "Move each record to a file of its own, or remove the line --- between them.",
)
EMPTY = Rule(
    "YML019",
    "error",
    "empty file",
    "The file holds nothing, or nothing but comments.",
    "Write the record, or delete the file if it never was one.",
)
NOT_A_MAPPING = Rule(
    "YML020",
    "error",
    "not a mapping",
    "The file holds a list or a single text. A record is a mapping: lines of the form key: value.",
    "Begin with the keys kind and id.",
)

RULES: tuple[Rule, ...] = (
    NOT_UTF8,
    BYTE_ORDER_MARK,
    CHARACTER,
    CONFLICT,
    TOO_LARGE,
    TOO_DEEP,
    SYNTAX,
    QUOTES,
    TAB,
    TAG,
    DUPLICATE,
    KEY,
    MERGE,
    NO_VALUE,
    NOT_FINITE,
    ESCAPE,
    ALIASES,
    SECOND,
    EMPTY,
    NOT_A_MAPPING,
)
