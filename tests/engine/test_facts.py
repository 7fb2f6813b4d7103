"""What is known of Monte Carlo tree search, found again: the searches play whole games."""

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from mcts_viz.engine.search import Search, run
from mcts_viz.engine.tree import Tree
from mcts_viz.formulas.final_move import final_move_rule, ranking
from mcts_viz.games import game
from tests.engine import references
from tests.engine.references import TURNING_POINT, minimax, starts
from tests.searches import prepare

Player = Callable[[Sequence[int], int], int]  # (moves so far, seed) -> the next one


def children_of_the_root(tree: Tree) -> np.ndarray[Any, np.dtype[np.int32]]:
    first = int(tree.first_branch[0])
    return tree.branch_child[first : first + int(tree.n_children[0])]


def final_move(tree: Tree, plan: Search) -> int:
    """The action that the search's own rule plays."""
    children = children_of_the_root(tree)
    low, high = plan.policies.value_range
    rule = final_move_rule(plan.policies.final_move)
    ranked = ranking(rule, tree.visits[children], tree.value_sum[children], high - low)
    return int(tree.action[children[ranked[0]]])


def engine(name: str, preset: str, iterations: int, **overrides: Any) -> Player:
    """Searches anew for every move."""

    def play(moves: Sequence[int], seed: int) -> int:
        plan = prepare(
            name,
            preset,
            iterations=iterations,
            seed=100 * seed + len(moves),
            start=moves,
            compile=True,
            **overrides,
        )
        return final_move(run(plan), plan)

    return play


def random_player(name: str) -> Player:
    rules = game(name)

    def play(moves: Sequence[int], seed: int) -> int:
        legal = rules.legal(rules.position(moves)[0])
        return random.Random(100 * seed + len(moves)).choice(legal)

    return play


def outcome(name: str, first: Player, second: Player, seed: int) -> tuple[float, list[int]]:
    """Of one game: the result in the view of the first player, and the moves."""
    rules = game(name)
    moves: list[int] = []
    while math.isnan(result := rules.rules.outcome(rules.position(moves)[0])):
        moves.append((second if len(moves) % 2 else first)(moves, seed))
    return result, moves


def self_play(preset: str, iterations: int) -> list[float]:
    """Results of a hundred games of Tic-Tac-Toe."""
    player = engine("tic_tac_toe", preset, iterations)
    return [outcome("tic_tac_toe", player, player, seed)[0] for seed in range(100)]


@pytest.mark.thorough
@pytest.mark.parametrize("preset", ["uct", "tech_io", "mctspy", "baeldung"])
def test_tic_tac_toe_is_a_draw_at_ten_thousand_iterations_and_not_always_at_twenty(
    preset: str,
) -> None:
    player = engine("tic_tac_toe", preset, 10_000)
    for seed in range(100):
        result, moves = outcome("tic_tac_toe", player, player, seed)
        assert result == 0.0, (seed, moves)
    assert self_play(preset, 20).count(0.0) < 90


@pytest.mark.thorough
def test_rhu2001_loses_tic_tac_toe_to_itself_for_it_does_not_foresee_good_replies() -> None:
    """The opponent's nodes collect no score, so that replies are searched evenly: what comes out is
    the move that is best against a random reply."""
    results = self_play("rhu2001", 10_000)
    assert results.count(1.0) > 30


@pytest.mark.thorough
@pytest.mark.parametrize("side", [0, 1])
def test_a_random_player_never_beats_uct_at_two_thousand_iterations(side: int) -> None:
    uct, other = engine("tic_tac_toe", "uct", 2_000), random_player("tic_tac_toe")
    first, second, for_uct = (uct, other, 1) if side == 0 else (other, uct, -1)
    results = []
    for seed in range(300):
        result, moves = outcome("tic_tac_toe", first, second, seed)
        assert for_uct * result >= 0, (seed, moves)
        results.append(for_uct * result)
    assert results.count(1) > 250


def best_moves(start: Sequence[int]) -> list[int]:
    """The moves that lose nothing against best play."""
    position = references.after("tic_tac_toe", start)
    result = minimax(position.board)
    return [action for action, board in position.legal if minimax(board) == result]


@pytest.mark.thorough
def test_the_higher_c_the_more_visits_go_to_suboptimal_moves() -> None:
    positions = [TURNING_POINT, *starts(120, (2, 3, 4))]
    one_best_move = [start for start in positions if len(best_moves(start)) == 1]
    assert len(one_best_move) >= 20
    # with less still, a search can stay with a bad move that its first simulations liked
    shares = [
        np.mean(
            [share_off_the_best(start, c, seed) for start in one_best_move for seed in range(10)]
        )
        for c in (0.5, 1.0, math.sqrt(2), 2.0, 4.0)
    ]
    assert np.all(np.diff(shares) > 0.05), shares


def share_off_the_best(start: Sequence[int], c: float, seed: int) -> float:
    """Of a search's visits to the root's moves, those that did not go to the best one."""
    tree = run(prepare("tic_tac_toe", iterations=500, seed=seed, start=start, c=c, compile=True))
    children = children_of_the_root(tree)
    visits = tree.visits[children]
    return 1 - int(visits[tree.action[children] == best_moves(start)[0]][0]) / int(visits.sum())


@pytest.mark.thorough
def test_decisive_simulations_beat_random_ones_at_connect_four() -> None:
    heavy, light = (
        engine("connect_four", "uct", 200, simulation=simulation)
        for simulation in ("decisive", "random")
    )
    first = [outcome("connect_four", heavy, light, seed)[0] for seed in range(100)]
    second = [outcome("connect_four", light, heavy, seed)[0] for seed in range(100, 200)]
    points = sum((1 + result) / 2 for result in first) + sum((1 - result) / 2 for result in second)
    assert points >= 0.6 * 200
