"""The public API: search, open, and a trace with everything that the layers above it can say about
it.

Ties the layers together and computes nothing itself.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from mcts_viz import games
from mcts_viz.analysis.choice.explanation import Explanation, explain
from mcts_viz.analysis.game_value.values import GameValues, game_values
from mcts_viz.analysis.history.events import MOST, Events, events
from mcts_viz.analysis.node.positions import board_at, untried_moves
from mcts_viz.analysis.origin.branches import iterations_through
from mcts_viz.analysis.origin.origin import Origin, origin
from mcts_viz.analysis.origin.range_totals import RangeTotals, range_totals
from mcts_viz.arguments import names_wrong_arguments
from mcts_viz.engine.presets import policies
from mcts_viz.export.destination import write_chunks
from mcts_viz.export.formats import write
from mcts_viz.export.node_link import to_node_link
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES
from mcts_viz.games.first_player import begun_by
from mcts_viz.games.position import game_of, start_position
from mcts_viz.health.acceptance import accept_findings
from mcts_viz.health.finding import Finding
from mcts_viz.health.verdict import Verdict, verdict
from mcts_viz.importing import llm_reasoners, snapshots
from mcts_viz.importing.opening import open_trace
from mcts_viz.recording import record as recording
from mcts_viz.recording import record_tables as tables
from mcts_viz.recording.libraries import mctspy, mctx, open_spiel, watched_mctx
from mcts_viz.recording.recording import TraceMaker
from mcts_viz.runs import probe as probing
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.progress import bar_of_check
from mcts_viz.runs.rerun import check_other_file, prepare_again
from mcts_viz.runs.search import PlannedSearch, memory_note, prepare, record_search
from mcts_viz.runs.worker_trace import check_search, of_worker
from mcts_viz.solver.positions import solved_positions
from mcts_viz.trace import trace as traces
from mcts_viz.trace.snapshot import Snapshot as TraceSnapshot
from mcts_viz.views.snapshot_html import snapshot_html
from mcts_viz.views.view_spec import ViewSpec

if TYPE_CHECKING:
    import networkx as nx
    import plotly.graph_objects as go


class Snapshot(TraceSnapshot):
    """The tree at one iteration, with its exports."""

    def state(self, node: int) -> str | None:
        """The position at the node as text: as recorded, or the board of a built-in game; None where
        there is neither."""
        recorded = super().state(node)
        return board_at(self, node) if recorded is None else recorded

    def untried(self, node: int = 0) -> list[int] | None:
        """Legal actions at the node that have no child yet, ascending; None where the rules of the
        game are not known here."""
        return untried_moves(self, node)

    def fully_expanded(self, node: int = 0) -> bool | None:
        """Whether every legal action at the node has a child; None where the rules are not known."""
        untried = self.untried(node)
        return None if untried is None else not untried

    def to_networkx(self) -> nx.DiGraph[int]:
        """The tree as a directed graph: every column of the snapshot as a node attribute, `action`
        on every edge."""
        networkx = importlib.import_module("networkx")  # seldom wanted, and slow to load
        graph: nx.DiGraph[int] = networkx.node_link_graph(to_node_link(self), edges="edges")
        return graph

    @names_wrong_arguments
    def to_json(self, path: str | Path | None = None) -> str | None:
        """Networkx node-link JSON, described by docs/snapshot.schema.json: written to `path`, or
        returned as text."""
        if path is None:
            return json.dumps(to_node_link(self), ensure_ascii=False, allow_nan=False)
        write(self, path, suffix=".json")
        return None

    @names_wrong_arguments
    def export(self, path: str | Path) -> None:
        """Write to `path` in the format that its suffix names; raises ExportError listing the
        known ones. A .png needs Chrome or Chromium on this machine, an .svg nothing."""
        write(self, path)

    @names_wrong_arguments
    def figure(
        self,
        colour: str = "mean_value",
        *,
        nodes: int = 100,
        node: int = 0,
        size: tuple[int, int] | None = (1100, 600),
        dark: bool = False,
    ) -> go.Figure:
        """The tree as a Plotly figure, for notebooks and papers: its most visited `nodes`, below `node`.

        colour: "mean_value", "visits", "uct", "exploration", "prior" or "player", as far as the trace
        has them. size: width and height in pixels; None: what the tree needs. Raises PageError for
        what the snapshot does not have.
        """
        drawing = importlib.import_module("mcts_viz.views.tree_figure")  # Plotly takes its time
        spec = ViewSpec(budget=nodes, focus=node)
        return drawing.tree_figure(self, spec, colour, size, "dark" if dark else "light")

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

    @names_wrong_arguments
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

    @names_wrong_arguments
    def to_html(self, path: str | Path, t: int | None = None) -> None:
        """Write one HTML file that steps through the search by itself, without a server or a network:
        at most 2,000 iterations, those around iteration t (the last one). Raises TraceError and
        ExportError."""
        shown = self.checked_iteration(self.n_iterations if t is None else t)
        # Flask, which this brings, is slow to load
        single_trace = importlib.import_module("mcts_viz.web.one_file.single_trace")
        name = self.meta.game.name if self.path is None else self.path.stem
        write_chunks(path, [single_trace.steps_html(self, name, shown)])

    @names_wrong_arguments
    def events(
        self, node: int | None = None, threshold: float | None = None, most: int | None = MOST
    ) -> Events:
        """What happened when: changes of the lead, finished games and proofs found, new deepest
        nodes, the root's value crossing `threshold` (the middle of the values; view of player 0),
        and the first visit of `node`. At most `most` of each kind, those that lasted longest or are
        nearest to the root; `.hidden` counts the others, None gives all. Raises TraceError."""
        return events(self, node, threshold, most)

    @names_wrong_arguments
    def origin(self, node: int = 0, number: str = "visits", t: int | None = None) -> Origin:
        """Which iterations made a number of `node` after iteration t (the last one), and what each
        added; iterate over it, or ask it for `rows`.

        number: "visits", "value_sum", "mean_value", or of the selection score "value_term",
        "exploration_term", "score". Raises TraceError for what the trace does not have.
        """
        return origin(self, node, number, t)

    @names_wrong_arguments
    def iterations_through(self, node: int, t: int | None = None) -> list[int]:
        """The iterations up to t (the last one) that updated `node` or ended at it, rising; raises
        TraceError for a node that does not exist by then."""
        return [int(each) for each in iterations_through(self, node, t)]

    @names_wrong_arguments
    def totals(self, first: int = 1, last: int | None = None, node: int = 0) -> RangeTotals:
        """What iterations `first` to `last` (all of them) did as a whole, as far as they went through
        `node`: by move and by the term that decided, nodes made, outcomes. Raises TraceError for what
        the trace does not have."""
        return range_totals(self, first, self.n_iterations if last is None else last, node)

    @names_wrong_arguments
    def check(
        self,
        *,
        game: games.Game | games.FlatGame | None = None,
        played: int | None = None,
        accept: Mapping[str, str] | None = None,
        quick: bool = False,
        progress: bool = False,
    ) -> list[Finding]:
        """What is wrong with the search, worst first, then what is worth knowing of it; empty for a
        trace without iterations.

        game: the rules of a game that is not built in, so that moves and results can be checked; a trace that was
        recorded with them in this program knows them.
        played: the action really played after the search, to compare with the final-move
        rule; by default the one that the recording was told (`rec.final_move`) or went on with, where final_move=
        told the rule. accept: names of checks whose findings are
        all right, each with the reason: they stay in the list, with the reason as `finding.accepted`. quick: do not ask
        the rules of the game, which takes nine tenths of the time: legal moves and true results stay unchecked.
        progress: show a bar in the terminal. A trace of millions of iterations takes some 15 µs each, and a check that
        was stopped goes on where it was. docs/health.md lists the checks. Raises TraceError for an unknown check.
        """
        game = game_of(self) if game is None else game
        rules = None if quick else start_position(self.meta.game.name, self.meta.start, game)
        policies_told = self.meta.policies
        if played is None and (
            policies_told.selection.halves or policies_told.final_move.name in FINAL_MOVE_RULES
        ):
            played = self.played
        with bar_of_check(progress) as told:
            findings = check_search(self, rules, played, game, told)
        return accept_findings(findings, accept or {})

    def of_worker(self, worker: int, *, game: games.Game | games.FlatGame | None = None) -> Trace:
        """The search of one of several workers (`search(…, workers=4)`) by itself: its own tree, by whose statistics it
        has chosen, and its own iterations. It is run again with the worker's seed, and compared with what was recorded.

        game: the rules of a game that is not built in. Raises TraceError for an unknown worker, or one whose
        iterations are not those of its seed, SearchError where the game's rules are not known.
        """
        return of_worker(self, worker, Trace, game)

    @names_wrong_arguments
    def truth(
        self,
        t: int | None = None,
        node: int = 0,
        nodes: Sequence[int] | None = None,
        *,
        limit: int | None = None,
        game: games.Game | games.FlatGame | None = None,
    ) -> GameValues:
        """The exact result of every move at `node`, whether the move chosen after iteration t (the
        last one) is a mistake, from which iteration on the answer is right, and its regret over time; and the
        exact results of `nodes` (those with the most visits). `str` says it in words.

        limit: positions to look at, by default what takes some three seconds; the same trace and
        limit have the same answer on every machine, and what is not solved within it is not known.
        game: the rules of a game that is not built in. Raises TraceError for what the trace does not
        have; docs/truth.md says more.
        """
        t = self.n_iterations if t is None else t
        game = game_of(self) if game is None else game
        return game_values(
            self,
            solved_positions(self.meta.game.name, self.meta.start, game),
            t,
            node,
            nodes,
            limit,
        )

    @names_wrong_arguments
    def verdict(
        self,
        t: int | None = None,
        *,
        truth: bool = True,
        accept: Mapping[str, str] | None = None,
        game: games.Game | games.FlatGame | None = None,
    ) -> Verdict:
        """One verdict on the move that leads after iteration t (the last one): whether it is right, how sure the
        search was, and the likeliest cause of a mistake or of a close vote. `str` says it in words.

        truth: solve the position, too, as `truth` does; without, whether the move is right is known only where the
        search itself has proven it. accept: checks whose findings are all right, as in `check`: they are no cause.
        game: the rules of a game that is not built in. Raises TraceError for what the
        trace does not have.
        """
        at = self.n_iterations if t is None else t
        values = self.truth(at, nodes=(), game=game) if truth else "the position was not solved"
        return verdict(
            self.at(at), self.n_iterations, values, lambda: self.check(accept=accept, game=game)
        )

    @names_wrong_arguments
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
        workers: int | None = None,
        stop: Callable[[], bool] = lambda: False,
        sync: float | None = None,
        **overrides: Any,
    ) -> Trace:
        """What if: search the same position again with something changed, or go on with this search;
        `mcts_viz.compare` shows both.

        What is not given stays as it was: policies (for a foreign search, those of preset uct), seed, and
        as many iterations as this trace has. preset: that preset's policies instead, and `overrides`
        as for `search`. force, forbid: the only root move that the new search may play, or those
        that it may not; it never visits another one. forbid=[] lifts a restriction that this search
        had. nodes, memory, decided, rollouts, sync: as for `search`; a limit of the first search does not
        hold for this one. game: the rules of a game that is not built in. A search that began with
        the tree of an earlier one begins with that tree again, unless what is changed gives its
        numbers another meaning.

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
        options = SearchOptions(
            preset, iterations, seconds, nodes, memory, decided, seed, (), force, forbid, rollouts,
            compile, workers, overrides,
        )  # fmt: skip
        check_other_file(self.path, path)
        planned = prepare_again(self, options, resume, game)
        _warn_of_memory(planned)
        return record_search(planned, Trace, path, progress, stop, sync=sync)


