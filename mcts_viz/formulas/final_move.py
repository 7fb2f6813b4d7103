"""Final-move rules: which move to play once the search has stopped.

A rule gives every root child a score; the child with the highest is played. Ties go to the higher
mean, then to the child that was made first. Names after Chaslot et al. 2008 ("robust child", "max
child").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import SearchError

# (visits [k], value_sum [k], view of the player who moves at the root) -> score [k]
FinalMoveRule: TypeAlias = Callable[
    [npt.NDArray[np.integer[Any]], npt.NDArray[np.float64]], npt.NDArray[np.float64]
]


def most_visits(
    visits: npt.NDArray[np.integer[Any]], value_sum: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Robust child: the number of visits."""
    return visits.astype(np.float64)


FINAL_MOVE_RULES: dict[str, FinalMoveRule] = {"most_visits": most_visits}


def final_move_rule(name: str) -> FinalMoveRule:
    """The rule of that name; raises SearchError with the names there are."""
    if not isinstance(name, str) or name not in FINAL_MOVE_RULES:
        raise SearchError(
            f"final-move rule {name!r} is not known; choose one of: {', '.join(FINAL_MOVE_RULES)}"
        )
    return FINAL_MOVE_RULES[name]


def ranking(
    rule: FinalMoveRule,
    visits: npt.NDArray[np.integer[Any]],
    value_sum: npt.NDArray[np.float64],
) -> list[int]:
    """Indices of the visited children, best first, ties broken as the module says; empty when none
    was visited."""
    visited = np.flatnonzero(visits > 0)
    if visited.size == 0:
        return []
    score = rule(visits[visited], value_sum[visited])
    mean = value_sum[visited] / visits[visited]
    order = np.lexsort((visited, -mean, -score))
    return [int(i) for i in visited[order]]
