"""Whether simulations of several rollouts each end as random play from the same positions does: their means are
tested as means.

From each leaf of a sample, PLAYOUTS games are played at random. The sum of the differences between the mean that was
recorded and that of the playouts has the expectation 0 where rollouts are random, and with v the variance of one game
and r rollouts a variance of v (1/r + 1/PLAYOUTS) for each leaf.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.playouts import Playouts
from mcts_viz.health.outcomes.replays import sample_where
from mcts_viz.types import Bools, Floats

MOST_LEAVES = 200
FEW_LEAVES = 60  # too few to say anything
PLAYOUTS = 4  # from each
LIMIT = 5.0  # standard deviations
SEED = 2  # the same trace has the same findings; not the playouts of single games
LATTICE = 1e-4  # up to which a mean is one of whole results


def check_mean_outcomes(search: CheckedSearch) -> Iterator[Finding]:
    """A note where the means of several rollouts are not those of random play."""
    simulation = search.meta.policies.simulation
    n_rollouts = simulation.rollouts or 1
    if search.rules is None or simulation.by_evaluator or n_rollouts < 2:
        return
    told = _means(search, n_rollouts)
    if told is None:
        return
    recorded, expected, variance, first = told
    difference = recorded - expected
    deviation = np.sqrt(np.sum(variance * (1 / n_rollouts + 1 / PLAYOUTS)) + 1.0)
    score = float(difference.sum() / deviation)
    if abs(score) <= LIMIT:
        return
    flipped = abs(float((-recorded - expected).sum() / deviation)) <= LIMIT
    words = ", as it would be with the sign turned round" if flipped else ""
    yield found(
        "simulation-not-random", first, None,
        f"the mean of {n_rollouts:,} rollouts a leaf is {recorded.mean():.3f} over {len(recorded):,} leaves looked at "
        f"(view of {player_name(search.meta, 0)}, 1 a win, -1 a loss), and {expected.mean():.3f} in random play from "
        f"the same positions: {abs(score):.1f} standard deviations apart{words}",
        looked_at=len(recorded), recorded=float(recorded.mean()), expected=float(expected.mean()),
        deviations=score,
    )  # fmt: skip


def _means(search: CheckedSearch, n_rollouts: int) -> tuple[Floats, Floats, Floats, int] | None:
    """Of a sample of leaves where the game goes on: the mean recorded, that of playouts, the variance of one game; all
    as shares of player 0. None where they are no means of whole results, or too few. Then the first iteration."""
    result = search.trace.columns.outcome

    def is_known(rows: slice) -> Bools:
        return np.asarray(~np.isnan(result[rows]) & np.isnan(search.outcome[search.leaf[rows]]))

    def shares(rows: slice) -> Floats:
        return np.asarray(search.share(result[rows].astype(np.float64), 0))

    for block in search.blocks(search.base, search.T):
        times = shares(block)[is_known(block)] * n_rollouts
        if np.abs(times - np.round(times)).max(initial=0.0) > LATTICE * n_rollouts:
            return None  # evaluations
    games, first = Playouts(search, SEED), 0
    rows: list[tuple[float, float, float]] = []
    for row in sample_where(search, is_known, MOST_LEAVES)[1]:
        place = search.positions[int(search.leaf[row])]
        if place.illegal is not None or place.outcome is not None:
            continue
        results = games.ends(place.state, PLAYOUTS)
        if results is None:
            return None
        first = first or row + 1
        rows.append(
            (
                float(shares(slice(row, row + 1))[0]),
                float(np.mean(results)),
                float(np.var(results, ddof=1)),
            )
        )
    if len(rows) < FEW_LEAVES:
        return None
    recorded, expected, variance = np.array(rows).T
    return recorded, expected, variance, first
