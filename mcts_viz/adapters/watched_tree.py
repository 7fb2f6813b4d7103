"""Watches the tree of a running search: after each iteration, what changed in it.

Walks down from the root only where visits changed, so that an iteration costs O(path × branching).
Reads the search's objects and never writes to them. What it finds goes into a row log as it is,
right or wrong; knows no file and no page.
"""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Mapping, Sequence
from itertools import compress, repeat
from operator import is_, is_not, ne
from typing import Any, Protocol

from mcts_viz.adapters.actions import MOST_ID, ActionIds
from mcts_viz.adapters.careful_reader import CarefulReader, brief, storable_text
from mcts_viz.adapters.fields import Node, NodeFields
from mcts_viz.adapters.row_log import NONE, RowLog
from mcts_viz.adapters.state_watch import StateWatch
from mcts_viz.adapters.values import Values, increments
from mcts_viz.adapters.watched_node import NAMES, WatchedNode, node_key, same_when_equal
from mcts_viz.errors import MctsVizError, TraceError
from mcts_viz.trace.players import CHANCE, UNKNOWN

MOST_VISITS = MOST_ID // 2  # between any two such numbers there is a difference that fits
MOST_UNVISITED = 1_000_000  # new nodes below nodes without a visit, in one iteration
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)


class Positions(Protocol):
    """The rules of the game that is searched, asked for what the search does not tell."""

    def first(self) -> Any:
        """The root's position."""
        ...

    def after(self, position: Any, action: int) -> Any:
        """The one after a legal action; raises MctsVizError for another."""
        ...

    def to_move(self, position: Any) -> int:
        """0 or 1."""
        ...

    def text(self, position: Any) -> str | None:
        """The position as people see it."""
        ...


