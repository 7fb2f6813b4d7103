"""What a recorded search was run with, and its tree at some iteration: ties traces to searches, for
running one again or going on with it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from mcts_viz import games
from mcts_viz.analysis.comparison.first_difference import resumed_at
from mcts_viz.analysis.game_value.values import unknown_rules
from mcts_viz.engine.parameters import PARAMETERS
from mcts_viz.engine.presets import PRESETS
from mcts_viz.engine.rebuilding import RecordedNodes, rebuilt_tree
from mcts_viz.engine.search import Search
from mcts_viz.engine.tree import Tree
from mcts_viz.errors import MctsVizError, SearchError
from mcts_viz.games.evaluators import EVALUATORS
from mcts_viz.games.position import StartPosition, built_in
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.search import PlannedSearch, prepare
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.metadata_fields import PhasePolicies
from mcts_viz.trace.statistics import rows_between, square_sums
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document, Ints, ReadDocument

# what the statistics of a tree mean, and which of its nodes there can be: a search that goes on with
# it cannot change these
FIXED = ("expansion", "expand_on", "simulate_from", "win", "draw", "loss", "collect", "poison", "solver")  # fmt: skip


def prepare_again(
    trace: Trace,
    options: SearchOptions,
    resume: int | None = None,
    game: games.Game | games.FlatGame | None = None,
) -> PlannedSearch:
    """Check everything about running a trace's search again; see `mcts_viz.Trace.rerun`."""
    meta = trace.meta
    resume = None if resume is None else trace.checked_iteration(resume)
    given = options.preset
    preset, parameters = recorded_policies(meta) if given is None else (given, {})
    _check_functions(
        {name: had for name, had in parameters.items() if name not in options.overrides}
    )
    if options.iterations is None and options.seconds is None:
        options = replace(options, iterations=max(1, _iterations_of(trace)))
    if options.seed is None:
        seed = meta.seed if resume is None else continued_seed(meta, resume)
        options = replace(options, seed=seed)
    if options.workers is None and resume is None:
        options = replace(options, workers=len(meta.worker_seeds or ()) or None)
    options = replace(
        options,
        preset=preset,
        start=meta.start,
        overrides={**parameters, **options.overrides},
    )
    search = prepare(game_of(meta, game), options)
    if not options.restricts and meta.root_actions is not None:
        search = replace(search, root_actions=meta.root_actions)
    if resume is None:
        return _from_the_beginning(trace, search, options.restricts)
    check_resumable(trace, search, options.restricts)
    return PlannedSearch(search, resumed_tree(trace, search, resume), resumed_meta(meta, resume))


def _iterations_of(trace: Trace) -> int:
    """Iterations of the search; of a snapshot, which is one row, the visits of its root."""
    n = trace.n_iterations
    return int(trace.at(n).visits[0]) if trace.meta.is_snapshot else n


def check_other_file(trace: Path | None, target: str | Path | None) -> None:
    """Raises SearchError where the new search would be written over the trace that is searched again."""
    if trace is None or target is None or not (trace.exists() and Path(target).exists()):
        return
    if os.path.samefile(trace, target):
        raise SearchError(f"{target}: would be read and written at once; write to another file")


def _from_the_beginning(trace: Trace, search: Search, restricted_anew: bool) -> PlannedSearch:
    """The search from the tree that the trace began with; from none where it had none, or what is
    changed gives the numbers of that tree another meaning."""
    meta = trace.meta
    if meta.inherited is None or not meta.is_ours:
        return PlannedSearch(search)
    try:
        check_resumable(trace, search, restricted_anew)
    except SearchError:
        return PlannedSearch(search)
    before = meta.resumed
    about = {} if before is None else _resumed(before.iteration, before.seed, before.recorded_at)
    return PlannedSearch(search, resumed_tree(trace, search, 0), about)


def game_of(meta: TraceMeta, own: games.Game | games.FlatGame | None) -> games.AnyGame:
    """The game to search, by name or as given; raises SearchError where its rules are not here."""
    if own is not None:
        return own
    played = built_in(meta.game.name, meta.players)
    if played is None:
        raise SearchError(f"{unknown_rules(meta.game.name)}, so it cannot be run again")
    return played


def root_moves(meta: TraceMeta) -> dict[int, str]:
    """Name by action of what can be forced or forbidden at the root of a trace; raises SearchError
    where its game is not known here."""
    start = StartPosition(games.any_game(game_of(meta, None)), meta.start)
    return {action: start.game.action_labels[action] for action in start.legal}


def no_rerun(meta: TraceMeta) -> str:
    """Why a trace's position cannot be searched again; empty where it can."""
    try:
        there = root_moves(meta)
    except MctsVizError as err:
        return str(err)
    return "" if there else "the game is over at the root, so there is nothing to search"


def recorded_policies(meta: TraceMeta) -> tuple[str, Document]:
    """Preset and parameters that a search ran with; those of preset uct where others ran it, whose
    policies are not known."""
    preset = meta.policies.preset
    if preset not in PRESETS or not meta.is_ours:
        return "uct", {}
    found = _parameters(meta.policies)
    missing = [
        name for name, value in found.items() if value is None and not PARAMETERS[name].optional
    ]
    if missing:
        raise SearchError(
            f"the trace's metadata do not have all of its policies: {', '.join(missing)} is missing; "
            "name a preset to search with"
        )
    return preset, found


