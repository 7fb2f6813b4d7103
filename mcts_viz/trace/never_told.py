"""Notes for the reader of a trace on what the watched search never told."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.columns import Columns
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import CHANCE, EVERYBODY, UNKNOWN
from mcts_viz.trace.replay import Replay


def never_told(meta: TraceMeta, columns: Columns) -> list[str]:
    """One note for each field that was None at some nodes to the end, on players who never move, and on outcomes that
    are never a loss."""
    return [*_never_move(meta, columns), *_never_lost(meta, columns), *_never_came(meta, columns)]


def _never_lost(meta: TraceMeta, columns: Columns) -> list[str]:
    """Of outcomes that are told from 0 to 1, as values are, and count as −1 to 1."""
    if not meta.mirrors or (meta.reward_range, meta.value_range) != ((-1.0, 1.0), (0.0, 1.0)):
        return []
    outcomes = columns.outcome, columns.nodes.outcome
    if any((each < 0).any() for each in outcomes):
        return []
    won, other = (any((each == end).any() for each in outcomes) for end in (1, 0))
    if not (won and other):
        return []
    return [
        "No outcome was told to be below 0: 0 counts as a draw. Where it is a loss, tell reward_range=(0, 1)."
    ]


def _never_move(meta: TraceMeta, columns: Columns) -> list[str]:
    """Of the players that were named, where more than two were."""
    moved = columns.nodes.to_move[: columns.n_nodes]
    idle = [name for player, name in enumerate(meta.player_names) if not (moved == player).any()]
    if meta.n_players < 3 or not idle or (moved == EVERYBODY).any() or columns.n_iterations == 0:
        return []
    who = f"{' and '.join(idle)} {'never moves' if len(idle) == 1 else 'never move'}"
    return [
        f"players= names {meta.n_players}, of whom {who}: to_move= gives a player's place among the names, from 0."
    ]


def _never_came(meta: TraceMeta, columns: Columns) -> list[str]:
    if not meta.watched.fields:
        return []
    nodes, n = columns.nodes, columns.n_nodes
    # the root has no move into it; what a finished game leaves open is no loss
    inner, goes_on = np.arange(n) > 0, np.isnan(nodes.outcome)
    priors_missing = np.isnan(nodes.prior) & inner
    below_chance = inner & (nodes.to_move[nodes.parent] == CHANCE)
    if below_chance.any() and priors_missing[inner & ~below_chance].all():
        priors_missing &= below_chance  # they are the outcomes' probabilities; choices have none
    missing = {
        "to_move": (nodes.to_move == UNKNOWN) & goes_on,
        "prior": priors_missing,
        "reward": inner if nodes.reward is None else np.isnan(nodes.reward) & inner,
    }
    for name, texts in (("state", nodes.state), ("label", nodes.label)):
        if name not in meta.watched.fields:  # texts of a long trace are read from its file
            continue
        told = np.zeros(n, np.bool_)
        for node, text in enumerate(texts or ()):
            told[node : node + 1] = text is not None
        missing[name] = ~told & (inner if name == "label" else True)
    found = []
    visits = None
    for name in meta.watched.fields:
        lacking = missing.get(name)
        if lacking is None or not lacking.any():
            continue
        if visits is None:
            visits = _visits(columns)
        unvisited = int((lacking & (visits == 0)).sum())
        note = f"{name}= gave nothing at {int(lacking.sum()):,} of {n:,} nodes to the end"
        found.append(f"{note}, {unvisited:,} of them never visited." if unvisited else f"{note}.")
    return found


def _visits(columns: Columns) -> npt.NDArray[np.int32]:
    """[N] of each node in the end."""
    if columns.statistics is not None:
        return columns.statistics.whole(columns.n_iterations).visits
    replay = Replay(columns)
    replay.seek(columns.n_iterations)
    return replay.visits
