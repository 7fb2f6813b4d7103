"""Whether noise at the root is drawn once for a search, as it should be, or anew at every choice.

Priors with noise are numbers like others: each choice at the root says that one of them, times c·√N / (1 + n), makes up
for a difference of means. Where some priors fulfil nearly all of these inequalities, the noise was drawn once. They
are looked for by the least sum of what is missed (least squares, weighted anew in each round). Where many inequalities
are missed whatever the priors, noise of the usual weight explains each choice by itself, and no other rule explains
the root's choices, it was drawn anew.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import Fit, only, scores, without
from mcts_viz.health.selection.infer import infer
from mcts_viz.health.selection.random_choices import are_uniform
from mcts_viz.trace.asides import PRIORS_CHANGE, ROOT_PRIORS_CHANGE
from mcts_viz.types import Bools, Floats

FEW_CHOICES = 60
ROUNDS = 40
RIDGE = 1e-9
SLACK = 0.002  # of the range of values
SHARE = 0.15  # of the choices, which no priors explain
NEARLY_ALL = 0.995
WEIGHT = 0.3  # of the noise, at most: 0.25 is usual
FORCED = 2.0  # k of √(k P N), the visits up to which KataGo forces playouts at the root
# growths of c with N, which shows at the root alone: c·(1 + slope·ln((N + base) / base))
GROWTHS = ((0.0, 1.0), *((slope, base) for base in (50.0, 500.0, 5_000.0) for slope in (0.3, 1.0, 3.0)))  # fmt: skip


def check_recorded_noise(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where the recording saw priors of the root change again and again, and of no other node."""
    if not _is_seen_anew(search):
        return
    yield found(
        "selection-fresh-noise", None, 0,
        "the priors of the root's children were seen to change again and again as the search went on, and no others: "
        "noise is added to them in every iteration, on top of the noise before, or anew. It is drawn once for a search",
    )  # fmt: skip


def _is_seen_anew(search: CheckedSearch) -> bool:
    remarks = {each.text for each in search.trace.columns.asides.remarks}
    return ROOT_PRIORS_CHANGE in remarks and PRIORS_CHANGE not in remarks


def check_root_noise(search: CheckedSearch, rows: ComparedChildren, rule: Fit) -> Iterator[Finding]:
    """A finding where choices at the root are those of ever new noise. rule: explains the choices below it."""
    if _is_seen_anew(search):
        return  # it is said already
    if not rule.rule.width.needs_priors or not np.isfinite(rule.high) or np.isnan(rows.prior).any():
        return
    root = _compared(rows)
    if root is None:
        return
    low, high = search.value_range
    slack = SLACK * (high - low)
    value, width = scores(search, root, rule.rule)
    _, factor = scores(search, root._replace(prior=np.ones(len(root.of))), rule.rule)
    moving = any(each.text == PRIORS_CHANGE for each in search.trace.columns.asides.remarks)
    if not _by_new_noise(root, value, rule.c * factor, 1.0 if moving else WEIGHT, slack):
        return
    missed = _missed_at_best(root, value, rule.c * factor, slack)
    n = len(root.chosen)
    if missed.sum() < SHARE * n or are_uniform(root, value + rule.c * width, missed):
        return
    if infer(search, root) is not None:
        return  # the root has a rule of its own
    first = int(np.argmax(missed))
    yield found(
        "selection-fresh-noise", int(root.iteration[first]), 0,
        f"no priors, with noise or without, explain the choices at the root: {int(missed.sum()):,} of {n:,} looked at "
        "are not as the others say; with noise that is drawn anew at every choice there, all are. Noise is drawn once "
        "for a search, else it averages out, and the root explores nothing new by it",
        times=int(missed.sum()), choices=n,
    )  # fmt: skip


def _compared(rows: ComparedChildren) -> ComparedChildren | None:
    """Choices at the root among children with visits, but of those that may be forced; None where there are too few."""
    at_root = (rows.parent == 0) & (rows.visits[rows.chosen] > 0)
    prior = (1 - WEIGHT) * rows.prior[rows.chosen] + WEIGHT
    forced = rows.visits[rows.chosen] < np.sqrt(FORCED * prior * np.maximum(rows.parent_visits, 0))
    use = at_root & ~forced
    if use.sum() < FEW_CHOICES:
        return None
    root = only(rows, use)
    root = without(root, root.visits == 0)
    several = np.bincount(root.of, minlength=len(root.chosen)) > 1
    return only(root, several) if several.sum() >= FEW_CHOICES else None


def _missed_at_best(rows: ComparedChildren, value: Floats, factor: Floats, slack: float) -> Bools:
    """[C] choices that the best priors miss, with a c that may grow."""
    N = np.maximum(rows.parent_visits, 0)[rows.of]
    best: Bools | None = None
    for slope, base in GROWTHS:
        missed = _missed(rows, value, factor * (1 + slope * np.log((N + base) / base))) > slack
        if best is None or missed.sum() < best.sum():
            best = missed
        if best.sum() < SHARE * len(best):
            break
    assert best is not None
    return best


def _missed(rows: ComparedChildren, value: Floats, factor: Floats) -> Floats:
    """[C] by how much each choice misses the best priors that there are for all of them, in units of the score."""
    nodes, which = np.unique(rows.node, return_inverse=True)
    chosen = rows.chosen[rows.of]
    other = np.flatnonzero(chosen != np.arange(len(rows.of)))
    taken = chosen[other]
    table = np.zeros((len(other), len(nodes)))
    at = np.arange(len(other))
    table[at, which[taken]] += factor[taken]
    table[at, which[other]] -= factor[other]
    due = value[other] - value[taken]
    priors = np.zeros(len(nodes))
    priors[which] = rows.prior
    best, least = priors, np.inf
    floor = 1e-4 * float(np.ptp(value)) + 1e-12
    for _ in range(ROUNDS):
        short = due - table @ priors
        loss = float(np.maximum(short, 0.0).sum())
        if loss < least:
            best, least = priors, loss
        active = short > 0
        if not active.any():
            break
        part, weight = table[active], 1 / np.maximum(short[active], floor)
        moments = part.T @ (part * weight[:, None])
        step = np.linalg.solve(
            moments + RIDGE * (1 + np.trace(moments)) * np.eye(len(nodes)),
            part.T @ (short[active] * weight),
        )
        priors = priors + step
    short = np.maximum(due - table @ best, 0.0)
    missed = np.zeros(len(rows.chosen))
    np.maximum.at(missed, rows.of[other], short)
    return missed


def _by_new_noise(
    rows: ComparedChildren, value: Floats, factor: Floats, weight: float, slack: float
) -> bool:
    """Whether noise of this weight, all of it on the child taken, makes each choice the best one."""
    kept = value + factor * (1 - weight) * rows.prior
    with_noise = (kept + factor * weight)[rows.chosen]
    behind = np.where(rows.chosen[rows.of] == np.arange(len(rows.of)), -np.inf, kept)
    best = np.maximum.reduceat(behind, rows.first)
    return bool((with_noise >= best - slack).mean() >= NEARLY_ALL)
