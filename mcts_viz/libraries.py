"""Searches of well-known libraries: one function each, which ties an adapter to our traces.

`watch_…` records a search as it runs, `from_…` makes traces of what a library leaves behind. None of
them needs its library to be imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mcts_viz.adapters import llm_reasoners, mctspy, mctx, snapshots
from mcts_viz.adapters.open_spiel import WatchedBot
from mcts_viz.adapters.recording import Recording
from mcts_viz.api import Trace
from mcts_viz.export.snapshot_document import read_snapshot_document
from mcts_viz.recorder import software
from mcts_viz.watching import record


def watch_mctspy(
    root: Any, path: str | Path | None = None, *, game: str | None = None, **changes: Any
) -> Recording[Trace]:
    """Watch a search of mctspy below its root node; use it as you use `record`.

        search = MonteCarloTreeSearch(root)
        with mcts_viz.watch_mctspy(root, "run.mcts", game="tic_tac_toe") as rec:
            for _ in rec.steps(lambda: search.best_action(1), 1000):
                pass

    game: a built-in one's name, whose actions are the cells of the board. changes: any argument of
    `record`, in place of the one that the adapter gives. Raises TraceError.
    """
    return record(path, **{**mctspy.arguments(root, game), **changes})


def watch_open_spiel(bot: Any, path: str | Path | None = None, **changes: Any) -> WatchedBot[Trace]:
    """Watch OpenSpiel's Python MCTSBot: every search that it makes in the `with` block is a trace.

        with mcts_viz.watch_open_spiel(bot, "run.mcts") as watched:
            action = bot.step(state)
        watched.trace

    The searches after the first one go to run-2.mcts, run-3.mcts, … The bot moves as it would alone.
    changes: any argument of `record`. Raises TraceError for a game of more than two players, or of
    two that is not zero-sum.
    """

    def begin(number: int, told: dict[str, Any]) -> Recording[Trace]:
        file = None if path is None else Path(path)
        if file is not None and number > 1:
            file = file.with_stem(f"{file.stem}-{number}")
        return record(file, **{**told, **changes})

    return WatchedBot(bot, begin)


def from_mctx(
    tree: Any,
    path: str | Path | None = None,
    *,
    players: Sequence[str] | None = None,
    game: str = "mctx",
    action_labels: Sequence[str] | None = None,
    state: Callable[[int, int], str] | None = None,
) -> list[Trace]:
    """The searches of a batch that a policy of mctx has run, from its output or its `search_tree`.

    path: a file; run-1.mcts, run-2.mcts, … where the batch has several searches. players: two names,
    or one for a search without an opponent; without it there are two where a discount is negative.
    state: the text of a position, from the number of the search and of the node. Raises TraceError
    for what is no search tree.
    """
    return mctx.traces_of(tree, path, Trace, software(), players, game, action_labels, state)


def from_llm_reasoners(source: str | Path, path: str | Path | None = None) -> Trace:
    """The search that a JSON log of llm-reasoners tells, and with `path` its trace in a file. Raises
    ImportFormatError for what is no such log."""
    return llm_reasoners.log_trace(source, path, Trace, software())


def from_snapshots(
    sources: str | Path | Sequence[str | Path], path: str | Path | None = None
) -> Trace:
    """One trace of several snapshots (JSON) of one search, in the order of their iterations: a row
    for each of them. One file may be given by its name alone. Raises ImportFormatError for what is no
    snapshot, or of another search."""
    names = [sources] if isinstance(sources, (str, Path)) else sources  # not letter by letter
    documents = [(str(source), read_snapshot_document(source)) for source in names]
    return snapshots.sequence_trace(documents, path, Trace)
