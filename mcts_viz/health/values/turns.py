"""Whether the sign of what goes up turns from level to level, whoever moves."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import Occurrences
from mcts_viz.health.values.of_visits import NEARLY_ALL, VisitValues

FEW_STEPS = 3  # into which one player moved


class TurnsByLevel:
    """Steps from a node to its child at which the value is turned round: those where one player moved into both, where
    it has to stay, and those where two did; of values kept for who is to move, the same of who is to move at both.
    Values in the middle of the range say nothing."""

    def __init__(self, search: CheckedSearch) -> None:
        self.parent, self.slack, self.alone = search.parent, search.slack, search.alone
        self.depth = search.topology.depth
        is_kept_so = search.meta.watched.value_view == "to_move" and not search.alone
        self.to_move = search.to_move if is_kept_so else None
        self.both = 0.0 if search.alone else sum(search.value_range)
        # of one player results from 0 to 1 may be turned as −r or as 1 − r
        low, high = search.value_range
        self.in_range = _InRange(search) if search.alone and low != -high else None
        self.of_one = self.of_two = 0  # steps
        self.turned_of_one = Occurrences()
        self.turned_of_two = 0
        # all those of one player are from a child of the root to its child
        self.below_root_alone = True

    def look(self, part: IterationRange, values: VisitValues) -> None:
        below = np.flatnonzero(values.iteration[1:] == values.iteration[:-1])
        follows = self.parent[values.node[below + 1]] == values.node[below]
        upper, lower = (
            self._as_kept(values.where(rows)) for rows in (below[follows], below[follows] + 1)
        )
        says = np.abs(lower.value - self.both / 2) > self.slack
        same = says & (self.alone | (upper.player == lower.player))
        turned = np.abs(upper.value + lower.value - self.both) <= self.slack
        self.of_one += int(same.sum())
        self.below_root_alone &= not (same & (self.depth[upper.node] > 1)).any()
        self.of_two += int((says & ~same).sum())
        self.turned_of_one.add(same & turned, lower.iteration, lower.node)
        self.turned_of_two += int((says & ~same & turned).sum())
        if self.in_range is not None:
            self.in_range.look(upper, lower)

    def _as_kept(self, values: VisitValues) -> VisitValues:
        """The values in the view in which the search keeps them."""
        if self.to_move is None:
            return values
        told = self.to_move[values.node]
        player = np.where(told < 0, 1 - values.player, told)  # nobody where the game is over
        own = player == values.player
        return values._replace(
            player=player.astype(values.player.dtype),
            value=np.where(own, values.value, self.both - values.value),
        )

    @property
    def is_law(self) -> bool:
        """Whether it turns at nearly all steps of both kinds."""
        if self.in_range is not None and self.in_range.is_law:
            return True
        of_one = self.of_one >= FEW_STEPS and self.turned_of_one.times >= NEARLY_ALL * self.of_one
        return of_one and self.turned_of_two >= NEARLY_ALL * self.of_two

    def words(self) -> str:
        """What is to be said of it, where it is a law."""
        if self.alone:
            how = "−value"
            if self.in_range is not None and self.in_range.is_law:
                how = f"{self.in_range.both:g} − value"
            return (
                f"The sign turns from level to level, as in a back-up for two players ({how} for the node above), and "
                "here one player plays: at every other level the search prefers what is worst. What goes up has to "
                "stay as it is"
            )
        _, node, times = self.turned_of_one
        if self.below_root_alone:
            return (
                "The player to move at the root is told to be the one at its children, too, and nowhere else does one "
                f"move twice in a row; at all {self.of_one:,} steps there the value turns as if the other one had "
                "moved. So the root seems not to be the position that its children come from, as where a tree is kept "
                "and the opponent's move is not followed, or its player is told wrongly; or the sign is turned by "
                "level, where the first player moves again"
            )
        return (
            f"The sign is turned by level: at {times:,} of {self.of_one:,} steps at which the same player moves twice "
            f"in a row, too, as at node {node:,} and its parent, where it has to stay. Turn it where the player to "
            "move changes"
        )


class _InRange:
    """Steps of one player at which a value is turned to what it lacks to both ends of its range together."""

    def __init__(self, search: CheckedSearch) -> None:
        self.both, self.slack = sum(search.value_range), search.slack
        self.steps = self.turned = 0

    def look(self, upper: VisitValues, lower: VisitValues) -> None:
        says = np.abs(lower.value - self.both / 2) > self.slack
        self.steps += int(says.sum())
        turned = np.abs(upper.value + lower.value - self.both) <= self.slack
        self.turned += int((says & turned).sum())

    @property
    def is_law(self) -> bool:
        return self.steps >= FEW_STEPS and self.turned >= NEARLY_ALL * self.steps
