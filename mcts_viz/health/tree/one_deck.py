"""Whether an opponent whose hand is not known is dealt cards that the searcher holds itself, where no rules are known.

That moves are cards shows in the tree: nobody makes a move twice on a path, and the player at the root never makes one
that it has not at the root. That the opponent's are hidden: it has more different ones than the root's player.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.trace.players import CHANCE

MOST_NODES, MOST_LOOKED_AT = 2_000_000, 3_000
FEW = 100  # nodes at which a player might have made a move again
FEW_CARDS = 3  # of the root's player
FEW_TWICE = 20  # moves that the other one has made before on the path


def check_one_deck(search: CheckedSearch) -> Iterator[Finding]:
    """A note where the opponents have all the cards of the player at the root, and more."""
    if search.rules is not None or search.meta.shared or search.meta.n_players < 2:
        return
    if search.N > MOST_NODES:
        return
    if (search.to_move[: search.N] == CHANCE).any():
        return
    hand = {int(a) for a in search.action[search.children(np.array([0]))]}
    mover, action = search.mover[1 : search.N], search.action[1 : search.N]
    own = mover == search.to_move[0]
    cards, others = set(np.unique(action[own]).tolist()), set(np.unique(action[~own]).tolist())
    if len(hand) < FEW_CARDS or cards != hand or not hand < others:
        return
    may_repeat = 0
    twice: list[int] = []
    for node in sample(range(1, search.N), MOST_LOOKED_AT):
        above = search.topology.path(node)[1:-1]
        same = search.mover[above] == search.mover[node]
        again = search.action[above] == search.action[node]
        if (same & again).any():
            return  # no card, which is played once
        may_repeat += bool(same.any())
        if again.any():
            twice.append(node)
    if may_repeat < FEW or len(twice) < FEW_TWICE:
        return
    node = twice[0]
    name = search.move_into(node)
    yield found(
        "expansion-illegal", int(search.born[node]), node,
        f"{name} into node {node:,} was played by the other side before, on the same path; so it is at {len(twice):,} "
        f"nodes of those looked at, though nobody makes a move of its own twice. All {len(hand)} moves of the player "
        f"at the root are among the {len(others)} of the other side as well: if moves are cards of one deck, the deal "
        "gives the opponent cards that the searcher holds or has played: its own hand has to be taken out of what is "
        "dealt. Right where each side has cards of its own, or each card is there several times",
        nodes=len(twice),
    ).as_note()  # fmt: skip
