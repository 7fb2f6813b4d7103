"""Visits: one for each node of the path, and none elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import Occurrences
from mcts_viz.health.tree.and_nodes import all_at_once
from mcts_viz.health.tree.pruning import is_full
from mcts_viz.health.tree.shape import ended_visits
from mcts_viz.health.tree.transpositions import has_visits_of_before, ways_up
from mcts_viz.health.tree.uncounted_leaf import UncountedLeaf
from mcts_viz.trace.words import plural
from mcts_viz.types import Bools, Ints

FEW_EMPTY = 50  # iterations
MOST_LOOKED_AT = 300  # iterations
MOST_NODES = 2_000_000  # whose parents are put together
FEW_EXPANSIONS = 10  # too few for a finding
NEARLY_ALL = 0.95
ROUNDING = 1e-9  # of a value: what a quotient of two decayed numbers may be off
LOST = 0.5  # share of iterations
SELDOM = 0.1  # share of iterations
AGAIN = 3  # times
SELDOM_AT_ONCE, MANY_AT_ONCE = 0.05, 10  # share of the iterations; visits in each of them
MOST_SHORT = 0.5  # of the visits that end somewhere
SOME_IDLE = 0.1  # of the iterations
EACH_NODE = (
    "; where it is, nothing else is: so it is the recording, which takes each node that a back-up comes by for an "
    "iteration. Name a method that is called once in each, or tell which calls end one: "
    'on=(Node, "update", lambda node, *_: node.parent is None); or call rec.iteration() after the back-up'
)
BIG = np.iinfo(np.int64).max


class _Check(Protocol):
    """A check that sees the search range by range."""

    def look(self, part: IterationRange) -> None: ...

    def findings(self) -> Iterator[Finding]: ...


def check_visits(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about visits."""
    checks: list[_Check] = [
        _ShrinkingVisits(search),
        _OffPathUpdates(search),
        _UncountedRoot(search),
        UncountedLeaf(search),
        _UnevenVisits(search),
        _UnvisitedChildren(search),
    ]
    idle = _IdleIterations(search)
    for part in search.ranges():
        for check in (*checks, idle):
            check.look(part)
    findings = [finding for check in checks for finding in check.findings()]
    yield from findings
    if not findings:
        findings = [*idle.findings(), *_children(search)]
        yield from findings
    if not findings:
        yield from stopping_short(search)


class _ShrinkingVisits:
    def __init__(self, search: CheckedSearch) -> None:
        self.seen = Occurrences()
        self.hint = ""
        if search.trace.columns.virtual is not None:
            self.hint = (
                ". What virtual_loss= gives is taken off the visits: leave it out where the search keeps it apart "
                "from them"
            )
        self.lost = 0  # visits, the first time

    def look(self, part: IterationRange) -> None:
        updates = part.updates
        bad = updates.visits < 0
        if bad.any() and not self.seen.times:
            self.lost = -int(updates.visits[bad][0])
        self.seen.add(bad, updates.iteration, updates.node)

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.seen
        if times:
            yield found(
                "visits-shrink", t, node,
                f"node {node:,} loses {self.lost:,} visits in iteration {t:,}; "
                f"visits fall {times:,} times{self.hint}",
                times=times,
            )  # fmt: skip


