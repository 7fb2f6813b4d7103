"""What a recorded search was run with, and its tree at some iteration: ties traces to searches, for
running one again or going on with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mcts_viz import games
from mcts_viz.analysis.first_difference import resumed_at
from mcts_viz.errors import GameError, SearchError
from mcts_viz.search.engine import Search
from mcts_viz.search.presets import PRESETS
from mcts_viz.search.rebuilding import RecordedNodes, rebuilt_tree
from mcts_viz.search.tree import Tree
from mcts_viz.trace.trace import Trace

OURS = "mcts_viz"  # who recorded a search of this package
# what the statistics of a tree mean, and which of its nodes there can be: a search that goes on with
# it cannot change these
FIXED = ("expansion", "expand_on", "simulate_from", "win", "draw", "loss", "collect", "poison", "solver")  # fmt: skip


def game_of(meta: Mapping[str, Any], own: games.Game | games.FlatGame | None) -> Any:
    """The game to search, by name or as given; raises SearchError where its rules are not here."""
    if own is not None:
        return own
    name = str((meta.get("game") or {}).get("name", "unknown game"))
    try:
        games.game(name)
    except GameError as err:
        raise SearchError(
            f"this is a search of {name!r}, whose rules are not known here, so it cannot be run again"
        ) from err
    return name


def recorded_policies(meta: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Preset and parameters that a search ran with; those of preset uct where others ran it, whose
    policies are not known."""
    told = meta.get("policies") or {}
    preset = told.get("preset")
    if preset not in PRESETS or not is_ours(meta):
        return "uct", {}
    try:
        return preset, _parameters(told)
    except (KeyError, TypeError) as err:
        raise SearchError(
            f"the trace's metadata do not tell all of its policies: {err} is missing; "
            "name a preset to search with"
        ) from err


def _parameters(told: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a search by name, from what a trace says of its policies."""
    selection, expansion = told["selection"], told["expansion"]
    simulation, backup = told["simulation"], told["backpropagation"]
    urgency = selection["unvisited"]
    return {
        "selection": selection["name"],
        "c": selection["c"],
        "fpu": None if urgency == "first" else urgency,
        "expansion": expansion["name"],
        "order": expansion["order"],
        "expand_on": expansion["on"],
        "simulate_from": expansion["simulate_from"],
        "simulation": simulation["name"],
        "n_rollouts": simulation["rollouts"] or 1,
        "evaluator": simulation["evaluator"],
        **{name: backup[name] for name in ("win", "draw", "loss", "collect", "poison", "solver")},
        "final_move": told["final_move"]["name"],
        "keep_tree": told["keep_tree"],
    }


def is_ours(meta: Mapping[str, Any]) -> bool:
    """Whether this package ran the search, and so has said all about it."""
    return meta.get("recorded_by") == OURS and "keep_tree" in (meta.get("policies") or {})


def check_resumable(trace: Trace, plan: Search, restricted_anew: bool) -> None:
    """Raise SearchError where the plan is no legal continuation of the trace's search."""
    if trace.meta.get("kind") == "snapshot":
        raise SearchError(
            "this is a snapshot, which has no iterations to go on from; leave out resume"
        )
    if not is_ours(trace.meta):
        raise SearchError(
            "this search was not run by mcts_viz, so its policies are not known and nothing can go on "
            "with its tree; leave out resume to search its position anew"
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
    if plan.formula.needs_squares and trace.meta.get("inherited"):
        raise SearchError(
            f"selection {plan.policies.selection} needs the squares of all values, and this trace began "
            "with a tree that came without them; choose another selection, or leave out resume"
        )


def resumed_tree(trace: Trace, plan: Search, t: int) -> Tree:
    """The tree after t iterations, for `plan` to go on with. Raises TraceError for an iteration that
    the trace does not have, SearchError for priors that it lacks."""
    snapshot = trace.at(t)
    columns = trace.columns
    n_nodes, end = snapshot.n_nodes, int(columns.update_offset[t])
    if plan.formula.needs_priors and np.isnan(snapshot.prior[1:]).any():
        raise SearchError(
            f"selection {plan.policies.selection} needs priors, which this search had none of; "
            "choose another selection, or leave out resume"
        )
    squares = np.bincount(
        columns.update_node[:end], weights=columns.update_value[:end] ** 2, minlength=n_nodes
    ).astype(np.float64)
    proven = snapshot.outcome if snapshot.proven is None else snapshot.proven
    nodes = RecordedNodes(
        snapshot.parent, snapshot.action, snapshot.to_move, snapshot.outcome, snapshot.prior,
        proven, snapshot.visits, snapshot.value_sum, squares,
    )  # fmt: skip
    return rebuilt_tree(plan, nodes)


def continued_seed(meta: Mapping[str, Any], t: int) -> int | None:
    """A seed for the random numbers after iteration t: not those that the search began with, and
    always the same; None where the search's own is not known."""
    seed = meta.get("seed")
    if not isinstance(seed, int):
        return None
    return int(np.random.SeedSequence([seed, resumed_at(meta) + t]).generate_state(1)[0])


def resumed_meta(meta: Mapping[str, Any], t: int) -> dict[str, Any]:
    """What the new trace says of the search that it goes on with."""
    return {
        "resumed": {
            "iteration": resumed_at(meta) + t,
            "seed": meta.get("seed"),
            "recorded_at": meta.get("recorded_at"),
        }
    }
