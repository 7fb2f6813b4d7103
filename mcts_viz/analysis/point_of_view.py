"""Points of view: a value is in the view of the player who moved into the node."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import CHANCE, EVERYBODY, movers_into
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.types import Floats, Wholes


def player_name(meta: TraceMeta, player: int) -> str:
    """Name of a player, "player 0" where the trace has none; "unknown" for −1, "chance" for −2, "all at once" for
    −3."""
    if player < 0:
        return {CHANCE: "chance", EVERYBODY: "all at once"}.get(player, "unknown")
    names = meta.player_names
    return names[player] if player < len(names) else f"player {player}"


WHOEVER = "view of whoever moved there"


def view_of_player_0(meta: TraceMeta, mover: int = 0) -> str:
    """ ", view of X" behind a value that `player_0_value` gives for a node that `mover` moved into;
    nothing where one plays alone, which goes without saying."""
    names = meta.player_names
    if len(names) == 1:
        return ""
    if mover < 0:
        return f", {WHOEVER}"
    return f", view of {names[0 if meta.mirrors else mover]}"


def mover_into(snapshot: Snapshot, node: int) -> int:
    """The player in whose view the node's value is, see `trace.players.movers`; −1 unknown."""
    return int(
        movers_into(
            np.array([node], np.int32), snapshot.parent, snapshot.to_move, snapshot.meta.n_players
        )[0]
    )


class Viewpoint(NamedTuple):
    """Whose view values are shown in: one player's, or that of the player who moved into each node; for the
    root, the player to move there."""

    player: int | None = None  # None: the player who moved

    def of(self, snapshot: Snapshot, node: int) -> int:
        """The player in whose view the node's value is shown; −1 where it is not known."""
        mover = mover_into(snapshot, node)
        if mover < 0 or snapshot.meta.n_players == 1:
            return mover
        if self.player is not None and has_view(snapshot, self.player, mover):
            return self.player
        return 1 - mover if node == 0 and self.player is None and snapshot.meta.mirrors else mover

    def mirrors(self, snapshot: Snapshot, node: int) -> bool:
        """Whether that is another view than the recorded one."""
        return self.of(snapshot, node) != mover_into(snapshot, node)

    def mean(self, snapshot: Snapshot, node: int) -> float:
        """The node's mean value in that view; nan without visits, and where the search keeps no value."""
        mean = float(snapshot.mean_values([node])[0])
        if not self.mirrors(snapshot, node) or math.isnan(mean):
            return mean
        visits = int(snapshot.visits[node])
        return self.value_sum(snapshot, node) / visits if visits else math.nan

    def value_sum(self, snapshot: Snapshot, node: int) -> float:
        """The sum of its values."""
        if not self.mirrors(snapshot, node):
            return float(snapshot.value_sum[node])
        if snapshot.player_sums is not None:
            return float(snapshot.player_sums[node, self.of(snapshot, node)])
        low, high = snapshot.meta.value_range
        return int(snapshot.visits[node]) * (low + high) - float(snapshot.value_sum[node])


def has_view(snapshot: Snapshot, player: int, mover: int) -> bool:
    """Whether the value of a node that `mover` moved into is known in a player's view: his own, that of the only
    opponent turned round, or one of those that the node has for each player."""
    meta = snapshot.meta
    return (
        player == mover
        or meta.mirrors
        or (player < meta.n_players and snapshot.player_sums is not None)
    )


def player_0_value(
    value: Floats,
    mover: Wholes | int,
    meta: TraceMeta,
) -> Floats:
    """Mean values turned into the view of player 0: player 1's are mirrored within the range of a
    visit's value. They stay as they are where the mover is not known, or where one player's gain is not the other's
    loss."""
    low, high = meta.value_range
    if not meta.mirrors:
        return value
    return np.where(np.asarray(mover) == 1, low + high - value, value)


def proven_text(meta: TraceMeta, proven: float) -> str | None:
    """A proven result (view of player 0) in words; None for nan, which proves nothing."""
    return None if math.isnan(proven) else outcome_text(meta, float(proven))


def outcome_text(meta: TraceMeta, outcome: float | None) -> str:
    """An outcome (view of player 0) in words: who won; the number where it is no plain win."""
    if outcome is None:
        return "not recorded"
    if meta.n_players > 2:
        return f"{outcome:,.4g} for {player_name(meta, 0)}"
    if meta.n_players == 1:
        return f"reward {outcome:,.4g}"
    low, high = meta.reward_range
    if outcome == high:
        return f"{player_name(meta, 0)} wins"
    if outcome == low:
        return f"{player_name(meta, 1)} wins"
    if outcome == (low + high) / 2:
        return "draw"
    return f"{outcome:+.3f} for {player_name(meta, 0)}"
