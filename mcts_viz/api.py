"""The public API: search, open, and a trace with everything that the layers above it can say about
it.

Ties the layers together and computes nothing itself.
"""

from __future__ import annotations

import json
import numbers
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from mcts_viz import games
from mcts_viz.analysis.decision import BY_VISITS
from mcts_viz.analysis.explanation import Explanation, explain
from mcts_viz.errors import SearchError
from mcts_viz.export.formats import write
from mcts_viz.export.node_link import to_node_link
from mcts_viz.export.snapshot_document import (
    SnapshotDocument,
    looks_like_json,
    read_snapshot_document,
)
from mcts_viz.progress import progress_bar
from mcts_viz.recorder import Recorder
from mcts_viz.search.budget import budget
from mcts_viz.search.engine import Search, run, search_moves
from mcts_viz.search.evaluator import evaluator_name
from mcts_viz.search.presets import policies
from mcts_viz.trace import trace as traces
from mcts_viz.trace.format import FORMAT_VERSION, Rows
from mcts_viz.trace.snapshot import Snapshot as TraceSnapshot


class Snapshot(TraceSnapshot):
    """The tree at one iteration, with its exports."""

    def to_networkx(self) -> nx.DiGraph[int]:
        """The tree as a directed graph: every column of the snapshot as a node attribute, `action`
        on every edge."""
        return nx.node_link_graph(to_node_link(self), edges="edges")

    def to_json(self, path: str | Path | None = None) -> str | None:
        """Networkx node-link JSON, described by docs/snapshot.schema.json: written to `path`, or
        returned as text."""
        if path is None:
            return json.dumps(to_node_link(self), ensure_ascii=False, allow_nan=False)
        write(self, path, suffix=".json")
        return None

    def export(self, path: str | Path) -> None:
        """Write to `path` in the format that its suffix names; raises ExportError listing those
        there are."""
        write(self, path)


class Trace(traces.Trace):
    """A recorded search."""

    snapshot_type = Snapshot

    def at(self, t: int) -> Snapshot:
        """The tree after `t` iterations, from 0 to `n_iterations`; raises TraceError for another
        one."""
        snapshot = super().at(t)
        assert isinstance(snapshot, Snapshot)
        return snapshot

    def explain(
        self, t: int | None = None, node: int = 0, why_not: str | int | None = None
    ) -> Explanation:
        """Why the final-move rule chooses what it does at `node` after iteration t (the last one),
        and why not the move `why_not`, a name or an action id. `str` says it in words. Raises
        TraceError for what the trace does not have."""
        return explain(self, self.n_iterations if t is None else t, node, why_not)


def prepare(
    game: str | games.Game | games.FlatGame,
    preset: str = "uct",
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    memory: int | None = None,
    decided: bool = False,
    seed: int | None = None,
    start: Sequence[str | int] = (),
    rollouts: bool = True,
    compile: bool | None = None,
    **overrides: Any,
) -> Search:
    """Check everything about a search before it runs; raises MctsVizError naming what is wrong. See
    `search`."""
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
        raise SearchError(
            f"seed = {seed!r} is not a whole number from 0 up; give one, or None to have one drawn"
        )
    played = games.any_game(game)
    chosen = policies(preset, overrides)
    chosen = replace(
        chosen, evaluator=evaluator_name(chosen.evaluator, chosen.needs_evaluator, played)
    )
    if decided is True and chosen.final_move not in BY_VISITS:
        raise SearchError(
            f"decided = True is for moves chosen by visits, and final_move is {chosen.final_move}; "
            "give final_move='most_visits' with it, or leave it out"
        )
    default = (chosen.iterations, chosen.seconds)
    return Search(
        game=played,
        policies=chosen,
        budget=budget(iterations, seconds, default, nodes, memory, decided),
        seed=int(seed),
        start=search_moves(played, start),
        keep_rollouts=rollouts,
        compile=compile,
    )


