"""Two searches compared, or two iterations of one: nodes of one tree only, differences of visits and
values, the first difference in time, and the move of each.

Nodes are matched by the moves that lead to them, not by their ids. Knows no picture.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.choice.decision import decision
from mcts_viz.analysis.comparison.common_scale import CommonScale, common_scale
from mcts_viz.analysis.comparison.first_difference import (
    FirstDifference,
    first_difference,
    knows_root_value,
)
from mcts_viz.analysis.comparison.union_tree import NOT_THERE, UnionTree, union_tree
from mcts_viz.arguments import names_wrong_arguments
from mcts_viz.errors import TraceError
from mcts_viz.trace.memory import in_pieces, pieces
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import plural
from mcts_viz.types import Bools, Document, Floats, Numbers

TOP = 10  # differences that the prose names
TOP_AS_DATA = 100  # and that `as_json` holds
SMALLEST = 1e-12  # a difference below it is rounding


@dataclass(frozen=True)
class Side:
    """One of the two searches at its iteration."""

    search: str  # in words: game, preset, c, seed
    iteration: int
    n_iterations: int  # of the whole trace
    n_nodes: int
    root_visits: int
    choice: str | None  # the move that its final-move rule plays; None before there is one
    choice_visits: int
    # view of the player to move at the root, A's scale; its own where they are not comparable
    choice_mean: float | None
    rule: str  # in words
    principal_variation: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """A node of the union, as a table shows it. None: there is no such number."""

    node: int  # union id
    node_a: int | None  # its ids in the two trees; None: it is not there
    node_b: int | None
    line: str  # moves from the root
    visits_a: int
    visits_b: int
    share_a: float  # of the visits of its tree's root, in [0, 1]
    share_b: float
    share_difference: float  # B − A
    mean_a: float | None  # A's scale, view of the player who moved into the node
    mean_b: float | None  # brought to A's scale
    mean_difference: float | None  # B − A
    only_in: str  # "A", "B", or "": both


class Matched(NamedTuple):
    """Two whole traces matched node by node, for any iterations of them."""

    a: Trace
    b: Trace
    tree: UnionTree
    scale: CommonScale
    first: FirstDifference


@dataclass(frozen=True, eq=False)
class TreeComparison:
    """Tree A beside tree B. Arrays have an entry for each of the M nodes that the two whole traces
    have together, the root first, parents before children; `in_a` and `in_b` say which of them are
    there at the iterations compared."""

    a: Side
    b: Side
    matched_by: str  # "action ids" or "move names"
    scale: CommonScale
    first: FirstDifference
    parent: npt.NDArray[np.int32]  # [M] −1 for the root
    depth: npt.NDArray[np.int32]  # [M]
    node_a: npt.NDArray[np.int32]  # [M] node id in A, −1: not in A's tree now
    node_b: npt.NDArray[np.int32]  # [M]
    visits_a: npt.NDArray[np.int32]  # [M] 0 where it is not there
    visits_b: npt.NDArray[np.int32]  # [M]
    mean_a: Floats  # [M] view of the player who moved into the node; nan without visits
    mean_b: Floats  # [M] brought to A's scale; nan also where values are not comparable
    tree: UnionTree
    trees: tuple[Snapshot, Snapshot]
    same_trace: bool  # two iterations of one search

    @property
    def in_a(self) -> Bools:
        """[M] whether A's tree has the node."""
        return np.asarray(self.node_a != NOT_THERE)

    @property
    def in_b(self) -> Bools:
        """[M] whether B's tree has the node."""
        return np.asarray(self.node_b != NOT_THERE)

    @property
    def only_a(self) -> Bools:
        """[M] whether A alone has the node."""
        return np.asarray(self.in_a & ~self.in_b)

    @property
    def only_b(self) -> Bools:
        """[M] whether B alone has the node."""
        return np.asarray(self.in_b & ~self.in_a)

    @property
    def share_a(self) -> Floats:
        """[M] of the root's visits, in [0, 1]."""
        return self._shares(0)

    @property
    def share_b(self) -> Floats:
        """[M]."""
        return self._shares(1)

    def _shares(self, side: int, nodes: slice | int = slice(None)) -> Floats:
        visits = (self.visits_a, self.visits_b)[side][nodes]
        return visits / max(int(self.trees[side].visits[0]), 1)

    @property
    def share_difference(self) -> Floats:
        """[M] share of the root's visits in B less that in A, in [−1, 1]: searches of any lengths
        can be compared by it."""
        return self._share_differences(slice(None))

    def _share_differences(self, nodes: slice | int) -> Floats:
        return self._shares(1, nodes) - self._shares(0, nodes)

    @property
    def mean_difference(self) -> Floats:
        """[M] mean value in B less that in A, on A's scale; nan where one of them has none."""
        return self.mean_b - self.mean_a

    @cached_property
    def by_visits(self) -> npt.NDArray[np.intp]:
        """Union ids by falling size of `share_difference`, nearest to the root first on ties; those
        without a difference are left out."""
        return self._ranked("visits", len(self.parent))

    @cached_property
    def by_mean(self) -> npt.NDArray[np.intp]:
        """Union ids by falling size of `mean_difference` × √(n m / (n + m)) for n and m visits: the
        mean over few visits differs by chance, and so counts for less."""
        return self._ranked("mean", len(self.parent))

    def _ranked(self, by: str, most: int) -> npt.NDArray[np.intp]:
        """The first `most` of them; a few take little memory."""
        size = self._sizes_of_shares if by == "visits" else self._sizes_of_means
        found, sizes = np.zeros(0, np.intp), np.zeros(0)
        for some in pieces(len(self.parent)):
            of = size(some)
            there = np.flatnonzero(of > SMALLEST)
            found = np.concatenate([found, there + some.start])
            sizes = np.concatenate([sizes, of[there]])
            if len(found) > most:
                first = np.argsort(-sizes, kind="stable")[:most]
                first.sort()  # of equal ones those nearest to the root stay in front
                found, sizes = found[first], sizes[first]
        return found[np.argsort(-sizes, kind="stable")]

    def _sizes_of_shares(self, nodes: slice) -> Floats:
        return np.abs(self._share_differences(nodes))

    def _sizes_of_means(self, nodes: slice) -> Floats:
        n, m = (each[nodes].astype(np.float64) for each in (self.visits_a, self.visits_b))
        weight = np.sqrt(n * m / np.maximum(n + m, 1.0))
        return np.nan_to_num(np.abs(self.mean_b[nodes] - self.mean_a[nodes])) * weight

    @property
    def moved_share(self) -> float:
        """Share of the visits below the root that went to other moves of the root, in [0, 1]: half
        the sum of the differences (total variation distance)."""
        n = int(np.searchsorted(self.depth, 2))  # by depth: the root and its children
        parts = [self._shares(side, slice(1, n)) for side in (0, 1)]
        if not all(part.any() for part in parts):
            return 0.0
        shares = [part / max(part.sum(), SMALLEST) for part in parts]
        return float(np.abs(shares[1] - shares[0]).sum() / 2)

    @property
    def choices(self) -> tuple[int | None, int | None]:
        """Union ids of what A and B would play; None before there is a move."""
        return self._choice(0), self._choice(1)

    @property
    def same_choice(self) -> bool:
        """Whether both would play the same move."""
        return self._choice(0) is not None and self._choice(0) == self._choice(1)

    def line(self, node: int) -> str:
        """Moves from the root to a union node; "root" for the root."""
        return ", ".join(map(self.label, self.tree.path(node)[1:])) or "root"

    def label(self, node: int) -> str:
        """Readable name of the move into a union node, as in a sentence; raises TraceError for one that neither tree
        has now."""
        for tree, node_of in zip(self.trees, (self.node_a, self.node_b)):
            if node_of[node] != NOT_THERE:
                return tree.short_label(int(node_of[node]))
        raise TraceError(f"node {node} of the comparison is in neither tree at these iterations")

    def row(self, node: int) -> Row:
        """Everything about a union node."""
        in_a, in_b = int(self.node_a[node]), int(self.node_b[node])
        return Row(
            node=int(node),
            node_a=None if in_a == NOT_THERE else in_a,
            node_b=None if in_b == NOT_THERE else in_b,
            line=self.line(int(node)),
            visits_a=int(self.visits_a[node]),
            visits_b=int(self.visits_b[node]),
            share_a=float(self._shares(0, int(node))),
            share_b=float(self._shares(1, int(node))),
            share_difference=float(self._share_differences(int(node))),
            mean_a=_number(self.mean_a[node]),
            mean_b=_number(self.mean_b[node]),
            mean_difference=_number(self.mean_b[node] - self.mean_a[node]),
            only_in="" if in_a != NOT_THERE and in_b != NOT_THERE else "A" if in_b < 0 else "B",
        )

    def rows(self, n: int, by: str = "visits") -> list[Row]:
        """The n largest differences, by "visits" or by "mean"."""
        return [self.row(int(node)) for node in self._ranked(by, n)]

    @property
    def sentences(self) -> list[str]:
        """What the comparison says: the choices, where the searches part, what is only in one."""
        return [self._choices(), self._parting(), self._contents()]

    def __str__(self) -> str:
        heads = [f"{name}: {_side_words(side)}" for name, side in (("A", self.a), ("B", self.b))]
        notes = [
            f"Values are in the view of the player who moved into the node, {self.scale.words}."
            if self.scale.comparable
            else f"Values are {self.scale.words}."
        ]
        if self.matched_by == "move names":
            notes.append("Nodes are matched by the names of their moves.")
        lines = [*heads, *self.sentences, " ".join(notes)]
        rows = self.rows(TOP)
        if rows:
            lines.append("Largest differences, in shares of the root's visits:")
            lines += [_row_words(row) for row in rows]
        return "\n".join(lines)

    def as_json(self, top: int = TOP_AS_DATA) -> Document:
        """Plain data; of the differences those of the `top` first ranks, by visits and by mean."""
        return {
            "a": asdict(self.a),
            "b": asdict(self.b),
            "matched_by": self.matched_by,
            "scale": self.scale._asdict(),
            "first_difference": self.first._asdict(),
            "same_choice": self.same_choice,
            "moved_share": self.moved_share,
            "nodes": dict(zip(("both", "only_a", "only_b"), self._counts())),
            "by_visits": [asdict(row) for row in self.rows(top)],
            "by_mean": [asdict(row) for row in self.rows(top, "mean")],
        }

    def _choice(self, side: int) -> int | None:
        """Union id of what one of them plays."""
        ranked = self.trees[side].ranked_children(0)
        union_of = (self.tree.of_a, self.tree.of_b)[side]
        return int(union_of[ranked[0]]) if ranked else None

    def _choices(self) -> str:
        told = [f"{name} {_choice_words(side)}" for name, side in (("A", self.a), ("B", self.b))]
        verdict = ""
        if self.a.choice is not None and self.b.choice is not None:
            verdict = " The same move." if self.same_choice else " Another move."
        return f"{told[0]}; {told[1]}.{verdict}"

    def _parting(self) -> str:
        first = self.first
        if self.same_trace:
            return "Two iterations of one search."
        if first.compared == 0 and first.iteration_a is None:
            return "They have no iteration in common."
        if first.iteration_a is None or first.iteration_b is None:
            return f"No difference in the {first.compared:,} iterations that both have."
        when = f"iteration {first.iteration_a:,}"
        if first.iteration_b != first.iteration_a:
            when += f" of A, {first.iteration_b:,} of B"
        if first.iteration_a == 0 or first.what.startswith("the trees"):
            return f"They differ from the start: {first.what}."
        return f"They first differ in {when}: {first.what}."

    def _counts(self) -> tuple[int, int, int]:
        """Nodes in both, only in A, only in B."""
        both, in_a, in_b = (
            int(each.sum()) for each in (self.in_a & self.in_b, self.in_a, self.in_b)
        )
        return both, in_a - both, in_b - both

    def _contents(self) -> str:
        both, only_a, only_b = self._counts()
        text = f"{plural(both, 'node')} in both, {only_a:,} only in A, {only_b:,} only in B"
        if not (self.a.choice is None or self.b.choice is None):
            text += f"; {self.moved_share:.1%} of the visits below the root go to other moves"
        return f"{text}."


