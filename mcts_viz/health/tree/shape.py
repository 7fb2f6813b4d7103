"""The shape of a search, where it is not one leaf and one path an iteration: several leaves at once,
nodes shared by several parents, a back-up that keeps the best value instead of the mean.

These are correct, and different: the checks that assume one path do not apply to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import Given, IterationRange
from mcts_viz.health.occurrences import ValueCounts
from mcts_viz.health.tree.ends_again import check_ends_again
from mcts_viz.health.tree.first_estimates import estimates_as_visits, estimates_of_siblings
from mcts_viz.trace.asides import SEVERAL_PARENTS
from mcts_viz.trace.players import CHANCE
from mcts_viz.trace.words import plural
from mcts_viz.types import Bools, Floats, Ints, Numbers

NEARLY_ALL = 0.98
MANY_DOUBLE = 50  # iterations
MANY_RESULTS = 20  # different ones: more than wins, draws and losses give, or means of a few
MOST_RESULTS = 100_000  # looked at, the first ones
HALF = 0.5  # share of new nodes
FEW = 10  # rows that say too little
MANY_OFF = 50  # visits off the path
MANY_VISITS_A_LEAF = 1.5  # of the root
MANY_LACKING = 30  # nodes whose value lacks the same a visit
PRIOR_DIGITS = 1e-6  # of a prior, which is kept in float32
LEAST_GAMES = 3  # visits of a new node, its first one included, that are no visit counted twice
GROWN = 0.1  # share of the copies, which have several visits where nodes are shared
# what a node's value is, where it is its best child's: that, the discounted one, or either with the reward of a move,
# which is beside the child or in the node
KEPT = ("child", "discounted", "reward beside the child", "reward in the node")
FEW_RISES = 3  # of values that never fall, though what is good for one player is bad for the other


class Shape(NamedTuple):
    """How the iterations of a search look."""

    several_leaves: bool  # visits of several leaves are added in one iteration
    shared_nodes: bool  # nodes off the path get what their copy on the path gets
    leaves: float  # median of visits that the root gets in an iteration
    counted_again: int  # iterations in which the root gets more of them than in most

    @property
    def one_path(self) -> bool:
        """Whether an iteration is one path from the root to one leaf."""
        return not (self.several_leaves or self.shared_nodes)


class Branching:
    """Adds up, for each iteration and node, what its children got."""

    def __init__(self) -> None:
        self.odd = self.several = 0  # iterations off one even path; of them, those that add up
        # visits off the path; of them, those that a copy got, too; those, and those on the way to one
        self.off = self.copies = self.copied = 0
        self.grown = 0  # copies with several visits: with one each, two nodes are alike by chance
        self.inner = 0  # nodes with children, that are shared, counted without any of them
        self.root_alone = 0  # odd iterations in which nothing is odd but the visits of the root
        self.root = ValueCounts()  # visits that iterations give to the root, if any

    def look(self, search: CheckedSearch, part: IterationRange) -> None:
        if part.is_plain:
            self.root.add(np.ones(part.n))
            return
        updates = part.updates
        if not len(updates.node):
            return
        off = part.updates_off_path()
        uneven = _uneven(part)
        is_odd = np.zeros(part.n, np.bool_)
        is_odd[updates.iteration[off] - part.first] = True
        is_odd |= uneven
        self.odd += int(is_odd.sum())
        if is_odd.any():
            self.root_alone += int((is_odd & _only_root(part, off)).sum())
            adds_up = _adds_up(search, part)
            several = part.root_visits > 1
            self.several += int((is_odd & adds_up & several).sum())
            self._copies(search, part, off)
            if not search.trace.columns.paths.are_plain:
                self.inner += _inner_leaves(search, part)
        root = part.root_visits
        self.root.add(root[root > 0].astype(np.float64))

    def _copies(self, search: CheckedSearch, part: IterationRange, off: Ints) -> None:
        updates = part.updates
        visits, value, *_ = part.before(updates.node, updates.iteration + 1)
        # totals, not what was added: a copy that is new to the tree brings all its visits at once
        rows = np.rec.fromarrays((updates.iteration, visits, np.round(value, 9)))
        _, which, count = np.unique(rows, return_inverse=True, return_counts=True)
        copied = count[which[off]] > 1
        visits_added = updates.visits[off]
        led = children_of(search, part, updates.visits).total[off] >= visits_added
        led &= visits_added > 0
        self.off += len(off)
        self.copies += int(copied.sum())
        self.grown += int((copied & (visits[off] > 1)).sum())
        born = search.born[np.maximum(search.parent[updates.node[off]], 0)]
        below_new = born == updates.iteration[off]  # what lies below a copy that is new to the tree
        self.copied += int((copied | led | below_new).sum())

    def shape(self) -> Shape:
        """What was seen."""
        leaves = self.root.median() if self.root.total else 1.0
        counted_again = self.root.count(self.root.numbers > leaves)
        several = self.odd >= 1 and self.several >= NEARLY_ALL * self.odd
        several &= not self.inner  # a node above others is no leaf: it was counted again
        several &= self.odd < FEW or self.root_alone < NEARLY_ALL * self.odd  # so was the root
        shared = not several and self.copies > 0 and self.copied >= NEARLY_ALL * self.off
        shared &= self.grown >= GROWN * self.copies or self.off < MANY_OFF
        return Shape(several, shared, leaves, counted_again)


def given_at_birth(search: CheckedSearch) -> Given | None:
    """The visits and value that each new node begins with, if not 0: equal for all new nodes of an
    iteration, except for the leaf, which has one more visit. That is how leaves are found."""
    blocks = search.blocks(search.base, search.T)
    if not any((search.new_nodes(rows) > 1).any() for rows in blocks):
        return _given_to_one_child(search)
    new = [_born(search, part) for part in search.ranges()]
    if not new:
        return None
    iteration, node, visits = (np.concatenate([each[i] for each in new]) for i in range(3))
    value = np.concatenate([each[3] for each in new])
    if len(node) < FEW or not (np.diff(iteration) == 0).any():
        return None
    pairs, count = np.unique(
        np.column_stack((visits, np.round(value, 9))), axis=0, return_counts=True
    )
    most, worth = pairs[count.argmax()]
    odd = (visits != most) | (np.abs(value - worth) > 1e-6)
    usual = int(np.bincount(np.maximum(visits, 0)).argmax())
    as_usual = visits == usual
    others = int((odd & as_usual).sum())  # begin with as many visits, and with another value
    own = usual > 1 and (count.max() < HALF * as_usual.sum() or others >= FEW)
    if usual == 1 and not _are_counted_above(search, iteration, node, visits):
        own |= estimates_of_siblings(search.parent[node], iteration, visits, value)
    if own:  # virtual games, by a heuristic
        most, worth, odd = usual, float(np.median(value[as_usual])), ~as_usual
    elif search.alone and visits.min() > 0 and len(np.unique(iteration[odd])) < int(odd.sum()):
        # marks of a judge: each node begins with its own
        most = np.bincount(visits.astype(np.int64)).argmax()
        odd = visits != most
        worth = np.median(value[~odd])
        prior = search.trace.columns.nodes.prior[node[~odd]]
        own = bool((np.abs(value[~odd] - prior) <= PRIOR_DIGITS).all())  # nan: there is none
    reached = _reached(iteration, visits) if own and usual > 1 else None
    if reached is not None:
        search.leaf = search.leaf.copy()
        search.leaf[iteration[reached] - 1] = node[reached]
        return Given(usual, worth, own=True)
    leaf = _ends_of_paths(search, iteration[odd], node[odd])
    if usual == 2 and not odd.any():
        given = _priors_as_visits(search) or estimates_as_visits(search)
        if given:
            return given
    # one visit each may be that of a judge
    if most > 1 and not odd.any() and _made_below_leaves(search, iteration, node):
        return Given(int(most), float(worth), own)
    # where no leaf is told apart, nodes get a visit each, and nothing that they begin with
    if (
        most < 1
        or leaf is None
        or not odd.any()
        or (visits[odd] != most + 1).any()
        or odd.mean() > HALF
    ):
        return None
    search.leaf = search.leaf.copy()
    search.leaf[np.unique(iteration[odd]) - 1] = leaf
    return Given(int(most), float(worth), own)


def _are_counted_above(search: CheckedSearch, iteration: Ints, node: Ints, visits: Ints) -> bool:
    """Whether the root counts all visits of new nodes, as in batches: then an iteration has made them."""
    # not below another new one, which counts them, too
    first = search.born[search.parent[node]] < iteration
    of_new = np.bincount(iteration[first], visits[first], search.T + 1)
    return all(
        (part.root_visits >= of_new[part.first : part.last + 1]).all() for part in search.ranges()
    )


def _reached(iteration: Ints, visits: Ints) -> Ints | None:
    """Which of the new nodes of each iteration, rising, was its leaf, where the games that a node begins with depend on
    it: the only one with a number of visits that no node begins with. None where that does not tell one in each."""
    pairs, times = np.unique(np.column_stack((iteration, visits)), axis=0, return_counts=True)
    begun_with = np.unique(pairs[times > 1, 1])  # of two alike, one is not the leaf
    if len(begun_with) < 2 or begun_with[0] < LEAST_GAMES:
        return None
    apart = np.flatnonzero(~np.isin(visits, begun_with))
    # what stands beside a leaf, as a move that wins does, of which there is one
    is_more = np.isin(visits[apart] - 1, begun_with)
    beside = np.isin(iteration[apart], iteration[apart[is_more]]) & ~is_more
    apart = apart[~np.isin(visits[apart], visits[apart[beside]])]
    when = iteration[apart]
    one_each = len(when) == len(np.unique(iteration)) and bool((np.diff(when) > 0).all())
    return apart if one_each and (visits[apart] > begun_with[0]).all() else None


def _ends_of_paths(search: CheckedSearch, iteration: Ints, node: Ints) -> Ints | None:
    """The last one of the nodes of each iteration, rising, that are a path: each but the first is made below another
    one. None where they are not."""
    first = np.diff(iteration, prepend=-1) > 0
    if (search.parent[node[~first]] != node[np.flatnonzero(~first) - 1]).any():
        return None
    return node[np.append(first[1:], True)] if len(node) else node


def _made_below_leaves(search: CheckedSearch, iteration: Ints, node: Ints) -> bool:
    """Whether all new nodes are children of the leaf, made after it was reached: it gets one visit, and each of them
    several. The leaves are known then."""
    when, first = np.unique(iteration, return_index=True)
    leaf = search.parent[node[first]].astype(np.int64)
    if (search.parent[node] != leaf[np.searchsorted(when, iteration)]).any():
        return False
    for part in search.ranges():
        here = slice(*np.searchsorted(when, (part.first, part.last + 1)).tolist())
        after = part.before(leaf[here], when[here] + 1).visits
        if (after - part.before(leaf[here], when[here]).visits != 1).any():
            return False
    search.leaf = search.leaf.copy()
    search.leaf[when - 1] = leaf
    return True


def _given_to_one_child(search: CheckedSearch) -> Given | None:
    """The same where an iteration makes one child: as many visits as the root began with, before it had any; or two at
    least, which nobody counts by mistake."""
    begun = search.meta.watched.visits_before or 0
    if not begun:
        return _priors_as_visits(search) or estimates_as_visits(search) or _virtual_games(search)
    if int(search.trace.columns.node_count[search.base]) > 2:
        return None
    made = as_given = 0
    apart: list[
        Floats
    ] = []  # value of a new node less that of the next node above of the same player
    for part in search.ranges():
        steps = part.steps
        new = search.born[steps.node] == steps.iteration
        made, as_given = (
            made + int(new.sum()),
            as_given + int((steps.visits[new] == begun + 1).sum()),
        )
        for up in (1, 2):
            row = np.flatnonzero(new)
            row = row[row >= up]
            above = row - up
            same = steps.iteration[above] == steps.iteration[row]
            same &= search.mover[steps.node[above]] == search.mover[steps.node[row]]
            same &= (steps.visits[above] == 1) & (steps.node[above] > 0)
            apart.append((steps.value[row] - steps.value[above])[same])
    if made < FEW or as_given < made:
        return None
    own = estimates_as_visits(search, begun)
    if own is not None:
        return own
    known = np.concatenate(apart)
    return Given(begun, float(np.median(known)) if len(known) else 0.0)


def _priors_as_visits(search: CheckedSearch) -> Given | None:
    """Where each new node begins with its prior as the value of a visit, as in AiZynthFinder (Genheden et al., 2020):
    it gets two visits, and its value without the prior is what the node above it gets."""
    prior = search.trace.columns.nodes.prior
    apart: list[Floats] = []
    for part in search.ranges():
        steps = part.steps
        new = search.born[steps.node] == steps.iteration
        if (steps.visits[new] != 2).any() or len(_born(search, part)[1]) != int(new.sum()):
            return None
        result = np.where(new, steps.value - prior[steps.node].astype(np.float64), steps.value)
        row = np.flatnonzero(new[1:] & (steps.iteration[1:] == steps.iteration[:-1])) + 1
        row = row[steps.node[row - 1] > 0]  # a root may keep no value
        apart.append(np.abs(result[row] - result[row - 1]))
    differ = np.concatenate(apart) if apart else np.zeros(0)
    if len(differ) < FEW or not (differ <= PRIOR_DIGITS).all():
        return None
    return Given(1, float(np.median(prior[1 : search.N])), True)


def _virtual_games(search: CheckedSearch) -> Given | None:
    """What the one child that an iteration makes begins with, where it gets three visits or more, and all nodes above
    it one: games that a heuristic says were played there (node priors, Gelly and Silver 2007)."""
    begins: list[Ints] = []
    worth: list[Floats] = []
    for part in search.ranges():
        steps = part.steps
        new = search.born[steps.node] == steps.iteration
        made = np.zeros(part.n + 1, np.bool_)
        made[steps.iteration[new] - part.first] = True
        above = made[steps.iteration - part.first] & ~new
        if (steps.visits[new] < LEAST_GAMES).any() or (steps.visits[above] != 1).any():
            return None
        begins.append(steps.visits[new])
        worth.append(steps.value[new])
    visits = np.concatenate(begins) if begins else np.zeros(0, np.int64)
    if len(visits) < FEW:
        return None
    return Given(int(np.median(visits)) - 1, float(np.median(np.concatenate(worth))), True)


def _born(search: CheckedSearch, part: IterationRange) -> tuple[Ints, Ints, Ints, Floats]:
    """Iteration, node, visits and value of what nodes get in the iteration that makes them."""
    updates = part.updates
    new = search.born[updates.node] == updates.iteration
    return updates.iteration[new], updates.node[new], updates.visits[new], updates.value[new]


def shape_of(search: CheckedSearch) -> Shape:
    """Of the iterations of a trace."""
    branching = Branching()
    for part in search.ranges():
        branching.look(search, part)
    shape = branching.shape()
    told = search.trace.columns.leaves
    if told is not None and not branching.odd and float(np.median(told[: search.T])) > 1:
        return shape._replace(several_leaves=True)  # that all take the same way
    if any(each.text == SEVERAL_PARENTS for each in search.trace.columns.asides.remarks):
        return shape._replace(several_leaves=False, shared_nodes=True)
    return shape


def _uneven(part: IterationRange) -> Bools:
    """[n] iterations in which nodes of the path get different numbers of visits."""
    steps = part.steps
    at = steps.iteration - part.first
    most, least = np.zeros(part.n, np.int64), np.full(part.n, np.iinfo(np.int64).max)
    np.maximum.at(most, at, steps.visits)
    np.minimum.at(least, at, steps.visits)
    return np.asarray(most > least)


def _only_root(part: IterationRange, off: Ints) -> Bools:
    """[n] iterations of one path whose nodes below the root got one visit each, and the root more."""
    steps = part.steps
    good = part.root_visits > 1
    wrong = (steps.node > 0) & (steps.visits != 1)
    good[steps.iteration[wrong] - part.first] = False
    good[part.updates.iteration[off] - part.first] = False
    return good


def _adds_up(search: CheckedSearch, part: IterationRange) -> Bools:
    """[n] iterations in which every node gets at least the visits of its children together, and
    the parent of each node gets some."""
    below = children_of(search, part, part.updates.visits)
    good = np.ones(part.n, np.bool_)
    wrong = (below.total > part.updates.visits) | (part.updates.visits < 0)
    good[part.updates.iteration[wrong] - part.first] = False
    good[part.updates.iteration[below.orphans] - part.first] = False
    return good


def _inner_leaves(search: CheckedSearch, part: IterationRange) -> int:
    """How often a node gets visits that none of its children gets, though it had visited ones."""
    updates = part.updates
    below = children_of(search, part, updates.visits).total
    counts = search.families.count(updates.node, part.node_count(updates.iteration))
    first = np.minimum(search.families.oldest(updates.node, np.minimum(counts, 1)), search.N - 1)
    alone = (below == 0) & (updates.visits > 0) & (counts > 0)
    seen = part.before(first, updates.iteration[counts > 0]).visits > 0
    return int(alone[counts > 0][seen].sum())


def own_visits(search: CheckedSearch, part: IterationRange) -> Ints:
    """[U] visits of each row's node that none of its children got: those that ended there."""
    return part.updates.visits - children_of(search, part, part.updates.visits).total


