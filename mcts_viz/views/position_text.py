"""The recorded text of a position, taken apart into what a page can show: a grid, or the parts of
Markdown.

Nothing here becomes markup: the parts are drawn as text elements. Links and pictures are shown as
text, never followed or loaded. Knows neither Dash nor the browser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.states import GRID, MARKDOWN, grid_rows

MOST_PARSED = 20_000  # characters of Markdown; what follows is shown as it is
MOST_CELLS = 100  # in a row, and in a column; a larger grid is shown as text

FENCE = re.compile(r"\s{0,3}(```|~~~)")
HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
RULE = re.compile(r"\s{0,3}([-*_])(?:\s*\1){2,}\s*$")
ITEM = re.compile(r"\s{0,8}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$")
QUOTE = re.compile(r"\s{0,3}>\s?(.*)$")
TABLE_LINE = re.compile(r"\s{0,3}\|[\s:|-]+$")
# bounded, so that no text takes longer than its length times this
INLINE = re.compile(
    r"`(?P<code>[^`\n]{1,200})`"
    r"|\*\*(?P<strong>[^*\n]{1,200})\*\*"
    r"|\*(?P<em>[^*\s][^*\n]{0,200})\*"
    r"|(?<!\w)_(?P<em_too>[^_\s][^_\n]{0,200})_(?!\w)"
    r"|!?\[(?P<label>[^\]\n]{0,200})\]\((?P<address>[^)\n]{0,400})\)"
)


class Span(NamedTuple):
    """A run of text in one style."""

    style: str  # "", "strong", "em" or "code"
    text: str


class TextBlock(NamedTuple):
    """A part of a position's text; which fields count depends on the kind."""

    kind: str  # "heading", "paragraph", "quote", "list", "numbers", "code", "rule" or "grid"
    spans: Sequence[Span] = ()  # of a heading, a paragraph, a quote; one plain one of code
    level: int = 0  # of a heading, from 1
    items: Sequence[Sequence[Span]] = ()  # of a list, numbered or not
    rows: Sequence[Sequence[str]] = ()  # of a grid


def position_blocks(meta: TraceMeta, state: str | None) -> list[TextBlock] | None:
    """The parts of a state; None where it is plain text, or there is none."""
    if not state:
        return None
    found = meta.states_are_in
    if found == GRID:
        rows = grid_rows(state)
        fits = len(rows) <= MOST_CELLS and max(map(len, rows)) <= MOST_CELLS
        return [TextBlock("grid", rows=rows)] if fits else None
    return markdown_blocks(state) if found == MARKDOWN else None


def as_json(blocks: list[TextBlock] | None) -> list[dict[str, object]] | None:
    """As the browser takes them."""
    return None if blocks is None else [block._asdict() for block in blocks]


def markdown_blocks(text: str) -> list[TextBlock]:
    """Headings, paragraphs, lists, quotes, tables, code; all else stays as it is written."""
    blocks: list[TextBlock] = []
    lines = text[:MOST_PARSED].split("\n")
    at = 0
    while at < len(lines):
        at = _block(lines, at, blocks)
    if len(text) > MOST_PARSED:
        blocks.append(TextBlock("paragraph", [Span("", text[MOST_PARSED:])]))
    return blocks


def _block(lines: list[str], at: int, blocks: list[TextBlock]) -> int:
    """Read the block that begins at a line; returns the place of the first line after it."""
    line = lines[at]
    if not line.strip():
        return at + 1
    if fence := FENCE.match(line):
        return _code(lines, at + 1, fence[1], blocks)
    if heading := HEADING.match(line):
        blocks.append(TextBlock("heading", spans_of(heading[2]), level=len(heading[1])))
        return at + 1
    if RULE.match(line):
        blocks.append(TextBlock("rule"))
        return at + 1
    if line.lstrip().startswith("|") and at + 1 < len(lines) and TABLE_LINE.match(lines[at + 1]):
        return _table(lines, at, blocks)
    if item := ITEM.match(line):
        return _list(lines, at, "list" if item[1] is None else "numbers", blocks)
    if QUOTE.match(line):
        end = _end(lines, at, QUOTE)
        quoted = "\n".join(QUOTE.sub(r"\1", each) for each in lines[at:end])
        blocks.append(TextBlock("quote", spans_of(quoted)))
        return end
    end = at + 1
    while end < len(lines) and not _begins_block(lines[end]):
        end += 1
    blocks.append(TextBlock("paragraph", spans_of("\n".join(lines[at:end]))))
    return end


def _begins_block(line: str) -> bool:
    if not line.strip():
        return True
    return any(pattern.match(line) for pattern in (FENCE, HEADING, RULE, ITEM, QUOTE))


def _end(lines: list[str], at: int, pattern: re.Pattern[str]) -> int:
    while at < len(lines) and pattern.match(lines[at]):
        at += 1
    return at


def _code(lines: list[str], at: int, fence: str, blocks: list[TextBlock]) -> int:
    end = at
    while end < len(lines) and not lines[end].strip().startswith(fence):
        end += 1
    blocks.append(TextBlock("code", [Span("", "\n".join(lines[at:end]))]))
    return end + 1


def _list(lines: list[str], at: int, kind: str, blocks: list[TextBlock]) -> int:
    items = []
    while at < len(lines) and (item := ITEM.match(lines[at])):
        if (item[1] is None) != (kind == "list"):
            break
        items.append(spans_of(item[2]))
        at += 1
    blocks.append(TextBlock(kind, items=items))
    return at


def _table(lines: list[str], at: int, blocks: list[TextBlock]) -> int:
    rows = []
    for line in lines[at:]:
        if not line.lstrip().startswith("|"):
            break
        if not TABLE_LINE.match(line):
            cells = line.strip().strip("|").split("|")
            rows.append(["".join(text for _, text in spans_of(each.strip())) for each in cells])
        at += 1
    blocks.append(TextBlock("grid", rows=rows))
    return at


def spans_of(text: str) -> list[Span]:
    """A line's text by style. A link is its words and, in brackets, its address."""
    spans: list[Span] = []
    end = 0
    for found in INLINE.finditer(text):
        if found.start() > end:
            spans.append(Span("", text[end : found.start()]))
        spans.append(_span(found))
        end = found.end()
    if end < len(text):
        spans.append(Span("", text[end:]))
    return spans


def _span(found: re.Match[str]) -> Span:
    for style in ("code", "strong", "em"):
        if found[style] is not None:
            return Span(style, found[style])
    if found["em_too"] is not None:
        return Span("em", found["em_too"])
    return Span("", f"{found['label']} ({found['address']})")
