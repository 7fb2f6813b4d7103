"""What a move counts as that has no node yet, where a search makes nodes when it first selects their moves (Ludii, and
many with a first-play urgency): by when it takes a child that there is, and when it makes a further one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, Choices, ComparedChildren
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.selection.fit import joined
from mcts_viz.health.selection.infer import infer
from mcts_viz.types import Bools, Floats

MOST = 4_000  # choices, and nodes made
FEW = 30  # of each
RIGHT = 0.99  # of each, or all but one of few: who counts a visit otherwise is off at a tie


class BestThere(NamedTuple):
    """The best score among the children that there are, where moves wait, and what a move without a node may count as,
    each [K]."""

    best: Floats
    parent: Floats  # the parent's mean, and the exploration of one visit
    bare: Floats  # the parent's mean alone
    exploration: Floats  # of one visit alone, beside a constant


def urgency_of_unmade(search: CheckedSearch) -> str | None:
    """In words, what moves without a node count as by UCB1; None where no one number for all of a node explains when
    they are tried."""
    taken, made = _Some(search), _Some(search)
    for part in search.ranges(squares=True):
        taken.add(part, _waiting(search, search.choices(part)))
        made.add(part, _made(search, part))
        if taken.left <= 0 and made.left <= 0:
            break
    if min(MOST - taken.left, MOST - made.left) < FEW:
        return None
    rows, others = joined(search, taken.parts), joined(search, made.parts)
    known = infer(search, joined(search, list(search.comparisons(MOST))))
    if known is None or not known.fit.whole or not np.isfinite(known.fit.high):
        return None
    c = (known.fit.low + known.fit.high) / 2
    for of_children in (False, True):
        words = _explained(_best(rows, c, of_children), _best(others, c, of_children))
        if words is not None:
            return words
    return None


class _Some:
    """The first choices, with the children that there were."""

    def __init__(self, search: CheckedSearch) -> None:
        self._search, self.parts, self.left = search, list[ComparedChildren](), MOST

    def add(self, part: IterationRange, choices: Choices) -> None:
        """As many of those of a range as there is room for."""
        some = choices.where(np.arange(min(self.left, len(choices.node))))
        if len(some.node):
            self.parts.append(self._search.compare(part, some))
            self.left -= len(some.node)


def _waiting(search: CheckedSearch, choices: Choices) -> Choices:
    """Choices among children that there are while moves wait."""
    return choices.where(np.flatnonzero(choices.n_children < search.n_children(choices.parent)))


def _made(search: CheckedSearch, part: IterationRange) -> Choices:
    """Nodes that the range made beside others, as if the first of the others had been taken."""
    node, born = search.made_in(part), search.born
    parent = search.parent[node].astype(np.int64)
    older = search.families.count(parent, node)
    use = (older > 0) & (born[parent] < born[node])
    node, parent, older = node[use], parent[use], older[use]
    oldest = search.families.oldest(parent, np.ones_like(parent))
    return Choices(born[node].astype(np.int64), parent, oldest, older)


def _best(rows: ComparedChildren, c: float, of_children: bool) -> BestThere:
    """of_children: N is the sum of the children's visits, and not their parent's."""
    n = len(rows.iteration)
    below = np.bincount(rows.of, rows.visits, minlength=n)
    log = np.log(np.maximum(below if of_children else rows.parent_visits, 1.0))
    visits = np.maximum(rows.visits, 1)
    score = rows.value_sum / visits + c * np.sqrt(log[rows.of] / visits)
    best = np.full(n, -np.inf)
    np.maximum.at(best, rows.of, score)
    once = c * np.sqrt(log)
    return BestThere(best, rows.parent_mean + once, rows.parent_mean, once)


def _explained(taken: BestThere, made: BestThere) -> str | None:
    ways = (
        ("their parent's mean with the exploration of one visit", taken.parent, made.parent),
        ("their parent's mean", taken.bare, made.bare),
    )
    for words, of_taken, of_made in ways:
        if _nearly_all(taken.best >= of_taken - 1e-9) and _nearly_all(made.best <= of_made + 1e-9):
            return (
                f"moves that have no node yet count as {words}, which explains when they are tried"
            )
    for words, of_taken, of_made in (
        ("one number with the exploration of one visit", taken.exploration, made.exploration),
        ("one number", np.zeros_like(taken.best), np.zeros_like(made.best)),
    ):
        least, most = np.sort(taken.best - of_taken), np.sort(made.best - of_made)[::-1]
        skipped = [int((1 - RIGHT) * len(each)) for each in (least, most)]
        if most[skipped[1]] <= least[skipped[0]] + 1e-9:
            return (
                f"moves that have no node yet count as {words}, which explains when they are tried"
            )
    return None


def _nearly_all(right: Bools) -> bool:
    return bool((~right).sum() <= max(1, (1 - RIGHT) * len(right)))