class EndedVisits(NamedTuple):
    """Visits that ended at a node, for each iteration and node: E of them."""

    iteration: Ints  # [E]
    node: Ints  # [E]
    visits: Ints  # [E] more than 0


def ended_visits(search: CheckedSearch, part: IterationRange) -> EndedVisits:
    """All of a range."""
    if part.is_plain:
        iteration = np.arange(part.first, part.last + 1)
        return EndedVisits(iteration, part.leaf, np.ones(part.n, np.int64))
    own = own_visits(search, part)
    rows = np.flatnonzero(own > 0)
    return EndedVisits(part.updates.iteration[rows], part.updates.node[rows], own[rows])


class OfChildren(NamedTuple):
    total: Numbers  # [U] of a column, added up over the children of each row's node
    orphans: Ints  # rows whose parent got nothing


def children_of(search: CheckedSearch, part: IterationRange, column: Numbers) -> OfChildren:
    updates = part.updates
    if part.are_paths:  # each row's child is the next one
        total = np.zeros(len(column), column.dtype)
        total[:-1] += column[1:]
        total[part.steps.is_leaf] = 0
        return OfChildren(total, np.zeros(0, np.int64))
    parent = search.parent[updates.node].astype(np.int64)
    below = np.flatnonzero(parent >= 0)
    key = part.key(updates.iteration[below], parent[below])
    row = np.minimum(np.searchsorted(part.keys, key), len(part.keys) - 1)
    there = part.keys[row] == key
    total = np.zeros(len(part.keys), column.dtype)
    np.add.at(total, row[there], column[below][there])
    return OfChildren(total, below[~there])