class WatchedTree:
    """The tree below `root`, which may also be a function that gives the root. Raises TraceError
    for a field that the root does not have.

    first_player: player to move at the root where no `to_move` is given but players are known to
    alternate. positions: the rules of a game in which they need not. alone: one player has no
    opponent, and all values are his. thorough: look at every node after every iteration.
    """

    def __init__(
        self,
        root: Any,
        fields: NodeFields,
        values: Values,
        actions: ActionIds,
        first_player: int | None = None,
        positions: Positions | None = None,
        alone: bool = False,
        thorough: bool = False,
    ) -> None:
        self._find_root = root if isinstance(root, FUNCTIONS) else None
        top = self._root_now() if self._find_root is not None else root
        if top is None:
            raise TraceError(
                "root= is None: the search has no tree yet; begin the recording once it has one, after its first "
                "iteration, say"
            )
        self._read, self._careful = fields.readers(top), CarefulReader(fields, top)
        # what every iteration asks for, side by side
        self._read_pair = fields.pair_reader(top)
        self._read_visits, self._read_value = self._read.visits, self._read.value
        self._read_action, self._read_player = self._read.action, self._read.to_move
        self._sums, self._proofs = values.kind == "sum", fields.proven is not None
        self._values, self._actions = values, actions
        # else places among the children stand for them, which say nothing in a built-in game
        self._moves_are_told = self._read.action is not None or not actions.of_built_in_game
        self._turned = values.view != "mover" and not alone  # whether some values have to be
        self._first_player, self._thorough, self._alone = first_player, thorough, alone
        self._positions = positions
        # whether a node tells no more than the move into it and the player to move
        more = (fields.prior, fields.outcome, fields.state, fields.label, positions)
        self._is_plain = all(each is None for each in more)
        self._has_chance = fields.chance is not None
        self._keys: set[Any] = {node_key(top)}  # of all nodes
        self._kinds: set[type] = set()  # classes of nodes whose key is their id
        self._same_when_equal = True  # whether any two nodes met so far are
        self._n_nodes = 1
        self._states: StateWatch | None = None
        if fields.state is not None:
            self._states = StateWatch(self._careful.state)
        self.may_move = self._find_root is not None  # whether the root may be another one next time
        self.log = RowLog()
        self.log.proofs = self._proofs
        self._n_unvisited = 0  # new nodes below nodes without a visit, in this iteration
        self.root = WatchedNode(top, None, 0, None)
        self._check_root()

    @property
    def players_known(self) -> bool:
        """Whether the player to move at each node is known."""
        told = self._read.to_move is not None or self._first_player is not None
        return told or self._positions is not None or self._alone

    def moved_to(self) -> tuple[int, ...] | None:
        """None while the root is the one that was given; once the search has put another node in
        its place, the actions that lead there. Raises TraceError where none do."""
        if self._find_root is None:
            return None
        key = node_key(self._root_now())
        if key == node_key(self.root.node):
            return None
        below: list[tuple[WatchedNode, tuple[int, ...]]] = [(self.root, ())]
        while below:
            watched, actions = below.pop()
            if node_key(watched.node) == key:
                return actions
            below += [
                (child, (*actions, self._actions.id(child.move)))
                for child in (*watched.children, *watched.gone)
            ]
        if not self._actions.of_built_in_game:
            return ()
        raise TraceError(
            "the search has put a node in the root's place that the recording has not seen before, so that nobody "
            "knows its position; begin another recording with the new root, and tell its position: start=[…]"
        )

    def _root_now(self) -> Node:
        """The root as the search has it; raises TraceError where the function fails that gives it."""
        assert self._find_root is not None
        try:
            return self._find_root()
        except Exception as err:
            raise TraceError(
                f"root=, a function, fails: {type(err).__name__}: {err}. Correct it: it is called before every "
                "iteration, and gives the search's root"
            ) from err

    def look(self) -> int:
        """Log what changed since the last time, root first; returns the id of the leaf: the deepest
        node whose visits changed, 0 where none did. Raises TraceError when the tree cannot be read
        or is another one."""
        # the inner loop of a recording: plain numbers in plain lists take the short way
        read_pair, read_value = self._read_pair, self._read_value
        read_visits, sums = self._read_visits, self._sums
        updates, most = self.log.updates, MOST_VISITS
        quick = self._same_when_equal and not self._thorough
        proofs, leaf, depth = self._proofs, 0, -1
        self._n_unvisited = 0
        watched = self.root
        to_visit: list[WatchedNode] = []
        while True:
            try:
                node = watched.node
                visits, children = read_pair(node)
                value = read_value(node)
            except Exception:  # noqa: BLE001 (said, or seen to be nothing, on a closer look)
                visits, value, children = self._careful.numbers_and_children(watched)
            n, old = watched.visits, watched.value_sum
            if type(visits) is float and visits == n + 1:  # what mctspy counts in
                visits = n + 1
            if type(visits) is not int or (type(value) is not float and value is not None):
                visits, value = self._careful.checked_numbers(visits, value, watched)
            if type(children) is not list:
                children = self._careful.checked_container(children, watched)
            if value is None:  # the search keeps none for this node
                value = old
            elif not sums or watched.opposite:
                value = self._values.value_sum(value, visits, watched.opposite)
            more_visits, more_value = visits - n, value - old
            if more_visits or more_value:
                if (
                    old + more_value == value
                    and -most <= visits <= most
                    and more_value - more_value == 0.0
                ):
                    updates += (watched.id, more_visits, more_value)
                else:
                    self._log_unusual(watched, visits, value)
                watched.value_sum = value
                if more_visits:
                    watched.visits = visits
                    if watched.parent is not None:
                        watched.parent.child_visits[watched.place] = visits
                    if watched.depth > depth:
                        leaf, depth = watched.id, watched.depth
            if proofs and not watched.proven:
                self._log_proof(watched)
            if children or watched.children:
                known = watched.child_nodes
                try:
                    usual = quick and (children == known or self._has_one_more(watched, children))
                    if usual:
                        now = map(read_visits, children)
                        changed = [*compress(watched.children, map(ne, now, watched.child_visits))]
                        for each in changed:  # another object may say that it is equal: look closer
                            child = children[each.place]
                            if child is not each.node and node_key(child) != node_key(each.node):
                                raise LookupError
                except Exception:  # noqa: BLE001 (said, or seen to be nothing, on a closer look)
                    changed = self._changed_order(watched, children)
                else:
                    if not usual:
                        changed = self._changed_children(watched, children)
                        quick = self._same_when_equal and not self._thorough
                    elif len(children) > len(known):
                        changed.append(self._add(watched, children[-1], len(known)))
                        watched.append(changed[-1])
                        quick = self._same_when_equal
                if len(changed) == 1:
                    watched = changed[0]
                    continue
                to_visit += reversed(changed)
            if not to_visit:
                break
            watched = to_visit.pop()
        if self._states is not None:
            for changed_node, text in self._states.changes():
                self.log.change_state(changed_node, text)
        return leaf

    def _log_proof(self, watched: WatchedNode) -> None:
        """Log the result that the search has proven at a node, once."""
        outcome = self._careful.number_or_nan("proven", watched)
        if not math.isnan(outcome):
            watched.proven = True
            self.log.proven += (watched.id, outcome)

    def _log_unusual(self, watched: WatchedNode, visits: int, value_sum: float) -> None:
        """Log an update that cannot be told by one difference, or not at all."""
        shown = self._careful.shown
        if not -MOST_ID <= visits <= MOST_ID:
            n = f"{visits:,}" if abs(visits) < 10**18 else "more than 10^18"
            raise TraceError(
                f"visits={shown('visits')} gives {n} at {watched}; a trace holds up to {MOST_ID:,}: give a function "
                "that counts in greater steps, such as visits=lambda node: node.visits // 1000"
            )
        if not math.isfinite(value_sum):
            raise TraceError(
                f"value={shown('value')} and visits={shown('visits')} give a sum of {value_sum!r} over {visits:,} "
                f"visits at {watched}; a trace holds finite numbers: give functions that bound them, such as "
                "value=lambda node: max(-1e9, min(1e9, node.value))"
            )
        more_visits = visits - watched.visits
        if abs(more_visits) > MOST_ID:  # from far below zero to far above, say
            most = MOST_ID if more_visits > 0 else -MOST_ID
            self.log.updates += (watched.id, most, 0.0)
            more_visits -= most
        for more_value in increments(watched.value_sum, value_sum):
            self.log.updates += (watched.id, more_visits, more_value)
            more_visits = 0

    def _has_one_more(self, watched: WatchedNode, children: Any) -> bool:
        """Whether one new child has come behind those known, and nothing is special about it: what
        most iterations bring."""
        return (
            type(children) is list
            and children[:-1] == watched.child_nodes
            and children[-1] is not None
            and watched.visits != 0
            and not watched.gone
            and self._moves_are_told
        )

    def _changed_children(self, watched: WatchedNode, container: Any) -> list[WatchedNode]:
        """Children whose visits are not those last recorded, and new ones."""
        children = container if type(container) is list else _in_order(container)
        known = watched.children
        n_known = len(known)
        before = children if len(children) == n_known else children[:n_known]
        if any(map(is_not, watched.child_nodes, before)):
            return self._changed_order(watched, container)
        try:
            visits = map(self._read.visits, before)
            changed = [*compress(known, map(ne, visits, watched.child_visits))]
        except Exception:  # noqa: BLE001 (said, or seen to be nothing, on a closer look)
            return self._changed_order(watched, container)
        if self._thorough:
            changed = known[:]
        if len(children) == n_known:
            return changed
        new = children[n_known:]
        if not new or watched.gone or any(map(is_, new, repeat(None))):
            return self._changed_order(watched, container)
        for child, move in zip(new, self._moves(container)[n_known:]):
            watched.append(self._add(watched, child, move))
        if not watched.visits:
            self._check_lasting(watched, watched.children)
        return changed + watched.children[n_known:]

    def _changed_order(self, watched: WatchedNode, container: Any) -> list[WatchedNode]:
        """The same where children vanished, came back, changed places, or have no visits yet."""
        known: dict[Any, list[WatchedNode]] = {}  # more than one where a node is there twice
        for seen in (*watched.children, *watched.gone):
            known.setdefault(node_key(seen.node), []).append(seen)
        children, changed = [], []
        n_new = 0
        for child, move in zip(_in_order(container), self._moves(container)):
            if child is None:
                continue  # an empty place
            same = known.get(node_key(child))
            if same:
                seen = same.pop(0)
                if self._thorough or self._careful.visits(seen) != seen.visits:
                    changed.append(seen)
            else:
                seen = self._add(watched, child, move)
                n_new += 1
                changed.append(seen)
            children.append(seen)
        gone = [seen for same in known.values() for seen in same]
        if n_new and (gone or not watched.visits):
            self._check_lasting(watched, children)
        watched.gone = gone
        watched.set_children(children)
        return changed

    def _add(self, parent: WatchedNode, node: Node, move: Any) -> WatchedNode:
        """Log a new node."""
        new = WatchedNode(node, parent, self._n_nodes, move)
        key = id(node) if type(node) in self._kinds else self._key(node)
        if key in self._keys:
            self._check_no_circle(new, key)
        self._keys.add(key)
        if not parent.visits:
            self._count_unvisited()
        player = None
        try:
            if self._read_action is not None:
                move = new.move = self._read_action(node)
            if self._read_player is not None:
                player = self._read_player(node)
        except Exception:  # noqa: BLE001 (said on a closer look)
            if self._read_action is not None:
                move = new.move = self._careful.field("action", new)
        action = self._actions.of_number.get(move) if type(move) is int else None
        if action is None:
            action = self._action(new)
        if self._positions is not None:
            self._play(new, action)
        if self._has_chance or type(player) is not int or not (player == 0 or player == 1):
            player = self._player_to_move(new)
        new.to_move = player
        new.mover = parent.mover if parent.to_move == CHANCE else parent.to_move
        if self._turned:
            new.opposite = self._opposite(new)
        self.log.nodes += (parent.id, action, player)
        if not self._is_plain or type(move) is not int or action != move:
            self._log_more(new, action)
        self._n_nodes += 1
        return new

    def _log_more(self, new: WatchedNode, action: int) -> None:
        """Log what else is told of a new node."""
        read, log = self._read, self.log
        if read.prior is not None:
            log.prior.append(self._careful.number_or_nan("prior", new))
        if read.outcome is not None:
            log.outcome.append(self._careful.number_or_nan("outcome", new))
        if read.state is not None:
            self._log_state(new)
        elif self._positions is not None:
            log.state.append(self._text_of_position(new))
        if read.label is not None or type(new.move) is not int or action != new.move:
            self._log_label(new, action)

    def _log_state(self, new: WatchedNode) -> None:
        text = self._careful.state(new)
        self.log.state.append(text)
        if self._states is not None:
            self._states.add(new, text)

    def _key(self, node: Node) -> Any:
        """Its key; and what there is to know about nodes of its class."""
        key, kind = node_key(node), type(node)
        self._same_when_equal = self._same_when_equal and same_when_equal(kind)
        if not isinstance(node, NAMES):
            self._kinds.add(kind)
        return key

    def _play(self, new: WatchedNode, action: int) -> None:
        """The position of a new node, None after a move that the rules do not know."""
        assert new.parent is not None
        assert self._positions is not None
        if new.parent.position is None:
            return
        try:
            new.position = self._positions.after(new.parent.position, action)
        except MctsVizError:
            new.position = None  # a faulty search, which is recorded as it is

    def _text_of_position(self, watched: WatchedNode) -> str | None:
        if self._positions is None or watched.position is None:
            return None
        return storable_text(self._positions.text(watched.position))

    def _action(self, new: WatchedNode) -> int:
        try:
            return self._actions.id(new.move)
        except Exception as err:
            told = str(err) if isinstance(err, TraceError) else f"{type(err).__name__}: {err}"
            raise TraceError(
                f"action= gives {brief(new.move)} at {new}: {told}. Give a function of the node that turns it into "
                "one: action=lambda node: …"
            ) from err

    def _log_label(self, new: WatchedNode, action: int) -> None:
        """Log a readable name of the move, where the action's own will not do."""
        label = None if self._read.label is None else self._careful.text("label", new)
        if label is None and not self._actions.of_built_in_game:
            label = storable_text(new.move)
        if label is not None and label != str(action):
            self.log.add_label(label)

    def _moves(self, container: Any) -> Sequence[Any]:
        """The moves into the children as their container tells: keys of a dict, else places in a
        list."""
        if type(container) is not list and isinstance(container, Mapping):
            return list(container)
        if self._read.action is None and self._actions.of_built_in_game:
            raise TraceError(
                "game= names a built-in game, so the move into each node must be told: give action=, an action id or "
                "the name of a move"
            )
        return range(len(container))

    def _player_to_move(self, watched: WatchedNode) -> int:
        if self._read.chance is not None and self._careful.field("chance", watched):
            return CHANCE
        if self._alone:
            return 0
        if self._read.to_move is not None:
            return self._careful.player(watched)
        if watched.position is not None and self._positions is not None:
            return self._positions.to_move(watched.position)
        return UNKNOWN if self._first_player is None else (self._first_player + watched.depth) % 2

    def _opposite(self, watched: WatchedNode) -> bool:
        """Whether values of the node are to be turned round."""
        if self._values.view == "to_move":
            # players need not alternate; who moves where is told, or is the other one
            known = watched.to_move in (0, 1) and watched.mover in (0, 1)
            return watched.to_move != watched.mover if known else watched.to_move != CHANCE
        if UNKNOWN in (watched.mover, self.root.to_move):
            raise TraceError(
                f"value_view={self._values.view!r} needs to know who moves, and to_move= does not say who moved into "
                f"{watched}; give it a function that does"
            )
        return self._values.opposite(watched.mover, self.root.to_move)

    # what a recording of this tree can rely on

    def _check_root(self) -> None:
        root = self.root
        self._careful.container(root)
        if self._positions is not None:
            root.position = self._positions.first()
        root.to_move = self._player_to_move(root)
        if self._values.needs_players and not self.players_known:
            raise TraceError(
                f"value_view={self._values.view!r} needs to know who moves; say so: to_move='…', the player to move at "
                "a node, 0 or 1"
            )
        root.mover = 1 - root.to_move if root.to_move in (0, 1) else UNKNOWN
        if self._alone:
            root.mover = 0
        root.opposite = self._turned and self._opposite(root)
        visits = self._careful.visits(root)
        value = self._careful.value(root, visits)
        if value is not None:
            self._careful.number("value", value, root)
        self.root_has_value = value is not None
        self.root_visits = visits  # before the first iteration
        read = self._read
        self.root_state = self._text_of_position(root)
        self.has_grids = False  # whether states are rows of cells
        if read.state is not None:
            self.root_state = self._careful.state(root)
            self.has_grids = self._careful.has_grid(root)
            if self._states is not None:
                self._states.add(root, self.root_state)
        self.root_outcome = (
            NONE if read.outcome is None else self._careful.number_or_nan("outcome", root)
        )

    def _check_no_circle(self, new: WatchedNode, key: Any) -> None:
        """Refuse a tree that goes round in a circle: it would never end."""
        above = new.parent
        while above is not None:
            if node_key(above.node) == key:
                raise TraceError(
                    f"children={self._careful.shown('children')} leads from {new.parent} back to {above}; a tree has "
                    "no circles: leave the parent out of the children, children=lambda node: …"
                )
            above = above.parent

    def _count_unvisited(self) -> None:
        """Refuse a tree without end, of nodes that are made by being asked for."""
        self._n_unvisited += 1
        if self._n_unvisited > MOST_UNVISITED:
            raise TraceError(
                f"children={self._careful.shown('children')} has led to more than {MOST_UNVISITED:,} nodes without a "
                "visit in one iteration. Where reading it makes them, watching would change the search: name what "
                "holds the nodes that were made already, or give a function: children=lambda node: …"
            )

    def _check_lasting(self, watched: WatchedNode, children: Sequence[WatchedNode]) -> None:
        """Refuse children that are other objects each time one asks: none would ever be met
        again."""
        again = [
            child for child in _in_order(self._careful.container(watched)) if child is not None
        ]
        for seen, child in zip(children, again):
            if node_key(seen.node) != node_key(child):
                raise TraceError(
                    f"children={self._careful.shown('children')} gives new objects each time it is read at {watched}, "
                    "so that no node can be met again; give the search's own nodes, or their numbers or names"
                )


def _in_order(container: Any) -> list[Any]:
    keyed = type(container) is dict or isinstance(container, Mapping)
    return list(container.values() if keyed else container)
