"""One node of a watched search, as it was last recorded.

Holds the search's own object, which it never changes, and what the trace knows of it.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from mcts_viz.recording.fields import Node
from mcts_viz.trace.players import CHANCE, EVERYBODY, UNKNOWN

# nodes that are not objects with an identity of their own, but names of nodes
NAMES = (int, str, bytes, tuple, frozenset, np.generic)


MOST_SHOWN, MOST_CHARACTERS = 12, 40  # moves of a path, and of a move, in an error message

# two of these that are equal are the same node
VALUES = (int, str, bytes, frozenset, np.number)

NO_CHILDREN: list[Any] = []  # shared, never appended to


class WatchedNode:
    """What was last recorded of one node of the search. (Slots, not a dataclass: there is one for
    every node, and it is read in the inner loop.)"""

    __slots__ = (
        "child_nodes", "child_visits", "children", "depth", "gone", "id", "move", "mover", "node",
        "opposite", "parent", "place", "position", "proven", "same", "to_move", "value_sum", "visits",
    )  # fmt: skip

    def __init__(self, node: Node, parent: WatchedNode | None, id: int, move: Any) -> None:
        self.node = node
        self.parent = parent
        self.id = id
        self.move = move  # into the node, as the search has it
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.to_move = UNKNOWN
        self.mover = UNKNOWN  # in whose view the trace keeps its value
        self.position: Any = None  # of a game whose rules are known
        self.proven = False  # whether its result is, and logged
        self.opposite = False  # the search's value is in the view of the mover's opponent
        self.visits = 0
        self.value_sum = 0.0  # view of the mover
        self.place = -1  # among its parent's children
        # in the order of the search's own container; most nodes never have any
        self.children: list[WatchedNode] = NO_CHILDREN
        self.child_nodes: list[Node] = (
            NO_CHILDREN  # of the same, side by side, to be compared quickly
        )
        self.child_visits: list[int] = NO_CHILDREN
        # the first way to the same node, this one itself where it is; None: not known yet, or no nodes are shared
        self.same: WatchedNode | None = None
        self.gone: list[WatchedNode] = NO_CHILDREN  # once children, no longer in that container

    @property
    def mover_below(self) -> int:
        """In whose view the trace keeps the values of its children."""
        if self.to_move == CHANCE:
            return self.mover
        return 0 if self.to_move == EVERYBODY else self.to_move

    def append(self, child: WatchedNode) -> None:
        """Add to the children."""
        if self.children is NO_CHILDREN:
            self.children, self.child_nodes, self.child_visits = [], [], []
        child.place = len(self.children)
        self.children.append(child)
        self.child_nodes.append(child.node)
        self.child_visits.append(child.visits)

    def set_children(self, children: list[WatchedNode]) -> None:
        """Others, or the same in another order."""
        self.children = children
        self.child_nodes = [child.node for child in children]
        self.child_visits = [child.visits for child in children]
        for place, child in enumerate(children):
            child.place = place

    def __str__(self) -> str:
        """Where it is, for error messages."""
        moves: list[str] = []
        at: WatchedNode = self
        while at.parent is not None:
            moves.append(_text(at.move))
            at = at.parent
        if not moves:
            return "the root"
        moves.reverse()
        if len(moves) > MOST_SHOWN:
            hidden = len(moves) - MOST_SHOWN
            moves[MOST_SHOWN // 2 : -MOST_SHOWN // 2] = [f"… {hidden:,} more …"]
        return f"node {self.id} (root → {' → '.join(moves)})"


def _text(move: Any) -> str:
    """A move, for error messages."""
    try:
        text = str(move)
    except Exception:  # noqa: BLE001 (the user's own)
        text = f"a {type(move).__name__}"
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def same_when_equal(kind: type) -> bool:
    """Whether two nodes of that class are the same one exactly when `==` says so, which lists of
    them can be compared by at once."""
    identity = not any("__eq__" in vars(base) for base in kind.__mro__[:-1])
    return identity or issubclass(kind, VALUES)


def node_key(node: Node) -> Any:
    """What makes it the same node: itself, or its name."""
    if isinstance(node, NAMES):
        with contextlib.suppress(TypeError):  # a tuple with lists in it is no name
            hash(node)
            return (node,)
    return id(node)


def shared_key(node: Node) -> object:
    """The same where nodes are shared: objects that are equal by `__eq__` and `__hash__`, such as positions that are
    keys of dicts of the search, are one node then."""
    by_identity: tuple[object, ...] = (object.__eq__, object.__hash__, None)
    if type(node).__eq__ in by_identity or type(node).__hash__ in by_identity:
        return node_key(node)
    with contextlib.suppress(TypeError):
        hash(node)
        return (node,)
    return id(node)
