"""Watches the tree of a running search: after each iteration, what changed in it.

Walks down from the root only where visits changed, so that an iteration costs O(path × branching).
Reads the search's objects and never writes to them. What it finds goes into a row log as it is,
right or wrong; knows no file and no page.
"""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress, repeat
from operator import is_, is_not, ne
from typing import Any, NamedTuple

from mcts_viz.errors import TraceError
from mcts_viz.games.position import StartPosition
from mcts_viz.recording.actions import ActionIds
from mcts_viz.recording.careful_reader import CarefulReader
from mcts_viz.recording.fields import Node, NodeFields
from mcts_viz.recording.growing_dicts import GrowingDicts
from mcts_viz.recording.node_details import NodeDetails
from mcts_viz.recording.own_scores import OwnScores
from mcts_viz.recording.player_values import PlayerValues, entries_of
from mcts_viz.recording.tables import Edge
from mcts_viz.recording.unusual_update import log_unusual
from mcts_viz.recording.values import Values, increments
from mcts_viz.recording.virtual_loss import VirtualLoss
from mcts_viz.recording.watched_node import NAMES, WatchedNode, node_key, same_when_equal
from mcts_viz.trace.asides import MOST_ID, PRUNED, SEVERAL_PARENTS
from mcts_viz.trace.players import CHANCE, EVERYBODY, UNKNOWN, root_mover
from mcts_viz.trace.rows import RowLog

MOST_VISITS = MOST_ID // 2  # between any two such numbers there is a difference that fits
FEW_KEPT, ENOUGH_KEPT = 3, 1_000  # nodes of a tree that is used again
MOST_UNVISITED = 1_000_000  # new nodes below nodes without a visit, in one iteration
UNORDERED = (
    "Children are in a set, which is unordered: a move's number is the order in which it was seen. Give action= for "
    "one that lasts."
)
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)


class KeptTree(NamedTuple):
    """What is known of a tree that the search goes on with, from when it was a part of another one."""

    unturned: bool = False  # whether it was kept, in the view of the player before
    visits: int | None = None  # of its root; None: not known


