"""Iterations a second with the trace written to disk, against two peers that record nothing.

OpenSpiel's C++ `MCTSBot`: random rollouts, no solver, as many simulations, the same exploration: its
returns lie in [−1, 1] and ours in [0, 1], so that its constant is twice ours. mctspy, pure Python,
is measured over fewer iterations, for a million would take it a quarter of an hour.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyspiel
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch

import mcts_viz as mv
from benchmarks.figures import Figure, fastest, seconds

ITERATIONS = 1_000_000
MCTSPY_ITERATIONS = 2_000
ROUNDS = 5
GOALS = {"tic_tac_toe": 5.0, "connect_four": 12.0, "ultimate_tic_tac_toe": 5.0}
FEWER = {"ultimate_tic_tac_toe": 200_000}  # OpenSpiel would take half a minute for a million
GOAL_MCTSPY = 500.0


def measure() -> Iterator[Figure]:
    """Compiling is excluded: each search has run once before."""
    with tempfile.TemporaryDirectory() as folder:
        for game, goal in GOALS.items():
            ours = recorded_search(game, Path(folder) / "trace.mcts")
            ours(1_000)
            iterations = FEWER.get(game, ITERATIONS)
            mine, theirs = fastest(
                ROUNDS, partial(ours, iterations), open_spiel_search(game, iterations)
            )
            how = f"{iterations / mine:,.0f} a second ÷ {iterations / theirs:,.0f}"
            yield Figure(
                f"{game}: speed with trace ÷ OpenSpiel", theirs / mine, "×", goal, True, how
            )
            if game == "tic_tac_toe":
                rate = MCTSPY_ITERATIONS / min(seconds(mctspy_search) for _ in range(ROUNDS))
                how = f"{ITERATIONS / mine:,.0f} a second ÷ {rate:,.0f}"
                ratio = ITERATIONS / mine / rate
                yield Figure(
                    f"{game}: speed with trace ÷ mctspy", ratio, "×", GOAL_MCTSPY, True, how
                )


def recorded_search(game: str, path: Path) -> Callable[[int], object]:
    """A search of so many iterations, its trace on disk when it returns."""
    return lambda iterations: mv.search(
        game, iterations=iterations, seed=1, path=path, compile=True
    )


def open_spiel_search(name: str, iterations: int) -> Callable[[], object]:
    """The same search by OpenSpiel."""
    game = pyspiel.load_game(name)

    def search() -> object:
        bot = pyspiel.MCTSBot(
            game, pyspiel.RandomRolloutEvaluator(1, 1), 2 * math.sqrt(2), iterations, 4_000, False, 1, False
        )  # fmt: skip
        return bot.mcts_search(game.new_initial_state())

    return search


def mctspy_search() -> object:
    """The search of mctspy's own example."""
    root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
    return MonteCarloTreeSearch(root).best_action(MCTSPY_ITERATIONS)
