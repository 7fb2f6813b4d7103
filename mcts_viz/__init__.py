"""mcts_viz: record a Monte Carlo tree search iteration by iteration, step through it, and see why
it moved.

What is listed in `__all__`, here and in `mcts_viz.testing`, is the public API; nothing else is
promised. Each name is loaded when it is first asked for, so that `import mcts_viz` costs next to
nothing.
"""

import importlib
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcts_viz.analysis.choice.explanation import Explanation as Explanation
    from mcts_viz.analysis.choice.sensitivity import Sensitivity as Sensitivity
    from mcts_viz.analysis.comparison.trees import TreeComparison as TreeComparison
    from mcts_viz.analysis.comparison.trees import compare as compare
    from mcts_viz.analysis.history.events import Event as Event
    from mcts_viz.analysis.history.events import Events as Events
    from mcts_viz.analysis.origin.origin import Contribution as Contribution
    from mcts_viz.analysis.origin.origin import Origin as Origin
    from mcts_viz.analysis.origin.range_totals import RangeTotals as RangeTotals
    from mcts_viz.api import Snapshot as Snapshot
    from mcts_viz.api import Trace as Trace
    from mcts_viz.api import from_llm_reasoners as from_llm_reasoners
    from mcts_viz.api import from_mctx as from_mctx
    from mcts_viz.api import from_snapshots as from_snapshots
    from mcts_viz.api import open as open
    from mcts_viz.api import probe as probe
    from mcts_viz.api import record as record
    from mcts_viz.api import record_tables as record_tables
    from mcts_viz.api import search as search
    from mcts_viz.api import watch_mctspy as watch_mctspy
    from mcts_viz.api import watch_mctx as watch_mctx
    from mcts_viz.api import watch_open_spiel as watch_open_spiel
    from mcts_viz.errors import ArgumentError as ArgumentError
    from mcts_viz.errors import ExportError as ExportError
    from mcts_viz.errors import GameContractError as GameContractError
    from mcts_viz.errors import GameError as GameError
    from mcts_viz.errors import ImportFormatError as ImportFormatError
    from mcts_viz.errors import MctsVizError as MctsVizError
    from mcts_viz.errors import PageError as PageError
    from mcts_viz.errors import SearchError as SearchError
    from mcts_viz.errors import TraceError as TraceError
    from mcts_viz.games.protocol import Game as Game
    from mcts_viz.games.rules import FlatGame as FlatGame
    from mcts_viz.health.finding import Finding as Finding
    from mcts_viz.health.verdict import Verdict as Verdict
    from mcts_viz.importing.formats import import_trace as import_trace
    from mcts_viz.many import Fleet as Fleet
    from mcts_viz.many import ManyTraces as ManyTraces
    from mcts_viz.many import fleet as fleet
    from mcts_viz.many import play_series as play_series
    from mcts_viz.many import search_many as search_many
    from mcts_viz.page import show as show
    from mcts_viz.runs.grid import sensitivity as sensitivity
    from mcts_viz.runs.probe_positions import ProbePosition as ProbePosition
    from mcts_viz.runs.probe_report import Probe as Probe
    from mcts_viz.runs.probe_report import ProbeFinding as ProbeFinding
    from mcts_viz.trace.iteration import Comparison as Comparison
    from mcts_viz.trace.iteration import History as History
    from mcts_viz.trace.iteration import Iteration as Iteration
    from mcts_viz.trace.iteration import Update as Update
    from mcts_viz.trace.many_writer import ManyWriter as ManyWriter

# where each public name is; type checkers read the imports above, which a test compares with this
MODULES = {
    "ArgumentError": "errors",
    "Comparison": "trace.iteration",
    "Contribution": "analysis.origin.origin",
    "Event": "analysis.history.events",
    "Events": "analysis.history.events",
    "Explanation": "analysis.choice.explanation",
    "ExportError": "errors",
    "Finding": "health.finding",
    "FlatGame": "games.rules",
    "Fleet": "many",
    "Game": "games.protocol",
    "GameContractError": "errors",
    "GameError": "errors",
    "History": "trace.iteration",
    "ImportFormatError": "errors",
    "Iteration": "trace.iteration",
    "ManyTraces": "many",
    "ManyWriter": "trace.many_writer",
    "MctsVizError": "errors",
    "PageError": "errors",
    "Origin": "analysis.origin.origin",
    "Probe": "runs.probe_report",
    "ProbeFinding": "runs.probe_report",
    "ProbePosition": "runs.probe_positions",
    "RangeTotals": "analysis.origin.range_totals",
    "SearchError": "errors",
    "Sensitivity": "analysis.choice.sensitivity",
    "Snapshot": "api",
    "Trace": "api",
    "TraceError": "errors",
    "TreeComparison": "analysis.comparison.trees",
    "Update": "trace.iteration",
    "Verdict": "health.verdict",
    "compare": "analysis.comparison.trees",
    "fleet": "many",
    "from_llm_reasoners": "api",
    "from_mctx": "api",
    "from_snapshots": "api",
    "import_trace": "importing.formats",
    "open": "api",
    "play_series": "many",
    "probe": "api",
    "record": "api",
    "record_tables": "api",
    "search": "api",
    "search_many": "many",
    "sensitivity": "runs.grid",
    "show": "page",
    "watch_mctspy": "api",
    "watch_mctx": "api",
    "watch_open_spiel": "api",
}

__version__ = "0.1.0"
__all__ = list(MODULES)


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # rich draws a number as it is loaded, and a search may have been seeded
    drawn = random.getstate()
    try:
        found = getattr(importlib.import_module(f"{__name__}.{MODULES[name]}"), name)
    finally:
        random.setstate(drawn)
    globals()[name] = found  # next time without asking here
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *MODULES})
