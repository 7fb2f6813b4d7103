"""The public API: search, open, and a trace with everything that the layers above it can say about
it.

Ties the layers together and computes nothing itself.
"""

from __future__ import annotations

import importlib
import json
import numbers
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mcts_viz import games
from mcts_viz.analysis.decision import BY_VISITS
from mcts_viz.analysis.events import MOST, Events, events
from mcts_viz.analysis.explanation import Explanation, explain
from mcts_viz.analysis.health.checking import check_trace
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.truth import Truth, truth
from mcts_viz.errors import SearchError
from mcts_viz.export.destination import write_chunks
from mcts_viz.export.formats import write
from mcts_viz.export.node_link import to_node_link
from mcts_viz.export.snapshot_document import (
    SnapshotDocument,
    looks_like_json,
    read_snapshot_document,
)
from mcts_viz.oracle import oracle_of
from mcts_viz.progress import progress_bar
from mcts_viz.recorder import Recorder
from mcts_viz.referee import referee_of
from mcts_viz.rerun import (
    check_resumable,
    continued_seed,
    game_of,
    recorded_policies,
    resumed_meta,
    resumed_tree,
)
from mcts_viz.search.budget import budget
from mcts_viz.search.engine import Search, restricted, run, search_moves
from mcts_viz.search.evaluator import evaluator_name
from mcts_viz.search.presets import policies
from mcts_viz.search.tree import Tree
from mcts_viz.trace import trace as traces
from mcts_viz.trace.format import Rows, version_for
from mcts_viz.trace.snapshot import Snapshot as TraceSnapshot
from mcts_viz.views.snapshot_html import snapshot_html

if TYPE_CHECKING:
    import networkx as nx


