"""Whether priors play a part in the first choice at a node. Where N counts the visits of the children, it is 0 there,
and so are all scores: the first child is taken."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import Fit

FEW_NODES = 20
NEARLY_ALL = 0.98  # of the first choices
MOST_BEST = 0.8  # share of these that take the child with the highest prior


def check_first_choice(rows: ComparedChildren, rule: Fit) -> Iterator[Finding]:
    """A note where a rule with priors takes the first child, whatever the priors, while no child has visits."""
    if not rule.rule.width.needs_priors:
        return
    n = len(rows.chosen)
    none = np.bincount(rows.of, rows.visits, minlength=n) == 0
    prior = np.where(np.isnan(rows.prior), -np.inf, rows.prior)
    best = prior[rows.chosen] == np.maximum.reduceat(prior, rows.first)
    of_first = rows.place[rows.chosen] == 0
    times, firsts, bests = (int(each.sum()) for each in (none, none & of_first, none & best))
    if times < FEW_NODES or firsts < NEARLY_ALL * times or bests > MOST_BEST * times:
        return
    at = int(np.argmax(none & ~best))
    yield found(
        "selection-first-choice", int(rows.iteration[at]), int(rows.parent[at]),
        f"where no child has a visit yet the first one is taken, {firsts:,} times of {times:,}, though in "
        f"{times - bests:,} of these another one has a higher prior. √N is 0 there, so that priors play no part in the "
        "first choice at a node: √(N + ε), or N + 1, lets them decide",
        times=firsts, of=times, best=bests,
    )  # fmt: skip
