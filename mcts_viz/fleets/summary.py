"""What a search was, as rows of the tables: one of `searches`, one for each root move, one for each finding.

Reads a trace; knows no files.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.choice.decision import Decision, decision
from mcts_viz.analysis.history.root import RootHistory
from mcts_viz.fleets.exact import ExactResults, exact_results, share
from mcts_viz.games.position import StartPosition, start_position
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.runs.worker_trace import check_search
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.sibling_terms import GUMBEL
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Floats, Ints

Cell: TypeAlias = str | float | bool | None
Row: TypeAlias = dict[str, Cell]
MOST_SEED = 2**63
QUICK, FULL = "quick", "full"


@dataclass(frozen=True)
class Summary:
    """Rows of the three tables; what each column means stands in `columns`."""

    search: Row
    moves: Sequence[Row] = ()
    findings: Sequence[Row] = ()


@dataclass(frozen=True)
class Depth:
    """How closely a search is looked at."""

    full: bool = False  # all checks, whatever the quick ones find
    truth: int = 0  # positions that the solver may look at for each root move; 0: only what the search has proven


def summary(trace: Trace, depth: Depth) -> Summary:
    """The rows of a search, without what its file says of it. Raises whatever a damaged trace leads to."""
    with np.errstate(all="ignore"):  # a faulty search may have numbers of any size
        return _summary(trace, depth)


def _summary(trace: Trace, depth: Depth) -> Summary:
    meta, t = trace.meta, trace.n_iterations
    last = trace.at(t)
    rules = start_position(meta.game.name, meta.start)
    findings, tier = _findings(trace, rules, depth)
    children = np.array(last.children(0), np.int64)
    exact = exact_results(last, children, rules, depth.truth)
    chosen = decision(last)
    row: Row = {
        **about(meta),
        "iterations": t,
        "nodes": trace.n_nodes,
        "depth": int(last.depth.max(initial=0)),
        "seconds": _seconds(trace),
        "complete": trace.complete,
        "moves": len(children),
        "evaluator_value": _evaluator_value(trace),
        "digest": _digest(trace, last),
        "tier": tier,
        "error": None if trace.complete else trace.status,
        **_counts(findings),
        **_root(last, children, _gumbel_noise(trace, children)),
        **_choice(trace, last, chosen, children),
        "exact_value": exact.position,
        "regret": exact.regret(None if chosen is None else int(last.action[chosen.chosen])),
    }
    return Summary(
        row,
        _moves(last, children, exact, rules, None if chosen is None else chosen.chosen),
        [finding_row(each) for each in findings],
    )


def about(meta: TraceMeta) -> Row:
    """What the metadata say of the search. Keys that only some programs write are looked for by their names."""
    policies = meta.policies
    to_move = meta.root.to_move
    seed = meta.seed if meta.seed is not None and abs(meta.seed) < MOST_SEED else None
    commit = meta.commit or (meta.software or {}).get("commit")
    return {
        "commit": None if commit is None else str(commit),
        "game": meta.game.name,
        "position": position_of(meta),
        "game_id": None if meta.game_id is None else str(meta.game_id),
        "engine": meta.engine,
        "ply": len(meta.start) if meta.ply is None else meta.ply,
        "slot": meta.slot,
        "seed": seed,
        "preset": policies.preset,
        "selection": policies.selection.name,
        "simulation": policies.simulation.evaluator or policies.simulation.name,
        "final_move": policies.final_move.name,
        "recorded_by": meta.recorded_by,
        "c": policies.selection.c,
        "player": to_move if to_move in (0, 1) else None,
        "value_low": meta.value_range[0],
        "value_high": meta.value_range[1],
        "result": None if meta.result is None else share(meta, meta.result),
    }


def position_of(meta: TraceMeta) -> str:
    """The moves to the root from the game's first position; the root's text where that says more."""
    if meta.start or not (meta.root.state or meta.root.label):
        return " ".join(str(action) for action in meta.start)
    return meta.root.state or meta.root.label or ""


def finding_row(finding: Finding) -> Row:
    """A finding, without the search that it is of."""
    return {
        "check": finding.check,
        "severity": finding.severity,
        "iteration": finding.iteration,
        "node": finding.node,
        "message": finding.message,
        "evidence": json.dumps(finding.evidence, ensure_ascii=False, default=str),
    }


def _findings(trace: Trace, rules: StartPosition | None, depth: Depth) -> tuple[list[Finding], str]:
    """All findings of a search that is checked in full, or of which the quick checks find something bad."""
    if not depth.full:
        found = check_search(trace)  # without rules, which are what takes the time
        if all(each.severity == "note" for each in found):
            return found, QUICK
    return check_search(trace, rules), FULL


def _counts(findings: Sequence[Finding]) -> Row:
    kinds = [finding.severity for finding in findings]
    return {f"{kind}s": kinds.count(kind) for kind in SEVERITIES}


def _seconds(trace: Trace) -> float | None:
    elapsed = trace.columns.elapsed
    return float(elapsed[-1]) / 1e9 if len(elapsed) and elapsed[-1] > 0 else None


def _digest(trace: Trace, last: Snapshot) -> str:
    told = hashlib.blake2b(digest_size=8)
    for column in (last.parent, last.action, last.visits, last.value_sum, trace.columns.leaf):
        told.update(np.ascontiguousarray(column).tobytes())
    return told.hexdigest()


def _mover_view(snapshot: Snapshot, value: float) -> float:
    """The root's mean, which is in the view of the player not to move there, in that of the one to move."""
    if snapshot.meta.n_players == 1 or int(snapshot.to_move[0]) not in (0, 1):
        return value
    low, high = snapshot.meta.value_range
    return low + high - value


