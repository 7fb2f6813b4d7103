"""What decided the selections at one node: for each, the chosen child against another, term by term.

Scores are those before the iteration, computed by the very formulas that the search uses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.history.lead import Lead
from mcts_viz.analysis.history.siblings import (
    Sample,
    Selected,
    SiblingBlock,
    Siblings,
    SiblingStatistics,
)
from mcts_viz.trace.sibling_terms import sibling_numbers, sibling_terms
from mcts_viz.trace.snapshot import (
    NodeStatistics,
    seen_by_chooser_after,
    selection_score,
    selection_terms,
)
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Bools, Floats, Ints

# how the chosen child beat another: by which term its score was the higher one
REASONS = ("value", "exploration", "prior", "both", "first visit", "tie", "against", "unknown")
VALUE, EXPLORATION, PRIOR, BOTH, FIRST_VISIT, TIE, AGAINST, UNKNOWN = range(len(REASONS))
ALONE = -1  # no other child was there
MOST_SELECTIONS = 1 << 16  # looked at; of more, every other one, every third one …
Reasons = npt.NDArray[np.int8]


@dataclass
class SelectionHistory:
    """The selections at a node up to iteration t: k children, S selections, L of them looked at."""

    children: npt.NDArray[np.int32]  # [k]
    sample: Sample  # L of S
    leader: int = -1  # place of the child that leads in the end, -1 none
    since: int = 0  # iteration after which it has led without a break; 0: before the first one
    lead_changes: int = 0  # how often the lead passed from one child to another
    reason: Reasons = field(
        default_factory=lambda: np.zeros(0, np.int8)
    )  # [L] against the best other one
    against: Reasons = field(
        default_factory=lambda: np.zeros(0, np.int8)
    )  # [L] against the rejected child
    selected: Selected | None = None  # of the rejected child
    spread: ValueSpread = field(default_factory=lambda: ValueSpread(np.zeros(0), True))


class ValueSpread:
    """The values of single visits to k children."""

    def __init__(self, means: Floats, is_exact: bool) -> None:
        """means: [k] the children's final mean values. is_exact: sums of values are free of rounding."""
        k = len(means)
        self._means, self._is_exact = means, is_exact
        self.n = np.zeros(k, np.int64)  # [k] updates of one visit
        self.least, self.greatest = np.full(k, np.inf), np.full(k, -np.inf)
        self._deviations, self._total, self._squares = np.zeros(k), np.zeros(k), np.zeros(k)

    @staticmethod
    def of(n: Ints, least: Floats, greatest: Floats, total: Floats, squares: Floats) -> ValueSpread:
        """The counts, from what is known without a look at each selection, in sums free of rounding."""
        found = ValueSpread(np.zeros(len(n)), True)
        found.n, found.least, found.greatest = n, least, greatest
        found._total, found._squares = total, squares
        return found

    @property
    def deviations(self) -> Floats:
        """[k] the sum of (value − mean)²."""
        if self._is_exact:  # whatever the order in which they were added
            return self._squares - self._total**2 / np.maximum(self.n, 1)
        return self._deviations

    def add_block(self, block: SiblingBlock) -> None:
        """Add the selections of a block."""
        for place, states in enumerate(block.children):
            single = states.update_visits == 1
            self.add(place, states.update_value if single.all() else states.update_value[single])

    def add(self, place: int, value: Floats) -> None:
        """Add what single visits to a child added, after those before."""
        if not len(value):
            return
        self.n[place] += len(value)
        self.least[place] = min(self.least[place], float(value.min()))
        self.greatest[place] = max(self.greatest[place], float(value.max()))
        with np.errstate(over="ignore"):  # a faulty search may have values of any size
            if self._is_exact:
                self._total[place] += float(value.sum())
                self._squares[place] += float((value * value).sum())
            else:  # one by one, so that the sum is the same however many are added at a time
                away = value - self._means[place]
                more = np.append(self._deviations[place], away * away)
                self._deviations[place] = np.cumsum(more)[-1]


