"""Presets: named sets of policies with their parameters, and what a keyword may change in them.

Data only; the functions behind the names are in `phases` and `mcts_viz.formulas`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from mcts_viz.engine.evaluator import Evaluator
from mcts_viz.engine.parameters import LEVEL, PARAMETERS, checked
from mcts_viz.engine.rollout_policy import RolloutPolicy
from mcts_viz.errors import SearchError
from mcts_viz.formulas.selection import selection_formula
from mcts_viz.types import Document, ReadDocument

LEVELLED = "baeldung"  # the preset that thinks by levels
LEVEL_SECONDS = 0.06  # of its level 1; each further level adds twice as many
POISON = -2_147_483_648.0  # the least int32, which the tutorial's author took


@dataclass(frozen=True)
class Policies:
    """The policies of one search. Scores are what one visit adds to a node, view of the player who
    moved into it."""

    preset: str
    selection: str = "ucb1"
    c: float = math.sqrt(2)  # weight of the exploration term
    fpu: float | None = None  # value of a child without visits; None: it comes before all others
    ties: str = "first"  # which of several best children is taken
    expansion: str = "one_child"  # one untried action at a time, the simulation starts from it
    order: str = "random"  # of the actions
    expand_on: str = "first_visit"  # of a leaf, where all children are made at once
    simulate_from: str = "first_child"  # where all children are made at once
    simulation: str | RolloutPolicy = "random"  # uniformly random moves to the end
    n_rollouts: int = 1  # of one leaf, their mean counts
    evaluator: str | Evaluator | None = None
    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0
    collect: str = "both"  # sides whose nodes collect values
    poison: float | None = None  # sum of a node in which the opponent wins at once
    solver: bool = False
    final_move: str = "most_visits"
    keep_tree: bool = False  # between the moves of a game
    iterations: int | None = 1_000  # where no budget is given
    seconds: float | None = None
    level: int | None = None  # that the seconds stand for

    @property
    def value_range(self) -> tuple[float, float]:
        """Least and greatest score of one visit; poison apart."""
        scores = [self.win, self.draw, self.loss]
        if self.collect == "searcher":
            scores.append(0.0)  # what the other side's nodes get
        return min(scores), max(scores)

    @property
    def needs_evaluator(self) -> bool:
        """Whether values or priors are asked for."""
        return self.simulation == "value" or selection_formula(self.selection).needs_priors

    @property
    def draws(self) -> bool:
        """Whether anything is drawn at random, so that another seed makes another search."""
        from_drawn = self.expansion == "all_children" and self.simulate_from == "random_child"
        return self.simulation != "value" or self.order == "random" or from_drawn

    @property
    def evaluator_name(self) -> str | None:
        """The name that stands in the trace."""
        return None if self.evaluator is None else name_of(self.evaluator)

    @property
    def simulation_name(self) -> str:
        """The name that stands in the trace."""
        return name_of(self.simulation)

    def as_json(self) -> Document:
        """What a trace says of them, phase by phase."""
        return {
            "preset": self.preset,
            "selection": {
                "name": self.selection,
                "c": self.c,
                "unvisited": "first" if self.fpu is None else self.fpu,
                "ties": self.ties,
            },
            "expansion": {
                "name": self.expansion,
                "order": self.order,
                "on": self.expand_on,
                "simulate_from": self.simulate_from,
            },
            "simulation": {
                "name": self.simulation_name,
                "rollouts": 0 if self.simulation == "value" else self.n_rollouts,
                "evaluator": self.evaluator_name,
                **({"own": True} if callable(self.simulation) else {}),
            },
            "backpropagation": {
                "name": "scores",
                "win": self.win,
                "draw": self.draw,
                "loss": self.loss,
                "collect": self.collect,
                "poison": self.poison,
                "solver": self.solver,
            },
            "final_move": {"name": self.final_move},
            "keep_tree": self.keep_tree,
        }


def name_of(chosen: object) -> str:
    """What a trace calls a policy: its name, or that of the user's function."""
    return chosen if isinstance(chosen, str) else getattr(chosen, "__name__", type(chosen).__name__)


