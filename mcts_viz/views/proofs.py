"""What a solver has proven of a picture's nodes, and in which iteration: enough for their scores at any iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.snapshot import proven_scores
from mcts_viz.types import Floats

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.snapshot import Snapshot

NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Proofs:
    """The proven results of n nodes; a proven result stays."""

    proven: npt.NDArray[np.float32]  # [n] view of player 0; nan: not proven
    proven_at: npt.NDArray[np.int32]  # [n] iteration from which on, 0 for finished games; NEVER
    # [n] its worth for the player who chooses the node, nan; None: no proof is known to stand for a score
    proven_score: Floats | None


def proofs(columns: Columns, final: Snapshot, nodes: npt.NDArray[np.int32]) -> Proofs:
    """The proofs of these nodes; `final` is the trace's last snapshot."""
    assert final.proven is not None  # a snapshot of a trace has it
    proven = final.proven[nodes]
    since = np.zeros(len(final), np.int32)
    n = int(np.searchsorted(columns.proven.at, final.iteration, side="right"))
    since[columns.proven.node[:n]] = columns.proven.at[:n]
    chooser = final.to_move[np.maximum(final.parent[nodes], 0)]
    return Proofs(
        proven=proven,
        proven_at=np.where(np.isnan(proven), NEVER, since[nodes]).astype(np.int32),
        proven_score=proven_scores(final.meta, proven, chooser) if final.meta.has_solver else None,
    )
