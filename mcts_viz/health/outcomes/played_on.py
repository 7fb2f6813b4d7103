"""Whether rollouts go on after the game is over, where the rules are not known: the first moves of a rollout lead to a
node of the tree that is told to be finished, more moves follow, and the result is another one. Where the tree has come
to no end yet, games of which none was over before the last move of all say that it may be so.

Moves past the end alone are no mistake: in Hex a board may be filled, and who has won stays the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import NEXT_ROLLOUT, sample

FEW = 3  # rollouts with another result than that of the finished game
NEARLY_ALL = 0.99  # of the visits of finished games get their told results: else results are told in another way
MOST_NODES = 2_000_000
MOST_ROLLOUTS = 3_000  # evenly spread
MANY = 100  # games that all have one length
SOME = 0.02  # share of them that each player wins, and of draws
SLACK = 1e-6


class RolloutToEnd(NamedTuple):
    """A rollout whose first moves lead to a node where the game is over."""

    iteration: int
    node: int
    moves: int  # to that node
    left: int  # moves after it
    outcome: float  # of the rollout, view of player 0
    due: float  # of the node


def check_played_on(search: CheckedSearch) -> Iterator[Finding]:
    """An error of games without chance whose results were told of nodes and of iterations, with the rollouts' moves."""
    rewarded = search.has_rewards or search.meta.step_rewards or search.discount != 1.0
    if rewarded or search.has_chance or search.meta.shared or search.meta.n_players > 2:
        return
    if search.N > MOST_NODES or not search.has_results or not _told_alike(search):
        return
    told = _rollouts_to_ends(search)
    bad = [one for one in told if abs(one.outcome - one.due) > SLACK]
    beyond = [one for one in bad if one.left]
    if len(beyond) >= FEW:
        yield _played_on(search, told, beyond)
    elif len(bad) >= FEW:
        yield _another(told, bad)
    elif not bad and not search.alone:
        yield from _of_one_length(search)


def _told_alike(search: CheckedSearch) -> bool:
    """Whether an iteration that ends in a finished game has the result that was told of it; nothing is known of moves
    where rollouts begin elsewhere."""
    result, right, n = search.trace.columns.outcome, 0, 0
    for rows in search.blocks(search.base, search.T):
        off = np.abs(result[rows] - search.known_outcome[search.leaf[rows]])
        n += int((~np.isnan(off)).sum())
        right += int((off <= SLACK).sum())
    return right >= NEARLY_ALL * n


def _rollouts_to_ends(search: CheckedSearch) -> list[RolloutToEnd]:
    """Of a sample of leaves where the game goes on, one rollout each."""
    result, played = search.trace.columns.outcome, search.trace.columns.rollout
    told: list[RolloutToEnd] = []
    for t in sample(range(search.base + 1, search.T + 1), MOST_ROLLOUTS):
        node, outcome = int(search.leaf[t - 1]), float(result[t - 1])
        moves = played.action[int(played.offset[t - 1]) : int(played.offset[t])]
        if search.ended[node] or np.isnan(outcome) or (moves == NEXT_ROLLOUT).any():
            continue
        for i, move in enumerate(moves.tolist()):
            node = _child(search, node, move)
            if node < 0:
                break
            if search.ended[node]:
                due = float(search.known_outcome[node])
                told.append(RolloutToEnd(t, node, i + 1, len(moves) - i - 1, outcome, due))
                break
    return told


def _child(search: CheckedSearch, node: int, move: int) -> int:
    """The node that a move at a node leads to; −1 where the tree has none."""
    parent = np.array([node])
    children = search.families.oldest(parent, search.n_children(parent))
    there = np.flatnonzero(search.action[children] == move)
    return int(children[there[0]]) if len(there) else -1


