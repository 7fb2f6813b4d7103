"""Values that have an entry for each player: a node's own value is the entry of the player who moved into it, and all
entries are kept beside it.

Knows one watched node at a time and the log, no tree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, cast

from mcts_viz.errors import TraceError
from mcts_viz.recording.careful_reader import brief
from mcts_viz.recording.values import Values, sum_of_mean
from mcts_viz.recording.watched_node import WatchedNode
from mcts_viz.trace.rows import RowLog

Entries: TypeAlias = tuple[float, ...]  # by player, player 0 first


class ArrayLike(Protocol):
    """Numbers of numpy, torch or jax."""

    def tolist(self) -> object: ...


def entries_of(found: object) -> Sequence[object] | None:
    """The entries of a value, by player; None for a single number."""
    if type(found) in (float, int) or found is None:
        return None
    if isinstance(found, (list, tuple)):
        return found
    if isinstance(found, Mapping):
        try:
            return [found[player] for player in range(len(found))]
        except KeyError:
            return None
    if getattr(found, "shape", ()) and getattr(found, "size", 1) != 1:
        listed = cast(ArrayLike, found).tolist()
        return listed if isinstance(listed, list) else None
    return None


def numbers_of(entries: Sequence[object], n_players: int, what: str) -> Entries:
    """The entries as numbers; raises TraceError naming `what` gives others, or not one for each player."""
    if len(entries) != n_players:
        raise TraceError(
            f"{what} {brief(entries)}: {len(entries)} entries for {n_players} players; give one for each, in the order "
            "of players=, or a single number in the view of the player who moved into the node"
        )
    try:
        numbers = tuple(float(cast(Any, entry)) for entry in entries)
    except (TypeError, ValueError, OverflowError) as err:
        raise TraceError(f"{what} {brief(entries)}: not all of its entries are numbers") from err
    if not all(map(math.isfinite, numbers)):
        raise TraceError(f"{what} {brief(entries)}: a trace holds finite numbers")
    return numbers


class PlayerValues:
    """What nodes' values were last, for each player."""

    def __init__(self, n_players: int, values: Values) -> None:
        self._n, self._is_mean = n_players, values.kind == "mean"
        self._sums: dict[int, Entries] = {}  # by id of a node, as logged
        self._found: dict[int, Entries] = {}  # of this iteration
        self._zeros = (0.0,) * n_players

    def own(self, watched: WatchedNode, value: object, visits: object) -> object:
        """The value of the player who moved into the node; raises TraceError for a value without entries."""
        if value is None:
            return None
        entries = entries_of(value)
        if entries is None:
            if not visits and value == 0:  # what a node begins with
                return value
            raise TraceError(
                f"value= gives {brief(value)} at {watched}, and gave an entry for each player before; give a sequence "
                "with an entry for each at every node"
            )
        numbers = numbers_of(entries, self._n, f"value= gives, at {watched},")
        n = visits if isinstance(visits, int) else int(cast(Any, visits) or 0)
        sums = tuple(sum_of_mean(each, n) for each in numbers) if self._is_mean else numbers
        self._found[watched.id] = sums
        return numbers[max(watched.mover, 0)]

    def log(self, log: RowLog, begin: int) -> None:
        """Log the sums of the nodes that were updated; updates of this iteration begin at that place of the log's."""
        updated = log.updates[begin::3]
        known = self._sums
        for node, sums in self._found.items():
            if sums != known.get(node, self._zeros):
                known[node] = sums
                if node not in updated:  # another player's alone has changed
                    log.updates += (node, 0, 0.0)
                    updated.append(node)
        self._found.clear()
        for node in updated:
            log.player_sums += known.get(node, self._zeros)
