"""Compare: the search on the page, A, beside another one, B: both on one layout, and what differs, ranked.

Takes the place of the tree and the panels beside it; the step buttons below go on to move A, and B with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, set_props
from dash.exceptions import PreventUpdate

from mcts_viz.analysis.comparison import Row, TreeComparison
from mcts_viz.errors import MctsVizError
from mcts_viz.views.comparison_figure import DIFFERENCES, comparison_figure
from mcts_viz.views.tree_figure import GRAPH_CONFIG, canvas_figure
from mcts_viz.web.attributes import aria
from mcts_viz.web.comparisons import Compared, Comparisons
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.bar import choices, tip
from mcts_viz.web.panels.tables import COUNT, FOUR, SIGNED, grid
from mcts_viz.web.words import count, number, percent

ROWS = 100  # of the table
CHOOSE = (
    "Choose above what to compare this search with: another one, or this one at another iteration. "
    "Both trees are then drawn as one, and what is different is listed beside it."
)
SIGNED_SHARE = {"function": "params.value == null ? '–' : d3.format('+.1%')(params.value)"}


def layout(library: Library) -> Any:
    """The panel, hidden until somebody compares."""
    return html.Section(
        id=Ids.COMPARE_PANEL.value,
        className="compare",
        hidden=True,
        **aria("comparison of two searches"),
        children=[
            dcc.Store(id=Ids.COMPARE.value),
            html.Div(_tools(library), className="compare-tools"),
            html.Div(className="compare-picture", children=[
                dcc.Graph(
                    id=Ids.COMPARE_GRAPH.value, figure=canvas_figure(),
                    config=cast(Any, GRAPH_CONFIG), className="compare-graph", responsive=True,
                ),
                html.P(id=Ids.COMPARE_CAPTION.value, className="dim compare-caption"),
            ]),
            html.Aside(className="compare-side", children=[
                html.Div(id=Ids.COMPARE_TEXT.value, className="compare-text", role="status"),
                html.Div(className="compare-rank", children=[
                    dmc.SegmentedControl(
                        id=Ids.COMPARE_RANK.value, value="visits", size="xs",
                        data=[
                            {"value": "visits", "label": "largest differences in visits"},
                            {"value": "mean", "label": "in mean value"},
                        ],
                    ),
                ]),
                html.Div(grid(Ids.COMPARE_TABLE, columns()), className="grid compare-grid"),
                html.Div(id=Ids.COMPARE_NODE.value, className="compare-node"),
            ]),
        ],
    )  # fmt: skip


def _tools(library: Library) -> list[Any]:
    return [
        html.B("Compare with"),
        dmc.Select(
            id=Ids.COMPARE_TRACE.value, data=choices(library), placeholder="another search",
            searchable=True, allowDeselect=False, w=230, size="sm", **aria("the other search, B"),
        ),
        html.Span("at iteration", className="select-label"),
        dmc.NumberInput(
            id=Ids.COMPARE_AT.value, min=0, w=100, size="sm", allowDecimal=False,
            thousandSeparator=",", **aria("iteration of B"),
        ),
        tip(
            dmc.Checkbox(id=Ids.COMPARE_STEP.value, label="in step", checked=True, size="sm"),
            "B moves with A: as many iterations in both",
        ),
        tip(
            dmc.Button(
                "First difference", id=Ids.COMPARE_FIRST.value, variant="default", size="sm",
                disabled=True,
            ),
            "Go to the first iteration in which the two do something else",
        ),
        html.Div(className="grow"),
        html.Span("colour", className="select-label"),
        dmc.Select(
            id=Ids.COMPARE_COLOUR.value, value="visits", allowDeselect=False, w=178, size="sm",
            data=[
                {"value": "visits", "label": "A beside B"},
                {"value": "mean", "label": "mean values"},
                {"value": "visits_difference", "label": "difference in visits"},
                {"value": "mean_difference", "label": "difference in means"},
            ],
            **aria("colour of the comparison"),
        ),
        tip(
            dmc.Button("Close", id=Ids.COMPARE_CLOSE.value, variant="default", size="sm"),
            "Back to the tree of A ( Esc )",
        ),
    ]  # fmt: skip


def columns() -> list[dict[str, Any]]:
    """Of the table of differences; they fit beside a tree of 1280 pixels."""
    return [
        {"field": "line", "headerName": "moves", "flex": 1, "minWidth": 110, "tooltipField": "line",
         "cellClassRules": {"long-name": "params.value && params.value.length > 14"}},
        _number("visits_a", COUNT, 62, "visits A"),
        _number("visits_b", COUNT, 62, "visits B"),
        _number("share_difference", SIGNED_SHARE, 66, "Δ share"),
        _number("mean_a", FOUR, 58, "mean A"),
        _number("mean_b", FOUR, 58, "mean B"),
        _number("mean_difference", SIGNED, 66, "Δ mean"),
        {"field": "only_in", "headerName": "only", "width": 40,
         "headerTooltip": "the one tree that has the node"},
    ]  # fmt: skip


def _number(field: str, formatter: dict[str, str], width: int, name: str) -> dict[str, Any]:
    return {
        "field": field, "headerName": name, "width": width, "type": "rightAligned",
        "valueFormatter": formatter, "headerTooltip": TOOLTIPS.get(field, ""),
    }  # fmt: skip


TOOLTIPS = {
    "share_difference": "share of the root's visits: B less A",
    "mean_difference": "mean value: B less A, on A's scale",
}


def register(app: Dash, library: Library) -> None:
    """Callbacks of the panel. The browser owns what is compared, and its address."""
    comparisons = Comparisons(library)

    @app.callback(
        Output(Ids.COMPARE_GRAPH.value, "figure"),
        Output(Ids.COMPARE_TABLE.value, "rowData"),
        Output(Ids.COMPARE_TEXT.value, "children"),
        Output(Ids.COMPARE_NODE.value, "children"),
        Output(Ids.COMPARE_FIRST.value, "disabled"),
        Output(Ids.COMPARE_CAPTION.value, "children"),
        Input(cursor_for("compare"), "data"),
        Input(Ids.COMPARE.value, "data"),
        Input(Ids.PROVIDER.value, "forceColorScheme"),
        State(Ids.CURSOR.value, "data"),
        prevent_initial_call=True,
    )
    def compare(
        _moved: Any, wanted: dict[str, Any] | None, theme: str | None, cursor: Any
    ) -> tuple[Any, ...]:
        theme = theme or "light"
        if not wanted:
            raise PreventUpdate
        if not wanted.get("b"):
            choose = html.P(CHOOSE, className="compare-choose")
            return canvas_figure(theme), [], choose, "", True, ""
        try:
            found = comparisons.at(cursor, wanted)
        except MctsVizError as err:
            message = html.P(str(err), className="mcts-error")
            return canvas_figure(theme), [], message, "", True, ""
        return shown(found, wanted, theme)

    @app.callback(
        Output(Ids.COMPARE_TRACE.value, "data"),
        Input(Ids.OPENED.value, "data"),
        prevent_initial_call=True,
    )
    def traces(opened: Any) -> Any:
        return choices(library)

    clientside = (
        ("toggle", Input(Ids.COMPARE_BUTTON.value, "n_clicks")),
        ("close", Input(Ids.COMPARE_CLOSE.value, "n_clicks")),
        ("choose", Input(Ids.COMPARE_TRACE.value, "value")),
        ("setAt", Input(Ids.COMPARE_AT.value, "value")),
        ("setStep", Input(Ids.COMPARE_STEP.value, "checked")),
        ("setColour", Input(Ids.COMPARE_COLOUR.value, "value")),
        ("setRank", Input(Ids.COMPARE_RANK.value, "value")),
        ("goToFirst", Input(Ids.COMPARE_FIRST.value, "n_clicks")),
        ("clickNode", Input(Ids.COMPARE_GRAPH.value, "clickData")),
        ("clickRow", Input(Ids.COMPARE_TABLE.value, "cellClicked")),
    )
    for function, input_ in clientside:
        app.clientside_callback(
            ClientsideFunction("compare", function), input_, prevent_initial_call=True
        )


def shown(found: Compared, wanted: dict[str, Any], theme: str) -> tuple[Any, ...]:
    """Figure, rows, text, the selected node, whether there is no first difference, and the caption."""
    told, colour = found.told, wanted.get("colour") or "visits"
    first = told.first.iteration_a
    set_props(Ids.COMPARE_PANEL.value, {"data-at": str(found.at_b), "data-first": place_of(told)})
    if wanted.get("at") is None:
        set_props(Ids.COMPARE_AT.value, {"value": found.at_b})
    return (
        comparison_figure(told, found.union, colour, found.selected, theme),
        [table_row(row, found.selected) for row in told.rows(ROWS, wanted.get("rank") or "visits")],
        text(told),
        "" if found.selected is None else node_text(told, found.selected),
        first is None,
        caption(found, colour),
    )


def caption(found: Compared, colour: str) -> list[Any]:
    """What the picture shows, and what its marks mean."""
    told = found.told
    there = told.in_a | told.in_b
    shown = int(there[found.union.visible.node[: found.union.visible.n_nodes]].sum())
    of = f"{count(shown)} of {count(int(there.sum()))} nodes"
    which = f"{of}: the most visited, and those that differ most in the end"
    if colour in DIFFERENCES:
        return [
            f"{which} · ○ in both · ◁ only in A · ▷ only in B · unfilled: no value in one "
            "of them · ★ would be played · size: larger share of the visits"
        ]
    what = "" if colour == "visits" else " · colour: its mean value, unfilled: none"
    return [
        html.Span([html.I(className="half half-a"), "A "], className="half-key"),
        html.Span([html.I(className="half half-b"), "B "], className="half-key"),
        "side by side, a missing half: not in that tree · size of a half: share of the visits "
        f"there{what} · ★ would be played · {which}",
    ]


def place_of(told: TreeComparison) -> str:
    """Where the first difference is, for the button that goes there: A's iteration, B's."""
    first = told.first
    return "" if first.iteration_a is None else f"{first.iteration_a} {first.iteration_b}"


def table_row(row: Row, selected: int | None) -> dict[str, Any]:
    """A row as the grid takes it."""
    # all that a click on a row tells is its id: the node in the comparison, and the one in A
    of_a = "" if row.node_a is None else row.node_a
    return {**row.__dict__, "id": f"{row.node}/{of_a}", "selected": row.node == selected}


def text(told: TreeComparison) -> list[Any]:
    """What the comparison says, above the table."""
    sides: Sequence[tuple[str, Any]] = (("A", told.a), ("B", told.b))
    heads = [
        html.P(
            [
                html.B(name, className=f"side-{name.lower()}"),
                f" {side.search} · after {count(side.iteration)} of {count(side.n_iterations)} iterations",
            ],
            className="compare-head",
        )
        for name, side in sides
    ]
    values = f"Mean values {'' if told.scale.comparable else 'are '}{told.scale.words}."
    if told.scale.comparable:
        values = f"Mean values {told.scale.words}, view of the player who moved into the node."
    matched = " Matched by the names of moves." if told.matched_by == "move names" else ""
    return [*heads, *map(html.P, told.sentences), html.P(values + matched, className="dim")]


def node_text(told: TreeComparison, node: int) -> Any:
    """The selected node in both trees."""
    if not (told.in_a[node] or told.in_b[node]):
        return html.P("The selected node is in neither tree at these iterations.", className="dim")
    row = told.row(node)
    sides = [
        html.Span(f"{name}: not there")
        if there is None
        else html.Span(
            f"{name}: {count(visits)} visits ({percent(share)}), mean {number(mean)}"
        )
        for name, there, visits, share, mean in (
            ("A", row.node_a, row.visits_a, row.share_a, row.mean_a),
            ("B", row.node_b, row.visits_b, row.share_b, row.mean_b),
        )
    ]  # fmt: skip
    return [html.B(row.line), *sides]
