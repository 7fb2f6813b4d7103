"""What the page says of exact results: a sentence, and a cell for each child."""

from __future__ import annotations

from typing import Any

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.analysis.truth import Truth, answered
from mcts_viz.analysis.truth_prose import in_plies
from mcts_viz.web.cursor import Place
from mcts_viz.web.library import Library

COLUMN = {
    "field": "truth", "headerName": "true", "width": 58, "tooltipField": "truth_in_full",
    "headerTooltip": "Result with perfect play, solved exactly; empty: not known",
}  # fmt: skip


def truth_here(library: Library, here: Place, node: int = 0) -> Truth | str | None:
    """Exact results at a node beside what the search would answer at the cursor's iteration; or why
    there are none; None while they are being solved."""
    told = library.truths.ask(here.key, here.trace, node)
    return answered(told, here.snapshot) if isinstance(told, Truth) else told


def with_truth(library: Library, here: Place, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of children with what is known of their results."""
    told = library.truths.known(here.key, here.trace)
    if told is None:
        return rows
    results = dict(zip(told.nodes.tolist(), told.results.tolist()))
    plies = {each.node: each.plies for each in told.moves if told.node == 0}
    for row in rows:
        result = results.get(row["node"])
        row["truth"] = result_text(here, result)
        row["truth_in_full"] = row["truth"] + in_plies(plies.get(row["node"])) or "not known"
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
    told = library.truths.known(here.key, here.trace)
    return told is not None and bool((told.results == told.results).any())
