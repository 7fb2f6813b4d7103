"""Simulations near the end of a game are held against what can come of it."""

from collections.abc import Sequence
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.games import game
from mcts_viz.games.position import StartPosition
from mcts_viz.health.outcomes.exact import _Search
from tests.health.zoo import STARTS, Search
from tests.variants import few, in_turn

STARTS_NEAR_THE_END = {
    "tic_tac_toe": STARTS["tic_tac_toe"],
    "mnk:4,3,3": (0, 1, 2, 3, 5, 4),
}


def told(name: str, seed: int, outcome: Any, iterations: int = 300) -> list[str]:
    """Checks that complain of a search whose outcomes are told through `outcome`, and no rollouts."""
    return [one.check for one in told_findings(name, seed, outcome, iterations)]


def severity_of_impossible(outcome: Any) -> str:
    (one,) = (
        one
        for one in told_findings("tic_tac_toe", 1, outcome, 300)
        if one.check == "simulation-impossible"
    )
    return one.severity


def told_findings(name: str, seed: int, outcome: Any, iterations: int) -> list[mv.Finding]:
    start = STARTS_NEAR_THE_END[name]
    search = Search(game(name), None, seed, start)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        to_move="player", game=name, start=start, value_range=(0.0, 1.0),
    ) as rec:  # fmt: skip
        for _ in range(iterations):
            search.step()
            rec.iteration(outcome=outcome(search))
    return rec.trace.check()


@pytest.mark.parametrize(("name", "seed"), in_turn(STARTS_NEAR_THE_END, (1, 2, 3)))
def test_outcomes_that_no_play_leads_to_are_named(name: str, seed: int) -> None:
    assert "simulation-impossible" not in told(name, seed, lambda search: search.outcome)
    found = told(name, seed, lambda search: -search.outcome if search.rollout else search.outcome)
    assert "simulation-impossible" in found


@pytest.mark.parametrize(
    ("way", "name"),
    in_turn(
        [("random", 1), ("random", 4), ("decisive", 1)],
        ["tic_tac_toe", "connect_four", "mnk:4,4,3"],
    ),
)
@pytest.mark.parametrize("seeds", few([range(1), range(1, 5)]), ids=["few", "many"])
def test_correct_simulations_contradict_nothing(
    name: str, way: tuple[str, int], seeds: Sequence[int]
) -> None:
    simulation, n_rollouts = way
    for seed in seeds:
        trace = mv.search(
            name, iterations=300, seed=seed, simulation=simulation, n_rollouts=n_rollouts,
            compile=False
        )  # fmt: skip
        found = [finding.check for finding in trace.check()]
        assert "simulation-impossible" not in found
        assert "simulation-against-truth" not in found


def test_the_mean_of_several_games_is_an_outcome_only_where_there_are_several() -> None:
    trace = mv.search("tic_tac_toe", iterations=300, seed=0, n_rollouts=4, compile=False)
    policies = trace.meta["policies"]
    one = {**policies, "simulation": {**policies["simulation"], "rollouts": 1}}
    said = mv.Trace({**trace.meta, "policies": one}, trace.columns).check()
    assert "simulation-impossible" not in [finding.check for finding in trace.check()]
    assert "simulation-impossible" in [finding.check for finding in said]


def test_an_evaluation_that_is_clipped_to_a_result_is_but_a_note() -> None:
    """The means of a few games that are turned round are a warning."""

    def clipped(search: Any) -> float:
        own = -search.outcome if search.rollout else search.outcome
        known = own if not search.rollout or search.n % 7 == 0 else (search.n * 0.377) % 1 - 0.5
        return float(known)

    def mean(search: Any) -> float:
        own = -search.outcome / (1 + search.n % 5 // 4) if search.rollout else search.outcome
        return float(own)

    assert severity_of_impossible(clipped) == "note"
    assert severity_of_impossible(mean) == "warning"


def test_rollouts_that_play_for_the_loser_are_noted() -> None:
    """Whoever can force a win lets it slip: every result is possible, so it is but a note."""
    name, start = "tic_tac_toe", (0, 1)
    played = game(name)
    rules = StartPosition(played, start)
    search = Search(played, None, 1, start)
    known: dict[Any, Any] = {}

    def worst(search: Search) -> float:
        """The worst that is possible for the side that can win."""
        node, moves = search.root, []
        while node.children and search.leaf is not node:
            node = next(child for child in node.children if _above(search.leaf, child))
            moves.append(node.move)
        state = rules.state()
        for move in moves:
            state = rules.play(state, move)
        exact = _Search(rules, known, 100_000).exact(state)
        return -exact.forced if -exact.forced in exact.possible else search.outcome

    def _above(leaf: Any, node: Any) -> bool:
        while leaf is not None and leaf is not node:
            leaf = leaf.parent
        return leaf is node

    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        to_move="player", game=name, start=start, value_range=(0.0, 1.0),
    ) as rec:  # fmt: skip
        for _ in range(400):
            search.step()
            rec.iteration(outcome=worst(search))
    found = {finding.check: finding for finding in rec.trace.check()}
    assert found["simulation-against-truth"].severity == "note"
    assert found["simulation-against-truth"].evidence["lost"] > 25
    assert "simulation-impossible" not in found


@pytest.mark.parametrize(
    ("moves", "forced", "possible"),
    [
        ((0, 3, 1, 4), 1.0, {1.0, 0.0, -1.0}),  # X completes the row, or may forget to
        ((0, 1, 2, 4, 3, 5, 7, 6), 0.0, {0.0}),  # the last cell
    ],
)
def test_what_can_come_of_a_position(
    moves: tuple[int, ...], forced: float, possible: set[float]
) -> None:
    rules = StartPosition(game("tic_tac_toe"), moves)
    exact = _Search(rules, {}, 10_000).exact(rules.state())
    assert exact[:2] == (forced, possible)
