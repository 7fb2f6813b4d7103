"""The page on a fleet: bar, histograms, the table of searches, and beside it questions, boards and picked searches."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import dcc, html

from mcts_viz.web.fleet_page.ids import FleetIds, bar_column, bar_figure
from mcts_viz.web.fleet_page.query import BARS, COLUMNS, SHOWN
from mcts_viz.web.fleet_page.source import FleetSource
from mcts_viz.web.fleet_page.table import meaning_of, name_of, table
from mcts_viz.web.ids import Ids
from mcts_viz.web.panels.dialogs.help import definitions
from mcts_viz.web.panels.elements import (
    POLITE,
    Attributes,
    Part,
    aria,
    data,
    dialog,
    glyph,
    graph,
    icon_button,
    tip,
)

FIGURE = {"displayModeBar": False, "doubleClick": False, "scrollZoom": False}
# until the first answer: nothing, on whichever paper
NO_AXIS: Attributes = {"visible": False, "fixedrange": True}
NOTHING: Attributes = {
    "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "xaxis": NO_AXIS, "yaxis": NO_AXIS,
}  # fmt: skip
EMPTY: Attributes = {"data": [], "layout": NOTHING}
TABS = (("questions", "Questions"), ("boards", "Boards"), ("picked", "Side by side"))
# nearly all of their values differ
NO_BARS = ("search_id", "position", "digest", "prior_digest", "file_state", "error")
# the wrapper itself is the button, as it carries the attributes for screen readers
BUTTON: Attributes = {
    "boxWrapperProps": {"component": "button", "type": "button", "className": "menu-button"}
}
PICK = (
    "Tick searches in the table: their root values over one another, and their trees side by side."
)


MOUSE = (
    (
        "Click a search",
        "open it where it matters: at its worst finding, else at its end; “Fleet” leads back here",
    ),
    ("Click the head of a column", "sort by it; the box below it filters"),
    (
        "Click or drag in a histogram",
        "show only these searches; the same bars again show all",
    ),
    (
        "Click a question",
        "its picture and what it found; drag in the picture to show only these searches",
    ),
    ("Tick searches", "their root values over one another, and their trees side by side"),
    (
        "Back in the browser",
        "takes back a filter, an order, a question: the address holds all of it",
    ),
    ("Point at a name in Columns", "what the column means, its unit and whose view it is"),
)
WORDS = (
    ("Search", "one row: a tree searched from one position"),
    ("Run", "the searches that were made together, in a folder of their own"),
    (
        "Question",
        "what shows only across searches: ✓ no fault shows, – these searches cannot say",
    ),
    ("Regret", "what the chosen move gives away against the best one, where the game is solved"),
)


def layout(source: FleetSource) -> Part:
    """All of it under the provider."""
    return html.Div(
        className="page fleet",
        children=[
            dcc.Store(id=FleetIds.ASKED),
            dcc.Store(id=FleetIds.PICKED),
            dcc.Store(id=FleetIds.ANSWER_KEYS),
            _bar(source),
            html.Section(
                [_histogram(place) for place in range(len(BARS))],
                className="fleet-bars",
                **aria("how many searches have which values"),
            ),
            html.Main(
                [html.Div(table(), className="grid fleet-grid"), _side()], className="fleet-work"
            ),
            html.Div(id=Ids.MESSAGE, className="message", role="alert"),
            dialog(Ids.HELP, "Help", _help(), size="lg"),
        ],
    )


def _bar(source: FleetSource) -> Part:
    return html.Div(
        className="bar",
        role="region",
        **aria("fleet and tools"),
        children=[
            html.H1("mcts_viz", className="brand"),
            html.B(source.name, className="fleet-name"),
            html.Span(id=FleetIds.COUNT, className="fleet-count", **POLITE),
            tip(
                dmc.Button("Show all", id=FleetIds.CLEAR, size="sm", variant="default"),
                "Remove all filters and selections",
            ),
            html.Div(className="grow"),
            _columns(),
            html.A(
                html.Span(
                    [glyph("folder"), html.Span("Traces", className="menu-word")],
                    className="menu-text",
                ),
                href="../?traces",
                className="menu-button fleet-traces",
                **data("tip", "The page of single searches: new ones, play, compare"),
            ),
            icon_button("moon", Ids.THEME_BUTTON, "Light or dark"),
            icon_button("help", Ids.HELP_BUTTON, "Help: table, pictures, questions", "?"),
        ],
    )  # fmt: skip


def _help() -> Part:
    sections = (("Mouse", MOUSE), ("Words", WORDS))
    return html.Div(
        [html.Section([html.H3(title), definitions(pairs)]) for title, pairs in sections],
        className="help",
    )


def _columns() -> Part:
    boxes = [
        dmc.Checkbox(label=name_of(name), value=name, size="xs", **data("tip", meaning_of(fact)))
        for name, fact in COLUMNS.items()
    ]
    return dmc.Popover(
        [
            dmc.PopoverTarget(
                html.Span("Columns", className="menu-text"),
                **BUTTON,
            ),
            dmc.PopoverDropdown(
                dmc.CheckboxGroup(
                    html.Div(boxes, className="fleet-columns"),
                    id=FleetIds.COLUMNS, value=list(SHOWN), **aria("columns of the table"),
                )
            ),
        ],
        position="bottom-end",
        shadow="md",
        width=560,
    )  # fmt: skip


def _histogram(place: int) -> Part:
    offered = [{"value": name, "label": name_of(name)} for name in COLUMNS if name not in NO_BARS]
    return html.Div(
        className="fleet-bar",
        children=[
            dmc.Select(
                id=bar_column(place), data=offered, value=BARS[place], size="xs", variant="unstyled", searchable=True,
                allowDeselect=False, **aria(f"column of histogram {place + 1}"),
            ),
            html.Div(graph(bar_figure(place), "fleet-figure", EMPTY, FIGURE), className="fleet-histogram"),
        ],
    )  # fmt: skip


def _side() -> Part:
    heads = dmc.TabsList([dmc.TabsTab(title, value=name) for name, title in TABS])
    questions = html.Div(
        [
            html.Div(id=FleetIds.QUESTIONS, className="fleet-questions"),
            html.Div(
                graph(FleetIds.ANSWER_FIGURE, "fleet-figure", EMPTY, FIGURE),
                className="fleet-answer-place", hidden=True, id=FleetIds.ANSWER,
            ),
        ],
        className="fleet-tab", tabIndex=0, role="group", **aria("stored questions"),
    )  # fmt: skip
    boards = html.Div(
        id=FleetIds.BOARDS,
        className="fleet-gallery",
        tabIndex=0,
        role="group",
        **aria("boards of the rows in view"),
    )
    picked = html.Div(
        [
            html.P(PICK, id=FleetIds.CURVES_NOTE, className="dim"),
            html.Div(graph(FleetIds.CURVES, "fleet-figure", EMPTY, FIGURE), className="fleet-curves"),
            html.Div(id=FleetIds.TREES, className="fleet-gallery fleet-trees"),
        ],
        className="fleet-tab", tabIndex=0, role="group", **aria("searches side by side"),
    )  # fmt: skip
    bodies = [
        dmc.TabsPanel(body, value=name)
        for (name, _), body in zip(TABS, (questions, boards, picked))
    ]
    tabs = dmc.Tabs([heads, *bodies], id=FleetIds.TABS, value=TABS[0][0], className="tabs")
    return html.Aside(tabs, className="fleet-side")
