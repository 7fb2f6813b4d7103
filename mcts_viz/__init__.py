"""mcts_viz: record a Monte Carlo tree search iteration by iteration, step through it, and see why
it moved.

What is listed in `__all__`, here and in `mcts_viz.testing`, is the public API; nothing else is
promised.
"""

import importlib
from typing import TYPE_CHECKING, Any

from mcts_viz.analysis.comparison import TreeComparison, compare
from mcts_viz.analysis.events import Event, Events
from mcts_viz.analysis.explanation import Explanation
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.sensitivity import Sensitivity
from mcts_viz.api import Snapshot, Trace, open, search
from mcts_viz.errors import (
    ExportError,
    GameContractError,
    GameError,
    ImportFormatError,
    MctsVizError,
    PageError,
    SearchError,
    TraceError,
)
from mcts_viz.games import FlatGame, Game
from mcts_viz.importing import import_trace
from mcts_viz.libraries import (
    from_llm_reasoners,
    from_mctx,
    from_snapshots,
    watch_mctspy,
    watch_open_spiel,
)
from mcts_viz.trace.iteration import Comparison, History, Iteration, Update
from mcts_viz.watching import record

if TYPE_CHECKING:
    from mcts_viz.grid import sensitivity
    from mcts_viz.page import show

LATER = {"show": "mcts_viz.page", "sensitivity": "mcts_viz.grid"}  # modules loaded when asked for

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Event",
    "Events",
    "Explanation",
    "ExportError",
    "Finding",
    "FlatGame",
    "Game",
    "GameContractError",
    "GameError",
    "History",
    "ImportFormatError",
    "Iteration",
    "MctsVizError",
    "PageError",
    "SearchError",
    "Sensitivity",
    "Snapshot",
    "Trace",
    "TraceError",
    "TreeComparison",
    "Update",
    "compare",
    "from_llm_reasoners",
    "from_mctx",
    "from_snapshots",
    "import_trace",
    "open",
    "record",
    "search",
    "sensitivity",
    "show",
    "watch_mctspy",
    "watch_open_spiel",
]


def __getattr__(name: str) -> Any:
    """`show` brings Dash with it, half a second that a script without a page need not wait for;
    `sensitivity` brings joblib."""
    if name in LATER:
        return getattr(importlib.import_module(LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
