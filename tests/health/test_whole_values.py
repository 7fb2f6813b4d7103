"""Values that lose the fraction of their outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Alone, Node, Rules, Search, Walk


class Points(Walk):
    """One player; from 0 to 10 points, with a fraction."""

    def outcome(self, state: tuple[int, int]) -> float | None:
        return None if state[0] < 10 else ((state[1] * 37) % 97) / 9.7


def cut(kind: type[Search], whole: Callable[[float], float]) -> type[Search]:
    class Cut(kind):  # type: ignore[valid-type, misc]
        def backpropagate(self, path: list[Node], outcome: float) -> None:
            for node in path:
                node.N += 1
                node.W = whole(node.W + self.worth(node, outcome))

    return Cut


class Margins(Search):
    """Of two players; what counts is by how much a game is won."""

    def evaluate(self, leaf: Node) -> float:
        return 3 * super().evaluate(leaf) + 2 * self.random.random() - 1


def found(
    search: Search, high: float, low: float = 0.0, told: bool = True
) -> dict[str, mv.Finding]:
    with mv.record(
        root=search.root, children="children", visits="N", value="W", action="move",
        value_range=(low, high), reward_range=(low, high),
        **({"to_move": "player"} if low else {"players": ("agent",)}),
    ) as rec:  # fmt: skip
        for _ in range(400):
            search.step()
            rec.iteration(outcome=search.outcome if told else None)
    return {one.check: one for one in rec.trace.check()}


@pytest.mark.parametrize(
    ("whole", "words"), [(int, "array of integers"), (math.floor, "//"), (round, "round()")]
)
def test_sums_that_lose_fractions_are_named(whole: Callable[[float], float], words: str) -> None:
    one = found(cut(Alone, whole)(Points(), 1), 10.0)["value-fraction"]
    assert one.severity == "warning"
    assert words in one.message


@pytest.mark.parametrize(("whole", "words"), [(int, "array of integers"), (math.floor, "//")])
def test_so_they_are_of_two_players(whole: Callable[[float], float], words: str) -> None:
    rules = Rules("connect_four", START["connect_four"])
    assert words in found(cut(Margins, whole)(rules, 1), 4.0, -4.0)["value-fraction"].message
    assert "value-fraction" not in found(Margins(rules, 1), 4.0, -4.0)


def test_fractions_that_are_kept_or_of_which_nothing_is_told_are_not() -> None:
    assert "value-fraction" not in found(Alone(Points(), 1), 10.0)
    assert "value-fraction" not in found(cut(Alone, int)(Points(), 1), 10.0, told=False)