def _warn_of_memory(planned: PlannedSearch) -> None:
    note = memory_note(planned.search)
    if note is not None:
        warnings.warn(note, UserWarning, stacklevel=4)  # where the public function was called


@names_wrong_arguments
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
    begins: str | None = None,
    force: str | int | None = None,
    forbid: Sequence[str | int] | None = None,
    path: str | Path | None = None,
    progress: bool = False,
    rollouts: bool = True,
    compile: bool | None = None,
    workers: int | None = None,
    stop: Callable[[], bool] = lambda: False,
    sync: float | None = None,
    **overrides: Any,
) -> Trace:
    """Run a search and record every iteration of it.

    game: a name such as "connect_four", or a game of your own, see `Game`. preset: a name such as
    "uct". iterations, seconds: the budget, the first one reached; the preset's own where neither is
    given. nodes of the tree, memory in MB: further limits; a UserWarning says beforehand that the tree may not fit into
    the memory there is. decided: end when the runner-up can no
    longer overtake. seed: the same one gives the same tree; drawn, and noted in the trace, where
    none is given. start: moves that lead to the start position: a text is a move's name, an int
    its action id. begins: the symbol of the player who moves first in the game, such as "O", or
    "random". force, forbid: the only move that the search may play at the root, or those that it may not: it never
    visits another one. path: also write the trace there while the search runs. progress: show a bar
    in the terminal. rollouts: record the moves of every simulation. compile: True or False overrides
    the choice between compiled and interpreted; a game of your own always runs interpreted. workers: so many search
    side by side, each in a tree of its own, and the trace adds them up: the same each time, see docs/workers.md. stop:
    asked every 0.05 s or so, with several workers every 0.2 s, whether to end with what there is. sync: seconds after
    which what was recorded is on the disk, should the machine fail; without, at the end. Everything else overrides a
    parameter of the preset: c=0.5, selection="puct", expansion="all_children", solver=True, …; all of them are
    in docs/searches.md.

    A game of your own is tested by a few playouts first (`mcts_viz.testing.check_game` tests it
    thoroughly), and its answers are checked throughout the search; the trace carries the text of
    every position.

    Raises GameError, SearchError or TraceError naming what is wrong.
    """
    if preset is None:  # stands for the trace's own where a search is run again
        policies(preset, {})  # refuses it
    options = SearchOptions(
        preset, iterations, seconds, nodes, memory, decided, seed, start, force, forbid, rollouts,
        compile, workers, overrides,
    )  # fmt: skip
    played = game if begins is None else begun_by(games.any_game(game), begins, seed)
    planned = PlannedSearch(prepare(played, options))
    _warn_of_memory(planned)
    return record_search(planned, Trace, path, progress, stop, sync=sync)


