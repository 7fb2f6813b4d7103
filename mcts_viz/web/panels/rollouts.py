"""Rollouts: every simulation that passed through the selected node so far, how they ended, and each
of them to step through on the board."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, html

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.analysis.rollouts import (
    PAGE,
    Outcomes,
    Rollout,
    RolloutsThrough,
    rollout,
    rollouts_through,
)
from mcts_viz.views.board import PLAYER_COLOURS
from mcts_viz.web.attributes import HIDDEN, aria
from mcts_viz.web.cursor import Place, place
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.node import not_yet
from mcts_viz.web.panels.rollout_player import numbered, player
from mcts_viz.web.panels.tables import COUNT, Columns, grid, number_column, place_in_tab
from mcts_viz.web.words import count, number, percent, plural

TAB = "rollouts"


def tab() -> Any:
    """Its head among the tabs."""
    return dmc.TabsTab("Rollouts", value=TAB)


def panel() -> Any:
    """Its body: outcomes above; below them a simulation on the board beside the list."""
    return dmc.TabsPanel(
        [
            html.Div(id=Ids.ROLLOUTS_NOTE.value, className="note rollouts-note"),
            html.Div(
                className="rollouts",
                children=[
                    html.Div(id=Ids.ROLLOUTS_PLAYER.value, className="rollouts-player"),
                    html.Div(
                        className="rollouts-list",
                        children=[
                            html.Div(grid(Ids.ROLLOUTS, columns()), className="grid"),
                            dmc.Pagination(
                                id=Ids.ROLLOUTS_PAGE.value, total=1, value=1, size="xs",
                                siblings=0, hideWithOnePage=True, **aria("pages of the list"),
                            ),
                        ],
                    ),
                ],
            ),
        ],
        value=TAB,
    )  # fmt: skip


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""

    @app.callback(
        Output(Ids.ROLLOUTS_NOTE.value, "children"),
        Output(Ids.ROLLOUTS.value, "rowData"),
        Output(Ids.ROLLOUTS_PAGE.value, "total"),
        Input(cursor_for(TAB), "data"),
        Input(Ids.ROLLOUTS_PAGE.value, "value"),
        prevent_initial_call=True,
    )
    def listed(
        cursor: dict[str, Any] | None, page: int | None
    ) -> tuple[Any, list[dict[str, Any]], int]:
        here = place(library, cursor)
        if not here.node_exists:
            return not_yet(here), [], 1
        told = rollouts_through(here.trace, here.node, here.snapshot.iteration)
        return note(here, told, page or 1), rows(here, told, page or 1), told.n_pages

    @app.callback(
        Output(Ids.ROLLOUTS_PLAYER.value, "children"),
        Input(cursor_for(TAB), "data"),
        Input(Ids.ROLLOUTS.value, "cellClicked"),
        Input(Ids.PROVIDER.value, "forceColorScheme"),
        State(Ids.TABS.value, "value"),
        prevent_initial_call=True,
    )
    def played(
        cursor: dict[str, Any] | None, cell: dict[str, Any] | None, theme: str | None,
        shown: str | None,
    ) -> Any:  # fmt: skip
        here = place_in_tab(library, cursor, shown, TAB)
        if not here.node_exists:
            return None
        told = rollouts_through(here.trace, here.node, here.snapshot.iteration)
        wanted = int(cell["rowId"]) if cell and cell.get("rowId") else None
        return players(library, here, told, wanted, theme)

    app.clientside_callback(
        ClientsideFunction("mcts", "goToRollout"), Input(Ids.ROLLOUTS.value, "cellClicked"),
        prevent_initial_call=True,
    )  # fmt: skip


# ---- how they ended ----------------------------------------------------------------------------------------------


def note(here: Place, told: RolloutsThrough, page: int) -> list[Any]:
    """How many there are, how they ended, what is missing, and which of them the list shows."""
    if told.is_snapshot:
        return [html.P("This is a snapshot: it has no history, and so no simulations.")]
    kept = kept_words(told)
    n = len(told.iterations)
    if n == 0:
        where = f"up to iteration {told.t:,}" if told.t else "yet"
        return [html.P(f"No simulation has passed through this node {where}."), *kept]
    players = [player_name(here.trace.meta, each) for each in (0, 1)]
    return [
        outcome_bar(told.outcomes, players),
        html.Div(outcome_words(told.outcomes, players), className="outcomes"),
        *missing(told),
        *kept,
        html.Div(range_words(told, page), className="dim"),
    ]


def outcome_words(outcomes: Outcomes, players: list[str]) -> list[Any]:
    """The counts, each behind the swatch of its part of the bar; means and ranges of values."""
    said = [
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
        said.append(html.Span(f"{between} in the view of {players[0]}", className="dim"))
    if outcomes.mean is not None:
        said.append(html.Span(f"mean {number(outcomes.mean)} for {players[0]}", className="dim"))
    return said


def parts(outcomes: Outcomes, players: list[str]) -> list[tuple[str, int, str]]:
    """(name, number, colour) of each kind of outcome, in the order of the bar."""
    return [
        (f"{players[0]} wins", outcomes.wins[0], PLAYER_COLOURS[0]),
        ("draw", outcomes.draws, "var(--mcts-edge)"),
        (f"{players[1]} wins", outcomes.wins[1], PLAYER_COLOURS[1]),
        ("a value", outcomes.n_values, "var(--mcts-new)"),
        ("not recorded", outcomes.not_recorded, "var(--mcts-muted)"),
    ]


def outcome_bar(outcomes: Outcomes, players: list[str]) -> Any:
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


def missing(told: RolloutsThrough) -> list[Any]:
    """What the trace does not have of them."""
    said = []
    if told.by_evaluator:
        said.append("An evaluator values the leaves of this search: there are no moves to play.")
    elif not told.has_moves:
        said.append("The moves of the simulations were not recorded: their outcomes alone.")
    if told.outcomes.n_over:
        games = plural(told.outcomes.n_over, "time")
        said.append(f"{games} the game was over at the leaf, without a simulation.")
    return [html.Div(each, className="dim") for each in said]


def kept_words(told: RolloutsThrough) -> list[Any]:
    """What came before this trace."""
    if not told.inherited:
        return []
    visits = plural(told.inherited, "visit")
    return [html.Div(f"{visits} from the search before: their simulations are not in this trace.")]


def range_words(told: RolloutsThrough, page: int) -> str:
    """Which of them the list shows; never silently not all."""
    n = len(told.iterations)
    shown = len(told.page(page))
    if shown == n:
        return f"All {count(n)}, newest first." if n > 1 else "The only one."
    first = (min(page, told.n_pages) - 1) * PAGE + 1
    return (
        f"{first:,} to {first + shown - 1:,} of {n:,}, newest first: "
        f"+{n - shown:,} more on the other pages."
    )


# ---- the list ----------------------------------------------------------------------------------------------------


def rows(here: Place, told: RolloutsThrough, page: int) -> list[dict[str, Any]]:
    """A page of the list as the grid takes it."""
    return [
        row(rollout(here.snapshot, here.trace, t), here) for t in told.page(page).tolist()
    ]  # fmt: skip


def row(each: Rollout, here: Place) -> dict[str, Any]:
    """One iteration of the list."""
    moves = " | ".join(" ".join(part) for part in each.moves or ())
    return {
        "id": str(each.iteration),
        "iteration": each.iteration,
        "result": each.result,
        "length": each.n_moves,
        "moves": "game over" if each.is_over else moves,
    }


def columns() -> Columns:
    """Columns of the list."""
    link = {"cellClass": "link", "headerTooltip": "click: go to the iteration"}
    return [
        {
            **number_column("iteration", COUNT, 66, "iter."),
            **link,
            "cellClass": "link ag-right-aligned-cell",
        },
        {"field": "result", "width": 78, "tooltipField": "result"},
        number_column("length", COUNT, 56),
        {"field": "moves", "flex": 1, "minWidth": 60, "tooltipField": "moves"},
    ]


# ---- one of them -------------------------------------------------------------------------------------------------


def players(
    library: Library, here: Place, told: RolloutsThrough, wanted: int | None, theme: str | None
) -> Any:
    """The simulation clicked, or the newest one, to step through; nothing where there are none."""
    if not len(told.iterations) or told.by_evaluator or not told.has_moves:
        return None
    newest = int(told.iterations[-1])
    t = newest if wanted is None or wanted not in told.iterations else wanted
    each = rollout(here.snapshot, here.trace, t)
    head = html.H3(f"Iteration {t:,}")
    if each.is_over or not each.moves:
        return [head, html.P(f"The game is over at {each.leaf}: {each.result}.", className="dim")]
    result = each.result if len(each.moves) == 1 else f"mean of {len(each.moves)}: {each.result}"
    shown = [
        player(library, here.key, t, which, each.leaf, result, theme)
        for which in range(len(each.moves))
    ]
    return [head, *numbered(shown)]
