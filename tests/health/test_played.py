"""The move that was played is held against the declared rule, in a recording of several moves by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search

GAME = {"children": "children", "visits": "N", "value": "W", "action": "move", "to_move": "player"}


def traces(best: Callable[[Node], float], final_move: str | None) -> list[mv.Trace]:
    """Of a search that goes on below its best child, twice."""
    search = Search(Rules("tic_tac_toe", []), 1)
    with mv.record(
        root=lambda: search.root, game="tic_tac_toe", final_move=final_move, **GAME
    ) as rec:  # type: ignore[call-overload]
        for _ in range(3):
            for _ in range(150):
                search.step()
                rec.iteration()
            search.root = max(search.root.children, key=best)
            search.root.parent = None
    return list(rec.traces)


def checks(trace: mv.Trace) -> list[str]:
    return [one.check for one in trace.check() if one.severity != "note"]


@pytest.mark.parametrize(
    ("best", "final_move", "found"),
    [
        (lambda node: node.N, "most_visits", []),
        (lambda node: node.Q, "highest_mean", []),
        (lambda node: -node.Q, "most_visits", ["choice-final-move"]),
        (lambda node: -node.Q, None, []),  # nobody says which is to be played
        (lambda node: -node.Q, "sampled by visits", []),
    ],
)
def test_the_move_that_a_recording_goes_on_with(
    best: Callable[[Node], float], final_move: str | None, found: list[str]
) -> None:
    first, *_, last = traces(best, final_move)
    assert checks(first) == found
    assert checks(last) == []  # nobody knows what was played after it


def test_the_played_move_can_be_given() -> None:
    trace, *_ = traces(lambda node: node.N, None)
    best = trace.at(trace.n_iterations).best_action
    assert best is not None
    assert [one.check for one in trace.check(played=best) if one.severity != "note"] == []
    other = next(move for move in range(9) if move != best)
    assert "choice-final-move" in [one.check for one in trace.check(played=other)]
