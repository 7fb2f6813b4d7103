"""What a policy costs: the speed of a search with it against that of preset `uct`, compiled, nobody
watching; and how long a move of Ultimate Tic-Tac-Toe takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import mcts_viz as mv
from benchmarks.figures import Figure, fastest, seconds
from mcts_viz.engine.search import run
from mcts_viz.runs.options import search_options
from mcts_viz.runs.search import prepare

ITERATIONS = {"tic_tac_toe": 300_000, "connect_four": 200_000, "ultimate_tic_tac_toe": 50_000}
ROUNDS = 4
GOAL = 0.25
# name, policies, whether the issue sets a goal for it
POLICIES: tuple[tuple[str, dict[str, Any], bool], ...] = (
    ("decisive simulations", {"simulation": "decisive"}, True),
    ("puct", {"selection": "puct", "expansion": "all_children"}, True),
    ("preset alphazero", {"preset": "alphazero"}, False),
    ("ucb1_tuned", {"selection": "ucb1_tuned"}, False),
    ("preset tech_io", {"preset": "tech_io"}, False),
    ("solver", {"solver": True}, False),
)
MOVE_ITERATIONS = 100_000
MOVE_SECONDS = 1.2  # "about a second"


def measure() -> Iterator[Figure]:
    """Iterations a second with a policy ÷ without, in turns; compiling excluded."""
    for game, iterations in ITERATIONS.items():
        plain = search(game, iterations)
        for name, policies, has_goal in POLICIES:
            with_it = search(game, iterations, **policies)
            base, mine = fastest(ROUNDS, plain, with_it)
            how = f"{iterations / mine:,.0f} a second ÷ {iterations / base:,.0f}"
            goal = GOAL if has_goal else None
            yield Figure(f"{game}: speed of {name} ÷ uct", base / mine, "×", goal, True, how)
    move = partial(
        mv.search, "ultimate_tic_tac_toe", iterations=MOVE_ITERATIONS, seed=1, compile=True
    )
    move()
    fastest_move = min(seconds(move) for _ in range(ROUNDS))
    what = f"ultimate_tic_tac_toe: a recorded move of {MOVE_ITERATIONS:,} iterations"
    yield Figure(what, fastest_move, "s", MOVE_SECONDS)


def search(game: str, iterations: int, **policies: Any) -> Callable[[], object]:
    """A search that has run once before."""
    options: dict[str, Any] = {"seed": 1, "compile": True, **policies}
    run(prepare(game, search_options(iterations=100, **options)))
    return lambda: run(prepare(game, search_options(iterations=iterations, **options)))
