"""What holds of the tree after every iteration, whatever the seed."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mcts_viz as mv
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES
from mcts_viz.games import game
from tests.variants import few

ITERATIONS = 600
START = {"tic_tac_toe": (), "connect_four": (), "tic_tac_toe late": (4, 0, 8)}
CASES = [(name, seed) for seed in (1, 2, 3) for name in START]
every_case = pytest.mark.parametrize(("name", "seed"), few(CASES, len(START)))


@cache
def trace(name: str, seed: int) -> mv.Trace:
    return mv.search(
        name.split()[0], iterations=ITERATIONS, seed=seed, start=START[name], compile=False
    )


@cache
def moves(name: str, seed: int) -> list[list[int]]:
    """[N] the actions from the first position of the game to each node."""
    final = trace(name, seed).at(ITERATIONS)
    found: list[list[int]] = [list(START[name])]
    for parent, action in zip(final.parent[1:].tolist(), final.action[1:].tolist()):
        found.append([*found[parent], action])
    return found


def children_sum(snapshot: mv.Snapshot, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """[N] the sum of a column over each node's children."""
    return np.bincount(snapshot.parent[1:], column[1:], minlength=len(snapshot))


@every_case
def test_visits_are_own_evaluations_and_the_childrens_visits(name: str, seed: int) -> None:
    for t in range(ITERATIONS + 1):
        now = trace(name, seed).at(t)
        evaluations = np.bincount(trace(name, seed).columns.leaf[:t], minlength=len(now))
        assert np.array_equal(now.visits, evaluations + children_sum(now, now.visits))


@every_case
def test_the_roots_visits_are_the_iterations(name: str, seed: int) -> None:
    for t in range(ITERATIONS + 1):
        assert trace(name, seed).at(t).visits[0] == t


@every_case
def test_values_lie_within_visits_times_the_value_range(name: str, seed: int) -> None:
    low, high = trace(name, seed).meta["value_range"]
    assert (low, high) == (0.0, 1.0)
    for t in range(ITERATIONS + 1):
        now = trace(name, seed).at(t)
        assert np.all((now.visits * low <= now.value_sum) & (now.value_sum <= now.visits * high))


@every_case
def test_a_value_sum_adds_the_movers_scores_of_the_outcomes_below(name: str, seed: int) -> None:
    """Each iteration's outcome, as the player who moved into a node scores it, to all its path."""
    score = {1.0: 1.0, 0.0: 0.5, -1.0: 0.0}
    expected = np.zeros(trace(name, seed).n_nodes)
    for t in range(1, ITERATIONS + 1):
        done = trace(name, seed).iteration(t)
        assert done.outcome is not None
        for node in done.path:
            player_who_moved = (len(moves(name, seed)[node]) - 1) % 2
            sign = 1.0 if player_who_moved == 0 else -1.0
            expected[node] += score[sign * done.outcome]
        now = trace(name, seed).at(t)
        assert np.array_equal(now.value_sum, expected[: len(now)])


@every_case
def test_children_are_legal_distinct_and_complete_once_fully_expanded(name: str, seed: int) -> None:
    rules = game(name.split()[0])
    final = trace(name, seed).at(ITERATIONS)
    complete = 0
    for node, actions in enumerate(moves(name, seed)):
        children = final.children(node)
        tried = [int(final.action[child]) for child in children]
        legal = rules.legal(rules.position(actions)[0])
        assert len(tried) == len(set(tried))
        assert set(tried) <= set(legal)
        # fully expanded before any child is visited twice
        if any(final.visits[child] > 1 for child in children):
            assert sorted(tried) == legal
            complete += 1
    assert complete > 10


@every_case
def test_nodes_say_who_moves_and_how_the_game_ended(name: str, seed: int) -> None:
    rules = game(name.split()[0])
    final = trace(name, seed).at(ITERATIONS)
    for node, actions in enumerate(moves(name, seed)):
        state = rules.position(actions)[0]
        assert final.to_move[node] == len(actions) % 2
        assert final.depth[node] == len(actions) - len(START[name])
        outcome = rules.rules.outcome(state)
        assert final.terminal[node] == (not math.isnan(outcome))
        assert np.array_equal(final.outcome[node], np.float32(outcome), equal_nan=True)


