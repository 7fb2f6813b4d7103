"""Events: one JSON object an iteration, from a program in any language, as rows of a trace.

docs/trace-format.md specifies them. Knows objects that were parsed already, no file and no pipe.
"""

from __future__ import annotations

import bisect
import functools
import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from mcts_viz.adapters.actions import ActionIds
from mcts_viz.adapters.event_blocks import EventBlocks
from mcts_viz.adapters.event_fields import (
    INT32,
    INT64,
    an_object,
    listed,
    missing,
    number,
    number_or_none,
    text_or_none,
    whole,
)
from mcts_viz.adapters.event_totals import SMALL_VALUE, SMALL_VISITS, Totals
from mcts_viz.errors import ImportFormatError, TraceError
from mcts_viz.trace.format import CHANCE_VERSION, Rows, StateChange
from mcts_viz.trace.players import CHANCE, UNKNOWN, n_players

FIELDS = (
    "new_nodes",
    "leaf",
    "updates",
    "outcome",
    "rollout",
    "elapsed",
    "proven",
    "changed_states",
)
NODE_FIELDS = ("node", "parent", "action", "to_move", "prior", "outcome", "label", "state")
UPDATE_FIELDS = ("node", "visits", "value")
PROVEN_FIELDS = ("node", "outcome")
CHANGE_FIELDS = ("node", "state")
CHANGE = '{"node": 3, "state": "XO. .X. ..."}'  # an example
# in every event or in none: the trace says before its first row which of them it has
ALWAYS_OR_NEVER = ("updates", "rollout", "elapsed", "proven")
INT, INT_OR_FLOAT = {int}, {int, float}
Updates: TypeAlias = tuple[
    Sequence[int], Sequence[int], Sequence[float]
]  # nodes, visits, values, side by side
_of_update, _of_short_update = itemgetter(*UPDATE_FIELDS), itemgetter("node", "value")


class LostNodesError(ImportFormatError):
    """An event that names nodes of a line that was skipped."""


