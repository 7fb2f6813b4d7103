"""Rollouts: every simulation that passed through the selected node so far, how they ended, and each
of them to step through on the board."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, html

from mcts_viz.analysis.node.rollouts import (
    PAGE,
    IterationRollout,
    OutcomeCounts,
    RolloutsThrough,
    rollout,
    rollouts_through,
)
from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.trace.words import shared_words
from mcts_viz.views.board import PLAYER_COLOURS
from mcts_viz.web.cursor import Cursor, Place, place, place_in_tab
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import HIDDEN, Content, Part, aria, in_browser
from mcts_viz.web.panels.grid import COUNT, Cells, Columns, Rows, column, grid, number_column
from mcts_viz.web.panels.node import not_yet
from mcts_viz.web.panels.tabs.rollout_player import numbered, player
from mcts_viz.web.panels.tabs.tab import Tab
from mcts_viz.web.words import count, number, percent, plural

NAME = "rollouts"


def body() -> list[Part]:
    """Outcomes above; below them a simulation on the board beside the list."""
    pages = dmc.Pagination(
        id=Ids.ROLLOUTS_PAGE, total=1, value=1, size="xs", siblings=0, hideWithOnePage=True,
        withControls=False,  # arrows without names
        **aria("pages of the list"),
    )  # fmt: skip
    note = html.Div(id=Ids.ROLLOUTS_NOTE, className="note rollouts-note")
    table = html.Div(grid(Ids.ROLLOUTS, columns()), className="grid")
    simulation = html.Div(id=Ids.ROLLOUTS_PLAYER, className="rollouts-player")
    listed = html.Div([table, pages], className="rollouts-list")
    return [note, html.Div([simulation, listed], className="rollouts")]


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""

    @app.callback(
        Output(Ids.ROLLOUTS_NOTE, "children"),
        Output(Ids.ROLLOUTS, "rowData"),
        Output(Ids.ROLLOUTS_PAGE, "total"),
        Input(cursor_for(NAME), "data"),
        Input(Ids.ROLLOUTS_PAGE, "value"),
        prevent_initial_call=True,
    )
    def listed(cursor: Cursor | None, page: int | None) -> tuple[Content, Rows, int]:
        here = place(library, cursor)
        if not here.node_exists:
            return not_yet(here), [], 1
        through = rollouts_through(here.trace, here.node, here.snapshot.iteration)
        return note(here, through, page or 1), rows(here, through, page or 1), through.n_pages

    @app.callback(
        Output(Ids.ROLLOUTS_PLAYER, "children"),
        Input(cursor_for(NAME), "data"),
        Input(Ids.ROLLOUTS, "cellClicked"),
        State(Ids.TABS, "value"),
        prevent_initial_call=True,
    )
    def played(cursor: Cursor | None, cell: dict[str, str] | None, shown: str | None) -> Content:
        here = place_in_tab(library, cursor, shown, NAME)
        if not here.node_exists:
            return None
        through = rollouts_through(here.trace, here.node, here.snapshot.iteration)
        wanted = int(cell["rowId"]) if cell and cell.get("rowId") else None
        return players(library, here, through, wanted)

    in_browser(app, "mcts.goToRollout", Input(Ids.ROLLOUTS, "cellClicked"))


# ---- how they ended ----------------------------------------------------------------------------------------------


def note(here: Place, through: RolloutsThrough, page: int) -> list[Part]:
    """The number of simulations, their outcomes, gaps in the recording, and the range that the list shows."""
    if through.is_snapshot:
        return [html.P("This is a snapshot: it has no history, and so no simulations.")]
    kept = kept_words(through)
    n = len(through.iterations)
    if n == 0:
        where = f"up to iteration {through.t:,}" if through.t else "yet"
        return [html.P(f"No simulation has passed through this node {where}."), *kept]
    players = [player_name(here.trace.meta, each) for each in (0, 1)]
    return [
        outcome_bar(through.outcomes, players),
        html.Div(outcome_words(through.outcomes, players), className="outcomes"),
        *missing(through),
        *kept,
        html.Div(range_words(through, page), className="dim"),
    ]


def outcome_words(outcomes: OutcomeCounts, players: list[str]) -> list[Part]:
    """The counts, each behind the swatch of its part of the bar; means and ranges of values."""
    said: list[Part] = [
        html.Span(
            [
                html.I(className="swatch", style={"background": colour}),
                f"{name} {count(n)} ",
                html.Span(f"({percent(n / outcomes.n)})", className="dim"),
            ]
        )
        for name, n, colour in parts(outcomes, players)
        if n
    ]
    if outcomes.n_values:
        between = f"from {number(outcomes.least, 3)} to {number(outcomes.greatest, 3)}"
        if outcomes.least == outcomes.greatest:
            between = f"always {number(outcomes.least, 3)}"
        said.append(html.Span(f"{between} in the view of {players[0]}", className="dim"))
    if (
        outcomes.mean is not None and outcomes.n_values
    ):  # of games the node has its mean value above, on its own scale
        said.append(html.Span(f"mean {number(outcomes.mean)} for {players[0]}", className="dim"))
    return said


def parts(outcomes: OutcomeCounts, players: list[str]) -> list[tuple[str, int, str]]:
    """(name, number, colour) of each kind of outcome, in the order of the bar."""
    return [
        (f"{players[0]} wins", outcomes.wins[0], PLAYER_COLOURS[0]),
        ("draw", outcomes.draws, "var(--mcts-edge)"),
        (f"{players[1]} wins", outcomes.wins[1], PLAYER_COLOURS[1]),
        ("another value", outcomes.n_values, "var(--mcts-new)"),
        ("not recorded", outcomes.not_recorded, "var(--mcts-muted)"),
    ]


def outcome_bar(outcomes: OutcomeCounts, players: list[str]) -> Part:
    """A bar in the shares of the outcomes; the words below it say the same."""
    return html.Div(
        [
            html.Span(style={"flexGrow": n, "background": colour}, title=f"{name}: {n:,}")
            for name, n, colour in parts(outcomes, players)
            if n
        ],
        className="outcome-bar",
        **HIDDEN,
    )


def missing(through: RolloutsThrough) -> list[Part]:
    """What the trace does not have of them."""
    said = []
    if through.by_evaluator:
        said.append("An evaluator values the leaves of this search: there are no moves to play.")
    elif not through.has_moves:
        some = through.outcomes.not_recorded < through.outcomes.n
        said.append(
            f"The moves of the simulations were not recorded{': their outcomes alone' if some else ''}."
        )
    if through.outcomes.n_over:
        games = plural(through.outcomes.n_over, "time")
        said.append(f"{games} the game was over at the leaf, without a simulation.")
    return [html.Div(each, className="dim") for each in said]


def kept_words(through: RolloutsThrough) -> list[Part]:
    """What came before this trace."""
    if not through.inherited:
        return []
    visits = plural(through.inherited, "visit")
    return [html.Div(f"{visits} from the search before: their simulations are not in this trace.")]


def range_words(through: RolloutsThrough, page: int) -> str:
    """Which of them the list shows; never silently not all."""
    n = len(through.iterations)
    shown = len(through.page(page))
    if shown == n:
        return f"All {count(n)}, newest first." if n > 1 else "The only one."
    first = (min(page, through.n_pages) - 1) * PAGE + 1
    return f"{first:,} to {first + shown - 1:,} of {n:,}, newest first."


# ---- the list ----------------------------------------------------------------------------------------------------


def rows(here: Place, through: RolloutsThrough, page: int) -> Rows:
    """A page of the list as the grid takes it."""
    without = shared_words(here.trace.meta.action_labels)
    told = (rollout(here.snapshot, here.trace, t) for t in through.page(page).tolist())
    return [row(each, without) for each in told]


def row(each: IterationRollout, without: int) -> Cells:
    """One iteration of the list; its moves as `line_of` has them."""
    moves = [line_of(each, left_out) for left_out in (without, 0)]
    short, whole = ["game over"] * 2 if each.is_over else moves
    return {
        "id": str(each.iteration),
        "iteration": each.iteration,
        "result": each.result,
        "length": each.n_moves,
        "moves": short,
        "all_moves": whole,
    }


def line_of(each: IterationRollout, without: int) -> str:
    """Its moves on one line; `without` as many words as all moves begin with, "3 4" for "column 3 column 4"."""
    parts = [[" ".join(move.split(" ")[without:]) for move in part] for part in each.moves or ()]
    between = ", " if without and any(" " in move for part in parts for move in part) else " "
    return " | ".join(between.join(part) for part in parts)


def columns() -> Columns:
    """Columns of the list."""
    iteration = number_column("iteration", COUNT, "iter.")
    return [
        {
            **iteration,
            "cellClass": "link ag-right-aligned-cell",
            "headerTooltip": "click: go to the iteration",
        },
        column("result"),
        number_column("length", COUNT, drop=1),
        {
            "field": "moves",
            "headerName": "moves",
            "flex": 1,
            "minWidth": 120,
            "tooltipField": "all_moves",
            "context": {"drop": 2},
        },
    ]


# ---- one of them -------------------------------------------------------------------------------------------------


def players(library: Library, here: Place, through: RolloutsThrough, wanted: int | None) -> Content:
    """The simulation clicked, or the newest one, to step through; nothing where there are none."""
    if not len(through.iterations) or through.by_evaluator or not through.has_moves:
        return None
    newest = int(through.iterations[-1])
    t = newest if wanted is None or wanted not in through.iterations else wanted
    each = rollout(here.snapshot, here.trace, t)
    head = html.H3(f"Iteration {t:,}")
    if each.is_over or not each.moves:
        return [head, html.P(f"The game is over at {each.leaf}: {each.result}.", className="dim")]
    result = each.result if len(each.moves) == 1 else f"mean of {len(each.moves)}: {each.result}"
    shown = [
        player(library, here.key, t, which, each.leaf, result, here.theme)
        for which in range(len(each.moves))
    ]
    return [head, *numbered(shown)]


TAB = Tab(NAME, "Rollouts", body, register)