def match(a: Trace, b: Trace) -> Matched:
    """What is the same for all iterations of two traces; raises TraceError for searches of
    different tasks."""
    tree = union_tree(a, b)
    scale = common_scale(a.meta, b.meta)
    return Matched(a, b, tree, scale, first_difference(a, b, tree, scale))


@names_wrong_arguments
def compare(a: Trace, b: Trace, at_a: int | None = None, at_b: int | None = None) -> TreeComparison:
    """Two searches after `at_a` and `at_b` iterations (the last ones); the same trace twice
    compares two of its iterations.

    Nodes are matched by the moves from the root. Values keep A's scale; B's are brought to it, or
    said not to be comparable. Raises TraceError for searches of different games or positions, and
    for an iteration that a trace does not have.
    """
    return compare_at(match(a, b), at_a, at_b)


def compare_at(
    matched: Matched, at_a: int | None = None, at_b: int | None = None
) -> TreeComparison:
    """As `compare`, for traces that are matched already."""
    a, b, tree, scale, first = matched
    trees = (
        a.at(a.n_iterations if at_a is None else at_a),
        b.at(b.n_iterations if at_b is None else at_b),
    )
    nodes = [_existing(ids, t.n_nodes) for ids, t in zip((tree.node_a, tree.node_b), trees)]
    visits = [_of_nodes(t.visits, ids, 0) for t, ids in zip(trees, nodes)]
    means = [_of_nodes(t.mean_value, ids, np.nan) for t, ids in zip(trees, nodes)]
    if scale.comparable:
        np.multiply(means[1], scale.factor, out=means[1])
        np.add(means[1], scale.offset, out=means[1])
    else:
        means[1][:] = np.nan
    for trace, mean in zip((a, b), means):
        if not knows_root_value(trace):
            mean[0] = np.nan
    return TreeComparison(
        a=_side(a, trees[0]),
        b=_side(b, trees[1], scale),
        matched_by=tree.matched_by,
        scale=scale,
        first=first,
        parent=tree.parent,
        depth=tree.depth,
        node_a=nodes[0],
        node_b=nodes[1],
        visits_a=visits[0],
        visits_b=visits[1],
        mean_a=means[0],
        mean_b=means[1],
        tree=tree,
        trees=trees,
        same_trace=a is b,
    )


