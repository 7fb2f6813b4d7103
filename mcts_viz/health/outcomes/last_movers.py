"""Whether games of three players or more are decided for one who did not make the last move, whoever did: so it looks
where each node has the result of another player, as of the one who is to move there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.outcomes.untold_ends import MOST_NODES, LeafValues, seem_over
from mcts_viz.health.values.of_visits import VisitValues, show
from mcts_viz.types import Bools, Ints

FEW_ENDS = 8  # finished games in which one player alone gets something else than the others
FEW_OF_ONE = 3  # of these, after moves of two players: else that one is the same always
MOSTLY = 0.5  # share of all ends


def check_last_movers(search: CheckedSearch) -> Iterator[Finding]:
    """A note of games of three or more, where neither rules nor outcomes tell what each player gets."""
    told = search.rules is not None or search.trace.columns.player_outcomes.recorded
    n = search.meta.n_players
    if told or n < 3 or search.N > MOST_NODES or not search.players_known:
        return
    over = seem_over(search, LeafValues(search))
    over &= search.mover >= 0
    if search.ended.any():
        over &= search.ended
    ends = _Ends(search, np.flatnonzero(over))
    if len(ends.node) < FEW_ENDS:
        return
    show(search, [ends])
    odd = ends.odd()
    decided = odd >= 0
    movers = np.bincount(search.mover[ends.node[decided]], minlength=n)
    behind = np.unique((search.mover[ends.node] - odd)[decided] % n)  # of the last mover
    if decided.sum() < max(FEW_ENDS, MOSTLY * len(odd)) or np.sort(movers)[-2] < FEW_OF_ONE:
        return
    if len(behind) > 1 or behind[0] == 0:
        return
    at = int(np.flatnonzero(decided)[0])
    node, player = int(ends.node[at]), int(odd[at])
    own, others = ends.value[at, player], ends.value[at, player - 1]
    who, so = _who(int(behind[0]), n), _so(int(behind[0]), n)
    yield found(
        "value-wrong-player", int(search.born[node]), node,
        f"where games seem to end, and one player gets something else than the others, that is {who} ({own:g}), at all "
        f"{int(decided.sum()):,} such nodes; the one who made the last move gets {others:g}, as all others do. In most "
        f"games the last move is decisive for who makes it. {so}",
        ends=int(decided.sum()), behind=int(behind[0]),
    ).as_note()  # fmt: skip


def _who(behind: int, n: int) -> str:
    """The player who moved so many moves before the last one."""
    if behind == 1:
        return "the player before the one who made the last move"
    later, earlier = (
        "the player who would be next",
        f"the player {behind} moves before the last one",
    )
    return later if behind == n - 1 else earlier


def _so(behind: int, n: int) -> str:
    """What may be wrong."""
    if behind == 1:
        return (
            "So nodes seem to have the result of the player to move there, not of the one who moved there, and players "
            "choose what is good for the next one: returns[node.to_move] in place of returns[node.parent.to_move]. "
            "Right if the rules say so"
        )
    right = "where a player loses who cannot move" if behind == n - 1 else "if the rules say so"
    return (
        "So nodes seem to have the result of another player than the one who moved there, as where an index is off by "
        f"one. Right {right}"
    )


class _Ends:
    """[E] nodes where games end, and what each player gets there."""

    def __init__(self, search: CheckedSearch, node: Ints) -> None:
        self.search, self.node = search, node
        self.value = np.full((len(node), search.meta.n_players), np.nan)  # [E, P]
        self._of = np.full(search.N, -1)  # node → E
        self._of[node] = np.arange(len(node))

    def look(self, part: IterationRange, values: VisitValues) -> None:
        """The nodes of a path to an end have the results of those who moved into them."""
        leaf = self._of[self.search.leaf[values.iteration - 1]]
        use = (leaf >= 0) & (values.player >= 0)
        self.value[leaf[use], values.player[use]] = values.value[use]

    def odd(self) -> Ints:
        """[E] the player who gets something else than all others, which get the same; −1 where there is none, or where
        it is not known of all."""
        others = np.stack([np.delete(self.value, p, axis=1) for p in range(self.value.shape[1])])
        alike: Bools = np.ptp(others, axis=2) <= self.search.slack  # [P, E]
        own: Bools = np.abs(self.value.T - others[:, :, 0]) > self.search.slack
        odd = alike & own
        return np.where(odd.sum(axis=0) == 1, np.argmax(odd, axis=0), -1)