def check_shape(search: CheckedSearch, shape: Shape) -> Iterator[Finding]:
    """What is worth knowing of a search that is not one path an iteration, or begins with more than
    nothing."""
    if search.given is not None:
        visits, value, own = search.given
        what = (
            f"each new node begins with {plural(visits, 'visit')} that no iteration made, and the value {value:g}, "
            "which are"
        )
        pull = (
            f". They count in its mean, which lies nearer {value / visits:g} than what came back: after n visits it is "
            f"a sum over n + {visits}. Right for knowledge from before; not to avoid a division by 0"
        )
        if own:
            pull = ""
            what = (
                "each new node begins with visits and a value of its own, as of games that were never played (most "
                f"with {plural(visits, 'visit')}, or near it): these are"
            )
        yield found(
            "visits-given", None, None,
            f"{what} left out where what iterations add is checked{pull}",
            visits=visits, value=value,
        )  # fmt: skip
    again = list(_counted_again(search)) if shape.several_leaves else []
    if again:
        yield from again
    elif shape.several_leaves:
        yield found(
            "visits-several-leaves", None, None,
            f"an iteration evaluates several leaves (visits of the root in most: {shape.leaves:g}): "
            "visits add up from the leaves to the root. The choices within an iteration were not compared, but for "
            "those of its first descent that are known: the numbers between them are not in the trace",
            leaves=shape.leaves,
        )  # fmt: skip
        yield from _values_add_up(search)
    elif shape.shared_nodes:
        yield found(
            "visits-shared-nodes", None, None,
            "nodes have several parents (transpositions): what one gets, its copies elsewhere get too. "
            "Paths and choices were not compared, as a trace holds each copy apart: record with shared=True",
        )  # fmt: skip
        if shape.counted_again >= FEW:
            yield found(
                "visits-double", None, 0,
                f"the root is counted {shape.leaves:g} times in most iterations, and more often in "
                f"{shape.counted_again:,}: a back-up goes up through every parent, and counts a node once for "
                "every way to it",
                times=shape.counted_again,
            )  # fmt: skip
    else:
        yield from list(_counted_double(search)) or _same_result_again(search)
        yield from check_ends_again(search)


