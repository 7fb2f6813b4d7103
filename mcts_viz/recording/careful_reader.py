"""Reads the fields of a watched node with care, and says what is wrong with one.

The inner loop reads without looking; whatever fails there is read again here: a node may not have
its fields yet, a field may be misspelt, a number may be none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from typing import Any

from mcts_viz.errors import TraceError
from mcts_viz.recording.fields import Node, NodeFields, is_missing, unreadable
from mcts_viz.recording.watched_node import WatchedNode
from mcts_viz.trace.players import UNKNOWN
from mcts_viz.trace.rows import FLOAT32
from mcts_viz.trace.states import grid_text, rows_of

EXACT_INT = 2**53  # up to which a float is every whole number
MOST_SHOWN = 60  # characters of a bad value


class CarefulReader:
    """Every method raises TraceError naming field, node and fix."""

    def __init__(self, fields: NodeFields, root: Node, n_players: int = 2) -> None:
        self._fields = fields
        self._players = range(max(2, n_players))
        self._read = fields.readers(root)
        self.unordered: WatchedNode | None = None  # first node whose children were seen in a set

    def container(self, watched: WatchedNode) -> Any:
        """The node's children as the search keeps them: a list, a tuple or a mapping."""
        try:
            container = self._read.children(watched.node)
        except Exception as err:
            if self._not_yet("children", watched, err):
                return []
            raise self._unreadable("children", watched, err) from err
        return self.checked_container(container, watched)

    def checked_container(self, container: Any, watched: WatchedNode) -> Any:
        """The same of what was read already."""
        if container is None:
            return []
        if isinstance(container, (list, tuple, Mapping)):
            return container
        if isinstance(container, (str, bytes)) or not isinstance(container, Iterable):
            raise TraceError(
                f"children={self.shown('children')} gives {brief(container)} at {watched}, not a list, tuple or dict "
                "of nodes; give a function of the node that returns one: children=lambda node: …"
            )
        if isinstance(container, Set) and self.unordered is None:
            self.unordered = watched
        return list(container)

    def numbers_and_children(self, watched: WatchedNode) -> tuple[Any, Any, Any]:
        """Visits, value and children, as `visits`, `value` and `container` give them."""
        visits = self.visits(watched)
        return visits, self.value(watched, visits), self.container(watched)

    def checked_numbers(
        self, visits: Any, value: Any, watched: WatchedNode
    ) -> tuple[int, float | None]:
        """Visits and value that were read already; None for a value that the search does not
        keep."""
        if type(visits) is float and visits.is_integer():  # what mctspy counts in
            visits = int(visits)
        elif type(visits) is not int:
            visits = self.whole("visits", visits, watched)
        if type(value) is int and abs(value) <= EXACT_INT:
            value = float(value)
        elif value is not None:
            value = self.number("value", value, watched)
        return visits, value

    def visits(self, watched: WatchedNode) -> int:
        """0 where the node has none yet."""
        try:
            found = self._read.visits(watched.node)
        except Exception as err:
            if self._not_yet("visits", watched, err):
                return 0
            raise self._unreadable("visits", watched, err) from err
        return self.whole("visits", found, watched)

    def value(self, watched: WatchedNode, visits: int) -> Any:
        """0 where the node has none before its first visit: no field yet, or a mean over
        nothing."""
        try:
            return self._read.value(watched.node)
        except Exception as err:
            over_nothing = isinstance(err, ZeroDivisionError)
            if visits == 0 and (over_nothing or self._not_yet("value", watched, err)):
                return 0.0
            raise self._unreadable("value", watched, err) from err

    def field(self, name: str, watched: WatchedNode) -> Any:
        """Whatever the field holds."""
        try:
            return getattr(self._read, name)(watched.node)
        except Exception as err:
            raise self._unreadable(name, watched, err) from err

    def player(self, watched: WatchedNode) -> int:
        """The player to move."""
        player = self.field("to_move", watched)
        if player is None:
            return UNKNOWN
        if type(player) is int and (player == 0 or player == 1):
            return player
        try:
            known = not isinstance(player, str) and bool(player in self._players)
        except (TypeError, ValueError):  # an array, say
            known = False
        if not known:
            n = len(self._players)
            example = "0 if node.player == 1 else 1" if n == 2 else "node.player - 1"
            others = "1" if n == 2 else f"up to {n - 1}, in the order of players="
            unknown = "; None where −1 stands for nobody" if player == -1 else ""
            raise TraceError(
                f"to_move={self.shown('to_move')} gives {brief(player)} at {watched}; players are 0, who moves first "
                f"in the game, and {others} (None: not known). Give a function of the node, such as "
                f"to_move=lambda node: {example}{unknown}"
            )
        return int(player)

    def text(self, name: str, watched: WatchedNode) -> str | None:
        """The field as text, None for None."""
        return self._text_of(name, self.field(name, watched), watched)

    def state(self, watched: WatchedNode) -> str | None:
        """The position as text, a grid where it is rows of cells."""
        found = self.field("state", watched)
        # `str(node.state)` of a node that has none yet: it is read again; an array is compared cell by cell
        if isinstance(found, str) and found == "None":
            return None
        rows = rows_of(found)
        return self._text_of("state", found if rows is None else grid_text(rows), watched)

    def _text_of(self, name: str, found: Any, watched: WatchedNode) -> str | None:
        try:
            return storable_text(found)
        except Exception as err:
            raise TraceError(
                f"{name}={self.shown(name)} gives a {type(found).__name__} at {watched} that has no text: "
                f"{type(err).__name__}: {err}. Give a function of the node that returns one: {name}=lambda node: …"
            ) from err

    def has_grid(self, watched: WatchedNode) -> bool:
        """Whether the position is rows of cells."""
        return rows_of(self.field("state", watched)) is not None

    def number_or_nan(self, name: str, watched: WatchedNode) -> float:
        """The field as a float that float32 can hold, nan for None."""
        found = self.field(name, watched)
        if found is None:
            return math.nan
        if type(found) is float and -FLOAT32 <= found <= FLOAT32:
            return found
        if (
            name == "outcome"
            and isinstance(found, (list, tuple))
            and len(found) == len(self._players)
        ):
            found = found[0]  # an entry for each player
        number = self.number(name, found, watched)
        if abs(number) > FLOAT32:
            raise TraceError(
                f"{name}={self.shown(name)} gives {brief(found)} at {watched}, which a trace cannot hold (up to "
                f"{FLOAT32:.1e}); give a function of the node that bounds it: {name}=lambda node: …"
            )
        return number

    def whole(self, name: str, found: Any, watched: WatchedNode) -> int:
        """What was found as an int; 0 for None, which stands for none yet."""
        if found is None:
            return 0
        try:
            number = int(found)
            whole = bool(number == found)
        except (TypeError, ValueError, OverflowError):
            whole = False
        if not whole:
            raise TraceError(
                f"{name}={self.shown(name)} gives {brief(found)} at {watched}, not a whole number; give a function of "
                f"the node that returns one: {name}=lambda node: {_call(found)}"
            )
        return number

    def number(self, name: str, found: Any, watched: WatchedNode) -> float:
        """What was found as a float."""
        try:
            if isinstance(found, (str, bytes)):
                raise TypeError
            # a network's answer is often an array of one number, which numpy takes for none
            return float(found.item() if getattr(found, "size", 0) == 1 else found)
        except (TypeError, ValueError, OverflowError) as err:
            raise TraceError(
                f"{name}={self.shown(name)} gives {brief(found)} at {watched}, not a number; give a function of the "
                f"node that returns one: {name}=lambda node: {_call(found)}"
            ) from err

    def shown(self, name: str) -> str:
        """The field as the user gave it."""
        field = getattr(self._fields, name)
        return "(a function)" if callable(field) else repr(field)

    def _not_yet(self, name: str, watched: WatchedNode, err: Exception) -> bool:
        """Whether a node that was just made may be without the field: the root has it, or it would
        have been refused."""
        field = getattr(self._fields, name)
        return watched.parent is not None and is_missing(err, watched.node, field)

    def _unreadable(self, name: str, watched: WatchedNode, err: Exception) -> TraceError:
        field = getattr(self._fields, name)
        return unreadable(name, field, watched.node, str(watched), err)


def storable_text(found: Any) -> str | None:
    """A text that a file can hold, None for None."""
    if found is None:
        return None
    text = found if isinstance(found, str) else str(found)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _call(found: object) -> str:
    """What the function would return, where the node has a method for it."""
    is_method = callable(found) and hasattr(found, "__self__")
    return f"node.{getattr(found, '__name__', '…')}()" if is_method else "…"


def brief(found: Any) -> str:
    """A bad value, not too long."""
    if callable(found) and hasattr(found, "__self__"):
        return "a method, which is not called"
    try:
        text = repr(found)
    except Exception:  # noqa: BLE001 (the user's own, or a number of too many digits)
        text = f"a {type(found).__name__}"
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
