"""Lines that run out of steps, and count as success."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import AllChildren, Alone, Node, watched

LIMIT, GOAL = 4, 7


class Sums:
    """One player: adds 1, 2 or 3 to a number, four times at most, and shall reach 7."""

    name, start = "sums", list[int]()
    first: Any = (0, 0)

    def __init__(self, of_limit: float) -> None:
        self.of_limit = of_limit  # what a line is worth that runs out of steps

    def moves(self, state: Any) -> list[int]:
        if self.outcome(state) is not None:
            return []
        return [move for move in (1, 2, 3) if state[1] + move <= GOAL]

    def play(self, state: Any, move: int) -> Any:
        return state[0] + 1, state[1] + move

    def player(self, state: Any) -> int:
        return 0

    def outcome(self, state: Any) -> float | None:
        if state[1] == GOAL:
            return 1.0
        return self.of_limit if state[0] == LIMIT else None


class Judged(Alone, AllChildren):
    """What goes on is judged by how near it is."""

    def evaluate(self, leaf: Node) -> float:
        return leaf.outcome if leaf.outcome is not None else 0.1 * float(leaf.state[1])


class Played(Alone):
    """Rollouts are recorded; what is cut off after three moves counts as a success, or not."""

    of_cut = 1.0

    def rollout(self, state: Any) -> float:
        self.played = list[int]()
        while len(self.played) < 3:
            if (outcome := self.rules.outcome(state)) is not None:
                return float(outcome)
            self.played.append(self.random.choice(self.rules.moves(state)))
            state = self.rules.play(state, self.played[-1])
        return self.of_cut


class CutAsLost(Played):
    of_cut = 0.0


def limits(found: list[mv.Finding]) -> list[mv.Finding]:
    return [one for one in found if one.check == "simulation-limit"]


@pytest.mark.parametrize(("of_limit", "times"), [(1.0, 1), (0.0, 0)])
def test_a_limit_of_depth_that_counts_as_success_is_a_note(of_limit: float, times: int) -> None:
    trace = watched(Judged(Sums(of_limit), 1), 400, outcome="outcome")
    found = limits(list(trace.check()))
    assert [one.severity for one in found] == ["note"] * times
    for one in found:
        assert f"at depth {LIMIT}, the greatest" in one.message
        assert "running out of steps counts as success" in one.message


@pytest.mark.parametrize(("kind", "times"), [(Played, 1), (CutAsLost, 0)])
def test_a_rollout_that_is_cut_off_and_counts_as_success_is_a_note(
    kind: type[Played], times: int
) -> None:
    class Long(Sums):
        def moves(self, state: Any) -> list[int]:
            return [0, 1, 2, 3] if self.outcome(state) is None else []

        def outcome(self, state: Any) -> float | None:
            return 1.0 if state[1] == GOAL else 0.0 if state[1] > GOAL else None

    search = kind(Long(0.0), 1)
    with mv.record(
        root=search.root, children="children", visits="N", value="W", action="move",
        players=("walker",), value_range=(0.0, 1.0),
    ) as rec:  # fmt: skip
        for _ in range(300):
            search.played = []
            search.step()
            rec.iteration(rollout=search.played, outcome=search.outcome)
    found = limits(list(rec.trace.check()))
    assert [one.severity for one in found] == ["note"] * times
    assert all("cut off counts as success" in one.message for one in found)
