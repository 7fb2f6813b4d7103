"""The tab *History*: visits and mean value of the selected node and its siblings over the whole search."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html
from dash.exceptions import PreventUpdate

from mcts_viz.analysis.history.sibling_history import SiblingHistory, sibling_history
from mcts_viz.views.history_figure import CHART_CONFIG, COLOURS, SCALES, history_figure
from mcts_viz.web.cursor import Cursor, Place, place_in_tab
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Content, Part, aria, graph, in_browser
from mcts_viz.web.panels.tabs.tab import Tab
from mcts_viz.web.words import count, plural

NAME = "history"
SWITCH = {"count": "count", "log": "log", "share": "share"}


def body() -> Part:
    """The scale and the legend, over the chart. While it is computed the note says so (notes.css)."""
    scale = dmc.SegmentedControl(
        id=Ids.HISTORY_SCALE, value="count", size="xs", data=list(SCALES),
        **aria("scale of the visits: " + ", ".join(SCALES.values())),
    )  # fmt: skip
    note = html.Div(id=Ids.HISTORY_NOTE, className="history-note")
    clear, hidden = "rgba(0,0,0,0)", {"visible": False}
    empty = {
        "layout": {
            "xaxis": hidden, "yaxis": hidden, "paper_bgcolor": clear, "plot_bgcolor": clear,
        }
    }  # fmt: skip
    chart = graph(Ids.HISTORY, "history-chart", empty, CHART_CONFIG)
    tools = html.Div([scale, note], className="history-tools")
    return html.Div([tools, chart, dcc.Store(id=Ids.HISTORY_SHOWN)], className="history")


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab. A step only moves the line that marks the iteration, in the browser."""

    @app.callback(
        Output(Ids.HISTORY, "figure"),
        Output(Ids.HISTORY_NOTE, "children"),
        Output(Ids.HISTORY_SHOWN, "data"),
        Input(cursor_for(NAME), "data"),
        Input(Ids.HISTORY_SCALE, "value"),
        State(Ids.TABS, "value"),
        State(Ids.HISTORY_SHOWN, "data"),
        prevent_initial_call=True,
    )
    def history(
        cursor: Cursor | None, scale: str, tab: str | None, shown: object
    ) -> tuple[object, Content, object]:
        here = place_in_tab(library, cursor, tab, NAME)
        file = library.version(here.key)  # which may be written again while the page is open
        # the key beside the file, which may hold many searches
        place = [here.key, file, here.trace.n_iterations, here.node]
        wanted = [*place, scale, here.theme, here.viewpoint]
        if wanted == shown:
            raise PreventUpdate
        return *chart(here, scale), wanted

    in_browser(app, "mcts.markHistory", Input(Ids.HISTORY_SHOWN, "data"))
    in_browser(app, "mcts.jumpInHistory", Input(Ids.HISTORY, "clickData"))


def chart(here: Place, scale: str) -> tuple[object, Content]:
    """The figure, and which node each of its colours is."""
    if here.node >= here.trace.n_nodes:
        return {}, f"Node {here.node:,} is not in this trace."
    siblings = sibling_history(here.trace, here.node, viewpoint=here.view)
    return history_figure(siblings, here.node, scale, here.theme), legend(siblings, here.node)


def legend(siblings: SiblingHistory, selected: int) -> Content:
    """The nodes with their colours and final visits, and the number of hidden ones."""
    if not siblings.courses:
        return "The root has no children: nothing to show."
    chips = [
        html.Span(
            [html.I(className="mcts-timeline-swatch", style={"background": colour}), course.move],
            className="history-chip selected" if course.node == selected else "history-chip",
            title=f"{course.move}: node {count(course.node)}, {plural(course.final_visits, 'visit')} in the end",
        )
        for course, colour in zip(siblings.courses, COLOURS)
    ]
    if siblings.n_hidden:
        hidden = f"+{count(siblings.n_hidden)} more with {plural(siblings.hidden_visits, 'visit')}"
        chips.append(html.Span(hidden, className="history-more"))
    return chips


TAB = Tab(NAME, "History", body, register)
