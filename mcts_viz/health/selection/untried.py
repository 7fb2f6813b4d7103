"""Choices among children while moves are still untried, and progressive widening, which means it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import Occurrences
from mcts_viz.health.selection.unmade import urgency_of_unmade
from mcts_viz.trace.words import plural
from mcts_viz.types import Ints

SELDOM = 0.15  # share of choices
MOST_KEPT = 0.5  # share of the iterations that make nodes
FEW_CHOICES = 5_000  # to look at
FEW_PASSED = 3
FEW_NODES = 3  # that get a further child
FEW_COUNTS = 5  # numbers of children
MANY = 50  # choices, and children
MANY_KINDS, OF_A_NETWORK = 50, 0.3  # different values of leaves, and their share
NEARLY_LINEAR = 0.9  # exponent of the visits
EARLY = 0.5  # of the visits that a law has


def check_untried(search: CheckedSearch) -> Iterator[Finding]:
    """A finding about choices among existing children of a node that gets another child later on."""
    seen, choices, there, more = Occurrences(), 0, 0, 0
    widening = Widening(search)
    for part, every in search.all_choices():
        choices += len(every.node)
        last = search.n_children(every.parent)
        waits = np.flatnonzero(every.n_children < last)
        iteration, parent, taken, k = every.where(waits)
        last = last[waits]
        # all moves of a node are made in this iteration, as where some were there by way of another parent: none waits
        after = search.families.count(parent, part.node_count(iteration + 1))
        made = after == last
        # the first visit of a child that was there already tries a move: a descent of another thread had made it
        bad = ~made & (part.visits_before(taken, iteration) > 0)
        if bad.any() and not seen.times:
            i = int(np.argmax(bad))
            there, more = int(k[i]), int(last[i] - k[i])
        seen.add(bad, iteration, parent)
        narrow = bad & (after == k)  # and the limit allowed no further child
        widening.look(part, iteration[narrow], parent[narrow], k[narrow])
    t, node, times = seen
    if not times:
        return
    law = widening.law()
    if law is not None:
        beyond = widening.beyond(law)
        text = f"progressive widening: {law.words}{beyond or ''}"
        one = found("selection-widening", None, None, text, times=times)
        yield one if beyond is None else one.as_warning()
        return
    by_root = widening.by_root()
    if by_root is not None:
        yield by_root.as_warning()
        return
    text = (
        f"iteration {t:,} chooses among {there} children of node {node:,}, which gets {more} more later; "
        f"{times:,} of {choices:,} choices are made while moves are untried"
    )
    meant = widening.in_words()
    if meant is None and search.meta.policies.selection.unvisited is None:
        meant = urgency_of_unmade(search)
    meant = meant or _meant(search, times, choices)
    untried = found(
        "selection-untried", t, node, text if meant is None else f"{text}; {meant}", times=times,
        choices=choices,
    )  # fmt: skip
    yield untried if meant is None else untried.as_note()


def _meant(search: CheckedSearch, times: int, choices: int) -> str | None:
    """Which searches do so on purpose, in words, where this may be one of them. times, of choices: how often."""
    told = search.meta.policies.selection
    if not np.isnan(search.trace.columns.nodes.prior[1 : search.N]).all():
        return "a search with priors may make each child when it first chooses it"
    if told.unvisited not in (None, "first", "win"):
        return (
            f"declared is what a move without visits counts as (unvisited={told.unvisited!r}): one that is worth less "
            "than the children there are need not be tried first"
        )
    if search.is_pruned:
        return "children were taken out of the tree, and are made again"
    if times < SELDOM * choices and keeps_rollouts(search):
        return "so do searches whose rollouts stay in the tree: one comes by a node that an earlier one has left"
    if search.rules is None and (
        times < SELDOM * choices or (not search.alone and among_some(search))
    ):
        return (
            "so do searches whose moves depend on chance or on what is hidden: declare chance= for nodes of "
            'chance, or selection= with a name, such as "open-loop UCT" or "ISMCTS"'
        )
    if search.rules is None and search.alone:  # an agent's moves may have no end
        return "so do searches that decide by themselves when a node gets a further child, such as AB-MCTS"
    if told.name == "puct" or _evaluates(search):
        return "a search by a network, whose priors were not told, may make each child when it first chooses it"
    return None


def _evaluates(search: CheckedSearch) -> bool:
    """Whether leaves get values of many kinds, as of a network, or often others than a game's results, as of several
    rollouts, and nobody says by which rule the search selects."""
    if search.meta.policies.selection.name is not None or search.meta.step_rewards:
        return False
    for part in search.ranges():
        steps = part.steps
        leaf = steps.is_leaf & (steps.visits == 1)
        values = np.round(steps.value[leaf], 9)
        if len(np.unique(values)) > max(MANY_KINDS, OF_A_NETWORK * len(values)):
            return True
        low, high = search.value_range
        results = np.isin(values, np.round([low, (low + high) / 2, high], 9))
        return bool(len(values)) and float(results.mean()) < 1 - OF_A_NETWORK
    return False


def keeps_rollouts(search: CheckedSearch) -> bool:
    """Whether most iterations that make nodes make one below another that is new."""
    made = below = 0  # iterations
    last_made = last_below = np.zeros(1, np.int32)
    for nodes in search.blocks(1, search.N):
        born, parent = search.born[nodes], search.parent[nodes]
        is_below = (born > 0) & (parent > 0) & (search.born[parent] == born)
        made_by = np.append(last_made, born[born > 0])  # rising, as ids do
        below_by = np.append(last_below, born[is_below])
        made += int(np.count_nonzero(np.diff(made_by)))
        below += int(np.count_nonzero(np.diff(below_by)))
        last_made, last_below = made_by[-1:], below_by[-1:]
    return below > MOST_KEPT * made


def among_some(search: CheckedSearch) -> bool:
    """Whether choices while moves wait are now and then of a child that no rule takes where it may take any: another
    one has a better mean and fewer visits. So are those of a search whose deals allow some of the moves."""
    passed = 0
    for rows in search.comparisons(at_most=FEW_CHOICES):
        taken = rows.chosen[rows.of]
        mean = rows.value_sum / np.maximum(rows.visits, 1)
        better = mean > mean[taken] + search.tolerance
        better &= (rows.visits > 0) & (rows.visits < rows.visits[taken])
        waits = np.bincount(rows.of) < search.n_children(rows.parent)
        passed += int((waits & (np.bincount(rows.of, better) > 0)).sum())
    return passed >= FEW_PASSED


class Law(NamedTuple):
    """Some start·N^slope children at N visits."""

    start: float
    slope: float

    @property
    def words(self) -> str:
        words = (
            f"a node gets a further child from a certain visit on, some {self.start:.2g}·N^{self.slope:.2g} "
            "children at N visits"
        )
        if self.slope < NEARLY_LINEAR:
            return words
        return (
            f"{words}. They grow as the visits do, so that a child is hardly visited more often the longer the search "
            "goes on, and little is learnt of any: an exponent of 0.5 or less is usual. In Python `n ** 1 / 2` is "
            "n / 2, not √n"
        )

    def visits(self, children: int) -> float:
        """From how many on a node has so many children."""
        return float((children / self.start) ** (1 / self.slope))


class Widening:
    """Whether the number of children follows from the visits of their parent alone (progressive
    widening, Coulom 2007): with k children a further one is made from a certain visit on, and never
    before it."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        # by number of children: most visits at which one was chosen, least at which one was made
        self.chosen: dict[int, int] = {}
        self.made: dict[int, int] = {}
        # the same, of the root, and of all others
        self.chosen_at: tuple[dict[int, int], dict[int, int]] = {}, {}
        self.made_at: tuple[dict[int, int], dict[int, int]] = {}, {}
        # the same, of nodes below the root, by the visits of the root
        self.chosen_by_root: dict[int, int] = {}
        self.made_by_root: dict[int, int] = {}
        self.n_chosen = 0  # of nodes below the root
        self.times: Counter[int] = Counter()  # the same, how often a further child was made

    def look(self, part: IterationRange, iteration: Ints, parent: Ints, k: Ints) -> None:
        """Choices among k children, while more were still to be made."""
        visits = part.visits_before(parent, iteration)
        _keep_most(self.chosen, k, visits)
        below = parent > 0
        for some, chosen in zip((~below, below), self.chosen_at):
            _keep_most(chosen, k[some], visits[some])
        root_visits = part.visits_before(np.zeros_like(parent), iteration)
        _keep_most(self.chosen_by_root, k[below], root_visits[below])
        self.n_chosen += int(below.sum())
        node = self.search.made_in(part)
        above = self.search.parent[node].astype(np.int64)
        at = self.search.born[node].astype(np.int64)
        count = self.search.families.count(above, node)
        visits = part.visits_before(above, at)
        _keep_least(self.made, count, visits)
        below = above > 0
        for some, made in zip((~below, below), self.made_at):
            _keep_least(made, count[some], visits[some])
        root_visits = part.visits_before(np.zeros_like(above), at)
        _keep_least(self.made_by_root, count[below], root_visits[below])
        self.times.update(count[below & (count > 0)].tolist())

    def law(self) -> Law | None:
        """None where there is none. Visits that nodes begin with may be left out of it, and the root has none of these:
        then it has a law of its own."""
        law = _law(self.chosen, self.made, 2)
        if law is not None or self.n_chosen < MANY:
            return law
        at_root, below = (_law(*each, 2) for each in zip(self.chosen_at, self.made_at))
        return below if at_root is not None else None

    def in_words(self) -> str | None:
        """What may be meant where the few numbers of children that are known, as near the end of a game, allow of a
        law; None where they contradict each one."""
        both = sorted(self.chosen.keys() & self.made.keys())
        made = [self.made[k] for k in both]
        if not both or made != sorted(made) or any(self.chosen[k] >= self.made[k] for k in both):
            return None
        k = both[-1]
        return (
            f"so does progressive widening, of which too few nodes tell: a node with {plural(k, 'child', 'children')} "
            f"gets a further one after {plural(self.made[k], 'visit')} or more, and chooses among them before"
        )

    def by_root(self) -> Finding | None:
        """Where nodes below the root widen by the visits of the root, and not by their own."""
        if min(self.n_chosen, self.times.total()) < MANY:
            return None
        # of one node alone it says nothing: time goes on, and children come
        made = {k: n for k, n in self.made_by_root.items() if self.times[k] >= FEW_NODES}
        law = _law(self.chosen_by_root, made, FEW_COUNTS)
        if law is None or law.slope <= 0:
            return None
        k = max(self.chosen_by_root.keys() & made.keys())
        return found(
            "selection-widening", None, None,
            "progressive widening by the wrong count: a node below the root gets a further child from a certain visit "
            f"of the root on, some {law.start:.2g}·N^{law.slope:.2g} children at N visits of the root, whatever its "
            f"own visits are. Child {k + 1:,} was made at a node of {self.made[k]:,} visits, once the root had "
            f"{made[k]:,}: late in the search a node gets a further child at nearly each visit",
            start=law.start, slope=law.slope,
        )  # fmt: skip

    def beyond(self, law: Law) -> str | None:
        """Words on children that come long before the law has them, as where a limit is not looked at any more."""
        if law.slope <= 0 or len(self.chosen) < FEW_COUNTS:
            return None
        early = [k for k, n in self.made.items() if n < EARLY * law.visits(k + 1)]
        early = [k for k in early if k > max(self.chosen)]
        if len(early) < FEW_COUNTS:
            return None
        k = max(early)
        return (
            f"; but with more than {min(early):,} children a node gets further ones early: child {k + 1:,} came at "
            f"{self.made[k]:,} visits, where that is {law.visits(k + 1):,.0f}. The limit does not hold there"
        )


def _keep_most(most: dict[int, int], children: Ints, visits: Ints) -> None:
    """By number of children, the most visits so far."""
    for k in np.unique(children).tolist():
        most[k] = max(most.get(k, 0), int(visits[children == k].max()))


def _keep_least(least: dict[int, int], children: Ints, visits: Ints) -> None:
    """The same, the least visits; but for a first child."""
    for k in np.unique(children[children > 0]).tolist():
        seen = int(visits[children == k].min())
        least[k] = min(least.get(k, seen), seen)


def _law(chosen: dict[int, int], made: dict[int, int], few: int) -> Law | None:
    """None where a further child is made before the last choice among as many, or only `few` numbers are known."""
    both = sorted(chosen.keys() & made.keys())
    if len(both) < few or any(chosen[k] >= made[k] for k in both):
        return None
    visits = np.array([made[k] for k in both], np.float64)
    slope, start = np.polyfit(np.log(np.maximum(visits, 1)), np.log(np.array(both) + 1.0), 1)
    return Law(float(np.exp(start)), float(slope))
