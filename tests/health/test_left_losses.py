"""Virtual losses that stay: those of descents to finished games alone, or of others, too."""

from __future__ import annotations

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Batch, Node, Rules, Search, watched
from tests.variants import few

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


class Growing(Batch):
    """Each further descent of a batch has a larger loss; what was put on a path is kept with it."""

    virtual_loss = 0.2

    def score(self, node: Node, child: Node) -> float:
        return Search.score(self, node, child)

    def step(self) -> None:
        flying, size = [], self.virtual_loss
        for _ in range(4):
            path = [self.root]
            while path[-1].outcome is None:
                child = self.grow(path[-1])
                if child is not None:
                    path.append(child)
                    break
                path.append(self.choose(path[-1]))
            self.add_loss(path, size)
            flying.append((path, size))
            size *= 1.2
        for path, put_on in flying:
            self.add_loss(path, -self.taken_off(put_on, size))
            self.backpropagate(path, self.evaluate(path[-1]))

    def add_loss(self, path: list[Node], size: float) -> None:
        for node in path:
            node.virtual += 1 if size > 0 else -1
            node.W -= size

    def taken_off(self, put_on: float, now: float) -> float:
        return put_on


class OfNow(Growing):
    """The size of now is taken off."""

    def taken_off(self, put_on: float, now: float) -> float:
        return now


class OfTheFirst(Growing):
    def taken_off(self, put_on: float, now: float) -> float:
        return self.virtual_loss


def of_growing(kind: type[Growing], **told: object) -> list[mv.Finding]:
    trace = watched(kind(Rules("tic_tac_toe", [0, 4]), 1), 120, leaves=4, **told)
    return [one for one in trace.check() if one.severity != "note"]


@pytest.mark.parametrize(
    "told", few([{}, {"virtual_loss": "virtual"}, {"game": None, "start": None}])
)
@pytest.mark.parametrize(
    ("kind", "words"),
    [(OfNow, "taken back with more than they were"), (OfTheFirst, "taken back with less than")],
)
def test_losses_that_are_taken_off_with_another_size_are_named(
    kind: type[Growing], words: str, told: dict[str, object]
) -> None:
    loud = {one.check: one for one in of_growing(kind, **told)}
    one = loud["virtual-loss-left"]
    assert one.severity == "error"
    assert words in one.message
    assert "keep with each path what was put on it" in one.message
    assert "value-uneven" not in loud


@pytest.mark.parametrize("told", [{}, {"virtual_loss": "virtual"}])
def test_losses_that_grow_within_a_batch_are_right(told: dict[str, object]) -> None:
    assert of_growing(Growing, **told) == []