def selection_history(
    trace: Trace, node: int, t: int, means: Floats, rejected: int | None = None
) -> SelectionHistory:
    """The selections at `node` up to iteration t, in one pass over the updates. `means`: mean values of
    the children at t; `rejected`: place of the child to compare with."""
    siblings = Siblings(trace, node, t, trace.meta.keeps_squares)
    told = SelectionHistory(siblings.children, siblings.sample(MOST_SELECTIONS))
    told.spread = ValueSpread(means, trace.columns.exact_sums)
    if not len(means):
        return told
    if rejected is not None:
        told.selected = siblings.selected(rejected)
    known, single_visits = siblings.values(), siblings.single_visits()
    if known is not None:
        told.spread = ValueSpread.of(*known)
    for place, value in single_visits or ():
        told.spread.add(place, value)
    lead = Lead(trace.columns, trace.meta, siblings.children, node, t)
    compare = SelectionComparer(trace, node, t, siblings, told.sample, rejected)
    for block in siblings.blocks(settled=lead.settled, moments=told.sample.iteration):
        _follow(told, lead, block)
        if block.first:
            if known is None and single_visits is None:
                told.spread.add_block(block)
            compare(block)
    told.reason, told.against = compare.reasons()
    return told


def _follow(told: SelectionHistory, lead: Lead, block: SiblingBlock) -> None:
    """The leading child after each iteration of the block."""
    iteration, leader = lead.changes(block, told.leader)
    if len(iteration):
        before = np.concatenate(([told.leader], leader[:-1]))
        told.lead_changes += int(((leader >= 0) & (before >= 0)).sum())
        told.since = int(iteration[-1])
        told.leader = int(leader[-1])


class SelectionComparer:
    """The selections that are looked at, block by block."""

    def __init__(
        self, trace: Trace, node: int, t: int, siblings: Siblings, sample: Sample, rejected: int | None
    ) -> None:  # fmt: skip
        self._trace, self._node, self._rejected = trace, node, rejected
        self._children, self._born = siblings.children, siblings.born
        self._iteration, self._taken = sample.iteration, sample.taken
        self._proven_at, self._proven = proofs(trace, siblings, t)
        self._found: list[Reasons] = []
        self._against: list[Reasons] = []
        formula = trace.meta.formula
        self._has_priors = formula is not None and formula.needs_priors
        self._squares = trace.meta.keeps_squares
        self._numbers = trace.at(t).numbers

    def reasons(self) -> tuple[Reasons, Reasons]:
        """[L] against the best other child, and against the rejected one."""
        none = np.zeros(0, np.int8)
        return np.concatenate([none, *self._found]), np.concatenate([none, *self._against])

    def __call__(self, block: SiblingBlock) -> None:
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
        unknown: Bools = np.asarray(np.isnan(others).any(axis=0))
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

    def _terms(self, before: SiblingStatistics, when: Ints) -> tuple[Floats, Floats]:
        columns = self._trace.columns
        if self._trace.meta.policies.selection.needs_siblings:
            of = sibling_numbers(
                self._trace.meta, self._numbers, columns.nodes.reward, self._node, self._children,
                columns.nodes.prior[self._children], before.visits, before.value_sum,
            )  # fmt: skip
            return sibling_terms(self._trace.meta, of)
        known = self._proven_at[:, None] < when
        return selection_terms(
            self._trace.meta,
            NodeStatistics(
                visits=before.visits,
                value_sum=before.value_sum,
                prior=columns.nodes.prior[self._children][:, None],
                parent_visits=before.visits.sum(axis=0, dtype=np.int32)
                if self._trace.meta.policies.selection.counts_children
                else before.parent_visits,
                chooser=columns.nodes.to_move[self._node],
                proven=np.where(known, self._proven[:, None], np.float32(np.nan)),
                square_sum=before.square_sum if self._squares else None,
                parent_value=seen_by_chooser_after(
                    self._trace.meta,
                    columns,
                    self._node,
                    when - 1,
                    before.parent_visits,
                    before.parent_sum,
                ),
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
        first = np.isposinf(exploration[mine, columns])
        reason[first] = FIRST_VISIT
        reason[unknown] = UNKNOWN
        return reason


def proofs(trace: Trace, siblings: Siblings, t: int) -> tuple[Ints, npt.NDArray[np.float32]]:
    """[k] iteration that proved each child's value, t + 1 if none, and that value."""
    columns, children = trace.columns, siblings.children
    result = columns.proven_by(t)[children]
    at = np.where(np.isnan(result), t + 1, siblings.born).astype(np.int64)
    n = int(np.searchsorted(columns.proven.at, t, side="right"))
    when = dict(zip(columns.proven.node[:n].tolist(), columns.proven.at[:n].tolist()))
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
