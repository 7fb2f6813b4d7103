"""mcts_viz: record a Monte Carlo tree search iteration by iteration, step through it, and see why
it moved.

What is listed in `__all__`, here and in `mcts_viz.testing`, is the public API; nothing else is
promised.
"""

import importlib
from typing import TYPE_CHECKING, Any

from mcts_viz.analysis.explanation import Explanation
from mcts_viz.analysis.health.finding import Finding
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
from mcts_viz.trace.iteration import Comparison, History, Iteration, Update
from mcts_viz.watching import record

if TYPE_CHECKING:
    from mcts_viz.page import show

__version__ = "0.1.0"

__all__ = [
    "Comparison",
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
    "Snapshot",
    "Trace",
    "TraceError",
    "Update",
    "open",
    "record",
    "search",
    "show",
]


def __getattr__(name: str) -> Any:
    """`show` brings Dash with it, half a second that a script without a page need not wait for."""
    if name == "show":
        return importlib.import_module("mcts_viz.page").show
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