def search_words(meta: TraceMeta) -> str:
    """A search in half a line: its game, preset, constant and seed, as far as they are known."""
    parts = [meta.game.readable]
    if meta.policies.preset:
        parts.append(meta.policies.preset)
    elif meta.is_foreign:
        parts.append("a search of others")
    if meta.policies.selection.c is not None:
        parts.append(f"c = {meta.policies.selection.c:.5g}")
    if meta.seed is not None:
        parts.append(f"seed {meta.seed}")
    return ", ".join(parts)


def _side(trace: Trace, tree: Snapshot, scale: CommonScale | None = None) -> Side:
    """`scale`: to bring the value to; None, or one on which nothing is comparable, leaves it."""
    found = decision(tree)
    mean = None if found is None else _number(found.chosen_mean)
    if mean is not None and scale is not None and scale.comparable:
        mean = scale.factor * mean + scale.offset
    return Side(
        search=search_words(trace.meta),
        iteration=tree.iteration,
        n_iterations=trace.n_iterations,
        n_nodes=tree.n_nodes,
        root_visits=int(tree.visits[0]),
        choice=None if found is None else found.chosen_label,
        choice_visits=0 if found is None else found.chosen_visits,
        choice_mean=mean,
        rule="" if found is None else found.rule_words,
        principal_variation=tuple(tree.short_label(node) for node in tree.principal_path[1:]),
    )


