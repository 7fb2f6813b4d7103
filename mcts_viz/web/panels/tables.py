"""The tables beside the tree: children and siblings; and the tabs that they and other panels are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
import numpy as np
from dash import ClientsideFunction, Dash, Input, Output, State, html, no_update
from dash.exceptions import PreventUpdate

from mcts_viz.analysis.node_facts import NodeRow, child_rows, node_facts
from mcts_viz.analysis.phase_captions import several
from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.trace.players import CHANCE, UNKNOWN, n_players
from mcts_viz.trace.snapshot import has_solver
from mcts_viz.trace.trace import Trace
from mcts_viz.web.cursor import Place, place
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.node import not_yet
from mcts_viz.web.panels.truth import COLUMN as TRUTH_COLUMN
from mcts_viz.web.panels.truth import has_results, with_truth
from mcts_viz.web.words import small


def decimals(sign: str = "") -> str:
    """A number with four decimals, of greater ones fewer: so many characters as a column has room for."""
    size = "Math.abs(params.value)"
    return (
        f"d3.format({size} < 10 ? '{sign}.4f' : {size} < 100 ? '{sign}.3f' : {size} < 1000 ? '{sign}.2f'"
        f" : {size} < 100000 ? '{sign},.0f' : '{sign}.3g')(params.value)"
    )


FOUR = {"function": f"params.value == null ? '–' : {decimals()}"}
SIGNED = {"function": f"params.value == null ? '–' : {decimals('+')}"}
COUNT = {"function": "params.value == null ? '–' : d3.format(',')(params.value)"}
# infinite for a node that comes before all others, as it was never visited
SCORE = {"function": f"params.value == null ? (params.data.comes_first ? '∞' : '–') : {decimals()}"}
PRIOR = {"function": "params.value == null ? '–' : d3.format('.3f')(params.value)"}
SHARE = {
    "function": "params.value == null ? '–' : d3.format(params.value < 0.9995 ? '.1%' : '.0%')(params.value)"
}


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
                    *heads,
                ]
            ),
            grid_panel("children", Ids.CHILDREN_NOTE, grid(Ids.CHILDREN, node_columns())),
            grid_panel("siblings", Ids.SIBLINGS_NOTE, grid(Ids.SIBLINGS, node_columns())),
            *bodies,
        ],
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tables."""

    @app.callback(
        Output(Ids.CHILDREN.value, "rowData"),
        Output(Ids.CHILDREN_NOTE.value, "children"),
        Output(Ids.CHILDREN.value, "columnDefs"),
        Input(cursor_for("children"), "data"),
        Input(Ids.TRUTH.value, "data"),  # is there now
        State(Ids.TABS.value, "value"),
        State(Ids.CHILDREN.value, "columnDefs"),
        prevent_initial_call=True,
    )
    def children(
        cursor: dict[str, Any] | None, _truth: Any, tab: str | None, shown: Columns
    ) -> Table:
        here = place_in_tab(library, cursor, tab, "children")
        if not here.node_exists:
            return [], not_yet(here), changed_columns(here.trace, shown)
        rows, note = sibling_table(library, here, here.node)
        # no column of nothing; one that has been of use to this trace stays, as new columns undo a
        # person's sorting
        has_column = any(each["field"] == TRUTH_COLUMN["field"] for each in shown or [])
        solved = has_results(library, here) if has_column else any(row.get("truth") for row in rows)
        return rows, note, changed_columns(here.trace, shown, solved)

    @app.callback(
        Output(Ids.SIBLINGS.value, "rowData"),
        Output(Ids.SIBLINGS_NOTE.value, "children"),
        Output(Ids.SIBLINGS.value, "columnDefs"),
        Input(cursor_for("siblings"), "data"),
        State(Ids.SIBLINGS.value, "columnDefs"),
        prevent_initial_call=True,
    )
    def siblings(cursor: dict[str, Any] | None, shown: Columns) -> Table:
        here = place(library, cursor)
        columns = changed_columns(here.trace, shown)
        if not here.node_exists:
            return [], not_yet(here), columns
        if here.node == 0:
            return [], "The root has no siblings. Select another node.", columns
        return *sibling_table(library, here, int(here.snapshot.parent[here.node])), columns

    app.clientside_callback(
        ClientsideFunction("mctsPanels", "open"), Input(Ids.TABS.value, "value"),
        prevent_initial_call=True,
    )  # fmt: skip
    for table in (Ids.CHILDREN, Ids.SIBLINGS, Ids.STORY):
        app.clientside_callback(
            ClientsideFunction("mcts", "selectRow"), Input(table.value, "cellClicked"),
            prevent_initial_call=True,
        )  # fmt: skip


def place_in_tab(
    library: Library, cursor: dict[str, Any] | None, shown: str | None, tab: str
) -> Place:
    """Where the cursor is, for what is also asked when the cursor has not moved: a tab that is not open
    does nothing, for it is told when it is opened, and what reaches a table before it is on the page
    is lost."""
    if shown != tab:
        raise PreventUpdate
    return place(library, cursor)