class _OffPathUpdates:
    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.visited, self.changed = Occurrences(), Occurrences()
        self.at_birth = 0  # visits of new nodes beside a new leaf, or below the leaf
        self.empty = 0  # iterations that count nothing which is found from the root
        self.new = 0  # visits of new nodes
        self.as_on_path = 0  # changes that give a node the value of one on the path
        self.found_anew = 0  # of a graph
        self.looked_at = self.unlinked = (
            0  # iterations, and those that visit a node without a visited parent
        )
        self.hint = ""
        self.goes_round = len(ways_up(search)) > 0
        if self.goes_round:
            self.hint = (
                ". Ways lead back up here, and of a path that went round not every step can be told from what it "
                "counted. Or the back-up goes up through every parent of a node"
            )
        elif search.meta.shared:
            self.hint = ". The back-up may go up through every parent of a node"
        elif search.meta.watched.thorough is False:
            self.hint = ". Where nodes have several parents, record with shared=True"

    def look(self, part: IterationRange) -> None:
        off, updates = part.updates_off_path(), part.updates
        if not off.any():
            return
        if self.search.meta.shared:
            # what is found anew may have been visited from outside this tree
            old = off[self.search.born[updates.node[off]] < updates.iteration[off]]
            self.found_anew += len(off) - len(old)
            off = old if self.found_anew <= SELDOM * self.search.T else off
        iteration, node, visits = updates.iteration[off], updates.node[off], updates.visits[off]
        leaf, parent = self.search.leaf[iteration - 1], self.search.parent
        beside = (parent[node] == parent[leaf]) | (parent[node] == leaf)
        new = (self.search.born[node] == iteration) & (visits == 1)
        self.at_birth += int((new & beside).sum())
        self.new += int(new.sum())
        self.empty += part.n - len(np.unique(updates.iteration[updates.visits > 0]))
        self.visited.add(visits > 0, iteration, node)
        if self.search.meta.shared and not self.goes_round and self.search.N <= MOST_NODES:
            self._look_at_parents(part, np.unique(iteration[visits > 0]))
        far = ROUNDING * max(1.0, *map(abs, self.search.value_range))
        changed = (visits == 0) & (np.abs(updates.value[off]) > far)
        self.changed.add(changed, iteration, node)
        if self.search.meta.watched.value_kind == "mean":
            self.as_on_path += _alike_on_path(part, iteration[changed], node[changed])

    def _look_at_parents(self, part: IterationRange, iterations: Ints) -> None:
        """Whether some node that these iterations visit has no parent that they visit."""
        updates = part.updates
        for t in iterations[: max(MOST_LOOKED_AT - self.looked_at, 0)].tolist():
            rows = slice(*np.searchsorted(updates.iteration, [t, t + 1]))
            visited = updates.node[rows][updates.visits[rows] > 0].tolist()
            there = set(visited)
            self.looked_at += 1
            self.unlinked += any(node and not there & self._parents[node] for node in visited)

    @cached_property
    def _parents(self) -> defaultdict[int, set[int]]:
        """The parents of each node, by all ways to it."""
        search = self.search
        found_: defaultdict[int, set[int]] = defaultdict(set)
        same_as = np.full(search.N, -1) if search.same_as is None else search.same_as[: search.N]
        node = np.where(same_as < 0, np.arange(search.N), same_as)
        for of, above in zip(node[1:].tolist(), node[search.parent[1 : search.N]].tolist()):
            found_[of].add(above)
        return found_

    def _short(self) -> int:
        """Iterations that make no node, and end at one that has children."""
        search, short = self.search, 0
        for part in search.ranges():
            iteration = np.arange(part.first, part.last + 1)
            n_nodes = part.node_count(iteration)
            leaf = search.leaf[iteration - 1].astype(np.int64)
            ends = (part.node_count(iteration + 1) == n_nodes) & ~search.ended[leaf]
            short += int((ends & (search.families.count(leaf, n_nodes) > 0)).sum())
        return short

    def findings(self) -> Iterator[Finding]:
        missing = self._missing_above()
        if missing is not None:
            yield missing
            return
        if self.visited.times:
            yield self._of_visits()
        if self.changed.times:
            yield self._of_values()

    def _missing_above(self) -> Finding | None:
        """Nodes that get a visit of before: it is the node above them that lacked it."""
        t, node, times = self.visited
        if times < FEW_EXPANSIONS or self.new < NEARLY_ALL * times:
            return None
        short = self._short() if _makes_one_each(self.search) else 0
        if short < NEARLY_ALL * times:
            return None
        parent = int(self.search.parent[node])
        return found(
            "visits-missing", t, parent,
            f"{short:,} iterations end at a node that has children, and make none; and {self.new:,} nodes are "
            f"found with a visit of before, first node {node:,} in iteration {t:,}, when node {parent:,} above it "
            "is visited again. So it is where back-up counts the leaf and skips the node above it, or more of them",
            times=times, short=short,
        )  # fmt: skip

    def _of_visits(self) -> Finding:
        """Visits of nodes that the path does not pass."""
        t, node, times = self.visited
        if self.at_birth == times:
            # an evaluation of each child, not a back-up that leaves its path
            return found(
                "visits-off-path", t, node,
                f"new nodes beside the path get a visit in the iteration that makes them, first node {node:,} "
                f"in iteration {t:,}; this happens {times:,} times. So it is where all children are evaluated "
                "as they are made, and one of them alone counts for the nodes above: their visits are fewer "
                "than those of their children together",
                times=times,
            ).as_note()  # fmt: skip
        text = f"node {node:,} gets a visit in iteration {t:,}, whose path does not pass it"
        text += f"; this happens {times:,} times"
        if self.empty >= times:
            return found(
                "visits-off-path", t, node,
                f"{text}. {self.empty:,} iterations count nothing that a way down from the root leads to: so it is "
                "where a back-up begins at a node and does not go up, as at a finished game that is visited again",
                times=times,
            )  # fmt: skip
        split = all_at_once(self.search)
        if split:
            return found(
                "visits-off-path", t, node,
                f"{text}. At {split:,} nodes all children have as many visits as the node: so it is where an "
                "iteration goes on to all children of some nodes, as to all subgoals of a tactic (AND nodes), and "
                "to one child of others",
                times=times, split=split,
            ).as_note()  # fmt: skip
        hint = self.hint
        if self.unlinked >= max(FEW_EXPANSIONS, NEARLY_ALL * self.looked_at):
            hint = (
                f". In {self.unlinked:,} of {self.looked_at:,} such iterations looked at a node is visited, and no "
                "node that has it as a child: so it is where a move leads to a position that is known already, and "
                "that node is not made a child of the one that the move was played at, as by a `return known` before "
                "`children[move] = known`"
            )
        finding = found("visits-off-path", t, node, f"{text}{hint}", times=times)
        return finding.as_note() if self.goes_round else finding

    def _of_values(self) -> Finding:
        """Values that change without a visit."""
        t, node, times = self.changed
        text = f"node {node:,} changes its value without a visit in iteration {t:,}"
        if self.as_on_path >= NEARLY_ALL * times:
            return found(
                "value-off-path", t, node,
                f"{text}, to that of a node on the path; this happens {times:,} times: so it is where nodes of one "
                "position share its value in a table (transpositions)",
                times=times,
            ).as_note()  # fmt: skip
        finding = found(
            "value-off-path", t, node,
            f"{text}, whose path does not pass it; this happens {times:,} times{self.hint}",
            times=times,
        )  # fmt: skip
        # marks of a judge may be worked out anew for all nodes
        marks = self.search.alone and self.search.meta.watched.value_kind == "mean"
        return finding.as_note() if marks else finding


