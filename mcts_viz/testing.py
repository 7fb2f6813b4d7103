"""Contract tests that others can import: does a game keep what `mcts_viz.Game` promises, and is a
search that was recorded a healthy one?

Needs no test runner: a check returns nothing, or raises an error that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from mcts_viz.api import Trace, probe
from mcts_viz.errors import GameError, TraceError
from mcts_viz.games import FlatGame, Game, own_rules
from mcts_viz.games.contract import FlatAsGame, check_rules
from mcts_viz.games.own import OwnRules
from mcts_viz.health.acceptance import outstanding, reasons_for
from mcts_viz.health.catalogue import CHECKS
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.runs.probe import GAME, ITERATIONS, MakeSearch
from mcts_viz.types import is_whole

__all__ = ["assert_healthy", "assert_search_healthy", "check_game"]


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
    if not is_whole(playouts) or playouts < 1:
        raise GameError(f"playouts = {playouts!r} is not a whole number from 1 up; give one")
    rules = OwnRules(FlatAsGame(game)) if isinstance(game, FlatGame) else own_rules(game)
    check_rules(rules, int(playouts), seed, actions=None)


def assert_healthy(
    trace: Trace,
    *,
    game: Game | FlatGame | None = None,
    worst: str = "note",
    allowed: Collection[str] = (),
    accept: Mapping[str, str] | None = None,
    baseline: str | Path | None = None,
) -> None:
    """Check a recorded search; raises AssertionError that lists what was found.

    game: the rules of a game that is not built in. worst: the severity that is still healthy, "note",
    "warning" or "error". allowed: names of checks that may find something. accept: the same, each with
    the reason. baseline: a file of such reasons, as `mcts-viz check --write-baseline` writes it.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    reasons = reasons_for(accept, baseline)
    bad = _unhealthy(trace.check(game=game, accept=reasons), worst, allowed)
    if bad:
        told = "\n".join(
            f"{finding}\n    usually: {CHECKS[finding.check].cause}" for finding in bad
        )
        raise AssertionError(f"the search is not healthy:\n{told}")


def assert_search_healthy(
    make_search: MakeSearch,
    game: str | Game | FlatGame = GAME,
    *,
    iterations: int = ITERATIONS,
    positions: Sequence[Sequence[str | int]] | None = None,
    worst: str = "note",
    allowed: Collection[str] = (),
    accept: Mapping[str, str] | None = None,
    baseline: str | Path | None = None,
    seed: int = 1,
    folder: str | Path | None = None,
) -> None:
    """Probe a search as `mcts_viz.probe` does; raises AssertionError with the report where a finding is
    worse than `worst`. The other arguments are those of `probe` and `assert_healthy`."""
    found = probe(
        make_search, game, iterations=iterations, positions=positions,
        accept=reasons_for(accept, baseline), seed=seed, folder=folder,
    )  # fmt: skip
    if _unhealthy(found.findings, worst, allowed):
        raise AssertionError(f"the search is not healthy: {found}")


def _unhealthy(findings: Sequence[Finding], worst: str, allowed: Collection[str]) -> list[Finding]:
    """Those that are worse, and not allowed or accepted; raises TraceError for unknown
    names."""
    if any(name not in CHECKS for name in allowed) or worst not in SEVERITIES:
        raise TraceError(
            f"worst = {worst!r}, allowed = {list(allowed)!r}: severities are {', '.join(SEVERITIES)}, checks those of "
            "docs/health.md"
        )
    limit = SEVERITIES.index(worst)
    return [
        finding
        for finding in outstanding(findings)
        if SEVERITIES.index(finding.severity) < limit and finding.check not in allowed
    ]
