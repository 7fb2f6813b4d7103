"""The tab *Siblings*: a table of the selected node among the children of its parent."""

from __future__ import annotations

from dash import Dash, Input, Output, State

from mcts_viz.web.cursor import Cursor, Place, place
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Part
from mcts_viz.web.panels.grid import Columns, noted_grid, select_by_row
from mcts_viz.web.panels.node import not_yet
from mcts_viz.web.panels.tabs.children import (
    Table,
    changed_columns,
    is_compared,
    node_columns,
    sibling_table,
)
from mcts_viz.web.panels.tabs.tab import Tab

NAME = "siblings"


def body() -> list[Part]:
    """The table under its note."""
    return noted_grid(Ids.SIBLINGS_NOTE, Ids.SIBLINGS, node_columns())


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""

    @app.callback(
        Output(Ids.SIBLINGS, "rowData"),
        Output(Ids.SIBLINGS_NOTE, "children"),
        Output(Ids.SIBLINGS, "columnDefs"),
        Input(cursor_for(NAME), "data"),
        State(Ids.SIBLINGS, "columnDefs"),
        prevent_initial_call=True,
    )
    def siblings(cursor: Cursor | None, shown: Columns) -> Table:
        return siblings_table(library, place(library, cursor), shown)

    select_by_row(app, Ids.SIBLINGS)


def siblings_table(library: Library, here: Place, shown: Columns) -> Table:
    """The selected node and its siblings."""
    parent = int(here.snapshot.parent[here.node]) if here.node_exists else 0
    columns = changed_columns(here.trace, shown, scored=is_compared(here, max(0, parent)))
    if not here.node_exists:
        return [], not_yet(here), columns
    if here.node == 0:
        return [], "The root has no siblings. Select another node.", columns
    return *sibling_table(library, here, parent), columns


TAB = Tab(NAME, "Siblings", body, register)