def _counted_double(search: CheckedSearch) -> Iterator[Finding]:
    """Iterations that add the same number of visits, more than one, to each node of their path, the new one included,
    and one visit's worth of value."""
    columns = search.trace.columns
    if columns.leaves is not None or columns.virtual is not None or columns.worker is not None:
        return
    low, high = search.value_range
    n, visits, most = 0, 0, 0.0
    for part in search.ranges():
        steps = part.steps
        visits = visits or int(steps.visits[0])
        odd = np.abs(steps.value) > max(abs(low), abs(high)) + search.slack
        if visits < 2 or (steps.visits != visits).any() or odd.any():
            return
        n, most = n + part.n, max(most, float(np.abs(steps.value).max()))
    # as many simulations from one leaf would end alike now and then, and add more
    if n >= MANY_DOUBLE and most >= HALF * high > 0:
        yield found(
            "visits-double", search.base + 1, 0,
            f"each of {n:,} iterations adds {visits} visits to every node of its path, the new one included, and "
            "the value of one visit: visits are counted twice, or by the wrong number",
            times=n,
        ).as_warning()  # fmt: skip


def _same_result_again(search: CheckedSearch) -> Iterator[Finding]:
    """Iterations that add the same number of visits, more than one, to each node of their path."""
    columns = search.trace.columns
    if columns.leaves is not None or columns.virtual is not None or columns.worker is not None:
        return
    each = _of_each_visit(search)
    if each is None or search.T - search.base < MANY_DOUBLE:
        return
    if search.meta.policies.simulation.rollouts == each.visits:
        return  # told
    low, high = search.value_range
    results = [low, high]
    first = search.leaf[search.base : min(search.T, search.base + MOST_RESULTS)]
    if (np.abs(search.known_outcome[first]) <= search.slack).any():
        results.append((low + high) / 2)  # with draws, two games would end in a draw and a win, too
    ends = [int((np.abs(each.value - one) <= search.slack).sum()) for one in results]
    if sum(ends) == len(each.value) and min(ends[:2]) >= FEW:
        yield found(
            "visits-double", search.base + 1, 0,
            f"each iteration adds {each.visits} visits to every node of its path, whose results are always the same, "
            f"{low:g} or {high:g}: one result is backed up {each.visits} times, as where two places in the code do it. "
            "Several simulations of a leaf would end differently now and then",
            times=search.T - search.base,
        ).as_note()  # fmt: skip
    elif len(np.unique(np.round(each.value, 9))) >= MANY_RESULTS:
        yield found(
            "visits-double", search.base + 1, 0,
            f"each iteration adds {each.visits} visits to every node of its path, the new one included, and as many "
            f"results: one evaluation is backed up {each.visits} times, as where the function that evaluates does it "
            f"and the loop does it again; or each leaf is evaluated {each.visits} times. Where that is meant, tell "
            f"leaves={each.visits} of each iteration",
            times=search.T - search.base,
        ).as_note()  # fmt: skip


