"""Whether what chance decides comes as often as its probabilities say: χ² over all nodes of chance, each by its
visits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.draws_of_chance import draws_of_chance
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import decided, fit, joined, spread
from mcts_viz.health.selection.infer import FEW_CHOICES, NAMED_FROM
from mcts_viz.health.selection.mistakes import DECIDED
from mcts_viz.health.selection.scores import FIRST, UCB1, PerChild, Rule, mean
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Floats, Ints

MOST_DRAWS = 2_000  # events looked at
FEW_VISITS = 10  # or draws, of a node's children together
FEW_NODES = 5  # of chance, with one event
LIMIT = 5.0  # standard deviations
MOST_SAID = 30  # standard deviations: more say no more
PRIOR_SLACK = 0.01  # of the sum of the probabilities
BY_CHANCE = 0.01  # with which a node has one event in all its visits
NEARLY_ALL = 0.9  # nodes
LEAST_DUE = 2.0  # visits of an event


VIEWS: tuple[PerChild, ...] = (  # whichever player the children favour
    mean,
    lambda rows: -mean(rows),
    lambda rows: np.where(rows.chooser == 0, 1, -1) * mean(rows),
    lambda rows: np.where(rows.chooser == 0, -1, 1) * mean(rows),
)


def check_chance(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where the children of nodes of chance are not visited by their probabilities."""
    at_chance = search.to_move == CHANCE
    if not at_chance.any():
        return
    yield from _chosen(search)
    prior = search.trace.columns.nodes.prior[: search.N].astype(np.float64)
    draws = draws_of_chance(search)
    drawn = DrawnEvents("visits" if draws.are_visits else "draws")
    for parent, first, children in search.families.parts(RANGE_ROWS):
        for node, family in zip(parent.tolist(), np.split(children, first[1:])):
            if at_chance[node]:
                drawn.add(node, prior[family], draws.times[family])
    by_probabilities = [_of_batches(one) if draws.may_lack else one for one in drawn.findings()]
    visits = search.statistics_after(search.T).visits.astype(np.int64)
    yield from by_probabilities or _single(search, visits)


def _of_batches(one: Finding) -> Finding:
    """Where a batch leaves out descents that come to the same leaf: those are by what is probable."""
    return one.as_note(
        f"{one.message}. Batches have more descents at one time than at another: right where those that come to a "
        "leaf of the batch again are not counted, and they go through probable events"
    )


class Often(NamedTuple):
    """How often an event of a node of chance came."""

    by: float  # of several the one with the greatest is told
    node: int
    times: int
    visits: int  # or draws of the node's events together
    probability: float


class DrawnEvents:
    """The events of nodes of chance beside their probabilities."""

    def __init__(self, counted: str) -> None:
        """counted: "visits", or "draws" where these are no visits."""
        self.counted = counted
        # Of χ², each times its node's visits: a search goes on with what chance has favoured, and not with what it has
        # not, so that the deviations of nodes are no draws of their own. Times visits their sum stays what it would be.
        self.weighted = self.expected = self.squares = 0.0
        self.worst = Often(0.0, -1, 0, 0, 0.0)
        # nodes with one event, though another was bound to come; all such nodes
        self.kept = self.of = 0
        self.most_kept = Often(0.0, -1, 0, 0, 0.0)

    def add(self, node: int, p: Floats, n: Ints) -> None:
        """Those of a node with these probabilities, and draws of each."""
        total = int(n.sum())
        if np.isnan(p).any() or (p <= 0).any() or total < FEW_VISITS:
            return
        p, n = _with_rest(p, n)
        seldom = _seldom_together(p, n, total)
        if seldom is None:
            return
        p, n = seldom
        due, more = total * p, len(p) - 1
        chi_squared = float(((n - due) ** 2 / due).sum())
        self.weighted += total * chi_squared
        self.expected += total * more
        self.squares += total**2 * more
        event = int(np.argmax((n - due) ** 2 / due))
        one = Often(chi_squared - more, node, int(n[event]), total, float(p[event]))
        self.worst = max(self.worst, one)
        event = int(np.argmax(n))
        if float(p[event]) ** total <= BY_CHANCE:
            self.of += 1
            self.kept += int(n[event]) == total
            one = Often(float(total), node, int(n[event]), total, float(p[event]))
            self.most_kept = max(self.most_kept, one) if n[event] == total else self.most_kept

    def findings(self) -> Iterator[Finding]:
        """One where they do not go together."""
        deviations = self._deviations()
        if deviations <= LIMIT:
            return
        if self.kept and self.kept >= NEARLY_ALL * self.of:
            yield self._kept(deviations)
            return
        one, due = self.worst, self.worst.visits * self.worst.probability
        apart = f"{deviations:.1f}" if deviations <= MOST_SAID else f"more than {MOST_SAID}"
        yield found(
            "chance-frequencies", None, one.node,
            f"what chance decides does not come as often as its probabilities say: {apart} standard deviations over "
            f"all nodes of chance; most at node {one.node:,}, where an event of probability {one.probability:.3g} "
            f"comes {one.times:,} times in {one.visits:,} {self.counted}, and {due:,.0f} are due",
            deviations=float(deviations),
        )  # fmt: skip

    def _deviations(self) -> float:
        """By how many standard deviations of a normal variable the sum is too large, which is distributed nearly as
        one χ² (Satterthwaite 1946), and its cube root as a normal variable (Wilson and Hilferty 1931)."""
        if not self.squares:
            return 0.0
        spread = 2 / (9 * self.expected**2 / self.squares)
        return float(((self.weighted / self.expected) ** (1 / 3) - 1 + spread) / np.sqrt(spread))

    def _kept(self, deviations: float) -> Finding:
        one = self.most_kept
        nodes = (
            f"and so it is at {self.kept:,} of {self.of:,} nodes of chance where another one was bound to come"
            if self.of > 1
            else "and there is no other node of chance where another one was bound to come"
        )
        return found(
            "chance-frequencies", None, one.node,
            f"all {one.visits:,} {self.counted} of node {one.node:,} got the same event, whose probability is "
            f"{one.probability:.3g}, {nodes}: an event is drawn once, and kept. It has to be drawn anew at every visit",
            deviations=float(deviations), nodes=self.kept, visits=one.visits,
        )  # fmt: skip


