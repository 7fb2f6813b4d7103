"""What a check complains of, notes aside."""

from __future__ import annotations

import mcts_viz as mv


def complaints(trace: mv.Trace) -> list[str]:
    """The checks with an error or a warning about the trace."""
    return [finding.check for finding in trace.check() if finding.severity != "note"]