class EachVisit(NamedTuple):
    visits: int  # that every node of a path gets
    value: Floats  # [V] of one of them, of nodes below the root


def _of_each_visit(search: CheckedSearch) -> EachVisit | None:
    """None where nodes get one visit, or different numbers of visits. The first nodes of a long trace are enough."""
    visits, values, n = 0, [], 0
    for part in search.ranges():
        steps = part.steps
        visits = visits or int(steps.visits[0])
        if visits < 2 or (steps.visits != visits).any():
            return None
        if n < MOST_RESULTS:
            values.append(steps.value[steps.node > 0] / visits)
            n += len(values[-1])
    return EachVisit(visits, np.concatenate(values)) if values else None


def _counted_again(search: CheckedSearch) -> Iterator[Finding]:
    """Iterations of one path that end twice: at its leaf, and at a node above that had visits before."""
    columns = search.trace.columns
    if columns.leaves is not None or columns.virtual is not None or columns.worker is not None:
        return
    several = again = 0
    first = (0, 0, 0, 0)
    for part in search.ranges():
        updates = part.updates
        one_path = np.ones(part.n, np.bool_)
        one_path[updates.iteration[part.updates_off_path()] - part.first] = False
        several += int((part.root_visits > 1).sum())
        below = children_of(search, part, updates.visits).total
        had = part.before(updates.node, updates.iteration).visits > 0
        ends = had & (below > 0) & (updates.visits > below)
        ends &= one_path[updates.iteration - part.first]
        rows = np.flatnonzero(ends)
        again += len(np.unique(updates.iteration[rows]))
        if len(rows) and not first[0]:
            row = int(rows[0])
            first = (
                int(updates.iteration[row]), int(updates.node[row]), int(updates.visits[row]), int(below[row]),
            )  # fmt: skip
    if again >= FEW and again >= NEARLY_ALL * several:
        t, node, own, children = first
        yield found(
            "visits-double", t, node,
            f"node {node:,} gets {own} visits in iteration {t:,}, its children {children}; so it is in {again:,} "
            "iterations, of one path each: a back-up begins again at a node above the leaf, so that all nodes from "
            f"there to the root are counted twice{_counted_on_the_way(search)}",
            times=again,
        ).as_warning()  # fmt: skip


