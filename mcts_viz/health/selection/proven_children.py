"""What any solver may do with children whose results are proven, whatever its rule for the others: take one that is
won, and leave alone those that are not."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.trace.snapshot import proven_scores
from mcts_viz.types import Bools, Floats


def proven_worth(search: CheckedSearch, rows: ComparedChildren) -> Floats:
    """[R] what a proven result counts for the player who chooses; nan: none is proven, or nobody knows who chooses."""
    worth = np.full(len(rows.of), np.nan)
    told = ~np.isnan(rows.proven) & (rows.chooser >= 0)
    if told.any():
        proven = rows.proven[told].astype(np.float32)
        worth[told] = proven_scores(search.meta, proven, rows.chooser[told].astype(np.int8))
    return worth


def any_may_be_taken(search: CheckedSearch, rows: ComparedChildren) -> Bools:
    """[C] choices that say nothing of a rule. A child that is proven won is taken: some solvers score it as a win,
    others take it before all others. Or all children are proven, and none is won: nothing is left to find out."""
    if np.isnan(rows.proven).all():
        return np.zeros(len(rows.chosen), np.bool_)
    worth = proven_worth(search, rows)
    won = worth >= search.meta.scores[2]
    done = np.bitwise_and.reduceat(~np.isnan(worth) & ~won, rows.first)
    return np.asarray(won[rows.chosen] | done)


def left_alone(search: CheckedSearch, rows: ComparedChildren) -> Bools:
    """[R] proven children, not won, beside a child taken that is not proven: some solvers score them, others look at
    them no more."""
    if np.isnan(rows.proven).all():
        return np.zeros(len(rows.of), np.bool_)
    is_open = np.isnan(rows.proven[rows.chosen])[rows.of]
    return np.asarray(is_open & (proven_worth(search, rows) < search.meta.scores[2]))
