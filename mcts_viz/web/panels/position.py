"""A position as recorded text, in the inspector: plain, a grid, or the parts of Markdown. Text stays
text: no part of it becomes markup, a link or a picture. `assets/tree/hover_card.js` shows the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dash import html
from dash.development.base_component import Component

from mcts_viz.health.tree.expansion import shows_the_same
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.trace import Trace
from mcts_viz.views.position_text import Span, TextBlock, position_blocks
from mcts_viz.web.panels.elements import Part, aria

WIDE = 40  # characters of a line; a position with longer ones is no board, but sentences
STYLES: Mapping[str, Callable[[str], Component]] = {
    "strong": html.Strong,
    "em": html.Em,
    "code": html.Code,
}
HEADINGS = (html.H3, html.H4, html.H5, html.H6)  # under the panel's own h2


def position(meta: TraceMeta, state: str | None) -> tuple[Part, bool]:
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


def text_words(trace: Trace, node: int) -> str:
    """What to know of a text that was recorded when its node was made, where the search changes positions later."""
    states = trace.columns.nodes.state
    changes = [
        each
        for each in trace.columns.asides.changed_states
        if not shows_the_same("" if states is None else states[each.node] or "", each.state)
    ]
    if not changes:
        return ""
    changed = [each for each in changes if each.node == node]
    if not changed:
        return "Position as first recorded; this search changes positions later."
    last = changed[-1]
    return f"Position as first recorded; seen after iteration {last.row + 1:,} it was: {last.state}"


def part(block: TextBlock) -> Part:
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


def styled(spans: Sequence[Span]) -> list[Part]:
    """The text of some spans."""
    return [STYLES[span.style](span.text) if span.style else span.text for span in spans]
