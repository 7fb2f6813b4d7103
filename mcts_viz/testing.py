"""Contract tests that others can import: does a game keep what `mcts_viz.Game` promises, and is a
search that was recorded a healthy one?

Needs no test runner: a check returns nothing, or raises an error that says what is wrong.
"""

from __future__ import annotations

import numbers
from collections.abc import Collection

from mcts_viz.analysis.health.catalogue import CHECKS
from mcts_viz.analysis.health.finding import SEVERITIES
from mcts_viz.api import Trace
from mcts_viz.errors import GameError, TraceError
from mcts_viz.games import FlatGame, Game, own_rules
from mcts_viz.games.contract import FlatAsGame, check_rules
from mcts_viz.games.own import OwnRules

__all__ = ["assert_healthy", "check_game"]


def check_game(game: Game | FlatGame, playouts: int = 100, seed: int = 0) -> None:
    """Test a game by random playouts; the same seed plays the same ones.

    Every answer of its methods must be one that the contract allows; `play` must leave the state it
    is given as it was, give states that share nothing which a move changes, and give the same one
    again for the same action; the other methods must depend on the state alone; a game must end
    within `max_moves` moves. In every position on the way all legal actions are tried, so the cost
    grows with their number. `legal_actions` is not asked where the game is over.

    Positions are compared by what the methods and `str(state)` say of them: the more the text
    shows, the more is found.

    Raises GameContractError, which names the method, the position and what to do.
    """
    if not isinstance(playouts, numbers.Integral) or isinstance(playouts, bool) or playouts < 1:
        raise GameError(f"playouts = {playouts!r} is not a whole number from 1 up; give one")
    rules = OwnRules(FlatAsGame(game)) if isinstance(game, FlatGame) else own_rules(game)
    check_rules(rules, int(playouts), seed, actions=None)


def assert_healthy(
    trace: Trace,
    *,
    game: Game | FlatGame | None = None,
    worst: str = "note",
    allowed: Collection[str] = (),
) -> None:
    """Check a recorded search; raises AssertionError that lists what was found.

    game: the rules of a game that is not built in. worst: the severity that is still healthy, "note",
    "warning" or "error". allowed: names of checks that may find something.
    """
    unknown = [name for name in allowed if name not in CHECKS]
    if unknown or worst not in SEVERITIES:
        raise TraceError(
            f"worst = {worst!r}, allowed = {list(allowed)!r}: severities are {', '.join(SEVERITIES)}, checks those of "
            "docs/health.md"
        )
    bad = [
        finding
        for finding in trace.check(game=game)
        if SEVERITIES.index(finding.severity) < SEVERITIES.index(worst)
        and finding.check not in allowed
    ]
    if bad:
        told = "\n".join(
            f"{finding}\n    usually: {CHECKS[finding.check].cause}" for finding in bad
        )
        raise AssertionError(f"the search is not healthy:\n{told}")
