"""The tables beside the tree: children, siblings, and what the iteration shown did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
import numpy as np
from dash import ClientsideFunction, Dash, Input, Output, State, html, no_update
from dash.exceptions import PreventUpdate

from mcts_viz.analysis.iteration_story import IterationStory, Level, iteration_story
from mcts_viz.analysis.node_facts import NodeRow, child_rows, node_facts
from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.trace.snapshot import has_solver
from mcts_viz.trace.trace import Trace
from mcts_viz.web.cursor import Place, place
from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library
from mcts_viz.web.panels.node import not_yet
from mcts_viz.web.words import small

FOUR = {"function": "params.value == null ? '–' : d3.format('.4f')(params.value)"}
COUNT = {"function": "params.value == null ? '–' : d3.format(',')(params.value)"}
# infinite for a node that comes before all others, as it was never visited
SCORE = {
    "function": "params.value != null ? d3.format('.4f')(params.value)"
    " : params.data.comes_first ? '∞' : '–'"
}
PRIOR = {"function": "params.value == null ? '–' : d3.format('.3f')(params.value)"}
SHARE = {"function": "params.value == null ? '–' : d3.format('.1%')(params.value)"}


Rows = tuple[list[dict[str, Any]], Any]  # of a table, and the note above it
Columns = list[dict[str, Any]]
Table = tuple[list[dict[str, Any]], Any, Any]  # and its columns


def layout(heads: Sequence[Any] = (), bodies: Sequence[Any] = ()) -> Any:
    """The tabs, those of other panels behind its own: their heads and their bodies."""
    return dmc.Tabs(
        id=Ids.TABS.value,
        # no tab, so no grid to load and to draw, until the tree has been drawn once
        value=None,
        keepMounted=False,
        className="tabs",
        children=[
            dmc.TabsList(
                [
                    dmc.TabsTab("Children", value="children"),
                    dmc.TabsTab("Siblings", value="siblings"),
                    dmc.TabsTab("This iteration", value="iteration"),
                    *heads,
                ]
            ),
            _panel("children", Ids.CHILDREN_NOTE, _grid(Ids.CHILDREN, node_columns())),
            _panel("siblings", Ids.SIBLINGS_NOTE, _grid(Ids.SIBLINGS, node_columns())),
            _panel("iteration", Ids.STORY_NOTE, _grid(Ids.STORY, level_columns())),
            *bodies,
        ],
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tables."""

    @app.callback(
        Output(Ids.CHILDREN.value, "rowData"),
        Output(Ids.CHILDREN_NOTE.value, "children"),
        Output(Ids.CHILDREN.value, "columnDefs"),
        Input(Ids.CURSOR.value, "data"),
        Input(Ids.TABS.value, "value"),
        State(Ids.CHILDREN.value, "columnDefs"),
    )
    def children(cursor: dict[str, Any] | None, tab: str | None, shown: Columns) -> Table:
        here = place_in_tab(library, cursor, tab, "children")
        columns = changed_columns(here.trace, shown)
        if not here.node_exists:
            return [], not_yet(here), columns
        return *sibling_table(library, here, here.node), columns

    @app.callback(
        Output(Ids.SIBLINGS.value, "rowData"),
        Output(Ids.SIBLINGS_NOTE.value, "children"),
        Output(Ids.SIBLINGS.value, "columnDefs"),
        Input(Ids.CURSOR.value, "data"),
        Input(Ids.TABS.value, "value"),
        State(Ids.SIBLINGS.value, "columnDefs"),
    )
    def siblings(cursor: dict[str, Any] | None, tab: str | None, shown: Columns) -> Table:
        here = place_in_tab(library, cursor, tab, "siblings")
        columns = changed_columns(here.trace, shown)
        if not here.node_exists:
            return [], not_yet(here), columns
        if here.node == 0:
            return [], "The root has no siblings. Select another node.", columns
        return *sibling_table(library, here, int(here.snapshot.parent[here.node])), columns

    @app.callback(
        Output(Ids.STORY.value, "rowData"),
        Output(Ids.STORY_NOTE.value, "children"),
        Input(Ids.CURSOR.value, "data"),
        Input(Ids.TABS.value, "value"),
    )
    def story(cursor: dict[str, Any] | None, tab: str | None) -> Rows:
        here = place_in_tab(library, cursor, tab, "iteration")
        if here.snapshot.iteration == 0:
            kept = (
                "the tree was kept from the move before"
                if here.trace.meta.get("inherited")
                else ("nothing has happened yet")
            )
            return [], f"Before the first iteration: {kept}."
        told = iteration_story(here.trace, here.snapshot.iteration)
        return [level_row(level) for level in told.levels], story_note(told)

    app.clientside_callback(
        ClientsideFunction("mcts", "showTables"),
        Output(Ids.TABS.value, "value"),
        Input(Ids.CURSOR.value, "data"),
        State(Ids.TABS.value, "value"),
    )
    for table in (Ids.CHILDREN, Ids.SIBLINGS, Ids.STORY):
        app.clientside_callback(
            ClientsideFunction("mcts", "selectRow"), Input(table.value, "cellClicked"),
            prevent_initial_call=True,
        )  # fmt: skip