def sibling_table(library: Library, here: Place, parent: int) -> tuple[list[dict[str, Any]], str]:
    """Rows of the children of `parent`, and the note above them."""
    n_legal = library.n_legal(here.trace, parent)
    rows = child_rows(here.snapshot, parent, n_legal)
    note = children_note(rows, view_note(here, parent), n_legal)
    proven = node_facts(here.snapshot, parent).proven
    if proven is not None:
        note = f"Proven here: {proven}. {note}"
    return with_truth(library, here, [node_row(row, here.node) for row in rows]), note


def view_note(here: Place, parent: int) -> str:
    """Whose view the children's values are, and who chooses among them."""
    meta, player = here.trace.meta, int(here.snapshot.to_move[parent])
    if player == CHANCE:
        return "Chance decides here: nothing is compared."
    if n_players(meta) == 1:
        return ""
    if player == UNKNOWN:
        return "Values in the view of the player who chooses here."
    return f"Values in the view of {player_name(meta, player)}, who chooses here."


def children_note(rows: Sequence[NodeRow], view: str, n_legal: int | None) -> str:
    """What the table says in a sentence: what comes next and by how much."""
    if not rows:
        if n_legal == 0:
            return "The game is over here: no children."
        return "No children yet."
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
            f"Next selected: {following.move}, tied with {several(ties)}: first made wins. {view}"
        )
    margin = f", ahead by {small(following.score - max(others))}" if others else ""
    return f"Next selected: {following.move}{margin}. {view}"


def node_row(row: NodeRow, selected: int) -> dict[str, Any]:
    """One row as the grid takes it."""
    marks = ("★" if row.chosen else "") + ("→" if row.next_selected else "")
    return {**row.__dict__, "id": str(row.node), "marks": marks, "selected": row.node == selected}


# such as "board 5 cell 1": on two lines; of a very long one these show the beginning
LONG_NAMES: dict[str, Any] = {
    "tooltipField": "move",
    "cellClassRules": {
        "long-name": "params.value && params.value.length > 9",
        "very-long-name": "params.value && params.value.length > 30",
    },
}


def changed_columns(trace: Trace, shown: Columns, solved: bool = False) -> Any:
    """The columns that the table needs for this trace, nothing to do where it has them: new ones
    would undo a person's sorting. `solved`: exact results are known."""
    wanted = node_columns(
        has_priors=bool(np.isfinite(trace.columns.prior).any()),
        proves=has_solver(trace.meta),
        solved=solved,
    )
    same = [each["field"] for each in shown or []] == [each["field"] for each in wanted]
    return no_update if same else wanted


def node_columns(has_priors: bool = False, proves: bool = False, solved: bool = False) -> Columns:
    """Columns of the children's and siblings' tables; they fit beside a tree of 1280 pixels."""
    more: Columns = []
    if has_priors:
        more.append(number_column("prior", PRIOR, 48))
    if proves:
        more.append(
            {"field": "proven", "headerName": "proven", "width": 58, "tooltipField": "proven"}
        )
    if solved:
        more.append(TRUTH_COLUMN)
    # pixels that each column gives up for others
    tight = {0: 0, 1: 8}.get(len(more), 12)
    share = [] if has_priors and proves else [number_column("share", SHARE, 58 - tight)]
    return [
        {
            "field": "marks",
            "headerName": "",
            "width": 40 - tight,
            "sortable": False,
            "headerTooltip": "★ would be played · → would be selected next",
        },
        {"field": "move", "flex": 1, "minWidth": 84 - 2 * tight, **LONG_NAMES},
        number_column("visits", COUNT, 64 - tight),
        *share,
        number_column("mean_value", FOUR, 62 - tight, "mean"),
        *more,
        number_column("exploration_term", SCORE, 62 - tight, "explor."),
        number_column("score", SCORE, 62 - tight, "UCT"),
    ]


def number_column(
    field: str, formatter: dict[str, str], width: int, name: str | None = None
) -> dict[str, Any]:
    """A column of numbers, the greatest first at the first click on its head."""
    return {
        "field": field,
        "headerName": name or field,
        "width": width,
        "type": "rightAligned",
        "valueFormatter": formatter,
        "sortingOrder": ["desc", "asc", None],
    }


def grid(id_: Ids, columns: list[dict[str, Any]]) -> Any:
    """An empty table of the page's looks; rows have an `id`, and may be `selected` or `chosen`."""
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
        rowClassRules={
            "row-selected": "params.data.selected",
            "row-chosen": "params.data.chosen",
            "row-first": "params.data.first",
        },
        style={"height": "100%", "width": "100%"},
    )


def grid_panel(value: str, note: Ids, grid: Any) -> Any:
    """A tab's body: a table under its note."""
    return dmc.TabsPanel(
        [html.Div(id=note.value, className="note"), html.Div(grid, className="grid")], value=value
    )