class Snapshot(TraceSnapshot):
    """The tree at one iteration, with its exports."""

    def to_networkx(self) -> nx.DiGraph[int]:
        """The tree as a directed graph: every column of the snapshot as a node attribute, `action`
        on every edge."""
        networkx = importlib.import_module("networkx")  # seldom wanted, and slow to load
        graph: nx.DiGraph[int] = networkx.node_link_graph(to_node_link(self), edges="edges")
        return graph

    def to_json(self, path: str | Path | None = None) -> str | None:
        """Networkx node-link JSON, described by docs/snapshot.schema.json: written to `path`, or
        returned as text."""
        if path is None:
            return json.dumps(to_node_link(self), ensure_ascii=False, allow_nan=False)
        write(self, path, suffix=".json")
        return None

    def export(self, path: str | Path) -> None:
        """Write to `path` in the format that its suffix names; raises ExportError listing those
        there are. A .png needs Chrome or Chromium on this machine, an .svg nothing."""
        write(self, path)

    def _repr_html_(self) -> str:
        return snapshot_html(self)


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
        self,
        t: int | None = None,
        node: int = 0,
        why_not: str | int | None = None,
        *,
        truth: bool = False,
        game: games.Game | games.FlatGame | None = None,
    ) -> Explanation:
        """Why the final-move rule chooses what it does at `node` after iteration t (the last one),
        and why not the move `why_not`, a name or an action id. `str` says it in words.

        truth: solve the node's position, too, as `truth` does, and say whether the choice is a
        mistake; takes some seconds. game: for that, the rules of a game that is not built in. Raises
        TraceError for what the trace does not have.
        """
        at = self.n_iterations if t is None else t
        told = explain(self, at, node, why_not)
        if not truth:
            return told
        return replace(told, truth=self.truth(at, node, nodes=(), game=game))

    def to_html(self, path: str | Path, t: int | None = None) -> None:
        """Write one HTML file that steps through the search by itself, without a server or a network:
        at most 2,000 iterations, those around iteration t (the last one). Raises TraceError and
        ExportError."""
        shown = self.n_iterations if t is None else t
        self._check_iteration(shown, 0)
        page = importlib.import_module("mcts_viz.page")  # Dash takes half a second
        game = (self.meta.get("game") or {}).get("name", "search")
        name = str(game) if self.path is None else self.path.stem
        write_chunks(path, [page.steps_html(self, name, shown)])

    def events(
        self, node: int | None = None, threshold: float | None = None, most: int | None = MOST
    ) -> Events:
        """What happened when: changes of the lead, finished games and proofs found, new deepest
        nodes, the root's value crossing `threshold` (the middle of the values; view of player 0),
        and the first visit of `node`. At most `most` of each kind, those that lasted longest or are
        nearest to the root; `.hidden` counts the others, None gives all. Raises TraceError."""
        return events(self, node, threshold, most)

    def check(
        self, *, game: games.Game | games.FlatGame | None = None, played: int | None = None
    ) -> list[Finding]:
        """What is wrong with the search, worst first, then what is worth knowing of it; empty for a
        trace without iterations.

        game: the rules of a game that is not built in, so that moves and results can be checked.
        played: the action really played after the search. docs/health.md lists the checks.
        """
        return check_trace(self, referee_of(self.meta, game), played)

    def truth(
        self,
        t: int | None = None,
        node: int = 0,
        nodes: Sequence[int] | None = None,
        *,
        limit: int | None = None,
        game: games.Game | games.FlatGame | None = None,
    ) -> Truth:
        """The exact result of every move at `node`, whether the move chosen after iteration t (the
        last one) is a mistake, since when the answer is right, and its regret over time; and the
        exact results of `nodes` (those with the most visits). `str` says it in words.

        limit: positions to look at, by default what takes some three seconds; the same trace and
        limit have the same answer on every machine, and what is not solved within it is not known.
        game: the rules of a game that is not built in. Raises TraceError for what the trace does not
        have; docs/truth.md says more.
        """
        t = self.n_iterations if t is None else t
        return truth(self, oracle_of(self.meta, game), t, node, nodes, limit)

    def rerun(
        self,
        *,
        preset: str | None = None,
        iterations: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        memory: int | None = None,
        decided: bool = False,
        seed: int | None = None,
        force: str | int | None = None,
        forbid: Sequence[str | int] | None = None,
        resume: int | None = None,
        game: games.Game | games.FlatGame | None = None,
        path: str | Path | None = None,
        progress: bool = False,
        rollouts: bool = True,
        compile: bool | None = None,
        stop: Callable[[], bool] = lambda: False,
        **overrides: Any,
    ) -> Trace:
        """What if: search the same position again with something changed, or go on with this search;
        `mcts_viz.compare` shows both.

        What is not given stays as it was: policies (of preset uct for a search of others), seed, and
        as many iterations as this trace has. preset: that preset's policies instead, and `overrides`
        as for `search`. force, forbid: the only root move that the new search may play, or those
        that it may not; it never visits another one. forbid=[] lifts a restriction that this search
        had. nodes, memory, decided, rollouts: as for `search`; a limit of the first search does not
        hold for this one. game: the rules of a game that is not built in.

        resume: go on with the tree after that iteration, for `iterations` more. The statistics it
        begins with are exact, bit for bit, and every further iteration is a legal one. It is not the
        very continuation that the search would have had: a trace does not hold the state of the
        random numbers, so new ones are drawn (from `seed`, by default one made of the search's own
        and the iteration); where moves are tried at random, each untried one is as likely as before.
        c, selection, simulation, order and final_move may be changed; what the numbers of the tree
        mean (expansion, scores, solver) and the root's moves may not.

        Raises SearchError where the game's rules are not known or the change makes no sense, and all
        that `search` raises.
        """
        wanted = prepare_again(
            self, preset=preset, iterations=iterations, seconds=seconds, nodes=nodes, memory=memory,
            decided=decided, seed=seed, force=force, forbid=forbid, resume=resume, game=game,
            rollouts=rollouts, compile=compile, **overrides,
        )  # fmt: skip
        return _recorded(wanted, path, progress, stop)


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
    force: str | int | None = None,
    forbid: Sequence[str | int] | None = None,
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
    moves = search_moves(played, start)
    return Search(
        game=played,
        policies=chosen,
        budget=budget(iterations, seconds, default, nodes, memory, decided),
        seed=int(seed),
        start=moves,
        root_actions=restricted(played, moves, force, forbid),
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
    force: str | int | None = None,
    forbid: Sequence[str | int] | None = None,
    path: str | Path | None = None,
    progress: bool = False,
    rollouts: bool = True,
    compile: bool | None = None,
    stop: Callable[[], bool] = lambda: False,
    **overrides: Any,
) -> Trace:
    """Run a search and record every iteration of it.

    game: a name such as "connect_four", or a game of your own, see `Game`. preset: a name such as
    "uct". iterations, seconds: the budget, the first one reached; the preset's own where neither is
    given. nodes of the tree, memory in MB: further limits; decided: end when the runner-up can no
    longer overtake. seed: the same one gives the same tree; drawn, and noted in the trace, where
    none is given. start: moves that lead to the start position, as action ids or names. force,
    forbid: the only move that the search may play at the root, or those that it may not: it never
    visits another one. path: also write the trace there while the search runs. progress: show a bar
    in the terminal. rollouts: record the moves of every simulation. compile: True or False overrides
    the choice between compiled and interpreted; a game of your own always runs interpreted. stop: asked between chunks
    (some 0.05 s) whether to end at once, with what there is. Everything else overrides a parameter
    of the preset: c=0.5, selection="puct", expansion="all_children", solver=True, …; all of them are
    in docs/searches.md.

    A game of your own is tested by a few playouts first (`mcts_viz.testing.check_game` tests it
    thoroughly), and its answers are checked throughout the search; the trace carries the text of
    every position.

    Raises GameError, SearchError or TraceError naming what is wrong.
    """
    plan = prepare(
        game, preset, iterations=iterations, seconds=seconds, nodes=nodes, memory=memory, decided=decided,
        seed=seed, start=start, force=force, forbid=forbid, rollouts=rollouts, compile=compile, **overrides,
    )  # fmt: skip
    return _recorded(Again(plan, None, {}), path, progress, stop)