def _counted_on_the_way(search: CheckedSearch) -> str:
    """What it is where the values of nodes that are counted twice are those of one visit, in words."""
    low, high = search.value_range
    most = 0.0
    for part in search.ranges():
        steps = part.steps
        twice = steps.visits > 1
        most = max(most, float(np.abs(steps.value[twice]).max(initial=0.0)))
    if most > max(abs(low), abs(high)) + search.slack:
        return ""
    return "; values are added once: so it is where visits are counted on the way down, and again in the back-up"


class _Added(NamedTuple):
    """What nodes get all of whose visits came through their children, beside what these get."""

    looked_at: int
    bad: int  # where it differs
    first: tuple[int, int, float, float]  # iteration, node, what it gets, what its children get
    least: float  # that a visit lacks, and most
    most: float


def _added(search: CheckedSearch, begins: bool = False) -> _Added:
    """begins: means are W / (1 + n), with a W that begins with a number of its own; first visits tell nothing then."""
    low, high = search.value_range
    bad = looked_at = 0
    first = (0, 0, 0.0, 0.0)
    low_lack, high_lack = np.inf, -np.inf
    for part in search.ranges():
        updates, own = part.updates, part.updates.value
        mover = search.mover[updates.node]
        parent = np.maximum(search.parent[updates.node], 0)
        same = (mover == search.mover[parent]) | search.alone
        new = (search.born[updates.node] == updates.iteration).astype(np.int64)
        if begins:
            before = part.before(updates.node, updates.iteration)
            own = own + _moved(before.visits, before.value_sum, updates.visits, own)
            new = (before.visits == 0).astype(np.int64)
        turned = np.where(same, own, updates.visits * (low + high) - own)
        visits = children_of(search, part, updates.visits).total
        value = children_of(search, part, turned).total
        # a node may begin with a value of its own (minigo: its parent's), which nothing above it gets
        whole = (visits == updates.visits) & (visits > 0) & (updates.node > 0)
        whole &= children_of(search, part, new).total == 0
        rounded = np.maximum(1e-6 * (1.0 + np.abs(value)), 2 * search.slack)
        wrong = np.flatnonzero(whole & (np.abs(value - own) > rounded))
        looked_at += int(whole.sum())
        if len(wrong) and not bad:
            row = int(wrong[0])
            at, node = int(updates.iteration[row]), int(updates.node[row])
            first = at, node, float(own[row]), float(value[row])
        bad += len(wrong)
        lack = ((value - own) / np.maximum(updates.visits, 1))[wrong]
        low_lack = min(low_lack, lack.min(initial=np.inf))
        high_lack = max(high_lack, lack.max(initial=-np.inf))
    return _Added(looked_at, bad, first, low_lack, high_lack)


def _moved(visits: Numbers, total: Floats, more: Numbers, value: Floats) -> Floats:
    """By how much each mean moves."""
    after = np.maximum(visits + more, 1)
    return np.asarray((total + value) / after - total / np.maximum(visits, 1), np.float64)


def _values_add_up(search: CheckedSearch) -> Iterator[Finding]:
    """Where all visits of a node came through its children, so did its value."""
    # otherwise one player's value says nothing about another's
    turns = search.alone or search.meta.mirrors
    if not turns or not search.players_known or search.meta.step_rewards:
        return
    looked_at, bad, first, least, most = _added(search)
    if not bad:
        return
    if search.alone and _keeps_best(search):
        yield found(
            "value-backup", None, None,
            "the value of a node is that of its best child (max back-up), not a mean", backup="max",
        )  # fmt: skip
        return
    t, node, got, due = first
    if bad >= MANY_LACKING and most - least < 1e-6:
        # the same at each node for either player, so twice that where a value is turned round
        loss = (least + most) / 4
        yield _virtual_loss_left(search, t, node, loss, f"{bad:,} of {looked_at:,}", bad)
        return
    if search.meta.watched.value_kind == "mean":
        beginning = _added(search, begins=True)
        if beginning.looked_at >= FEW and not beginning.bad:
            yield found(
                "value-backup", None, None,
                "the means told are W / (1 + n), with a W that begins with a number of its own, as its parent's value "
                "(minigo): with it, what nodes get is what their children get", backup="W / (1 + n)",
            )  # fmt: skip
            return
    yield found(
        "value-uneven", t, node,
        f"node {node:,} gets {got:.6g} in iteration {t:,}, and its children, through which all its "
        f"visits came, got {due:.6g} in its view; so it is with {bad:,} of {looked_at:,}",
        times=bad,
    )  # fmt: skip


def _virtual_loss_left(
    search: CheckedSearch, t: int, node: int, loss: float, share: str, times: int
) -> Finding:
    """Of values that each visit lowers by the same loss, whichever player's they are; share: at how many nodes."""
    told = search.trace.columns.leaves
    leaves = 0 if told is None else int(told[: search.T].clip(0).sum())
    at_root = int(search.statistics_after(search.T).visits[0])
    if 0 < MANY_VISITS_A_LEAF * leaves <= at_root:
        text = (
            f"the root gets {at_root:,} visits for {leaves:,} leaves, and those that are too many count as a loss for "
            f"either player, at {share} nodes with children: virtual losses stay, and back-up adds its own visits to "
            "them"
        )
    else:
        text = (
            f"each visit {'takes' if loss > 0 else 'adds'} {abs(loss):.4g} {'off' if loss > 0 else 'to'} the value of "
            f"its node, whichever player's that is, at {share} nodes with children: a virtual loss that "
            f"{'stays in' if loss > 0 else 'is taken back too often from'} the value sums"
        )
    return found("virtual-loss-left", t, node, text, times=times, loss=loss)


