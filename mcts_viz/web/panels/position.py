"""A position as recorded text, in the inspector: plain, a grid, or the parts of Markdown. Text stays
text: no part of it becomes markup, a link or a picture. `assets/hover.js` shows the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html

from mcts_viz.views.position_text import Block, Span, position_blocks
from mcts_viz.web.attributes import aria

WIDE = 40  # characters of a line; a position with longer ones is no board, but sentences
STYLES: Mapping[str, Any] = {"strong": html.Strong, "em": html.Em, "code": html.Code}
HEADINGS = (html.H3, html.H4, html.H5, html.H6)  # under the panel's own h2


def position(meta: Mapping[str, Any], state: str | None) -> tuple[Any, bool]:
    """The state as it is shown, and whether it needs the width of the panel; (None, False) where
    there is none."""
    if not state:
        return None, False
    blocks = position_blocks(meta, state)
    named = aria("position at the node")
    if blocks is None:
        wide = max(map(len, state.split("\n"))) > WIDE
        look = "state long" if wide else "state"
        return html.Pre(state, className=look, tabIndex=0, **named), wide
    wide = blocks[0].kind != "grid" or sum(len(cell) for cell in blocks[0].rows[0]) > WIDE
    look = "state-parts long" if wide else "state-parts"
    return html.Div([part(each) for each in blocks], className=look, tabIndex=0, **named), wide


def part(block: Block) -> Any:
    """A block as an element of its own."""
    if block.kind == "grid":
        return html.Table(
            html.Tbody([html.Tr([html.Td(cell) for cell in row]) for row in block.rows]),
            className="state-grid",
        )
    if block.kind in ("list", "numbers"):
        items = [html.Li(styled(item)) for item in block.items]
        return html.Ul(items) if block.kind == "list" else html.Ol(items)
    if block.kind == "heading":
        return HEADINGS[min(block.level, len(HEADINGS)) - 1](styled(block.spans))
    if block.kind == "rule":
        return html.Hr()
    if block.kind == "code":
        return html.Pre("".join(span.text for span in block.spans))
    return (html.Blockquote if block.kind == "quote" else html.P)(styled(block.spans))


def styled(spans: Sequence[Span]) -> list[Any]:
    """The text of some spans."""
    return [STYLES[span.style](span.text) if span.style else span.text for span in spans]
