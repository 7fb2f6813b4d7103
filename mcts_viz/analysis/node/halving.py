"""Sequential halving at the root: which phase the search is in, and which moves are left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.formulas.among_siblings import halving_phases
from mcts_viz.trace.snapshot import Snapshot


class HalvingPhase(NamedTuple):
    """The phase that the next simulation belongs to; of the last one when the search is over."""

    number: int  # from 1
    of: int
    first: int  # simulations
    last: int
    considered: int  # moves that share it
    left: list[int]  # nodes of these moves, by score; not known yet at the first simulations

    def words(self, snapshot: Snapshot) -> str:
        """One sentence."""
        named = ", ".join(snapshot.short_label(node) for node in self.left)
        return (
            f"Sequential halving, phase {self.number} of {self.of} (simulations {self.first:,} to {self.last:,}): "
            f"{self.considered} of the moves share it{': ' if named else ''}{named}"
        )


def halving_phase(snapshot: Snapshot) -> HalvingPhase | None:
    """None where the root does not go by sequential halving."""
    selection = snapshot.meta.policies.selection
    if not selection.halves or selection.siblings is None:
        return None
    rule = selection.siblings.rule
    phases = halving_phases(rule.considered, rule.simulations)
    children = np.array(snapshot.children(0), np.int64)
    done = int(snapshot.visits[children].sum()) if len(children) else 0
    number = max(
        i
        for i, (before, _, _) in enumerate(phases)
        if before <= min(done, rule.simulations - 1) or i == 0
    )
    before, considered, each = phases[number]
    last = min(before + considered * each, rule.simulations)
    by_visits = (
        children[np.argsort(-snapshot.visits[children], kind="stable")]
        if len(children)
        else children
    )
    left = by_visits[:considered].tolist() if number and done > before + considered else []
    return HalvingPhase(number + 1, len(phases), before + 1, last, considered, left)
