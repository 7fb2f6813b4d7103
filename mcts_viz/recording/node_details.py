"""What a search tells of a node beside its numbers: prior, reward, result, position and name.

Each is read when the node is first seen. Searches that make all children at once fill them in later: what is None is
read again at the node's next visits, until it is there.
"""

from __future__ import annotations

import math

from mcts_viz.errors import MctsVizError, TraceError
from mcts_viz.games.position import StartPosition
from mcts_viz.recording.actions import ActionIds
from mcts_viz.recording.beliefs import action_vector, belief_of
from mcts_viz.recording.careful_reader import CarefulReader, brief, storable_text
from mcts_viz.recording.field_watch import FieldWatch
from mcts_viz.recording.fields import Readers
from mcts_viz.recording.watched_node import WatchedNode
from mcts_viz.trace.asides import PRIORS_CHANGE, ROOT_PRIORS_CHANGE
from mcts_viz.trace.joint_moves import joint_label
from mcts_viz.trace.node_documents import given_documents
from mcts_viz.trace.players import EVERYBODY
from mcts_viz.trace.rows import RowLog

ODD_PRIOR = "prior= gives {:g} at node {}: a prior is a move's share of 1 among its siblings, no score or percentage."
# columns of nodes, and fields; documents lie beside the columns
DETAILS = (
    "prior",
    "outcome",
    "reward",
    "state",
    "label",
    "documents",
    "evaluation",
    "gumbel",
    "phase",
    "belief",
    "particles",
)
SHARES = ("prior", "outcome")  # columns that most often hold a float from 0 to 1
NUMBERS = ("evaluation", "gumbel", "phase", "particles")  # which lie beside the columns, too
AGAIN = ("phase", "particles")  # of them those that go on changing
BELIEF = "belief"


MANY_CHANGES = 4  # looks at which priors of the root are others: a correct search adds noise once


