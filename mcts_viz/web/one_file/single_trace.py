"""A trace that no library holds as one HTML file: what `Trace.to_html` writes."""

from __future__ import annotations

from mcts_viz.games.position import board_after
from mcts_viz.trace.trace import Trace
from mcts_viz.views.board import board_svg
from mcts_viz.web.one_file.document import OneTrace, one_file


def steps_html(trace: Trace, name: str, t: int) -> bytes:
    """One HTML file that steps through the trace around iteration t without a server. Raises
    MctsVizError."""

    def position(node: int) -> str | None:
        path = trace.topology.path(node)
        actions = [*trace.meta.start, *(int(trace.columns.nodes.action[v]) for v in path[1:])]
        players = trace.meta.players
        seen = board_after(trace.meta.game.name, actions, players)
        return None if seen is None else board_svg(seen, f"position of node {node}", players)

    return one_file(OneTrace(trace, position), "trace", name, t)