def _recorded(
    wanted: Again, path: str | Path | None, progress: bool, stop: Callable[[], bool]
) -> Trace:
    plan, kept, about = wanted
    with (
        Recorder(plan, path, kept, about) as recorder,
        progress_bar(plan, shown=progress) as bar,
    ):

        def consume(chunk: Any) -> None:
            recorder(chunk)
            bar(chunk)

        run(plan, consume, stop, kept=kept)
    return recorder.trace(Trace)


class Again(NamedTuple):
    """A search to run, and what it goes on with."""

    plan: Search
    kept: Tree | None  # None: nothing but its start position
    about: dict[str, Any]  # more for the new trace's metadata


def prepare_again(
    trace: traces.Trace,
    *,
    preset: str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    memory: int | None = None,
    decided: bool = False,
    seed: int | None = None,
    force: str | int | None = None,
    forbid: Sequence[str | int] | None = None,
    resume: int | None = None,
    game: games.Game | games.FlatGame | None = None,
    rollouts: bool = True,
    compile: bool | None = None,
    **overrides: Any,
) -> Again:
    """Check everything about running a trace's search again; see `Trace.rerun`."""
    meta = trace.meta
    played = game_of(meta, game)
    before, parameters = recorded_policies(meta) if preset is None else (preset, {})
    start = [int(action) for action in meta.get("start") or []]
    if iterations is None and seconds is None:
        iterations = max(1, trace.n_iterations)
    if seed is None:
        seed = meta.get("seed") if resume is None else continued_seed(meta, resume)
    restricted_anew = force is not None or forbid is not None
    plan = prepare(
        played, before, iterations=iterations, seconds=seconds, nodes=nodes, memory=memory,
        decided=decided, seed=seed, start=start, force=force, forbid=forbid, rollouts=rollouts,
        compile=compile, **{**parameters, **overrides},
    )  # fmt: skip
    if not restricted_anew and meta.get("root_actions") is not None:
        plan = replace(plan, root_actions=tuple(meta["root_actions"]))
    if resume is None:
        return Again(plan, None, {})
    check_resumable(trace, plan, restricted_anew)
    return Again(plan, resumed_tree(trace, plan, resume), resumed_meta(meta, resume))


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
        "format_version": version_for(document.to_move),
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
