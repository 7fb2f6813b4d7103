"""Compare: the search on the page, A, beside another one, B: both on one layout, and what differs, ranked.

Takes the place of the tree and the panels beside it; the step buttons below go on to move A, and B with it.
"""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html, set_props
from dash.exceptions import PreventUpdate

from mcts_viz.analysis.comparison.trees import Row, TreeComparison
from mcts_viz.errors import MctsVizError
from mcts_viz.views.canvas_figure import GRAPH_CONFIG, canvas_figure
from mcts_viz.views.comparison_figure import DIFFERENCES, comparison_figure
from mcts_viz.web.cursor import Cursor, theme_of
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.jobs.comparisons import Compared, ComparisonChoice, TraceComparisons
from mcts_viz.web.library import Library
from mcts_viz.web.panels.bar import Option, choices
from mcts_viz.web.panels.elements import Content, Part, aria, graph, in_browser, tip
from mcts_viz.web.panels.grid import (
    COUNT,
    FOUR,
    SIGNED,
    Cells,
    Columns,
    column,
    grid,
    number_column,
)
from mcts_viz.web.words import count, number, percent, plural, sentence

ROWS = 100  # of the table
CHOOSE = (
    "Choose above what to compare this search with: another one, or this one at another iteration. "
    "Both trees are then drawn as one, and what is different is listed beside it."
)
SIGNED_SHARE = {"function": "params.value == null ? '–' : d3.format('+.1%')(params.value)"}


def layout(library: Library) -> Part:
    """The panel, hidden at first."""
    return html.Section(
        id=Ids.COMPARE_PANEL,
        className="compare",
        hidden=True,
        **aria("comparison of two searches"),
        children=[
            dcc.Store(id=Ids.COMPARE),
            html.Div(_tools(library), className="compare-tools"),
            html.Div(className="compare-picture", children=[
                graph(Ids.COMPARE_GRAPH, "compare-graph", canvas_figure(), GRAPH_CONFIG),
                html.P(id=Ids.COMPARE_CAPTION, className="dim compare-caption"),
            ]),
            html.Aside(className="compare-side", children=[
                html.Div(id=Ids.COMPARE_TEXT, className="compare-text", role="status"),
                html.Div(className="compare-rank", children=[
                    dmc.SegmentedControl(
                        id=Ids.COMPARE_RANK, value="visits", size="xs",
                        data=[
                            {"value": "visits", "label": "largest differences in visits"},
                            {"value": "mean", "label": "in mean value"},
                        ],
                    ),
                ]),
                html.Div(grid(Ids.COMPARE_TABLE, columns()), className="grid compare-grid"),
                html.Div(id=Ids.COMPARE_NODE, className="compare-node"),
            ]),
        ],
    )  # fmt: skip


def _tools(library: Library) -> list[Part]:
    return [
        html.B("Compare with"),
        dmc.Select(
            id=Ids.COMPARE_TRACE, data=choices(library), placeholder="another search",
            searchable=True, allowDeselect=False, w=230, size="sm", **aria("the other search, B"),
        ),
        html.Span("at iteration", className="select-label"),
        dmc.NumberInput(
            id=Ids.COMPARE_AT, min=0, w=100, size="sm", allowDecimal=False,
            thousandSeparator=",", **aria("iteration of B"),
        ),
        tip(
            dmc.Checkbox(id=Ids.COMPARE_STEP, label="in step", checked=True, size="sm"),
            "B goes with A: both after the same number of iterations",
        ),
        tip(
            dmc.Button(
                "First difference", id=Ids.COMPARE_FIRST, variant="default", size="sm",
                disabled=True,
            ),
            "Go to the first iteration in which the two differ",
        ),
        html.Div(className="grow"),
        html.Span("colour", className="select-label"),
        dmc.Select(
            id=Ids.COMPARE_COLOUR, value="visits", allowDeselect=False, w=178, size="sm",
            data=[
                {"value": "visits", "label": "A beside B"},
                {"value": "mean", "label": "mean values"},
                {"value": "visits_difference", "label": "difference in visits"},
                {"value": "mean_difference", "label": "difference in means"},
            ],
            **aria("colour of the comparison"),
        ),
        tip(
            dmc.Button("Close", id=Ids.COMPARE_CLOSE, variant="default", size="sm"),
            "Back to the tree of A",
            "Escape",
        ),
    ]  # fmt: skip


