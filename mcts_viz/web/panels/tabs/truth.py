"""What the page says of game-theoretic values: a sentence, and a cell for each child."""

from __future__ import annotations

from mcts_viz.analysis.game_value.prose import in_plies
from mcts_viz.analysis.game_value.values import GameValues, answered
from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.web.cursor import Place
from mcts_viz.web.library import Library
from mcts_viz.web.panels.grid import Column, Rows, column

COLUMN: Column = {
    **column("truth", "true"),
    "tooltipField": "truth_in_full",
    "headerTooltip": "Game-theoretic value: the result with perfect play; empty: not known",
}


def truth_here(library: Library, here: Place, node: int = 0) -> GameValues | str | None:
    """Game-theoretic values at a node beside what the search would answer at the cursor's iteration; or why
    there are none; None while they are being solved."""
    values = library.truths.ask(here.key, here.trace, node)
    return answered(values, here.snapshot) if isinstance(values, GameValues) else values


def with_truth(library: Library, here: Place, rows: Rows) -> Rows:
    """Rows of children with their game-theoretic values, where these are known."""
    values = library.truths.known(here.key, here.trace)
    if values is None:
        return rows
    results = dict(zip(values.nodes.tolist(), values.results.tolist()))
    plies = {each.node: each.plies for each in values.moves if values.node == 0}
    for row in rows:
        node = row["node"]
        assert isinstance(node, int)
        result = results.get(node)
        row["truth"] = text = result_text(here, result)
        row["truth_in_full"] = text + in_plies(plies.get(node)) or "not known"
    return rows


def result_text(here: Place, result: float | None) -> str:
    """ "X wins"; nothing where the result (view of player 0) is not known."""
    if result is None or result != result:
        return ""
    if result == 0:
        return "draw"
    return f"{player_name(here.trace.meta, 0 if result > 0 else 1)} wins"


def has_results(library: Library, here: Place) -> bool:
    """Whether anything is known of this trace's nodes."""
    values = library.truths.known(here.key, here.trace)
    return values is not None and bool((values.results == values.results).any())
