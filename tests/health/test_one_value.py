"""The value of one leaf, backed up for a whole batch."""

from __future__ import annotations

import math

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Batch, Node, Rules, of, watched
from tests.variants import few


class Network(Batch):
    """A batch of leaves is evaluated together, by a value function."""

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        return 0.9 * math.sin(sum((i + 1) * (int(x) + 3) ** 2 for i, x in enumerate(leaf.state)))

    def step(self) -> None:
        self.waiting: list[tuple[list[Node], float]] = []
        super().step()
        for (path, value), of_one in zip(self.waiting, self.taken()):
            for node in path:
                node.N += 1
                node.W += self.worth(node, of_one if path[-1].outcome is None else value)

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        self.waiting.append((path, outcome))

    def taken(self) -> list[float]:
        return [value for _, value in self.waiting]


class LastForAll(Network):
    def taken(self) -> list[float]:
        return [self.waiting[-1][1]] * len(self.waiting)


class FirstForAll(Network):
    """As it is for who moves at the leaf."""

    def taken(self) -> list[float]:
        first, value = self.waiting[0]
        return [
            value if path[-1].player == first[-1].player else -value for path, _ in self.waiting
        ]


def found(kind: type[Network], game: str) -> dict[str, mv.Finding]:
    trace = of(kind, iterations=120, leaves=8)(Rules(game, START[game]), 1)
    return {one.check: one for one in trace.check()}


@pytest.mark.parametrize("game", ["connect_four"])
@pytest.mark.parametrize("kind", [LastForAll, FirstForAll])
def test_one_value_for_all_leaves_is_named(kind: type[Network], game: str) -> None:
    one = found(kind, game)["batch-one-value"]
    assert one.severity == "warning"


@pytest.mark.parametrize("game", few(START))
@pytest.mark.parametrize("kind", [Network, Batch])
def test_values_of_their_own_are_right(kind: type[Network], game: str) -> None:
    findings = found(kind, game)
    assert "batch-one-value" not in findings
    assert [str(one) for one in findings.values() if one.severity != "note"] == []


class TurnedRound(Network):
    """Answers come in the opposite order of the leaves, each for who moves at its own leaf."""

    def taken(self) -> list[float]:
        waiting = self.waiting[::-1]
        return [
            value if path[-1].player == own[-1].player else -value
            for (path, value), (own, _) in zip(waiting, self.waiting)
        ]


@pytest.mark.parametrize("game", few(START))
@pytest.mark.parametrize("kind", [Network, TurnedRound])
def test_evaluations_of_other_leaves_of_a_batch_are_named_where_they_were_told(
    game: str, kind: type[Network]
) -> None:
    search = kind(Rules(game, START[game]), 1)

    def told(node: Node) -> float | None:
        if node.outcome is not None:
            return None
        return search.evaluate(node) * (1 if node.player == 0 else -1)

    findings = watched(search, 120, leaves=8, evaluation=told).check()
    late = [one for one in findings if one.check == "simulation-late"]
    assert len(late) == (kind is TurnedRound)
    if late:
        assert "of other leaves of it" in late[0].message


class LiveFirst(Network):
    """Values are in the order of live leaves, then finished ones; the leaves are in that of their selection."""

    def taken(self) -> list[float]:
        live = [value for path, value in self.waiting if path[-1].outcome is None]
        return live + [value for path, value in self.waiting if path[-1].outcome is not None]

    def step(self) -> None:
        self.waiting = []
        Batch.step(self)
        for (path, _), value in zip(self.waiting, self.taken()):
            for node in path:
                node.N += 1
                node.W += self.worth(node, value)


class LiveFirstAsSorted(LiveFirst):
    def taken(self) -> list[float]:
        self.waiting.sort(key=lambda one: one[0][-1].outcome is not None)
        return super().taken()


@pytest.mark.parametrize("kind", [LiveFirst, LiveFirstAsSorted])
def test_leaves_that_get_the_results_of_finished_games_of_their_batch_are_named(
    kind: type[LiveFirst],
) -> None:
    search = kind(Rules("tic_tac_toe", [0, 4]), 1)

    def told(node: Node) -> float | None:
        side = 1 if node.player == 0 else -1
        return None if node.outcome is not None else search.evaluate(node) * side

    known = {"outcome": "outcome", "game": None, "start": None}
    findings = watched(search, 60, leaves=8, evaluation=told, **known).check()
    late = [one for one in findings if one.check == "simulation-late"]
    assert len(late) == (kind is LiveFirst)
    if late:
        assert "All of them are in batches with a finished game" in late[0].message
