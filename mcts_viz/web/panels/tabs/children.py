"""The tab *Children*: a table of the selected node's children, and what the table of its siblings shares with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from dash import Dash, Input, Output, State, no_update
from dash._no_update import NoUpdate

from mcts_viz.analysis.iteration.captions import several
from mcts_viz.analysis.node.facts import NodeRow, child_rows, node_facts
from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.trace.players import CHANCE, EVERYBODY, UNKNOWN
from mcts_viz.trace.trace import Trace
from mcts_viz.web.cursor import Cursor, Place, place
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Content, Part
from mcts_viz.web.panels.grid import (
    COUNT,
    FOUR,
    LONG_NAMES,
    PRIOR,
    SCORE,
    SHARE,
    Cells,
    Column,
    Columns,
    Rows,
    column,
    noted_grid,
    number_column,
    select_by_row,
)
from mcts_viz.web.panels.node import not_yet
from mcts_viz.web.panels.tabs.tab import Tab
from mcts_viz.web.panels.tabs.truth import COLUMN as TRUTH_COLUMN
from mcts_viz.web.panels.tabs.truth import has_results, with_truth
from mcts_viz.web.words import small

NAME = "children"
RESULTS: Column = {
    **column("results", "w/d/l", drop=2), "sortable": False, "tooltipField": "results",
    "headerTooltip": "Simulated games through the node that the player who moved there won, drew and lost",
}  # fmt: skip
SCORES: Columns = [
    number_column("exploration_term", SCORE, "exploration", drop=3),
    number_column("score", SCORE, drop=6),
]
# rows of the table, the note above it, and its columns where they change
Table: TypeAlias = tuple[Rows, Content, object]


def body() -> list[Part]:
    """The table under its note."""
    return noted_grid(Ids.CHILDREN_NOTE, Ids.CHILDREN, node_columns())


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""

    @app.callback(
        Output(Ids.CHILDREN, "rowData"),
        Output(Ids.CHILDREN_NOTE, "children"),
        Output(Ids.CHILDREN, "columnDefs"),
        Input(cursor_for(NAME), "data"),
        State(Ids.CHILDREN, "columnDefs"),
        prevent_initial_call=True,
    )
    def children(cursor: Cursor | None, shown: Columns) -> Table:
        return children_table(library, place(library, cursor), shown)

    select_by_row(app, Ids.CHILDREN)


def children_table(library: Library, here: Place, shown: Columns) -> Table:
    """The children of the selected node. There is no column of game-theoretic values before one is known; one
    that has been of use stays, as new columns undo a person's sorting."""
    if not here.node_exists:
        return [], not_yet(here), changed_columns(here.trace, shown)
    rows, note = sibling_table(library, here, here.node)
    scored = is_compared(here, here.node)
    has_column = any(each["field"] == TRUTH_COLUMN["field"] for each in shown or [])
    solved = has_results(library, here) if has_column else any(row.get("truth") for row in rows)
    return rows, note, changed_columns(here.trace, shown, solved, scored)


def sibling_table(library: Library, here: Place, parent: int) -> tuple[Rows, str]:
    """Rows of the children of `parent`, and the note above them."""
    n_legal = library.n_legal(here.trace, parent)
    rows = child_rows(here.snapshot, parent, n_legal, here.view)
    note = children_note(rows, view_note(here, parent), n_legal)
    proven = node_facts(here.snapshot, parent).proven
    if proven is not None:
        note = f"Proven here: {proven}. {note}"
    return with_truth(library, here, [node_row(row, here.node) for row in rows]), note


def is_compared(here: Place, parent: int) -> bool:
    """Whether the children are compared by scores: not where chance decides, or all players choose at once."""
    return int(here.snapshot.to_move[parent]) not in (CHANCE, EVERYBODY)


def view_note(here: Place, parent: int) -> str:
    """Whose view the children's values are, and who chooses among them."""
    meta, player = here.trace.meta, int(here.snapshot.to_move[parent])
    if player == EVERYBODY:
        return "All choose at once here: no scores are compared. The node's card has each player's own moves."
    if not is_compared(here, parent):
        return "Chance decides here: nothing is compared."
    if meta.n_players == 1:
        return ""
    if player == UNKNOWN:
        return "Values in the view of the player who chooses here."
    chooser, shown = player_name(meta, player), here.view.player
    if shown in (None, player) or not (meta.mirrors or meta.player_values):
        return f"Values in the view of {chooser}, who chooses here."
    return f"Means in the view of {player_name(meta, shown)}. Scores in the view of {chooser}, who chooses here."


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
        return f"Next selected: {following.move}, tied with {several(ties)}: the one made first wins. {view}"
    margin = f", ahead by {small(following.score - max(others))}" if others else ""
    return f"Next selected: {following.move}{margin}. {view}"


def node_row(row: NodeRow, selected: int) -> Cells:
    """One row as the grid takes it."""
    marks = ("★" if row.chosen else "") + ("→" if row.next_selected else "")
    results = "" if row.wins is None else f"{row.wins}/{row.draws}/{row.losses}"
    found = {"marks": marks, "results": results, "selected": row.node == selected}
    return {**row.__dict__, "id": str(row.node), **found}


def changed_columns(
    trace: Trace, shown: Columns, solved: bool = False, scored: bool = True
) -> Columns | NoUpdate:
    """The columns that the table needs for this trace, nothing to do where it has them: new ones
    would undo a person's sorting. `solved`: game-theoretic values are known. `scored`: as `is_compared`."""
    wanted = node_columns(
        has_priors=bool(np.isfinite(trace.columns.nodes.prior).any()),
        proves=trace.shows_proofs,
        solved=solved,
        has_results=trace.meta.outcomes_are_results and trace.meta.is_ours,
        scored=scored,
    )
    same = [each["field"] for each in shown or []] == [each["field"] for each in wanted]
    return no_update if same else wanted


def node_columns(
    has_priors: bool = False,
    proves: bool = False,
    solved: bool = False,
    has_results: bool = False,
    scored: bool = True,
) -> Columns:
    """Columns of the children's and siblings' tables."""
    more: Columns = []
    if has_priors:
        more.append(number_column("prior", PRIOR, drop=4))
    if proves:
        more.append({**column("proven", drop=5), "tooltipField": "proven"})
    if solved:
        more.append(TRUTH_COLUMN)
    marks = "★ leads, and is played at the end · → would be selected next"
    return [
        {**column("marks", "★"), "sortable": False, "headerTooltip": marks},
        {"field": "move", "flex": 1, "minWidth": 66, **LONG_NAMES},
        number_column("visits", COUNT),
        number_column("share", SHARE, drop=1),
        number_column("mean_value", FOUR, "mean"),
        *more,
        *(SCORES if scored else []),
        *([RESULTS] if has_results else []),
    ]


TAB = Tab(NAME, "Children", body, register)
