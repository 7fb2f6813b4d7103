"""Whether one player makes all moves in the tree of a game of two: a child gets its parent's player."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE, DEFAULT_NAMES

DEEP = 3  # moves from the root, so that four are made in a row: by the rules it may be two or three
FEW_DEEP = 30  # nodes there
NEARLY_ALL = 0.98  # of the nodes at which a game goes on are told who is to move


def check_one_mover(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where the rules are not known, and one player is told to be to move at all nodes; a note where moves
    bring rewards, as in an environment of one agent whose players were not declared. Where the root alone has the other
    one, there is `check_from_root`."""
    if search.rules is not None or search.meta.n_players != 2 or search.to_move[0] < 0:
        return
    goes_on = ~search.ended & (search.to_move != CHANCE)
    depth = search.topology.depth[: search.N]
    told = goes_on & (search.to_move >= 0)
    if (told & (depth >= DEEP)).sum() < FEW_DEEP or told.sum() < NEARLY_ALL * goes_on.sum():
        return
    player = int(search.to_move[0])
    if (search.to_move[told] != player).any():
        return
    told[0] = False
    first, n = int(np.argmax(told)), int(told.sum())
    names = [player_name(search.meta, each) for each in (player, 1 - player)]
    finding = found(
        "expansion-player", int(search.born[first]), first,
        f"players do not take turns in the tree: {names[0]} is to move at the root, and at all {n:,} nodes "
        f"below it, down to {int(depth[told].max())} moves deep. There {names[1]} never chooses, and moves in "
        "rollouts at most. So it is where a new node gets the player of its parent in place of the other one; or "
        f"where to_move= of the recording reads another node's. {_right(search)}",
        nodes=n, player=player,
    )  # fmt: skip
    rewarded = search.has_rewards or search.meta.step_rewards or search.discount != 1.0
    yield finding.as_note() if rewarded else finding.as_warning()


def _right(search: CheckedSearch) -> str:
    if tuple(search.meta.player_names) == DEFAULT_NAMES:
        return "Right where one plays alone: then say so, players=('agent',)"
    return f"Right where the rules give one player {DEEP + 1} moves and more in a row"