def place_in_tab(
    library: Library, cursor: dict[str, Any] | None, shown: str | None, tab: str
) -> Place:
    """Where the cursor is; a table that is not shown does nothing until its tab is opened, for what
    reaches it before it is on the page is lost."""
    if shown != tab:
        raise PreventUpdate
    return place(library, cursor)


def sibling_table(library: Library, here: Place, parent: int) -> tuple[list[dict[str, Any]], str]:
    """Rows of the children of `parent`, and the note above them."""
    n_legal = library.n_legal(here.trace, parent)
    rows = child_rows(here.snapshot, parent, n_legal)
    chooser = player_name(here.trace.meta, int(here.snapshot.to_move[parent]))
    note = children_note(rows, chooser, n_legal)
    proven = node_facts(here.snapshot, parent).proven
    if proven is not None:
        note = f"Proven here: {proven}. {note}"
    return [node_row(row, here.node) for row in rows], note


def children_note(rows: Sequence[NodeRow], chooser: str, n_legal: int | None) -> str:
    """What the table says in a sentence: what comes next and by how much."""
    if not rows:
        if n_legal == 0:
            return "The game is over here: no children."
        return "No children yet."
    view = f"Values in the view of {chooser}, who chooses here."
    if n_legal is not None and len(rows) < n_legal:
        untried = n_legal - len(rows)
        return f"{untried} of {n_legal} moves untried: the next visit adds one of them. {view}"
    following = next((row for row in rows if row.next_selected), None)
    if following is None:
        return view
    if following.score is None:
        return f"Next: {following.move}, not visited yet. {view}"
    others = [row.score for row in rows if row is not following and row.score is not None]
    ties = [row.move for row in rows if row is not following and row.score == following.score]
    if ties:
        return (
            f"Next selected: {following.move}, tied with {', '.join(ties)}: first made wins. {view}"
        )
    margin = f", ahead by {small(following.score - max(others))}" if others else ""
    return f"Next selected: {following.move}{margin}. {view}"


def node_row(row: NodeRow, selected: int) -> dict[str, Any]:
    """One row as the grid takes it."""
    marks = ("★" if row.chosen else "") + ("→" if row.next_selected else "")
    return {**row.__dict__, "id": str(row.node), "marks": marks, "selected": row.node == selected}


def level_row(level: Level) -> dict[str, Any]:
    """One level of the selected path as the grid takes it."""
    over = ""
    if level.kind == "added":
        over = "new node"
    elif level.comes_first:
        over = f"first of {len(level.ties) + 1:,} unvisited" if level.ties else "not visited before"
    elif level.ties:
        over = f"tie with {', '.join(level.ties)}: first made wins"
    elif level.runner_up is not None:
        over = f"{level.runner_up}, by {small(level.margin)}"
    elif level.score is not None:
        over = "only child"
    return {**level.__dict__, "id": str(level.node), "ties": None, "over": over}


