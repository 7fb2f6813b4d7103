"""The tree: its tool row and the graph that the canvas draws over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, html, no_update

from mcts_viz.analysis.history.ending import ending
from mcts_viz.analysis.node.branch import is_derived
from mcts_viz.trace.trace import Trace
from mcts_viz.views.canvas_figure import GRAPH_CONFIG, canvas_figure
from mcts_viz.views.colours import COLOUR_NAMES, colour_modes
from mcts_viz.views.node_numbers import NUMBER_MODES, number_names
from mcts_viz.views.true_value import TRUE_VALUE_OPTION, has_true_value
from mcts_viz.views.view_spec import VIEWPOINTS, PageView
from mcts_viz.web.cursor import Cursor, focus_of, place
from mcts_viz.web.ids import Ids, crumb, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import (
    POLITE,
    Content,
    Part,
    aria,
    data,
    edge,
    glyph,
    graph,
    icon_button,
    in_browser,
    tip,
    tour_button,
)
from mcts_viz.web.panels.forms import new_search
from mcts_viz.web.panels.tree import filters, live
from mcts_viz.web.routes.live import recording_state
from mcts_viz.web.words import kept_words, plural

BUDGETS = (0, 50, 100, 300, 1_000, 3_000, 10_000, 100_000)  # 0: those that can be read

SIZES = tuple(name for name in PageView.choices("size") if name not in NUMBER_MODES)


def layout() -> Part:
    """Tool row and graph."""
    return html.Section(
        className="tree",
        **aria("search tree"),
        children=[
            html.Div(className="tools", children=[
                *_looks(),
                *filters.controls(),
                icon_button("numbers", Ids.NUMBERS, "Write mean value and visits beside the first two levels"),
                icon_button("fit", Ids.RESET, "Fit the tree into the picture", "0"),
                html.Div(
                    tip(
                        dmc.ActionIcon(
                            glyph("fold"), size="lg", variant="default",
                            **data("fold", "tools"), **aria("Fold the tools"),
                        ),
                        "Fold the tools away, or show them",
                    ),
                    className="fold-place",
                ),
            ]),
            html.Nav(id=Ids.CRUMBS, className="crumbs", **aria("focused subtree")),
            html.Div([
                html.Div(id=Ids.TRACE_NOTE, className="trace-note", role="note"),
                live.line(),
                new_search.strip(),
            ]),
            html.Div(className="picture", children=[
                graph(Ids.GRAPH, "graph", canvas_figure(), GRAPH_CONFIG),
                html.Div(id=Ids.ICICLE, className="icicle", hidden=True),
                edge("icicle", "horizontal", "Height of the icicle"),
                html.Div(id=Ids.EMPTY, className="empty-page", hidden=True),
            ]),
            html.Div(className="under", children=[
                html.P(id="picture-words", className="picture-words"),
                html.Div(id=Ids.PHASE_CAPTION, className="phase-caption", role="status"),
                html.Div(id=Ids.STATUS, className="status", role="status", **POLITE),
                html.P(
                    "press → to step, space to play, click a node",
                    id="hint", className="hint", role="note",
                ),
                tour_button("Tour: five steps", "tour-offer", hidden=True),
            ]),
            html.Div(id=Ids.HOVER, hidden=True, className="mcts-card"),
        ],
    )  # fmt: skip


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tree's tools."""
    filters.register(app)

    @app.callback(
        Output(Ids.TRACE_NOTE, "children"),
        Output(Ids.CRUMBS, "children"),
        Output(Ids.COLOUR, "data"),
        Output(Ids.SIZE, "data"),
        Output(Ids.VIEWPOINT, "data"),
        Output(Ids.VIEWPOINT, "style"),
        Input(cursor_for("trace"), "data"),
        State(Ids.COLOUR, "data"),
        State(Ids.SIZE, "data"),
        prevent_initial_call=True,
    )
    def about(
        cursor: Cursor | None, shown: list[dict[str, str]], shown_sizes: list[dict[str, str]]
    ) -> tuple[Content, Content, object, object, object, object]:
        here = place(library, cursor)
        focus = focus_of(cursor)
        meta = here.trace.meta
        colours, sizes = trace_options(here.trace), size_options(here.trace)
        return (
            trace_note(here.trace),
            crumbs(here.trace, focus),
            no_update if colours == shown else colours,
            no_update if sizes == shown_sizes else sizes,
            viewpoint_options(here.trace),
            {} if meta.mirrors or here.snapshot.player_sums is not None else {"display": "none"},
        )

    in_browser(app, "mcts.focusCrumb", Input({"type": "crumb", "node": ALL}, "n_clicks"))
    in_browser(
        app,
        "mcts.setView",
        Input(Ids.COLOUR, "value"),
        Input(Ids.SIZE, "value"),
        Input(Ids.BUDGET, "value"),
        Input(Ids.VIEWPOINT, "value"),
    )
    in_browser(app, "mctsTree.setShow", Input(Ids.SHOW, "value"))
    in_browser(app, "mcts.resetZoom", Input(Ids.RESET, "n_clicks"))
    in_browser(app, "mcts.toggleNumbers", Input(Ids.NUMBERS, "n_clicks"))


