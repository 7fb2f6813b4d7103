"""Searches whose rollouts are told, move by move, and what is found about these."""

from __future__ import annotations

import mcts_viz as mv
from mcts_viz.games import game
from tests.health.zoo import STARTS, Search


def findings(kind: type[Search], name: str) -> list[mv.Finding]:
    """Errors and warnings about simulations."""
    search = kind(game(name), seed=1, start=STARTS[name])
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        to_move="player", game=name, start=list(STARTS[name]), value_range=(0.0, 1.0),
    ) as rec:  # fmt: skip
        for _ in range(500):
            search.step()
            rec.iteration(outcome=search.outcome, rollout=search.rollout)
    return [
        one
        for one in rec.trace.check()
        if one.severity != "note" and one.check.startswith("simulation-")
    ]
