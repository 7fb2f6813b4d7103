"""Whether evaluations stop at the middle of their range: none is bad for the player to move, or none is good, and many
are next to the middle. A network's values lie on both sides, or thin out before they end; a ReLU, an absolute value,
or a scale from 0 to 1 beside results from −1 to 1 ends them there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves

FEW_LEAVES = 150
FEW_OF_ONE = 40  # leaves at which one of the players is to move
FEW_KINDS = 30  # different values
WIDE = 0.1  # greatest one, where 1 is a win: less says a network that knows nothing yet
NEAR = 0.1  # of the greatest, from the middle
FEW_NEAR = 30  # leaves there, of which as many would lie on the other side
SHARE_NEAR = 0.05


def check_cut_off(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A finding where evaluations of leaves at which the game goes on are cut off; of games of two."""
    rewarded = search.meta.step_rewards or search.has_rewards
    if search.alone or rewarded or not search.meta.mirrors or not len(leaves.node):
        return
    over = search.ended[leaves.node]
    if not search.ended.any():
        # nobody says where games end: they may end at any childless node
        over = search.n_children(leaves.node) == 0
    _, node, value = leaves.where(~over)
    low, high = search.value_range
    turn = np.where(search.to_move[node] == search.mover[node], 1.0, -1.0)
    # view of the player to move, from −1 to 1
    share = turn * (2 * value - low - high) / (high - low)
    of_first = int((search.mover[node] == 0).sum())
    if len(node) < FEW_LEAVES or min(of_first, len(node) - of_first) < FEW_OF_ONE:
        return
    side = 1.0 if share.max() > -share.min() else -1.0
    own = side * share
    near = int((own <= NEAR * own.max()).sum())
    cut = own.min() >= -1e-9 and own.max() >= WIDE
    if not cut or near < max(FEW_NEAR, SHARE_NEAR * len(own)):
        return
    if len(np.unique(np.round(own, 6))) < FEW_KINDS:
        return  # results of games, or means of few
    zero = int((own < 1e-9).sum())
    word = "bad" if side > 0 else "good"
    kinds = (
        f"{zero:,} are exactly the middle of the range" if zero > 1 else f"{near:,} lie next to it"
    )
    least, greatest = float(share.min()) + 0.0, float(share.max()) + 0.0  # no −0
    finding = found(
        "simulation-not-random", None, None,
        f"no evaluation is {word} for the player to move, at {len(own):,} leaves looked at: on a scale from −1, a "
        f"loss, to 1, a win, they lie from {least:.3g} to {greatest:.3g}, and {kinds}. So do values after a ReLU, "
        "max(0, v), or without their sign, |v|, and values from 0 to 1 beside results from −1 to 1",
        looked_at=len(own), least=least, greatest=greatest,
    )  # fmt: skip
    if search.players_known:
        yield finding.as_warning()
    else:  # nobody told of an opponent either
        yield finding.as_note(
            f"{finding.message}. Right where one player searches alone: players=('…',)"
        )
