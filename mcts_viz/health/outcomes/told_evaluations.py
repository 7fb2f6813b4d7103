"""Whether new leaves get the evaluation that was told of them (evaluation=), or that of the other player, or of another
leaf of their batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.trace.sibling_terms import EVALUATION
from mcts_viz.types import Bools

FEW_LEAVES = 40
NEARLY_ALL, HARDLY_ANY = 0.98, 0.1  # shares of the leaves
FEW_TURNED, FEW = 8, 0.01  # leaves with the wrong sign, and their share
# shares of leaves with another value, and of those whose value is that of another leaf
SOME, MOST = 0.3, 0.5
ENOUGH = 5_000  # leaves that are looked at


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
        yield from _of_one_player(search, looked_at, opposite, right)
        return
    at = int(np.argmax(opposite))
    yield found(
        "simulation-flipped", int(looked_at.iteration[at]), int(node[at]),
        f"node {int(node[at]):,} is evaluated with {float(told[node[at]]):.4g}, told for the player to move there, "
        f"and who moved there gets {float(value[at]):.4g}, not {float(due[at]):.4g}: at {int(opposite.sum()):,} of "
        f"{len(node):,} leaves where the game goes on. The sign is lost on the way to the leaf's value; or the "
        "evaluation was told in the view of the other player",
        times=int(opposite.sum()), looked_at=len(node),
    ).as_warning()  # fmt: skip


def _of_one_player(
    search: CheckedSearch, leaves: NewLeaves, opposite: Bools, right: Bools
) -> Iterator[Finding]:
    """A note where they get the opposite at one player's turns, and at the other's what was told."""
    mine = search.to_move[leaves.node] == 0
    for turned, straight, player in ((mine, ~mine, 0), (~mine, mine, 1)):
        if min(turned.sum(), straight.sum()) < FEW_LEAVES:
            return
        if opposite[turned].mean() < NEARLY_ALL or right[straight].mean() < NEARLY_ALL:
            continue
        at = int(np.flatnonzero(turned)[0])
        its, other = (search.meta.player_names[each] for each in (player, 1 - player))
        yield found(
            "simulation-flipped", int(leaves.iteration[at]), int(leaves.node[at]),
            f"the {int(turned.sum()):,} new leaves where {its} is to move get the opposite of the evaluation that was "
            f"told for the player to move there, and the {int(straight.sum()):,} where {other} is to move get what is "
            f"due: what the network says for the player to move is taken as {other}'s, whoever it is. Right where its "
            "evaluations are one player's; then tell them so: evaluation= is read in the view of the player to move",
            times=int(turned.sum()), looked_at=len(mine),
        ).as_note()  # fmt: skip
        return
    yield from _here_and_there(search, leaves, opposite, right)


def _here_and_there(
    search: CheckedSearch, leaves: NewLeaves, opposite: Bools, right: Bools
) -> Iterator[Finding]:
    """A note where some of both players' leaves get the opposite, and all others what was told."""
    mine = search.to_move[leaves.node] == 0
    some = [int(opposite[side].sum()) for side in (mine, ~mine)]
    either = float((opposite | right).mean())
    few = sum(some) < max(FEW_TURNED, FEW * len(mine)) or right.mean() < HARDLY_ANY
    if few or either < NEARLY_ALL:
        return
    at = int(np.argmax(opposite))
    whose = "of both players" if min(some) else f"of {search.meta.player_names[int(some[0] == 0)]}"
    yield found(
        "simulation-flipped", int(leaves.iteration[at]), int(leaves.node[at]),
        f"{sum(some):,} of {len(mine):,} new leaves, {whose}, get the opposite of the evaluation that was told for the "
        f"player to move there, first node {int(leaves.node[at]):,}, and all others what is due. So it is where values "
        "of the network are kept in a table in one player's view, and found there by a key without the player to move: "
        "then the same position with the other one to move gets the wrong sign",
        times=sum(some), looked_at=len(mine),
    ).as_note()  # fmt: skip


def check_told_in_batches(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where leaves of a batch get the evaluations of other leaves of it."""
    told = search.trace.columns.numbers(search.T).get(EVALUATION)
    low, high = search.value_range
    turns = not search.alone
    if told is None or search.meta.step_rewards or search.has_rewards:
        return
    if turns and (low != -high or not search.meta.mirrors):
        return
    n = wrong = of_others = 0
    first: tuple[int, int, float, float, int] | None = None
    for part in search.ranges():
        updates = part.updates
        known = ~np.isnan(told[updates.node])
        values = np.round(np.abs(told[updates.node]), 5)
        evaluated = {
            (at, value): node
            for at, value, node in zip(
                updates.iteration[known].tolist(),
                values[known].tolist(),
                updates.node[known].tolist(),
            )
        }
        new = known & (updates.visits == 1) & ~search.ended[updates.node]
        new &= part.before(updates.node, updates.iteration).visits == 0
        for row in np.flatnonzero(new).tolist():
            t, node, value = (
                int(updates.iteration[row]),
                int(updates.node[row]),
                float(updates.value[row]),
            )
            opposite = turns and search.to_move[node] != search.mover[node]
            due = -float(told[node]) if opposite else float(told[node])
            n += 1
            if abs(value - due) <= search.slack + 1e-5:
                continue
            wrong += 1
            other = evaluated.get((t, round(abs(value), 5)), node)
            of_others += other != node
            if other != node and first is None:
                first = t, node, value, due, other
        if n >= ENOUGH:
            break
    if n < FEW_LEAVES or first is None or wrong < SOME * n or of_others < MOST * wrong:
        return
    t, node, value, due, other = first
    yield found(
        "simulation-late", t, node,
        f"new leaves of a batch get the evaluations of other leaves of it: node {node:,} gets {value:.4g} in iteration "
        f"{t:,}, which is what was told of node {other:,}, and not its own, {due:.4g}. So it is with {of_others:,} of "
        f"{n:,} new leaves: answers and leaves are put together in another order, or by a wrong index",
        times=of_others, looked_at=n,
    )  # fmt: skip
