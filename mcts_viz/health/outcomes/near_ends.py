"""What is known of results where nobody knows the rules: a leaf at which whoever is to move can win at once wins there
now and then by random play, and a game that is over is won by somebody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.before_ends import check_before_ends
from mcts_viz.health.outcomes.constant import may_be_meant
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.outcomes.untold_ends import MOST_NODES, LeafValues, seem_over
from mcts_viz.health.selection.random_choices import children_come_late
from mcts_viz.types import Bools, Floats, Ints

FEW_ENDS = 8  # nodes at which games end
FEW_OF_ONE = 3  # of these, after a move of either player
FEW_LEAVES = 8  # at which somebody can win at once
CERTAIN = 0.95  # chance of a win where all moves seem to win; some may be unknown
SURE, LIKELY = -12.0, -2.0  # logarithms of the chance of so few
MANY_LEAVES = 100  # where the game goes on
NEARLY_ALL = 0.98  # of the values, that are results
DECIDED = 0.5  # of the results
HALF = 0.5  # of the ends, that are lost
MOST_WON, MORE_LEAVES = 0.9, 300  # by one player
SOME, FEW_DRAWS = 0.2, 0.02  # shares of leaves


def check_near_ends(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """Findings about a game of two whose rules are not known; at most one."""
    rewarded = search.meta.step_rewards or search.has_rewards
    if search.rules is not None or search.alone or rewarded or not search.meta.mirrors:
        return
    if search.N > MOST_NODES:
        return
    ends = LeafValues(search)
    over = seem_over(search, ends)
    told = bool(search.ended.any())
    if _are_results(search, leaves.value):
        finding = _missed_wins(search, leaves, ends, search.ended if told else over)
        if finding is not None:
            sure = told and not may_be_meant(search) and not children_come_late(search)
            yield finding if sure else finding.as_note()
            return
        before = list(check_before_ends(search, leaves, ends, over))
        if before:
            yield from before
            return
    if _are_results(search, leaves.value, decided_from=0.0):
        yield from _one_winner(search, leaves, over)
    if not told:
        yield from _lost_by_the_last_move(search, ends, over)


def _are_results(search: CheckedSearch, value: Floats, decided_from: float = DECIDED) -> bool:
    """Whether leaves get wins, draws and losses alone, and not draws in most."""
    low, high = search.value_range
    decided = np.minimum(np.abs(value - low), np.abs(value - high)) <= search.slack
    drawn = np.abs(value - (low + high) / 2) <= search.slack
    return (
        len(value) > 0
        and float((decided | drawn).mean()) >= NEARLY_ALL
        and float(decided.mean()) >= decided_from
    )


def _missed_wins(
    search: CheckedSearch, leaves: NewLeaves, ends: LeafValues, over: Bools
) -> Finding | None:
    """Leaves from which a random game is won by its first move, with a chance of one in as many moves as there are at
    most so far down; counted for each player, and for both."""
    low, high = search.value_range
    of = search.parent[: search.N].astype(np.int64)
    # where the player who moves into an end has won
    won = over & (ends.least >= high - search.slack) & (ends.times > 0) & (of >= 0)
    depth = search.topology.depth[: search.N].astype(np.int64)
    most = np.zeros(int(depth.max()) + 1, np.int64)
    np.maximum.at(most, depth, np.bincount(of[1:], minlength=search.N))
    most = np.maximum.accumulate(most)  # deep down most nodes have not all their children
    wins = np.bincount(of[won], minlength=search.N)
    turns = search.to_move[leaves.node] == 1 - search.mover[leaves.node]
    node, value = leaves.where(turns & ~over[leaves.node])[1:]
    near = wins[node] > 0
    share = wins[node[near]] / np.maximum(most[depth[node[near]]], 1)
    lost = value[near] <= low + search.slack  # by who moved there
    for player in (0, 1, None):
        at = (
            np.ones(len(share), np.bool_)
            if player is None
            else search.to_move[node[near]] == player
        )
        other = search.mover[node] == player
        best = np.where(other, value >= high - search.slack, value <= low + search.slack)
        never = player is not None and len(node) >= MANY_LEAVES and not best.any()
        finding = _too_few(search, node[near][at], share[at], lost[at], player, never)
        if finding is not None:
            return finding
    return None


def _too_few(
    search: CheckedSearch, node: Ints, share: Floats, got: Bools, player: int | None, never: bool
) -> Finding | None:
    """never: whether the player wins nowhere where the game goes on."""
    due, times = float(share.sum()), int(got.sum())
    if times >= due:
        return None
    chance = -((due - times) ** 2) / (2 * due)  # its logarithm, or more (Chernoff)
    if not times:
        chance = float(np.log1p(-np.minimum(share, CERTAIN)).sum())
    sure = len(node) >= FEW_LEAVES and chance <= SURE
    if not sure and not (never and chance <= LIKELY):
        return None
    at = int(node[np.argmin(got)])
    who = "whoever is to move" if player is None else f"player {player}, who is to move,"
    nowhere = f" Player {player} wins at no leaf at all where the game goes on." if never else ""
    finding = found(
        "simulation-flipped", int(search.born[at]), at,
        f"at {len(node):,} leaves {who} has a move that wins at once; random games take it {due:,.0f} times or more, "
        f"and {times:,} of these leaves are won.{nowhere} The result of a rollout seems to be taken in the wrong view: "
        "of who is to move where it ends, or at its leaf, so that its sign depends on how long it is",
        leaves=len(node), due=due, won=times,
    )  # fmt: skip
    return replace(finding, severity="warning" if sure else "note")


def _one_winner(search: CheckedSearch, leaves: NewLeaves, over: Bools) -> Iterator[Finding]:
    """A note where one player wins wherever the game goes on, or nearly so, and nobody draws."""
    low, high = search.value_range
    use = ~over[leaves.node] & (search.mover[leaves.node] >= 0)
    iteration, node, value = leaves.where(use)
    first = search.mover[node] == 0
    won = np.where(first, value >= high - search.slack, value <= low + search.slack)
    lost = np.where(first, value <= low + search.slack, value >= high - search.slack)
    if len(node) < MANY_LEAVES or first.all() or not first.any():
        return
    for winner, of_one, of_other in ((0, won, lost), (1, lost, won)):
        told = _nearly_all(winner, of_one, of_other)
        if told is not None:
            yield found(
                "simulation-constant", int(iteration[0]), int(node[0]), told,
                leaves=len(node), winner=winner, share=float(of_one.mean()),
            ).as_note()  # fmt: skip
        if of_one.all():
            yield found(
                "simulation-constant", int(iteration[0]), int(node[0]),
                f"player {winner} wins at all {len(node):,} leaves looked at where the game goes on. Right where "
                f"player {1 - winner} is lost whatever is played; else results are taken in the wrong view, as of "
                "who is to move where a rollout ends: in a game that is won by its last move that is always the "
                "loser",
                leaves=len(node), winner=winner,
            ).as_note()  # fmt: skip


def _nearly_all(winner: int, won: Bools, lost: Bools) -> str | None:
    """Where one player wins at most leaves, and nobody draws; or where the other one never wins, and many games are
    drawn: in words."""
    n, share, loser = len(won), float(won.mean()), 1 - winner
    drawn = 1 - share - float(lost.mean())
    if n < MORE_LEAVES:
        return None
    if drawn <= FEW_DRAWS and MOST_WON <= share < 1:
        return (
            f"player {winner} wins at {share:.0%} of the {n:,} leaves looked at where the game goes on, and the other "
            f"player at the rest. Right where player {loser} is nearly lost; else some results count as wins of player "
            f"{winner} that are none, as those of rollouts that are cut off, or draws"
        )
    if not lost.any() and min(share, drawn) >= SOME:
        return (
            f"player {loser} wins at none of the {n:,} leaves looked at where the game goes on, player {winner} at "
            f"{share:.0%}, and {drawn:.0%} are draws. Right where player {loser} cannot win any more; else the wins of "
            "that player count as draws, as where `if winner:` is asked of a player who is 0"
        )
    return None


def _lost_by_the_last_move(
    search: CheckedSearch, ends: LeafValues, over: Bools
) -> Iterator[Finding]:
    """A note where nothing is told of results, and games in the tree are never won by who makes the last move, whoever
    that is."""
    low, high = search.value_range
    value = ends.greatest[over]
    if len(value) < FEW_ENDS or (value > (low + high) / 2 + search.slack).any():
        return
    lost = value <= low + search.slack
    of_first = int((search.mover[over][lost] == 0).sum())
    if lost.mean() < HALF or min(of_first, int(lost.sum()) - of_first) < FEW_OF_ONE:
        return  # the last move of all games may be one player's, who loses
    if children_come_late(search):
        return  # what there is to choose from may differ each time
    node = int(np.flatnonzero(over)[0])
    beside = "" if lost.all() else ", or drawn"
    yield found(
        "value-wrong-view", int(search.born[node]), node,
        f"the {len(value):,} nodes that are visited again and have no children, where games seem to end, are all "
        f"lost by who made the last move there{beside}. Right in games that the last move loses; in others values "
        "are in the wrong view: of who is to move at a node, not of who moved there",
        ends=len(value),
    ).as_note()  # fmt: skip
