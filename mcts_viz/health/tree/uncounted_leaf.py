"""New nodes without a visit in the iteration that makes them: a back-up that begins at their parents, or visits that
count what was made below a node."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import Occurrences

FEW = 10  # iterations, too few for a finding
FEW_ALIKE = 0.5  # share of the first visits; where values are means of results, it is all of them


class UncountedLeaf:
    """A search that makes one node an iteration evaluates that node."""

    def __init__(self, search: CheckedSearch) -> None:
        self._search = search
        most, n = 0, 0
        for rows in search.blocks(search.base, search.T):
            new = search.new_nodes(rows)
            most, n = max(most, int(new.max())), n + int(new.sum())
        self._due = most == 1 and n >= FEW
        # an agent whose nodes keep a value of their own may have it without a visit
        own = search.meta.watched.value_kind == "mean" and search.alone and search.rules is None
        self._may_count_below = own and not search.has_rewards
        self._seen = Occurrences()
        self._first = self._alike = (
            0  # first visits, and those that are worth what the node above gets
        )

    def look(self, part: IterationRange) -> None:
        """Of one range of iterations."""
        if not self._due:
            return
        iteration = np.arange(part.first, part.last + 1)
        new = part.node_count(iteration + 1) > part.node_count(iteration)
        iteration = iteration[new]
        node = part.node_count(iteration)
        visits = part.before(node, iteration + 1).visits
        self._due = not visits.any()
        self._seen.add(visits == 0, iteration, node)
        if self._due and self._may_count_below:
            self._look_at_first_visits(part)

    def _look_at_first_visits(self, part: IterationRange) -> None:
        steps = part.steps
        before = part.before_steps().visits
        first = (steps.visits > 0) & (before == 0)
        row = np.flatnonzero(first[1:]) + 1
        above = row - 1
        # a root may keep no value; and a value of one visit, moved halfway, seems to get what the child got
        row = row[(steps.node[above] > 0) & (steps.visits[above] > 0) & (before[above] > 1)]
        apart = np.abs(steps.value[row] - steps.value[row - 1])
        self._first += len(row)
        self._alike += int((apart <= self._search.slack).sum())

    def findings(self) -> Iterator[Finding]:
        """An error; a note where visits may count what was made below."""
        if not self._due:
            return
        t, node, times = self._seen
        one = found(
            "visits-leaf", t, node,
            f"none of the {times:,} new nodes is counted in the iteration that makes it: "
            "backpropagation begins at its parent",
            nodes=times,
        )  # fmt: skip
        yield self._of_visits_below(one) if self._counts_below else one

    @property
    def _counts_below(self) -> bool:
        """Whether the first visit of a node shows a value that the node above did not get: one of its own, which it had
        before, as the score of an answer."""
        known = self._may_count_below and self._first >= FEW
        return known and self._alike <= FEW_ALIKE * self._first

    def _of_visits_below(self, one: Finding) -> Finding:
        n = self._first - self._alike
        return one.as_note(
            f"{one.message}. Right where visits count what was made below a node, as refinements of an answer (MCTSr), "
            f"and a new node has a value without one: at {n:,} of {self._first:,} first visits the value is not what "
            "the node above gets"
        )
