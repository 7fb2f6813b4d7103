"""mcts_viz: record a Monte Carlo tree search iteration by iteration, step through it, and see why
it moved.

What is listed in `__all__` is the public API; nothing else is promised.
"""

from mcts_viz.api import Snapshot, Trace, open, search
from mcts_viz.errors import (
    ExportError,
    GameError,
    ImportFormatError,
    MctsVizError,
    PageError,
    SearchError,
    TraceError,
)
from mcts_viz.trace.iteration import Comparison, History, Iteration, Update

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "ExportError",
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
    "search",
]