def _keeps_best(search: CheckedSearch) -> bool:
    """Whether at the end a node's mean is its best child's, or better, if it was better itself before."""
    after = search.statistics_after(search.T)
    mean = after.value_sum[: search.N] / np.maximum(after.visits[: search.N], 1)
    seen = after.visits[: search.N] > 0
    best = np.full(search.N, -np.inf)
    below = np.flatnonzero(seen[1:]) + 1
    np.maximum.at(best, search.parent[below], mean[below])
    inner = np.isfinite(best) & seen
    slack = 1e-6 * (1.0 + np.abs(mean))
    near = inner & (np.abs(mean - best) <= slack)
    kept = inner & (mean >= best - slack)
    n = int(inner.sum())
    return n >= FEW and bool(kept.sum() >= NEARLY_ALL * n and near.sum() >= HALF * n)


# a back-up that keeps the best value


def backup_of(search: CheckedSearch) -> str | None:
    """ "max" or "minimax" where the value of a node is that of its best child, "best" where it is the
    best result ever found below it, for a single player or for each of two; "halfway" where it is moved halfway to that
    of its best child; "between" where it lies between the mean and the best of its children, "mixed" where between
    those of the results below it; None for another back-up, "" where there is too little data."""
    between = apart = halfway = 0
    equal, kept = np.zeros(len(KEPT), np.int64), np.zeros(len(KEPT), np.int64)
    rises = falls = n = choices = 0
    rewards = search.trace.columns.nodes.reward
    ways = KEPT if rewards is not None and search.alone else KEPT[: 1 + int(search.discount != 1.0)]
    for part in search.ranges():
        steps = part.steps
        use = ~steps.is_leaf & (steps.visits > 0) & (steps.node > 0)
        use &= search.to_move[steps.node] != CHANCE  # which takes no best outcome
        iteration, node = steps.iteration[use], steps.node[use]
        # while its moves are tried one after another, a node may have the mean of what they gave
        below = np.append(steps.node[1:], 0)
        chose = (search.born[below] < steps.iteration)[use]
        if not len(node):
            continue
        visits, value_sum, *_ = part.before(node, iteration + 1)
        visits_before, sum_before, *_ = part.before(node, iteration)
        mean = value_sum / np.maximum(visits, 1)
        before = np.where(visits_before > 0, sum_before / np.maximum(visits_before, 1), -np.inf)
        tolerance = 1e-6 * (1.0 + np.abs(mean))
        for i, way in enumerate(ways):
            best = best_child(search, part, iteration, node, way)
            equal[i] += int((chose & (np.abs(mean - best) <= tolerance)).sum())
            kept[i] += int((np.abs(mean - np.maximum(before, best)) <= tolerance).sum())
            if i == 0:
                moved = np.abs(mean - (before + best) / 2) <= tolerance
                halfway += int((chose & moved).sum())
                of_all = mean_of_children(search, part, iteration, node)
                low, high = np.minimum(best, of_all), np.maximum(best, of_all)
                inside = chose & (low - tolerance <= mean) & (mean <= high + tolerance)
                between += int(inside.sum())
                apart += int((inside & (np.abs(mean - of_all) > tolerance)).sum())
        seen = visits_before > 0
        rises += int((mean > before + tolerance)[seen].sum())
        falls += int((mean < before - tolerance)[seen].sum())
        n, choices = n + len(node), choices + int(chose.sum())
    if choices < FEW:
        return ""
    if equal.max() >= NEARLY_ALL * choices:
        return "max" if search.alone else "minimax"
    is_best = kept.max() >= NEARLY_ALL * n if search.alone else not falls and rises >= FEW_RISES
    if is_best:
        return "best"
    if search.alone and halfway >= NEARLY_ALL * choices:
        return "halfway"
    inside = search.alone and between >= NEARLY_ALL * choices
    if inside and apart >= HALF * choices:
        return "between"
    return "mixed" if search.alone and _is_mixed(search) else None


def rewards_left_out_of_best(search: CheckedSearch) -> tuple[int, int, int] | None:
    """Where the value of a node is γ times that of its best child, and no reward has a part in it: iteration and node
    of the first step that a reward would change, and how many such steps there are. Of a single player."""
    rewards, gamma = search.trace.columns.nodes.reward, search.discount
    if rewards is None or not search.alone or gamma is None or gamma == 1.0:
        return None
    told = n = with_reward = without = 0
    first = (0, 0)
    for part in search.ranges():
        steps = part.steps
        use = ~steps.is_leaf & (steps.visits > 0) & (steps.node > 0)
        iteration, node = steps.iteration[use], steps.node[use]
        visits, value_sum, *_ = part.before(node, iteration + 1)
        mean = value_sum / np.maximum(visits, 1)
        slack = 1e-6 * (1.0 + np.abs(mean))
        plain, *others = (best_child(search, part, iteration, node, way) for way in KEPT[1:])
        apart = np.all([np.abs(plain - other) > slack for other in others], axis=0)
        if apart.any() and not told:
            row = int(np.argmax(apart))
            first, told = (int(iteration[row]), int(node[row])), 1
        n += int(apart.sum())
        without += int((np.abs(mean - plain) <= slack)[apart].sum())
        with_reward += max(int((np.abs(mean - each) <= slack)[apart].sum()) for each in others)
    is_left_out = n >= FEW and without >= NEARLY_ALL * n and with_reward <= HALF * n
    return (*first, n) if is_left_out else None