def columns() -> Columns:
    """The columns of the table of differences."""
    share = "share of the root's visits: B minus A"
    mean = "mean value: B minus A, on A's scale"
    return [
        {"field": "line", "headerName": "moves", "flex": 1, "minWidth": 96, "tooltipField": "line",
         "cellClassRules": {"long-name": "params.value && params.value.length > 14"}},
        number_column("visits_a", COUNT, "visits A"),
        number_column("visits_b", COUNT, "visits B"),
        {**number_column("share_difference", SIGNED_SHARE, "Δ share", drop=1), "headerTooltip": share},
        number_column("mean_a", FOUR, "mean A", drop=2),
        number_column("mean_b", FOUR, "mean B", drop=3),
        {**number_column("mean_difference", SIGNED, "Δ mean"), "headerTooltip": mean},
        {**column("only_in", "only", drop=4), "headerTooltip": "the tree that alone has the node"},
    ]  # fmt: skip


def register(app: Dash, library: Library) -> None:
    """Callbacks of the panel. The browser owns the choice of traces and the address."""
    comparisons = TraceComparisons(library)

    @app.callback(
        Output(Ids.COMPARE_GRAPH, "figure"),
        Output(Ids.COMPARE_TABLE, "rowData"),
        Output(Ids.COMPARE_TEXT, "children"),
        Output(Ids.COMPARE_NODE, "children"),
        Output(Ids.COMPARE_FIRST, "disabled"),
        Output(Ids.COMPARE_CAPTION, "children"),
        Output(Ids.COMPARE_PANEL, "data-at"),
        Output(Ids.COMPARE_PANEL, "data-first"),
        Input(cursor_for("compare"), "data"),
        Input(Ids.COMPARE, "data"),
        State(Ids.CURSOR, "data"),
        prevent_initial_call=True,
    )
    def compare(
        _moved: object, wanted: ComparisonChoice | None, cursor: Cursor | None
    ) -> tuple[object, ...]:
        if not wanted:
            raise PreventUpdate
        theme, other = theme_of(cursor), wanted.get("b")
        if not other:
            choose = html.P(CHOOSE, className="compare-choose")
            return canvas_figure(theme), [], choose, "", True, "", "", ""
        try:
            if (key := library.entry(other).key) != other:  # a name, in the address
                set_props(Ids.COMPARE_TRACE, {"value": key})
            found = comparisons.at(cursor, wanted)
        except MctsVizError as err:
            message = html.P(sentence(str(err)), className="mcts-error")
            return canvas_figure(theme), [], message, "", True, "", "", ""
        return shown(found, wanted, theme)

    @app.callback(
        Output(Ids.COMPARE_TRACE, "data"),
        Input(Ids.OPENED, "data"),
        prevent_initial_call=True,
    )
    def traces(opened: object) -> list[Option]:
        return choices(library)

    clientside = (
        ("toggle", Input(Ids.COMPARE_BUTTON, "n_clicks")),
        ("close", Input(Ids.COMPARE_CLOSE, "n_clicks")),
        ("choose", Input(Ids.COMPARE_TRACE, "value")),
        ("setAt", Input(Ids.COMPARE_AT, "value")),
        ("showAt", Input(Ids.COMPARE_PANEL, "data-at")),
        ("setStep", Input(Ids.COMPARE_STEP, "checked")),
        ("setColour", Input(Ids.COMPARE_COLOUR, "value")),
        ("setRank", Input(Ids.COMPARE_RANK, "value")),
        ("goToFirst", Input(Ids.COMPARE_FIRST, "n_clicks")),
        ("clickNode", Input(Ids.COMPARE_GRAPH, "clickData")),
        ("clickRow", Input(Ids.COMPARE_TABLE, "cellClicked")),
    )
    for function, input_ in clientside:
        in_browser(app, f"compare.{function}", input_)