class NodeDetails:
    """positions: the rules of a game whose positions are shown. Every method raises TraceError for a field that
    cannot be read."""

    def __init__(
        self,
        read: Readers,
        careful: CarefulReader,
        actions: ActionIds,
        positions: StartPosition | None,
        log: RowLog,
        n_players: int = 2,
    ) -> None:
        self._read, self._careful, self._actions = read, careful, actions
        self._positions, self._log, self._n_players = positions, log, n_players
        self._told = [name for name in DETAILS if getattr(read, name) is not None]
        # whether a node tells no more than the move into it and the player to move
        self.is_plain = not self._told and positions is None
        self._states = None if read.state is None else FieldWatch(careful.state)
        self._priors = None if read.prior is None else FieldWatch(self._prior)
        self._root_priors = None if read.prior is None else FieldWatch(self._prior)
        self._root_changes = 0  # looks at which these were others than at the look before
        # by id of a node: fields that it did not have when they were read last
        self.waiting: dict[int, list[str]] = {}
        self._last: dict[tuple[str, int], float] = {}  # numbers that go on changing, as logged last
        self._looks: dict[int, int] = {}  # at the beliefs of nodes
        self._odd_prior = False  # whether there was one that is no share

    def log_new(self, new: WatchedNode, action: int) -> None:
        """Log the fields of a new node."""
        for name in self._told:
            if name in SHARES and self._is_quick(name, new):
                continue
            # a reward belongs to a move that was made: before, it is what the author began with
            if name == "reward" or not self._log_told(name, new):
                self.wait_for(name, new)
        if self._positions is not None and self._read.state is None:
            text = self.text_of_position(new)
            if text is not None:
                self._log.add_to_node("state", text)
        unnamed = self._read.label is None or "label" in self.waiting.get(new.id, ())
        if unnamed and (type(new.move) is not int or action != new.move):
            self._log_move(new, action)

        for place, number in enumerate(vector := self._vector(new)):
            self._log.tell_number(
                new.id, "action" if len(vector) == 1 else f"action[{place}]", number
            )

    def _is_quick(self, name: str, new: WatchedNode) -> bool:
        """Log a number of most nodes, where it is a plain one from 0 to 1, or not there yet; whether it was."""
        try:
            found = getattr(self._read, name)(new.node)
        except Exception:  # noqa: BLE001 (said on a closer look)
            return False
        if found is None:
            self.wait_for(name, new)
        elif type(found) is float and 0.0 <= found <= 1.0:
            self._log.add_to_node(name, found)
            if name == "prior":
                self._watch_prior(new, found)
        else:
            return False
        return True

    def _vector(self, new: WatchedNode) -> list[float]:
        """The numbers of a continuous action."""
        if type(new.move) in (int, str):
            return []
        is_joint = new.parent is not None and new.parent.to_move == EVERYBODY
        return [] if is_joint else action_vector(new.move)

    def _log_told(self, name: str, new: WatchedNode) -> bool:
        if name == "documents":
            return self._log_documents(new)
        if name == BELIEF:
            return self._log_belief(new)
        if name in NUMBERS:
            return self._log_number(name, new)
        found = self._value(name, new)
        if found is not None:
            self._log.add_to_node(name, found)
        return found is not None

    def _log_number(self, name: str, watched: WatchedNode) -> bool:
        """Log a number beside the columns; whether it need not be read again: a phase goes on."""
        found = self._value(name, watched)
        goes_on = name in AGAIN
        if found is not None and not (goes_on and self._last.get((name, watched.id)) == found):
            self._log.tell_number(watched.id, name, float(found))
            if goes_on:
                self._last[name, watched.id] = float(found)
        return found is not None and not goes_on

    def _log_belief(self, watched: WatchedNode) -> bool:
        """Log a summary of the belief when the node's visits have doubled; it goes on changing."""
        looks = self._looks[watched.id] = self._looks.get(watched.id, 0) + 1
        if looks & (looks - 1):  # no power of two
            return False
        found = self._careful.field(BELIEF, watched)
        if found is None:
            return False
        try:
            belief = belief_of(found)
        except TraceError as err:
            raise TraceError(f"{watched}: {err}") from err
        self._log.add_document(watched.id, BELIEF, "text", belief.text)
        if belief.particles is not None and self._read.particles is None:
            self._log.tell_number(watched.id, "particles", float(belief.particles))
        return False

    def _log_documents(self, watched: WatchedNode) -> bool:
        """Log the documents of a node; returns whether there are some."""
        found = self._careful.field("documents", watched)
        if found is None:
            return False
        try:
            for name, (kind, content) in given_documents(found).items():
                self._log.add_document(watched.id, name, kind, content)
        except TraceError as err:
            raise TraceError(f"{watched}: {err}") from err
        return True

    def wait_for(self, name: str, watched: WatchedNode) -> None:
        """The node did not have the field yet."""
        self.waiting.setdefault(watched.id, []).append(name)

    def log_late(self, name: str, watched: WatchedNode) -> bool:
        """Log a field of a node that had none before; whether it has now."""
        if name == "documents":
            return self._log_documents(watched)
        if name == BELIEF:
            return self._log_belief(watched)
        if name in NUMBERS:
            return self._log_number(name, watched)
        found = self._value(name, watched)
        if found is not None:
            self._log.tell_late(watched.id, name, found)
        return found is not None

    def log_changes(self) -> None:
        """Log the positions that are seen to be others than before, and say where priors are; to be asked after each
        iteration."""
        if self._states is not None:
            for node, text in self._states.changes():
                self._log.change_state(node, text)
        if self._priors is not None:
            changed = [node for node, _ in self._priors.changes()]
            if changed:
                self._log.remark(changed[0], PRIORS_CHANGE)
                self._priors = None  # once said is enough
        if self._root_priors is not None:
            changed = [node for node, _ in self._root_priors.changes()]
            self._root_changes += bool(changed)
            if self._root_changes == MANY_CHANGES:
                self._log.remark(changed[0], ROOT_PRIORS_CHANGE)
                self._root_priors = None

    def text_of_position(self, watched: WatchedNode) -> str | None:
        """By the rules of the game, where they are known."""
        if self._positions is None or watched.position is None:
            return None
        return storable_text(self._positions.text(watched.position))

    def root_state(self, root: WatchedNode) -> str | None:
        """The position at the root; its documents and numbers are read at its first visit."""
        for name in ("documents", BELIEF, *NUMBERS):
            if getattr(self._read, name) is not None:
                self.wait_for(name, root)
        if self._read.state is None:
            return self.text_of_position(root)
        found = self._or_wait("state", root)
        return None if found is None else str(found)

    def root_outcome(self, root: WatchedNode) -> float | None:
        """The result of a game that is over at the root."""
        found = None if self._read.outcome is None else self._or_wait("outcome", root)
        return None if found is None else float(found)

    def play(self, new: WatchedNode, action: int) -> None:
        """The position of a new node, None after a move that the rules do not know."""
        assert new.parent is not None
        assert self._positions is not None
        if new.parent.position is None:
            return
        try:
            new.position = self._positions.child(new.parent.position, action)
        except MctsVizError:
            new.position = None  # a faulty search, which is recorded as it is

    def action_id(self, new: WatchedNode) -> int:
        """Of the move into the node."""
        try:
            return self._actions.id(new.move)
        except Exception as err:
            told = str(err) if isinstance(err, TraceError) else f"{type(err).__name__}: {err}"
            raise TraceError(
                f"action= gives {brief(new.move)} at {new}: {told}. Give a function of the node that turns it into "
                "one: action=lambda node: …"
            ) from err

    def _or_wait(self, name: str, watched: WatchedNode) -> float | str | None:
        found = self._value(name, watched)
        if found is None:
            self.wait_for(name, watched)
        return found

    def _value(self, name: str, watched: WatchedNode) -> float | str | None:
        """What the field holds, None where there is nothing yet."""
        if name == "state":
            text = self._careful.state(watched)
            if self._states is not None:
                self._states.add(watched, text)
            return text
        if name == "label":
            return self._careful.text(name, watched)
        number = self._careful.number_or_nan(name, watched)
        if name == "prior" and not (math.isnan(number) or 0 <= number <= 1) and not self._odd_prior:
            self._odd_prior = True
            self._log.remark(watched.id, ODD_PRIOR.format(number, watched.id))
        found = None if math.isnan(number) else number
        if name == "prior":
            self._watch_prior(watched, found)
        return found

    def _watch_prior(self, watched: WatchedNode, prior: float | None) -> None:
        """Of the root's children, which get noise, once, and of nodes below them."""
        if watched.parent is None:
            return
        watch = self._priors if watched.parent.id else self._root_priors
        if watch is not None:
            watch.add(watched, prior)

    def _prior(self, watched: WatchedNode) -> float | None:
        number = self._careful.number_or_nan("prior", watched)
        return None if math.isnan(number) else number

    def _log_move(self, new: WatchedNode, action: int) -> None:
        """Log the move itself as its name, where it is more than a number."""
        if not self._actions.of_built_in_game:
            vector = ", ".join(f"{number:.4g}" for number in self._vector(new))
            text = storable_text(self._joint_name(new) or vector or new.move)
            if text is not None and text != str(action):
                self._log.add_to_node("label", text)

    def _joint_name(self, new: WatchedNode) -> str | None:
        """Of the moves that all players made at once; None for another move."""
        if new.parent is None or new.parent.to_move != EVERYBODY:
            return None
        if not isinstance(new.move, (tuple, list)) or len(new.move) != self._n_players:
            raise TraceError(
                f"action= gives {brief(new.move)} at {new}: where all choose at once it is a tuple with the move of "
                f"each of the {self._n_players} players, None for one who has no choice"
            )
        return joint_label(["–" if each is None else str(each) for each in new.move])
