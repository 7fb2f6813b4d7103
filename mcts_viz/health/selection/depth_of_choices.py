"""At which depth the choices are that a rule does not explain. A descent chooses in the same way at all levels: where
it is right at all but the deepest, it is the nodes at the limit of the depth that are unlike others."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.types import Bools

FEW = 10  # choices
SOME_ABOVE = (
    0.5  # times as many choices at other levels as at the deepest: a mistake would show there
)


def may_be_untried_at_limit(search: CheckedSearch, rows: ComparedChildren) -> bool:
    """Whether some choices at the greatest depth are of that kind; a quick question."""
    deepest = rows.depth == rows.depth.max(initial=0)
    return bool((deepest & rows.repeats & _take_untried_ends(search, rows)).sum() >= FEW)


def limit_of_untried(
    search: CheckedSearch, rows: ComparedChildren, unexplained: Bools
) -> int | None:
    """The depth at which all unexplained choices take a child that never gets children, beside others without visits;
    None where there are others, or most choices are at that depth. unexplained: [C]."""
    depth = np.unique(rows.depth[unexplained])
    if len(depth) != 1 or depth[0] != rows.depth.max():
        return None
    above = int((rows.depth < depth[0]).sum())
    if above < SOME_ABOVE * int((rows.depth == depth[0]).sum()):
        return None
    return int(depth[0]) if _take_untried_ends(search, rows)[unexplained].all() else None


def _take_untried_ends(search: CheckedSearch, rows: ComparedChildren) -> Bools:
    """[C] whether the child taken has visits and never gets children, beside others without visits."""
    has_untried = np.zeros(len(rows.chosen), np.bool_)
    has_untried[rows.of[rows.visits == 0]] = True
    never: Bools = search.n_children(rows.node[rows.chosen]) == 0
    return has_untried & never & (rows.visits[rows.chosen] > 0)