def _played_on(search: CheckedSearch, told: list[RolloutToEnd], bad: list[RolloutToEnd]) -> Finding:
    one = bad[0]
    going_on = sum(each.left > 0 for each in told)
    return found(
        "simulation-outcome", one.iteration, one.node,
        f"rollouts go on after the game is over: {one.moves:,} {'move' if one.moves == 1 else 'moves'} of that of "
        f"iteration {one.iteration:,} lead to node {one.node:,}, which was told to be finished with {one.due:g} (view "
        f"of {player_name(search.meta, 0)}); {one.left:,} more follow, and the result is {one.outcome:g}. Of "
        f"{len(told):,} rollouts that come to a finished game of the tree {going_on:,} play on, and {len(bad):,} of "
        f"these get another result{_in_favour(search, bad)}. So it is where the loop of a rollout does not ask "
        "whether somebody has won, but whether moves are left, and the winner is looked for on the last board",
        times=len(bad), looked_at=len(told),
    )  # fmt: skip


def _in_favour(search: CheckedSearch, bad: list[RolloutToEnd]) -> str:
    """Whose results are changed, where these are one player's, as when lines of the other one are looked for first."""
    if search.alone:
        return ""
    gained = np.sign([one.outcome - one.due for one in bad])
    for sign, player in ((1, 0), (-1, 1)):
        if (gained == sign).all():
            winner, loser = (player_name(search.meta, each) for each in (player, 1 - player))
            return f", all of them in favour of {winner}: games that {loser} had won count for {winner}, or as draws"
    return ""


def _another(told: list[RolloutToEnd], bad: list[RolloutToEnd]) -> Finding:
    one = bad[0]
    return found(
        "simulation-outcome", one.iteration, one.node,
        f"the rollout of iteration {one.iteration:,} ends at node {one.node:,}, which was told to be finished with "
        f"{one.due:g}, and {one.outcome:g} is recorded (view of player 0); this holds for {len(bad):,} of "
        f"{len(told):,} rollouts that come to a finished game of the tree",
        times=len(bad), looked_at=len(told),
    )  # fmt: skip


def _of_one_length(search: CheckedSearch) -> Iterator[Finding]:
    """A note on games that are won, lost and drawn, and never over before the same number of moves. Games with points
    have more results, and those that are filled to the end on purpose, as Hex, seldom draws."""
    low, high = search.meta.reward_range
    result, offset = search.trace.columns.outcome, search.trace.columns.rollout.offset
    played, rows = search.trace.columns.rollout.action, list[int]()
    lengths, depths, outcomes = list[int](), list[int](), list[float]()
    for t in sample(range(search.base + 1, search.T + 1), MOST_ROLLOUTS):
        begin, end = int(offset[t - 1]), int(offset[t])
        if end == begin:
            continue
        if (played[begin:end] == NEXT_ROLLOUT).any():
            return
        rows.append(t)
        depths.append(int(search.topology.depth[search.leaf[t - 1]]))
        lengths.append(depths[-1] + end - begin)
        outcomes.append(float(result[t - 1]))
    length, depth, outcome = np.array(lengths), np.array(depths), np.array(outcomes)
    if len(length) < MANY or np.ptp(length) or not np.ptp(depth):
        return
    kinds = [np.abs(outcome - each) <= SLACK for each in (low, (low + high) / 2, high)]
    if min(float(each.mean()) for each in kinds) < SOME or not np.any(kinds, axis=0).all():
        return
    names = [player_name(search.meta, each) for each in (0, 1)]
    ends = int((search.ended & (search.topology.depth[: search.N] < length[0])).sum())
    right = "Right in games that are over when all moves are made; in others, as where a line wins, simulated"
    if ends:
        right = (
            f"And {ends:,} nodes of the tree are told to be finished before. Right where moves after the end change no "
            "result; else simulated"
        )
    yield found(
        "simulation-outcome", rows[0], int(search.leaf[rows[0] - 1]),
        f"no rollout ends before move {int(length[0]):,} after the root: all {len(length):,} looked at last as "
        f"long, whatever is played, and {names[0]} wins {float(kinds[2].mean()):.0%}, {names[1]} "
        f"{float(kinds[0].mean()):.0%}, nobody {float(kinds[1].mean()):.0%}. {right} games go on after somebody has "
        "won: the loop asks whether the board is full, or moves are left, and not whether the game is over, and who "
        "has a line in the end need not be who had the first one",
        rollouts=len(length), length=int(length[0]),
    ).as_note()  # fmt: skip
