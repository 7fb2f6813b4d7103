"""Whether simulations end as random play from the same positions does: a statistical test.

From each leaf of a sample, PLAYOUTS games are played at random. With p the share of them that end in
some way (player 0 wins, a draw, player 1 wins), the number of the recorded simulations that end so is
expected to be the sum of p, with a variance of p (1 − p) (1 + 1/PLAYOUTS) for each. What is more than
LIMIT standard deviations from there is reported: with three ways to end, random play is so with a
chance of less than 1 in 500,000. Playing at random is the rule of no law, so this is but a note.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.referee import Referee
from mcts_viz.analysis.health.replays import position, sample
from mcts_viz.analysis.health.stretch import Floats, Ints
from mcts_viz.analysis.point_of_view import player_name

MOST_LEAVES = 300
FEW_LEAVES = 60  # too few to say anything
PLAYOUTS = 4  # from each; twice as many narrow the test by 5 %, and take most of a check's time
LONGEST = 2_000  # moves of a playout
LIMIT = 5.0  # standard deviations
SEED = 1  # the same trace has the same findings


class Ends(NamedTuple):
    """How simulations ended, and how often they would at random; columns: player 0 wins, a draw,
    player 1 wins."""

    recorded: Floats  # [L, 3] 1 for the end that was recorded
    share: Floats  # [L, 3] of random playouts from the same leaf
    first: int  # iteration of the first leaf


def check_outcomes(course: Course) -> Iterator[Finding]:
    """A finding where the outcomes of simulations are not those of random play."""
    simulation = course.policy("simulation")
    if course.referee is None or simulation.get("name") == "value":
        return
    ends = _ends(course, course.referee)
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
    names = [player_name(course.meta, player) for player in (0, 1)]
    end = (f"wins of {names[0]}", "draws", f"wins of {names[1]}")[worst]
    yield found(
        "simulation-not-random", ends.first, None,
        f"{recorded[worst]:,.0f} of {len(ends.share):,} simulations looked at are {end}, and "
        f"{expected[worst]:,.1f} would be in random play from the same positions: "
        f"{abs(scores[worst]):.1f} standard deviations apart",
        looked_at=len(ends.share), recorded=int(recorded[worst]), expected=float(expected[worst]),
        deviations=float(scores[worst]),
    )  # fmt: skip


def of_one_game(course: Course) -> Ints:
    """Iterations, counted from 0, whose outcome is the result of one game, from a leaf where it goes
    on."""
    plain = np.zeros(course.T, np.bool_)
    for rows in course.blocks(course.base, course.T):
        end = course.share(course.trace.columns.result[rows].astype(np.float64), 0)
        goes_on = np.isnan(course.outcome[course.leaf[rows]])
        plain[rows] = np.isin(end, (-1.0, 0.0, 1.0)) & goes_on
    return np.flatnonzero(plain)


def _ends(course: Course, referee: Referee) -> Ends | None:
    """Of a sample of iterations whose outcome is the result of one game from a leaf where it goes
    on."""
    result = course.trace.columns.result
    iterations = [place + 1 for place in sample(of_one_game(course), MOST_LEAVES)]
    draw = random.Random(SEED)
    recorded, share, first = [], [], 0
    for t in iterations:
        place, state = position(course, referee, int(course.leaf[t - 1]))
        if place.illegal is not None or place.outcome is not None:
            continue
        playouts = [_playout(course, referee, state, draw) for _ in range(PLAYOUTS)]
        if None in playouts:
            return None
        first = first or t
        end = float(course.share(float(result[t - 1]), 0))
        recorded.append([float(end == each) for each in (1.0, 0.0, -1.0)])
        share.append([playouts.count(each) / PLAYOUTS for each in (1.0, 0.0, -1.0)])
    if len(share) < FEW_LEAVES:
        return None
    return Ends(np.array(recorded), np.array(share), first)


def _playout(course: Course, referee: Referee, leaf: Any, draw: random.Random) -> float | None:
    """Result of a random game, as `Course.share` of player 0; None for one that is too long."""
    state = referee.copy(leaf)
    for _ in range(LONGEST):
        legal = referee.legal_actions(state)
        if not legal:
            outcome = referee.outcome(state)
            return None if outcome is None else float(course.share(outcome, 0))
        state = referee.play(state, legal[int(draw.random() * len(legal))])
    return None