def search(
    game: str | games.Game | games.FlatGame,
    preset: str = "uct",
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    memory: int | None = None,
    decided: bool = False,
    seed: int | None = None,
    start: Sequence[str | int] = (),
    path: str | Path | None = None,
    progress: bool = False,
    rollouts: bool = True,
    compile: bool | None = None,
    **overrides: Any,
) -> Trace:
    """Run a search and record every iteration of it.

    game: a name such as "connect_four", or a game of your own, see `Game`. preset: a name such as
    "uct". iterations, seconds: the budget, the first one reached; the preset's iterations where
    neither is given. seed: the same one gives the same tree; drawn, and noted in the trace, where
    none is given. start: moves that lead to the start position, as action ids or names. path: also
    write the trace there while the search runs. progress: show a bar in the terminal. rollouts:
    record the moves of every simulation. compile: True or False overrides the choice between
    compiled and interpreted; a game of your own always runs interpreted. Everything else overrides
    a parameter of the preset: c=0.5, win=1, draw=0.5, loss=0, selection=…, order=…, final_move=….

    A game of your own is tested by a few playouts first (`mcts_viz.testing.check_game` tests it
    thoroughly), and its answers are checked throughout the search; the trace carries the text of
    every position.

    Raises GameError, SearchError or TraceError naming what is wrong.
    """
    plan = prepare(
        game, preset, iterations=iterations, seconds=seconds, nodes=nodes, memory=memory, decided=decided,
        seed=seed, start=start, rollouts=rollouts, compile=compile, **overrides,
    )  # fmt: skip
    with Recorder(plan, path) as recorder, progress_bar(plan, shown=progress) as bar:

        def consume(chunk: Any) -> None:
            recorder(chunk)
            bar(chunk)

        run(plan, consume)
    return Trace(recorder.meta, recorder.columns, recorder.file)


def open(path: str | Path) -> Trace:
    """Open a trace file, or a snapshot's JSON as a trace with one iteration.

    Raises TraceError or ImportFormatError naming file, place and remedy.
    """
    if _is_json(Path(path)):
        return snapshot_trace(read_snapshot_document(path), str(path))
    file, columns = traces.read_file(path)
    return Trace(file.meta, columns, file)


def _is_json(path: Path) -> bool:
    try:
        if not path.is_file():  # a pipe would make us wait for ever
            return False
        with path.open("rb") as file:
            return looks_like_json(file.read(64))
    except OSError:
        return False  # the reader of traces says what is wrong with the file


def snapshot_trace(document: SnapshotDocument, source: str) -> Trace:
    """A snapshot as a trace with one iteration, which makes all nodes and all their statistics at
    once."""
    meta = {
        **document.meta,
        "kind": "snapshot",
        "format_version": FORMAT_VERSION,
        "snapshot_iteration": document.iteration,
        "inherited": None,  # the one iteration makes all of the tree
        "root": {
            "to_move": int(document.to_move[0]),
            "outcome": None if np.isnan(document.outcome[0]) else float(document.outcome[0]),
            "label": None if document.labels is None else document.labels[0],
            "state": None if document.states is None else document.states[0],
        },
    }
    columns = traces.root_columns(meta, source)
    columns.append(_one_iteration(document))
    return Trace(meta, columns)


def _one_iteration(document: SnapshotDocument) -> Rows:
    labels, states = document.labels, document.states
    changed = (document.visits != 0) | (document.value_sum != 0)
    updated = np.flatnonzero(changed).astype(np.int32)
    by_solver = ~np.isnan(document.proven) & np.isnan(document.outcome)
    proven = np.flatnonzero(by_solver).astype(np.int32)
    return Rows(
        new_offset=np.array([0, len(document.parent) - 1], np.int32),
        parent=document.parent[1:],
        action=document.action[1:],
        to_move=document.to_move[1:],
        prior=document.prior[1:],
        outcome=document.outcome[1:],
        leaf=np.zeros(1, np.int32),
        update_offset=np.array([0, len(updated)], np.int32),
        update_node=updated,
        update_visits=document.visits[updated],
        update_value=document.value_sum[updated],
        result=np.full(1, np.nan, np.float32),
        elapsed=np.zeros(1, np.int64),
        rollout_offset=None,
        rollout_action=None,
        label=None if labels is None else list(labels[1:]),
        state=None if states is None else list(states[1:]),
        proven_offset=np.array([0, len(proven)], np.int32),
        proven_node=proven,
        proven_outcome=document.proven[proven],
    )