def _alike_on_path(part: IterationRange, iteration: Ints, node: Ints) -> int:
    """How many of some nodes have the mean of a node on the path after the iteration."""
    steps = part.steps

    def keys(at: Ints, nodes: Ints) -> Ints:
        visits, total, *_ = part.before(nodes, at + 1)
        mean = np.round(total / np.maximum(visits, 1), 7) + 0.0
        return np.rec.fromarrays((at, mean))

    return int(np.isin(keys(iteration, node), keys(steps.iteration, steps.node)).sum())


def _makes_one_each(search: CheckedSearch) -> bool:
    """Whether there are no more nodes than iterations, so that each may have made one."""
    return search.N - int(search.trace.columns.node_count[search.base]) <= search.T - search.base


class _IdleIterations:
    """Iterations that leave nothing behind."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search, self.seen, self.at_ends = search, Occurrences(), 0

    def look(self, part: IterationRange) -> None:
        rows = slice(part.first - 1, part.first - 1 + part.n)
        idle = self.search.new_nodes(rows) == 0
        idle[part.updates.iteration - part.first] = False
        leaf = self.search.leaf[rows].astype(np.int64)
        self.seen.add(idle, np.arange(part.n) + part.first, leaf)
        self.at_ends += int((idle & self.search.ended[leaf]).sum())

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.seen
        n = self.search.T - self.search.base
        if times < max(FEW_EMPTY, SOME_IDLE * n):
            return
        where = "" if self.at_ends < NEARLY_ALL * times else ", which end at finished games"
        text = (
            f"{times:,} of {n:,} iterations make no node and add nothing to any{where}: so it is where an iteration "
            "returns before it backs up, as at a finished game, or where a solver has nothing left to do"
        )
        yield found("visits-missing", t, node, text).as_note()


class _UncountedRoot:
    def __init__(self, search: CheckedSearch) -> None:
        self.search, self.born = search, search.born
        self.seen = Occurrences()
        self.iterations = 0
        self.empty = 0  # iterations in which nothing is seen to be counted
        self.again = False  # whether any node is counted that was there before
        self.by_itself = 0  # iterations that count the root and nothing else

    def look(self, part: IterationRange) -> None:
        steps = part.steps
        root = steps.node == 0
        adds = np.zeros(part.n + 1, np.bool_)  # an iteration that counts nothing only expands
        adds[part.updates.iteration[part.updates.visits != 0] - part.first] = True
        root &= adds[steps.iteration - part.first]
        self.empty += part.n - int(adds.sum())
        self.iterations += int(root.sum())
        self.seen.add(root & (steps.visits == 0), steps.iteration, steps.node)
        counted = part.updates.visits > 0
        nodes = np.bincount(part.updates.iteration[counted] - part.first, minlength=part.n)
        of_root = part.updates.iteration[counted & (part.updates.node == 0)] - part.first
        self.by_itself += int((nodes[of_root] == 1).sum())
        there = self.born[part.updates.node] < part.updates.iteration
        self.again |= bool((there & (part.updates.visits > 0)).any())

    def findings(self) -> Iterator[Finding]:
        t, _, times = self.seen
        if not times:
            return
        finding = found(
            "visits-root", t, 0,
            f"the root is not counted in {times:,} of {self.iterations:,} iterations",
            times=times, iterations=self.iterations,
        )  # fmt: skip
        counts = self.iterations - times  # the root
        if times == 1 and t == self.search.base + 1 and counts >= FEW_EMPTY:
            text = (
                f"the root is not counted in iteration {t:,}, and is in the {counts:,} others: so it is where the "
                "first one makes the root's children alone, or where the recording looks before the root is counted, "
                "and always sees it an iteration late"
            )
            yield finding.as_note(text)
            return
        if (
            counts >= FEW_EMPTY
            and self.by_itself >= NEARLY_ALL * counts
            and times >= NEARLY_ALL * counts
        ):
            finding = replace(finding, message=f"{finding.message}{EACH_NODE}")
        elif not self.again:
            finding = self._never_again(finding)
        elif times <= LOST * self.iterations:
            text = (
                f"{finding.message}, and is in the others: so it is where threads write the visits of a node without a "
                "lock, and what one of them has added is lost, or where a condition skips it"
            )
            finding = replace(finding, message=text)
        yield finding

    def _never_again(self, finding: Finding) -> Finding:
        """Where no node is counted that was there before."""
        what = f"{finding.message}; nor is any node counted again"
        if self.empty >= max(FEW_EMPTY, NEARLY_ALL * (self.search.T - self.search.base)):
            text = (
                f"{what}, and {self.empty:,} iterations count nothing that is seen from the root. So it is where a "
                "back-up adds to the leaf alone, and never goes up to the root; a recording with thorough=True sees "
                "those leaves"
            )
        else:
            text = f"{what}: this search has no back-up of visits, as beams and trees of thoughts have none"
            return finding.as_note(text)
        return finding.as_warning(text)


class _UnvisitedChildren:
    """Below a root that is counted again and again some child is visited."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.times = self.first = 0

    def look(self, part: IterationRange) -> None:
        there = part.node_count(part.updates.iteration) > 1  # children, before the iteration
        alone = part.updates.node == 0
        use = there & (part.updates.visits > 0)
        if (use & alone).any() and not self.first:
            self.first = int(part.updates.iteration[use & alone][0])
        self.times += int((use & alone).sum())
        if (part.updates.node[part.updates.visits > 0] > 0).any():
            self.times = -(1 << 60)

    def findings(self) -> Iterator[Finding]:
        if (
            self.times < FEW_EXPANSIONS
            or self.search.statistics_after(self.search.T).visits[1:].any()
        ):
            return
        yield found(
            "visits-leaf", self.first, 1,
            f"the root is counted in {self.times:,} iterations that found children below it, and none of its "
            f"{self.search.N - 1:,} children ever is: backpropagation begins at the parent of the leaf",
            times=self.times,
        )  # fmt: skip


