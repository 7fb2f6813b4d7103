"""How sure a choice is: the moves of many searches of one position, over a grid of exploration
weights and seeds.

Runs no search.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.words import plural
from mcts_viz.types import Bools, Document, Floats, Ints

NO_MOVE = -1


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """K exploration weights × S seeds, and the A moves to choose from."""

    search: str  # in words: game, preset
    iterations: int  # of each search
    own_c: float | None  # of the search in question; None: there is none
    c: Floats  # [K] ascending
    seeds: Ints  # [S]
    actions: npt.NDArray[np.int32]  # [A] action ids, those chosen most often first
    labels: tuple[str, ...]  # [A] their names
    chosen: npt.NDArray[np.int32]  # [K, S] action id; NO_MOVE: not run, or no child was visited
    visit_share: Floats  # [K, S, A] of the root's children's visits; nan: not run

    @property
    def ran(self) -> Bools:
        """[K, S] whether each search ran; all did, unless the grid was stopped."""
        return np.asarray(~np.isnan(self.visit_share).any(axis=2))

    @property
    def counts(self) -> Ints:
        """[K, A] number of searches with each weight that chose each move."""
        return np.asarray((self.chosen[:, :, None] == self.actions).sum(axis=1))

    @property
    def share(self) -> Floats:
        """[K, A] the same as a share of the searches with that weight that ran; nan: none ran."""
        n = self.ran.sum(axis=1)[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(n > 0, self.counts / n, np.nan)

    @property
    def most_chosen(self) -> str | None:
        """Name of the move chosen most often; None where no search ran."""
        return self.labels[0] if self.counts.any() else None

    def __str__(self) -> str:
        total, n = int(self.counts.sum(axis=0)[0]), int(self.ran.sum())
        head = f"{self.search}: {plural(n, 'search', 'searches')} of {plural(self.iterations, 'iteration')}"
        if self.most_chosen is None:
            return f"{head}; none of them has a move."
        lines = [f"{head} play {self.most_chosen} in {total:,} ({total / n:.0%})."]
        for c, row, ran in zip(self.c, self.counts, self.ran.sum(axis=1)):
            told = [f"{label} {k}" for label, k in zip(self.labels, row) if k]
            mark = " (as searched)" if c == self.own_c else ""
            lines.append(f"  c = {c:.4g}{mark}: {', '.join(told) or 'none'} of {ran:,}")
        return "\n".join(lines)

    def as_json(self) -> Document:
        """Plain data; null where a search was not run."""
        return {
            "search": self.search,
            "iterations": self.iterations,
            "own_c": self.own_c,
            "c": self.c.tolist(),
            "seeds": self.seeds.tolist(),
            "actions": self.actions.tolist(),
            "labels": list(self.labels),
            "chosen": [[None if a == NO_MOVE else a for a in row] for row in self.chosen.tolist()],
            "counts": self.counts.tolist(),
            "visit_share": [
                [[None if np.isnan(x) else x for x in shares] for shares in row]
                for row in self.visit_share.tolist()
            ],
        }


def gathered(
    search: str,
    iterations: int,
    own_c: float | None,
    c: list[float],
    seeds: list[int],
    names: dict[int, str],
    results: dict[tuple[int, int], tuple[int, dict[int, int]]],
) -> Sensitivity:
    """The result, from the answer of each search that ran, by its place in the grid: the action chosen (NO_MOVE: none)
    and the visits of each move. `names`: of all moves."""
    chosen = np.full((len(c), len(seeds)), NO_MOVE, np.int32)
    for place, (action, _) in results.items():
        chosen[place] = action
    order = sorted(names, key=lambda action: (-int((chosen == action).sum()), action))
    share = np.full((len(c), len(seeds), len(order)), np.nan)
    for place, (_, visits) in results.items():
        total = max(sum(visits.values()), 1)
        share[place] = [visits.get(action, 0) / total for action in order]
    return Sensitivity(
        search=search,
        iterations=iterations,
        own_c=own_c,
        c=np.array(c, np.float64),
        seeds=np.array(seeds, np.int64),
        actions=np.array(order, np.int32),
        labels=tuple(names[action] for action in order),
        chosen=chosen,
        visit_share=share,
    )
