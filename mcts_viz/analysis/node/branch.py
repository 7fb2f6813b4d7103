"""What the nodes at and below one cost together, and whether they brought a better one; of traces that tell costs or
scores of nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.snapshot import Snapshot

SCORE, ERROR = "score", "error"  # of the numbers of nodes: these are no costs
# words in the names of numbers that can be summed over nodes
SPENT = ("cost", "tokens", "token", "seconds", "time", "price", "dollars", "usd")


@dataclass(frozen=True)
class BranchTotals:
    """A node and all nodes below it."""

    n_nodes: int  # the node included
    spent: dict[str, float]  # sums of costs, by name
    failed: int  # nodes with an error
    score: float | None  # of the node itself
    best: int | None  # the node below it with the highest score; None: none of them has one
    best_score: float | None

    @property
    def is_better_below(self) -> bool | None:
        """Whether a node below it has a higher score; None where nothing can be compared."""
        if self.score is None or self.best_score is None:
            return None
        return self.best_score > self.score


def is_derived(meta: TraceMeta) -> bool:
    """Whether visits and values are not the program's own, but derived from records of its nodes."""
    return "visits" in meta.not_observed


def branch_totals(snapshot: Snapshot, node: int) -> BranchTotals:
    """The totals of a node's branch."""
    inside = np.zeros(snapshot.n_nodes, np.bool_)
    inside[node] = True
    for each in range(node + 1, snapshot.n_nodes):  # children come after their parents
        inside[each] = inside[snapshot.parent[each]]
    numbers = snapshot.numbers
    scores = numbers.get(SCORE, np.full(snapshot.n_nodes, np.nan))
    below = np.flatnonzero(inside & ~np.isnan(scores))
    below = below[below != node]
    best = int(below[np.argmax(scores[below])]) if len(below) else None
    return BranchTotals(
        int(inside.sum()),
        {name: float(np.nansum(numbers[name][inside])) for name in spent_names(numbers)},
        int(np.sum(numbers[ERROR][inside] > 0)) if ERROR in numbers else 0,
        None if np.isnan(scores[node]) else float(scores[node]),
        best,
        None if best is None else float(scores[best]),
    )


def spent_names(names: Iterable[str]) -> list[str]:
    """The names of numbers that can be summed over nodes."""
    words = {name: name.lower().replace("_", " ").replace(".", " ").split() for name in names}
    return [name for name, those in words.items() if any(word in SPENT for word in those)]


def amount(name: str, n: float) -> str:
    """A number as its name asks for it."""
    if "cost" in name.lower() or "price" in name.lower():
        return f"{n:,.2f}" if n >= 1 else f"{n:.3g}"
    return f"{n:,.0f}" if n == int(n) or abs(n) >= 1000 else f"{n:.4g}"