_WINS_LESS_LOSSES: Document = {
    "selection": "ucb1_double_log",
    "win": 1.0,
    "draw": 0.0,
    "loss": -1.0,
    "final_move": "highest_mean",
}
_ALL_CHILDREN: Document = {"expansion": "all_children", "order": "first_legal_first"}
_ONE_SECOND: Document = {"iterations": None, "seconds": 1.0}

# each by the name of the system that it reproduces
PRESETS: dict[str, Policies] = {
    "alphazero": Policies(
        "alphazero",
        selection="puct",
        c=1.25,
        fpu=0.0,
        simulate_from="leaf",
        simulation="value",
        draw=0.0,
        loss=-1.0,
        **_ALL_CHILDREN,
    ),
    "baeldung": Policies(
        "baeldung",
        c=1.41,
        simulate_from="random_child",
        win=10.0,
        draw=0.0,
        loss=0.0,
        poison=POISON,
        **_ALL_CHILDREN,
        **_ONE_SECOND,
    ),
    "mctspy": Policies("mctspy", c=1.4, order="last_legal_first", **_WINS_LESS_LOSSES),
    "rhu2001": Policies(
        "rhu2001",
        simulate_from="random_child",
        loss=-1.0,
        collect="searcher",
        final_move="highest_mean",
        keep_tree=True,
        **_ALL_CHILDREN,
        **_ONE_SECOND,
    ),
    "sudo_tic_tac_toe": Policies(
        "sudo_tic_tac_toe",
        c=0.1,
        order="last_legal_first",
        iterations=100,
        **_WINS_LESS_LOSSES,
    ),
    # sorts the children of a node at each selection, for good: see `select_latest_first`
    "tech_io": Policies("tech_io", c=2.0, ties="latest", expand_on="second_visit", **_ALL_CHILDREN),
    "uct": Policies("uct"),
}


def policies(preset: str, overrides: ReadDocument) -> Policies:
    """The preset with some of its parameters changed; raises SearchError naming what is wrong."""
    if not isinstance(preset, str) or preset not in PRESETS:
        raise SearchError(f"preset {preset!r} is not known; choose one of: {', '.join(PRESETS)}")
    unknown = set(overrides) - {*PARAMETERS, LEVEL.name}
    if unknown:
        raise SearchError(
            f"{', '.join(sorted(unknown))}: not a parameter of a search; choose among: {', '.join(PARAMETERS)}"
        )
    given = {name: checked(name, value) for name, value in overrides.items()}
    level = given.pop(LEVEL.name, None)
    chosen = replace(PRESETS[preset], **given)
    if level is not None:
        chosen = _at_level(chosen, level)
    _check_together(chosen)
    return chosen


def _at_level(chosen: Policies, level: int) -> Policies:
    if chosen.preset != LEVELLED:
        raise SearchError(
            f"level = {level} is for preset {LEVELLED}, and this is {chosen.preset}; give seconds or iterations"
        )
    return replace(chosen, iterations=None, seconds=LEVEL_SECONDS * (2 * level - 1), level=level)


def _check_together(chosen: Policies) -> None:
    """Raise SearchError for policies that cannot work with one another."""
    formula = selection_formula(chosen.selection)
    if chosen.expansion == "one_child":
        if formula.needs_priors:
            raise SearchError(
                f"selection {chosen.selection} compares all moves of a node by their priors; "
                "give expansion='all_children' with it"
            )
        if chosen.fpu is not None:
            raise SearchError(
                f"fpu = {chosen.fpu} is the value of a child without visits, and with one child at a "
                "time there is none; give expansion='all_children' with it"
            )
    if formula.needs_squares and not (
        chosen.value_range[0] >= 0.0 and chosen.value_range[1] <= 1.0 and chosen.poison is None
    ):
        raise SearchError(
            f"selection {chosen.selection} is made for scores from 0 to 1, and these go from "
            f"{chosen.value_range[0]:g} to {chosen.value_range[1]:g}; give win=1, draw=0.5, loss=0 and no poison"
        )
    if chosen.simulation == "value" and chosen.n_rollouts != 1:
        raise SearchError(
            f"n_rollouts = {chosen.n_rollouts}, but simulation='value' plays no rollout; leave one out"
        )
    if chosen.poison is not None and chosen.poison >= chosen.value_range[0]:
        raise SearchError(
            f"poison = {chosen.poison:g} is no worse than the least score, {chosen.value_range[0]:g}; "
            "give a number far below it"
        )