def _check_functions(parameters: ReadDocument) -> None:
    """Raises SearchError for a function that the search had and the trace cannot have: it has its name alone."""
    known = {"simulation": PARAMETERS["simulation"].choices or (), "evaluator": EVALUATORS}
    for parameter, names in known.items():
        name = parameters.get(parameter)
        if isinstance(name, str) and name not in names:
            raise SearchError(
                f"the {parameter} of this trace, {name}, is a function, of which a trace has the name alone; give it "
                f"again, {parameter}={name}, or another one by its name: {', '.join(names)}"
            )


def _parameters(policies: PhasePolicies) -> Document:
    """The parameters of a search by name, from the recorded policies; None where one is missing."""
    selection, expansion = policies.selection, policies.expansion
    simulation, backup = policies.simulation, policies.backpropagation
    return {
        "selection": selection.name,
        "c": selection.c,
        "ties": selection.ties or "first",
        "fpu": None if isinstance(selection.unvisited, str) else selection.unvisited,
        "expansion": expansion.name,
        "order": expansion.order,
        "expand_on": expansion.on,
        "simulate_from": expansion.simulate_from,
        "simulation": simulation.name,
        "n_rollouts": simulation.rollouts or 1,
        "evaluator": simulation.evaluator,
        "win": backup.win,
        "draw": backup.draw,
        "loss": backup.loss,
        "collect": backup.collect,
        "poison": backup.poison,
        "solver": backup.solver,
        "final_move": policies.final_move.name,
        "keep_tree": policies.keep_tree,
    }


def check_resumable(trace: Trace, plan: Search, restricted_anew: bool) -> None:
    """Raise SearchError where the plan is no legal continuation of the trace's search."""
    if trace.meta.is_snapshot:
        raise SearchError(
            "this is a snapshot, which has no iterations to go on from; leave out resume"
        )
    if not trace.meta.is_ours:
        raise SearchError(
            "this search was not run by mcts_viz, so its policies are not known and nothing can go on "
            "with its tree; leave out resume to search its position anew"
        )
    if trace.meta.worker_seeds:
        raise SearchError(
            f"{len(trace.meta.worker_seeds)} workers made this trace, each in a tree of its own, so there is none to "
            "go on with; leave out resume"
        )
    if restricted_anew:
        raise SearchError(
            "a tree that has visited other moves cannot become one that never does; "
            "leave out resume, or force and forbid"
        )
    _, before = recorded_policies(trace.meta)
    changed = [name for name in FIXED if getattr(plan.policies, name) != before[name]]
    if changed:
        raise SearchError(
            f"{', '.join(changed)}: a search that goes on with a tree cannot change what its numbers "
            "mean; leave that as it was, or leave out resume"
        )
    whole = trace.meta.whole_tree
    brings_squares = whole is not None and whole.square_sums is not None
    if plan.formula.needs_squares and trace.meta.inherited is not None and not brings_squares:
        raise SearchError(
            f"selection {plan.policies.selection} needs the squares of all values, and this trace began "
            "with a tree that came without them; choose another selection, or leave out resume"
        )


def resumed_tree(trace: Trace, plan: Search, t: int) -> Tree:
    """The tree after t iterations, for `plan` to go on with. Raises TraceError for an iteration that
    the trace does not have, SearchError for priors that it lacks."""
    snapshot = trace.at(t)
    if plan.formula.needs_priors and np.isnan(snapshot.prior[1:]).any():
        raise SearchError(
            f"selection {plan.policies.selection} needs priors, which this search had none of; "
            "choose another selection, or leave out resume"
        )
    squares = square_sums(trace.columns, t, snapshot.n_nodes)
    proven = snapshot.outcome if snapshot.proven is None else snapshot.proven
    nodes = RecordedNodes(
        snapshot.parent, snapshot.action, snapshot.to_move, snapshot.outcome, snapshot.prior,
        proven, snapshot.visits, snapshot.value_sum, squares, last_updates(trace.columns, t, snapshot.n_nodes),
    )  # fmt: skip
    return rebuilt_tree(plan, nodes)


def last_updates(columns: Columns, t: int, n_nodes: int) -> Ints:
    """[N] the last row of each node among the updates up to iteration t; -1: none. A tree that a
    search began with is recorded in such an order that these tell it of its nodes, too."""
    rows = rows_between(columns, -1, t)
    found = np.full(n_nodes, -1, np.int64)
    found[columns.updates.node[rows]] = np.arange(rows.stop)  # of several the last stays
    return found


def continued_seed(meta: TraceMeta, t: int) -> int | None:
    """A seed for the random numbers after iteration t: not those that the search began with, and
    always the same; None where the search's own is not known."""
    seed = meta.seed
    if seed is None:
        return None
    return int(np.random.SeedSequence([abs(seed), resumed_at(meta) + t]).generate_state(1)[0])


def resumed_meta(meta: TraceMeta, t: int) -> dict[str, object]:
    """What the new trace says of the search that it goes on with."""
    return _resumed(resumed_at(meta) + t, meta.seed, meta.recorded_at)


def _resumed(iteration: int, seed: int | None, recorded_at: str | None) -> dict[str, object]:
    return {"resumed": {"iteration": iteration, "seed": seed, "recorded_at": recorded_at}}
