"""What the author of a search declares stands in the trace, and is checked for sense."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Node, ParentUrgency, Puct, Rules, Search, watched


def recorded(kind: type[Search], **told: Any) -> mv.Trace:
    return watched(kind(Rules("tic_tac_toe", START["tic_tac_toe"]), 1), 200, **told)


def test_declared_policies_stand_in_the_metadata() -> None:
    trace = recorded(
        Puct, prior="P", selection="puct", c=1.5, unvisited="loss", n="children",
        backup="mean", final_move="highest_mean",
    )  # fmt: skip
    assert dict(trace.meta["policies"])["selection"] == {
        "name": "puct", "c": 1.5, "unvisited": -1.0, "n": "children",
    }  # fmt: skip
    assert trace.meta["policies"]["backpropagation"] == {"backup": "mean"}
    assert trace.at(200).final_move == "highest_mean"


def test_a_formula_that_has_no_weight_needs_none() -> None:
    trace = recorded(Search, selection="ucb1_tuned")
    assert trace.meta["policies"]["selection"] == {"name": "ucb1_tuned", "c": 1.0}


def test_any_name_of_a_rule_may_be_declared() -> None:
    trace = recorded(Search, selection="rave")
    assert trace.meta["policies"]["selection"] == {"name": "rave"}
    (rule,) = (finding for finding in trace.check() if finding.check == "selection-rule")
    assert "rave" in rule.message


class HalfUnit(ParentUrgency):
    """Values from 0 to 1: the parent's is turned about ½."""

    def evaluate(self, leaf: Node) -> float:
        return (1 + super().evaluate(leaf)) / 2

    def backpropagate(self, path: list[Node], result: float) -> None:
        for node in path:
            node.N += 1
            node.W += result if node.player == 1 else 1 - result

    def first(self, node: Node) -> float:
        return 1 - node.W / node.N


@pytest.mark.parametrize(
    ("kind", "told"),
    [(ParentUrgency, {}), (HalfUnit, {"value_range": (0, 1)})],
)
def test_children_without_visits_that_count_as_their_parent_have_scores(
    kind: type[Search], told: dict[str, Any]
) -> None:
    trace = recorded(
        kind, to_move="player", prior="P", selection="puct", c=1.5, unvisited="parent", **told
    )
    choices = 0
    for t in range(2, 200):
        tree = trace.at(t - 1)
        for compared in trace.iteration(t).comparisons:
            scores = dict(zip(compared.children, compared.scores.tolist()))
            assert scores == dict(zip(compared.children, tree.uct[compared.children].tolist()))
            assert scores[compared.chosen] >= max(scores.values()) - 1e-9
            choices += 1
    assert choices > 300
    (rule,) = (finding for finding in trace.check() if finding.check.startswith("selection"))
    assert rule.message.startswith("PUCT with the declared c = 1.5 explains all")
    last = trace.at(200)
    child = next(child for child in last.children(0) if last.visits[child] > 5)
    origin = trace.origin(child, "score")
    assert origin.total == last.uct[child]


@pytest.mark.parametrize(
    ("told", "part"),
    [
        ({"c": 1.4}, "name it as well"),
        ({"unvisited": 0.0}, "name it as well"),
        ({"selection": "ucb1"}, "give the exploration weight"),
        ({"selection": "ucb1", "c": "much"}, "give the exploration weight"),
        ({"selection": 7}, "is no name"),
        ({"selection": "puct", "c": 1, "unvisited": "never"}, "choose one of: first, parent"),
        ({"selection": "puct", "c": 1, "unvisited": [0]}, "neither a number"),
        ({"selection": "puct", "c": 1, "n": "siblings"}, "choose one of: parent, children"),
        ({"backup": "median"}, "choose one of: mean, max, minimax"),
        ({"final_move": ""}, "is no name"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(told: dict[str, Any], part: str) -> None:
    with pytest.raises(mv.SearchError, match=part):
        recorded(Search, **told)


class Walk:
    """Six steps left or right alone, some of which bring a reward; a node keeps the best return found, with the reward
    of the move into it or without."""

    def __init__(self, at: tuple[int, ...] = (), reward: float = 0.0) -> None:
        self.at, self.reward, self.visits, self.best = at, reward, 0, -math.inf
        self.children: list[Walk] = []

    def path(self, with_own: bool) -> list[Walk]:
        path = [self]
        while len(path[-1].children) == 2:
            log = math.log(path[-1].visits)
            path.append(
                max(path[-1].children, key=lambda c: c.total(with_own) + math.sqrt(log / c.visits))
            )
        if len(path[-1].at) < 6:
            at = (*path[-1].at, len(path[-1].children))
            path[-1].children.append(Walk(at, float(sum(at) == 3)))
            path.append(path[-1].children[-1])
        return path

    def best_step(self, draw: random.Random, left_out: bool) -> None:
        """The best child's value, and not the best return; left_out: its reward is."""
        *above, leaf = self.path(with_own=False)
        leaf.visits, leaf.best = leaf.visits + 1, max(leaf.best, draw.random())
        for node in reversed(above):
            node.visits += 1
            node.best = max(0.9 * c.best + c.reward * (not left_out) for c in node.children)

    def step(self, draw: random.Random, with_own: bool, wrong: bool) -> None:
        path, due = self.path(with_own), draw.random()
        for node in reversed(path):
            node.visits += 1
            now = node.reward + 0.9 * due if with_own else due
            node.best = now if wrong else max(node.best, now)
            due = now if with_own else node.reward + 0.9 * due

    def total(self, with_own: bool) -> float:
        return self.best if with_own else self.reward + 0.9 * self.best


@pytest.mark.parametrize("with_own", [True, False])
@pytest.mark.parametrize("wrong", [True, False])
def test_a_max_backup_may_have_rewards_and_a_discount(with_own: bool, wrong: bool) -> None:
    found = {each.check for each in found_in(lambda root, draw: root.step(draw, with_own, wrong))}
    assert ("value-not-best" in found) == wrong
    assert wrong or not found


def test_a_max_backup_with_rewards_that_nobody_tells_cannot_be_judged() -> None:
    root, draw = Walk(), random.Random(1)
    with mv.record(
        root=root, children="children", visits="visits", value="best", value_kind="mean",
        players=("walker",), value_range=(-10, 10), discount=0.9, step_rewards=True, backup="max",
    ) as rec:  # fmt: skip
        for _ in rec.steps(lambda: root.best_step(draw, left_out=False), 200):
            pass
    (one,) = [each for each in rec.trace.check() if each.check == "value-not-best"]
    assert one.severity == "note"
    assert "were not told (reward=)" in one.message


def test_a_max_backup_that_leaves_rewards_out_is_named() -> None:
    assert not found_in(lambda root, draw: root.best_step(draw, left_out=False))
    (found,) = found_in(lambda root, draw: root.best_step(draw, left_out=True))
    assert found.check == "value-reward"
    assert "the reward of the move to that child is left out" in str(found)


def found_in(step: Callable[[Walk, random.Random], None]) -> list[mv.Finding]:
    """Errors and warnings of a search with a max back-up."""
    root, draw = Walk(), random.Random(1)
    with mv.record(
        root=root, children="children", visits="visits", value="best", value_kind="mean", reward="reward", discount=0.9,
        step_rewards=True, players=("agent",), value_range=(0, 7), backup="max",
    ) as rec:  # fmt: skip
        for _ in range(200):
            step(root, draw)
            rec.iteration()
    return [each for each in rec.trace.check() if each.severity != "note"]
