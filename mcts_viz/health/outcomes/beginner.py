"""Whether rollouts begin with the same player always, whoever is to move at the leaf: then those of one player's
leaves alone do not go by the rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.outcomes.replays import ReplayedRollout
from mcts_viz.types import Bools

FEW = 8  # rollouts
MANY_DUE = 20  # wrong ones of the other player, were they as often wrong; that none is by chance is 1 in 10⁸
TURNED = 0.9  # share of the results that are wrong, where it is their view that is


def always_begun_by(
    search: CheckedSearch, told: Sequence[ReplayedRollout], wrong: Bools
) -> str | None:
    """What is to be said, where the mistake is that one; None where it is not. wrong: [R] rollouts that do not go by
    the rules."""
    illegal = np.array([one.illegal is not None for one in told])
    begun = illegal | np.array([bool(one.firsts) for one in told])  # else the game is over
    leaves = search.leaf[[one.iteration - 1 for one in told]].tolist()
    to_move = np.array([search.positions[leaf].to_move for leaf in leaves])
    of = np.array([int((begun & (to_move == player)).sum()) for player in (0, 1)])
    bad = np.array([int((wrong & (to_move == player)).sum()) for player in (0, 1)])
    player = int(np.argmax(bad))
    other = 1 - player
    if bad[other] or bad[player] < FEW or bad[player] * of[other] < MANY_DUE * of[player]:
        return None
    unfinished = np.array([one.unfinished for one in told])
    outcome = np.array([np.nan if one.outcome is None else one.outcome for one in told])
    middle = sum(search.meta.reward_range) / 2
    decided = begun & (to_move == player) & (np.abs(outcome - middle) > 1e-6)
    by_moves = int((illegal | unfinished)[wrong].sum())
    if by_moves == 0 and int((wrong & decided).sum()) >= TURNED * int(decided.sum()):
        return None  # moves are right, and results are in the view of the player to move
    if by_moves and not (wrong & ~unfinished).any():
        return None  # rollouts that are cut short, which may be meant
    names = [player_name(search.meta, each) for each in (0, 1)]
    return (
        f"All {bad[player]:,} rollouts that do not go by the rules start where {names[player]} is to move, of "
        f"{of[player]:,} there, and none of the {of[other]:,} where {names[other]} is: so it is where a rollout begins "
        f"with {names[other]} always, whoever is to move at the leaf"
    )
