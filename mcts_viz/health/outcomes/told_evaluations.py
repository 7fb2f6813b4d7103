"""Whether new leaves get the evaluation that was told of them (evaluation=), or that of the other player."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.trace.sibling_terms import EVALUATION

FEW_LEAVES = 40
NEARLY_ALL, HARDLY_ANY = 0.98, 0.1  # shares of the leaves


def check_told_evaluations(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A finding where leaves at which the game goes on get the opposite of their evaluations; of games of two."""
    told = search.trace.columns.numbers(search.T).get(EVALUATION)
    low, high = search.value_range
    rewarded = search.meta.step_rewards or search.has_rewards
    if told is None or search.alone or rewarded or low != -high or not search.meta.mirrors:
        return
    of = told[leaves.node]
    looked_at = leaves.where(
        ~search.ended[leaves.node] & ~np.isnan(of) & (np.abs(of) > search.slack)
    )
    node, value = looked_at.node, looked_at.value
    if len(node) < FEW_LEAVES:
        return
    # told in the view of the player to move, and the value in that of who moved into the leaf
    due = np.where(search.to_move[node] == search.mover[node], told[node], -told[node])
    near = search.slack + 1e-5 * np.abs(due)
    opposite, right = np.abs(value + due) <= near, np.abs(value - due) <= near
    if opposite.mean() < NEARLY_ALL or right.mean() > HARDLY_ANY:
        return
    at = int(np.argmax(opposite))
    yield replace(
        found(
            "simulation-flipped", int(looked_at.iteration[at]), int(node[at]),
            f"node {int(node[at]):,} is evaluated with {float(told[node[at]]):.4g}, told for the player to move there, "
            f"and who moved there gets {float(value[at]):.4g}, not {float(due[at]):.4g}: at {int(opposite.sum()):,} of "
            f"{len(node):,} leaves where the game goes on. The sign is lost on the way to the leaf's value; or the "
            "evaluation was told in the view of the other player",
            times=int(opposite.sum()), looked_at=len(node),
        ),
        severity="warning",
    )  # fmt: skip
