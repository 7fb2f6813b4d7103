"""Whether nodes that keep the best result found below them are compared with the best of the whole search: then a node
changes only when the root has a new record, and the results that most visits bring are lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.types import Floats, Ints

FEW_RECORDS = 3  # of the root
# of results in any order each one is a record once in as many as there are orders: of six once in 720
SURE_RECORDS = 6
FEW_CHANGES = 10  # of nodes below the root
MANY_VISITS = 200  # that change nothing
FEW_LOST = 20  # told results that a new node does not get


class ValuesOfRecords:
    """Changes of the values that nodes keep, and whether the root's rises with them."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.records = 0
        self.with_record = self.without = self.unchanged = 0  # visits of nodes below the root
        self.first: list[tuple[Ints, Ints, Floats, Floats, Floats]] = []

    def look(self, part: IterationRange) -> None:
        steps = part.steps
        before, after = part.before_steps(), part.after_steps()
        was = before.value_sum / np.maximum(before.visits, 1)
        now = after.value_sum / np.maximum(after.visits, 1)
        tolerance = self.search.slack + 1e-6 * np.abs(now)
        at_root = np.flatnonzero(steps.node == 0)
        rises = np.zeros(part.n, np.bool_)
        best = np.zeros(part.n)
        of = steps.iteration[at_root] - part.first
        rises[of] = (now - was > tolerance)[at_root]
        best[of] = now[at_root]
        self.records += int((rises[of] & (before.visits[at_root] > 0)).sum())
        below = (steps.node > 0) & (steps.visits > 0)
        again = below & (before.visits > 0)
        changes = again & (np.abs(now - was) > tolerance)
        record = rises[steps.iteration - part.first]
        self.with_record += int((changes & record).sum())
        self.without += int((changes & ~record).sum())
        self.unchanged += int((again & ~changes).sum())
        new = below & (before.visits == 0)
        when = steps.iteration[new] - part.first
        told = part.result[when]
        root = np.where(rises[when], best[when], np.nan)
        self.first.append((steps.iteration[new], steps.node[new], now[new], root, told))


def best_of_search(search: CheckedSearch, kind: str) -> Finding | None:
    """In place of a note that a node keeps the best result below it; None where it does. kind: what the back-up
    seems to be, as `backup_of` has it."""
    if not search.alone or kind not in ("best", "max"):
        return None
    seen = ValuesOfRecords(search)
    for part in search.ranges():
        seen.look(part)
    if seen.without or seen.records < FEW_RECORDS or seen.with_record < FEW_CHANGES:
        return None
    if seen.unchanged < MANY_VISITS:
        return None
    iteration, node, value, root, told = (np.concatenate(each) for each in zip(*seen.first))
    kinds, times = np.unique(np.round(value, 6), return_counts=True)
    given = float(kinds[np.argmax(times)])  # what a node begins with
    is_given = np.abs(value - given) <= search.slack + 1e-6
    is_record = np.abs(value - root) <= search.slack + 1e-6 * np.abs(value)
    if not (is_given | is_record).all() or is_given.mean() < 0.5:
        return None
    lost = is_given & (np.abs(told - given) > search.slack + 1e-6)
    return _finding(search, seen, given, iteration[lost], node[lost], told[lost])


def _finding(
    search: CheckedSearch,
    seen: ValuesOfRecords,
    given: float,
    iteration: Ints,
    node: Ints,
    told: Floats,
) -> Finding:
    """The last three: of first visits whose told results the nodes do not get."""
    visits, total, *_ = search.statistics_after(search.T)
    still = np.abs(total / np.maximum(visits, 1) - given) <= search.slack + 1e-6
    still &= visits > 0
    still[0] = False
    at = int(np.argmax(np.where(still, visits, -1)))
    shown = ""
    if len(node):
        shown = (
            f". Node {int(node[0]):,} is new in iteration {int(iteration[0]):,}, whose result is {float(told[0]):.4g}, "
            f"and has {given:g} after it, as at {len(node):,} first visits"
        )
    finding = found(
        "value-backup", int(iteration[0]) if len(node) else None, int(node[0]) if len(node) else at,
        f"the value of a node changes only when the root gets a new record, which happens {seen.records + 1:,} times: "
        f"{seen.unchanged:,} later visits of nodes change nothing, and {seen.with_record:,} do, with a record each. "
        f"{int(still.sum()):,} of {int((visits[1:] > 0).sum()):,} nodes still have the {given:g} that they began with, "
        f"node {at:,} after {int(visits[at]):,} visits{shown}. So a node does not keep the best result found below it: "
        "the back-up compares a result with the best of the whole search, as `if result > self.best`, and not with "
        "the node's own",
        backup="best of the search", records=seen.records, unchanged=seen.unchanged, lost=len(node),
    )  # fmt: skip
    if len(node) >= FEW_LOST:
        return replace(finding, severity="error")
    return finding.as_warning() if seen.records >= SURE_RECORDS else finding
