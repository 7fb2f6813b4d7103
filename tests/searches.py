"""Searches as tests ask for them: by the keywords of `mcts_viz.search`, checked but not run."""

from __future__ import annotations

from typing import Any

from mcts_viz.engine.search import Search
from mcts_viz.runs import rerun, search
from mcts_viz.runs.options import search_options
from mcts_viz.runs.search import PlannedSearch
from mcts_viz.trace.trace import Trace


def prepare(game: Any, preset: str = "uct", **options: Any) -> Search:
    return search.prepare(game, search_options(preset, **options))


def prepare_again(
    trace: Trace, resume: int | None = None, game: Any = None, **options: Any
) -> PlannedSearch:
    return rerun.prepare_again(trace, search_options(**options), resume, game)
