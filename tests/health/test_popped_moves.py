"""A list of legal moves that is kept for each position, and from which nodes take their untried moves."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search, watched
from tests.variants import few

START = [0, 4]
TEXTS: dict[str, Any] = {"game": None, "start": None, "state": lambda node: str(node.state)}
MOVES: dict[str, Any] = {"game": None, "start": None}


class Kept(Search):
    """Legal moves are kept by position, and each node has a copy."""

    def __init__(self, rules: Any, seed: int) -> None:
        self.kept: dict[str, list[int]] = {}
        super().__init__(rules, seed)

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.moves(node)
        return self.add(node, node.untried.pop()) if node.untried else None

    def moves(self, node: Node) -> list[int]:
        return list(self.legal(node))

    def legal(self, node: Node) -> list[int]:
        key = str(node.state)
        if key not in self.kept:
            self.kept[key] = self.rules.moves(node.state)
            self.random.shuffle(self.kept[key])
        return self.kept[key]


class Popped(Kept):
    """Each node has the list itself."""

    def moves(self, node: Node) -> list[int]:
        return self.legal(node)


def missing(kind: type[Search], told: dict[str, Any]) -> list[mv.Finding]:
    trace = watched(kind(Rules("tic_tac_toe", START), 1), 2_000, **told)
    return [one for one in trace.check() if one.check == "expansion-missing"]


@pytest.mark.parametrize(
    ("told", "severity"), [(TEXTS, "warning"), (MOVES, "note")], ids=["texts", "moves"]
)
def test_nodes_with_the_same_position_that_share_a_list_are_found(
    told: dict[str, Any], severity: str
) -> None:
    (one,) = missing(Popped, told)
    assert one.severity == severity
    assert "have no move in common" in one.message
    assert ("as if the game were over there" in one.message) == (severity == "warning")
    assert "pop(): take a copy" in one.message


@pytest.mark.parametrize("told", [TEXTS, MOVES], ids=["texts", "moves"])
def test_a_copy_of_the_list_is_right(told: dict[str, Any]) -> None:
    assert missing(Kept, told) == []


class PoppedByRollouts(Popped):
    """Rollouts ask for the same lists, and take an empty one for the end of the game."""

    def rollout(self, state: Any) -> float:
        while (outcome := self.rules.outcome(state)) is None:
            key = str(state)
            if key not in self.kept:
                self.kept[key] = self.rules.moves(state)
            if not self.kept[key]:
                return -1.0 if self.rules.player(state) == 0 else 1.0
            state = self.rules.play(state, self.random.choice(self.kept[key]))
        return float(outcome)


@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_what_else_lacks_moves_is_no_finding_of_its_own(seed: int) -> None:
    """A node whose list is empty looks like the end of a game, but for its first visit."""
    trace = watched(PoppedByRollouts(Rules("tic_tac_toe", [0]), seed), 2_000, **TEXTS)
    wrong = [one.check for one in trace.check() if one.severity != "note"]
    assert wrong == ["expansion-missing"]
