"""Running means that are updated with the visits of another node."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search, Walk, watched
from tests.variants import each

START = [3, 3, 2, 2]
WORDS = {
    "parent": "with the visits of its parent as N",
    "parent before": "with the visits of its parent before the new one as N",
    "edges": "with the visits of its parent that went on to a child as N",
    "root": "with the visits of the root, or the number of iterations, as N",
    "below": "with the visits of its child on the path as N",
    "depth": "with its depth as N",
}


class Mean(Search):
    """Nodes keep means, q += (v − q) / N, where N should be the node's own visits."""

    def __init__(self, rules: Any, seed: int, by: str, kind: type = float) -> None:
        self.by, self.kind = by, kind
        super().__init__(rules, seed)

    def score(self, node: Node, child: Node) -> float:
        return child.W + self.c * math.sqrt(math.log(node.N) / child.N) if child.N else math.inf

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
        for depth, node in enumerate(path):
            by = self.divisor(path, depth)
            node.W = float(self.kind(node.W + (self.worth(node, outcome) - node.W) / by))

    def divisor(self, path: list[Node], depth: int) -> int:
        if self.by == "own" or depth == 0:
            return path[depth].N
        parent, last = path[depth - 1], depth == len(path) - 1
        return {
            "parent": parent.N,
            "parent before": max(parent.N - 1, 1),
            "edges": sum(child.N for child in parent.children),
            "root": path[0].N,
            "below": path[depth].N if last else path[depth + 1].N,
            "depth": depth,
        }[self.by]


class MeanAlone(Mean):
    def worth(self, node: Node, outcome: float) -> float:
        return outcome


def of_values(by: str, kind: type = float, **told: Any) -> list[mv.Finding]:
    search = Mean(Rules("connect_four", START), 1, by, kind)
    trace = watched(search, 800, value_kind="mean", **told)
    return [one for one in trace.check() if one.check.startswith("value-")]


@pytest.mark.parametrize(
    ("by", "told"), each(3, [(by, told) for by in WORDS for told in (True, False)])
)
def test_a_step_by_the_visits_of_another_node_is_named(by: str, told: bool) -> None:
    more = {} if told else {"game": None, "start": None, "to_move": None}
    (one,) = of_values(by, **more)
    assert (one.check, one.severity) == ("value-mean", "error")
    assert WORDS[by] in one.message
    assert "the node's own visits" in one.message


def test_it_is_named_where_means_are_kept_in_float32() -> None:
    (one,) = of_values("parent", np.float32)
    assert one.check == "value-mean"


@pytest.mark.parametrize("kind", [float, np.float32])
def test_the_visits_of_the_node_are_right(kind: type) -> None:
    assert of_values("own", kind) == []


@pytest.mark.parametrize("by", ["parent", "own"])
def test_so_it_is_of_one_player(by: str) -> None:
    trace = watched(MeanAlone(Walk(), 1, by), 800, value_kind="mean")
    wrong = [one for one in trace.check() if one.severity != "note"]
    assert [one.check for one in wrong] == (["value-mean"] if by == "parent" else [])
    assert all(WORDS["parent"] in one.message for one in wrong)
