"""Searches as tests ask for them: by the keywords of `mcts_viz.search`, checked but not run; and their trees."""

from __future__ import annotations

from typing import Any

from mcts_viz.engine.search import Search
from mcts_viz.engine.tree import Tree, rows_in_use
from mcts_viz.runs import rerun, search
from mcts_viz.runs.options import search_options
from mcts_viz.runs.search import PlannedSearch
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Numbers


def prepare(game: Any, preset: str = "uct", **options: Any) -> Search:
    return search.prepare(game, search_options(preset, **options))


def prepare_again(
    trace: Trace, resume: int | None = None, game: Any = None, **options: Any
) -> PlannedSearch:
    return rerun.prepare_again(trace, search_options(**options), resume, game)


def tree_columns(tree: Tree) -> dict[str, Numbers]:
    """The rows in use of every column, by name: to compare a tree with its recording."""
    return {name: getattr(tree, name)[:n] for name, n in rows_in_use(tree).items()}