class EventLog:
    """The events since the last `take`, checked and with their defaults filled in. One that is
    refused leaves nothing behind."""

    def __init__(self, meta: Mapping[str, Any]) -> None:
        """meta: the trace's metadata, whole."""
        self._known_action = _known_action(meta)
        self._n_actions = _n_actions(meta)
        self._settle({})
        self._is_settled = False
        self._numbered: bool | None = None  # whether new nodes say their id; None: none has come
        low, high = meta["value_range"]
        worst, best = meta["reward_range"]
        self._scale = (float(low), float(worst), (high - low) / (best - worst))
        self._mirrored = low + high
        self._parent = array("i", [-1])  # [N]
        self._alone = n_players(meta) == 1
        self._version = int(meta["format_version"])
        self._to_move = array("b", [int(meta["root"]["to_move"])])  # [N]
        # of each node, up to the child that was counted last, and those of skipped lines: counted only
        # where an action is not told
        self._n_children: dict[int, int] = {}
        self._n_counted = 1  # nodes
        # ids of the stream, where lines were skipped, are not those of the trace: from each of these
        # ids on, up to the next one, (id − shift) is the node, or there is none
        self._from, self._shift = [0], [0]
        self._totals = Totals()
        self._proven: set[int] = set()  # nodes
        self._elapsed_before = 0  # of the last event that was taken
        self._n_ids = 1  # the id that the next new node has in the stream
        self._ids_are_known = True
        self._clear()

    def _settle(self, first: Mapping[str, Any]) -> None:
        """By the first event that is good: what all of them have."""
        self._has = {name for name in ALWAYS_OR_NEVER if first.get(name) is not None}
        self._expected = [(name, name in self._has) for name in ALWAYS_OR_NEVER]
        self._actions = ActionIds(self._known_action)
        self._blocks = EventBlocks(self._has, self._n_actions)

    def _clear(self) -> None:
        self._nodes: list[int] = []  # parent, action, to_move; parent, action, to_move; …
        self._prior: list[float] = []
        self._terminal: list[float] = []
        self._label: list[str | None] = []
        self._state: list[str | None] = []
        self._leaf: list[int] = []
        self._result: list[float] = []
        self._elapsed: list[int] = []
        self._update_node: list[int] = []
        self._update_visits: list[int] = []
        self._update_value: list[float] = []
        self._moves: list[int] = []
        self._proven_node: list[int] = []
        self._proven_outcome: list[float] = []
        self._changed_states: list[StateChange] = []
        self._n_taken = len(self._parent)  # nodes before all these
        # how long these were after each event: nodes, updates, moves, proven
        self._ends: list[tuple[int, int, int, int]] = []

    def __len__(self) -> int:
        return len(self._leaf)

    def tries_block(self, n: int) -> bool:
        """Whether so many events may be taken as a block."""
        return (
            self._is_settled
            and self._ids_are_known
            and len(self._from) == 1
            and self._actions.keeps_numbers
            and self._blocks.tries(n)
        )

    def block(self, lines: Sequence[bytes]) -> Rows | None:
        """The rows of many events, one a line, in the place of `add`; None, with nothing taken in, where
        they have to be parsed and added one by one. The log must be empty, `tries_block` true."""
        rows = self._blocks.rows(lines, self._n_ids, self._elapsed_before)
        if rows is not None and not self._totals.add_rows(rows):
            return None
        if rows is not None:
            self._elapsed_before = int(rows.elapsed[-1])
            self._parent.frombytes(rows.parent.tobytes())
            self._to_move.frombytes(rows.to_move.tobytes())
            self._n_ids = len(self._parent)
            if len(rows.parent):
                self._numbered = False  # or it would have been read one by one
            if len(rows.parent) or (
                rows.rollout_action is not None and (rows.rollout_action >= 0).any()
            ):
                self._actions.use_numbers()
            self._clear()
        return rows

    def add(self, event: Any) -> None:
        """Take in one event; raises ImportFormatError naming the field, what was expected and how to
        mend it."""
        an_object("the line", event, FIELDS)
        if not self._is_settled:
            self._settle(event)
        if self._numbered is None:
            self._numbered = _is_numbered(event)
        for name, expected in self._expected:
            if (event.get(name) is not None) != expected:
                raise _not_as_before(name, expected)
        try:
            self._add(event)
        except ImportFormatError:
            self._forget_unfinished()
            raise
        self._is_settled = True

    def _add(self, event: Mapping[str, Any]) -> None:
        new = event.get("new_nodes")
        n_new = 0
        if new:
            n_new = len(listed("new_nodes", new, '{"parent": 0}'))
            for place, node in enumerate(new):
                self._add_node(_names_in(place), node, self._n_ids + place)
        elif new is not None:
            listed("new_nodes", new, '{"parent": 0}')
        n_ids = self._n_ids + n_new
        outcome = number_or_none("outcome", event.get("outcome"), "write the result, such as 1.0")
        last = len(self._parent) - 1 if n_new else None
        small = False
        if "updates" in self._has:
            updated, small = self._add_updates(event["updates"], n_ids)
            last = last if updated is None else updated
        leaf = event.get("leaf")
        if leaf is not None:
            last = self._node("leaf", leaf, n_ids)
        elif last is None:
            raise missing("leaf", 'the id of the node that was evaluated, such as "leaf": 0')
        if "updates" not in self._has:
            self._derive_updates(last, outcome)
        if "rollout" in self._has:
            self._add_rollout(event["rollout"])
        if "proven" in self._has:
            self._add_proven(event["proven"], n_ids)
        if event.get("changed_states") is not None:
            self._add_changes(event["changed_states"], n_ids)
        if "elapsed" in self._has:
            self._add_elapsed(event["elapsed"])
        else:
            self._elapsed.append(0)
        first = self._ends[-1][1] if self._ends else 0
        # last of all, for it cannot be taken back
        if small:
            self._totals.add_small(len(self._update_node) - first)
        else:
            self._totals.add(
                self._update_node[first:], self._update_visits[first:], self._update_value[first:]
            )
        self._result.append(outcome)
        self._leaf.append(last)
        self._ends.append(
            (len(self._prior), len(self._update_node), len(self._moves), len(self._proven_node))
        )
        self._n_ids = n_ids

    def _add_node(self, called: Mapping[str, str], node: Any, id_: int) -> None:
        an_object(called["it"], node, NODE_FIELDS)
        if "node" in node:
            self._check_id(called["node"], node["node"], id_)
        elif not self._ids_are_known:
            raise _uncertain()
        if node.get("parent") is None:
            raise missing(
                called["parent"], 'the id of an older node, such as "parent": 0 for the root'
            )
        parent = self._node(called["parent"], node["parent"], id_)
        label = text_or_none(called["label"], node.get("label"))
        action = node.get("action")
        if type(action) is str:
            label = action if label is None and not self._actions.of_built_in_game else label
            action = self._named_action(called["action"], action)
        else:
            if action is None:
                told = self._place(parent)
            else:
                told = whole(
                    called["action"], action, -INT32, INT32, "write an action id, or a name"
                )
            action = self._numbered_action(told)
            if action != told and label is None:
                label = str(told)
        if self._n_actions is not None and not 0 <= action < self._n_actions:
            raise ImportFormatError(
                f"{called['action']}: {action}, but this game's actions are 0 to {self._n_actions - 1}; "
                "write one of them, or correct game.n_actions in the header"
            )
        to_move = node.get("to_move")
        if to_move is None:
            to_move = self._to_move[parent]
            to_move = self._next_player(to_move)
        else:
            to_move = whole(
                called["to_move"],
                to_move,
                CHANCE,
                1,
                "write 0, 1, -1 where it is not known, or -2 where chance decides",
            )
            if to_move == CHANCE and self._version < CHANCE_VERSION:
                raise ImportFormatError(
                    f"{called['to_move']}: chance (-2) needs the header's format_version to be {CHANCE_VERSION}; "
                    "write that there"
                )
        prior, outcome = node.get("prior"), node.get("outcome")
        self._prior.append(
            number_or_none(called["prior"], prior, "write a probability, such as 0.25")
        )
        self._terminal.append(
            number_or_none(called["outcome"], outcome, "write the result of the game")
        )
        self._label.append(label)
        self._state.append(text_or_none(called["state"], node.get("state")))
        self._nodes += (parent, action, to_move)
        self._parent.append(parent)
        self._to_move.append(to_move)

    def _named_action(self, field: str, action: str) -> int:
        try:
            return self._actions.id(action)
        except TraceError as err:
            raise ImportFormatError(f"{field}: {err}") from err

    def _numbered_action(self, action: int) -> int:
        """Its id, which is another number where texts have taken the first ones."""
        if action < 0 or self._actions.of_built_in_game:
            return action
        return self._actions.id(action)

    def _place(self, parent: int) -> int:
        """Of the next child among those of its parent, whether their actions were told or not."""
        for node in range(self._n_counted, len(self._parent)):
            above = self._parent[node]
            self._n_children[above] = self._n_children.get(above, 0) + 1
        self._n_counted = len(self._parent)
        return self._n_children.get(parent, 0)

    def _check_id(self, field: str, told: Any, id_: int) -> None:
        told = whole(field, told, 1, INT32, "write the new node's own id, or leave it out")
        if told != id_:
            raise ImportFormatError(
                f"{field}: {told}, but the next id is {id_}: ids count up from 1 in the order in which "
                "nodes are made; correct it, or leave it out"
            )

    def _node(self, field: str, told: Any, n_ids: int) -> int:
        """The node of an id of the stream."""
        id_ = whole(
            field, told, 0, INT32, "write the id of a node: 0 is the root, the first new one is 1"
        )
        if id_ >= n_ids:
            if not self._ids_are_known:
                raise _uncertain()
            raise ImportFormatError(
                f"{field}: there is no node {id_} yet, only 0 to {n_ids - 1}; make it in new_nodes first (ids count "
                "up in the order in which nodes are made)"
            )
        if len(self._from) == 1:
            return id_
        place = bisect.bisect_right(self._from, id_) - 1
        shift = self._shift[place]
        if shift < 0:
            raise LostNodesError(f"{field}: node {id_} was made in a line that was skipped")
        return id_ - shift

    def _add_updates(self, updates: Any, n_ids: int) -> tuple[int | None, bool]:
        """The last node updated, which is the end of the path; whether all are known to be small."""
        listed("updates", updates, '{"node": 0, "visits": 1, "value": 0.5}')
        if not updates:
            return None, True
        found = None
        if len(self._from) == 1:
            found = _plain_updates(updates, n_ids)
        (nodes, visits, values), small = found or (self._careful_updates(updates, n_ids), False)
        self._update_node += nodes
        self._update_visits += visits
        self._update_value += values
        return int(nodes[-1]), small

    def _careful_updates(self, updates: list[Any], n_ids: int) -> Updates:
        """The same one by one, to say what is wrong, or to number them anew."""
        nodes, visits, values = [], [], []
        for place, update in enumerate(updates):
            where = f"updates[{place}]"
            an_object(where, update, UPDATE_FIELDS)
            if update.get("node") is None:
                raise missing(f"{where}.node", 'the id of a node, such as "node": 0')
            if update.get("value") is None:
                raise missing(
                    f"{where}.value", 'what was added to its sum of values, such as "value": 0.5'
                )
            nodes.append(self._node(f"{where}.node", update["node"], n_ids))
            added = update.get("visits", 1)
            visits.append(
                whole(f"{where}.visits", added, -INT32, INT32, "write how many were added")
            )
            values.append(
                number(f"{where}.value", update["value"], "write what was added, such as 0.5")
            )
        return nodes, visits, values

    def _derive_updates(self, leaf: int, outcome: float) -> None:
        """One visit for every node from the root to the leaf, and the outcome in its mover's view."""
        if math.isnan(outcome):
            raise ImportFormatError(
                "updates: missing, and there is no outcome from which to make them; write the outcome (view of "
                "player 0), or in every line what backpropagation added"
            )
        path = [leaf]
        while path[-1]:
            path.append(self._parent[path[-1]])
        path.reverse()
        low, worst, width = self._scale
        value = low + (outcome - worst) * width
        for node in path:
            above = self._mover(node)
            self._update_node.append(node)
            self._update_visits.append(1)
            self._update_value.append(self._mirrored - value if above == 1 else value)

    def _next_player(self, player: int) -> int:
        """Who moves after that one, where nothing is said."""
        if self._alone:
            return 0
        return 1 - player if player >= 0 else UNKNOWN

    def _mover(self, node: int) -> int:
        """In whose view a node's value is: as `mcts_viz.trace.players.movers`."""
        if self._alone:
            return 0
        if node == 0:
            return 1 - self._to_move[0]
        above = self._parent[node]
        while self._to_move[above] == CHANCE and above:
            above = self._parent[above]
        return self._to_move[above] if self._to_move[above] != CHANCE else UNKNOWN

    def _add_rollout(self, rollout: Any) -> None:
        kept = self._actions.of_built_in_game  # asked once: rollouts are long
        for place, action in enumerate(listed("rollout", rollout, "4, 7")):
            if type(action) is str:
                action = self._named_action(f"rollout[{place}]", action)
                self._moves.append(action)
                continue
            action = whole(f"rollout[{place}]", action, -1, INT32, "write an action id, or a name")
            self._moves.append(action if kept else self._numbered_action(action))

    def _add_elapsed(self, told: Any) -> None:
        elapsed = whole("elapsed", told, 0, INT64, "write nanoseconds since the start")
        before = self._elapsed[-1] if self._elapsed else self._elapsed_before
        if elapsed < before:
            raise ImportFormatError(
                f"elapsed: {elapsed}, but the event before it has {before}: the time since the start never decreases; "
                "write nanoseconds of one clock that is not set back"
            )
        self._elapsed.append(elapsed)

    def _add_proven(self, proven: Any, n_ids: int) -> None:
        for place, result in enumerate(listed("proven", proven, '{"node": 3, "outcome": 1.0}')):
            where = f"proven[{place}]"
            an_object(where, result, PROVEN_FIELDS)
            if result.get("node") is None or result.get("outcome") is None:
                raise missing(where, '{"node": 3, "outcome": 1.0}')
            node = self._node(f"{where}.node", result["node"], n_ids)
            if node in self._proven:
                raise ImportFormatError(
                    f"{where}.node: node {result['node']} was proven before; write each result once, in the "
                    "iteration that proves it"
                )
            self._proven.add(node)
            self._proven_node.append(node)
            self._proven_outcome.append(
                number(f"{where}.outcome", result["outcome"], "write the result, view of player 0")
            )

    def _add_changes(self, changes: Any, n_ids: int) -> None:
        for place, change in enumerate(listed("changed_states", changes, CHANGE)):
            where = f"changed_states[{place}]"
            an_object(where, change, CHANGE_FIELDS)
            state = text_or_none(f"{where}.state", change.get("state"))
            if change.get("node") is None or state is None:
                raise missing(where, CHANGE)
            node = self._node(f"{where}.node", change["node"], n_ids)
            self._changed_states.append(StateChange(len(self._leaf), node, state))

    def skip(self, event: Any) -> None:
        """Pass over a line that was refused; None for one that is not even JSON. Its nodes are lost:
        what names them later is refused as well."""
        new = event.get("new_nodes") if isinstance(event, dict) else None
        if isinstance(event, dict) and (new is None or isinstance(new, list)):
            self._keep_places(new or [])
            self._lose(self._n_ids + len(new or ()))
        else:
            self._ids_are_known = False  # nobody knows how many nodes it made

    def _keep_places(self, lost: list[Any]) -> None:
        """Count lost children too, so that those after them keep the places that they have in the
        stream."""
        for node in lost:
            try:
                parent = self._node("parent", node["parent"], self._n_ids)
            except (ImportFormatError, KeyError, TypeError):
                continue  # lost as well, or none
            self._n_children[parent] = self._n_children.get(parent, 0) + 1

    def resume(self, event: Any) -> None:
        """Before an event after a skipped line: where it numbers its nodes, ids are known again."""
        if self._ids_are_known or not isinstance(event, dict):
            return
        new = event.get("new_nodes")
        node = new[0] if isinstance(new, list) and new else None
        told = node.get("node") if isinstance(node, dict) else None
        if type(told) is int and told >= self._n_ids:
            self._lose(told)
            self._ids_are_known = True

    @property
    def can_go_on(self) -> bool:
        """Whether the ids of what comes can be known, now or once an event numbers its nodes."""
        return self._ids_are_known or self._numbered is not False

    def _lose(self, next_id: int) -> None:
        """The ids up to `next_id` belong to no node."""
        if next_id > self._n_ids:
            self._from += (self._n_ids, next_id)
            self._shift += (-1, next_id - len(self._parent))
            self._n_ids = next_id

    def take(self) -> Rows:
        """The events as rows; the log is empty afterwards."""
        ends = np.array([(0, 0, 0, 0), *self._ends], np.int32)
        rollouts, solver = "rollout" in self._has, "proven" in self._has
        rows = Rows(
            new_offset=ends[:, 0].copy(),
            parent=np.array(self._nodes[0::3], np.int32),
            action=np.array(self._nodes[1::3], np.int32),
            to_move=np.array(self._nodes[2::3], np.int8),
            prior=np.array(self._prior, np.float32),
            outcome=np.array(self._terminal, np.float32),
            leaf=np.array(self._leaf, np.int32),
            update_offset=ends[:, 1].copy(),
            update_node=np.array(self._update_node, np.int32),
            update_visits=np.array(self._update_visits, np.int32),
            update_value=np.array(self._update_value, np.float64),
            result=np.array(self._result, np.float32),
            elapsed=np.array(self._elapsed, np.int64),
            rollout_offset=ends[:, 2].copy() if rollouts else None,
            rollout_action=np.array(self._moves, np.int32) if rollouts else None,
            label=_texts(self._label),
            state=_texts(self._state),
            proven_offset=ends[:, 3].copy() if solver else None,
            proven_node=np.array(self._proven_node, np.int32) if solver else None,
            proven_outcome=np.array(self._proven_outcome, np.float32) if solver else None,
            changed_states=self._changed_states or None,
        )
        if self._elapsed:
            self._elapsed_before = self._elapsed[-1]
        self._clear()
        return rows

    def _forget_unfinished(self) -> None:
        """Drop what a refused event has left."""
        nodes, updates, moves, proven = self._ends[-1] if self._ends else (0, 0, 0, 0)
        total = self._n_taken + nodes
        for node in range(total, self._n_counted):
            self._n_children[self._parent[node]] -= 1
        self._n_counted = min(self._n_counted, total)
        del self._parent[total:], self._to_move[total:], self._nodes[3 * nodes :]
        del self._prior[nodes:], self._terminal[nodes:], self._label[nodes:], self._state[nodes:]
        del self._update_node[updates:], self._update_visits[updates:], self._update_value[updates:]
        self._proven.difference_update(self._proven_node[proven:])
        del self._moves[moves:], self._proven_node[proven:], self._proven_outcome[proven:]
        n = len(self._ends)
        self._changed_states = [change for change in self._changed_states if change.row < n]
        del self._leaf[n:], self._result[n:], self._elapsed[n:]