def crumbs(trace: Trace, focus: int) -> list[Part]:
    """The way to the node that the tree is drawn from."""
    labels = trace.at(trace.n_iterations)
    nodes = labels.path(focus)
    names = ["whole tree", *(labels.short_label(node) for node in nodes[1:])]
    return [
        dmc.Button(
            name, id=crumb(node), size="compact-sm",
            variant="light" if node == focus else "subtle", className="crumb",
        )
        for node, name in zip(nodes, names)
    ]  # fmt: skip


def _modes(trace: Trace) -> Sequence[str]:
    return colour_modes(trace.meta, trace.columns.nodes.prior)


def trace_options(trace: Trace) -> list[dict[str, str]]:
    """The colours offered for a trace."""
    exact = [TRUE_VALUE_OPTION] if has_true_value(trace.meta) else []
    return [*colour_options(_modes(trace)), *exact, *_number_options(trace)]


def size_options(trace: Trace) -> list[dict[str, str]]:
    """The sizes offered for a trace."""
    return [{"value": name, "label": name} for name in SIZES] + _number_options(trace)


def _number_options(trace: Trace) -> list[dict[str, str]]:
    names = number_names(trace.at(trace.n_iterations).numbers)
    return [{"value": mode, "label": name} for mode, name in zip(NUMBER_MODES, names)]


def viewpoint_options(trace: Trace) -> list[dict[str, str]]:
    """Whose view the values of a trace can be shown in."""
    players = trace.meta.player_names
    if len(players) == 1:
        players = players * 2
    return [{"value": name, "label": label} for name, label in zip(VIEWPOINTS, ["mover", *players])]


def colour_options(modes: Sequence[str]) -> list[dict[str, str]]:
    """The colour modes as a select box takes them."""
    return [{"value": mode, "label": COLOUR_NAMES[mode]} for mode in modes]


def trace_note(trace: Trace) -> str:
    """What one should know before reading a trace's numbers; nothing for a complete recording."""
    if trace.meta.is_snapshot:
        taken = trace.meta.snapshot_iteration or 0
        return (
            f"A snapshot taken at iteration {taken:,}: it has no history, so there is nothing to step "
            "through. Iteration 1 here is all of it."
        )
    if not trace.complete:
        return recording_state(trace).words
    said = []
    if is_derived(trace.meta):
        said.append(
            "The log has no visits: they are derived here, one for each record at its node and all nodes above it; "
            "values are means of the records' scores."
        )
    kept = trace.meta.inherited
    if kept is not None:
        tree = f"{plural(kept.visits, 'visit')}, {plural(kept.nodes, 'node')}"
        said.append(f"This tree was {kept_words(trace.meta)}: {tree}; iteration 0 shows it.")
    allowed = trace.meta.root_actions
    if allowed is not None:
        moves = ", ".join(map(trace.action_name, allowed))
        said.append(f"This search was allowed only these moves at the root: {moves}.")
    end = ending(trace)
    if end is not None:
        said.append(f"The search {end}.")
    return " ".join(said)


def _looks() -> list[Part]:
    """The controls of how the tree looks and of how much of it is shown."""
    show = dmc.SegmentedControl(
        id=Ids.SHOW, data=list(PageView.choices("show")), value=PageView.show, size="xs",
        **aria("view"),
    )  # fmt: skip
    colours, sizes = COLOUR_NAMES.items(), [(name, name) for name in SIZES]
    budgets = [(str(n), f"{n:,}" if n else "that fit") for n in BUDGETS]
    return [
        tip(show, "Tree, icicle (a level a row, a node as wide as its visits), or both"),
        tip(
            _select(Ids.COLOUR, "colour", colours, PageView.colour, 106),
            "What the colour of a node shows",
        ),
        tip(
            _select(Ids.SIZE, "size", sizes, PageView.size, 76),
            "What the size of a node shows",
        ),
        tip(
            _select(Ids.VIEWPOINT, "view", [("mover", "mover")], PageView.viewpoint, 74),
            "Whose view all values are in: the mover's, who moved into the node, or one player's",
        ),
        tip(
            _select(Ids.BUDGET, "nodes", budgets, str(PageView.budget), 80),
            "How many nodes to show, the most visited first. “that fit”: as many as can be read; zooming in shows more",
        ),
    ]


def _select(
    id_: Ids, label: str, options: Iterable[tuple[str, str]], value: str, width: int
) -> Part:
    return dmc.Select(
        id=id_,
        data=[{"value": name, "label": text} for name, text in options],
        value=value,
        leftSection=html.Span(label, className="select-label"),
        leftSectionWidth=10 + 7 * len(label),
        rightSectionWidth=20,
        allowDeselect=False,
        size="xs",
        w=width + 7 * len(label),
        **aria(label),
    )
