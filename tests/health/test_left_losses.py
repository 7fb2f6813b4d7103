"""Virtual losses that stay: those of descents to finished games alone, or of others, too."""

from __future__ import annotations

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Batch, Node, Rules, Search, watched

AT_ENDS = "All of them are on the way to finished games"


class Losses(Batch):
    """A virtual loss is a visit and a loss in the numbers of a node, and is taken back before back-up."""

    weight = 1
    through_root = True

    def score(self, node: Node, child: Node) -> float:
        return Search.score(self, node, child)

    def step(self) -> None:
        paths = []
        for _ in range(4):
            path = [self.root]
            while path[-1].outcome is None:
                child = self.grow(path[-1])
                if child is not None:
                    path.append(child)
                    break
                path.append(self.choose(path[-1]))
            self.add_losses(path, self.weight)
            paths.append(path)
        for path in paths:
            if not self.stays(path):
                self.add_losses(path, -self.weight)
            self.backpropagate(path, self.evaluate(path[-1]))

    def add_losses(self, path: list[Node], n: int) -> None:
        for node in path if self.through_root else path[1:]:
            node.virtual, node.N, node.W = node.virtual + n, node.N + n, node.W - n

    def stays(self, path: list[Node]) -> bool:
        return False


class StayAtEnds(Losses):
    def stays(self, path: list[Node]) -> bool:
        return path[-1].outcome is not None


class HeavyStayAtEnds(StayAtEnds):
    """Three losses for each descent, below the root."""

    weight = 3
    through_root = False


class AllStayAtEnds(StayAtEnds):
    """All children are made at the first visit of their parent."""

    def step(self) -> None:
        paths = []
        for _ in range(4):
            path = [self.root]
            while path[-1].children:
                path.append(self.choose(path[-1]))
            self.add_losses(path, 1)
            paths.append(path)
        for path in paths:
            leaf = path[-1]
            self.take_back(path)
            if leaf.outcome is None and not leaf.children:
                for move in self.rules.moves(leaf.state):
                    self.add(leaf, move)
            self.backpropagate(path, self.evaluate(leaf))

    def take_back(self, path: list[Node]) -> None:
        if path[-1].outcome is None:
            self.add_losses(path, -1)


class AllTakenBack(AllStayAtEnds):
    def take_back(self, path: list[Node]) -> None:
        self.add_losses(path, -1)


class Stay(Losses):
    def stays(self, path: list[Node]) -> bool:
        return True


class StayAtLeaves(AllStayAtEnds):
    """Taken back from the path without its last node."""

    def take_back(self, path: list[Node]) -> None:
        self.add_losses(path[:-1], -1)


class StayAtRandom(Losses):
    def stays(self, path: list[Node]) -> bool:
        return self.random.random() < 0.3


def findings(kind: type[Losses], **told: object) -> list[mv.Finding]:
    rules = Rules("tic_tac_toe", START["tic_tac_toe"])
    trace = watched(kind(rules, 1), 300, leaves=4, **{"virtual_loss": "virtual", **told})
    return [one for one in trace.check() if one.check == "virtual-loss-left"]


@pytest.mark.parametrize("kind", [StayAtEnds, HeavyStayAtEnds])
@pytest.mark.parametrize(
    "told", [{}, {"game": None, "start": None, "outcome": "outcome"}, {"game": None, "start": None}]
)
def test_losses_of_descents_to_finished_games_are_told_apart(
    kind: type[Losses], told: dict[str, object]
) -> None:
    (one,) = findings(kind, **told)
    assert one.severity == "error"
    # one child at a time: nodes that never got one may be finished games, or not
    assert (AT_ENDS in one.message) == ("outcome" in told or not told)


def test_where_all_children_are_made_at_once_a_node_without_any_is_a_finished_game() -> None:
    (one,) = findings(AllStayAtEnds, game=None, start=None)
    assert AT_ENDS in one.message


@pytest.mark.parametrize("kind", [StayAtEnds, AllStayAtEnds])
def test_so_they_are_where_leaves_alone_are_told(kind: type[Losses]) -> None:
    (one,) = findings(kind, virtual_loss=None)
    assert "visits more than leaves were evaluated" in one.message
    assert AT_ENDS in one.message


NEAR_THE_END = {"start": [0, 4, 8, 2, 6], "game": None, "virtual_loss": None, "outcome": None}


def near_the_end(kind: type[Losses]) -> list[mv.Finding]:
    """Where nearly all descents end in finished games, of which nothing is told."""
    trace = watched(kind(Rules("tic_tac_toe", [0, 4, 8, 2, 6]), 1), 300, leaves=4, **NEAR_THE_END)
    return [one for one in trace.check() if one.severity != "note"]


def test_so_they_are_where_nearly_all_descents_come_to_an_end() -> None:
    (one,) = near_the_end(AllStayAtEnds)
    assert one.check == "virtual-loss-left"
    assert AT_ENDS in one.message


def test_a_finished_game_that_many_descents_of_a_batch_come_to_is_no_evaluation_again() -> None:
    assert near_the_end(AllTakenBack) == []


@pytest.mark.parametrize(
    ("kind", "told"), [(Stay, {}), (StayAtRandom, {}), (StayAtRandom, {"virtual_loss": None})]
)
def test_losses_of_other_descents_are_not_said_to_be_those(
    kind: type[Losses], told: dict[str, object]
) -> None:
    (one,) = findings(kind, **told)
    assert AT_ENDS not in one.message


def test_losses_that_are_taken_back_are_right() -> None:
    assert findings(Losses) == []


def test_losses_that_stay_at_leaves_alone_are_named() -> None:
    """Without them visits would not add up from the leaves to the root."""
    rules = Rules("tic_tac_toe", START["tic_tac_toe"])
    trace = watched(StayAtLeaves(rules, 1), 60, leaves=4, value_range=(-3, 3))
    found = [one for one in trace.check() if one.check.startswith(("virtual-", "visits-"))]
    (one,) = (each for each in found if each.severity != "note")
    assert one.check == "virtual-loss-left"
    assert "path[:-1]" in one.message