def _chosen(search: CheckedSearch) -> Iterator[Finding]:
    """Where a rule of selection explains what chance does: always the child of the highest score."""
    rows = list(search.draws_by_chance())
    if not rows:
        return
    drawn = spread(joined(search, rows), MOST_DRAWS)
    if len(drawn.chosen) < FEW_CHOICES:
        return
    for value in VIEWS:
        one = fit(search, drawn, Rule("", UCB1.words, value, UCB1, FIRST))
        # where any c explains all there is no choice that tells, as where few events come twice
        tells = np.isfinite(one.high)
        if tells and one.share >= NAMED_FROM and decided(search, drawn, one) >= DECIDED:
            yield found(
                "chance-chosen", int(drawn.iteration[0]), int(drawn.parent[0]),
                f"what chance decides is chosen by UCB1, with c in [{one.low:.4g}, {one.high:.4g}]: that explains "
                f"{one.n:,} of {one.of:,} events looked at. They are to be drawn by their probabilities",
                choices=one.of,
            )  # fmt: skip
            return


def _single(search: CheckedSearch, visits: Ints) -> Iterator[Finding]:
    """A note where each node of chance has one event, however often it is visited. Events may be certain."""
    single, most, several = [], 0, 0
    for parent, first, children in search.families.parts(RANGE_ROWS):
        total = np.add.reduceat(visits[children], first)
        size = np.diff(np.append(first, len(children)))
        known = (search.to_move[parent] == CHANCE) & (total >= FEW_VISITS)
        several += int((known & (size > 1)).sum())
        single += parent[known & (size == 1)].tolist()
        most = max(most, int(total[known & (size == 1)].max(initial=0)))
    if len(single) < FEW_NODES or several:
        return
    yield found(
        "chance-frequencies", None, int(single[0]),
        f"all {len(single):,} nodes of chance with {FEW_VISITS} visits or more have one event, one of them in "
        f"{most:,} visits: so it is where an event is drawn once, and kept, in place of a new one at each visit. "
        "Right where the events are certain",
        nodes=len(single), visits=most,
    ).as_note()  # fmt: skip


def _seldom_together(p: Floats, n: Ints, total: int) -> tuple[Floats, Ints] | None:
    """The events, those of which few are due counted as one: a sum of χ² has far values too often where one visit more
    is a multiple of what is due. None where one event is left."""
    seldom = total * p < LEAST_DUE
    if seldom.any() and total * float(p[seldom].sum()) < LEAST_DUE and not seldom.all():
        seldom |= p == p[~seldom].min()
    if seldom.sum() > 1:
        p, n = (
            np.append(p[~seldom], p[seldom].sum()),
            np.append(n[~seldom], n[seldom].sum()),
        )
    return (p, n) if len(p) > 1 else None


def _with_rest(p: Floats, n: Ints) -> tuple[Floats, Ints]:
    """The events that have not come yet as one more."""
    rest = 1.0 - float(p.sum())
    if rest > PRIOR_SLACK:
        return np.append(p, rest), np.append(n, 0)
    return p / p.sum(), n
