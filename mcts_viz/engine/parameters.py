"""The parameters of a search: what a keyword, an option of the command line and a control of the page
may change in a preset. One table for all three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcts_viz.engine.phases import (
    FIRST_CHILD,
    FIRST_LEGAL_FIRST,
    LAST_CHILD,
    LAST_LEGAL_FIRST,
    LEAF,
    RANDOM_CHILD,
    RANDOM_ORDER,
)
from mcts_viz.errors import SearchError
from mcts_viz.types import is_real, is_whole

MOST_NUMBER = 10**12  # so that no sum of scores overflows, whatever the budget
MOST_ROLLOUTS = 1_000  # of one leaf

# by name, as the phases know them
EXPANSION_ORDERS = {
    "random": RANDOM_ORDER,
    "first_legal_first": FIRST_LEGAL_FIRST,
    "last_legal_first": LAST_LEGAL_FIRST,
}
EXPAND_ON = {"first_visit": 0, "second_visit": 1}  # visits that a leaf must have had before
SIMULATE_FROM = {
    "first_child": FIRST_CHILD,
    "random_child": RANDOM_CHILD,
    "last_child": LAST_CHILD,
    "leaf": LEAF,
}


@dataclass(frozen=True)
class Parameter:
    """One parameter. `kind` is "choice" among the keys of `choices`, each with its words; "number";
    "count", a whole number from 1; "switch", yes or no; or "evaluator", a name or a function."""

    name: str
    phase: str  # select, expand, simulate, backpropagate or play
    title: str
    words: str  # what it says, in half a sentence
    kind: str
    choices: Mapping[str, str] | None = None
    or_function: bool = False  # of the user's own
    optional: bool = False  # None is allowed and means that there is none
    least: float = -MOST_NUMBER
    most: float = MOST_NUMBER


_ALL = [
    Parameter(
        "selection",
        "select",
        "Selection formula",
        "compares the children",
        "choice",
        {
            "ucb1": "UCB1: q + c √(ln N / n)",
            "ucb1_double_log": "UCB1: q + c √(2 ln N / n)",
            "ucb1_tuned": "UCB1-Tuned: variance in place of a constant",
            "puct": "PUCT: q + c P √N / (1 + n)",
        },
    ),
    Parameter("c", "select", "c, exploration", "weight of the exploration term", "number", least=0),
    Parameter(
        "fpu",
        "select",
        "First-play urgency",
        "value of a child without visits; none: such a child comes first",
        "number",
        optional=True,
    ),
    Parameter(
        "ties",
        "select",
        "Equal children",
        "which of several best ones is taken",
        "choice",
        {"first": "the first made", "latest": "the one visited last"},
    ),
    Parameter(
        "expansion",
        "expand",
        "Expansion",
        "how many children a leaf gets",
        "choice",
        {"one_child": "one child at a time", "all_children": "all children at once"},
    ),
    Parameter(
        "order",
        "expand",
        "Order of moves",
        "in which order they get their children",
        "choice",
        {
            "random": "random",
            "first_legal_first": "first legal first",
            "last_legal_first": "last legal first",
        },
    ),
    Parameter(
        "expand_on",
        "expand",
        "Expand on",
        "when a leaf gets all its children",
        "choice",
        {"first_visit": "the first visit", "second_visit": "the second visit"},
    ),
    Parameter(
        "simulate_from",
        "expand",
        "Simulate from",
        "where the simulation starts once all children are made",
        "choice",
        {
            "first_child": "the first child",
            "random_child": "a random child",
            "last_child": "the last child",
            "leaf": "the leaf itself",
        },
    ),
    Parameter(
        "simulation",
        "simulate",
        "Simulation",
        "how a leaf is valued",
        "choice",
        {
            "random": "random moves",
            "decisive": "decisive moves: win, else block, else random",
            "value": "the evaluator's value, no rollout",
        },
        or_function=True,
    ),
    Parameter(
        "n_rollouts",
        "simulate",
        "Rollouts a leaf",
        "their mean counts",
        "count",
        most=MOST_ROLLOUTS,
    ),
    Parameter(
        "evaluator",
        "simulate",
        "Evaluator",
        "gives values and priors; none: no values, and equal priors",
        "evaluator",
        optional=True,
    ),
    Parameter("win", "backpropagate", "Win", "what a win adds to a node", "number"),
    Parameter("draw", "backpropagate", "Draw", "what a draw adds to a node", "number"),
    Parameter("loss", "backpropagate", "Loss", "what a loss adds to a node", "number"),
    Parameter(
        "collect",
        "backpropagate",
        "Who collects",
        "which side's nodes collect values; the others collect visits alone",
        "choice",
        {"both": "both sides", "searcher": "the searching side only"},
    ),
    Parameter(
        "poison",
        "backpropagate",
        "Poison",
        "sum of a node in which the opponent wins at once; none: no such rule",
        "number",
        optional=True,
    ),
    Parameter(
        "solver",
        "backpropagate",
        "Solver",
        "carry proven results up the tree (MCTS-Solver)",
        "switch",
    ),
    Parameter(
        "final_move",
        "play",
        "Final move",
        "picks the move to play",
        "choice",
        {
            "most_visits": "most visits (robust)",
            "highest_mean": "highest mean (max)",
            "highest_total": "highest total",
            "robust_max": "most visits and mean (robust-max)",
            "secure": "highest lower bound (secure)",
        },
    ),
    Parameter("keep_tree", "play", "Keep the tree", "between the moves of a game", "switch"),
]
PARAMETERS = {parameter.name: parameter for parameter in _ALL}
# a budget in disguise: no parameter that a trace keeps, as its budget says it
LEVEL = Parameter(
    "level",
    "play",
    "Level",
    "how long baeldung thinks, as in the original: 60 ms at level 1, 120 ms more for each above",
    "count",
    optional=True,
    most=1_000,
)


def checked(name: str, value: object) -> Any:
    """The value as the policies keep it; raises SearchError naming the parameter and what it may
    be."""
    parameter = LEVEL if name == LEVEL.name else PARAMETERS.get(name)
    if parameter is None:
        raise SearchError(
            f"{name}: not a parameter of a search; choose among: {', '.join(PARAMETERS)}"
        )
    if value is None and parameter.optional:
        return None
    if parameter.or_function and callable(value):
        return value
    if parameter.choices is not None:
        if not isinstance(value, str) or value not in parameter.choices:
            raise SearchError(
                f"{name} = {value!r} is not known; choose one of: {', '.join(parameter.choices)}"
                + (", or give a function" if parameter.or_function else "")
            )
        return value
    if parameter.kind == "switch":
        if not isinstance(value, bool):
            raise SearchError(f"{name} = {value!r} is neither True nor False; give one of them")
        return value
    if parameter.kind == "evaluator":
        if not (isinstance(value, str) or callable(value)):
            raise SearchError(f"{name} = {value!r} is neither a name nor a function; give one")
        return value
    return _count(parameter, value) if parameter.kind == "count" else _number(parameter, value)


def _count(parameter: Parameter, value: object) -> int:
    if not is_whole(value) or not 1 <= value <= parameter.most:
        raise SearchError(
            f"{parameter.name} = {value!r} is not a whole number from 1 to {parameter.most:,}; give one"
        )
    return int(value)


def _number(parameter: Parameter, value: object) -> float:
    if not is_real(value) or not abs(value) <= parameter.most:  # nan is not
        raise SearchError(
            f"{parameter.name} = {value!r} is not a number of magnitude {parameter.most:,} at most; give one"
        )
    if value < parameter.least:
        raise SearchError(
            f"{parameter.name} = {value!r} is negative; the {parameter.words} is {parameter.least:g} or more"
        )
    return float(value)