def _plain_updates(updates: list[Any], n_ids: int) -> tuple[Updates, bool] | None:
    """Nodes, visits and values of updates that are as they should be, the short way: a million events
    have ten million of them; and whether all are small. None where a closer look is needed."""
    try:
        n_fields = set(map(len, updates))
        visits: tuple[Any, ...]
        if n_fields == {3}:
            nodes, visits, values = zip(*map(_of_update, updates))
        elif n_fields == {2}:
            nodes, values = zip(*map(_of_short_update, updates))
            visits = (1,) * len(nodes)
        else:
            return None
        good = (
            set(map(type, nodes)) == INT
            and set(map(type, visits)) == INT
            and set(map(type, values)) <= INT_OR_FLOAT
            and min(nodes) >= 0
            and max(nodes) < n_ids
            and (most := max(map(abs, visits))) <= INT32
            and math.isfinite(total := sum(map(abs, values)))
        )
    except (KeyError, TypeError, AttributeError, OverflowError):
        return None
    if not good:
        return None
    return (nodes, visits, values), most <= SMALL_VISITS and total <= SMALL_VALUE


@functools.lru_cache(1_000)
def _names_in(place: int) -> Mapping[str, str]:
    """What to call a new node and its fields. (Put together a million times, they take a tenth of an
    import.)"""
    name = f"new_nodes[{place}]"
    return {"it": name, **{field: f"{name}.{field}" for field in NODE_FIELDS}}


