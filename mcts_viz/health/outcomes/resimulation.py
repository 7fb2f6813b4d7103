"""Whether simulations end as random play from the same positions does: a statistical test.

From each leaf of a sample, PLAYOUTS games are played at random. With p the share of them that end in
some way (player 0 wins, a draw, player 1 wins), the number of the recorded simulations that end so is
expected to be the sum of p, with a variance of p (1 − p) (1 + 1/PLAYOUTS) for each. What is more than
LIMIT standard deviations from there is reported: with three ways to end, random play is so with a
chance of less than 1 in 500,000. Playing at random is the rule of no law, so this is but a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.games.position import StartPosition
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.playouts import Playouts
from mcts_viz.health.outcomes.replays import sample_where
from mcts_viz.types import Bools, Floats

MOST_LEAVES = 300
FEW_LEAVES = 60  # too few to say anything
PLAYOUTS = 4  # from each; twice as many narrow the test by 5 %, and take most of a check's time
LIMIT = 5.0  # standard deviations
NEARLY_ALL = 0.98  # share of simulations
MIXED = 0.01  # outcomes that are no game's result, for each that is one
OFTEN = 0.6  # share of playouts
SEED = 1  # the same trace has the same findings


class Ends(NamedTuple):
    """How simulations ended, and how often they would at random; columns: player 0 wins, a draw,
    player 1 wins."""

    recorded: Floats  # [L, 3] 1 for the end that was recorded
    share: Floats  # [L, 3] of random playouts from the same leaf
    first: int  # iteration of the first leaf


def check_outcomes(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where the outcomes of simulations are not those of random play."""
    if search.rules is None or search.meta.policies.simulation.by_evaluator:
        return
    ends = _ends(search, search.rules)
    if ends is None:
        return
    variance = (ends.share * (1 - ends.share)).sum(axis=0) * PLAYOUTS / (PLAYOUTS - 1)
    # an end that no playout has met may still come: never less than one simulation's worth
    deviation = np.sqrt(variance * (1 + 1 / PLAYOUTS) + 1.0)
    expected, recorded = ends.share.sum(axis=0), ends.recorded.sum(axis=0)
    scores = (recorded - expected) / deviation
    worst = int(np.abs(scores).argmax())
    if abs(scores[worst]) <= LIMIT:
        return
    names = [player_name(search.meta, player) for player in (0, 1)]
    end = (f"wins of {names[0]}", "draws", f"wins of {names[1]}")[worst]
    always = _always(ends, worst)
    cut = (
        ". Simulations that are cut short and then count as draws end so; good play does in games that end in draws"
        if worst == 1 and scores[1] > 0 and not always
        else ""
    )
    finding = found(
        "simulation-not-random", ends.first, None,
        f"{recorded[worst]:,.0f} of {len(ends.share):,} simulations looked at are {end}, and "
        f"{expected[worst]:,.1f} would be in random play from the same positions: "
        f"{abs(scores[worst]):.1f} standard deviations apart{always}{cut}",
        looked_at=len(ends.share), recorded=int(recorded[worst]), expected=float(expected[worst]),
        deviations=float(scores[worst]),
    )  # fmt: skip
    yield finding.as_warning() if always else finding


def _always(ends: Ends, end: int) -> str:
    """In words that nearly all simulations end in a way that random play does not end in so often;
    empty where they do not."""
    if ends.recorded[:, end].mean() < NEARLY_ALL or ends.share[:, end].mean() > OFTEN:
        return ""
    return ". The outcome does not depend on the position: perhaps simulations that are cut short count so"


def of_one_game(search: CheckedSearch, at_most: int) -> tuple[int, list[int]]:
    """How many iterations have the result of one game, from a leaf where it goes on; and some of them, counted from
    0 and evenly spread."""

    def is_plain(rows: slice) -> Bools:
        end = search.share(search.trace.columns.outcome[rows].astype(np.float64), 0)
        goes_on = np.isnan(search.outcome[search.leaf[rows]])
        return np.asarray(np.isin(end, (-1.0, 0.0, 1.0)) & goes_on)

    return sample_where(search, is_plain, at_most)


def _ends(search: CheckedSearch, rules: StartPosition) -> Ends | None:
    """Of a sample of iterations whose outcome is the result of one game from a leaf where it goes
    on."""
    result = search.trace.columns.outcome
    n_plain, plain = of_one_game(search, MOST_LEAVES)
    told = over = 0
    for rows in search.blocks(search.base, search.T):
        told += int((~np.isnan(result[rows])).sum())
        over += int((~np.isnan(search.outcome[search.leaf[rows]])).sum())
    if told - over - n_plain > MIXED * n_plain:
        return None  # means of several games, or evaluations: those that look like a result are no sample
    iterations = [place + 1 for place in plain]
    games = Playouts(search, SEED)
    recorded, share, first = [], [], 0
    for t in iterations:
        place = search.positions[int(search.leaf[t - 1])]
        if place.illegal is not None or place.outcome is not None:
            continue
        playouts = games.ends(place.state, PLAYOUTS)
        if playouts is None:
            return None
        first = first or t
        end = float(search.share(float(result[t - 1]), 0))
        recorded.append([float(end == each) for each in (1.0, 0.0, -1.0)])
        share.append([float((playouts == each).mean()) for each in (1.0, 0.0, -1.0)])
    if len(share) < FEW_LEAVES:
        return None
    return Ends(np.array(recorded), np.array(share), first)
