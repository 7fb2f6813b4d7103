"""The run of a search at a glance: how the root was judged, and which root move led when.

At most 2,000 points, each of them exact: the state after that iteration, never a mean over neighbours. They stand at
multiples of a power of two, so that those of a growing trace stay where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.history.lead import Lead
from mcts_viz.analysis.point_of_view import player_0_value, view_of_player_0
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import movers
from mcts_viz.views.tally import Tally, tally_kind
from mcts_viz.views.visible import NO_ITEM, items_of

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns


class Timeline(NamedTuple):
    """P points of a search."""

    iteration: npt.NDArray[np.int32]  # [P] rising, the first 0, the last the trace's last
    root_value: npt.NDArray[
        np.float64
    ]  # [P] mean value of the root, view of player 0; nan without visits
    leader: npt.NDArray[np.int32]  # [P] root child that the final-move rule would play, -1 for none
    view_text: str  # whose view `root_value` is


class RootReplay:
    """The root and its children through time: enough to say which move would be played at any iteration."""

    def __init__(
        self,
        columns: Columns,
        meta: TraceMeta,
        n_iterations: int,
        before: RootReplay | None = None,
    ) -> None:
        """`before`: those of fewer iterations of the same trace, from which these are gone on with."""
        n_nodes, tree = int(columns.node_count[n_iterations]), columns.tree
        if tree is None:
            self.children = np.flatnonzero(columns.nodes.parent[:n_nodes] == 0).astype(np.int32)
        else:
            self.children = tree.children(0, n_nodes)
        self._lead = Lead(columns, meta, self.children, 0, n_iterations)
        self._meta = meta
        self._root_mover = int(
            movers(columns.nodes.parent[:1], columns.nodes.to_move[:1], meta.n_players)[0]
        )
        nodes = np.concatenate([[0], self.children]).astype(np.int64)
        self._tally: Tally
        if tree is not None:
            items = items_of(n_nodes, nodes, np.arange(len(nodes), dtype=np.int32))
            self._tally = tally_kind(columns)(
                columns, items, len(nodes), n_iterations, every=1, tracked=nodes
            )
            return
        items = np.full(n_nodes, NO_ITEM, np.int32)
        items[nodes] = np.arange(len(nodes))
        if before is None:
            self._tally = Tally(columns, items, len(nodes), n_iterations, every=1, tracked=nodes)
        else:
            self._tally = before._tally.grown(items, len(nodes), n_iterations, nodes)

    def leaders(self, first: int, last: int) -> npt.NDArray[np.int32]:
        """[last - first + 1] node id of the root child that would be played after each iteration."""
        totals = self._tally.run(first, last)
        visits, value_sum = totals.visits, totals.value_sum
        return self._lead.nodes(visits[:, 1:], value_sum[:, 1:], np.arange(first, last + 1))

    def timeline(self) -> Timeline:
        """The whole search in at most 2,000 points."""
        iteration, totals = self._tally.keyframes, self._tally.at_keyframes()
        visits, value_sum = totals.visits, totals.value_sum
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(visits[:, 0] > 0, value_sum[:, 0] / visits[:, 0], np.nan)
        if not self._meta.policies.backpropagation.all_collect:
            mean[:] = np.nan  # the root collects visits alone
        return Timeline(
            iteration=iteration.astype(np.int32),
            root_value=player_0_value(mean, self._root_mover, self._meta),
            leader=self._lead.nodes(visits[:, 1:], value_sum[:, 1:], iteration),
            view_text="mean value of the root" + view_of_player_0(self._meta, self._root_mover),
        )
