"""What decided the selections at one node: for each, the chosen child against another, term by term.

Scores are those before the iteration, computed by the very formulas that the search uses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.lead import Lead
from mcts_viz.analysis.siblings import Block, Siblings, Statistics
from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.trace.snapshot import (
    NodeStatistics,
    keeps_squares,
    selection_score,
    selection_terms,
)
from mcts_viz.trace.trace import Trace

# how the chosen child beat another: by which term its score was the higher one
REASONS = ("value", "exploration", "prior", "both", "first visit", "tie", "against", "unknown")
VALUE, EXPLORATION, PRIOR, BOTH, FIRST_VISIT, TIE, AGAINST, UNKNOWN = range(len(REASONS))
ALONE = -1  # no other child was there
MOST_SELECTIONS = 1 << 16  # looked at; of more, every other one, every third one …
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Reasons = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]


@dataclass
class Course:
    """What happened at a node up to iteration t; k children, S selections, L of them looked at."""

    children: npt.NDArray[np.int32]  # [k]
    leader: int = -1  # place of the child that leads in the end, -1 none
    since: int = 0  # iteration after which it has led without a break; 0: before the first one
    lead_changes: int = 0  # how often the lead passed from one child to another
    iteration: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # [S] rising
    taken: npt.NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, np.int16))  # [S] place
    step: int = 1  # every step-th selection is looked at
    reason: Reasons = field(
        default_factory=lambda: np.zeros(0, np.int8)
    )  # [L] against the best other one
    against: Reasons = field(
        default_factory=lambda: np.zeros(0, np.int8)
    )  # [L] against the rejected child
    deviations: Floats = field(default_factory=lambda: np.zeros(0))  # [k] sum of (value − mean)²
    least: Floats = field(default_factory=lambda: np.zeros(0))  # [k] value of a visit
    greatest: Floats = field(default_factory=lambda: np.zeros(0))  # [k]
    n_values: Ints = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )  # [k] updates of one visit


def course(trace: Trace, node: int, t: int, means: Floats, rejected: int | None = None) -> Course:
    """The course of the search at `node` up to iteration t, in one pass over its updates. `means`
    are those of its children at t, `rejected` is the place of the child to compare with."""
    siblings = Siblings(trace, node, t, keeps_squares(trace.meta))
    k = len(means)
    selected, taken = siblings.selections
    told = Course(siblings.children, iteration=selected, taken=taken)
    told.step = max(1, -(-len(told.taken) // MOST_SELECTIONS))
    told.deviations, told.n_values = np.zeros(k), np.zeros(k, np.int64)
    told.least, told.greatest = np.full(k, np.inf), np.full(k, -np.inf)
    if not k:
        return told
    lead = Lead(trace.columns, trace.meta, siblings.children, node, t)
    compare = _Comparison(trace, node, t, siblings, told, rejected)
    for block in siblings.blocks():
        _follow(told, lead, block)
        if block.first:
            _weigh(told, block, means)
            compare(block)
    told.reason, told.against = compare.reasons()
    return told


def _follow(told: Course, lead: Lead, block: Block) -> None:
    """Who leads after each iteration of the block."""
    iteration, leader = lead.changes(block, told.leader)
    if len(iteration):
        before = np.concatenate(([told.leader], leader[:-1]))
        told.lead_changes += int(((leader >= 0) & (before >= 0)).sum())
        told.since = int(iteration[-1])
        told.leader = int(leader[-1])


def _weigh(told: Course, block: Block, means: Floats) -> None:
    """The spread of the values of single visits."""
    for place, states in enumerate(block.children):
        single = states.update_visits == 1
        value = states.update_value if single.all() else states.update_value[single]
        if len(value):
            away = value - means[place]
            told.n_values[place] += len(value)
            told.deviations[place] += float((away * away).sum())
            told.least[place] = min(told.least[place], float(value.min()))
            told.greatest[place] = max(told.greatest[place], float(value.max()))


class _Comparison:
    """The selections that are looked at, block by block."""

    def __init__(
        self, trace: Trace, node: int, t: int, siblings: Siblings, told: Course, rejected: int | None
    ) -> None:  # fmt: skip
        self._trace, self._node, self._rejected = trace, node, rejected
        self._children, self._born = siblings.children, siblings.born
        self._iteration = told.iteration[:: told.step]
        self._taken = told.taken[:: told.step].astype(np.int64)
        self._proven_at, self._proven = proofs(trace, siblings, t)
        self._found: list[Reasons] = []
        self._against: list[Reasons] = []
        formula = SELECTION_FORMULAS.get(
            trace.meta.get("policies", {}).get("selection", {}).get("name")
        )
        self._has_priors = formula is not None and formula.needs_priors
        self._squares = keeps_squares(trace.meta)

    def reasons(self) -> tuple[Reasons, Reasons]:
        """[L] against the best other child, and against the rejected one."""
        none = np.zeros(0, np.int8)
        return np.concatenate([none, *self._found]), np.concatenate([none, *self._against])

    def __call__(self, block: Block) -> None:
        ends = np.searchsorted(self._iteration, [block.first, block.last + 1])
        when, taken = self._iteration[slice(*ends)], self._taken[slice(*ends)]
        if not len(when):
            return
        before = block.after(when - 1)
        value, exploration = self._terms(before, when)
        score = selection_score(value, exploration)
        absent = self._born[:, None] >= when
        columns = np.arange(len(when))
        others = np.where(absent, -np.inf, score)
        unknown: Bools = np.isnan(others).any(axis=0)  # type: ignore[assignment]
        others[taken, columns] = -np.inf
        terms = (value, exploration, score, before.visits, unknown, taken)
        reason = self._reasons(*terms, _first_of_greatest(others))
        absent[taken, columns] = True
        reason[absent.all(axis=0)] = ALONE
        self._found.append(reason)
        if self._rejected is not None:
            against = self._reasons(*terms, np.full(len(when), self._rejected))
            against[absent[self._rejected]] = ALONE
            self._against.append(against)

    def _terms(self, before: Statistics, when: Ints) -> tuple[Floats, Floats]:
        columns = self._trace.columns
        known = self._proven_at[:, None] < when
        return selection_terms(
            self._trace.meta,
            NodeStatistics(
                visits=before.visits,
                value_sum=before.value_sum,
                prior=columns.prior[self._children][:, None],
                parent_visits=before.parent_visits,
                chooser=columns.to_move[self._node],
                proven=np.where(known, self._proven[:, None], np.float32(np.nan)),
                square_sum=before.square_sum if self._squares else None,
            ),
        )

    def _reasons(
        self, value: Floats, exploration: Floats, score: Floats, visits: npt.NDArray[np.int32],
        unknown: Bools, mine: Ints, other: Ints,
    ) -> Reasons:  # fmt: skip
        """[P] by which term child `mine` was ahead of child `other` in each column."""
        columns = np.arange(len(mine))
        by_value = value[mine, columns] > value[other, columns]
        by_width = exploration[mine, columns] > exploration[other, columns]
        my_score, other_score = score[mine, columns], score[other, columns]
        reason = np.where(by_value, np.where(by_width, BOTH, VALUE), EXPLORATION).astype(np.int8)
        if self._has_priors:
            more = visits[mine, columns] >= visits[other, columns]
            reason[(reason == EXPLORATION) & more] = PRIOR
        reason[my_score == other_score] = TIE
        reason[my_score < other_score] = AGAINST
        first = np.isinf(exploration[mine, columns])
        reason[first] = FIRST_VISIT
        reason[unknown] = UNKNOWN
        return reason


def proofs(trace: Trace, siblings: Siblings, t: int) -> tuple[Ints, npt.NDArray[np.float32]]:
    """[k] when each child's result was proven, beyond t if never, and that result."""
    columns, children = trace.columns, siblings.children
    result = columns.proven(t)[children]
    at = np.where(np.isnan(result), t + 1, siblings.born).astype(np.int64)
    n = int(np.searchsorted(columns.proven_at, t, side="right"))
    when = dict(zip(columns.proven_node[:n].tolist(), columns.proven_at[:n].tolist()))
    for place, child in enumerate(children.tolist()):
        at[place] = when.get(child, at[place])
    return at, result


def _first_of_greatest(score: Floats) -> Ints:
    """[P] row of the greatest entry of each column, the first of equals."""
    greatest = score.max(axis=0)
    row = np.zeros(score.shape[1], np.int64)
    for place in range(len(score) - 1, -1, -1):
        np.putmask(row, score[place] == greatest, place)
    return row
