"""Whether simulations end as games from the same positions can, and as the better side would have it.

Near the end of a game every way to play on is looked at, so that the results which a simulation may
have, and the one that both sides can force, are known exactly. A result that no play leads to is
suspicious whoever plays. That the side which has lost by the rules wins more often than the other is
but worth knowing, for random play owes nothing to perfect play: with w simulations won by the side
that can force it, and l by the other, it is reported where l − w > LIMIT · √(w + l). Were both as
likely, that would happen once in three million traces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.games.position import StartPosition
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.lattice import games_of_means
from mcts_viz.health.outcomes.replays import sample_where
from mcts_viz.health.outcomes.resimulation import of_one_game

MOST_LEAVES = 600
POSITIONS_OF_A_LEAF = 500  # looked at, at most
POSITIONS = 10_000  # of all leaves together
MOST_MOVES = 60  # from a leaf to the end
MOST_FAILURES = 8  # leaves that are too far from the end, before it is given up
FAR = 4  # moves to the end: a mistake in who has won shows at fewer, too
LIMIT = 5.0  # standard deviations
MOSTLY = 0.5  # of the outcomes


class PossibleOutcomes(NamedTuple):
    """What can come of a position; results are those of the rules, view of player 0."""

    forced: float  # when both sides play perfectly
    possible: frozenset[float]  # for either player
    latest: int = 0  # moves to the end, at most


class _SolvedSimulation(NamedTuple):
    """A simulation from a position that is known exactly."""

    iteration: int
    node: int
    outcome: float
    exact: PossibleOutcomes


class _TooMany(Exception):  # noqa: N818 (caught below, nobody sees it)
    """More positions than may be looked at."""


def check_exact_outcomes(search: CheckedSearch) -> Iterator[Finding]:
    """Findings where exact results contradict the outcomes of simulations."""
    simulation = search.meta.policies.simulation
    if search.rules is None or simulation.by_evaluator:
        return
    told = _solved_simulations(search, search.rules)
    # unless it is known to be one game's, an outcome may be the mean of several
    of_one_game = simulation.rollouts == 1
    bad = [
        one for one in told
        if not min(one.exact.possible) <= one.outcome <= max(one.exact.possible)
        or (of_one_game and one.outcome not in one.exact.possible)
    ]  # fmt: skip
    if bad:
        first = min(bad, key=lambda one: one.iteration)
        ways = ", ".join(f"{outcome:g}" for outcome in sorted(first.exact.possible))
        impossible = found(
            "simulation-impossible", first.iteration, first.node,
            f"the simulation of iteration {first.iteration:,} ends with {first.outcome:g}, and from "
            f"node {first.node:,} on a game can only end with {ways} (view of player 0); this holds for "
            f"{len(bad):,} of {len(told):,} simulations looked at",
            times=len(bad), looked_at=len(told),
        )  # fmt: skip
        middle = sum(search.meta.reward_range) / 2
        if all(one.outcome == middle and one.exact.latest >= FAR for one in bad):
            text = (
                f"{impossible.message}. All of them are draws, where a game may last {FAR} moves more: so it is "
                "where rollouts stop after some moves, and count as drawn then"
            )
            impossible = impossible.as_note(text)
        elif not of_one_game and _are_evaluations(search):
            text = (
                f"{impossible.message}. Most outcomes are no results of games, nor means of a few: right for "
                'evaluations, which policies={"simulation": {"name": "value"}} declares'
            )
            impossible = impossible.as_note(text)
        yield impossible
    elif not search.alone:
        yield from _against_truth(search, told)


def _are_evaluations(search: CheckedSearch) -> bool:
    """Whether the outcomes of leaves where the game goes on are mostly other numbers than games end with: a network's,
    which a clip may turn into a result now and then."""
    result = search.trace.columns.outcome
    some = sample_where(search, lambda rows: ~np.isnan(result[rows]), MOST_LEAVES)[1]
    at = [row for row in some if search.positions[int(search.leaf[row])].outcome is None]
    value = np.asarray(search.share(result[at].astype(np.float64), 0))
    fractions = ~np.isin(np.round(value, 6), (-1.0, 0.0, 1.0))
    return bool(fractions.sum() > MOSTLY * len(value)) and games_of_means(value) is None


def _against_truth(search: CheckedSearch, told: list[_SolvedSimulation]) -> Iterator[Finding]:
    """Of positions where both results are possible, and one side can force its own."""
    low, high = search.meta.reward_range
    open_ = [
        one for one in told
        if {low, high} <= one.exact.possible and one.exact.forced in (low, high)
    ]  # fmt: skip
    right = sum(one.outcome == one.exact.forced for one in open_)
    wrong = sum(one.outcome == low + high - one.exact.forced for one in open_)
    if wrong - right <= LIMIT * np.sqrt(wrong + right):
        return
    first = min(one.iteration for one in open_)
    names = " and ".join(player_name(search.meta, player) for player in (0, 1))
    yield found(
        "simulation-against-truth", first, None,
        f"from {len(open_):,} positions looked at, which {names} can win by force, {wrong:,} simulations "
        f"are won by the other side, and {right:,} by that side",
        looked_at=len(open_), won=right, lost=wrong,
    )  # fmt: skip


def _solved_simulations(search: CheckedSearch, rules: StartPosition) -> list[_SolvedSimulation]:
    """Of a sample of iterations, those from the deepest leaves first, as far as there is time."""
    iterations = [place + 1 for place in of_one_game(search, MOST_LEAVES)[1]]
    depth = search.topology.depth
    iterations.sort(key=lambda t: -int(depth[search.leaf[t - 1]]))
    known: dict[Any, PossibleOutcomes] = {}
    told, left, failures = [], POSITIONS, 0
    for t in iterations:
        node = int(search.leaf[t - 1])
        place = search.positions[node]
        if place.illegal is not None or place.outcome is not None:
            continue
        lookahead = _Search(rules, known, min(left, POSITIONS_OF_A_LEAF))
        try:
            exact = lookahead.exact(place.state)
            told.append(
                _SolvedSimulation(t, node, float(search.trace.columns.outcome[t - 1]), exact)
            )
        except _TooMany:
            failures += 1
        left -= lookahead.looked_at
        if left <= 0 or (failures >= MOST_FAILURES and not told):
            break
    return told


class _Search:
    """Every way to play on from a position, up to `most` positions that are not `known` yet."""

    def __init__(self, rules: StartPosition, known: dict[Any, PossibleOutcomes], most: int) -> None:
        self._rules, self._known, self._most = rules, known, most
        self.looked_at = 0

    def exact(self, state: Any, moves: int = 0) -> PossibleOutcomes:
        """The result of the state that many moves after the leaf; the state stays unchanged. Raises _TooMany."""
        key = tuple(state) if isinstance(state, list) else None
        if key in self._known:
            return self._known[key]
        self.looked_at += 1
        if self.looked_at > self._most or moves > MOST_MOVES:
            raise _TooMany
        rules = self._rules
        outcome = rules.outcome(state)
        if outcome is not None:
            exact = PossibleOutcomes(outcome, frozenset([outcome]))
        else:
            below = [
                self.exact(rules.play(rules.copy(state), action), moves + 1)
                for action in rules.legal_actions(state)
            ]
            best = max if rules.to_move(state) == 0 else min
            exact = PossibleOutcomes(
                best(each.forced for each in below),
                frozenset().union(*(each.possible for each in below)),
                1 + max(each.latest for each in below),
            )
        if key is not None:
            self._known[key] = exact
        return exact
