"""The tree's own links, after every iteration of a live search."""

import pytest

from mcts_viz.api import prepare
from mcts_viz.games import game
from mcts_viz.search.tree import NO_NODE
from tests.search.live import live_trees


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
@pytest.mark.parametrize("seed", [1, 2])
def test_links_and_untried_actions_agree_with_parents_and_rules(name: str, seed: int) -> None:
    rules = game(name)
    trees = live_trees(prepare(name, iterations=300, seed=seed, compile=False))
    moves: list[list[int]] = [[]]
    for tree in trees:
        n = len(tree["parent"])
        for v in range(len(moves), n):
            moves.append([*moves[tree["parent"][v]], int(tree["action"][v])])
        children: list[list[int]] = [[] for _ in range(n)]
        for v in range(1, n):
            assert tree["parent"][v] < v
            children[tree["parent"][v]].append(v)
        for v in range(n):
            linked = []
            child = int(tree["first_child"][v])
            while child != NO_NODE:
                linked.append(child)
                child = int(tree["next_sibling"][child])
            assert linked == children[v]
    for v, actions in enumerate(moves):
        legal = rules.legal(rules.position(actions)[0])
        assert tree["n_untried"][v] == len(legal) - len(children[v])


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_every_legal_first_move_is_tried_before_any_is_tried_twice(name: str) -> None:
    k = game(name).n_actions
    for tree in live_trees(prepare(name, iterations=2 * k, seed=1, compile=False)):
        t = int(tree["visits"][0])
        first_moves = tree["parent"] == 0
        assert first_moves.sum() == min(t, k)
        if t <= k:
            assert tree["visits"][first_moves].tolist() == [1] * t
