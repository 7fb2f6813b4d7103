"""How much a trace's file holds, before it is read."""

from __future__ import annotations

from typing import NamedTuple

from mcts_viz.errors import TraceError
from mcts_viz.trace.reader import TraceFile


class Survey(NamedTuple):
    """How much a trace's file holds."""

    n_rows: int
    n_nodes: int


def survey(file: TraceFile, cut_off: bool) -> Survey:
    """By what the batches of the whole file say of themselves. cut_off: it need not have an end. Raises TraceError
    where it has none, or is damaged."""
    sizes = [(message.rows, message.nodes) for message in file.stream(cut_off)]
    return Survey(sum(rows for rows, _ in sizes), 1 + sum(nodes for _, nodes in sizes))


def n_iterations_in(file: TraceFile, enough: int) -> int:
    """Iterations of a trace's file, counted no further than `enough`; 0 where it is not whole."""
    try:
        return file.count_rows(enough)
    except TraceError:
        return 0
