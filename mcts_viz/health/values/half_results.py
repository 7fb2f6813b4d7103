"""Whether a result is added to all nodes of its path, where values are one player's: a back-up that handles two cases
of four adds what this player wins where this player has moved, and takes off what it loses where the other one has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.finding import Finding
from mcts_viz.health.values.untold_range import FEW, NEARLY_ALL, TINY, values_of_both
from mcts_viz.trace.trace import Trace

FEW_RESULTS = 20  # of either kind


def check_half_results(trace: Trace) -> Iterator[Finding]:
    """A warning where of a node and the child that was taken one gets a value and the other one nothing, though both
    are told to have values of the same player, from as far below 0 as above it."""
    meta = trace.meta
    view = meta.watched.value_view
    if not meta.watched.of_one_player or meta.n_players != 2 or sum(meta.value_range) != 0:
        return
    updates, nodes = trace.columns.updates, trace.columns.nodes
    row, above, below = values_of_both(trace)
    upper = updates.node[row]
    movers = nodes.to_move[nodes.parent[upper]], nodes.to_move[upper]
    if len(row) < FEW or min(above.min(), below.min()) < -TINY or np.min(movers) < 0:
        return
    player = 0 if view == "player0" else int(nodes.to_move[0])
    mine, others = np.where(movers[0] == player, (above, below), (below, above)) > TINY
    won, lost = mine & ~others, others & ~mine
    if min(won.sum(), lost.sum()) < FEW_RESULTS:
        return
    steps = int((won | lost).sum())
    if steps < NEARLY_ALL * (mine | others).sum():
        return
    first = row[np.argmax(won | lost)]
    iteration = int(np.searchsorted(updates.offset, first, side="right"))
    own, other = (meta.player_names[each] for each in (player, 1 - player))
    yield found(
        "value-half-results", iteration, None,
        f"values are told to be those of {own} at all nodes (value_view={view!r}), so that a result adds the same to "
        f"each node of its path. Yet in {steps:,} of {len(row):,} steps from a node to its child one of the two gets a "
        f"value and the other one 0: what {own} wins is added at nodes that {own} moved into alone, and what {own} "
        f"loses is taken off at nodes that {other} moved into alone. So it is where the back-up handles two cases of "
        "four, and the other half of each path gets nothing: means of a node and of its children do not belong "
        "together, while siblings are still compared by the number of wins. Right where these are meant, those of "
        f"{other} with a minus",
        steps=steps, of=len(row),
    )  # fmt: skip
