"""Presets: named sets of policies with their parameters, and what a keyword may change in them.

Data only; the functions behind the names are in `phases` and `mcts_viz.formulas`.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcts_viz.errors import SearchError
from mcts_viz.formulas.final_move import final_move_rule
from mcts_viz.formulas.selection import selection_formula
from mcts_viz.search.phases import FIRST_LEGAL_FIRST, LAST_LEGAL_FIRST, RANDOM_ORDER


@dataclass(frozen=True)
class Policies:
    """The policies of one search. Scores are what one visit adds to a node, view of the player who
    moved into it."""

    preset: str
    selection: str = "ucb1"
    c: float = math.sqrt(2)  # weight of the exploration term
    expansion: str = "one_child"  # one untried action at a time, the simulation starts from it
    order: str = "random"  # of the untried actions
    simulation: str = "random"  # uniformly random moves to the end
    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0
    final_move: str = "most_visits"
    iterations: int = 1_000  # where no budget is given

    @property
    def value_range(self) -> tuple[float, float]:
        """Least and greatest score of one visit."""
        scores = (self.win, self.draw, self.loss)
        return min(scores), max(scores)

    def as_json(self) -> dict[str, Any]:
        """What a trace says of them, phase by phase."""
        return {
            "preset": self.preset,
            "selection": {"name": self.selection, "c": self.c, "unvisited": "first"},
            "expansion": {"name": self.expansion, "order": self.order},
            "simulation": {"name": self.simulation, "rollouts": 1},
            "backpropagation": {
                "name": "scores",
                "win": self.win,
                "draw": self.draw,
                "loss": self.loss,
            },
            "final_move": {"name": self.final_move},
        }


# by name, as the phases know them
EXPANSION_ORDERS = {
    "random": RANDOM_ORDER,
    "first_legal_first": FIRST_LEGAL_FIRST,
    "last_legal_first": LAST_LEGAL_FIRST,
}

_WINS_LESS_LOSSES: dict[str, Any] = {
    "selection": "ucb1_double_log",
    "win": 1.0,
    "draw": 0.0,
    "loss": -1.0,
    "final_move": "highest_mean",
}

# each by the name of the system that it reproduces
PRESETS: dict[str, Policies] = {
    "mctspy": Policies("mctspy", c=1.4, order="last_legal_first", **_WINS_LESS_LOSSES),
    "sudo_tic_tac_toe": Policies("sudo_tic_tac_toe", c=0.1, iterations=100, **_WINS_LESS_LOSSES),
    "uct": Policies("uct"),
}
MOST_NUMBER = 10**12  # so that no sum of scores overflows, whatever the budget
NUMBERS = ("c", "win", "draw", "loss")
NAMES = ("selection", "order", "final_move")


def policies(preset: str, overrides: Mapping[str, Any]) -> Policies:
    """The preset with some of its parameters changed; raises SearchError naming what is wrong."""
    if not isinstance(preset, str) or preset not in PRESETS:
        raise SearchError(f"preset {preset!r} is not known; choose one of: {', '.join(PRESETS)}")
    unknown = set(overrides) - set(NUMBERS) - set(NAMES)
    if unknown:
        raise SearchError(
            f"{', '.join(sorted(unknown))}: not a parameter of a search; choose among: {', '.join(NUMBERS + NAMES)}"
        )
    changed: dict[str, Any] = {}
    for name, value in overrides.items():
        changed[name] = _number(name, value) if name in NUMBERS else value
    chosen = replace(PRESETS[preset], **changed)
    selection_formula(chosen.selection)
    final_move_rule(chosen.final_move)
    if not isinstance(chosen.order, str) or chosen.order not in EXPANSION_ORDERS:
        raise SearchError(
            f"expansion order {chosen.order!r} is not known; choose one of: {', '.join(EXPANSION_ORDERS)}"
        )
    return chosen


def _number(name: str, value: Any) -> float:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not abs(value) <= MOST_NUMBER:  # nan is not
        raise SearchError(
            f"{name} = {value!r} is not a number of magnitude {MOST_NUMBER:,} at most; give one"
        )
    if name == "c" and value < 0:
        raise SearchError(f"c = {value!r} is negative; the exploration term needs c ≥ 0")
    return float(value)
