"""The tree: its tool row and the graph that the canvas draws over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update

from mcts_viz.analysis.ending import ending
from mcts_viz.trace.trace import Trace
from mcts_viz.views.colours import COLOUR_NAMES, colour_modes
from mcts_viz.views.tree_figure import GRAPH_CONFIG, canvas_figure
from mcts_viz.views.true_value import TRUE_VALUE_OPTION, has_true_value
from mcts_viz.web.attributes import POLITE, aria
from mcts_viz.web.cursor import place
from mcts_viz.web.following import standing_of
from mcts_viz.web.ids import Ids, crumb, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels import filters, live, new_search
from mcts_viz.web.panels.bar import icon_button, tip
from mcts_viz.web.words import kept_words, plural

SIZES = [("visits", "visits"), ("share", "share"), ("equal", "equal")]
BUDGETS = (50, 100, 300, 1_000, 3_000, 10_000, 100_000)


def layout() -> Any:
    """Tool row and graph."""
    return html.Section(
        className="tree",
        **aria("search tree"),
        children=[
            html.Div(className="tools", children=[
                _show(),
                _select(Ids.COLOUR, "colour", list(COLOUR_NAMES.items()), 122),
                _select(Ids.SIZE, "size", SIZES, 76),
                _select(Ids.BUDGET, "nodes", [(str(n), f"{n:,}") for n in BUDGETS], 84),
                *filters.controls(),
                icon_button("fit", Ids.RESET, "Fit the tree into the picture ( 0 )"),
            ]),
            html.Nav(id=Ids.CRUMBS.value, className="crumbs", **aria("focused subtree")),
            html.Div([
                html.Div(id=Ids.TRACE_NOTE.value, className="trace-note", role="note"),
                live.line(),
                new_search.strip(),
            ]),
            html.Div(className="picture", children=[
                dcc.Graph(
                    id=Ids.GRAPH.value, figure=canvas_figure(), config=cast(Any, GRAPH_CONFIG),
                    className="graph", responsive=True,
                ),
                html.Div(id=Ids.ICICLE.value, className="icicle", hidden=True),
                html.Div(id=Ids.EMPTY.value, className="empty-page", hidden=True, children=[
                    html.H2("There is no trace here yet."),
                    html.P("Record one with New search, let a search play with Play, or open a file: "
                           "press Open…, or drop a .mcts trace or a snapshot's .json on the page."),
                ]),
            ]),
            html.Div(className="under", children=[
                html.Div(id=Ids.PHASE_CAPTION.value, className="phase-caption", role="status"),
                html.Div(id=Ids.STATUS.value, className="status", role="status", **POLITE),
                html.P(
                    "press → to step, space to play, click a node",
                    id="hint", className="hint", role="note",
                ),
            ]),
            html.Div(id=Ids.HOVER.value, hidden=True, className="mcts-card"),
        ],
    )  # fmt: skip


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tree's tools."""
    filters.register(app)

    @app.callback(
        Output(Ids.TRACE_NOTE.value, "children"),
        Output(Ids.CRUMBS.value, "children"),
        Output(Ids.COLOUR.value, "data"),
        Input(cursor_for("trace"), "data"),
        State(Ids.COLOUR.value, "data"),
        prevent_initial_call=True,
    )
    def about(cursor: dict[str, Any] | None, shown: list[dict[str, str]]) -> tuple[Any, Any, Any]:
        here = place(library, cursor)
        focus = int((cursor or {}).get("view", {}).get("focus") or 0)
        colours = trace_options(here.trace)
        return (
            trace_note(here.trace),
            crumbs(here.trace, focus),
            no_update if colours == shown else colours,
        )

    app.clientside_callback(
        ClientsideFunction("mcts", "focusCrumb"), Input({"type": "crumb", "node": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )  # fmt: skip
    app.clientside_callback(
        ClientsideFunction("mcts", "setView"),
        Input(Ids.COLOUR.value, "value"),
        Input(Ids.SIZE.value, "value"),
        Input(Ids.BUDGET.value, "value"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("mctsTree", "setShow"), Input(Ids.SHOW.value, "value"),
        prevent_initial_call=True,
    )  # fmt: skip
    app.clientside_callback(
        ClientsideFunction("mcts", "resetZoom"), Input(Ids.RESET.value, "n_clicks"),
        prevent_initial_call=True,
    )  # fmt: skip


def crumbs(trace: Trace, focus: int) -> list[Any]:
    """The way to the node that the tree is drawn from."""
    labels = trace.at(trace.n_iterations)
    nodes = labels.path(focus)
    names = ["whole tree", *(labels.label(node) for node in nodes[1:])]
    return [
        dmc.Button(
            name, id=crumb(node), size="compact-sm",
            variant="light" if node == focus else "subtle", className="crumb",
        )
        for node, name in zip(nodes, names)
    ]  # fmt: skip


def _modes(trace: Trace) -> Sequence[str]:
    return colour_modes(trace.meta, trace.columns.prior)


def trace_options(trace: Trace) -> list[dict[str, str]]:
    """The colours offered for a trace."""
    exact = [TRUE_VALUE_OPTION] if has_true_value(trace.meta) else []
    return [*colour_options(_modes(trace)), *exact]


def colour_options(modes: Sequence[str]) -> list[dict[str, str]]:
    """The colour modes as a select box takes them."""
    return [{"value": mode, "label": COLOUR_NAMES[mode]} for mode in modes]


def trace_note(trace: Trace) -> str:
    """What one should know before reading a trace's numbers; nothing for a complete recording."""
    if trace.meta.get("kind") == "snapshot":
        taken = int(trace.meta.get("snapshot_iteration", 0))
        return (
            f"A snapshot taken at iteration {taken:,}: it has no history, so there is nothing to step "
            "through. Iteration 1 here is all of it."
        )
    if not trace.complete:
        return standing_of(trace).words
    said = []
    kept = trace.meta.get("inherited")
    if isinstance(kept, Mapping):
        tree = f"{plural(int(kept['visits']), 'visit')}, {plural(int(kept['nodes']), 'node')}"
        said.append(f"This tree was {kept_words(trace.meta)}: {tree}; iteration 0 shows it.")
    allowed = trace.meta.get("root_actions")
    if allowed is not None:
        moves = ", ".join(map(trace.action_name, allowed))
        said.append(f"This search was allowed only these moves at the root: {moves}.")
    end = ending(trace)
    if end is not None:
        said.append(f"The search {end}.")
    return " ".join(said)


def _show() -> Any:
    return tip(
        dmc.SegmentedControl(
            id=Ids.SHOW.value,
            data=[{"value": each, "label": each} for each in ("tree", "icicle", "both")],
            value="tree",
            size="xs",
            **aria("view"),
        ),
        "Tree, icicle (a level a row, a node as wide as its visits), or both",
    )


def _select(id_: Ids, label: str, options: list[tuple[str, str]], width: int) -> Any:
    return tip(
        dmc.Select(
            id=id_.value,
            data=[{"value": value, "label": text} for value, text in options],
            value=options[0][0] if id_ is not Ids.BUDGET else "300",
            leftSection=html.Span(label, className="select-label"),
            leftSectionWidth=10 + 7 * len(label),
            allowDeselect=False,
            size="xs",
            w=width + 7 * len(label),
            **aria(label),
        ),
        {
            "colour": "What the colour of a node shows",
            "size": "What the size of a node shows: its visits, its share of its parent's visits, or nothing",
        }.get(label, "How many nodes to show at most, those with the most visits first"),
    )
