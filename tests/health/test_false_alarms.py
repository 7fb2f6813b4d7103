"""Correct searches that checks have taken for faulty ones: best values kept near the end, widening of few nodes,
evaluations that are clipped, and rollouts that are told to be legal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.games import game
from tests.health import zoo
from tests.health.unusual import Minimax, Node, Rules, Search, watched


def found(search: Search, iterations: int = 400, **told: Any) -> dict[str, Any]:
    return {one.check: one for one in watched(search, iterations, **told).check()}


def serious(findings: dict[str, Any]) -> list[str]:
    return [check for check, one in findings.items() if one.severity != "note"]


class OfMeans(Minimax):
    """The value is kept as a mean of its own, so that one of a thousand visits may change it from a loss to a win."""

    @property
    def kept(self) -> dict[str, Any]:
        return {"value": "Q", "value_kind": "mean"}


class DrawnEnds(Search):
    def evaluate(self, leaf: Node) -> float:
        return 0.0 if leaf.outcome is not None else super().evaluate(leaf)


NEAR_THE_END = [[2, 5, 0, 8, 4, 7], [8, 4, 7, 3, 2], [7, 0, 1, 8], [2, 1, 5, 3]]


@pytest.mark.parametrize("start", NEAR_THE_END)
@pytest.mark.parametrize("declared", [{}, {"backup": "minimax"}])
def test_finished_games_below_best_values_are_no_draws(
    start: list[int], declared: dict[str, Any]
) -> None:
    search = OfMeans(Rules("tic_tac_toe", start), 3)
    assert serious(found(search, **search.kept, **declared)) == []


@pytest.mark.parametrize("start", NEAR_THE_END[2:])
def test_finished_games_that_are_draws_are_named(start: list[int]) -> None:
    said = found(DrawnEnds(Rules("tic_tac_toe", start), 3))["simulation-terminal"]
    assert said.severity == "error"
    assert "finished games count as draws" in said.message


class Widening(Search):
    """At most 1.5 (N + 1)^0.4 children."""

    def grow(self, node: Node) -> Node | None:
        if len(node.children) > 1.5 * (node.N + 1) ** 0.4:
            return None
        return super().grow(node)


class NowAndThen(Search):
    """Chooses among some children, at random."""

    def grow(self, node: Node) -> Node | None:
        if node.children and self.random.random() < 0.3:
            return None
        return super().grow(node)


@pytest.mark.parametrize("start", [[0, 7, 5, 4, 1], [2, 1, 4, 8, 3], [6, 0, 7, 1, 3]])
def test_widening_of_a_single_node_is_a_note(start: list[int]) -> None:
    rules = Rules("tic_tac_toe", start)
    said = found(Widening(rules, 1), 200)
    assert serious(said) == []
    assert "so does progressive widening" in said["selection-untried"].message
    assert found(NowAndThen(rules, 2), 200)["selection-untried"].severity == "warning"


class InTheMiddle(zoo.Search):
    """Every second move of a rollout is the middle one, which is good for whoever does not begin."""

    def play_on(self, node: zoo.Node) -> tuple[float, list[int]]:
        state, moves = list(node.state), list[int]()
        while legal := self.game.legal(state):
            middle = len(moves) % 2 == 1
            moves.append(legal[len(legal) // 2] if middle else self.random.choice(legal))
            self.game.rules.play(state, moves[-1])
        return float(self.game.rules.outcome(state)), moves


def of_told_rollouts(kind: type[zoo.Search], start: Sequence[int] = ()) -> dict[str, mv.Finding]:
    search = kind(game("connect_four"), seed=1, start=start)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        to_move="player", game="connect_four", value_range=(0.0, 1.0),
    ) as rec:  # fmt: skip
        for _ in range(300):
            search.step()
            rec.iteration(outcome=search.outcome, rollout=search.rollout)
    return {one.check: one for one in rec.trace.check()}


def test_legal_rollouts_that_are_told_are_begun_by_whoever_is_to_move() -> None:
    said = of_told_rollouts(InTheMiddle)
    assert serious(said) == []
    assert "`legal[len(legal) // 2]`, is played" in said["simulation-not-random"].message
    assert "simulation-not-random" not in of_told_rollouts(zoo.Search)
