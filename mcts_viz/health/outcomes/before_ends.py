"""Whether a node below which there are finished games alone, all won by one player, gets a win of that player, too.

No rules are needed: whatever is played from there leads to one of these ends. Where nearly all such nodes get the
opposite, their sign is not that of their ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.constant import may_be_meant
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.outcomes.untold_ends import LeafValues
from mcts_viz.health.selection.random_choices import children_come_late
from mcts_viz.health.values.of_visits import values_turn
from mcts_viz.types import Bools, Floats, Ints

FEW = 5  # nodes; of 240 in 29 correct searches none got the opposite
NEARLY_ALL, HARDLY_ANY = 0.9, 0.1  # shares of these
FEW_OF_ONE = 3  # finished games after a move of either player

Words = tuple[str, ...]  # what is wrong, and where that comes from
OPPOSITE = (
    "results of simulations and of finished games have opposite signs",
    "So one of the two is turned round; or the sign goes by the depth of the leaf, and is wrong at every other level, "
    "where games are over, too",
)
RIGHT = "Right where a node that can win at once gets no other children, and for a network that knows nothing yet"


def check_before_ends(
    search: CheckedSearch, leaves: NewLeaves, values: LeafValues, over: Bools
) -> Iterator[Finding]:
    """A finding of games of two, of leaves that get results of games. over: [N] where games seem to end."""
    if search.meta.shared or search.is_pruned:
        return  # nodes have more ways on than children
    if search.ended.any():
        over = over & search.ended
    else:  # a tree that is cut at a depth may go on at the deepest nodes
        depth = search.topology.depth[: search.N]
        over = over & (depth < depth.max())
    winner = np.where(over, _winner(search, np.arange(search.N), values.greatest), 0)
    due = _forced(search, over, winner)
    first = leaves.where(due[leaves.node] != 0)
    got = _winner(search, first.node, first.value)
    first, got = first.where(got != 0), got[got != 0]
    against = got != due[first.node]
    turned = _turned(search, first, against)
    if turned is None or children_come_late(search) or not values_turn(search):
        return
    at = int(np.flatnonzero(against)[0])
    n, times = len(against), int(against.sum())
    by_level = None if turned else _by_level(search, winner)
    what, so = turned or by_level or OPPOSITE
    finding = found(
        "simulation-flipped", int(first.iteration[at]), int(first.node[at]),
        f"{what}: at {times:,} of {n:,} nodes below which there are finished games alone, all won by one player, the "
        f"first visit is a win of the other one, to which no play from there leads. {so}",
        nodes=n, against=times,
    )  # fmt: skip
    if by_level is None or may_be_meant(search):
        yield finding.as_note(f"{finding.message}. {RIGHT}")
    else:
        yield finding.as_warning()


def _winner(search: CheckedSearch, node: Ints, value: Floats) -> Ints:
    """1 where a value (view of who moved into the node) says that player 0 wins, −1 where player 1 does, else 0."""
    far = value - sum(search.value_range) / 2
    sign = np.where(np.abs(far) > search.slack, np.sign(far), 0.0).astype(np.int64)
    view = np.array([1, -1, 0])[search.mover[node]]  # by player; −1 is nobody
    won: Ints = sign * view
    return won


def _forced(search: CheckedSearch, over: Bools, winner: Ints) -> Ints:
    """[N] who wins all the games that are over right below a node without other children, as in `_winner`; else 0."""
    above = search.parent[1 : search.N]
    children = np.bincount(above, minlength=search.N)
    balance = np.zeros(search.N, np.int64)
    np.add.at(balance, above, np.where(over[1:], winner[1:], 0))
    return np.where((children > 0) & (np.abs(balance) == children), np.sign(balance), 0)


def _turned(search: CheckedSearch, first: NewLeaves, against: Bools) -> Words | None:
    """What is to be said where those that one player moved into got the opposite, and those of the other did not;
    empty where nearly all did; None where it is neither."""
    if against.sum() < FEW:
        return None
    if against.mean() >= NEARLY_ALL:
        return ()
    for player in (0, 1):
        own = search.mover[first.node] == player
        if not 0 < own.sum() < len(own):
            continue
        if against[own].mean() < NEARLY_ALL or against[~own].mean() > HARDLY_ANY:
            continue
        mover, other = (player_name(search.meta, each) for each in (player, 1 - player))
        return (
            f"results of simulations are turned round where {other} is to move, and finished games are not",
            f"Those are the nodes that {mover} moved into; those that {other} moved into get what is due. So it is "
            "where a result is in the view of the player to move at the leaf, and is backed up as though it were one "
            "player's always",
        )
    return None


def _by_level(search: CheckedSearch, winner: Ints) -> Words | None:
    """The same where the finished games tell that all leaves are turned round at every other level."""
    ends = np.flatnonzero(winner)
    for player, side in ((0, 1), (1, -1)):
        own = int((search.mover[ends] == player).sum())
        if (winner[ends] != side).any() or min(own, len(ends) - own) < FEW_OF_ONE:
            continue
        one, other = (player_name(search.meta, each) for each in (player, 1 - player))
        return (
            "the sign of what a leaf gets depends on who moved there, and is wrong at every other level, where games "
            "are over, too",
            f"And all {len(ends):,} finished games looked at count for {one}: those that {one} ended as won by the "
            f"last move, those that {other} ended as lost. So it is where the result is in the view of the player who "
            "moved into the leaf, or of who is to move there, and is backed up as though it were one player's always",
        )
    return None
