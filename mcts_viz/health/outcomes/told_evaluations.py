"""Whether new leaves get the evaluation that was told of them (evaluation=), or that of the other player, or of another
leaf of their batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.tree.shape import own_visits
from mcts_viz.trace.sibling_terms import EVALUATION
from mcts_viz.types import Bools, Floats, Ints

FEW_LEAVES = 40
NEARLY_ALL, HARDLY_ANY = 0.98, 0.1  # shares of the leaves
FEW_TURNED, FEW = 8, 0.01  # leaves with the wrong sign, and their share
FEW_OF_OTHERS = 20  # leaves that get what is another one's, where hardly any gets something else
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
    """A finding where new leaves of a batch get the evaluations, or results, of other leaves of it: many of them; or a
    few, where each that does not get its own gets another one's."""
    told = search.trace.columns.numbers(search.T).get(EVALUATION)
    low, high = search.value_range
    if told is None or search.meta.step_rewards or search.has_rewards:
        return
    if not search.alone and (low != -high or not search.meta.mirrors):
        return
    n = beside_ends = wrong = odd = 0
    others: list[_OfAnother] = []
    for part in search.ranges():
        here = _in_batches(search, part, told)
        n, beside_ends = n + here.new, beside_ends + here.beside_ends
        wrong, odd = wrong + here.wrong, odd + here.odd
        others += here.others
        if n >= ENOUGH:
            break
    times = len(others)
    many = wrong >= SOME * n
    sure = times >= max(FEW_OF_OTHERS, FEW * n, NEARLY_ALL * odd)
    if n >= FEW_LEAVES and 0 < times >= MOST * wrong and (many or sure):
        yield _of_others(others, n, n - beside_ends >= FEW_OF_OTHERS)


class _OfAnother(NamedTuple):
    """A leaf that gets what is another one's."""

    iteration: int
    node: int
    value: float
    due: float
    other: int
    beside_end: bool  # whether a finished game is in its batch


class _InBatches(NamedTuple):
    """New leaves of a range where the game goes on."""

    new: int
    beside_ends: int  # those with a finished game in their batch
    wrong: int  # those that do not get what was told
    odd: int  # and not the opposite of it either
    others: list[_OfAnother]


def _in_batches(search: CheckedSearch, part: IterationRange, told: Floats) -> _InBatches:
    updates, near = part.updates, search.slack + 1e-5
    own, over = _told_of_each(search, updates.node, told)
    leaf = (own_visits(search, part) > 0) & ~np.isnan(own)
    keys = zip(updates.iteration[leaf].tolist(), np.round(np.abs(own[leaf]), 5).tolist())
    due_to = dict(zip(keys, updates.node[leaf].tolist()))
    new = leaf & (updates.visits == 1) & ~over
    new &= part.before(updates.node, updates.iteration).visits == 0
    beside = np.isin(updates.iteration, updates.iteration[leaf & over])
    turned = search.to_move[updates.node] != search.mover[updates.node]
    due = own if search.alone else np.where(turned, -own, own)
    wrong = new & (np.abs(updates.value - due) > near)
    odd = wrong & (np.abs(updates.value + due) > near)
    others = []
    for row in np.flatnonzero(odd).tolist():
        t, node = int(updates.iteration[row]), int(updates.node[row])
        value = float(updates.value[row])
        other = due_to.get((t, round(abs(value), 5)), node)
        if other != node:
            others.append(_OfAnother(t, node, value, float(due[row]), other, bool(beside[row])))
    return _InBatches(
        int(new.sum()), int((new & beside).sum()), int(wrong.sum()), int(odd.sum()), others
    )


def _told_of_each(search: CheckedSearch, node: Ints, told: Floats) -> tuple[Floats, Bools]:
    """[U] the evaluation of each node as it was told, or its result in the view of player 0; and whether it is one."""
    own, over = told[node].astype(np.float64), search.ended[node]
    low, high = search.value_range
    share = search.share(search.known_outcome[node[over]], 0)
    own[over] = low + (high - low) * (1 + share) / 2
    return own, over


def _of_others(others: list[_OfAnother], n: int, are_some_without: bool) -> Finding:
    """are_some_without: whether there are batches without a finished game."""
    t, node, value, due, other, _ = others[0]
    text = (
        f"new leaves of a batch get the evaluations of other leaves of it: node {node:,} gets {value:.4g} in iteration "
        f"{t:,}, which is what was told of node {other:,}, and not its own, {due:.4g}. So it is with {len(others):,} "
        f"of {n:,} new leaves: answers and leaves are put together in another order, or by a wrong index"
    )
    if are_some_without and all(one.beside_end for one in others):
        text += (
            ". All of them are in batches with a finished game: so it is where values are in the order of live leaves, "
            "then finished ones, and are put together, zip(), with the leaves as they were selected"
        )
    return found("simulation-late", t, node, text, times=len(others), looked_at=n)
