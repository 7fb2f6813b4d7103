"""Finished games whose first visit adds something else than all later ones."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import (
    PRIORS,
    START,
    Alone,
    ByPosition,
    Node,
    Puct,
    Rules,
    Search,
    SecondVisit,
    Solver,
    Walk,
    watched,
)
from tests.variants import each, few

UNTOLD: dict[str, Any] = {"game": None, "start": None}


class FromParent(Search):
    """After a node is made, the rollout still starts from the state of its parent."""

    def evaluate(self, leaf: Node) -> float:
        state = leaf.state if leaf.N or leaf.parent is None else leaf.parent.state
        return self.rollout(state)


class AloneFromParent(Alone):
    def evaluate(self, leaf: Node) -> float:
        return self.rollout(leaf.state if leaf.N or leaf.parent is None else leaf.parent.state)


class Evaluated(Puct):
    """A network; whether the game is over is asked when a node is come to again, or at once."""

    at_once = False

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None and (leaf.N or self.at_once):
            return leaf.outcome
        return math.tanh(math.sin(sum((i + 1) * int(x) for i, x in enumerate(leaf.state))))


class EvaluatedAtOnce(Evaluated):
    at_once = True


class ShortDepth(Search):
    """No node is made deeper than three moves; its visits are simulations of their own."""

    depth = 3

    def grow(self, node: Node) -> Node | None:
        above, depth = node, 0
        while above.parent is not None:
            above, depth = above.parent, depth + 1
        return super().grow(node) if depth < self.depth else None


class ShortDepthSure(ShortDepth):
    """Hardly explores: it comes back to what began well."""

    c = 0.1


class MostlyLost(ShortDepthSure):
    """One simulation in thirty is won by whoever moved to the leaf."""

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None or leaf.parent is None:
            return super().evaluate(leaf)
        won = self.random.random() < 1 / 30
        return 1.0 if won == (leaf.parent.player == 0) else -1.0


class MostlyWon(MostlyLost):
    def evaluate(self, leaf: Node) -> float:
        return -super().evaluate(leaf) if leaf.outcome is None else leaf.outcome


def found(search: Search, iterations: int = 1_200, **told: Any) -> dict[str, mv.Finding]:
    return {one.check: one for one in watched(search, iterations, **told).check()}


@pytest.mark.parametrize("game", few(START))
def test_rollouts_that_start_from_the_parent_show_at_ends(game: str) -> None:
    findings = found(FromParent(Rules(game, START[game]), 1), **UNTOLD)
    one = findings["simulation-from-parent"]
    assert one.severity == "warning"
    assert "at its first visit" in one.message
    assert "state of the parent" in one.message


@pytest.mark.parametrize("seed", few([3, 5]))
def test_a_few_ends_that_are_worse_at_first_are_a_note(seed: int) -> None:
    """No search comes back to a node because its first visit was worse than all others."""
    one = found(FromParent(Rules("tic_tac_toe", [0, 4]), seed), 400, **UNTOLD)[
        "simulation-from-parent"
    ]
    assert one.severity == "note"
    assert one.evidence["times"] < 5
    assert "does not depend on its move" in one.message
    right = found(Search(Rules("tic_tac_toe", [0, 4]), seed), 400, **UNTOLD)
    assert "simulation-from-parent" not in right


class ShortWalk(Walk):
    def moves(self, state: Any) -> list[int]:
        return [0, 1, 2] if state[0] < 4 else []

    def outcome(self, state: Any) -> float | None:
        return None if state[0] < 4 else ((state[1] * 37) % 19) / 18


def test_so_they_do_of_one_player() -> None:
    findings = found(AloneFromParent(ShortWalk(), 1))
    assert findings["simulation-from-parent"].severity == "warning"
    assert "simulation-from-parent" not in found(Alone(ShortWalk(), 1))


@pytest.mark.parametrize("game", few(START))
def test_ends_that_are_evaluated_at_first_are_named(game: str) -> None:
    findings = found(Evaluated(Rules(game, START[game]), 1), **UNTOLD, **PRIORS)
    one = findings["simulation-terminal"]
    assert one.severity == "warning"
    assert "before anybody asks whether the game is over" in one.message
    right = found(EvaluatedAtOnce(Rules(game, START[game]), 1), **UNTOLD, **PRIORS)
    assert not {"simulation-terminal", "simulation-from-parent"} & right.keys()


@pytest.mark.parametrize(
    "kind",
    each(
        2,
        [
            Search,
            ByPosition,
            SecondVisit,
            Solver,
            ShortDepth,
            ShortDepthSure,
            MostlyLost,
            MostlyWon,
        ],
    ),
)
@pytest.mark.parametrize("game", few(START))
@pytest.mark.parametrize("seed", few([1, 2]))
def test_nothing_is_said_of_other_searches(kind: type[Search], game: str, seed: int) -> None:
    findings = found(kind(Rules(game, START[game]), seed), **UNTOLD)
    assert not {"simulation-terminal", "simulation-from-parent"} & findings.keys()
