"""Selection formulas: how much a child is worth to the player who chooses among siblings.

Every formula returns its two terms apart: (value term, exploration term); the search takes the
argmax of their sum and the page prints the same two numbers. A formula works on scalars (in the
search, interpreted or compiled by numba) and on arrays (in a snapshot), and gives the same bits in
both, for it uses only operations that IEEE 754 rounds exactly; the one logarithm comes in from
outside (`log_visits`), always computed by `math.log`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import SearchError

# (value_sum, visits, parent_visits, log_parent_visits, prior, c) -> (value term, exploration term).
# value_sum is in the view of the player who chooses; visits of the child are at least 1.
SelectionFormula: TypeAlias = Callable[[Any, Any, Any, Any, Any, float], tuple[Any, Any]]


def ucb1(
    value_sum: Any, visits: Any, parent_visits: Any, log_parent_visits: Any, prior: Any, c: float
) -> tuple[Any, Any]:
    """q + c·sqrt(ln N / n): Auer, Cesa-Bianchi and Fischer 2002; UCT of Kocsis and Szepesvári 2006
    with c = √2."""
    return value_sum / visits, c * np.sqrt(log_parent_visits / visits)


SELECTION_FORMULAS: dict[str, SelectionFormula] = {"ucb1": ucb1}


def selection_formula(name: str) -> SelectionFormula:
    """The formula of that name; raises SearchError with the names there are."""
    if not isinstance(name, str) or name not in SELECTION_FORMULAS:
        raise SearchError(
            f"selection policy {name!r} is not known; choose one of: {', '.join(SELECTION_FORMULAS)}"
        )
    return SELECTION_FORMULAS[name]


def log_visits(visits: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
    """ln of each count, by `math.log` as in the search (numpy's own log may differ in the last
    bit); ln 0 is nan."""
    distinct, where = np.unique(visits, return_inverse=True)
    logs = np.array([math.log(n) if n > 0 else math.nan for n in distinct.tolist()])
    return logs[where]
