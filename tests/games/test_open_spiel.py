"""Rules of the built-in games against OpenSpiel's, an independent implementation."""

import math
import random
from typing import Any

import pytest

from mcts_viz.games import FlatGame, game
from tests.lazy import pyspiel

# our name and theirs
NAMES = [
    ("tic_tac_toe", "tic_tac_toe"),
    ("connect_four", "connect_four"),
    ("mnk:3,3,3", "mnk(m=3,n=3,k=3)"),
    ("mnk:5,4,3", "mnk(m=5,n=4,k=3)"),
    ("mnk:4,5,4", "mnk(m=4,n=5,k=4)"),
    ("mnk:7,3,3", "mnk(m=7,n=3,k=3)"),
    ("mnk:15,15,5", "mnk(m=15,n=15,k=5)"),
]


def perft(played: FlatGame, depth: int) -> list[int]:
    """How many sequences of 1, 2, … `depth` moves there are. Counts each position once and
    multiplies by the ways to reach it."""
    ways = {tuple(played.start_state()): 1}
    counts = []
    for _ in range(depth):
        after: dict[tuple[int, ...], int] = {}
        for position, n in ways.items():
            for action in played.legal(position):
                state = list(position)
                played.rules.play(state, action)
                after[tuple(state)] = after.get(tuple(state), 0) + n
        ways = after
        counts.append(sum(ways.values()))
    return counts


def open_spiel_perft(name: str, depth: int) -> list[int]:
    """The same, move by move."""
    counts = [0] * depth

    def walk(state: Any, done: int) -> None:
        for action in state.legal_actions():
            counts[done] += 1
            if done + 1 < depth:
                walk(state.child(action), done + 1)

    walk(pyspiel.load_game(name).new_initial_state(), 0)
    return counts


@pytest.mark.parametrize(("name", "depth"), [("tic_tac_toe", 9), ("connect_four", 7)])
def test_perft_equals_open_spiels(name: str, depth: int) -> None:
    assert perft(game(name), depth) == open_spiel_perft(name, depth)


def test_perft_equals_the_published_counts() -> None:
    ways = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert perft(game("tic_tac_toe"), 9) == ways
    assert perft(game("connect_four"), 7) == [7, 49, 343, 2401, 16807, 117649, 823536]


@pytest.mark.parametrize(("name", "open_spiels"), NAMES)
def test_random_games_go_as_in_open_spiel(name: str, open_spiels: str) -> None:
    choose = random.Random(1)
    for _ in range(100):
        played = game(name)
        mine, theirs = played.start_state(), pyspiel.load_game(open_spiels).new_initial_state()
        moves = 0
        while not theirs.is_terminal():
            assert math.isnan(played.rules.outcome(mine))
            assert played.rules.to_move(mine) == theirs.current_player()
            assert played.legal(mine) == theirs.legal_actions()
            action = choose.choice(theirs.legal_actions())
            played.rules.play(mine, action)
            theirs.apply_action(action)
            moves += 1
        assert played.rules.outcome(mine) == theirs.returns()[0]
        assert played.legal(mine) == []
        assert moves <= played.max_moves
