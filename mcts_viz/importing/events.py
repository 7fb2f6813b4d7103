"""Events, checked one by one by msgspec, as rows of a trace; those that are left out get their defaults.

docs/trace-format.md specifies them. Knows events that were parsed already, no file and no pipe.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from array import array
from collections.abc import Callable, Sequence

from mcts_viz.errors import ImportFormatError, TraceError
from mcts_viz.importing.event_blocks import EventBlocks
from mcts_viz.importing.event_types import (
    REMEDIES,
    NewNode,
    NodeUpdate,
    ProvenOutcome,
    SearchEvent,
    document_content,
    missing,
)
from mcts_viz.importing.stream_ids import StreamIds, uncertain_ids
from mcts_viz.importing.update_sums import UpdateSums
from mcts_viz.recording.actions import ActionIds
from mcts_viz.trace.format import (
    CHANCE_VERSION,
    FIELDS_VERSION,
    OF_ITERATIONS,
    PLAYERS_VERSION,
    Rows,
)
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import CHANCE, EVERYBODY, UNKNOWN, root_mover
from mcts_viz.trace.rows import RowLog
from mcts_viz.trace.words import plural

# in every event or in none: the trace says before its first row which of them it has
ALWAYS_OR_NEVER = ("updates", "rollout", "elapsed", "proven", "player_outcomes")


class EventLog:
    """The events since the last `take`. One that is refused leaves nothing behind."""

    def __init__(self, meta: TraceMeta) -> None:
        """meta: the trace's metadata, whole."""
        self.ids = StreamIds()
        self._known_action = _known_action(meta)
        self._n_actions = meta.game.n_actions
        low, high = meta.value_range
        worst, best = meta.reward_range
        self._scale = (float(low), float(worst), (high - low) / (best - worst))
        self._mirrored = low + high
        self._alone, self._n_players = meta.n_players == 1, max(2, meta.n_players)
        self._version = meta.format_version
        self._has_player_sums, self._n_entries = meta.player_values, meta.n_players
        self._parent = array("i", [-1])  # [N]
        self._to_move = array("b", [meta.root.to_move])  # [N]
        # of each node, up to the child that was counted last, and those of skipped lines: counted only
        # where an event leaves an action out
        self._n_children: dict[int, int] = {}
        self._n_counted = 1  # nodes
        self._sums = UpdateSums()
        self._proven: set[int] = set()  # nodes
        self._elapsed = 0  # of the last event
        self._is_settled = False
        self._settle(SearchEvent())

    def _settle(self, first: SearchEvent) -> None:
        """By the first event that is good: what all of them have."""
        self._has = {name for name in ALWAYS_OR_NEVER if getattr(first, name) is not None}
        self._actions = ActionIds(self._known_action)
        one_by_one = self._has_player_sums or "player_outcomes" in self._has
        self._blocks = EventBlocks(() if one_by_one else self._has, self._n_actions)
        self._rows = RowLog()
        self._rows.recorded = {"rollout", "proven", "player_outcomes"} & set(self._has)
        self._rows.recorded |= {"player_sums"} if self._has_player_sums else set()

    def __len__(self) -> int:
        return len(self._rows)

    def tries_block(self, n: int) -> bool:
        """Whether that many events may be taken as a block."""
        return (
            self._is_settled
            and self.ids.are_known
            and self.ids.are_nodes
            and self._actions.keeps_numbers
            and self._blocks.tries(n)
        )

    def block(self, lines: Sequence[bytes]) -> Rows | None:
        """The rows of many events, one a line, in the place of `add`; None, with nothing taken in, where
        they have to be parsed and added one by one. The log must be empty, `tries_block` true."""
        rows = self._blocks.rows(lines, self.ids.next_id, self._elapsed)
        if rows is None or not self._sums.add_rows(rows):
            return None
        self._elapsed = int(rows.elapsed[-1])
        self._parent.frombytes(rows.nodes.parent.tobytes())
        self._to_move.frombytes(rows.nodes.to_move.tobytes())
        self.ids.next_id = len(self._parent)
        played = bool((rows.rollout.action >= 0).any())
        if len(rows.nodes):
            self.ids.are_written = False  # or they would have been read one by one
        if len(rows.nodes) or played:
            self._actions.use_numbers()
        return rows

    def add(self, event: SearchEvent) -> None:
        """Take in one event; raises ImportFormatError naming the field, what was expected and the
        remedy."""
        if not self._is_settled:
            self._settle(event)
        if self.ids.are_written is None and event.new_nodes:
            self.ids.are_written = any(node.node is not None for node in event.new_nodes)
        for name in ALWAYS_OR_NEVER:
            if (getattr(event, name) is not None) != (name in self._has):
                raise _not_as_before(name, name in self._has)
        n_nodes = len(self._parent)
        try:
            self._add(event)
        except ImportFormatError:
            self._forget_nodes(n_nodes)
            self._rows.forget_unfinished()
            raise
        self._is_settled = True

    def _add(self, event: SearchEvent) -> None:
        new, outcome = event.new_nodes or (), _or_nan(event.outcome)
        for place, node in enumerate(new):
            self._add_node(place, node, self.ids.next_id + place)
        n_ids = self.ids.next_id + len(new)
        nodes, visits, values = self._updated(event.updates or [], n_ids)
        if event.leaf is not None:
            leaf = self.ids.node("leaf", event.leaf, n_ids)
        elif nodes or new:
            leaf = nodes[-1] if nodes else len(self._parent) - 1
        else:
            raise missing("leaf", 'write the id of the node that was evaluated, such as "leaf": 0')
        if event.updates is None:
            nodes, visits, values = self._derived_updates(leaf, outcome)
        player_sums = self._player_sums(event.updates or [])
        player_outcomes = event.player_outcomes or []
        if player_outcomes:
            self._check_entries("player_outcomes", player_outcomes)
        rollout = None if event.rollout is None else self._rollout(event.rollout)
        proven = self._newly_proven(event.proven or [], n_ids)
        self._add_told(event, n_ids)
        elapsed = event.elapsed or 0
        if elapsed < self._elapsed and event.elapsed is not None:
            raise ImportFormatError(
                f"elapsed: {elapsed}, but the event before it has {self._elapsed}: the time since the start never "
                "decreases; write nanoseconds of one clock that is not set back"
            )
        self._sums.add(nodes, visits, values)  # last of all, for it cannot be taken back
        self._rows.updates.extend(itertools.chain.from_iterable(zip(nodes, visits, values)))
        self._rows.proven.extend(itertools.chain.from_iterable(proven.items()))
        self._rows.player_sums += player_sums
        self._rows.player_outcomes += player_outcomes
        if rollout is not None:
            self._rows.rollout += rollout
        choices = {name: getattr(event, name) for name in OF_ITERATIONS}
        told = {name: self._of_version_4(name, n) for name, n in choices.items() if n is not None}
        self._rows.end_iteration(leaf, elapsed, outcome=outcome, **told)
        self._proven.update(proven)
        self._elapsed = elapsed
        self.ids.next_id = n_ids

    def _add_node(self, place: int, node: NewNode, id_: int) -> None:
        if node.node is None and not self.ids.are_known:
            raise uncertain_ids()
        if node.node is not None and node.node != id_:
            raise ImportFormatError(
                f"new_nodes[{place}].node: {node.node}, but the next id is {id_}: ids count up from 1 in the order in "
                "which nodes are made; correct it, or leave it out"
            )
        parent = node.parent
        if parent >= id_ or not self.ids.are_nodes:
            parent = self.ids.node(f"new_nodes[{place}].parent", parent, id_)
        action, label = self._action(place, node, parent)
        to_move = node.to_move
        if to_move is None:
            to_move = self._next_player(self._to_move[parent])
        elif to_move == CHANCE and self._version < CHANCE_VERSION:
            raise ImportFormatError(
                f"new_nodes[{place}].to_move: chance (-2) needs the header's format_version to be {CHANCE_VERSION}; "
                "write that there"
            )
        elif to_move >= self._n_players or (
            to_move == EVERYBODY and self._version < PLAYERS_VERSION
        ):
            last = self._n_players - 1
            raise ImportFormatError(
                f"new_nodes[{place}].to_move: {to_move} is not a whole number <= {last}; write a player of the "
                "header's, -1 where it is not known, -2 where chance decides, -3 where all choose at once (version "
                f"{PLAYERS_VERSION})"
            )
        rows = self._rows
        rows.nodes += (parent, action, to_move)
        for name, value in (
            ("prior", node.prior),
            ("outcome", node.outcome),
            ("state", node.state),
            ("reward", node.reward),
            ("same_as", node.same_as),
        ):
            if value is not None:
                if name in ("reward", "same_as"):
                    self._of_version_4(f"new_nodes[{place}].{name}", value)
                rows.add_to_node(name, value)
        if label is not None:
            rows.add_to_node("label", label)
        self._parent.append(parent)
        self._to_move.append(to_move)

    def _of_version_4(self, field: str, value: float | str) -> float | str:
        """The value of a column that older versions do not have."""
        if self._version < FIELDS_VERSION:
            raise ImportFormatError(
                f"{field}: needs the header's format_version to be {FIELDS_VERSION}; write that there"
            )
        return value

    def _action(self, place: int, node: NewNode, parent: int) -> tuple[int, str | None]:
        """The action's id, and the label that the node gets."""
        label = node.label
        if type(node.action) is str:
            action = self._named_action(f"new_nodes[{place}].action", node.action)
            if label is None and not self._actions.of_built_in_game:
                label = node.action
        else:
            number = self._place(parent) if node.action is None else int(node.action)
            action = self._numbered_action(number)
            if action != number and label is None:
                label = str(number)
        if self._n_actions is not None and not 0 <= action < self._n_actions:
            raise ImportFormatError(
                f"new_nodes[{place}].action: {action}, but this game's actions are 0 to {self._n_actions - 1}; "
                "write one of them, or correct game.n_actions in the header"
            )
        return action, label

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
        """Of the next child among those of its parent, with an action or without."""
        for node in range(self._n_counted, len(self._parent)):
            self._count_child(self._parent[node])
        self._n_counted = len(self._parent)
        return self._n_children.get(parent, 0)

    def _count_child(self, parent: int) -> None:
        self._n_children[parent] = self._n_children.get(parent, 0) + 1

    def _updated(
        self, updates: Sequence[NodeUpdate], n_ids: int
    ) -> tuple[list[int], list[int], list[float]]:
        """Nodes, visits and values, side by side."""
        nodes = [update.node for update in updates]
        if nodes and (max(nodes) >= n_ids or not self.ids.are_nodes):
            nodes = [
                self.ids.node(f"updates[{place}].node", node, n_ids)
                for place, node in enumerate(nodes)
            ]
        return nodes, [update.visits for update in updates], [update.value for update in updates]

    def _derived_updates(
        self, leaf: int, outcome: float
    ) -> tuple[list[int], list[int], list[float]]:
        """One visit for every node from the root to the leaf, and the outcome in its mover's view."""
        if math.isnan(outcome) or self._n_players > 2:
            raise ImportFormatError(
                "updates: missing, and there is no outcome from which to make them; write the outcome (view of "
                "player 0; it tells nothing of a third one), or in every line what backpropagation added"
            )
        path = [leaf]
        while path[-1]:
            path.append(self._parent[path[-1]])
        path.reverse()
        low, worst, width = self._scale
        value = low + (outcome - worst) * width
        values = [self._mirrored - value if self._mover(node) == 1 else value for node in path]
        return path, [1] * len(path), values

    def _next_player(self, player: int) -> int:
        """The player to move after that one, where none is given."""
        if self._alone:
            return 0
        return (player + 1) % self._n_players if player >= 0 else UNKNOWN

    def _mover(self, node: int) -> int:
        """In whose view a node's value is: as `mcts_viz.trace.players.movers`."""
        if self._alone:
            return 0
        if node == 0:
            return root_mover(self._to_move[0], self._n_players)
        above = self._parent[node]
        while self._to_move[above] == CHANCE and above:
            above = self._parent[above]
        found = self._to_move[above]
        return 0 if found == EVERYBODY else UNKNOWN if found == CHANCE else found

    def _rollout(self, rollout: Sequence[int | str]) -> list[int]:
        if self._actions.of_built_in_game and all(type(action) is int for action in rollout):
            return list(rollout)  # type: ignore[arg-type]
        return [
            self._named_action(f"rollout[{place}]", action)
            if isinstance(action, str)
            else self._numbered_action(action)
            for place, action in enumerate(rollout)
        ]

    def _newly_proven(self, proven: Sequence[ProvenOutcome], n_ids: int) -> dict[int, float]:
        """Outcomes by node."""
        found: dict[int, float] = {}
        for place, each in enumerate(proven):
            node = self.ids.node(f"proven[{place}].node", each.node, n_ids)
            if node in self._proven or node in found:
                raise ImportFormatError(
                    f"proven[{place}].node: node {each.node} was proven before; write each result once, in the "
                    "iteration that proves it"
                )
            found[node] = each.outcome
        return found

    def _player_sums(self, updates: Sequence[NodeUpdate]) -> list[float]:
        """Those of all updates, one after the other."""
        if not self._has_player_sums:
            if any(update.player_sums is not None for update in updates):
                raise ImportFormatError(
                    'updates[].player_sums: needs "player_values": true and "format_version": '
                    f"{PLAYERS_VERSION} in the header; write them there"
                )
            return []
        found: list[float] = []
        for place, update in enumerate(updates):
            name = f"updates[{place}].player_sums"
            if update.player_sums is None:
                raise missing(name, REMEDIES["updates[].player_sums"])
            self._check_entries(name, update.player_sums)
            found += update.player_sums
        return found

    def _check_entries(self, field: str, entries: Sequence[float]) -> None:
        """There is one for each player, and a place for them."""
        if self._version < PLAYERS_VERSION:
            raise ImportFormatError(
                f"{field}: needs the header's format_version to be {PLAYERS_VERSION}; write that there"
            )
        if len(entries) != self._n_entries:
            raise ImportFormatError(
                f"{field}: {plural(len(entries), 'number')} for {plural(self._n_entries, 'player')}; write one for "
                "each, in the order of the header's players"
            )

    def _add_told(self, event: SearchEvent, n_ids: int) -> None:
        """What the event tells of nodes beside their statistics."""
        rows, node = self._rows, self.ids.node
        for place, change in enumerate(event.changed_states or ()):
            rows.change_state(
                node(f"changed_states[{place}].node", change.node, n_ids), change.state
            )
        for place, gap in enumerate(event.value_gaps or ()):
            rows.open_gap(node(f"value_gaps[{place}].node", gap.node, n_ids), gap.is_open)
        for place, remark in enumerate(event.remarks or ()):
            rows.remark(node(f"remarks[{place}].node", remark.node, n_ids), remark.text)
        for place, number in enumerate(event.numbers or ()):
            at = node(f"numbers[{place}].node", number.node, n_ids)
            rows.tell_number(at, number.name, number.value)
        for place, document in enumerate(event.documents or ()):
            at = node(f"documents[{place}].node", document.node, n_ids)
            content = document_content(f"documents[{place}].content", document)
            rows.add_document(at, document.name, document.kind, content, document.size)
        for place, played in enumerate(event.played or ()):
            at = node(f"played[{place}].node", played.node, n_ids)
            if isinstance(played.action, str):
                action = self._named_action(f"played[{place}].action", played.action)
            else:
                action = self._numbered_action(played.action)
            rows.tell_played(at, action, is_whole=False)
        for place, miss in enumerate(event.misses or ()):
            at, child, best = (
                node(f"misses[{place}].{name}", getattr(miss, name), n_ids)
                for name in ("node", "child", "best")
            )
            rows.tell_miss(at, child, best, miss.score, miss.best_score)

    def skip(self, event: object) -> None:
        """Pass over a line that was refused: JSON of any kind, None for what is not even that. Its nodes
        are lost: what names them later is refused as well."""
        new = event.get("new_nodes") if isinstance(event, dict) else None
        if not isinstance(event, dict) or not (new is None or isinstance(new, list)):
            self.ids.are_known = False  # it is not known how many nodes it made
            return
        first = new[0].get("node") if new and isinstance(new[0], dict) else None
        self.ids.resume(first if type(first) is int else None, len(self._parent))
        for node in new or []:  # those after them keep the places that they have in the stream
            parent = node.get("parent") if isinstance(node, dict) else None
            if type(parent) is int and parent >= 0:
                with contextlib.suppress(ImportFormatError):  # lost as well, or none
                    self._count_child(self.ids.node("parent", parent, self.ids.next_id))
        self.ids.lose(self.ids.next_id + len(new or ()), len(self._parent))

    def resume(self, event: SearchEvent) -> None:
        """Before an event after a skipped line: where it says the ids of its nodes, they are known again."""
        self.ids.resume(event.new_nodes[0].node if event.new_nodes else None, len(self._parent))

    def take(self) -> Rows:
        """The events as rows; the log is empty afterwards."""
        return self._rows.take()

    def _forget_nodes(self, n_nodes: int) -> None:
        """Drop the nodes that a refused event has left."""
        for node in range(n_nodes, self._n_counted):
            self._n_children[self._parent[node]] -= 1
        self._n_counted = min(self._n_counted, n_nodes)
        del self._parent[n_nodes:], self._to_move[n_nodes:]


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _known_action(meta: TraceMeta) -> Callable[[object], int] | None:
    """From an action's name to its id, where the trace lists the names."""
    if not meta.action_labels:
        return None
    ids = {label: id_ for id_, label in enumerate(meta.action_labels)}

    def known(action: object) -> int:
        if action not in ids:
            some = ", ".join(list(ids)[:5])
            raise ImportFormatError(f"there is no action {action!r} here; the names are {some}, …")
        return ids[action]

    return known


def _not_as_before(name: str, expected: bool) -> ImportFormatError:
    if expected:
        empty = "the time so far" if name == "elapsed" else "[] where there is none"
        return ImportFormatError(f"{name}: missing, but the first line has it; write {empty}")
    return ImportFormatError(
        f"{name}: the first line has none, so the trace says that it is not observed; write it in every line or in none"
    )
