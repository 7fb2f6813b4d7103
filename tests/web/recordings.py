"""The traces that the page's tests look at: two searches, a snapshot, an interrupted recording, a hostile one; and
apart from these, one of each other kind of search."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import mcts_viz as mv
from mcts_viz.engine.reuse import subtree
from mcts_viz.engine.search import run
from mcts_viz.runs.recorder import Recorder
from mcts_viz.trace import writer
from mcts_viz.trace.format import FORMAT_VERSION, NodeRows, Rows, UpdateRows
from mcts_viz.trace.groups import Column
from mcts_viz.trace.writer import TraceWriter
from tests.searches import prepare

TIC_TAC_TOE, CONNECT_FOUR = "tic_tac_toe", "connect_four"
SNAPSHOT, INTERRUPTED, FOREIGN = "snapshot", "interrupted", "foreign"
TECH_IO, ALPHAZERO, SOLVER, TUNED, KEPT = "tech_io", "alphazero", "solver", "ucb1_tuned", "kept"
# traces of other kinds of search: (preset, parameters)
NEW_KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    TECH_IO: ("tech_io", {"iterations": 200}),
    ALPHAZERO: ("alphazero", {"iterations": 200, "fpu": -0.25}),
    # ends early, when its result is proven
    SOLVER: ("tech_io", {"iterations": 900, "solver": True, "start": ["a1", "b2", "c3"]}),
    TUNED: ("uct", {"iterations": 300, "selection": "ucb1_tuned", "c": 1}),
}
HOSTILE = "<img src=x onerror=alert(1)>"
SCRIPT = "</script><script>alert(2)</script>"


def record_all(folder: Path) -> None:
    """All of them, as files in a folder."""
    mv.search(TIC_TAC_TOE, iterations=300, seed=1, path=folder / f"{TIC_TAC_TOE}.mcts")
    mv.search(CONNECT_FOUR, iterations=2_000, seed=2, path=folder / f"{CONNECT_FOUR}.mcts")
    mv.open(folder / f"{TIC_TAC_TOE}.mcts").at(120).to_json(folder / f"{SNAPSHOT}.json")
    record_interrupted(folder / f"{INTERRUPTED}.mcts")
    record_foreign(folder / f"{FOREIGN}.mcts")


def record_kinds(folder: Path) -> None:
    """One search of each other kind, as files in a folder."""
    for name, (preset, parameters) in NEW_KINDS.items():
        mv.search(TIC_TAC_TOE, preset, seed=1, path=folder / f"{name}.mcts", **parameters)
    record_kept(folder / f"{KEPT}.mcts")


def record_kept(path: Path | None = None, **parameters: Any) -> mv.Trace:
    """A search of 60 iterations that goes on with the tree that an earlier one had below its best
    move."""
    first = prepare("tic_tac_toe", iterations=200, seed=1, **parameters)
    tree = run(first)
    best = int(tree.visits[: int(tree.size[0])][1:].argmax()) + 1
    action = int(tree.action[best])
    kept = subtree(tree, best)
    plan = prepare("tic_tac_toe", iterations=60, seed=2, start=[action], **parameters)
    with Recorder(plan, path, kept=kept) as recorder:
        run(plan, recorder, reused=kept)
    return recorder.trace(mv.Trace)


def record_interrupted(path: Path) -> None:
    """A recording of 300 iterations that was cut off in its last batch."""
    with mock.patch.object(writer, "BATCH_ITERATIONS", 100):
        mv.search(TIC_TAC_TOE, iterations=300, seed=3, path=path)
    path.write_bytes(path.read_bytes()[:-400])


def record_foreign(path: Path, **meta: Any) -> None:
    """A search of a game that nobody here knows, without a formula, whose every text is an attack."""
    told = mv.search(TIC_TAC_TOE, iterations=60, seed=4)
    n = told.n_nodes - 1
    about = {
        "kind": "trace",
        "format_version": FORMAT_VERSION,
        "game": {"name": f"game {HOSTILE}", "title": SCRIPT, "parameters": {}, "n_actions": 9},
        "root": {"to_move": 0, "label": f"start {HOSTILE}", "state": f"root {HOSTILE}"},
        "action_labels": None,
        "players": [f"A {HOSTILE}", "B"],
        "reward_range": [-1, 1],
        "value_range": [0, 1],
        "policies": {},
        "recorded_by": SCRIPT,
        **meta,
    }
    labels: list[str | None] = [f"{HOSTILE} {v + 1}" for v in range(n)]
    states: list[str | None] = [f"state {v + 1}\n{HOSTILE}\n{SCRIPT}" for v in range(n)]
    with TraceWriter(path, about) as out:
        out.append(rows_of(told, labels, states))


def rows_of(told: mv.Trace, labels: list[str | None], states: list[str | None]) -> Rows:
    """Everything that a trace in memory tells, with other texts."""
    columns = told.columns
    return Rows(
        nodes=NodeRows(
            columns.node_count - np.int32(1),
            label=labels,
            state=states,
            **{
                column.name: columns.nodes.values[column.name][1:]
                for column in NodeRows.columns
                if isinstance(column, Column) and columns.nodes.values[column.name] is not None
            },
        ),
        leaf=columns.leaf,
        updates=UpdateRows(
            columns.updates.offset.astype(np.int32),
            node=columns.updates.node,
            visits=columns.updates.visits,
            value=columns.updates.value,
        ),
        outcome=columns.outcome,
        elapsed=columns.elapsed,
    )