class WatchedTree:
    """The tree below `root`, which may also be a function that gives the root. Raises TraceError
    for a field that the root does not have.

    first_player: player to move at the root where no `to_move` is given but players are known to
    alternate. positions: the rules of a game in which they need not. alone: one player has no
    opponent, and all values are his. n_players: how many there are. thorough: look at every node after every
    iteration. virtual_loss: what nodes carry for paths on their way; the fields give numbers without it.
    """

    def __init__(
        self,
        root: Any,
        fields: NodeFields,
        values: Values,
        actions: ActionIds,
        first_player: int | None = None,
        positions: StartPosition | None = None,
        alone: bool = False,
        thorough: bool = False,
        virtual_loss: VirtualLoss | None = None,
        n_players: int = 2,
    ) -> None:
        self._find_root = root if isinstance(root, FUNCTIONS) else None
        top = self._root_now() if self._find_root is not None else root
        if top is None:
            raise TraceError(
                "root= is None: the search has no tree yet; give a function that gives the root once there is one, "
                "root=lambda: search.root, or begin the recording after the first iteration"
            )
        self._read, self._careful = fields.readers(top), CarefulReader(fields, top, n_players)
        # what every iteration asks for, side by side
        self._read_pair = fields.pair_reader(top)
        self._read_value = self._read.value
        self._read_all: Callable[[Sequence[Node]], Iterable[object]]  # visits of siblings
        self._read_all = functools.partial(map, self._read.visits)
        if isinstance(top, Edge):
            self._read_all = top.tables.all_visits
        if virtual_loss is not None:
            self._read_all = virtual_loss.all_visits
        self._read_action, self._read_player = self._read.action, self._read.to_move
        self._sums, self._proofs = values.kind == "sum", fields.proven is not None
        self._values, self._actions = values, actions
        # else places among the children stand for them, which say nothing in a built-in game
        self._moves_are_told = self._read.action is not None or not actions.of_built_in_game
        self._turned = values.view != "mover" and not alone  # whether some values have to be
        self._first_player, self._thorough, self._alone = first_player, thorough, alone
        self._positions, self.n_players = positions, n_players
        self.player_values: PlayerValues | None = None  # where values have an entry for each player
        self._ways: dict[object, WatchedNode] = {}  # the first to each node that may be shared
        self._has_chance = fields.chance is not None or fields.simultaneous is not None
        self.virtual_loss = virtual_loss
        self._n_in_flight = 0  # at nodes that this iteration has changed or made
        self._keys: set[Any] = {node_key(top)}  # of all nodes
        self._is_pruned = False  # children were taken out of the tree
        self._has_several_parents = (
            False  # whether some node is known to have them, though none may
        )
        self._kinds: set[type] = set()  # classes of nodes whose key is their id
        self._same_when_equal = True  # whether any two nodes met so far are
        self._n_nodes = 1
        self._unordered: WatchedNode | None = (
            None  # first node whose children are known to be in a set
        )
        self._first_new = 1  # id of the first node that this iteration has made
        self._without_value: set[int] = set()  # visited nodes that the search keeps no value for
        self.may_move = self._find_root is not None  # whether the root may be another one next time
        self.log = RowLog(["proven"] if self._proofs else [])
        self._details = NodeDetails(
            self._read, self._careful, actions, positions, self.log, n_players
        )
        self._is_plain = self._details.is_plain
        self._own_scores = None
        if fields.score is not None:
            self._own_scores = OwnScores(fields.score, top, self.log)
        self._n_unvisited = 0  # new nodes below nodes without a visit, in this iteration
        self.root = WatchedNode(top, None, 0, None)
        if fields.shared is not None:
            self._first_way(self.root)
        self._growing = GrowingDicts(fields.functions(), top)
        sizes = self._growing.sizes()
        self._check_root()
        self._growing.check(sizes, self._nodes)

    @property
    def players_known(self) -> bool:
        """Whether the player to move at each node is known."""
        read = self._read
        told = (
            read.to_move is not None
            or self._first_player is not None
            or read.simultaneous is not None
        )
        return told or self._positions is not None or self._alone

    def moved_to(self) -> tuple[int, ...] | None:
        """None while the root is the one that was given; once the search has put another node in
        its place, the actions that lead there. Raises TraceError where none do."""
        if self._find_root is None:
            return None
        top = self._root_now()
        if top is None or top is self.root.node or node_key(top) == node_key(self.root.node):
            return None
        found = self._watched(top)
        if found is not None:
            actions: list[int] = []
            while found.parent is not None:
                actions.append(self._actions.id(found.move))
                found = found.parent
            return tuple(reversed(actions))
        if not self._actions.of_built_in_game:
            return ()
        raise TraceError(
            "the search has put a node in the root's place that the recording has not seen before, so that nobody "
            "knows its position; begin another recording with the new root, and tell its position: start=[…]"
        )

    def _watched(self, node: Node) -> WatchedNode | None:
        """What is known of a node; None of one that was never seen."""
        name = node_key if self._read.shared is None else self._read.shared
        key, below = name(node), [self.root]
        while below:
            watched = below.pop()
            if name(watched.node) == key:
                return watched
            below += [*watched.children, *watched.gone]
        return None

    def kept(self) -> KeptTree:
        """What is known of the tree below the root that the search has now, which was a part of this one."""
        return KeptTree(self._keeps_values_unturned(), self._visits_kept())

    def _visits_kept(self) -> int | None:
        """Visits that the root which the search has now was last seen with; None: not known."""
        found = self._watched(self._root_now())
        return None if found is None else found.visits

    def _keeps_values_unturned(self) -> bool:
        """Whether nodes kept below the root that the search has now have the numbers that they had, though values are
        told in the view of the player to move at the root, and another one is to move there now."""
        if self._values.view != "root" or self._alone or self.player_values is not None:
            return False
        found = self._watched(self._root_now())
        if found is None or {found.to_move, self.root.to_move} != {0, 1}:
            return False
        stayed, below = 0, [found]
        while below and stayed < ENOUGH_KEPT:
            watched = below.pop()
            below += watched.children
            visits = self._careful.visits(watched)
            value = self._careful.value(watched, visits)
            visits, value = self._careful.checked_numbers(visits, value, watched)
            if not visits or visits != watched.visits or value is None:
                continue  # the first iteration of the new root went there already
            now = self._values.value_sum(value, visits, watched.opposite)
            if now != watched.value_sum:
                return False
            stayed += not math.isclose(now, self._values.turned(now, visits), abs_tol=1e-9)
        return stayed >= FEW_KEPT

    def action_at_root(self, move: object) -> int | None:
        """Action id of a move of the root, given as its action or as its child; None for another one."""
        children = [*self.root.children, *self.root.gone]
        actions = [self._actions.id(child.move) for child in children]
        try:
            asked = self._actions.id(move)
        except TraceError:  # no move of the built-in game
            asked = -1
        if asked in actions:
            return asked
        nodes = (action for child, action in zip(children, actions) if child.node is move)
        return next(nodes, None)

    def _root_now(self) -> Node:
        """The root as the search has it; raises TraceError where the function fails that gives it."""
        assert self._find_root is not None
        return root_of(self._find_root)

    def look(self) -> int:
        """Log what changed since the last time, root first; returns the id of the leaf: the deepest
        node whose visits changed, 0 where none did. Raises TraceError when the tree cannot be read
        or is another one."""
        # the inner loop of a recording: plain numbers in plain lists take the short way
        read_pair, read_value = self._read_pair, self._read_value
        sums = self._sums
        updates, most = self.log.updates, MOST_VISITS
        players, begin = self.player_values, len(updates)
        sizes = self._growing.sizes()
        quick = self._same_when_equal and not self._thorough
        proofs, leaf, depth = self._proofs, 0, -1
        virtual, read_all = self.virtual_loss, self._read_all
        shares = self._read.shared is not None
        waiting, without_value = self._details.waiting, self._without_value
        self._n_unvisited, self._first_new = 0, self._n_nodes
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
            if players is not None:
                value = players.own(watched, value, visits)
            if type(visits) is not int or (type(value) is not float and value is not None):
                visits, value = self._careful.checked_numbers(visits, value, watched)
            if type(children) is not list:
                children = self._careful.checked_container(children, watched)
            if waiting and watched.id in waiting:
                self._read_again(watched, visits, children)
            if value is None:  # the search keeps none for this node
                value = old
                if visits and watched.id not in without_value:
                    self._tell_gap(watched.id, True)
            else:
                if not sums or watched.opposite:
                    value = self._values.value_sum(value, visits, watched.opposite)
                if without_value and watched.id in without_value:
                    self._tell_gap(watched.id, False)
            more_visits, more_value = visits - n, value - old
            if more_visits or more_value:
                if (
                    old + more_value == value
                    and -most <= visits <= most
                    and more_value - more_value == 0.0
                ):
                    updates += (watched.id, more_visits, more_value)
                else:
                    log_unusual(self.log, self._careful, watched, visits, value)
                watched.value_sum = value
                if more_visits:
                    watched.visits = visits
                    if watched.parent is not None:
                        watched.parent.child_visits[watched.place] = visits
                    if shares or watched.depth > depth:  # where nodes are shared depths say nothing
                        leaf, depth = watched.id, watched.depth
            if proofs and not watched.proven:
                self._log_proof(watched)
            if virtual is not None:
                self._n_in_flight += virtual.in_flight(watched.node)
            if shares and visits:
                same = watched.same or self._first_way(watched)
                if same is not watched:  # goes on below the first way to the same node
                    children = []
                    if more_visits and same is not None:
                        to_visit.append(same)
            elif shares and children and self._is_known(watched):
                children = []
            if children or watched.children:
                known = watched.child_nodes
                try:
                    usual = quick and (children == known or self._has_one_more(watched, children))
                    if usual:
                        now = read_all(children)
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
        if players is not None:
            players.log(self.log, begin)
        self._end_look(sizes)
        return leaf

    # the same again, node by node, for searches whose nodes are not children of one parent

    def _summed(self, watched: WatchedNode, visits: int, value: float | None) -> float:
        """The sum of a value in the view of the mover; what it was where the search keeps none."""
        if visits and (value is None) != (watched.id in self._without_value):
            self._tell_gap(watched.id, value is None)
        if value is None:
            return watched.value_sum
        if not self._sums or watched.opposite:
            return self._values.value_sum(value, visits, watched.opposite)
        return value

    def _log(self, watched: WatchedNode, visits: int, value: float) -> None:
        """Log the numbers of a node, where they are not those last recorded."""
        old = watched.value_sum
        more = value - old
        if visits != watched.visits or more:
            if old + more == value and -MOST_VISITS <= visits <= MOST_VISITS and more - more == 0.0:
                self.log.updates += (watched.id, visits - watched.visits, more)
            else:
                log_unusual(self.log, self._careful, watched, visits, value)
            watched.visits, watched.value_sum = visits, value
        if self.virtual_loss is not None:
            self._n_in_flight += self.virtual_loss.in_flight(watched.node)
        if self._proofs and not watched.proven:
            self._log_proof(watched)

    def _end_look(self, sizes: list[int]) -> None:
        self._details.log_changes()
        if self._careful.unordered is not self._unordered:
            self._tell_unordered()
        if self._own_scores is not None:
            self._own_scores.look(self.root)
        if sizes and sizes != self._growing.sizes():
            self._growing.check(sizes, self._nodes)
        if self.virtual_loss is not None:
            self.log.tell_iteration("virtual", self._n_in_flight)
            self._n_in_flight = 0

    def _first_way(self, watched: WatchedNode) -> WatchedNode | None:
        """The first way to the same node, once it is known; logs that this is a further one."""
        assert self._read.shared is not None
        name = self._careful.field("shared", watched)
        if name is None:
            return None
        same = watched.same = self._ways.setdefault(name, watched)
        if same is not watched:
            self.log.tell_late(watched.id, "same_as", same.id)
        return same

    def _is_known(self, watched: WatchedNode) -> bool:
        """Whether a node without visits is one to which another way leads, below which its children are."""
        name = self._careful.field("shared", watched)
        return name is not None and self._ways.get(name, watched) is not watched

    def _nodes(self) -> Iterator[Node]:
        """All of the search's own that are in the tree."""
        below = [self.root]
        while below:
            watched = below.pop()
            yield watched.node
            below += watched.children

    def _tell_unordered(self) -> None:
        """Say once that children are in a set."""
        self._unordered = self._careful.unordered
        if self._unordered is not None and self._read_action is None:
            self.log.remark(self._unordered.id, UNORDERED)

    def _tell_gap(self, node: int, is_open: bool) -> None:
        """Log that the search keeps no value for a visited node, or that it does now."""
        (self._without_value.add if is_open else self._without_value.discard)(node)
        self.log.open_gap(node, is_open)

    def _read_again(self, watched: WatchedNode, visits: int, children: object) -> None:
        """Read the fields again that a node did not have when it was seen last."""
        left = []
        for name in self._details.waiting.pop(watched.id):
            if name == "outcome" and children:
                continue  # the game goes on
            too_soon = not visits if name == "reward" else watched.id >= self._first_new
            came = self._player_came if name == "to_move" else self._details.log_late
            if too_soon or not came(name, watched):
                left.append(name)
        if left:
            self._details.waiting[watched.id] = left

    def _player_came(self, name: str, watched: WatchedNode) -> bool:
        """Whether the player to move is known by now; then so is who moved into the children."""
        player = self._player_to_move(watched)
        if player == UNKNOWN:
            return False
        watched.to_move = player
        self.log.tell_late(watched.id, name, player)
        if watched.parent is None:
            watched.mover = root_mover(player, self.n_players)
        watched.opposite = self._turned and self._opposite(watched)
        for child in (*watched.children, *watched.gone):
            child.mover = watched.mover_below
            opposite = self._turned and self._opposite(child)
            if opposite != child.opposite:  # what was logged of it was in the other view
                child.opposite = opposite
                value = self._values.turned(child.value_sum, child.visits)
                for more in increments(child.value_sum, value):
                    self.log.updates += (child.id, 0, more)
                child.value_sum = value
        return True

    def _log_proof(self, watched: WatchedNode) -> None:
        """Log the result that the search has proven at a node, once."""
        outcome = self._careful.number_or_nan("proven", watched)
        if not math.isnan(outcome):
            watched.proven = True
            self.log.proven += (watched.id, outcome)

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
            visits = self._read_all(before)
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
        n_known, n_new = len(watched.children) + len(watched.gone), 0
        in_order = _in_order(container)
        taken: set[int] | None = None  # looked for once a new one is there
        for child, move in zip(in_order, self._moves(container)):
            if child is None:
                continue  # an empty place
            same = known.get(node_key(child))
            if same:
                seen = same.pop(0)
                if self._thorough or self._careful.visits(seen) != seen.visits:
                    changed.append(seen)
            else:
                if taken is None:
                    taken = self._taken_places(watched, container, in_order)
                # in a set a place means nothing, and one that comes among others may have the place of one of them
                free = self._careful.unordered is None and move not in taken
                number = move if free else max(n_known + n_new, *(place + 1 for place in taken), 0)
                if taken:
                    taken.add(number)
                seen = self._add(watched, child, number)
                n_new += 1
                changed.append(seen)
            children.append(seen)
        gone = [seen for same in known.values() for seen in same]
        if len(gone) > max(n_new, len(watched.gone)) and not self._is_pruned:
            self._is_pruned = True  # in place of children that are made anew all together
            self.log.remark(watched.id, PRUNED)
        if n_new and (gone or not watched.visits):
            self._check_lasting(watched, children)
        watched.gone = gone
        watched.set_children(children)
        return changed

    def _taken_places(
        self, watched: WatchedNode, container: Any, children: Sequence[Any]
    ) -> set[int]:
        """Places that stand for the moves of children that are still there; none where moves are told."""
        if self._read_action is not None or isinstance(container, Mapping):
            return set()
        there = {node_key(child) for child in children if child is not None}
        return {seen.move for seen in watched.children if node_key(seen.node) in there}

    def _add(self, parent: WatchedNode, node: Node, move: Any) -> WatchedNode:
        """Log a new node."""
        new = WatchedNode(node, parent, self._n_nodes, move)
        key = id(node) if type(node) in self._kinds else self._key(node)
        if key in self._keys and self._read.shared is None:
            self._check_no_circle(new, key)
            self._tell_several_parents(new, key)
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
            action = self._details.action_id(new)
        if self._positions is not None:
            self._details.play(new, action)
        if self._has_chance or type(player) is not int or not (player == 0 or player == 1):
            player = self._player_to_move(new)
            if player == UNKNOWN and self._read_player is not None:
                self._details.wait_for("to_move", new)
        new.to_move = player
        new.mover = parent.mover_below
        if self._turned:
            new.opposite = self._opposite(new)
        self.log.nodes += (parent.id, action, player)
        if not self._is_plain or type(move) is not int or action != move:
            self._details.log_new(new, action)
        self._n_nodes += 1
        return new

    def _tell_several_parents(self, new: WatchedNode, key: object) -> None:
        """Say once that a node was met before, below another parent."""
        assert new.parent is not None
        again = any(node_key(child.node) == key for child in new.parent.children)
        if not (self._has_several_parents or again):
            self._has_several_parents = True
            self.log.remark(new.id, SEVERAL_PARENTS)

    def _key(self, node: Node) -> Any:
        """Its key, and the facts about nodes of its class."""
        key, kind = node_key(node), type(node)
        self._same_when_equal = self._same_when_equal and same_when_equal(kind)
        if not isinstance(node, NAMES):
            self._kinds.add(kind)
        return key

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
        if self._read.simultaneous is not None and self._careful.field("simultaneous", watched):
            return EVERYBODY
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
            # players need not alternate; the player to move is given, or is the other one
            owner = watched.to_move if watched.to_move != CHANCE else self._told_at_chance(watched)
            known = owner in (0, 1) and watched.mover in (0, 1)
            return owner != watched.mover if known else owner != CHANCE
        if UNKNOWN in (watched.mover, self.root.to_move):
            whom = f"who moved into {watched}"
            if watched.parent is None:
                whom = "who is to move at the root, which has to be known when the recording begins"
            raise TraceError(
                f"value_view={self._values.view!r} needs to know who moves, and to_move= does not say {whom}; give it "
                "a function that does"
            )
        return self._values.opposite(watched.mover, self.root.to_move)

    def _told_at_chance(self, watched: WatchedNode) -> int:
        """Whose the values of a node of chance are where they are the player's to move: of who throws the dice, say.
        CHANCE where nobody is told: then of who moved there."""
        told = None if self._read.to_move is None else self._careful.field("to_move", watched)
        return told if type(told) is int and told in (0, 1) else CHANCE

    # what a recording of this tree can rely on

    def _check_root(self) -> None:
        root = self.root
        children = self._careful.container(root)
        if self._positions is not None:
            root.position = self._positions.state()
        root.to_move = self._player_to_move(root)
        if root.to_move == UNKNOWN and self._read_player is not None:
            self._details.wait_for("to_move", root)
        if self._values.needs_players and not self.players_known:
            raise TraceError(
                f"value_view={self._values.view!r} needs to know who moves; say so: to_move='…', the player to move at "
                "a node, 0 or 1"
            )
        root.mover = root_mover(root.to_move, 1 if self._alone else self.n_players)
        root.opposite = self._turned and self._opposite(root)
        visits = self._careful.visits(root)
        value = self._careful.value(root, visits)
        entries = entries_of(value)
        if entries is not None:
            self._take_entries(entries, visits)
        elif value is not None:
            self._careful.number("value", value, root)
        self.root_has_value = value is not None
        if value is None:
            self._without_value.add(0)
        self.root_visits = visits  # before the first iteration
        # a tree that was kept, and whose root begins anew
        self.grown_before = not visits and self._have_visits_below(_in_order(children))
        read = self._read
        self.root_state = self._details.root_state(root)
        # whether states are rows of cells
        self.has_grids = read.state is not None and self._careful.has_grid(root)
        self.root_outcome = self._details.root_outcome(root)  # None: the game goes on

    def _have_visits_below(self, children: Sequence[Node]) -> bool:
        """Whether one of these nodes and a child of it have visits. What cannot be read has none: the first look at the
        tree says so."""
        try:
            visited = [
                child for child in children if child is not None and self._read.visits(child)
            ]
            return any(
                self._read.visits(below)
                for child in visited
                for below in _in_order(self._read.children(child) or ())
                if below is not None
            )
        except Exception:  # noqa: BLE001 (said at the first look)
            return False

    def _take_entries(self, entries: Sequence[object], visits: int) -> None:
        """Values have an entry for each player, as the root's has."""
        if self._alone or self._values.view != "mover":
            raise TraceError(
                f"value= gives {len(entries)} entries at the root: one for each player, in whose view they are, so "
                "that value_view= says nothing, and players= names all of them; leave out value_view=, and give "
                "players=('A', 'B', 'C')"
            )
        if not self.players_known:
            raise TraceError(
                "value= gives an entry for each player, and nobody knows who moves where; say so: to_move='…', the "
                "player to move at a node, from 0 on, or simultaneous=True where all choose at once"
            )
        self.player_values = PlayerValues(self.n_players, self._values)
        self.player_values.own(self.root, entries, visits)
        self.log.recorded.add("player_sums")

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


def root_of(root: Callable[[], Node]) -> Node:
    """What the function gives, None where there is no root yet; raises TraceError where it fails."""
    try:
        return root()
    except Exception as err:
        raise TraceError(
            f"root=, a function, fails: {type(err).__name__}: {err}. Correct it: it is called before every "
            "iteration, and gives the search's root, None as long as there is none"
        ) from err