@every_case
def test_an_iteration_adds_one_node_unless_the_game_is_over(name: str, seed: int) -> None:
    found = trace(name, seed)
    final = found.at(ITERATIONS)
    for t in range(1, ITERATIONS + 1):
        done = found.iteration(t)
        if done.new_nodes:
            assert done.new_nodes == [done.leaf]
            assert final.born[done.leaf] == t
        else:
            assert final.terminal[done.leaf]
        assert [update.node for update in done.updates] == done.path == final.path(done.leaf)
        assert [update.visits for update in done.updates] == [1] * len(done.path)


@every_case
def test_a_rollout_goes_on_from_the_leaf_to_the_outcome(name: str, seed: int) -> None:
    rules = game(name.split()[0])
    for t in range(1, ITERATIONS + 1):
        done = trace(name, seed).iteration(t)
        assert done.rollout is not None
        state, _ = rules.position([*moves(name, seed)[done.leaf], *done.rollout])
        assert rules.rules.outcome(state) == done.outcome


@every_case
def test_selection_took_the_first_best_of_the_recorded_scores_at_every_level(
    name: str, seed: int
) -> None:
    for t in range(1, ITERATIONS + 1):
        before = trace(name, seed).at(t - 1)
        done = trace(name, seed).iteration(t)
        levels = done.path[: -1 if done.new_nodes else None]
        assert [found.node for found in done.comparisons] == levels[:-1]
        assert [found.chosen for found in done.comparisons] == levels[1:]
        for found in done.comparisons:
            assert found.children == before.children(found.node)
            assert found.chosen == found.children[int(np.argmax(found.scores))]
            assert np.array_equal(found.visits, before.visits[found.children])
            assert np.array_equal(found.value_terms, before.value_term[found.children])
            assert np.array_equal(found.exploration_terms, before.exploration_term[found.children])
            assert np.array_equal(found.scores, before.uct[found.children])


@every_case
def test_the_scores_of_a_snapshot_are_ucb1_of_its_own_numbers(name: str, seed: int) -> None:
    c = math.sqrt(2)
    for t in (0, 1, 2, 9, 50, 333, ITERATIONS):
        now = trace(name, seed).at(t)
        assert math.isnan(now.uct[0])
        for v in range(1, len(now)):
            w, n, N = float(now.value_sum[v]), int(now.visits[v]), int(now.visits[now.parent[v]])
            assert now.value_term[v] == w / n
            radius = c * math.sqrt(math.log(N)) * (1 / math.sqrt(n))
            assert math.isclose(radius, c * math.sqrt(math.log(N) / n), rel_tol=1e-15)
            assert now.exploration_term[v] == radius
            assert now.uct[v] == w / n + radius
            assert now.mean_value[v] == w / n


@every_case
def test_the_best_action_is_the_most_visited_child_of_the_root(name: str, seed: int) -> None:
    for t in range(1, ITERATIONS + 1, 7):
        now = trace(name, seed).at(t)
        children = now.children(0)
        best = max(children, key=lambda v: (now.visits[v], now.mean_value[v], -v))
        assert now.best_action == now.action[best]
        assert now.principal_variation[0] == now.best_action
        assert now.principal_path[:2] == [0, best]
        assert now.best_action_name == now.label(best)
    assert trace(name, seed).at(0).best_action is None
    assert trace(name, seed).at(0).principal_variation == []


# the rules once more, of one child among its siblings: (visits, value sum, most visits, highest mean)
RULES: dict[str, Callable[[int, float, int, float], float]] = {
    "most_visits": lambda n, w, most, highest: n,
    "highest_mean": lambda n, w, most, highest: w / n,
    "highest_total": lambda n, w, most, highest: w,
    "robust_max": lambda n, w, most, highest: math.inf if (n, w / n) == (most, highest) else n,
    "secure": lambda n, w, most, highest: w / n - 1.5 / math.sqrt(n),  # loss=-0.5: values span 1.5
}


@pytest.mark.parametrize("rule", FINAL_MOVE_RULES)
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_the_best_action_follows_the_rule_after_every_iteration(name: str, rule: str) -> None:
    run = mv.search(name, iterations=ITERATIONS, seed=4, loss=-0.5, final_move=rule, compile=False)
    assert run.at(0).best_action is None
    for t in range(1, ITERATIONS + 1):
        now = run.at(t)
        children = [v for v in now.children(0) if now.visits[v]]
        n, q = now.visits.tolist(), now.mean_value.tolist()
        most, highest = max(n[v] for v in children), max(q[v] for v in children)
        score = {v: RULES[rule](n[v], float(now.value_sum[v]), most, highest) for v in children}
        best = max(children, key=lambda v: (score[v], q[v], -v))
        assert now.best_action == now.action[best]