@names_wrong_arguments
def open(path: str | Path, number: int | None = None, *, memory: int | None = None) -> Trace:
    """Open a trace file, or a snapshot's JSON as a trace with one iteration.

    number: of the search, from 0, in a file of many (`search_many`).

    A file that is damaged somewhere is opened as far as it is good; `trace.status` says what is lost.
    memory: megabytes that it may unpack to; without, a quarter of the machine's, and no more than
    any recording does.

    Raises TraceError or ImportFormatError naming file, place and remedy.
    """
    return open_trace(Trace, path, memory, number)


P = ParamSpec("P")
Result = TypeVar("Result")


def _with_our_traces(
    function: Callable[Concatenate[TraceMaker[Trace], P], Result],
) -> Callable[P, Result]:
    """The function of a layer below that is given the class of the traces it makes, as users call it."""

    @functools.wraps(function)
    def public(*arguments: P.args, **named: P.kwargs) -> Result:
        return function(Trace, *arguments, **named)

    signature = inspect.signature(function)
    public.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=list(signature.parameters.values())[1:]
    )
    return names_wrong_arguments(public)


record = _with_our_traces(recording.record)
record_tables = _with_our_traces(tables.record_tables)
probe = _with_our_traces(probing.probe)
watch_mctspy = _with_our_traces(mctspy.watch_mctspy)
watch_open_spiel = _with_our_traces(open_spiel.watch_open_spiel)
from_mctx = _with_our_traces(mctx.from_mctx)
watch_mctx = _with_our_traces(watched_mctx.watch_mctx)
from_llm_reasoners = _with_our_traces(llm_reasoners.from_llm_reasoners)
from_snapshots = _with_our_traces(snapshots.from_snapshots)
