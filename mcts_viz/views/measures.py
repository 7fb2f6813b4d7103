"""What each colour of the tree measures at a snapshot, and the scales that a trace has for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from mcts_viz.analysis.point_of_view import Viewpoint, player_0_value
from mcts_viz.trace.players import movers, movers_into
from mcts_viz.types import Floats
from mcts_viz.views.colours import Scale, Seen, scales
from mcts_viz.views.node_numbers import NUMBER_MODES, number_names, number_scales
from mcts_viz.views.view_nodes import visible_in
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.views.visible import greatest
from mcts_viz.views.window import last_visits

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.snapshot import Snapshot


FITTED_TO = 300  # nodes, those with the most visits


def trace_scales(final: Snapshot) -> dict[str, Scale]:
    """The colour scales of a trace, from its last snapshot: the same whatever is in view."""
    tree = final.index
    if tree is None or not tree.counts_upwards:
        seen = greatest(final.visits, FITTED_TO).astype(np.int32)
    else:
        most = ViewSpec(budget=FITTED_TO)
        shown = visible_in(tree, len(final), lambda nodes: final.visits[nodes], most)
        nodes = shown.node[: shown.n_nodes]  # and further children of the root
        seen = nodes[greatest(final.visits[nodes], FITTED_TO)]
    visits = final.visits[seen]
    mean = final.mean_values(seen)
    mover = movers_into(seen, final.parent, final.to_move, final.meta.n_players)
    _, exploration, uct = final.scores(seen)
    own = scales(
        final.meta,
        Seen(
            n_iterations=final.iteration,
            root_visits=int(final.visits[0]),
            visits=visits,
            value=player_0_value(mean, mover, final.meta),
            uct=uct,
            exploration=exploration,
            prior=final.prior[seen],
            movers_known=bool((mover >= 0).any()),
        ),
    )
    return own | number_scales(final.numbers)


def _mean_value(columns: Columns, snapshot: Snapshot) -> Floats:
    mover = movers(snapshot.parent, snapshot.to_move, snapshot.meta.n_players)
    return player_0_value(snapshot.mean_value, mover, snapshot.meta)


def mean_in_view(snapshot: Snapshot, viewpoint: Viewpoint) -> Floats:
    """[N] mean values as the page has them in one view."""
    meta = snapshot.meta
    mover = movers(snapshot.parent, snapshot.to_move, meta.n_players)
    player = viewpoint.player
    if not meta.mirrors:
        if player is None or player >= meta.n_players or snapshot.player_sums is None:
            return snapshot.mean_value
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                snapshot.visits > 0, snapshot.player_sums[:, player] / snapshot.visits, np.nan
            )
    wanted = mover.copy() if player is None else np.where(mover >= 0, player, mover)
    if player is None and mover[0] >= 0:
        wanted[0] = 1 - mover[0]
    low, high = meta.value_range
    return np.where(wanted != mover, low + high - snapshot.mean_value, snapshot.mean_value)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _player(columns: Columns, snapshot: Snapshot) -> Floats:
    mover = movers(snapshot.parent, snapshot.to_move, snapshot.meta.n_players)
    return np.where(mover >= 0, mover, np.nan)


def _since_last_visit(columns: Columns, snapshot: Snapshot) -> Floats:
    last = last_visits(columns, snapshot.iteration)[: len(snapshot)]
    return np.where(snapshot.visits > 0, snapshot.iteration - last + 1.0, np.nan)


# mode -> [N] what it shows; the browser's copy is in assets/core/colours.js
MEASURES: dict[str, Callable[[Columns, Snapshot], Floats]] = {
    "mean_value": _mean_value,
    "visits": lambda columns, snapshot: np.where(snapshot.visits > 0, snapshot.visits, np.nan),
    "uct": lambda columns, snapshot: _finite(snapshot.uct),
    "exploration": lambda columns, snapshot: _finite(snapshot.exploration_term),
    "prior": lambda columns, snapshot: snapshot.prior.astype(np.float64),
    "player": _player,
    "last_visit": _since_last_visit,
}


def measured(mode: str, columns: Columns, snapshot: Snapshot) -> Floats:
    """[N] what a colour shows."""
    if mode in NUMBER_MODES:
        return snapshot.numbers[number_names(snapshot.numbers)[NUMBER_MODES.index(mode)]]
    return MEASURES[mode](columns, snapshot)
