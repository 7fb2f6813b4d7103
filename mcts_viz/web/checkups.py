"""Findings about traces, each checked once for all who look at it, as long as it does not grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mcts_viz.analysis.health.finding import Finding
from mcts_viz.trace.trace import Trace
from mcts_viz.web.view_routes import Cache

KEPT = 8  # traces whose findings are remembered


class Checkups:
    """Findings of the last few traces. Two checks of different traces do not wait for one another."""

    def __init__(self, check: Callable[[Trace], Sequence[Finding]]) -> None:
        self._check = check
        self._known = Cache(KEPT)

    def of(self, key: str, trace: Trace) -> Sequence[Finding]:
        """Findings of the trace of that key."""
        version = (key, id(trace), trace.n_iterations)
        # with the trace, so that no other one gets its id while the findings are kept
        return self._known.get(version, lambda: (trace, self._check(trace)))[1]
