"""Whether all new leaves get one value, where finished games get others, or random play from there would: what was
simulated, or evaluated, is lost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.outcomes.playouts import Playouts
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.values.rewards import includes_own_reward
from mcts_viz.types import Ints

FEW_LEAVES = 40
MANY_LEAVES = 200  # the same, beside a few ends that are worth something else
FEW_ENDS = 6  # nodes where the search ends
MOSTLY = 0.5  # share of these, or of games
ALIKE = 0.7  # share of all leaves, where it is not known at which of them games end
GAMES = 60
SEED = 6


def check_constant(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A finding where leaves at which the game goes on have one value."""
    if not len(leaves.node):
        return
    if search.meta.step_rewards or search.has_rewards:
        yield from _nothing_beside_rewards(search, leaves)
        return
    node, value = leaves.node, leaves.value
    known = search.rules is not None or "terminal" not in search.meta.not_observed
    ends = search.ended[node]
    goes_on = ~ends if known else search.n_children(node) > 0
    slack = search.tolerance + 1e-9
    alike = len(value) >= FEW_LEAVES and float(np.ptp(value)) <= slack
    if goes_on.sum() < FEW_LEAVES:
        if alike:
            yield _nothing_else(search, float(value[0]), len(value))
        return
    constant = float(value[goes_on][0])
    if (np.abs(value[goes_on] - constant) > slack).any():
        return
    if not known:
        if (np.abs(value - constant) <= slack).mean() < ALIKE:
            return  # a search may go on where leaves were won, and nowhere else
        # where the search comes back to, and goes no further
        ends = ~goes_on & (search.statistics_after(search.T).visits[node] > 1)
    n = int(goes_on.sum())
    if ends.sum() >= FEW_ENDS and (np.abs(value[ends] - constant) > slack).mean() >= MOSTLY:
        kinds = ", ".join(f"{kind:g}" for kind in np.unique(np.round(value[ends], 6))[:4])
        beside = f"the {int(ends.sum()):,} where it ends {kinds}"
    elif (share := _due(search, node[goes_on], constant)) is not None and share <= MOSTLY:
        beside = f"{share:.0%} of random games from there are worth as much"
    elif alike:
        yield _nothing_else(search, constant, len(value))
        return
    else:
        if share is None and n >= MANY_LEAVES:
            yield _nothing_else(search, constant, n, " where the game goes on")
        return
    first = int(np.flatnonzero(goes_on)[0])
    finding = found(
        "simulation-constant", int(leaves.iteration[first]), int(node[first]),
        f"all {n:,} leaves looked at where the game goes on get {constant:g} at first, and "
        f"{beside}: what is simulated, or evaluated, at a new leaf seems to be lost on the way to the back-up. Right "
        "for a network that knows nothing yet, and for a search that values finished games alone",
        value=constant, leaves=n,
    )  # fmt: skip
    yield finding.as_note() if may_be_meant(search) else finding


def _nothing_beside_rewards(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A note where moves bring rewards, each beside the value of the node that it leads to, and all values are 0 at
    first, though a network gave priors."""
    told = search.trace.columns.nodes.prior
    no_network = told is None or bool(np.isnan(told[1 : search.N]).all())
    if no_network or len(leaves.node) < FEW_LEAVES or (np.abs(leaves.value) > search.slack).any():
        return
    if search.has_rewards and includes_own_reward(search) is False:
        yield found(
            "simulation-constant", None, None,
            f"all {len(leaves.node):,} new leaves looked at get 0, beside the rewards of the moves: the value "
            "that the network gives for a leaf seems to be lost on the way to the back-up. Right where rewards "
            "alone are to count",
            value=0.0, leaves=len(leaves.node),
        ).as_note()  # fmt: skip


def _nothing_else(search: CheckedSearch, constant: float, n: int, where: str = "") -> Finding:
    constant += 0.0  # no −0
    kept = search.alone and search.meta.watched.value_kind == "mean"
    best = (
        f", or where a node keeps its best result, which begins at {constant:g}, above all results, and so never "
        "changes: it has to begin at −inf"
        if kept or search.meta.policies.backpropagation.backup == "max"
        else ""
    )
    return found(
        "simulation-constant", None, None,
        f"all {n:,} nodes looked at{where} get {constant:g} at their first visit, so that values tell no move from "
        "another: so it is where an evaluator says the same of everything, where an answer cannot be read and a "
        f"default counts, and where all lines end alike{best}",
        value=constant, leaves=n,
    ).as_note()  # fmt: skip


def _due(search: CheckedSearch, node: Ints, constant: float) -> float | None:
    """The share of games from these leaves, at random or with immediate wins taken, whichever is greater, that end
    with this value for the player who moved into the leaf; None where the rules are not known."""
    if search.rules is None or search.alone:
        return None
    low, high = search.value_range
    games, shares = Playouts(search, SEED), []
    for takes_wins in (False, True):
        alike = []
        for i in sample(np.arange(len(node)), GAMES):
            place = search.positions[int(node[i])]
            ends = None
            if place.illegal is None and place.outcome is None:
                ends = games.ends(place.state, 1, takes_wins)
            if ends is None:
                continue
            end = float(ends[0]) if search.mover[node[i]] == 0 else -float(ends[0])
            alike.append(abs(low + (high - low) * (1 + end) / 2 - constant) < 1e-6)
        if len(alike) < FEW_LEAVES:
            return None
        shares.append(float(np.mean(alike)))
    return max(shares)


def may_be_meant(search: CheckedSearch) -> bool:
    """Whether leaves are evaluated: a network that was not trained says the same of each position."""
    prior = search.trace.columns.nodes.prior
    told = prior is not None and not np.isnan(prior).all()
    return told or search.meta.policies.simulation.by_evaluator
