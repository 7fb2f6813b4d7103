"""Means that are updated wrongly, each by its own words, with and without rewards on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Alone, Node, Rewarded, Rules, Search, Walk, of
from tests.variants import few

Update = Callable[[float, int, float], float]  # of the mean, the visits before, the result
# words of the finding, and the mistake
WRONG: dict[str, Update] = {
    "too near to 0": lambda q, n, v: q + (v - q) / (n + 2),
    "too near to the first result": lambda q, n, v: q + (v - q) / (n + 2) if n else v,
    "takes the place of the first": lambda q, n, v: q + (v - q) / n if n else v,
    "(n·q + v) / (n + 2) with the visits n before the new one: it": lambda q, n, v: (
        (n * q + v) / (n + 2) if n else v
    ),
    "the first one too": lambda q, n, v: (n * q + v) / (n + 2),
    "(n·q + v) / n with the visits n before": lambda q, n, v: (n * q + v) / n if n else v,
    "(n·q + v) / n with the visits n that count": lambda q, n, v: q + v / (n + 1),
    "is the sum of the results": lambda q, n, v: q + v,
    "stays what it was after its first visit": lambda q, n, v: q if n else v,
    "lacks the first result": lambda q, n, v: (n * q + v) / (n + 1) if n else 0.0,
    "halfway to each result, (q + v) / 2: it": lambda q, n, v: (q + v) / 2 if n else v,
}


class Kept(Search):
    """The mean is kept and updated with each result."""

    update: Update

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            self.keep(node, self.worth(node, outcome))

    def keep(self, node: Node, worth: float) -> None:
        node.best_value = type(self).update(node.best_value if node.N else 0.0, node.N, worth)
        node.N += 1
        node.W = node.N * node.best_value


class KeptRewards(Rewarded, Kept):
    def backpropagate(self, path: list[Node], outcome: float) -> None:
        value = outcome
        for node in reversed(path):
            value = node.reward + self.gamma * value
            self.keep(node, value)


def serious(kind: type[Search], update: Update, rules: Any, **told: Any) -> list[mv.Finding]:
    made = type(kind.__name__, (kind,), {"update": staticmethod(update)})
    found = of(made, value="Q", value_kind="mean", **told)(rules, 1).check()
    return [one for one in found if one.severity != "note"]


class JudgedOnce(Alone):
    """What a leaf is worth is not passed on to the nodes above it."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        value = outcome + self.random.random() / 10
        for node in path:
            node.N += 1
            if node.N == 1 or node is path[-1] or self.is_passed_on(node):
                node.best_value = value
            node.W = node.N * node.best_value

    def is_passed_on(self, node: Node) -> bool:
        return False


class LeafAndRoot(JudgedOnce):
    def is_passed_on(self, node: Node) -> bool:
        return node is self.root


@pytest.mark.parametrize(("kind", "severity"), [(JudgedOnce, "note"), (LeafAndRoot, "error")])
def test_leaves_alone_that_get_the_value_are_no_rewards(
    kind: type[JudgedOnce], severity: str
) -> None:
    found = of(kind)(Walk(), 1).check()
    (one,) = (one for one in found if one.check.startswith("value-"))
    assert (one.check, one.severity) == ("value-mean", severity)
    assert "or to the leaf alone" in one.message
    assert ("a node has a score of its own" in one.message) == (severity == "note")


@pytest.mark.parametrize("words", WRONG)
@pytest.mark.parametrize("game", few(START))
def test_a_wrong_mean_is_named(game: str, words: str) -> None:
    found = serious(Kept, WRONG[words], Rules(game, START[game]))
    kept = [one for one in found if one.check in ("value-mean", "value-leaf")]
    assert [words in one.message for one in kept] == [True], found
    assert not [one for one in found if one.check in ("value-out-of-range", "value-uneven")]


OF_REWARDS = ("too near to 0", "too near to the first result", "takes the place of the first")
TOLD: dict[str, dict[str, Any]] = {
    "rewards told": {"reward": "reward", "step_rewards": True, "discount": 0.9},
    "rewards not told": {"step_rewards": True, "discount": 0.9},
}


@pytest.mark.parametrize("words", OF_REWARDS)
@pytest.mark.parametrize("told", TOLD)
def test_a_wrong_mean_is_named_where_moves_bring_rewards(words: str, told: str) -> None:
    (one,) = serious(KeptRewards, WRONG[words], Walk(), value_range=(-1.0, 3.0), **TOLD[told])
    assert one.check == "value-mean"
    assert words in one.message
    assert "0.9 times what its child gets" in one.message


@pytest.mark.parametrize("told", TOLD)
def test_a_right_mean_has_no_finding(told: str) -> None:
    def right(q: float, n: int, v: float) -> float:
        return q + (v - q) / (n + 1)

    assert serious(KeptRewards, right, Walk(), value_range=(-1.0, 3.0), **TOLD[told]) == []
    assert serious(Kept, right, Rules("tic_tac_toe", START["tic_tac_toe"])) == []


@pytest.mark.parametrize(
    "update",
    [lambda q, n, v: q + (v - q) / 4, lambda q, n, v: q + (v - q) / 4 if n else v],
    ids=["from 0", "from the first result"],
)
def test_an_exponential_average_is_right_in_a_shallow_tree(update: Update) -> None:
    """Where hardly two nodes of a player on a path have been visited before."""
    made = type("Averaged", (Kept,), {"update": staticmethod(update)})
    rules = Rules("connect_four", [])
    found = of(made, iterations=150, value="Q", value_kind="mean")(rules, 1).check()
    assert [str(one) for one in found if one.severity != "note"] == []
    assert "0.25 of the way" in next(one for one in found if one.check == "value-backup").message
