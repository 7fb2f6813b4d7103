"""The move that lost a game, by the solver, and whether a longer search would have found a better one."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from mcts_viz.engine.search import run
from mcts_viz.games.position import StartPosition
from mcts_viz.runs.engine_move import best_actions
from mcts_viz.runs.match import Match, MatchState, Move
from mcts_viz.runs.search import within
from mcts_viz.solver.positions import SolvedPositions
from mcts_viz.trace.words import plural

LONGER = (10, 100)  # times as many iterations
MOST_ITERATIONS = 20_000  # of a longer search
SHORT = 9  # moves of a game that needs no compiled solver
SHARE = 10  # part of the solver's usual work for one position


class LosingMove(NamedTuple):
    """After this move of an engine the game was lost, and before it was not."""

    move: Move
    player: str
    iterations: int  # of its search
    more: (
        int | None
    )  # with which the search plays a move that does not lose; None: with none of those tried
    better: str | None  # that move

    def __str__(self) -> str:
        move = f"{self.move.name} (move {self.move.number})"
        told = f"{self.player} lost by a mistake, {move}, at {plural(self.iterations, 'iteration')}"
        if self.more is None:
            return told
        return f"{told}: at {self.more:,} the search plays {self.better}, which does not lose"


def mistake_of(
    match: Match, standing: MatchState | None = None, memory: int | None = None
) -> LosingMove | None:
    """The last move by which the losing engine gave away a game that it had not lost; None where there is none, no
    engine has lost, or the solver does not know. standing: of the match, as it is now where none is given; memory:
    megabytes for a longer search."""
    now = match.standing if standing is None else standing
    if not now.outcome:
        return None
    loser = 1 if now.outcome > 0 else 0
    if match.sides[loser] is None:
        return None
    game = match.game
    if game.max_moves <= SHORT:
        game = replace(game, compilable=False)  # solved before the solver would be compiled
    solver = SolvedPositions(StartPosition(game))
    lost = -1 if loser == 0 else 1  # as the solver says it, view of player 0
    actions = now.actions
    for move in reversed(now.moves):
        before = actions[: move.number - 1]
        if move.player != loser:
            continue
        known = solver.solve(before, solver.limit // SHARE, distance=False).result
        if known is None:
            return None
        if known != lost:
            return _looked_at_longer(match, move, before, solver, lost, memory)
    return None


def _looked_at_longer(
    match: Match,
    move: Move,
    before: tuple[int, ...],
    solver: SolvedPositions,
    lost: int,
    memory: int | None,
) -> LosingMove:
    assert move.search is not None
    told = LosingMove(move, match.players[move.player], move.search.iterations, None, None)
    for factor in LONGER:
        n = factor * told.iterations
        if n > MOST_ITERATIONS:
            break
        plan = match.plan_at(before, move.player)
        plan = replace(plan, budget=plan.budget._replace(iterations=n, seconds=None))
        better = best_actions(plan, run(within(plan, memory)))[0]
        result = solver.solve((*before, better), solver.limit // SHARE, distance=False).result
        if result is not None and result != lost:
            return told._replace(more=n, better=match.game.action_labels[better])
    return told