def _is_mixed(search: CheckedSearch) -> bool:
    """Whether each node has a value from the mean to the best of the results below it, and most of those whose results
    differ one in between: a mixture of both (single-player MCTS). The result is what the leaf gets."""
    times, total = np.zeros(search.N), np.zeros(search.N)
    best = np.full(search.N, -np.inf)
    for part in search.ranges():
        steps = part.steps
        leaf = steps.is_leaf & (steps.visits > 0)
        result = np.full(part.n, np.nan)
        result[steps.iteration[leaf] - part.first] = steps.value[leaf] / steps.visits[leaf]
        each = result[steps.iteration - part.first]
        use = ~np.isnan(each) & (steps.node > 0)
        np.add.at(times, steps.node[use], 1.0)
        np.add.at(total, steps.node[use], each[use])
        np.maximum.at(best, steps.node[use], each[use])
    visits, value_sum, *_ = search.statistics_after(search.T)
    several = (times > 1) & (visits == times)
    several[several] = best[several] > (total / np.maximum(times, 1))[several] + 1e-9
    mean, of_results = value_sum[several] / visits[several], total[several] / times[several]
    slack = 1e-6 * (1.0 + np.abs(mean))
    inside = (mean >= of_results - slack) & (mean <= best[several] + slack)
    apart = inside & (mean > of_results + slack) & (mean < best[several] - slack)
    return bool(len(mean) >= FEW and inside.mean() >= NEARLY_ALL and apart.mean() >= HALF)


def is_best_in_place_of_sum(search: CheckedSearch) -> bool:
    """Whether what is recorded as a node's value sum is the best of the results below it, those that leaves get at
    their first visits, and not a sum at all; of a single player."""
    if not search.alone:
        return False
    best = np.full(search.N, -np.inf)
    for part in search.ranges():
        steps = part.steps
        new = steps.is_leaf & (steps.visits == 1) & (part.before_steps().visits == 0)
        result = np.full(part.n, -np.inf)
        result[steps.iteration[new] - part.first] = steps.value[new]
        np.maximum.at(best, steps.node, result[steps.iteration - part.first])
    visits, value_sum, *_ = search.statistics_after(search.T)
    several = (visits > 1) & np.isfinite(best) & (best != 0)
    several[0] = False
    equal = np.abs(value_sum - best) <= 1e-6 * (1.0 + np.abs(best))
    return bool(several.sum() >= FEW and equal[several].mean() >= NEARLY_ALL)


def mean_of_children(
    search: CheckedSearch, part: IterationRange, iteration: Ints, node: Ints
) -> np.ndarray:
    """[K] mean of each node's children, weighted by their visits, in the view of the player who moved into the node."""
    count = search.families.count(node, part.node_count(iteration + 1))
    children = search.families.oldest(node, count)
    of = np.repeat(np.arange(len(node)), count)
    visits, value_sum, *_ = part.before(children, iteration[of] + 1)
    low, high = search.value_range
    if not search.alone:
        opponent = search.mover[children] != search.mover[node][of]
        value_sum = np.where(opponent, visits * (low + high) - value_sum, value_sum)
    total = np.bincount(of, weights=value_sum, minlength=len(node))
    return np.asarray(total / np.maximum(np.bincount(of, weights=visits, minlength=len(node)), 1))


def best_child(
    search: CheckedSearch, part: IterationRange, iteration: Ints, node: Ints, way: str
) -> np.ndarray:
    """[K] greatest mean of each node's visited children for the player who chooses there, in the view
    of the player who moved into the node; −inf without any. way: one of KEPT."""
    count = search.families.count(node, part.node_count(iteration + 1))
    children = search.families.oldest(node, count)
    of = np.repeat(np.arange(len(node)), count)
    visits, value_sum, *_ = part.before(children, iteration[of] + 1)
    mean = np.where(visits > 0, value_sum / np.maximum(visits, 1), -np.inf)
    told = search.trace.columns.nodes.reward
    discount = 1.0 if search.discount is None or way == "child" else search.discount
    if way == "reward beside the child" and told is not None:
        # of children without visits the reward may not be known
        mean = np.where(visits > 0, search.rewards[children] + discount * mean, -np.inf)
    best = np.full(len(node), -np.inf)
    np.maximum.at(best, of, mean)
    if way == "reward in the node" and told is not None:
        best = search.rewards[node] + discount * best
    outer = discount if way == "discounted" else 1.0
    if search.alone:
        return outer * best
    low, high = search.value_range
    opponent = np.ones(len(node), np.bool_)
    opponent[of] = search.mover[children] != search.mover[node][of]
    return outer * np.where(opponent, low + high - best, best)
