"""A search, laid out for checking, range of iterations by range: what any check has in hand at a
time is one of them, so that a trace of any length takes little more memory than it has itself.

Knows nothing of what is right or wrong.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.games.position import StartPosition
from mcts_viz.health.families import Families
from mcts_viz.health.indexed_statistics import IndexedStatistics
from mcts_viz.health.iteration_range import Given, IterationRange, Views
from mcts_viz.health.levels import NEVER, greatest_below, minimax
from mcts_viz.health.positions import Positions
from mcts_viz.health.range_loops import note_repeats
from mcts_viz.health.statistics_before import StatisticsSoFar
from mcts_viz.health.told.game import told_boards, told_game
from mcts_viz.trace.asides import PRUNED
from mcts_viz.trace.deferred import DeferredColumn, first_of
from mcts_viz.trace.index.loops import run_compiled
from mcts_viz.trace.memory import in_pieces, pieces, roomy
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import CHANCE, UNKNOWN, movers_into
from mcts_viz.trace.statistics import sums_at
from mcts_viz.trace.sums import Sums
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Bools, Floats, Ints

EXACT_DIGITS = 2.0**16  # values that are multiples of one over this number are not rounded
FLOAT32_DIGITS = 2.0**-23  # relative, of a number that is kept so
IN_FLOAT32 = 0.25  # of the others, which float64 would not give by chance
SAMPLED = 10_000  # nodes, the first, whose values are looked at for their digits
MOST_ROUNDING = 0.01  # of the range of values; more is a mistake, whatever the digits
RANGE_ROWS = 65_536  # steps and updates of a range, unless one iteration has more
LONGER = 4  # times as many in a range of a long search
BATCH_ROWS = 65_536  # children compared at a time
LONG = 1_000_000  # updates, from which on loops over them are compiled
MOST_ENDS = 20_000  # nodes without children that the rules are asked about


class Extremes(IntEnum):
    """The least and the greatest value so far, by which a tree's values are scaled to [0, 1]; each in the view of
    its mover."""

    BUT_ROOT = 0  # means of all nodes but the root
    ALL_NODES = 1  # means, the root's too
    SUMS = 2  # value sums of all nodes
    SUMS_BUT_ROOT = 3
    ROOT = 4  # means of the root alone
    OF_SUMS = 5  # the number of each node, made of its sum in place of its mean


NumberOfNode = Callable[[Ints, Floats], Floats]  # of nodes and their means


class ExtremesBefore:
    """The least and greatest number of a tree before each of C choices. They are worked out for all choices when some
    are asked for, which takes another way through the trace: only rules that scale their values need them."""

    def __init__(
        self, work: Callable[[], Floats], at: Ints, which: Sequence[int] | None = tuple(Extremes)
    ) -> None:
        """work: gives [K, E, 2] of K choices, see `Extremes`; at: [C] which of these each is; which: what to give as
        each of the `Extremes`, None: 0 and 0."""
        self._work, self._at, self._which = work, at, which

    def __len__(self) -> int:
        return len(self._at)

    def __getitem__(self, use: Ints | Bools) -> ExtremesBefore:
        return ExtremesBefore(self._work, self._at[use], self._which)

    def by(self, which: Sequence[int] | None) -> ExtremesBefore:
        """With others in the places of each of the `Extremes`."""
        return ExtremesBefore(self._work, self._at, which)

    def of(self, which: int) -> Floats:
        """[C, 2]."""
        if self._which is None:
            return np.zeros((len(self), 2))
        found: Floats = self._work()[self._at, self._which[which]]
        return found


class ComparedChildren(NamedTuple):
    """Choices among two children or more, C of them with R rows in all; statistics as they were
    before the iteration."""

    iteration: Ints  # [C]
    parent: Ints  # [C]
    depth: Ints  # [C] of the parent
    parent_visits: Ints  # [C]
    root_visits: Ints  # [C]
    grandparent_visits: Ints  # [C] of the parent's parent; the root's own at the root
    parent_mean: Floats  # [C] mean of the parent, view of the player who chooses; 0 without visits
    extremes: ExtremesBefore  # [C] least and greatest so far, see `Extremes`
    repeats: Bools  # [C] whether the same child was taken the last time
    first: Ints  # [C] first row of each
    chosen: Ints  # [C] row of the child taken
    of: Ints  # [R] which comparison
    place: Ints  # [R] among the siblings, in order of creation
    is_last: Bools  # [R] the youngest sibling
    node: Ints  # [R]
    visits: Ints  # [R]
    value_sum: Floats  # [R] view of the player who chooses
    squares: Floats  # [R] sum of the squares of values
    prior: Floats  # [R] nan: none
    reward: Floats  # [R] of the move, view of the player who chooses; 0 where none was recorded
    proven: Floats  # [R] result proven before the iteration, view of player 0; nan: none
    chooser: Ints  # [R] player, −1 unknown


class Choices(NamedTuple):
    """Steps that took a child which existed before the iteration."""

    iteration: Ints
    parent: Ints
    node: Ints  # the child taken
    n_children: Ints  # that there were

    def where(self, use: Ints) -> Choices:
        """Some of them."""
        return Choices(*(column[use] for column in self))


class CheckedSearch:
    """Columns of a trace as the checks read them, and its iterations in ranges.

    `base`: statistics up to this iteration came as a whole (an inherited tree, a snapshot, a search
    that had begun before its recording) and are no steps. `rules` is None where the rules are not known.
    """

    def __init__(
        self,
        trace: Trace,
        rules: StartPosition | None = None,
        meta: TraceMeta | None = None,
        look: Callable[[float], None] = lambda share: None,
    ) -> None:
        """meta: as the checks take them, where that is not what the trace says. look: is told which share of the
        iterations a check has seen. rules: None where they are not known; `told_game` may know them by the boards."""
        self.trace, self.meta = trace, meta or trace.meta
        self._look = look
        columns = trace.columns
        self.T, self.N = columns.n_iterations, columns.n_nodes
        watched = self.meta.watched
        begun = bool(watched.visits_before) or watched.grown_before or self.meta.is_snapshot
        self.base = min(int(begun), self.T)
        if not self.meta.is_snapshot and not self.meta.has_iterations:
            self.base = self.T  # whole trees all of them, no single iterations
        self.topology = trace.topology
        self.parent = columns.nodes.parent[: self.N]
        self.same_as = columns.same_as  # of further ways to nodes that are shared
        self.is_long = int(columns.updates.offset[self.T]) >= LONG
        self.families = Families(self.parent, self.is_long)
        self.boards = told_boards(trace, self.meta) if rules is None else None
        self.told_game = self.boards and told_game(trace, self.meta, self.boards)
        told = None if self.told_game is None or self.told_game.lost else self.told_game
        self.rules = rules if told is None else told.rules
        # by the rules' own numbers; what its author calls it, `move_into` says
        self.action = first_of(columns.nodes.action, self.N) if told is None else told.action
        self.to_move = columns.nodes.to_move[: self.N]
        self.outcome = first_of(columns.nodes.outcome, self.N)
        self.born = columns.nodes.born[: self.N]
        self.leaf = columns.leaf[: self.T]
        self.mover = self._movers()
        self._given: Given | None = None
        # [N] nodes that both players are to move at, once that is known; None: there are none
        self.of_both_players: Bools | None = None
        self.of_first_descents = (
            False  # whether of several leaves an iteration the first descent alone chose
        )
        # choices among two children or more, and children in all of those
        self._counted: tuple[int, int] | None = None

    def move_into(self, node: int) -> str:
        """What the author calls the move into a node."""
        return self.trace.at(self.T).short_label(node)

    @cached_property
    def positions(self) -> Positions:
        """What the rules say of each node, where they are known."""
        assert self.rules is not None
        return Positions(self.rules, self.parent, self.action, self.meta.root_actions)

    def leaf_above_new_copies(self) -> None:
        """Take the highest new node for the leaf of each iteration: where nodes are shared, a new way to an
        old one brings a copy of all that stands below it, and the deepest of it was not evaluated."""
        leaf = self.leaf.astype(np.int64)
        while True:
            above = np.maximum(self.parent[leaf], 0)
            new = (self.born[leaf] == self.born[above]) & (self.born[leaf] > self.base) & (leaf > 0)
            if not new.any():
                break
            leaf = np.where(new, above, leaf)
        self.leaf = leaf.astype(self.leaf.dtype)

    def first_descents(self) -> CheckedSearch:
        """The same search, where iterations have several leaves: its choices are those of the first descent of each,
        which found the statistics as they were before the iteration. They are known as far as all descents went the
        same way."""
        same = copy.copy(self)
        same.of_first_descents = True
        same._counted = None
        return same

    @property
    def value_range(self) -> tuple[float, float]:
        """Least and greatest value of one visit, as declared."""
        return self.meta.value_range

    @cached_property  # asked for in each range of iterations, and it looks at all nodes
    def tolerance(self) -> float:
        """Differences of values below it are rounding."""
        low, high = self.value_range
        rounded = FLOAT32_DIGITS * self._largest_reward
        return max(1e-9 * max(high - low, abs(low), abs(high), 1e-12), rounded)

    @cached_property
    def _largest_reward(self) -> float:
        if self.trace.columns.nodes.reward is None:
            return 0.0
        return float(np.abs(self.rewards).max(initial=0.0))

    @cached_property
    def has_rewards(self) -> bool:
        """Whether a move was told to bring one."""
        return self._largest_reward > 0.0

    @property
    def slack(self) -> float:
        """What the value of one visit may be off by: it is the difference of two sums, or of two means times their
        visits, which a search that counts in float32 has rounded each time."""
        return max(1e3 * self.tolerance, self._rounding)

    @cached_property
    def _rounding(self) -> float:
        """Of a search that counts in float32, as far as its values show; 0 where they are exact, or have more digits.
        Results of games may be recorded in float64 beside a network's values in float32."""
        if self.trace.columns.exact_sums:
            return 0.0
        last = self.trace.at(self.T)
        visited = np.flatnonzero(last.visits > 0)[:SAMPLED]
        is_mean = self.meta.watched.value_kind == "mean"
        kept = (last.mean_value if is_mean else last.value_sum)[visited]
        rounded = kept[kept * EXACT_DIGITS != np.round(kept * EXACT_DIGITS)]
        if not len(rounded) or np.mean(rounded.astype(np.float32) == rounded) < IN_FLOAT32:
            return 0.0
        low, high = self.value_range
        largest = max(abs(low), abs(high)) * float(last.visits[visited].max())
        return min(4 * float(np.finfo(np.float32).eps) * largest, MOST_ROUNDING * (high - low))

    def share(self, outcome: Any, player: Any) -> Any:
        """An outcome (view of player 0) from −1, a loss, to 1, a win, in the view of a player."""
        low, high = self.meta.reward_range
        share = (2.0 * outcome - low - high) / (high - low)
        other = -share if self.meta.mirrors else np.nan
        return np.where(player == 0, share, other)

    @property
    def alone(self) -> bool:
        """Whether one player searches without an opponent."""
        return self.meta.n_players == 1

    @property
    def has_costs(self) -> bool:
        """Whether one player searches, and no value is above 0: they are costs, told with the opposite sign."""
        return self.alone and self.value_range[1] <= 0

    @cached_property
    def has_chance(self) -> bool:
        """Whether chance moves anywhere."""
        return bool((self.to_move == CHANCE).any())

    @property
    def players_known(self) -> bool:
        """Whether the player to move is known anywhere below the root; without that, no value has a point of view."""
        return self.alone or self.rules is not None or bool((self.to_move[1:] >= 0).any())

    @property
    def discount(self) -> float | None:
        """The declared discount of values from a node to its parent; 1 where none is declared;
        None where it varies."""
        return self.meta.discount

    def _movers(self) -> npt.NDArray[np.int8]:
        """[N] player who moved into each node; by turns where it was not recorded of some."""
        to_move = self.to_move.copy()
        first = max(int(to_move[0]), 0)
        unknown = np.flatnonzero(to_move == UNKNOWN)
        to_move[unknown] = (first + self.topology.depth[unknown]) % self.meta.n_players
        mover = np.empty(self.N, np.int8)
        for nodes in self.blocks(0, self.N):
            some = np.arange(nodes.start, nodes.stop, dtype=np.int32)
            mover[nodes] = movers_into(some, self.parent, to_move, self.meta.n_players)
        return mover

    # the iterations, and what the statistics were

    def ranges(self, squares: bool = False) -> Iterator[IterationRange]:
        """The iterations after `base`, in order; each is done with before the next one comes. squares: whether sums of
        squares are asked for."""
        if self._only_range is not None:
            yield self._only_range
            self._look(1.0)
            return
        begun = self._begun(squares)
        first = self.base + 1
        for last in self._ends_of_ranges:
            part = self._range(first, last, begun)
            yield part
            part.passed()
            first = last + 1
            self._look(last / self.T)

    @cached_property
    def is_pruned(self) -> bool:
        """Whether children were taken out of the tree now and then, which the trace keeps."""
        return any(each.text == PRUNED for each in self.trace.columns.asides.remarks)

    @property
    def given(self) -> Given | None:
        """What each new node begins with, once that is known."""
        return self._given

    @given.setter
    def given(self, given: Given | None) -> None:
        self._given = given
        self.__dict__.pop("_only_range", None)  # it was worked out without

    @cached_property
    def _only_range(self) -> IterationRange | None:
        """That of a short trace, whose paths are worked out once for all checks."""
        first = self.base + 1
        if first > self.T or self._end_of_range(first) < self.T:
            return None
        return self._range(first, self.T, self._begun(squares=True))

    def _begun(self, squares: bool) -> StatisticsSoFar:
        return StatisticsSoFar(functools.partial(self._sums_after, squares=squares))

    def _range(self, first: int, last: int, begun: StatisticsSoFar) -> IterationRange:
        views = None
        if self.given is not None and self.given.own:
            views = Views(self.mover, self.alone, sum(self.value_range))
        return IterationRange(
            self.trace.columns, self.leaf, first, last, begun, self.given, self.meta.shared, views,
            self.is_long,
        )  # fmt: skip

    @cached_property
    def _ends_of_ranges(self) -> list[int]:
        """The last iteration of each."""
        ends = [self.base]
        while ends[-1] < self.T:
            ends.append(self._end_of_range(ends[-1] + 1))
        return ends[1:]

    def _end_of_range(self, first: int) -> int:
        n_rows = RANGE_ROWS * (LONGER if self.is_long else 1)
        last = min(first + n_rows - 1, self.T)
        offset = self.trace.columns.updates.offset[first - 1 : last + 1]
        steps = np.cumsum(self.topology.depth[self.leaf[first - 1 : last]] + np.int64(1))
        rows = steps + (offset[1:] - offset[0])
        return min(first + int(np.searchsorted(rows, n_rows, side="right")), last)

    def statistics_after(self, t: int, squares: bool = False) -> Sums:
        """[N] of all nodes after `t` iterations, not to be written to."""
        if t == self.T and not squares:
            return self._in_the_end
        return self._sums_after(t, squares)

    def _sums_after(self, t: int, squares: bool) -> Sums:
        return sums_at(self.trace.columns, t, self.N, np.int64, squares)

    @cached_property
    def _in_the_end(self) -> Sums:
        """Many checks ask for these."""
        found = sums_at(self.trace.columns, self.T, self.N, np.int64, squares=False)
        for numbers in (found.visits, found.value_sum):
            numbers.setflags(write=False)
        return found

    def earned_visits(self, t: int) -> Ints:
        """[N] visits after `t` iterations, without those that nodes begin with."""
        visits = self.statistics_after(t).visits
        if self.given is not None:
            visits = in_pieces(len(visits), np.int64, visits.__getitem__)
            first = 0 if self.meta.watched.visits_before else 1  # the root may begin with none
            visits[first : int(self.trace.columns.node_count[t])] -= self.given.visits
        return visits

    def of_all_ways(self, visits: Ints) -> Ints:
        """[N] visits of nodes by all ways to them together, where each way has its own."""
        return self._over_ways(visits, "edges", 1)

    def of_each_way(self, visits: Ints) -> Ints:
        """[N] visits through each way to a shared node, where the first way holds all visits of the node."""
        return self._over_ways(visits, "nodes", -1)

    def _over_ways(self, visits: Ints, numbers: str, sign: int) -> Ints:
        same_as = self.same_as
        if same_as is None or self.meta.shared != numbers:
            return visits
        further = np.flatnonzero(same_as[: self.N] >= 0)
        total = visits.copy()
        np.add.at(total, same_as[further], sign * visits[further])
        return total

    def compared_rows(self, node: Ints) -> Ints:
        """[K] the rows whose numbers a search compares for these: of a node, whatever way leads to
        it, where it is nodes that have them."""
        same_as = self.same_as
        if same_as is None or self.meta.shared != "nodes":
            return node
        return np.where(same_as[node] >= 0, same_as[node], node).astype(np.int64)

    def blocks(self, begin: int, end: int) -> Iterator[slice]:
        """The places from `begin` to just before `end`, some at a time."""
        return pieces(end, RANGE_ROWS, begin)

    def new_nodes(self, rows: slice) -> Ints:
        """How many nodes each of these iterations, counted from 0, has made."""
        count = self.trace.columns.node_count[rows.start : rows.stop + 1]
        return np.asarray(np.diff(count.astype(np.int64)), np.int64)

    @cached_property
    def has_results(self) -> bool:
        """Whether the result of a simulation or evaluation was recorded."""
        result = self.trace.columns.outcome
        return any(not np.isnan(result[rows]).all() for rows in self.blocks(0, self.T))

    # choices

    def childless(self) -> Bools:
        """[N] whether a node has no children in the end."""
        childless = np.ones(self.N, np.bool_)
        for nodes in self.blocks(1, self.N):
            childless[self.parent[nodes]] = False
        return childless

    @cached_property
    def valueless(self) -> Ints:
        """Nodes that the search visits and keeps no value for, as those of a layer that only counts."""
        return self.trace.columns.without_value(self.T).astype(np.int64)

    @cached_property
    def ended(self) -> Bools:
        """[N] where the game is known to be over."""
        ended = np.empty(self.N, np.bool_)
        for nodes in self.blocks(0, self.N):
            ended[nodes] = ~np.isnan(self.known_outcome[nodes])
        return ended

    @cached_property
    def known_outcome(self) -> Floats:
        """[N] outcome where the game is over, view of player 0, else nan; the rules are asked where
        it was not recorded."""
        if self.rules is None or "terminal" not in self.meta.not_observed:
            told = self.outcome
            return DeferredColumn(
                self.N, np.float64, lambda nodes: told[nodes].astype(np.float64),
                lambda begin, end: told[begin:end].astype(np.float64),
            ).as_array  # fmt: skip
        outcome: Floats = self.outcome.astype(np.float64)
        childless = self.childless()
        childless &= self.statistics_after(self.T).visits > 0
        for node in np.flatnonzero(childless)[:MOST_ENDS].tolist():
            end = self.positions[node].outcome
            outcome[node] = np.nan if end is None else end
        return outcome

    def n_children(self, node: Ints) -> Ints:
        """How many children each node has in the end."""
        return self.families.count_all(node)

    def has_more_children(self, than: int) -> Bools:
        """[N] whether a node has more children than that in the end."""
        return in_pieces(
            self.N, np.bool_, lambda some: self.n_children(np.arange(some.start, some.stop)) > than
        )

    def children(self, nodes: Ints) -> Ints:
        """All children that these nodes have in the end, one node after another."""
        return self.families.oldest(nodes, self.n_children(nodes))

    def made_in(self, part: IterationRange) -> Ints:
        """The nodes below the root that iterations of the range made, rising."""
        # in the column's own type, or the whole column is copied for each range
        ends = np.array([part.first, part.last + 1], self.born.dtype)
        first, last = np.searchsorted(self.born, ends).tolist()
        return np.arange(max(first, 1), last)

    def choices(self, part: IterationRange, by_chance: bool = False) -> Choices:
        """Every step of the range that took a child which existed before the iteration; by_chance: those
        at nodes of chance, else those at all others."""
        steps = part.steps
        there = part.node_count(steps.iteration)
        chosen = (steps.node > 0) & (steps.node < there)
        if self._moves_by_others:
            above = self.to_move[self.parent[steps.node]]
            chosen &= (above == CHANCE) if by_chance else (above > CHANCE)
        elif by_chance:
            chosen[:] = False
        if self.of_first_descents:
            chosen &= steps.visits == part.root_visits[steps.iteration - part.first]
        rows = np.flatnonzero(chosen)  # which are read faster than by a mask
        iteration, node = steps.iteration[rows], steps.node[rows]
        parent = steps.node[rows - 1] if part.are_paths else self.parent[node].astype(np.int64)
        count = self.families.count(parent, there[rows])
        return Choices(iteration, parent, node, count)

    @cached_property
    def _moves_by_others(self) -> bool:
        """Whether chance decides anywhere, or all move at once."""
        return bool((self.to_move <= CHANCE).any())

    @property
    def n_comparisons(self) -> int:
        """Choices among two children or more."""
        return self._counts()[0]

    @property
    def n_compared(self) -> int:
        """Children in all of those choices."""
        return self._counts()[1]

    def _counts(self) -> tuple[int, int]:
        if self._counted is None:
            for _ in self.all_choices():
                pass
        return self._counted or (0, 0)

    def all_choices(self) -> Iterator[tuple[IterationRange, Choices]]:
        """Those of each range. What comes by is counted, so that nobody has to go through all of them for that."""
        n = compared = 0
        for part in self.ranges():
            found = self.choices(part)
            several = found.n_children[found.n_children > 1]
            n, compared = n + len(several), compared + int(several.sum())
            yield part, found
        self._counted = n, compared

    def draws_by_chance(self) -> Iterator[ComparedChildren]:
        """What chance took where there were as many children as at any node of chance."""
        most = int(self.n_children(np.flatnonzero(self.to_move == CHANCE)).max(initial=2))
        for part in self.ranges(squares=True):
            found = self.choices(part, by_chance=True)
            several = np.flatnonzero(found.n_children == most)
            if len(several):
                repeats = _same_as_before(found, self.is_long)
                yield self.compare(part, found.where(several), repeats[several])

    def comparisons(self, at_most: int | None = None) -> Iterator[ComparedChildren]:
        """All choices among two children or more in batches, or about `at_most` of them, evenly
        spread."""
        if at_most is not None and self._looks_up:
            yield from self._looked_up(at_most)
            return
        every = 1 if at_most is None else max(1, -(-self.n_comparisons // at_most))
        seen = 0
        for part in self.ranges(squares=True):
            found = self.choices(part)
            repeats = _same_as_before(found, self.is_long)
            several = np.flatnonzero(found.n_children > 1)
            use = several[-seen % every :: every]
            seen += len(several)
            ends = np.cumsum(found.n_children[use])
            begin = 0
            while begin < len(use):
                done = int(ends[begin - 1]) if begin else 0
                end = max(begin + 1, int(np.searchsorted(ends, done + BATCH_ROWS)))
                rows = use[begin:end]
                yield self.compare(part, found.where(rows), repeats[rows])
                begin = end

    @property
    def _looks_up(self) -> bool:
        """Whether an index tells the statistics before any iteration."""
        columns = self.trace.columns
        return self.is_long and columns.index is not None and columns.exact_sums

    def _looked_up(self, at_most: int) -> Iterator[ComparedChildren]:
        """All choices of some iterations, evenly spread, about `at_most` in all: without going through the others."""
        index = self.trace.columns.index
        assert index is not None
        n = self.T - self.base
        n_looked_at = min(n, -(-at_most * n // max(self.n_comparisons, 1)))
        found: list[Choices] = []
        for t in np.unique(
            np.linspace(self.base + 1, self.T, n_looked_at).astype(np.int64)
        ).tolist():
            own = self.choices(self._range(t, t, self._begun(squares=True)))
            found.append(own.where(np.flatnonzero(own.n_children > 1)))
        if not any(len(own.node) for own in found):
            return
        all_ = Choices(*(np.concatenate(column) for column in zip(*found)))
        known = IndexedStatistics(index)
        yield self.compare(known, all_, known.repeats(all_.parent, all_.node, all_.iteration))

    def compare(
        self, part: IterationRange | IndexedStatistics, taken: Choices, repeats: Bools | None = None
    ) -> ComparedChildren:
        """Choices of a range, with all children that there were. The range has sums of squares. repeats: [C] whether
        the same child was taken the last time, where somebody asks for it."""
        iteration, parent, chosen, k = taken
        if repeats is None:
            repeats = np.zeros(len(k), np.bool_)
        first = np.cumsum(k) - k
        of = np.repeat(np.arange(len(k)), k)
        place = np.arange(int(k.sum())) - first[of]
        node = self.families.oldest(parent, k)
        rows = self.compared_rows(node)
        visits, value_sum, squares = part.before(rows, iteration[of], squares=True).with_squares
        parent_visits, parent_sum, *_ = part.before(parent, iteration)
        root_visits = part.visits_before(np.zeros_like(parent), iteration)
        above = np.maximum(self.parent[parent].astype(np.int64), 0)
        above_visits = part.visits_before(above, iteration)
        other = -1.0 if self.meta.mirrors else np.nan
        sign = 1.0 if self.alone else np.where(self.mover[parent] == self.mover[chosen], 1.0, other)
        prior = self.trace.columns.nodes.prior[node].astype(np.float64)
        low, high = self.meta.value_range
        parent_mean = sign * parent_sum / np.maximum(parent_visits, 1)
        parent_mean += np.where((sign == -1.0) & (parent_visits > 0), low + high, 0.0)
        if self.trace.columns.player_sums.recorded:  # which tell the chooser's own
            own = self.player_sums_before(parent, iteration)
            at, chooser = np.arange(len(parent)), self.to_move[parent]
            of_chooser = own[at, np.maximum(chooser, 0)] / np.maximum(parent_visits, 1)
            parent_mean = np.where(chooser >= 0, of_chooser, parent_mean)
        return ComparedChildren(
            iteration, parent, self.topology.depth[parent].astype(np.int64), parent_visits, root_visits, above_visits,
            parent_mean, self.extremes_before(iteration), repeats, first,
            np.flatnonzero(node == chosen[of]), of, place, place == k[of] - 1, node, visits,
            value_sum, squares, prior, self.rewards[node], self._proven(node, iteration[of]),
            self.mover[node].astype(np.int64),
        )  # fmt: skip

    def player_sums_before(self, node: Ints, iteration: Ints) -> Floats:
        """[k, P] the sum of each node for each player, before the iteration."""
        columns, n = self.trace.columns, self.meta.n_players
        end = int(columns.updates.offset[self.T])
        table = columns.player_sums.value[: end * n].reshape(end, n)
        order, known = self._updates_by_node
        asked = node * (end + 1) + columns.updates.offset[iteration - 1]
        last = np.searchsorted(known, asked) - 1
        there = (last >= 0) & (columns.updates.node[order[last]] == node)
        return np.where(there[:, None], table[order[last]], 0.0)

    @cached_property
    def _updates_by_node(self) -> tuple[Ints, Ints]:
        """[U] places of updates by node, then by time, and a number of each that rises so."""
        updates = self.trace.columns.updates
        end = int(updates.offset[self.T])
        node = updates.node[:end].astype(np.int64)
        order = np.argsort(node, kind="stable")
        return order, node[order] * (end + 1) + order

    @cached_property
    def rewards(self) -> Floats:
        """[N] of the move into each node, view of its mover; 0 where none was recorded."""
        told = self.trace.columns.nodes.reward
        if told is None:
            return np.broadcast_to(0.0, self.N)
        return np.nan_to_num(told[: self.N].astype(np.float64))

    def extremes_before(self, iteration: Ints, value: NumberOfNode | None = None) -> ExtremesBefore:
        """The least and greatest mean before each of C iterations, or of another number of each node, made of its
        mean."""
        work = functools.cache(lambda: self._extremes(iteration, value))
        return ExtremesBefore(work, np.arange(len(iteration)))

    def _extremes(self, iteration: Ints, value: NumberOfNode | None) -> Floats:
        """[C, E, 2] see `Extremes`; ±inf before there is any number."""
        wanted = np.unique(iteration)
        found = np.empty((len(wanted), len(Extremes), 2))
        so_far = np.tile([np.inf, -np.inf], (len(Extremes), 1))
        for part in self.ranges():
            steps, (visits, value_sum, *_) = part.steps, part.after_steps()
            use = steps.visits > 0
            node, visits, value_sum = steps.node[use], visits[use], value_sum[use]
            at = steps.iteration[use] - part.first + 1
            number = value_sum / np.maximum(visits, 1)
            below, means = node > 0, number
            of_sums = value_sum if value is None else value(node, value_sum)
            number = number if value is None else value(node, number)
            until = np.tile(so_far, (part.n + 1, 1, 1))  # after each number of its iterations
            for which, of, numbers in (
                (Extremes.BUT_ROOT, below, number),
                (Extremes.ALL_NODES, slice(None), number),
                (Extremes.SUMS, slice(None), value_sum),
                (Extremes.SUMS_BUT_ROOT, below, value_sum),
                (Extremes.ROOT, ~below, means),
                (Extremes.OF_SUMS, slice(None), of_sums),
            ):
                np.minimum.at(until[:, which, 0], at[of], numbers[of])
                np.maximum.at(until[:, which, 1], at[of], numbers[of])
            np.minimum.accumulate(until[:, :, 0], axis=0, out=until[:, :, 0])
            np.maximum.accumulate(until[:, :, 1], axis=0, out=until[:, :, 1])
            here = slice(*np.searchsorted(wanted, (part.first, part.last + 1)).tolist())
            found[here] = until[wanted[here] - part.first]
            so_far = until[-1]
        return found[np.searchsorted(wanted, iteration)]

    def best_outcome_for_chooser(self, node: Ints, chooser: Ints) -> Bools:
        """Whether the game is over at each node with the best outcome for a player."""
        return np.asarray(self.share(self.known_outcome[node], chooser) >= 1.0)

    def lead_to_proven(self, rows: ComparedChildren) -> Bools:
        """[C] whether the game-theoretic value of some child follows from what the tree held."""
        at, _ = self.follows
        known = at[rows.node] < rows.iteration[rows.of]
        return np.asarray(np.bincount(rows.of[known], minlength=len(rows.chosen)) > 0)

    @cached_property
    def finished_since(self) -> npt.NDArray[np.int32]:
        """[N] the iteration after which all of a node's final subtree had been visited, with every line
        played to the end of the game; NEVER for other nodes. Where ends of games are not recorded, they are taken to
        be at the tree's greatest depth."""
        depth = self.topology.depth[: self.N]
        any_ended, deepest = bool(self.ended.any()), int(depth.max())
        at = roomy(self.N, np.int32)
        at[:] = NEVER
        for rows in self.blocks(self.base, self.T):
            iteration = np.arange(rows.start + 1, rows.stop + 1, dtype=np.int32)
            np.minimum.at(at, self.leaf[rows], iteration)
        for nodes in self.blocks(0, self.N):
            over = self.ended[nodes] if any_ended else depth[nodes] == deepest
            at[nodes][~over] = NEVER
        for nodes in self.blocks(1, self.N):
            at[self.parent[nodes]] = 0
        greatest_below(at, self.parent, depth)
        return at

    @cached_property
    def follows(self) -> tuple[npt.NDArray[np.int32], Floats]:
        """[N] the iteration since which a node's game-theoretic value follows from the finished games
        in the tree, NEVER for none, and the value, view of player 0. A node whose moves are not all
        there in the end never follows from losses."""
        low, high = self.meta.reward_range
        depth = self.topology.depth[: self.N]
        return minimax(
            self.families,
            self.parent,
            depth,
            self.mover,
            self.born,
            self.known_outcome,
            (high, low),
        )

    def _proven(self, node: Ints, iteration: Ints) -> Floats:
        """Results that a solver had proven before the iteration."""
        if self._proofs is None:
            return np.full(len(node), np.nan)
        since, result = self._proofs
        return np.where(since[node] < iteration, result[node], np.nan)

    @cached_property
    def _proofs(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]] | None:
        """[N] the iteration that proved each node's result, and the result; None where the
        search has no solver."""
        columns = self.trace.columns
        told = self.meta.is_foreign and len(columns.proven.node) > 0
        if not self.meta.has_solver and not told:
            return None
        since, result = np.full(self.N, NEVER, np.int32), self.outcome.copy()
        since[~np.isnan(result)] = -1
        since[columns.proven.node], result[columns.proven.node] = (
            columns.proven.at, columns.proven.outcome,
        )  # fmt: skip
        return since, result


def _same_as_before(choices: Choices, is_long: bool) -> Bools:
    """Whether each choice at a parent takes the child that the one before it there took; not
    known for the first choice of a range."""
    _, parent, node, _ = choices
    same = np.zeros(len(parent), np.bool_)
    if is_long:
        room = np.full(1 << (2 * len(parent)).bit_length(), -1, np.int64)
        run_compiled(note_repeats, (parent, node), room, np.empty_like(room), same)
        return same
    # no two keys are equal, which sorts faster than a stable sort of the parents
    order = np.argsort(parent.astype(np.int64) * len(parent) + np.arange(len(parent)))
    ordered, taken = parent[order], node[order]
    same[order[1:]] = (ordered[1:] == ordered[:-1]) & (taken[1:] == taken[:-1])
    return same
