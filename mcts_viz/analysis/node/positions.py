"""What the rules of a built-in game say of the nodes of a tree: the text of each position, and how many
legal moves have no child yet.

A trace of such a game holds moves alone, from which both are made again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.games.position import StartPosition, start_position
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.snapshot import Snapshot

UNKNOWN = -1


class NodePositions(NamedTuple):
    """Positions of N nodes."""

    states: list[str | None]  # [N] None: moves that the rules do not have lead there
    untried: npt.NDArray[np.int32]  # [N] legal moves without a child; UNKNOWN where not known


def rules_from_root(meta: TraceMeta) -> StartPosition | None:
    """The rules of a trace's game from its root on; None where the game is not built in."""
    return start_position(meta.game.name, meta.start, players=meta.players)


def node_positions(snapshot: Snapshot) -> NodePositions | None:
    """The positions of all nodes, at the cost of one move of the game for each; None where the game is not built in."""
    start = rules_from_root(snapshot.meta)
    if start is None:
        return None
    n = snapshot.n_nodes
    parents, actions = snapshot.parent.tolist(), snapshot.action.tolist()
    n_children = np.bincount(snapshot.parent[1:], minlength=n).tolist()
    over = snapshot.terminal.tolist()
    states: list[str | None] = [start.board_text()]
    untried = np.full(n, UNKNOWN, np.int32)
    allowed = snapshot.meta.root_actions
    legal = start.legal
    untried[0] = len(legal if allowed is None else allowed) - n_children[0]
    # states and legal moves of nodes that have children further on
    open_nodes = {0: (start.state(), legal)}
    waiting = list(n_children)
    for node in range(1, n):
        parent, action = parents[node], actions[node]
        state, legal = open_nodes.get(parent, (None, []))
        waiting[parent] -= 1
        if waiting[parent] == 0:
            open_nodes.pop(parent, None)
        text = states[parent]
        if text is None or action not in legal:
            states.append(None)
            continue
        states.append(start.text_after(text, action, snapshot.depth[parent]))
        after = start.play(start.copy(state), action)
        legal = [] if over[node] else start.legal_actions(after)
        untried[node] = len(legal) - n_children[node]
        if n_children[node]:
            open_nodes[node] = (after, legal)
    return NodePositions(states, untried)


def board_at(snapshot: Snapshot, node: int) -> str | None:
    """The board at a node as text; None where the game is not built in."""
    start = rules_from_root(snapshot.meta)
    actions = [int(snapshot.action[v]) for v in snapshot.path(node)[1:]]
    if start is None or start.after(actions) is None:
        return None
    return start.board_text(actions)


def untried_moves(snapshot: Snapshot, node: int) -> list[int] | None:
    """Legal actions at a node that have no child yet; None where the rules are not known."""
    start = rules_from_root(snapshot.meta)
    path = snapshot.path(node)[1:]
    state = None if start is None else start.after([int(snapshot.action[v]) for v in path])
    if start is None or state is None:
        return None
    allowed = snapshot.meta.root_actions if node == 0 else None
    made = {int(snapshot.action[v]) for v in snapshot.children(node)}
    return [action for action in allowed or start.legal_actions(state) if action not in made]
