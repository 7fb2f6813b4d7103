"""Priors that are looked up at the wrong place: by a move's place, beside it, or at the position before."""

from __future__ import annotations

import math

import pytest

import mcts_viz as mv
from tests.health.test_brackets import Hashed
from tests.health.unusual import Node, Rules, watched
from tests.variants import few


class LooksUp(Hashed):
    """A list of all actions, of which `index` says where the prior of a child is read."""

    c, index, masked = 1.5, "own", True

    def all_actions(self, node: Node) -> list[float]:
        n = max(self.rules.moves(self.rules.first)) + 1
        legal = {child.move: child.P for child in node.children}
        other = 0.0 if self.masked else 0.5 / n
        return [legal.get(action, other) for action in range(n)]

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        if not self.masked:
            for child in leaf.children:
                child.P *= 0.5

    def choose(self, node: Node) -> Node:
        priors = self.all_actions(node)
        before = self.all_actions(node.parent) if node.parent is not None else priors

        def score(place: int, child: Node) -> float:
            prior = {
                "own": priors[child.move],
                "place": priors[place],
                "next": (*priors, 0.0)[child.move + 1],
                "before": before[child.move],
            }[self.index]
            return child.Q + self.c * prior * math.sqrt(node.N) / (1 + child.N)

        at = max(range(len(node.children)), key=lambda place: score(place, node.children[place]))
        return node.children[at]


def checks(
    index: str, game: str = "tic_tac_toe", masked: bool = True, **told: object
) -> dict[str, mv.Finding]:
    search = LooksUp(Rules(game, []), 1)
    search.index, search.name, search.masked = index, game, masked
    trace = watched(search, 500, prior="P", **told)  # type: ignore[arg-type]
    return {one.check: one for one in trace.check() if one.severity != "note"}


@pytest.mark.thorough
@pytest.mark.parametrize("told", few([{}, {"selection": "puct", "c": 1.5}]))
@pytest.mark.parametrize(
    ("index", "words"),
    [("place", "by its place among the legal moves"), ("next", "action after it"), ("before", "the position before")],
)  # fmt: skip
def test_priors_of_another_place_are_named(index: str, words: str, told: dict[str, object]) -> None:
    found = checks(index, **told)
    assert list(found) == ["selection-other-prior"]
    one = found["selection-other-prior"]
    assert words in one.message
    assert one.severity == "error"
    if index == "place":  # at the root all moves are legal
        assert one.node is not None
        assert one.node > 0


@pytest.mark.thorough
def test_priors_of_illegal_moves_that_nobody_knows_are_left_aside() -> None:
    found = checks("place", masked=False)
    assert "as far as these priors are known" in found["selection-other-prior"].message


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("game", few(["tic_tac_toe", "connect_four"]))
def test_priors_of_ones_own_move_are_right(game: str, masked: bool) -> None:
    assert not [check for check in checks("own", game, masked) if check.startswith("selection")]


class Corridor:
    """Two ways on at each step, now these, now others; nothing is better than to go on."""

    first = (0,)

    def moves(self, state: tuple[int]) -> list[int]:
        return [0, 2] if state[0] % 2 else [1, 2]

    def play(self, state: tuple[int], move: int) -> tuple[int]:
        return (state[0] + 1,)

    def player(self, state: tuple[int]) -> int:
        return 0

    def outcome(self, state: tuple[int]) -> None:
        return None


class AlongTheCorridor(LooksUp):
    """The child taken first is never left."""

    def expand(self, leaf: Node) -> None:
        priors = (0.1, 0.9) if leaf.state[0] % 2 else (0.7, 0.3)
        for move, prior in zip(self.rules.moves(leaf.state), priors):
            self.add(leaf, move).P = prior

    def evaluate(self, leaf: Node) -> float:
        return 0.9

    def worth(self, node: Node, outcome: float) -> float:
        return outcome


@pytest.mark.parametrize("told", [{"selection": "puct", "c": 1.5, "unvisited": 0}, {}])
@pytest.mark.parametrize("index", ["place", "own"])
def test_priors_of_other_moves_show_in_first_choices(index: str, told: dict[str, object]) -> None:
    search = AlongTheCorridor(Corridor(), 1)
    search.index = index
    trace = watched(search, 150, prior="P", **told)  # type: ignore[arg-type]
    found = {
        one.check: one
        for one in trace.check()
        if one.severity != "note" and one.check.startswith("selection-")
    }
    if index == "own":
        assert not found
        return
    assert list(found) == ["selection-other-prior"]
    assert "by its place among the legal moves" in found["selection-other-prior"].message
