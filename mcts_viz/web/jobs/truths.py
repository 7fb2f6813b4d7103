"""Game-theoretic values of the traces that people look at: solved in a thread of their own, one after the other,
so that no request waits for them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeAlias

from mcts_viz.analysis.game_value.values import GameValues, game_values, unknown_rules
from mcts_viz.errors import MctsVizError
from mcts_viz.games.position import start_position
from mcts_viz.solver.positions import solved_positions
from mcts_viz.trace.trace import Trace
from mcts_viz.web.jobs.one_by_one import OneByOne

KEPT = 8  # traces
KEPT_NODES = 32  # of all traces; requested while a page shows them

Known: TypeAlias = (
    "OrderedDict[tuple[str, int, int], Future[GameValues | str]]"  # key, iterations, node
)


def values_of(trace: Trace, node: int = 0) -> GameValues:
    """Game-theoretic values of the moves at a node; with those at the root, of the most visited nodes."""
    nodes = None if node == 0 else ()
    return game_values(
        trace,
        solved_positions(trace.meta.game.name, trace.meta.start),
        trace.n_iterations,
        node,
        nodes,
    )


class Truths:
    """What is known of the last few traces. Thread-safe."""

    def __init__(self, solve: Callable[[Trace, int], GameValues] = values_of) -> None:
        self._solve = solve
        self._known: Known = OrderedDict()
        self._of_nodes: Known = OrderedDict()
        self._lock = threading.Lock()
        self._worker = OneByOne("solver")

    def ask(self, key: str, trace: Trace, node: int = 0) -> GameValues | str | None:
        """The truth of a trace at a node, or why there is none, in words; None while it is being
        solved, which the first question begins."""
        if not trace.complete:
            return "game-theoretic values are computed when the recording is complete"
        known, most = (self._of_nodes, KEPT_NODES) if node else (self._known, KEPT)
        game = trace.meta.game.name
        if start_position(game, ()) is None:
            return unknown_rules(game)  # nothing to solve: that is not queued behind others
        with self._lock:
            name = (key, trace.n_iterations, node)
            if name not in known:
                known[name] = self._worker.submit(partial(self._solved, trace, node))
                while len(known) > most:
                    known.popitem(last=False)[1].cancel()
            found = known[name]
            known.move_to_end(name)
        return found.result() if found.done() else None

    def known(self, key: str, trace: Trace) -> GameValues | None:
        """The truth of a trace at its root, None where it is not there (yet); begins nothing."""
        with self._lock:
            found = self._known.get((key, trace.n_iterations, 0))
        values = found.result() if found is not None and found.done() else None
        return values if isinstance(values, GameValues) else None

    def _solved(self, trace: Trace, node: int) -> GameValues | str:
        try:
            return self._solve(trace, node)
        except MctsVizError as err:
            return str(err)
        except Exception as err:  # noqa: BLE001 (the page shows the error)
            return f"solving stopped with an error of the program: {type(err).__name__}: {err}"
