"""What follows from the nodes below, beside a walk from node to node."""

import numpy as np
import pytest

from mcts_viz.health import levels
from mcts_viz.health.families import Families
from mcts_viz.health.levels import NEVER, greatest_below, minimax
from mcts_viz.trace.depths import depths
from tests.variants import few


def random_tree(
    draw: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Parents, depths, movers, births and outcomes: nan where the game goes on."""
    n = int(draw.integers(1, 120))
    parent = np.array([-1, *(int(draw.integers(max(0, i - 9), i)) for i in range(1, n))], np.int32)
    depth = depths(parent)
    childless = np.ones(n, np.bool_)
    childless[parent[1:]] = False
    ends = childless & (draw.random(n) < draw.choice([0.3, 0.9, 1.0]))
    outcome = np.where(ends, draw.choice([0.0, 0.5, 1.0], n), np.nan)
    return parent, depth, (depth % 2).astype(np.int8), np.arange(n, dtype=np.int32), outcome


def followed_one_by_one(
    parent: np.ndarray, mover: np.ndarray, since: np.ndarray, outcome: np.ndarray
) -> tuple[list[int], list[float]]:
    n = len(parent)
    at = [NEVER if np.isnan(outcome[v]) else int(since[v]) for v in range(n)]
    value = outcome.tolist()
    for node in range(n - 1, 0, -1):  # children come after their parents
        children = np.flatnonzero(parent == node).tolist()
        known = [child for child in children if at[child] < NEVER]
        if not known or at[node] < NEVER:
            continue
        best, choose = (1.0, max) if mover[known[0]] == 0 else (0.0, min)
        wins = [child for child in known if value[child] == best]
        if wins:
            at[node], value[node] = min(at[child] for child in wins), best
        elif known == children:
            at[node] = max(at[child] for child in known)
            value[node] = choose(value[child] for child in known)
    return at, value


@pytest.mark.parametrize("seed", few(range(60), 30))
def test_values_follow_from_finished_games_as_one_by_one(seed: int) -> None:
    parent, depth, mover, since, outcome = random_tree(np.random.default_rng(seed))
    at, value = minimax(Families(parent), parent, depth, mover, since, outcome, (1.0, 0.0))
    expected_at, expected_value = followed_one_by_one(parent, mover, since, outcome)
    assert at.tolist() == expected_at
    assert value.tolist() == pytest.approx(expected_value, nan_ok=True)


@pytest.mark.parametrize("seed", few(range(20), 10))
def test_the_greatest_number_below_a_node(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcts_viz.health.families.AT_ONCE", 5)
    parent, depth, *_ = random_tree(np.random.default_rng(seed))
    number = np.random.default_rng(seed).integers(0, 50, len(parent)).astype(np.int32)
    expected = number.tolist()
    for node in range(len(parent) - 1, 0, -1):
        expected[parent[node]] = max(expected[parent[node]], expected[node])
    greatest_below(number, parent, depth)
    assert number.tolist() == expected


def test_levels_come_from_the_deepest_up() -> None:
    parent = np.array([-1, 0, 1, 0, 2, 1], np.int32)
    found = [nodes.tolist() for nodes in levels.levels(depths(parent))]
    assert found == [[4], [2, 5], [1, 3]]