def _evaluator_value(trace: Trace) -> float | None:
    """What an evaluator gave for the root, on the scale of values."""
    meta, columns = trace.meta, trace.columns
    if not meta.policies.simulation.by_evaluator or not len(columns.leaf) or columns.leaf[0] != 0:
        return None
    outcome = float(columns.outcome[0])
    low, high = meta.value_range
    told = low + (share(meta, outcome) + 1.0) / 2.0 * (high - low)
    return told if math.isfinite(told) else None


def _gumbel_noise(trace: Trace, children: Ints) -> Floats:
    """Of the root's moves; nan: none was recorded."""
    told = trace.columns.numbers(trace.n_iterations) if trace.columns.asides.numbers else {}
    return told[GUMBEL][children] if GUMBEL in told else np.full(len(children), np.nan)


def _prior_digest(prior: npt.NDArray[np.float32], noise: Floats) -> str:
    """Gumbel noise is not among the priors, so that they would be the same in all searches of a position."""
    has_noise = bool(np.nan_to_num(noise).any())
    told = prior.tobytes() + (noise.tobytes() if has_noise else b"")
    return "g" * has_noise + hashlib.blake2b(told, digest_size=8).hexdigest()


def _root(last: Snapshot, children: Ints, noise: Floats) -> Row:
    """Value of the root, and how its moves share visits and priors."""
    visits, prior = last.visits[children].astype(np.float64), last.prior[children]
    mean = float(last.mean_value[0])
    row: Row = {"root_value": _mover_view(last, mean) if math.isfinite(mean) else None}
    if visits.sum() > 0 and visits.min() >= 0:
        ordered = np.sort(visits)
        second = ordered[-2] if len(ordered) > 1 else 0.0
        row["visit_entropy"] = _entropy(visits)
        row["visit_margin"] = float((ordered[-1] - second) / visits.sum())
    if len(prior) and np.isfinite(prior).all() and prior.sum() > 0 and prior.min() >= 0:
        row["prior_digest"] = _prior_digest(prior, noise)
        row["prior_entropy"] = _entropy(prior.astype(np.float64))
        row["kl_visits_prior"] = _divergence(visits, prior.astype(np.float64))
    return row


def _entropy(weights: Floats) -> float:
    shares = weights[weights > 0] / weights.sum()
    return float(-np.sum(shares * np.log(shares))) + 0.0  # no −0.0


def _divergence(visits: Floats, prior: Floats) -> float | None:
    """KL(visits ‖ prior) in nats; None where a move without prior was visited."""
    if visits.sum() <= 0 or visits.min() < 0:
        return None
    used = visits > 0
    if (prior[used] <= 0).any():
        return None
    shares, priors = visits[used] / visits.sum(), prior[used] / prior.sum()
    return float(np.sum(shares * np.log(shares / priors)))


def _choice(trace: Trace, last: Snapshot, chosen: Decision | None, children: Ints) -> Row:
    """The move that would be played, the iteration from which on it led, and its prior."""
    if chosen is None:
        return {"lead_changes": 0}
    at, leaders = RootHistory(trace).leaders(trace.n_iterations)
    led = leaders >= 0
    prior = float(last.prior[chosen.chosen])
    row: Row = {
        "best_action": int(last.action[chosen.chosen]),
        "best_action_name": last.label(chosen.chosen),
        "margin": chosen.margin if chosen.margin is None or math.isfinite(chosen.margin) else None,
        "lead_since": int(at[-1]) if len(at) else None,
        "lead_changes": max(int(led.sum()) - 1, 0),
    }
    if math.isfinite(prior):
        row["best_prior"] = prior
        row["best_prior_rank"] = int(np.sum(last.prior[children] > last.prior[chosen.chosen])) + 1
    return row


def _moves(
    last: Snapshot,
    children: Ints,
    exact: ExactResults,
    rules: StartPosition | None,
    chosen: int | None,
) -> list[Row]:
    total = int(last.visits[children].sum())
    legal = None if rules is None else set(rules.legal)
    rows: list[Row] = []
    for child in children.tolist():
        action, visits = int(last.action[child]), int(last.visits[child])
        mean, prior = float(last.mean_value[child]), float(last.prior[child])
        rows.append(
            {
                "action": action,
                "name": last.label(child),
                "node": child,
                "visits": visits,
                "mean": mean if math.isfinite(mean) else None,
                "prior": prior if math.isfinite(prior) else None,
                "policy": visits / total if total > 0 else None,
                "best": child == chosen,
                "exact_value": exact.after.get(action),
                "legal": None if legal is None else action in legal,
            }
        )
    return rows
