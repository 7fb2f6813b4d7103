"""Whether priors play a part in the first choice at a node. Where N counts the visits of the children, it is 0 there,
and so are all scores: the first child is taken."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import Fit
from mcts_viz.health.selection.scores import PUCT_WITH_LOG

FEW_NODES = 8
NEARLY_ALL = 0.98  # of the first choices
MOST_BEST = 0.8  # share of these that take the child with the highest prior
UNLIKE = 1.5  # times the prior of the child taken, from which on another one is likelier


def check_first_choice(rows: ComparedChildren, rule: Fit) -> Iterator[Finding]:
    """A note where a rule with priors takes the first child, whatever the priors, while no child has visits. Published
    programs do so, as AlphaZero.jl, and others add an ε."""
    in_order = rule.rule.urgency.of is None  # what has no visits comes first, whatever its score
    if not rule.rule.width.needs_priors or in_order:
        return
    n = len(rows.chosen)
    none = np.bincount(rows.of, rows.visits, minlength=n) == 0
    prior = np.where(np.isnan(rows.prior), -np.inf, rows.prior)
    highest, taken = np.maximum.reduceat(prior, rows.first), prior[rows.chosen]
    best, of_first = taken == highest, rows.place[rows.chosen] == 0
    times, firsts, bests = (int(each.sum()) for each in (none, none & of_first, none & best))
    if times < FEW_NODES or firsts < NEARLY_ALL * times or bests > MOST_BEST * times:
        return
    at = int(np.argmax(none & ~best))
    has_log = rule.rule.words.startswith(PUCT_WITH_LOG)
    zero, instead = ("ln N", "ln(1 + N)") if has_log else ("√N", "√(N + ε), or N + 1")
    passed = int((none & (highest >= UNLIKE * taken)).sum())
    yield found(
        "selection-first-choice", int(rows.iteration[at]), int(rows.parent[at]),
        f"where no child has a visit yet the first one is taken, {firsts:,} times of {times:,}, though in "
        f"{times - bests:,} of these another one has a higher prior, and in {passed:,} one that is {UNLIKE:g} times as "
        f"high or more. {zero} is 0 there, so that all scores are 0 and priors play no part in the first choice at a "
        f"node: {instead}, lets them decide. Right where the formula is meant to the letter",
        times=firsts, of=times, best=bests, passed_over=passed,
    )  # fmt: skip