def _existing(ids: npt.NDArray[np.int32], n_nodes: int) -> npt.NDArray[np.int32]:
    """Node ids, NOT_THERE for those that are made later."""
    return in_pieces(
        len(ids), np.int32, lambda some: np.where(ids[some] < n_nodes, ids[some], NOT_THERE)
    )


def _of_nodes(column: Numbers, ids: npt.NDArray[np.int32], missing: float) -> Numbers:
    """A column of a tree, by union id."""

    def some_of(some: slice) -> Numbers:
        there = ids[some] != NOT_THERE
        found = np.full(len(there), missing, column.dtype)
        found[there] = column[ids[some][there]]
        return found

    return in_pieces(len(ids), column.dtype, some_of)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _of(n: int, of: str, total: int, one: str) -> str:
    """`1 visit`, `2 of 9 visits`; of: the middle part, "" for none."""
    return f"{n:,}{of} {one if (total if of else n) == 1 else one + 's'}"


def _side_words(side: Side) -> str:
    of = "" if side.iteration == side.n_iterations else f" of {side.n_iterations:,}"
    return f"{side.search}, after {_of(side.iteration, of, side.n_iterations, 'iteration')}"


def _choice_words(side: Side) -> str:
    if side.choice is None:
        return "has no move yet"
    mean = "" if side.choice_mean is None else f", mean {side.choice_mean:.4f}"
    # of a shared node visits by other ways count, too, which are no part of the root's
    of = f" of {side.root_visits:,}" if side.choice_visits <= side.root_visits else ""
    return f"plays {side.choice} ({side.rule}: {_of(side.choice_visits, of, side.root_visits, 'visit')}{mean})"


def _row_words(row: Row) -> str:
    a = "not in A" if row.only_in == "B" else f"A {row.share_a:.1%} ({row.visits_a:,})"
    b = "not in B" if row.only_in == "A" else f"B {row.share_b:.1%} ({row.visits_b:,})"
    text = f"  {row.share_difference:+7.1%}  {row.line}: {a}, {b}"
    if row.mean_a is not None and row.mean_b is not None:
        text += f"; mean {row.mean_a:.4f} and {row.mean_b:.4f}"
    return text
