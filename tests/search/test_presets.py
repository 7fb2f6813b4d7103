"""Presets against independent searches: over many seeds, the same visits and values at the root.

The test for each root move is Welch's t-test of the means over seeds, at the 1 % level shared among
all comparisons of a game (Bonferroni).
"""

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch

import mcts_viz as mv
from mcts_viz.games import game

SEEDS = 200

Root = dict[int, tuple[float, float]]  # action -> (visits, mean value, view of the root's player)


def ours(name: str, preset: str, iterations: int, seed: int, start: Sequence[str] = ()) -> Root:
    trace = mv.search(name, preset, iterations=iterations, seed=seed, start=start, compile=False)
    root = trace.at(iterations)
    return {
        int(root.action[child]): (float(root.visits[child]), float(root.mean_value[child]))
        for child in root.children(0)
    }


def mctspy(iterations: int, seed: int) -> Root:
    np.random.seed(seed)  # noqa: NPY002 (the generator that mctspy draws from)
    root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
    MonteCarloTreeSearch(root).best_action(iterations)
    return {
        8 - i: (child.n, child.q / child.n)
        for i, child in enumerate(root.children)  # its last legal action comes first
    }


# sends to one local board: nine root moves, so that a hundred iterations are mostly selection
SUDO_START = ["board 5 cell 1"]


class Node:
    """A tree of objects: the row of `sudo_tic_tac_toe` written out, by visits, wins and losses."""

    def __init__(self, state: list[int], rules: Any, to_try: list[int]) -> None:
        self.state, self.rules, self.to_try = state, rules, to_try
        self.children: dict[int, Node] = {}
        self.visits = self.wins = self.losses = 0


def sudo(iterations: int, seed: int) -> Root:
    played, choose = game("sudo_tic_tac_toe"), random.Random(seed)

    def node(state: list[int]) -> Node:
        legal = played.legal(state)
        choose.shuffle(legal)
        return Node(state, played.rules, legal)

    root = node(played.position(SUDO_START)[0])
    for _ in range(iterations):
        path = [root]
        while not path[-1].to_try and path[-1].children:
            above = path[-1]
            scores = {
                child: (child.wins - child.losses) / child.visits
                + 0.1 * math.sqrt(2 * math.log(above.visits) / child.visits)
                for child in above.children.values()
            }
            path.append(max(scores, key=lambda child: scores[child]))
        if path[-1].to_try:
            action = path[-1].to_try.pop()
            state = list(path[-1].state)
            played.rules.play(state, action)
            path[-1].children[action] = node(state)
            path.append(path[-1].children[action])
        state = list(path[-1].state)
        while legal := played.legal(state):
            played.rules.play(state, choose.choice(legal))
        result = played.rules.outcome(state)
        for depth, each in enumerate(path):
            mover = -1 if depth % 2 else 1  # player 1, who moves at the root, moved into odd depths
            each.visits += 1
            each.wins += result * mover > 0
            each.losses += result * mover < 0
    return {
        action: (child.visits, (child.wins - child.losses) / child.visits)
        for action, child in root.children.items()
    }


def assert_same_means(mine: list[Root], theirs: list[Root], n_actions: int) -> None:
    """Visits and mean values of every root move agree within sampling error."""
    # two-sided 1 % shared by 2 · n_actions comparisons, normal approximation (200 seeds each)
    level = 0.01 / (2 * n_actions)
    limit = _normal_quantile(1 - level / 2)
    for action in range(n_actions):
        for column in (0, 1):
            a, b = (np.array([r[action][column] for r in roots]) for roots in (mine, theirs))
            error = math.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
            assert abs(a.mean() - b.mean()) <= limit * max(error, 1e-12), (action, column)


def _normal_quantile(p: float) -> float:
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if (1 + math.erf(middle / math.sqrt(2))) / 2 < p else (low, middle)
        )
    return low


REFERENCES: list[tuple[str, str, int, Sequence[str], Callable[[int, int], Root]]] = [
    ("mctspy", "tic_tac_toe", 150, (), mctspy),
    ("sudo_tic_tac_toe", "sudo_tic_tac_toe", 100, SUDO_START, sudo),
]


@pytest.mark.parametrize(("preset", "name", "iterations", "start", "reference"), REFERENCES)
def test_visits_and_values_agree_with_an_independent_search(
    preset: str,
    name: str,
    iterations: int,
    start: Sequence[str],
    reference: Callable[[int, int], Root],
) -> None:
    mine = [ours(name, preset, iterations, seed, start) for seed in range(SEEDS)]
    theirs = [reference(iterations, 10_000 + seed) for seed in range(SEEDS)]
    assert_same_means(mine, theirs, 9)


def test_the_comparison_sees_another_exploration_constant() -> None:
    mine = [
        {
            int(a): (float(v), float(m))
            for a, v, m in zip(root.action[1:10], root.visits[1:10], root.mean_value[1:10])
        }
        for root in (
            mv.search("tic_tac_toe", "mctspy", iterations=150, seed=seed, c=1.0, compile=False).at(
                150
            )
            for seed in range(SEEDS)
        )
    ]
    theirs = [mctspy(150, 10_000 + seed) for seed in range(SEEDS)]
    with pytest.raises(AssertionError):
        assert_same_means(mine, theirs, 9)


@pytest.mark.parametrize("preset", ["mctspy", "sudo_tic_tac_toe"])
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_compiled_and_interpreted_runs_of_a_preset_are_the_same(preset: str, name: str) -> None:
    slow, fast = (
        mv.search(name, preset, iterations=4_000, seed=3, compile=compiled).at(4_000)
        for compiled in (False, True)
    )
    for column in ("parent", "action", "visits", "value_sum"):
        assert np.array_equal(getattr(slow, column), getattr(fast, column)), column


@pytest.mark.parametrize(
    ("order", "expected"),
    [("first_legal_first", [3, 4, 5, 6, 7, 8]), ("last_legal_first", [8, 7, 6, 5, 4, 3])],
)
@pytest.mark.parametrize("compiled", [True, False])
def test_untried_moves_get_their_nodes_in_order(
    order: str, expected: list[int], compiled: bool
) -> None:
    trace = mv.search("tic_tac_toe", iterations=6, order=order, start=[0, 1, 2], compile=compiled)
    assert trace.at(6).action[1:7].tolist() == expected
    assert trace.meta["policies"]["expansion"]["order"] == order


def test_a_preset_brings_its_own_budget_and_says_what_it_is() -> None:
    trace = mv.search("sudo_tic_tac_toe", "sudo_tic_tac_toe", seed=1)
    assert trace.n_iterations == 100
    policies = trace.meta["policies"]
    assert policies["preset"] == "sudo_tic_tac_toe"
    assert (policies["selection"]["name"], policies["selection"]["c"]) == ("ucb1_double_log", 0.1)
    assert policies["final_move"]["name"] == "highest_mean"
    assert trace.meta["value_range"] == [-1.0, 1.0]


def test_an_order_that_there_is_not_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        mv.MctsVizError, match="order = 'best' is not known; choose one of: random, "
    ):
        mv.search("tic_tac_toe", order="best")
