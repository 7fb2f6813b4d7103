"""The solver compiled for one game, cached on disk as the search is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from mcts_viz.compiling.jit import jit_entry, jit_part, plain, sources_digest, with_globals
from mcts_viz.games import FlatGame, rules
from mcts_viz.solver import alpha_beta
from mcts_viz.solver.alpha_beta import Stack, Table
from mcts_viz.types import Document

SOURCES = (rules, alpha_beta)
# each after those that it calls
PARTS = ("hash_state", "order_moves", "enter", "remember", "take_in", "solve")


def _entry(stack: Stack, table: Table, ply: int, alpha: int, beta: int, limit: int) -> Any:
    return SOLVE(stack, table, ply, alpha, beta, limit)


def _unbound(*arguments: Any) -> Any:
    raise AssertionError("a name of `_entry` that `compiled` has not bound")


SOLVE: Callable[..., Any] = _unbound


@cache
def compiled(game: FlatGame) -> Callable[..., tuple[int, int, bool]]:
    """`alpha_beta.solve` for a compilable game. The first call takes some seconds where no earlier
    process has left the compiled code on disk."""
    played = game.rules
    moves = played.decisive_actions or played.legal_actions
    names: Document = {
        "PLAY": jit_part(played.play),
        "OUTCOME": jit_part(played.outcome),
        "TO_MOVE": jit_part(played.to_move),
        # a player who can win at once does, and one who can avoid to lose at once does: no other
        # move is better, so these alone decide what a position is worth
        "MOVES": jit_part(moves),
    }
    for part in PARTS:
        names[part] = jit_part(with_globals(getattr(alpha_beta, part), names))
    rules_of = [function for function in played if function is not None]
    entry = with_globals(_entry, {"SOLVE": names["solve"]})
    entry.__qualname__ = entry.__name__ = (
        f"solve_{plain(game.name)}_{sources_digest(SOURCES, rules_of)}"
    )
    return jit_entry(entry)  # type: ignore[no-any-return]