def _texts(texts: list[str | None]) -> list[str | None] | None:
    return texts if any(text is not None for text in texts) else None


def _is_numbered(event: Mapping[str, Any]) -> bool | None:
    """Whether its new nodes say their ids; None where it makes none."""
    new = event.get("new_nodes")
    nodes = [node for node in new if isinstance(node, dict)] if isinstance(new, list) else []
    return any("node" in node for node in nodes) if nodes else None


def _known_action(meta: Mapping[str, Any]) -> Callable[[Any], int] | None:
    """From an action's name to its id, where the trace lists the names."""
    labels = meta.get("action_labels")
    if not labels:
        return None
    ids = {label: id_ for id_, label in enumerate(labels)}

    def known(action: Any) -> int:
        if action not in ids:
            some = ", ".join(list(ids)[:5])
            raise ImportFormatError(f"there is no action {action!r} here; the names are {some}, …")
        return ids[action]

    return known


def _n_actions(meta: Mapping[str, Any]) -> int | None:
    n = meta["game"].get("n_actions")
    return n if type(n) is int else None


def _not_as_before(name: str, expected: bool) -> ImportFormatError:
    if expected:
        empty = "the time so far" if name == "elapsed" else "[] where there is none"
        return ImportFormatError(f"{name}: missing, but the first line has it; write {empty}")
    return ImportFormatError(
        f"{name}: the first line has none, so the trace says that it is not observed; write it in every line or in none"
    )


def _uncertain() -> LostNodesError:
    return LostNodesError(
        "its ids are not certain: nobody knows how many nodes were made in a line that was skipped"
    )
