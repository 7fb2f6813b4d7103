"""How sure a choice is: which move each of many searches of one position plays, over a grid of
exploration constants and seeds.

Counts what came out; runs no search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

NO_MOVE = -1


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """K constants × S seeds, and the A moves that the searches could choose from."""

    search: str  # in words: game, preset
    iterations: int  # of each search
    own_c: float | None  # of the search that was asked about; None: none was
    c: npt.NDArray[np.float64]  # [K] ascending
    seeds: npt.NDArray[np.int64]  # [S]
    actions: npt.NDArray[np.int32]  # [A] action ids, those chosen most often first
    labels: tuple[str, ...]  # [A] their names
    chosen: npt.NDArray[np.int32]  # [K, S] action id played; NO_MOVE: not run, or none was visited
    visit_share: npt.NDArray[np.float64]  # [K, S, A] of the root's children's visits; nan: not run

    @property
    def ran(self) -> npt.NDArray[np.bool_]:
        """[K, S] which searches there are: all, unless somebody stopped."""
        return np.asarray(~np.isnan(self.visit_share).any(axis=2))

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """[K, A] in how many searches of a constant each move was chosen."""
        return np.asarray((self.chosen[:, :, None] == self.actions).sum(axis=1))

    @property
    def share(self) -> npt.NDArray[np.float64]:
        """[K, A] the same as a share of the searches of that constant that ran; nan for none."""
        n = self.ran.sum(axis=1)[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(n > 0, self.counts / n, np.nan)

    @property
    def most_chosen(self) -> str | None:
        """Name of the move chosen most often; None where no search ran."""
        return self.labels[0] if self.counts.any() else None

    def __str__(self) -> str:
        total, n = int(self.counts.sum(axis=0)[0]), int(self.ran.sum())
        head = f"{self.search}: {n:,} searches of {self.iterations:,} iterations"
        if self.most_chosen is None:
            return f"{head}; none of them has a move."
        lines = [f"{head} play {self.most_chosen} in {total:,} ({total / n:.0%})."]
        for c, row, ran in zip(self.c, self.counts, self.ran.sum(axis=1)):
            told = [f"{label} {k}" for label, k in zip(self.labels, row) if k]
            mark = " (as searched)" if c == self.own_c else ""
            lines.append(f"  c = {c:.4g}{mark}: {', '.join(told) or 'none'} of {ran:,}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
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
    """From what each search that ran gave, by its place in the grid: the action chosen (NO_MOVE for
    none) and the visits of each move. `names` are those of all moves there are."""
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