class _UnevenVisits:
    """Within an iteration every node of the path gets the same number of visits, as long as no path can go round."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search, self.found_anew = search, 0
        self.goes_round = len(ways_up(search)) > 0
        self.missing, self.double = Occurrences(), Occurrences()
        self.steps = 0
        self.leaves = 0  # counted twice
        self.counts = (0, 0)  # of the first node counted twice, and of the others
        self.again = False  # whether any node is counted that was there before
        # steps that are counted, those of them at the leaf or its parent, and steps there that are not
        self.counted = self.low = self.skipped_low = 0

    def look(self, part: IterationRange) -> None:
        steps = part.steps
        at = steps.iteration - part.first
        low = steps.is_leaf.copy()
        low[:-1] |= steps.is_leaf[1:]
        self.counted += int((steps.visits > 0).sum())
        self.low += int((low & (steps.visits > 0)).sum())
        self.skipped_low += int((low & (steps.visits == 0)).sum())
        least = np.full(part.n, BIG)
        counted = steps.visits > 0
        np.minimum.at(least, at[counted], steps.visits[counted])
        known = least[at] < BIG
        self.again |= bool((counted & (self.search.born[steps.node] < steps.iteration)).any())
        missing = (steps.node > 0) & (steps.visits == 0) & known
        self.steps += len(missing)
        self.missing.add(missing, steps.iteration, steps.node)
        double = (steps.visits > least[at]) & known & (not self.goes_round)
        if self.search.meta.shared:
            anew = double & (self.search.born[steps.node] == steps.iteration)
            self.found_anew += int(anew.sum())
            double &= ~anew if self.found_anew <= SELDOM * self.search.T else True
        if double.any() and not self.double.times:
            self.counts = _first(double, steps.visits), _first(double, least[at])
        self.double.add(double, steps.iteration, steps.node)
        self.leaves += int((double & steps.is_leaf).sum())

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.missing
        if times and (self.again or not self.search.meta.watched.visits_before):
            finding = found(
                "visits-missing", t, node,
                f"node {node:,} is on the path of iteration {t:,} and gets no visit; "
                f"this happens at {times:,} of {self.steps:,} steps",
                times=times,
            )  # fmt: skip
            yield self._of_own_marks(finding) if self._counts_own_marks() else finding
        t, node, times = self.double
        if times:
            where = ", always at the leaf" if self.leaves == times else ""
            yield found(
                "visits-double", t, node,
                f"node {node:,} gets {self.counts[0]} visits in iteration {t:,}, others on the "
                f"path {self.counts[1]}; this happens {times:,} times{where}",
                times=times, at_the_leaf=self.leaves,
            )  # fmt: skip

    def _counts_own_marks(self) -> bool:
        """Whether an agent that tells means counts at the new node and the one above it alone, and always there: an
        answer is marked again when it is refined (MCTSr)."""
        search = self.search
        of_means = (
            search.meta.watched.value_kind == "mean" and search.alone and search.rules is None
        )
        return of_means and self.low == self.counted and not self.skipped_low

    def _of_own_marks(self, finding: Finding) -> Finding:
        text = (
            f"{finding.message}. Each iteration counts its last node and the one above it alone: right where visits "
            "are how often a node itself was marked, as in MCTSr; else back-up ends before it has come to the root"
        )
        return finding.as_note(text)


def _first(mask: Bools, column: Ints) -> int:
    return int(column[np.argmax(mask)])


def _barren(search: CheckedSearch) -> Bools:
    """[N] whether no child of the node is ever visited."""
    barren = np.ones(search.N, np.bool_)
    visits = search.statistics_after(search.T).visits[: search.N]
    barren[search.parent[1 : search.N][visits[1:] > 0]] = False
    return barren


def _paths_before_again(search: CheckedSearch) -> Iterator[Finding]:
    """The root gets one visit more in each iteration than in the one before: one for each path that there was."""
    n = most = 0
    for part in search.ranges():
        more = np.diff(part.root_visits) == 1
        if len(more) and more.mean() < NEARLY_ALL:
            return
        n, most = n + len(more), max(most, int(part.root_visits.max()))
    if n < FEW_EMPTY:
        return
    yield found(
        "visits-double", search.base + 2, 0,
        f"the root gets one visit more in each iteration than in the one before, up to {most:,}: each "
        "result is added to the nodes of all paths before as well. So it is where the list of the path's nodes is not "
        "emptied between iterations, as a default argument (path=[]) or an attribute that is made once",
        times=n, most=most,
    )  # fmt: skip


def stopping_short(search: CheckedSearch) -> Iterator[Finding]:
    """Visits that end at a node which has children, though the game goes on there: an iteration that comes to such a
    node goes on to a child, old or new."""
    if search.meta.inherited is not None or search.same_as is not None:
        return
    not_emptied = list(_paths_before_again(search))
    if not_emptied:
        yield from not_emptied
        return
    short = _Short(search)
    for part in search.ranges():
        short.look(part)
    if short.times >= FEW_EXPANSIONS and short.begins_when_full:
        yield short.of_full_tree()
    elif short.times >= max(FEW_EXPANSIONS, MOST_SHORT * short.ends):
        yield short.at_ends() if short.is_at_ends else short.finding()


class _Short:
    """Visits that end at a node which has children."""

    def __init__(self, search: CheckedSearch) -> None:
        self._search, self._barren = search, _barren(search)
        self._depth = search.topology.depth
        self.ends = self.times = 0  # visits that end somewhere, and that end at such a node
        self._over = 0  # of these, where no child is ever visited
        self._iterations = 0  # in which some do
        self._over_at: set[int] = set()  # nodes
        self._depths: set[int] = set()
        self._first = (0, 0)  # iteration and node

    def look(self, part: IterationRange) -> None:
        search = self._search
        iteration, node, own = ended_visits(search, part)
        self.ends += int(own.sum())
        before = search.families.count(node, part.node_count(iteration))
        inner = (before > 0) & ~search.ended[node]
        self.times += int(own[inner].sum())
        self._iterations += len(np.unique(iteration[inner]))
        last = inner & self._barren[node]
        self._over += int(own[last].sum())
        self._over_at.update(node[last].tolist())
        self._depths.update(self._depth[node[inner]].tolist())
        if inner.any() and not self._first[0]:
            row = int(np.argmax(inner))
            self._first = int(iteration[row]), int(node[row])

    @property
    def begins_when_full(self) -> bool:
        """Whether the first of them comes after the last new node, until which the tree grew steadily."""
        search = self._search
        return int(search.born[: search.N].max()) < self._first[0] and is_full(search)

    def of_full_tree(self) -> Finding:
        """A note: a search whose memory is limited goes on in the tree that it has."""
        search, (t, node) = self._search, self._first
        last = int(search.born[: search.N].max())
        return found(
            "expansion-stops", t, node,
            f"the tree no longer grows: it did until iteration {last:,}, when it had {search.N:,} nodes, and the "
            f"{search.T - last:,} iterations after it add none. {self.times:,} visits end at nodes that have children "
            f"and may have more, first at node {node:,} in iteration {t:,}: nothing is expanded there any more. Right "
            "where the number of nodes is limited",
            times=self.times, nodes=search.N,
        ).as_note()  # fmt: skip

    @property
    def is_at_ends(self) -> bool:
        """Whether these nodes are come to again and again, as where games end."""
        return self._over == self.times and AGAIN * len(self._over_at) <= self._over

    def at_ends(self) -> Finding:
        """A note on those."""
        t, node = self._first
        return found(
            "visits-missing", t, node,
            f"{self.times:,} of {self.ends:,} visits end at {len(self._over_at):,} nodes that have children, none of "
            f"which is ever visited, first at node {node:,} in iteration {t:,}. Right where the game, or the depth "
            "of the search, ends there, and children are made all the same; else back-up skips what is below",
            times=self.times, ends=self.ends,
        ).as_note()  # fmt: skip

    def finding(self) -> Finding:
        """A note where that may be right."""
        search, (t, node) = self._search, self._first
        n = search.T - search.base
        text = (
            f"{self.times:,} of {self.ends:,} visits end at a node that has children, first at node {node:,} in "
            f"iteration {t:,}: no node below it gets one, old or new. {self._why()}"
        )
        # an agent that proposes a move again may end at the child that has it already
        proposes = search.alone and search.rules is None
        at_once = (
            self._iterations <= SELDOM_AT_ONCE * n and self.times >= MANY_AT_ONCE * self._iterations
        )
        if proposes:
            text += ". Right where a move that is proposed again leads to the child that has it, and ends there"
        if at_once:
            text += (
                f". They come in {self._iterations:,} of {n:,} iterations, many at once: right where statistics of "
                "other searches are added to these nodes now and then"
            )
        one = found("visits-missing", t, node, text, times=self.times, ends=self.ends)
        return one.as_note() if proposes or at_once else one.as_warning()

    def _why(self) -> str:
        steps = max(self._depths)
        if len(self._depths) == 1 and int(self._depth[: self._search.N].max()) == steps + 1:
            return (
                f"All are at depth {steps}, and nothing is made below depth {steps + 1}: so it is where the selection "
                f"takes {plural(steps, 'step')} and no more, as where a loop or a recursion is missing"
            )
        return (
            "So it is where back-up skips nodes of the path between the leaf and the root, or takes more visits off "
            "them than it added"
        )


def _children(search: CheckedSearch) -> Iterator[Finding]:
    given = search.given
    if (
        search.meta.inherited is not None
        or len(ways_up(search))
        or (given is not None and given.own)
    ):
        return
    if has_visits_of_before(search):
        return
    visits = search.earned_visits(search.T)
    if visits.max(initial=0) <= 1 and search.meta.watched.visits_before:
        return  # no node is counted again, as in beams
    of_all_ways, of_each_way = search.of_all_ways(visits), search.of_each_way(visits)
    # of a tree that was kept, of which other findings tell
    begun = search.earned_visits(search.base) if search.base else None
    first, nodes, below = 0, 0, 0
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        of_children = np.add.reduceat(of_each_way[children], begin)
        if begun is not None:
            of_children -= np.maximum(np.add.reduceat(begun[children], begin) - begun[parent], 0)
        bad = np.flatnonzero(of_children > of_all_ways[parent])
        if len(bad) and not nodes:
            first, below = int(parent[bad[0]]), int(of_children[bad[0]])
        nodes += len(bad)
    if nodes:
        yield found(
            "visits-children", None, first,
            f"node {first:,} has {int(of_all_ways[first]):,} visits, its children together "
            f"{below:,}; {nodes:,} such nodes in all",
            nodes=nodes,
        )  # fmt: skip
