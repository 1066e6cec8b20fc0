r"""TeX to Unicode, for one line of text such as a title or a name.

The reading of TeX is pylatexenc's. What is added here is care for text that only looks like TeX: a
percent sign or a dollar amount in a title must not swallow what follows, and a macro that nobody
here knows is kept as it was written. Loading pylatexenc takes a while, so it waits for the first
text that has a backslash or a formula.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any

_VOCABULARY = ("latex-base", "nonascii-specials", "advanced-symbols")
"""The parts of pylatexenc's vocabulary that are letters and symbols."""

_KEPT = ("today", "input", "include")
"""Macros of those parts that would ask the clock or the disk."""

_SILENT = (
    "em it bf sc sl tt rm sf sffamily rmfamily ttfamily itshape scshape slshape bfseries mdseries "
    "upshape normalfont boldmath unboldmath displaystyle textstyle scriptstyle left right big Big "
    "bigg Bigg bigl bigr Bigl Bigr limits nolimits protect xspace relax noindent tiny small large "
    "Large normalsize ignorespaces nobreak allowbreak / - ! @"
)
"""Macros that change the look of what follows and print nothing."""

_ONE_ARGUMENT = (
    "emph textsc textit textbf textrm textsl textsf texttt textup textmd textnormal text mbox hbox "
    "textsuperscript textsubscript underline overline widehat widetilde mathrm mathnormal mathop "
    "operatorname ensuremath boldsymbol bm url path t"
)
"""Macros that print their argument."""

_SHAPED: dict[str, tuple[str, str]] = {
    "href": ("{{", "{1}"),
    "textcolor": ("{{", "{1}"),
    "frac": ("{{", "{0}/{1}"),
    "nicefrac": ("{{", "{0}/{1}"),
    "sqrt": ("[{", "√({1})"),
    "bra": ("{", "⟨{0}|"),
    "ket": ("{", "|{0}⟩"),
    "braket": ("{{", "⟨{0}|{1}⟩"),
    "ketbra": ("{{", "|{0}⟩⟨{1}|"),
}
"""Macros with several arguments: their shape as pylatexenc writes it, and what they print."""

_ACCENTS = {
    "h": "\u0309",
    "f": "\u0311",
    "G": "\u030f",
    "U": "\u030e",
    "textcommabelow": "\u0326",
}
"""Accents that pylatexenc lacks, and the combining character of each."""

_SYMBOLS = {
    "TeX": "TeX",
    "LaTeX": "LaTeX",
    "BibTeX": "BibTeX",
    "less": "<",
    "greater": ">",
    "lt": "<",
    "gt": ">",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textbraceleft": "{",
    "textbraceright": "}",
    "textasteriskcentered": "*",
    "textunderscore": "_",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textquotesingle": "'",
    "textquotedbl": '"',
    "slash": "/",
    "\\": " ",
    "ohorn": "ơ",
    "OHORN": "Ơ",
    "uhorn": "ư",
    "UHORN": "Ư",
}
"""Symbols that pylatexenc lacks, or gives as another character that only looks alike."""

_AFTER_UNKNOWN = "\ue000"
"""Stands behind an unknown macro until it is known whether a letter follows."""

_GUARD = re.compile(
    r"\\.|(\${1,2})(?=\S)((?:\\.|[^$\\])+?)(?<!\s)\1(?![0-9])|[$%&]|\\$",
    re.DOTALL,
)
_SPECIAL = re.compile(r"\\.|[%&]", re.DOTALL)
_BRACES = str.maketrans("", "", "{}")


def to_unicode(text: str) -> str:
    r"""The text that TeX would print: ``{\"o}`` is ö, ``$\omega$`` is ω, braces are dropped.

    A command name is the longest run of letters behind the backslash. An unknown macro stays as
    written, with its arguments behind it.
    """
    if "\\" not in text and "$" not in text:
        # Braces come off last: TeX makes no dash of -{}-.
        return _ligatures(text).translate(_BRACES).replace("~", " ")
    convert, shapes = _converter()
    try:
        plain = convert.latex_to_text(_GUARD.sub(_guard, text), latex_context=shapes)
    except (LookupError, RecursionError, ValueError):
        # Unfinished macros and braces nested beyond reason: better as written than mangled.
        return text
    return re.sub(_AFTER_UNKNOWN + r"(?=\w)", " ", plain).replace(_AFTER_UNKNOWN, "")


def _guard(match: re.Match[str]) -> str:
    """Escape what is no TeX: a lone dollar sign, a percent sign that would start a comment."""
    if match[1]:
        return f"${_SPECIAL.sub(_escape, match[2])}$"
    return _escape(match)


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    if found == "\\":
        return r"\textbackslash{}"
    return found if len(found) > 1 else f"\\{found}"


def _ligatures(text: str) -> str:
    for written, printed in (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”")):
        if written in text:
            text = text.replace(written, printed)
    return text


def _unknown(node: Any, l2tobj: Any) -> str:
    arguments = node.nodeargd.argnlist if node.nodeargd else None
    texts = [l2tobj.nodelist_to_text([one]) for one in arguments or () if one]
    return f"\\{node.macroname}{_AFTER_UNKNOWN}{' '.join(texts) or node.macro_post_space}"


def _printing(pattern: str) -> Callable[[Any, Any], str]:
    def printed(node: Any, l2tobj: Any) -> str:
        found = node.nodeargd.argnlist if node.nodeargd and node.nodeargd.argnlist else ()
        texts = [l2tobj.nodelist_to_text([one]) if one else "" for one in found]
        return pattern.format(*texts)

    return printed


def _accented(mark: str) -> Callable[[Any, Any], str]:
    bare = _printing("{0}")

    def accented(node: Any, l2tobj: Any) -> str:
        text = bare(node, l2tobj)
        return unicodedata.normalize("NFC", text[:1] + mark) + text[1:]

    return accented


@cache
def _converter() -> tuple[Any, Any]:
    """The converter, and the shapes of the macros it knows."""
    from pylatexenc import latex2text, latexwalker
    from pylatexenc.latex2text import MacroTextSpec
    from pylatexenc.macrospec import MacroSpec

    one_argument = dict.fromkeys(_ONE_ARGUMENT.split(), ("{", "{0}"))
    printing = {
        **{name: (shape, _printing(text)) for name, (shape, text) in one_argument.items()},
        **{name: (shape, _printing(text)) for name, (shape, text) in _SHAPED.items()},
        **{name: ("{", _accented(mark)) for name, mark in _ACCENTS.items()},
        **dict.fromkeys(_KEPT, ("", _unknown)),
        **{name: ("", symbol) for name, symbol in _SYMBOLS.items()},
        **dict.fromkeys(_SILENT.split(), ("", "")),
    }
    texts = latex2text.get_default_latex_context_db().filter_context(
        keep_categories=list(_VOCABULARY)
    )
    texts.add_context_category(
        "one line",
        prepend=True,
        macros=[MacroTextSpec(name, simplify_repl=text) for name, (_, text) in printing.items()],
        specials=[latex2text.SpecialsTextSpec("&", "&")],
    )
    texts.set_unknown_macro_spec(MacroTextSpec("", simplify_repl=_unknown))
    shapes = latexwalker.get_default_latex_context_db()
    shapes.add_context_category(
        "one line",
        prepend=True,
        macros=[MacroSpec(name, shape) for name, (shape, _) in printing.items()],
    )
    convert = latex2text.LatexNodes2Text(latex_context=texts, math_mode="text")
    return convert, shapes
