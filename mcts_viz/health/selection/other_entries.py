"""What a search may compare by mistake where nodes have a value for each player: another player's entry than that of
the player who chooses.
"""

from __future__ import annotations

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.scores import QForm
from mcts_viz.trace.players import EVERYBODY
from mcts_viz.types import Ints


def other_entries(search: CheckedSearch, rows: ComparedChildren) -> list[QForm]:
    """The mistakes: one player's entry for all, and that of the player before or after the one who chooses."""
    if (
        search.to_move[rows.parent] == EVERYBODY
    ).any():  # no single player chooses among joint moves
        return []
    sums = search.player_sums_before(rows.node, rows.iteration[rows.of])
    n = search.meta.n_players
    at, known = np.arange(len(rows.node)), rows.chooser >= 0
    chooser = np.where(known, rows.chooser, 0)

    def form(words: str, entry: Ints | int, check: str) -> QForm:
        own = np.where(known, sums[at, np.asarray(entry)], rows.value_sum)
        return QForm(words, rows._replace(value_sum=own), check)

    several = len(np.unique(rows.chooser[known])) > 1
    found = [
        form(
            f"all players choose what is best for {player_name(search.meta, player)}",
            player,
            "selection-one-view",
        )
        for player in range(n if several else 0)
    ]
    ways = (("after", 1), ("before", -1))[: 1 if n == 2 else 2]
    found += [
        form(
            f"each player chooses what is best for the player {way} it",
            (chooser + step) % n, "selection-wrong-view",
        )
        for way, step in ways
    ]  # fmt: skip
    at_child = search.to_move[rows.node]
    own = np.where(at_child >= 0, at_child, chooser)
    if n > 2 and (own != (chooser + 1) % n).any():
        words = (
            "each child is compared by what it is worth to the player to move at it, as by "
            "child.values[child.player], and not to the player who chooses, node.player"
        )
        found.append(form(words, own, "selection-wrong-view"))
    before = np.where(at_child >= 0, (at_child - 1) % n, chooser)
    if n > 2 and (before != chooser).any():
        words = (
            "it is chosen for the player who sits before the one to move at the child, as by (child.player - 1) % n, "
            "which is not the one who chooses where a player is left out of the turn"
        )
        found.append(form(words, before, "selection-wrong-view"))
    return found
