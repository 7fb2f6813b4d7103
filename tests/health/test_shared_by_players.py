"""A cache of evaluations whose key leaves out the player to move, of a game that is told by texts."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Puct

CHECK = "simulation-shared-value"


class State(NamedTuple):
    heaps: tuple[int, ...]
    player: int


class Heaps:
    """One or two are taken from a heap; who takes the last one wins."""

    first = State((4, 5, 2), 0)

    def moves(self, state: State) -> list[int]:
        return [2 * i + k for i, n in enumerate(state.heaps) for k in (0, 1) if n > k]

    def play(self, state: State, move: int) -> State:
        heaps = list(state.heaps)
        heaps[move // 2] -= 1 + move % 2
        return State(tuple(heaps), 1 - state.player)

    def player(self, state: State) -> int:
        return state.player

    def outcome(self, state: State) -> float | None:
        return None if any(state.heaps) else 1.0 if state.player else -1.0


class Cached(Puct):
    """The mean of ten playouts, kept in a table. Values are those of player 0."""

    turned = False

    def __init__(self, rules: Any, seed: int) -> None:
        self.cache: dict[Any, float] = {}
        super().__init__(rules, seed)

    def key(self, state: State) -> Any:
        return state.heaps

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        if self.key(leaf.state) not in self.cache:
            self.cache[self.key(leaf.state)] = self.estimate(leaf)
        value = self.cache[self.key(leaf.state)]
        return -value if self.turned and leaf.player else value

    def estimate(self, leaf: Node) -> float:
        return sum(self.rollout(leaf.state) for _ in range(10)) / 10


class WholeKey(Cached):
    def key(self, state: State) -> Any:
        return state


class OfWhoMoves(Cached):
    """The value is that of who is to move, for whom the heaps are the same."""

    turned = True

    def estimate(self, leaf: Node) -> float:
        return super().estimate(leaf) * (-1 if leaf.player else 1)


class ScoreOfBoard(Cached):
    """An evaluation that does not depend on who is to move."""

    def estimate(self, leaf: Node) -> float:
        score = sum((2 + i) * n for i, n in enumerate(leaf.state.heaps))
        return float(score % 17 - 8) / 10


def found(kind: type[Cached]) -> list[mv.Finding]:
    search = kind(Heaps(), 1)
    with mv.record(
        root=search.root, children="children", visits="N", value="W", action="move", prior="P", to_move="player",
        players=("A", "B"), value_range=(-1, 1), outcome="outcome", state=lambda node: str(node.state.heaps),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 700):
            pass
    return [one for one in rec.trace.check() if one.check == CHECK]


def test_a_key_without_the_player_to_move_is_a_warning_where_games_end() -> None:
    (one,) = found(Cached)
    assert one.severity == "warning"
    assert "have the same text, ‘(" in one.message
    assert "in the view of A" in one.message
    assert "by a key that leaves out the player to move" in one.message
    assert "every move ends the game with the opposite of that number" in one.message


def test_a_score_of_the_board_alone_is_a_note() -> None:
    (one,) = found(ScoreOfBoard)
    assert one.severity == "note"
    assert "Right where the evaluation does not depend on who is to move" in one.message


@pytest.mark.parametrize("kind", [WholeKey, OfWhoMoves])
def test_evaluations_that_depend_on_the_player_to_move_are_right(kind: type[Cached]) -> None:
    assert found(kind) == []