def shown(found: Compared, wanted: ComparisonChoice, theme: str) -> tuple[object, ...]:
    """Figure, rows, text, the selected node, whether there is no first difference, the caption, the iteration of B and
    where the first difference is."""
    comparison, colour = found.comparison, wanted.get("colour") or "visits"
    first = comparison.first.iteration_a
    return (
        comparison_figure(comparison, found.union, colour, found.selected, theme),
        [
            table_row(row, found.selected)
            for row in comparison.rows(ROWS, wanted.get("rank") or "visits")
        ],
        text(comparison),
        "" if found.selected is None else node_text(comparison, found.selected),
        first is None,
        caption(found, colour),
        str(found.at_b),
        place_of(comparison),
    )


def caption(found: Compared, colour: str) -> list[Part]:
    """What the picture shows, and what its marks mean."""
    comparison = found.comparison
    there = comparison.in_a | comparison.in_b
    shown = int(there[found.union.visible.node[: found.union.visible.n_nodes]].sum())
    of = f"{count(shown)} of {count(int(there.sum()))} nodes"
    which = f"{of}: the most visited, and those that differ most in the end"
    if colour in DIFFERENCES:
        return [
            f"{which} · ○ in both · ◁ only in A · ▷ only in B · unfilled: no value in one "
            "of them · ★ leads · size: larger share of the visits"
        ]
    what = "" if colour == "visits" else " · colour: its mean value, unfilled: none"
    return [
        html.Span([html.I(className="half half-a"), "A "], className="half-key"),
        html.Span([html.I(className="half half-b"), "B "], className="half-key"),
        "side by side; a half is missing where that tree lacks the node · size of a half: share of the visits "
        f"there{what} · ★ leads · {which}",
    ]


def place_of(comparison: TreeComparison) -> str:
    """Where the first difference is, for the button that goes there: A's iteration, B's."""
    first = comparison.first
    return "" if first.iteration_a is None else f"{first.iteration_a} {first.iteration_b}"


def table_row(row: Row, selected: int | None) -> Cells:
    """A row as the grid takes it."""
    # a click on a row gives its id alone: the node in the comparison, the one in A, and the one in B
    of_a, of_b = ("" if each is None else each for each in (row.node_a, row.node_b))
    return {**row.__dict__, "id": f"{row.node}/{of_a}/{of_b}", "selected": row.node == selected}


def text(comparison: TreeComparison) -> list[Part]:
    """What the comparison says, above the table."""
    heads = [
        html.P(
            [
                html.B(name, className=f"side-{name.lower()}"),
                f" {side.search} · after {count(side.iteration)} of {count(side.n_iterations)} iterations",
            ],
            className="compare-head",
        )
        for name, side in (("A", comparison.a), ("B", comparison.b))
    ]
    values = f"Mean values {'' if comparison.scale.comparable else 'are '}{comparison.scale.words}."
    if comparison.scale.comparable:
        values = (
            f"Mean values {comparison.scale.words}, view of the player who moved into the node."
        )
    matched = " Matched by the names of moves." if comparison.matched_by == "move names" else ""
    return [*heads, *map(html.P, comparison.sentences), html.P(values + matched, className="dim")]


def node_text(comparison: TreeComparison, node: int) -> Content:
    """The selected node in both trees."""
    if not (comparison.in_a[node] or comparison.in_b[node]):
        return html.P("The selected node is in neither tree at these iterations.", className="dim")
    row = comparison.row(node)
    sides = [
        html.Span(f"{name}: not there")
        if there is None
        else html.Span(
            f"{name}: {plural(visits, 'visit')} ({percent(share)}), mean {number(mean)}"
        )
        for name, there, visits, share, mean in (
            ("A", row.node_a, row.visits_a, row.share_a, row.mean_a),
            ("B", row.node_b, row.visits_b, row.share_b, row.mean_b),
        )
    ]  # fmt: skip
    return [html.B(row.line), *sides]