def story_note(told: IterationStory) -> Any:
    """The iteration in a sentence, and its simulation."""
    lines: list[Any] = [html.Span(told.summary)]
    for number, moves in enumerate(told.rollouts or (), start=1):
        if moves:
            which = f" {number}" if len(told.rollouts or ()) > 1 else ""
            title = html.Summary(f"moves of the simulation{which}")
            lines.append(html.Details([title, ", ".join(moves)]))
    lines.append(
        html.Div("Scores before the choice, in the view of the player who chose.", className="dim")
    )
    return lines


# such as "board 5 cell 1": on two lines
LONG_NAMES: dict[str, Any] = {
    "tooltipField": "move",
    "cellClassRules": {"long-name": "params.value && params.value.length > 9"},
}


def changed_columns(trace: Trace, shown: Columns) -> Any:
    """The columns that the table needs for this trace, nothing to do where it has them: new ones
    would undo a person's sorting."""
    wanted = node_columns(
        has_priors=bool(np.isfinite(trace.columns.prior).any()), proves=has_solver(trace.meta)
    )
    same = [each["field"] for each in shown or []] == [each["field"] for each in wanted]
    return no_update if same else wanted


def node_columns(has_priors: bool = False, proves: bool = False) -> Columns:
    """Columns of the children's and siblings' tables; they fit beside a tree of 1280 pixels."""
    more: Columns = []
    if has_priors:
        more.append(_number("prior", PRIOR, 48))
    if proves:
        more.append(
            {"field": "proven", "headerName": "proven", "width": 58, "tooltipField": "proven"}
        )
    tight = 8 if more else 0  # pixels that each column gives up for another one
    share = [] if has_priors and proves else [_number("share", SHARE, 58 - tight)]
    return [
        {
            "field": "marks",
            "headerName": "",
            "width": 40 - tight,
            "sortable": False,
            "headerTooltip": "★ would be played · → would be selected next",
        },
        {"field": "move", "flex": 1, "minWidth": 84 - 2 * tight, **LONG_NAMES},
        _number("visits", COUNT, 64 - tight),
        *share,
        _number("mean_value", FOUR, 62 - tight, "mean"),
        *more,
        _number("exploration_term", SCORE, 62 - tight, "explor."),
        _number("score", SCORE, 62 - tight, "UCT"),
    ]


def level_columns() -> list[dict[str, Any]]:
    """Columns of the table of one iteration's choices."""
    return [
        {"field": "depth", "headerName": "", "width": 32},
        {"field": "move", "width": 84, **LONG_NAMES},
        _number("value_term", FOUR, 66, "value"),
        _number("exploration_term", SCORE, 62, "explor."),
        _number("score", SCORE, 62, "UCT"),
        {
            "field": "over",
            "headerName": "ahead of",
            "flex": 1,
            "minWidth": 130,
            "tooltipField": "over",
        },
    ]


def _number(
    field: str, formatter: dict[str, str], width: int, name: str | None = None
) -> dict[str, Any]:
    return {
        "field": field,
        "headerName": name or field,
        "width": width,
        "type": "rightAligned",
        "valueFormatter": formatter,
        "sortingOrder": ["desc", "asc", None],
    }


def _grid(id_: Ids, columns: list[dict[str, Any]]) -> Any:
    return dag.AgGrid(
        id=id_.value,
        columnDefs=columns,
        rowData=[],
        defaultColDef={"sortable": True, "resizable": True, "suppressMovable": True},
        dashGridOptions={
            "theme": {"function": "themeQuartz"},
            "rowHeight": 28,
            "headerHeight": 30,
            "suppressNoRowsOverlay": True,
            "tooltipShowDelay": 300,
            "animateRows": False,
            "tabToNextCell": {"function": "true"},  # Tab leaves the table; the arrows move in it
            "tabToNextHeader": {"function": "true"},
        },
        getRowId="params.data.id",
        rowClassRules={"row-selected": "params.data.selected", "row-chosen": "params.data.chosen"},
        style={"height": "100%", "width": "100%"},
    )


def _panel(value: str, note: Ids, grid: Any) -> Any:
    return dmc.TabsPanel(
        [html.Div(id=note.value, className="note"), html.Div(grid, className="grid")], value=value
    )
