"""The tree's own links, after every iteration of a live search."""

import math

import numpy as np
import pytest

from mcts_viz.engine.tree import OVER, UNOPENED
from mcts_viz.formulas.selection import selection_formula
from mcts_viz.games import game
from tests.engine.live import branch_into, live_trees
from tests.searches import prepare
from tests.variants import few


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "connect_four", "mnk:4,3,3", "sudo_tic_tac_toe", "ultimate_tic_tac_toe"]
)
@pytest.mark.parametrize("seed", few([1, 2]))
def test_links_and_untried_actions_agree_with_parents_and_rules(name: str, seed: int) -> None:
    rules = game(name)
    trees = live_trees(prepare(name, iterations=300, seed=seed, compile=False))
    moves: list[list[int]] = [[]]
    legal = [rules.legal(rules.position([])[0])]
    for tree in trees:
        n = len(tree["parent"])
        for v in range(len(moves), n):
            moves.append([*moves[tree["parent"][v]], int(tree["action"][v])])
            legal.append(rules.legal(rules.position(moves[v])[0]))
        children: list[list[int]] = [[] for _ in range(n)]
        for v in range(1, n):
            assert tree["parent"][v] < v
            children[tree["parent"][v]].append(v)
        for v in range(n):
            into = branch_into(tree, v)
            first, n_children = int(tree["first_branch"][into]), len(children[v])
            assert tree["n_children"][into] == n_children
            assert tree["branch_child"][first : first + n_children].tolist() == children[v]
            if tree["n_untried"][into] in (UNOPENED, OVER):
                assert children[v] == []
                assert (tree["n_untried"][into] == OVER) == (legal[v] == [])
                continue
            assert tree["n_untried"][into] == len(legal[v]) - n_children
            assert not tree["branch_child"][first + n_children : first + len(legal[v])].any()
            branches = tree["branch_action"][first : first + len(legal[v])].tolist()
            assert sorted(branches) == legal[v]
            assert branches[:n_children] == tree["action"][children[v]].tolist()


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_what_selection_compares_is_what_the_formula_says_now(name: str) -> None:
    formula = selection_formula("ucb1")
    for tree in live_trees(prepare(name, iterations=300, seed=1, c=0.7, compile=False))[::17]:
        for above in np.flatnonzero(tree["n_children"]):
            first = tree["first_branch"][above]
            total = int(tree["visits"][tree["branch_child"][above]])
            scores = []
            for branch in range(first, first + tree["n_children"][above]):
                child = tree["branch_child"][branch]
                value, exploration = formula(
                    tree["value_sum"][child], tree["visits"][child], total, math.log(total), 0, 0.7
                )
                assert tree["branch_value"][branch] == value
                assert tree["weight"][above] * tree["branch_width"][branch] == exploration
                scores.append(value + exploration)
            chosen = first + np.argmax(scores) if tree["n_untried"][above] == 0 else 0
            assert tree["next_branch"][above] == chosen


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_every_legal_first_move_is_tried_before_any_is_tried_twice(name: str) -> None:
    k = game(name).n_actions
    for tree in live_trees(prepare(name, iterations=2 * k, seed=1, compile=False)):
        t = int(tree["visits"][0])
        first_moves = tree["parent"] == 0
        assert first_moves.sum() == min(t, k)
        if t <= k:
            assert tree["visits"][first_moves].tolist() == [1] * t
