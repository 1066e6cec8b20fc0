"""A page as GitHub Markdown. Text from records is escaped: it shows as it is and does nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from registry.reports.markdown import CALL, ESCAPES
from registry.reports.wording import visible
from registry.views.collect import Broken, Subject
from registry.views.page import (
    Block,
    Bullets,
    Grid,
    Page,
    Pairs,
    Paragraph,
    Run,
    Verdicts,
    Words,
    one_line,
)
from registry.views.pages import page_of
from registry.views.values import status_word
from registry.views.verdicts import legend, notes, sign

_ESCAPES = ESCAPES | str.maketrans({"#": "\\#"})
"""A number sign ends a heading as well as it begins one."""
_BEGINS_A_BLOCK = re.compile(r"^([+=-]|\d+(?=[.)](\s|$)))")
"""What would make a heading or a list of the line that it begins."""
_TAGS = ("<strong>", "</strong>")


def render(found: Subject | Broken, *, with_history: bool = False) -> str:
    """What was found as a Markdown document."""
    return render_page(page_of(found, with_history=with_history))


def render_page(page: Page) -> str:
    """A page as a Markdown document."""
    parts = [f"# {_escape(page.title)}", f"`{visible(page.key)}`"]
    parts += map(_block, page.opening)
    for section in page.sections:
        parts.append(f"## {_escape(section.heading)}")
        parts += map(_block, section.blocks)
    parts.append(_text(page.closing))
    return "\n\n".join(part for part in parts if part) + "\n"


def render_blocks(blocks: Iterable[Block]) -> str:
    """Parts of a page, for a document that somebody else wrote the rest of."""
    return "\n\n".join(map(_block, blocks)) + "\n"


def _escape(text: str) -> str:
    return CALL.sub("\u200b", visible(one_line(text)).translate(_ESCAPES))


def _text(given: Words) -> str:
    """A text on one line that begins no block of its own."""
    shown = "".join(map(_run, given)).strip()
    return _BEGINS_A_BLOCK.sub(_harmless, shown)


def _harmless(match: re.Match[str]) -> str:
    return f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}"


def _run(run: Run) -> str:
    text = one_line(run.text)
    shown = text.strip()
    if run.tone not in ("strong", "alarm") or not shown:
        return _escape(text)
    # Asterisks beside punctuation may stand for themselves; the tag never does.
    marks = ("**", "**") if shown[0].isalnum() and shown[-1].isalnum() else _TAGS
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}{marks[0]}{_escape(shown)}{marks[1]}{after}"


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _text(block.text)
    if isinstance(block, Pairs):
        return "\n".join(f"- **{_escape(name)}**: {_text(text)}" for name, text in block.rows)
    if isinstance(block, Bullets):
        return "\n".join(line for lines in block.items for line in _item(lines))
    if isinstance(block, Grid):
        return _table(block.head, [[_text(cell) for cell in row] for row in block.rows])
    if isinstance(block, Verdicts):
        return _verdicts(block)
    inner = "\n\n".join([f"**{_escape(block.title)}**", *map(_block, block.blocks)])
    return "\n".join(f"> {line}".rstrip() for line in ["[!WARNING]", *inner.splitlines()])


def _item(lines: Sequence[Words]) -> Iterator[str]:
    head, *details = [_text(line) for line in lines if line] or [""]
    yield f"- {head}"
    yield from (f"  - {detail}" for detail in details)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [[_escape(name) for name in head], ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _verdicts(block: Verdicts) -> str:
    matrix = block.matrix
    cells = {(cell.field, cell.source): cell for cell in matrix.cells}
    table = _table(
        ("field", "record", "status", *matrix.sources),
        [
            (
                _escape(field),
                _text(block.values.get(field, ())),
                _text((status_word(status),)),
                *(sign(cells.get((field, source))) for source in matrix.sources),
            )
            for field, status in matrix.statuses.items()
        ],
    )
    said = [f"- {_escape(note)}" for note in notes(matrix)]
    return "\n\n".join(filter(None, (table, legend(matrix), "\n".join(said))))
